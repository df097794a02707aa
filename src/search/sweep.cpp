#include "grbda/search/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include "constraints/coordinates.hpp"
#include "kinematics/configuration.hpp"
#include "closing/closure.hpp"
#include "kernels/cluster/outcome.hpp"
#include "kernels/body/whole_turns.hpp"

namespace grbda {
namespace {

/// Distance below which two configurations are equal, rad or relative to the cluster's size. Closing leaves
/// some 1e-14 / rcond between them; two regular configurations with one value are further apart than their
/// rcond.
constexpr double same_configuration = 1e-6;
/// The rcond(K_d) from which a joint can drive the others, slightly above the singular one.
constexpr double well_conditioned = 1e-4;
/// Distance below which folds are equal: a branch ends slightly before the fold, where rcond is at its limit.
constexpr double same_fold = 0.02;
constexpr double same_fold_value = 1e-5;

class Sweeper {
public:
    Sweeper(const Model& model, const VectorX<double>& q, int body, const SweepOptions& options)
        : model_(model),
          data_(model),
          cluster_(model.bodies[body].cluster),
          c_(model.clusters[cluster_]),
          body_(model.bodies[body]),
          given_(q),
          options_(options),
          generator_(options.seed),
          displacement_(VectorX<double>::Zero(c_.dofs)) {
        result_.body = body;
        for (int i = 0; i <= options.steps; ++i)
            result_.values.push_back(i == options.steps
                                         ? options.to
                                         : options.from + (options.to - options.from) * i / options.steps);
    }

    Sweep run() {
        require_drivable();
        const std::vector<double>& values = result_.values;
        const auto nearest = std::min_element(values.begin(), values.end(), [&](double a, double b) {
            return std::abs(a - given_[body_.q]) < std::abs(b - given_[body_.q]);
        });
        for (int step = 0; step <= options_.steps; ++step) {
            if (step > 0) advance(step);
            if (step == nearest - values.begin()) {
                VectorX<double> q = given_;
                if (drive(q, *nearest).ok()) add(q, step);
            }
            discover(step);
        }
        pair_folds();
        return std::move(result_);
    }

private:
    bool is_independent() const {
        const int* const first = data_.chart.independent.data() + c_.y_begin;
        return std::find(first, first + c_.m, body_.dof) != first + c_.m;
    }

    /// Makes the joint independent, in other coordinates if necessary. If it is at a dead centre, they are
    /// chosen elsewhere. Throws std::invalid_argument if no other joint follows it at any configuration.
    void require_drivable() {
        constexpr int most_trials = 30;
        if (is_independent()) return;
        VectorX<double> q = given_;
        for (int i = 0; i < most_trials && c_.embedding == Embedding::implicit; ++i) {
            const bool chosen = prefer_coordinates<double>(model_, data_, q, {&body_.v, 1}).ok();
            if (chosen && is_independent() && conditioning(q) >= well_conditioned) return;
            q = random_configuration(model_, generator_);
        }
        throw std::invalid_argument(
            "a sweep needs a joint that the others of its cluster can follow; joint '" +
            model_.names.joints[result_.body] +
            (c_.embedding == Embedding::constant ? "' follows others by its couplings: sweep one of those"
                                                 : "' is locked by its loops, or follows others"));
    }

    /// Follows the mode of q until the swept joint is at `value`. On failure q is the last point reached.
    Result drive(VectorX<double>& q, double value) {
        closing::stay(model_, data_, c_, q.data());
        data_.displacement[body_.dof] = value - q[body_.q];
        data_.goal[body_.q] = value;
        if (c_.embedding == Embedding::implicit) {
            const Result result = closing::Path<double>(model_, data_, cluster_, q.data()).follow();
            hold_spins(q);
            return result;
        }
        q[body_.q] = value;
        if (c_.embedding == Embedding::constant) closing::close_couplings(model_, c_, q.data());
        return {};
    }

