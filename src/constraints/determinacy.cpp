#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Geometry>

#include "constraints/constraint_forces.hpp"
#include "kernels/pass/constraint_forces.hpp"
#include "kernels/cluster/outcome.hpp"
#include "linear/dense.hpp"
#include "model/workspaces.hpp"

// Which constraint forces are unique. The rows of a cluster, dropped ones too, bear any load n with K_dᵀ n =
// 0 besides what the motion requires; a wrench is unique in the components that no such load has.

namespace grbda {
namespace {

using Wrench = Eigen::Matrix<double, 6, 1>;

template <class S>
Eigen::Vector3d in_double(const Vector3<S>& a) {
    return {value_of(a.x), value_of(a.y), value_of(a.z)};
}

/// Row of a loop as it was written: what a unit of it puts on the successor, in the common frame. The unit is
/// a force, or that force on an arm as long as the cluster is large; moments are in such units.
struct WrittenRow {
    int loop = 0;
    int row = -1;  ///< of K; −1: dropped
    Eigen::Vector3d force, moment;
    bool slides = false;  ///< a slide adds to its length
};

/// Rows and idle loads of one cluster that stands at q, K of its couplings included.
template <class S>
class Statics {
public:
    Statics(const Model& model, const Workspace<S>& data, const Cluster& c)
        : model_(model), data_(data), c_(c) {
        size_ = largest_distance();
        for (const int l : c.loops) add_loop(l);
        for (const int l : c.couplings) coupling_rows_.push_back(model.couplings[l].row);
        find_idle();
    }

    /// A column for each load that moves nothing; a row for each of loop_rows(), then of coupling_rows().
    const Eigen::MatrixXd& idle() const { return idle_; }
    const std::vector<WrittenRow>& loop_rows() const { return loop_rows_; }
    const std::vector<int>& coupling_rows() const { return coupling_rows_; }

    /// Wrench of an idle load through what feels the loops with these signs, about a point, in axes R.
    template <class Sign>
    Wrench wrench(Eigen::Index load, const Sign& sign, const Vector3<S>& point, const Matrix3<S>& R) const {
        Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = force;
        for (std::size_t r = 0; r < loop_rows_.size(); ++r) {
            const double share = idle_(static_cast<Eigen::Index>(r), load) * sign(loop_rows_[r].loop);
            force += loop_rows_[r].force * share;
            moment += loop_rows_[r].moment * share;
        }
        moment -= (in_double(point) / size_).cross(force);
        Eigen::Matrix3d axes;
        axes << in_double(R.x), in_double(R.y), in_double(R.z);
        Wrench result;
        result << axes.transpose() * force, axes.transpose() * moment;
        return result;
    }

private:
    double largest_distance() const {
        std::vector<Eigen::Vector3d> points;
        for (const int i : c_.bodies) points.push_back(in_double(data_.p[i]));
        for (const int l : c_.loops)
            for (const LoopEnd& end : {model_.loops[l].predecessor, model_.loops[l].successor})
                points.push_back(in_double(
                    kernels::point_of(kernels::view(kernels::placement_of(data_, c_, end.body)), end)));
        double largest = 0;
        for (const Eigen::Vector3d& point : points)
            largest = std::max(largest, (point - points.front()).norm());
        return largest > 0 ? largest : 1;
    }

    void add_loop(int l) {
        const Loop& loop = model_.loops[l];
        const Few<LoopRow> written = loop.written_rows();
        Loop whole = loop;
        whole.rows = written.size();
        whole.lengths = static_cast<int>(std::count_if(
            written.begin(), written.end(), [](const LoopRow& row) { return is_length(row.kind); }));
        const kernels::Placement<S> P = kernels::placement_of(data_, c_, loop.predecessor.body);
        LoopFrames<S> frames;
        std::array<Force<S>, 6> Psi;
        std::array<S, 6> phi;
        kernels::share_frames(whole, written.begin(), kernels::view(P),
                              kernels::view(kernels::placement_of(data_, c_, loop.successor.body)), frames);
        kernels::loop_wrenches(whole, written.begin(), P.R, frames, Psi.data(), phi.data());
        const auto kept = rows_of(model_, loop);
        std::size_t next = 0;  // rows that are kept stand in their order
        for (std::size_t r = 0; r < at(whole.rows); ++r) {
            const LoopRow& row = written[static_cast<int>(r)];
            const bool is_kept =
                next < kept.size() && kept[next].kind == row.kind && kept[next].axis == row.axis;
            loop_rows_.push_back(
                {l, is_kept ? loop.row + static_cast<int>(next) : -1, in_double(Psi[r].linear),
                 in_double(Psi[r].angular) / (is_length(row.kind) ? size_ : 1), row.kind == RowKind::length});
            next += is_kept ? 1 : 0;
        }
    }

