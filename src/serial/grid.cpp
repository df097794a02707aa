#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include <Eigen/SVD>

namespace grbda::serial {
namespace {

constexpr double rounding = 1e-6;  // of limits
/// Ratio of the smallest to the largest singular value of J_m below which J_m does not have full rank.
constexpr double no_rank = 1e-6;

/// Largest and smallest singular value of J_m, up to its rank at regular configurations.
struct Extent {
    double smallest = 1, largest = 1;
};

class GridSearch {
public:
    GridSearch(const Model& model, const ClusterRoles& roles, const VectorX<double>& q,
               const SerialOptions& options, Study& study)
        : model_(model),
          roles_(roles),
          nominal_(q),
          options_(options),
          study_(study),
          m_(static_cast<int>(roles.coordinates.size())),
          y_(positions_of(model, roles.coordinates, q)) {}

    /// False: J_m has no rank at the nominal configuration.
    bool start() {
        extent_ = extent_at(nominal_);
        return extent_.smallest > no_rank * extent_.largest;
    }

    Box find_box() {
        const Box range = largest_range();
        const int steps = search_steps();
        first_.assign(at(m_), 0);
        last_ = first_;
        reached_ = {{first_, nominal_}};
        down_ = (y_ - range.lower) / steps;
        up_ = (range.upper - y_) / steps;
        std::vector<char> stopped(at(2 * m_), 0);
        for (bool grows = true; grows;) {
            grows = false;
            for (int face = 0; face < 2 * m_; ++face) {
                if (stopped[at(face)] != 0) continue;
                stopped[at(face)] = grow(face, steps) ? 0 : 1;
                grows = grows || stopped[at(face)] == 0;
            }
        }
        return {y_at(first_), y_at(last_)};
    }

    /// Empty: a point of the box does not close along a straight path from the nominal configuration.
    std::optional<Grid> fill(const Box& box) {
        Grid grid;
        std::vector<int> last;
        for (const int count : points_of(box)) {
            const int i = static_cast<int>(last.size());
            grid.nodes.push_back(VectorX<double>::LinSpaced(count, box.lower[i], box.upper[i]));
            last.push_back(count - 1);
        }
        const std::vector<int> first(at(m_), 0);
        std::vector<int> index = first;
        do {
            VectorX<double> y(m_), q;
            for (int i = 0; i < m_; ++i) y[i] = grid.nodes[at(i)][index[at(i)]];
            if (!study_.move(nominal_, whole_displacement(model_.nv, roles_, y - y_), q) ||
                !keeps_rank(q, 1.2))
                return {};
            grid.q.push_back(std::move(q));
        } while (next_point(first, last, index));
        return grid;
    }

    /// A box that is a little nearer to the nominal configuration.
    Box shrunk(const Box& box) const {
        constexpr double by = 0.97;
        return {y_ + by * (box.lower - y_), y_ + by * (box.upper - y_)};
    }

private:
    int search_steps() const {
        constexpr std::array steps{20, 20, 10, 4, 2, 2};
        return steps[at(m_ - 1)];
    }
    /// Nodes per coordinate: a few at least, and more over wide ranges.
    std::vector<int> points_of(const Box& box) const {
        if (options_.points > 0) return std::vector<int>(at(m_), options_.points);
        constexpr std::array least{33, 25, 9, 5, 5, 5};
        constexpr double widest_step = 0.1;
        constexpr int most_points = 3000;
        std::vector<int> counts;
        for (int i = 0; i < m_; ++i) {
            const double steps = std::ceil((box.upper[i] - box.lower[i]) / widest_step);
            counts.push_back(std::max(least[at(m_ - 1)], static_cast<int>(steps) + 1));
        }
        const auto total = [&] {
            return std::accumulate(counts.begin(), counts.end(), 1., std::multiplies<>());
        };
        while (total() > most_points) {
            int& largest = *std::max_element(counts.begin(), counts.end());
            if (largest <= least[at(m_ - 1)]) break;
            --largest;
        }
        return counts;
    }

    Box largest_range() const {
        Box box{y_, y_};
        for (int i = 0; i < m_; ++i) {
            const Coordinate& each = roles_.coordinates[at(i)];
            const Body& body = model_.bodies[each.body];
            const double reach = is_freedom(body.joint, each.component, Freedom::turn) ? M_PI : 1.;
            std::array<double, 2> range{y_[i] - reach, y_[i] + reach};
            if (model_.bounded[each.body] != 0 && velocity_size(body.joint) == 1)
                range = {std::max(range[0], model_.limits[each.body].lower),
                         std::min(range[1], model_.limits[each.body].upper)};
            const auto given = options_.ranges.find(name_of(model_, each));
            if (given != options_.ranges.end())
                range = {std::max(range[0], given->second[0]), std::min(range[1], given->second[1])};
            box.lower[i] = std::min(y_[i], range[0]);
            box.upper[i] = std::max(y_[i], range[1]);
        }
        return box;
    }

    VectorX<double> y_at(const std::vector<int>& index) const {
        VectorX<double> y = y_;
        for (int i = 0; i < m_; ++i) y[i] += index[at(i)] * (index[at(i)] < 0 ? down_[i] : up_[i]);
        return y;
    }