    /// Fixes rotations of rods about themselves. An independent component of a rotation has no number in q
    /// that could be kept. If it rotates a rod about itself and moves nothing else, the rod is rotated as
    /// near as possible to its orientation in the given q. Otherwise each guess would end in a configuration
    /// of its own.
    void hold_spins(VectorX<double>& q) {
        kernels::each_independent(data_, c_, [&](int dof) {
            const Body& joint = model_.bodies[model_.dof_body[dof]];
            const int turn = joint.dof + velocity_size(joint.joint) - 3;
            if (!has_quaternion(joint.joint) || dof < turn) return;
            const VectorX<double> spin = motion_of(q, dof);
            VectorX<double> turned = q;
            kernels::move_cluster(model_, c_, q.data(), spin.data(), 1, turned.data());
            if (!is_closed(turned)) return;  // it moves more than a rod
            const double angle = angle_to_given(q, joint, spin.segment<3>(turn - c_.dof_begin));
            kernels::move_cluster(model_, c_, q.data(), spin.data(), angle, q.data());
        });
    }

    /// Returns the velocities of the cluster for one independent velocity of 1 with the others at 0.
    VectorX<double> motion_of(const VectorX<double>& q, int dof) {
        static_cast<void>(conditioning(q));
        VectorX<double> motion = VectorX<double>::Unit(c_.dofs, dof - c_.dof_begin), dependents(c_.dofs),
                        b = VectorX<double>::Zero(c_.rows);
        closing::subtract_rows(data_, c_, motion.data(), b.data());
        closing::solve_by_inverse(model_, data_, c_, b.data(), dependents.data());
        return motion + dependents;
    }

    bool is_closed(const VectorX<double>& q) {
        const auto base = kernels::place_alone<double>(model_, data_, c_, q.data());
        return closing::cluster_residual<double>(model_, data_, c_, base, q.data()) <=
               closing::closure_tolerance<double>(model_, data_, c_, q.data());
    }

    /// Returns the factor of a rotation vector whose rotation brings a joint nearest to its given rotation.
    double angle_to_given(const VectorX<double>& q, const Body& joint, const Eigen::Vector3d& turn) const {
        const int first = joint.q + position_size(joint.joint) - 4;
        const Eigen::Quaterniond now(q.segment<4>(first)), given(given_.segment<4>(first));
        const Eigen::Quaterniond apart = given.conjugate() * now;
        const double along = apart.vec().dot(turn.normalized()), half = std::atan2(along, apart.w());
        return -2 * std::remainder(half, M_PI) / turn.norm();
    }

    /// Finds a closed configuration at `value` from q with random positions of all dependents, or of those
    /// that belong to one loop. Returns false if closing fails.
    bool guess(double value, int loop, VectorX<double>& q) {
        constexpr double reach = 2;  // sizes of the cluster
        std::fill(displacement_.begin(), displacement_.end(), 0.);
        for (int d = c_.dependent_begin; d < c_.dependent_begin + c_.dependents(); ++d) {
            const int dof = data_.chart.dependent[d];
            if (loop >= 0 && !is_own(loop, dof)) continue;
            const Body& body = model_.bodies[model_.dof_body[dof]];
            const bool slides = is_freedom(body.joint, dof - body.dof, Freedom::slide);
            const double most = slides ? reach * model_.column_scale[dof] : M_PI;
            displacement_[dof - c_.dof_begin] =
                std::uniform_real_distribution<double>(-most, most)(generator_);
        }
        q[body_.q] = value;
        kernels::move_cluster(model_, c_, q.data(), displacement_.data(), 1, q.data());
        ++result_.guesses;
        if (!closing::close_from_guess(model_, data_, cluster_, q.data()).ok() || !is_regular(q))
            return false;
        ++result_.closed;
        return true;
    }

    /// Returns whether a coordinate moves this loop of the cluster and no other.
    bool is_own(int loop, int dof) const {
        bool moves_it = false, moves_others = false;
        for (const int l : c_.loops) {
            bool moves = model_.loops[l].slide == dof;
            for (const int term : model_.loops[l].terms) moves = moves || model_.loop_terms[term].dof == dof;
            if (moves) (l == loop ? moves_it : moves_others) = true;
        }
        return moves_it && !moves_others;
    }

    /// Moves angles whose whole turns change nothing as near as possible to those of the given q.
    void unwind(VectorX<double>& q) {
        for (int d = c_.dependent_begin; d < c_.dependent_begin + c_.dependents(); ++d) {
            const int dof = data_.chart.dependent[d];
            const Body& body = model_.bodies[model_.dof_body[dof]];
            const int at = kernels::position_index(model_, dof);
            if (at < 0 || !closing::turns_freely(model_, c_, body, dof - body.dof)) continue;
            q[at] = given_[at] + std::remainder(q[at] - given_[at], 2 * M_PI);
        }
    }