    /// K_d of all written rows; the scale of columns does not matter.
    Eigen::MatrixXd dependent_columns() const {
        std::vector<int> column(at(c_.dofs), -1);
        int columns = 0;
        kernels::each_dependent(data_, c_, [&](int dof) { column[at(dof - c_.dof_begin)] = columns++; });
        const auto loop_rows = static_cast<Eigen::Index>(loop_rows_.size());
        const auto coupling_rows = static_cast<Eigen::Index>(coupling_rows_.size());
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(loop_rows + coupling_rows, columns);
        for (Eigen::Index r = 0; r < loop_rows; ++r) {
            const WrittenRow& row = loop_rows_[static_cast<std::size_t>(r)];
            for (const int t : model_.loops[row.loop].terms) {
                const LoopTerm& term = model_.loop_terms[t];
                const int d = column[at(term.dof - c_.dof_begin)];
                const Motion<S>& s = data_.s[term.dof];
                const double along = in_double(s.linear).dot(row.force) / size_;
                const double about = in_double(s.angular).dot(row.moment);
                if (d >= 0) K(r, d) = (along + about) * term.sign * model_.column_scale[term.dof];
            }
            const Loop& loop = model_.loops[row.loop];
            if (!row.slides) continue;
            if (const int d = column[at(loop.slide - c_.dof_begin)]; d >= 0)
                K(r, d) = -loop.slide_sign * model_.column_scale[loop.slide] / size_;
        }
        for (Eigen::Index r = 0; r < coupling_rows; ++r) {
            const int row = coupling_rows_[static_cast<std::size_t>(r)] - c_.row_begin;
            for (int j = 0; j < c_.dofs; ++j) {
                const int entry = c_.K_begin + row * c_.dofs + j;
                if (column[at(j)] >= 0)
                    K(loop_rows + r, column[at(j)]) = value_of(data_.K[entry]) * model_.K_scale[entry];
            }
        }
        return K;
    }

    /// K_d has full column rank.
    void find_idle() { idle_ = linear::left_null_space(dependent_columns()); }

    const Model& model_;
    const Workspace<S>& data_;
    const Cluster& c_;
    double size_ = 1;
    std::vector<WrittenRow> loop_rows_;
    std::vector<int> coupling_rows_;
    Eigen::MatrixXd idle_;
};

/// Takes components that some idle load has out of what is unique.
template <class S, class Sign>
void exclude(const Statics<S>& statics, const Sign& sign, const Vector3<S>& point, const Matrix3<S>& R,
             double negligible, Eigen::Block<Eigen::Array<bool, 6, Eigen::Dynamic>, 6, 1, true> unique) {
    for (Eigen::Index load = 0; load < statics.idle().cols(); ++load) {
        const Wrench wrench = statics.wrench(load, sign, point, R);
        for (int k = 0; k < 6; ++k)
            if (!(std::abs(wrench[k]) <= negligible)) unique[k] = false;
    }
}

/// Returns the sign of a joint in a loop: 1 if it moves only the successor, −1 if only the predecessor.
double sign_on_path(const Model& model, const Body& body, int loop) {
    for (const int t : model.loops[loop].terms)
        if (model.loop_terms[t].dof == body.dof) return model.loop_terms[t].sign;
    return 0;
}

template <class S>
void look_at(const Model& model, const Workspace<S>& data, int cluster, Determinacy& out) {
    const Cluster& c = model.clusters[cluster];
    // loads of unit length leave this of components that they do not have
    const double negligible = 20 * std::sqrt(static_cast<double>(std::numeric_limits<S>::epsilon()));
    const Statics<S> statics(model, data, c);
    const Eigen::MatrixXd& idle = statics.idle();
    out.redundancy[cluster] = static_cast<int>(idle.cols());
    if (idle.cols() == 0) return;
    const auto mark = [&](int row, std::size_t place) {
        const double share = idle.row(static_cast<Eigen::Index>(place)).cwiseAbs().maxCoeff();
        if (row >= 0) out.multipliers[row] = share <= negligible ? 1 : 0;
    };
    const std::vector<WrittenRow>& rows = statics.loop_rows();
    for (std::size_t r = 0; r < rows.size(); ++r) mark(rows[r].row, r);
    for (std::size_t r = 0; r < statics.coupling_rows().size(); ++r)
        mark(statics.coupling_rows()[r], rows.size() + r);
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        const kernels::Placement<S> P = kernels::placement_of(data, c, loop.predecessor.body);
        exclude(
            statics, [l](int other) { return other == l ? 1. : 0.; },
            kernels::point_of(kernels::view(kernels::placement_of(data, c, loop.successor.body)),
                              loop.successor),
            P.R * loop.predecessor.rotation.template cast<S>(), negligible, out.loops.col(l));
    }
    for (const int i : c.bodies)
        exclude(
            statics, [&, i](int loop) { return sign_on_path(model, model.bodies[i], loop); }, data.p[i],
            data.R[i], negligible, out.joints.col(i));
}

}  // namespace

template <class S>
Result static_determinacy(const Model& model, Workspace<S>& data, ConstVector<S> q,
                          Determinacy& determinacy) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    determinacy.loops.setConstant(6, static_cast<int>(model.loops.size()), false);
    determinacy.joints.setConstant(6, model.body_count(), false);
    determinacy.multipliers.assign(at(model.rows), 0);
    determinacy.redundancy.assign(model.clusters.size(), 0);
    if (!kernels::usable(model, q.data())) return {Status::not_finite};
    kernels::positions<S>(model, data, q.data());
    const Result result = kernels::constraint_outcome(model, data);
    if (!result.ok()) return result;
    kernels::embed_couplings<S>(model, data, q.data());
    determinacy.loops.setConstant(true);
    determinacy.joints.setConstant(true);
    determinacy.multipliers.assign(at(model.rows), 1);
    for (int k = 0; k < model.cluster_count(); ++k)
        if (!model.clusters[k].loops.empty() || !model.clusters[k].couplings.empty())
            look_at(model, data, k, determinacy);
    return result;
}

template Result static_determinacy<double>(const Model&, Workspace<double>&, ConstVector<double>,
                                           Determinacy&);

Result static_determinacy(const Model& model, Data& data, ConstVectorRef q, Determinacy& determinacy) {
    return static_determinacy<double>(model, data.workspaces().general, q, determinacy);
}

}  // namespace grbda