    /// Moves a face of the box outwards if all points of it are valid.
    bool grow(int face, int steps) {
        const auto i = at(face / 2);
        const bool is_upper = face % 2 == 1;
        const int value = is_upper ? last_[i] + 1 : first_[i] - 1;
        const double step = is_upper ? up_[face / 2] : down_[face / 2];
        if (std::abs(value) > steps || step <= rounding / steps) return false;
        std::vector<int> first = first_, last = last_;
        first[i] = last[i] = value;
        std::vector<int> index = first;
        do
            if (!reach(index, i, is_upper ? -1 : 1)) return false;
        while (next_point(first, last, index));
        (is_upper ? last_ : first_)[i] = value;
        return true;
    }

    /// Continues to a point from its neighbour inside the box.
    bool reach(const std::vector<int>& index, std::size_t i, int inwards) {
        std::vector<int> neighbour = index;
        neighbour[i] += inwards;
        VectorX<double> q;
        const VectorX<double> delta = y_at(index) - y_at(neighbour);
        if (!study_.move(reached_.at(neighbour), whole_displacement(model_.nv, roles_, delta), q) ||
            !is_within_limits(q) || !keeps_rank(q, 1))
            return false;
        reached_[index] = std::move(q);
        return true;
    }

    bool is_within_limits(const VectorX<double>& q) const {
        for (const int i : model_.clusters[roles_.cluster].joints) {
            const Body& body = model_.bodies[i];
            if (position_size(body.joint) != 1 || model_.bounded[i] == 0) continue;
            const JointLimits& limits = model_.limits[i];
            const bool was_outside = nominal_[body.q] < limits.lower || nominal_[body.q] > limits.upper;
            if (!was_outside && (q[body.q] < limits.lower - rounding || q[body.q] > limits.upper + rounding))
                return false;
        }
        return true;
    }

    Extent extent_at(const VectorX<double>& q) {
        if (!study_.inertia(q)) return {0, 1};
        const MatrixX<double> J = motor_jacobian(model_, roles_, study_);
        if (J.rows() == 0) return {};
        const VectorX<double> values = Eigen::JacobiSVD<MatrixX<double>>(J).singularValues();
        return {values.minCoeff(), values.maxCoeff()};
    }
    bool keeps_rank(const VectorX<double>& q, double slack) {
        const Extent extent = extent_at(q);
        const double change = options_.most_change * slack;
        return extent.smallest * change >= extent_.smallest && extent.largest <= change * extent_.largest;
    }

    const Model& model_;
    const ClusterRoles& roles_;
    const VectorX<double>& nominal_;
    const SerialOptions& options_;
    Study& study_;
    const int m_;
    const VectorX<double> y_;        ///< nominal
    Extent extent_;                  ///< of J_m at the nominal configuration
    VectorX<double> down_, up_;      ///< steps of the search
    std::vector<int> first_, last_;  ///< the box, in steps from the nominal configuration
    std::map<std::vector<int>, VectorX<double>> reached_;  ///< its configurations
};

}  // namespace

VectorX<double> whole_displacement(int nv, const ClusterRoles& roles, const VectorX<double>& delta) {
    VectorX<double> result = VectorX<double>::Zero(nv);
    result(roles.y) = delta;
    return result;
}

VectorX<double> positions_of(const Model& model, const std::vector<Coordinate>& coordinates,
                             const VectorX<double>& q) {
    VectorX<double> result(std::ssize(coordinates));
    for (std::size_t i = 0; i < coordinates.size(); ++i)
        result[static_cast<Eigen::Index>(i)] = q[position_of(model, coordinates[i])];
    return result;
}

MatrixX<double> motor_jacobian(const Model& model, const ClusterRoles& roles, const Study& study) {
    MatrixX<double> J(std::ssize(roles.motors), std::ssize(roles.y));
    for (std::size_t i = 0; i < roles.motors.size(); ++i)
        J.row(static_cast<Eigen::Index>(i)) =
            model.reduction[roles.motors[i].body] * study.velocity_row(roles.motors[i])(roles.y);
    return J;
}

bool next_point(const std::vector<int>& first, const std::vector<int>& last, std::vector<int>& index) {
    for (std::size_t i = index.size(); i-- > 0;) {
        if (++index[i] <= last[i]) return true;
        index[i] = first[i];
    }
    return false;
}

std::optional<Grid> make_grid(const Model& model, const ClusterRoles& roles, const VectorX<double>& q,
                              const SerialOptions& options, Study& study, Diagnostics& diagnostics) {
    GridSearch search(model, roles, q, options, study);
    if (!search.start()) {
        refuse(model, Code::state, "motors that move the cluster of " + joints_of(model, roles.cluster),
               "a nominal configuration in which they lose rank", "choose another configuration",
               diagnostics);
        return {};
    }
    Box box = search.find_box();
    if (!((box.upper - box.lower).array() > rounding).all()) {
        refuse(
            model, Code::state,
            "a range around the nominal configuration of the cluster of " + joints_of(model, roles.cluster),
            "its end, or one of the limits", "choose another configuration", diagnostics);
        return {};
    }
    constexpr int most_trials = 40;
    for (int i = 0; i < most_trials; ++i, box = search.shrunk(box))
        if (std::optional<Grid> grid = search.fill(box)) return grid;
    refuse(model, Code::state,
           "a range in which the loops of the cluster of " + joints_of(model, roles.cluster) + " close",
           "none", "give a smaller --range", diagnostics);
    return {};
}

}  // namespace grbda::serial