    bool is_watched(int body) const {
        const std::vector<int>& watched = options_.watched;
        return watched.empty() || std::find(watched.begin(), watched.end(), body) != watched.end();
    }
    /// Returns the largest difference of the watched joints of the cluster, without whole turns.
    double distance(const VectorX<double>& a, const VectorX<double>& b) const {
        double largest = 0;
        for (const int i : c_.joints) {
            if (!is_watched(i)) continue;
            const Body& body = model_.bodies[i];
            double delta[6];
            kernels::joint_difference(body.joint, a.data() + body.q, b.data() + body.q, delta);
            for (int j = 0; j < velocity_size(body.joint); ++j) {
                if (is_freedom(body.joint, j, Freedom::turn)) delta[j] = std::remainder(delta[j], 2 * M_PI);
                largest = std::max(largest, std::abs(delta[j]) / model_.column_scale[body.dof + j]);
            }
        }
        return largest;
    }

    /// Returns rcond of K_d at q.
    double conditioning(const VectorX<double>& q) {
        if (c_.rows == 0) return 1;
        const auto base = kernels::place_alone<double>(model_, data_, c_, q.data());
        static_cast<void>(closing::cluster_residual<double>(model_, data_, c_, base, q.data()));
        kernels::invert_dependents(model_, data_, c_, cluster_);
        return data_.rcond[cluster_];
    }
    /// Returns whether q is regular. At a singular configuration, where several modes meet, closing ends at
    /// some point nearby.
    bool is_regular(const VectorX<double>& q) { return conditioning(q) >= kernels::singular_rcond<double>(); }

    SweepPoint point(const VectorX<double>& q, int step) {
        SweepPoint result{q[body_.q], step, q, conditioning(q), true};
        for (const int i : c_.joints) {
            const Body& body = model_.bodies[i];
            if (position_size(body.joint) != 1 || model_.bounded[i] == 0) continue;
            const JointLimits& limits = model_.limits[i];
            constexpr double rounding = 1e-6;
            double& x = result.q[body.q];
            if (&body != &body_ && closing::turns_freely(model_, c_, body, 0))
                x = kernels::within_by_turns(x, limits.lower - rounding, limits.upper + rounding);
            result.within_limits =
                result.within_limits && x >= limits.lower - rounding && x <= limits.upper + rounding;
        }
        return result;
    }

    /// Returns the branch that has this configuration at this step; otherwise −1.
    int branch_at(const VectorX<double>& q, int step) const {
        for (std::size_t i = 0; i < result_.branches.size(); ++i)
            for (const SweepPoint& point : result_.branches[i].points)
                if (point.step == step && distance(point.q, q) <= same_configuration)
                    return static_cast<int>(i);
        return -1;
    }

    static BranchEnd end_of(const Result& result) {
        const bool at_fold = result.status == Status::fold || result.status == Status::singular_constraint;
        return at_fold ? BranchEnd::fold : BranchEnd::lost;
    }

    /// Continues the branches that reached the last step to this one, or ends them before.
    void advance(int step) {
        for (SweepBranch& branch : result_.branches) {
            if (branch.points.back().step != step - 1) continue;
            VectorX<double> q = branch.points.back().q;
            const Result result = drive(q, result_.values[at(step)]);
            if (!result.ok()) branch.ends = end_of(result);
            if (result.ok() || q[body_.q] != branch.points.back().value)
                branch.points.push_back(point(q, result.ok() ? step : -1));
        }
    }

    void discover(int step) {
        if (c_.embedding != Embedding::implicit) return;
        const double value = result_.values[at(step)];
        for (int i = 0; i < options_.guesses; ++i) {
            const std::vector<int> here = branches_that_reach(step);
            // every other guess moves a single loop of a closed configuration, to combine the modes of
            // several loops
            const bool one_loop = i % 2 == 1 && !here.empty() && c_.loops.size() > 1;
            VectorX<double> q =
                one_loop ? result_.branches[at(here[at(below(std::ssize(here)))])].points.back().q : given_;
            if (guess(value, one_loop ? c_.loops.first + below(c_.loops.size()) : -1, q)) add(q, step);
        }
    }

    std::vector<int> branches_that_reach(int step) const {
        std::vector<int> result;
        for (std::size_t i = 0; i < result_.branches.size(); ++i)
            if (result_.branches[i].points.back().step == step) result.push_back(static_cast<int>(i));
        return result;
    }

    /// Adds a branch through q, followed back to its start, unless it exists.
    void add(VectorX<double>& q, int step) {
        hold_spins(q);
        if (branch_at(q, step) >= 0) return;
        unwind(q);
        SweepBranch branch;
        std::vector<SweepPoint> backwards{point(q, step)};
        while (--step >= 0) {
            const Result result = drive(q, result_.values[at(step)]);
            if (!result.ok()) branch.begins = end_of(result);
            if (result.ok() && branch_at(q, step) >= 0) {  // from there, that branch went elsewhere
                branch.begins = BranchEnd::lost;
                break;
            }
            if (result.ok() || q[body_.q] != backwards.back().value)
                backwards.push_back(point(q, result.ok() ? step : -1));
            if (!result.ok()) break;
        }
        branch.points.assign(std::make_move_iterator(backwards.rbegin()),
                             std::make_move_iterator(backwards.rend()));
        result_.branches.push_back(std::move(branch));
    }

    /// Pairs branches that end at the same fold.
    void pair_folds() {
        const double span = std::abs(options_.to - options_.from);
        const auto each_fold = [&](auto&& use) {
            for (std::size_t i = 0; i < result_.branches.size(); ++i) {
                SweepBranch& branch = result_.branches[i];
                if (branch.begins == BranchEnd::fold)
                    use(static_cast<int>(i), branch.points.front(), branch.begins_with);
                if (branch.ends == BranchEnd::fold)
                    use(static_cast<int>(i), branch.points.back(), branch.ends_with);
            }
        };
        each_fold([&](int i, const SweepPoint& end, int& with) {
            double nearest = same_fold;
            each_fold([&](int other, const SweepPoint& end_of_other, int&) {
                if (other == i || !(std::abs(end_of_other.value - end.value) <= same_fold_value * span))
                    return;
                const double apart = distance(end.q, end_of_other.q);
                if (apart < nearest) with = other;
                nearest = std::min(nearest, apart);
            });
        });
    }

    int below(std::ptrdiff_t count) {
        return std::uniform_int_distribution<int>(0, static_cast<int>(count) - 1)(generator_);
    }
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    const Model& model_;
    Workspace<double> data_;
    const int cluster_;
    const Cluster& c_;
    const Body& body_;
    const VectorX<double>& given_;
    const SweepOptions& options_;
    std::mt19937_64 generator_;
    VectorX<double> displacement_;  ///< of a guess from the given q; only dependents of the cluster
    Sweep result_;
};

void require_sweep(const Model& model, int body, const SweepOptions& options) {
    require_body(model, body);
    const int size = position_size(model.bodies[body].joint);
    if (size != 1)
        throw std::invalid_argument("a sweep needs a joint of one coordinate; joint '" +
                                    model.names.joints[body] + "' has " + std::to_string(size));
    if (options.steps < 1 || options.guesses < 0 || !std::isfinite(options.from) ||
        !std::isfinite(options.to))
        throw std::invalid_argument(
            "a sweep needs finite bounds, steps of at least 1 and guesses of at least 0");
    for (const int watched : options.watched) {
        require_body(model, watched);
        if (model.bodies[watched].cluster != model.bodies[body].cluster)
            throw std::invalid_argument("a sweep tells modes apart by joints of its cluster; joint '" +
                                        model.names.joints[watched] + "' is in another");
    }
}

}  // namespace

const char* to_string(BranchEnd end) {
    switch (end) {
        case BranchEnd::bound: return "bound";
        case BranchEnd::fold: return "fold";
        case BranchEnd::lost: break;
    }
    return "lost";
}

Sweep sweep(const Model& model, ConstVector<double> q, int body, const SweepOptions& options) {
    require_whole(model);
    require_size("q", q.size(), model.nq);
    require_sweep(model, body, options);
    const VectorX<double> given = q;
    if (!kernels::usable(model, given.data()))
        throw std::invalid_argument("a sweep needs a configuration of finite numbers");
    return Sweeper(model, given, body, options).run();
}

}  // namespace grbda
