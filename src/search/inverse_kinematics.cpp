#include "search/search.hpp"

#include <stdexcept>
#include <string>

#include <Eigen/Geometry>

#include "closed_search.hpp"
#include "kinematics/kinematics.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

/// Returns the rotation vector of R, |w| ≤ π.
template <class S>
Eigen::Matrix<S, 3, 1> logarithm(const Eigen::Matrix<S, 3, 3>& R) {
    const Eigen::Quaternion<S> q(R);
    const S none[4] = {S(0), S(0), S(0), S(1)}, to[4] = {q.x(), q.y(), q.z(), q.w()};
    const Vector3<S> w = kernels::quaternion_difference(none, to);
    return {w.x, w.y, w.z};
}

/// The cost ½ Σ (w_p |p* − p|)² + (w_R |log(R* Rᵀ)|)².
template <class S>
class Targets {
public:
    Targets(const Model& model, Workspace<S>& data, Search<S>& work, std::span<const FrameTarget> targets,
            const TargetTolerance& tolerance)
        : model_(model), data_(data), work_(work), targets_(targets), tolerance_(tolerance) {}

    Result place(const S* q) {
        const Eigen::Map<const VectorX<S>> at(q, model_.nq);
        return forward_kinematics<S>(model_, data_, at);
    }

    double cost(const S*) {
        double sum = 0;
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            const FrameTarget& target = targets_[i];
            Gap& gap = work_.gaps[i];
            gap = {};
            if (target.position) gap.length = value_of(displacement_to(target).norm());
            if (target.orientation) gap.angle = value_of(turn_to(target).norm());
            sum +=
                squared(target.position_weight * gap.length) + squared(target.orientation_weight * gap.angle);
        }
        return sum / 2;
    }

    bool met() const {
        for (const Gap& gap : work_.gaps)
            if (!(gap.length <= tolerance_.length && gap.angle <= tolerance_.angle)) return false;
        return true;
    }

    bool close(VectorX<S>&) const { return false; }

    double curvature() const {
        double sum = 0;
        for (const FrameTarget& target : targets_) {
            if (target.position) sum += squared(target.position_weight * reach(target));
            if (target.orientation) sum += squared(target.orientation_weight);
        }
        return sum;
    }

    // The gradient of ½ |log(R* Rᵀ)|² is −w ω, where w is the logarithm, because w is an eigenvector of the
    // logarithm's derivative.
    void linearize(const S*) {
        auto& inside = *work_.internal;
        inside.H.setZero();
        inside.descent.setZero();
        for (const FrameTarget& target : targets_) {
            frame_jacobian<S>(model_, data_, target.frame, ReferenceFrame::world_aligned, inside.J);
            if (target.position) {
                move_to_point(target);
                add(0, displacement_to(target), target.position_weight);
            }
            if (target.orientation) add(3, turn_to(target), target.orientation_weight);
        }
    }

private:
    static double squared(double x) { return x * x; }

    /// Returns the length of the path from the root, joint by joint, to the target's point.
    double reach(const FrameTarget& target) const {
        const auto length = [](const Vector3<double>& a) { return std::sqrt(dot(a, a)); };
        const Frame& f = model_.frames[target.frame];
        double sum = length(f.position) + target.point.norm();
        const bool on_rod = model_.is_rod(f.body);
        if (on_rod) sum += model_.rod(f.body).length;
        const int first = on_rod ? model_.loops[model_.rod(f.body).loop].predecessor.body : f.body;
        for (int body = first; body != world; body = model_.bodies[body].parent)
            if (model_.bodies[body].parent != world) sum += length(model_.bodies[body].position);
        return sum;
    }

    /// Returns the vector from the frame's origin to the target's point, in the world's axes.
    Eigen::Matrix<S, 3, 1> arm(const FrameTarget& target) const {
        return frame_orientation<S>(model_, data_, target.frame) * target.point.template cast<S>();
    }
    Eigen::Matrix<S, 3, 1> displacement_to(const FrameTarget& target) const {
        return target.position->template cast<S>() - frame_position<S>(model_, data_, target.frame) -
               arm(target);
    }
    /// Moves the linear part of J to the target's point.
    void move_to_point(const FrameTarget& target) {
        if (target.point.isZero(0)) return;
        const Eigen::Matrix<S, 3, 1> r = arm(target);
        Matrix6X<S>& J = work_.internal->J;
        for (Eigen::Index j = 0; j < J.cols(); ++j) {
            const Eigen::Matrix<S, 3, 1> omega = J.col(j).template tail<3>();
            J.col(j).template head<3>() += omega.cross(r);
        }
    }
    Eigen::Matrix<S, 3, 1> turn_to(const FrameTarget& target) const {
        const Eigen::Matrix<S, 3, 3> R = frame_orientation<S>(model_, data_, target.frame);
        return logarithm<S>(target.orientation->template cast<S>() * R.transpose());
    }

    /// Adds three rows of J, from `first` on, with the error of the target.
    void add(int first, const Eigen::Matrix<S, 3, 1>& error, double weight) {
        auto& inside = *work_.internal;
        const S square = static_cast<S>(weight * weight);
        for (Eigen::Index i = 0; i < model_.nv; ++i) {
            const Eigen::Matrix<S, 3, 1> column = square * inside.J.col(i).template segment<3>(first);
            inside.descent[i] += column.dot(error);
            for (Eigen::Index j = 0; j <= i; ++j)
                inside.H(i, j) += column.dot(inside.J.col(j).template segment<3>(first));
        }
    }

    const Model& model_;
    Workspace<S>& data_;
    Search<S>& work_;
    std::span<const FrameTarget> targets_;
    TargetTolerance tolerance_;
};

/// Throws std::invalid_argument on an invalid target. `largest`: larger numbers have squares that overflow.
void require_target(const Model& model, const FrameTarget& target, double largest) {
    require_frame(model, target.frame);
    constexpr double orthonormal = 1e-6;
    if (target.orientation) {
        const Eigen::Matrix3d& R = *target.orientation;
        const double off = (R.transpose() * R - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
        if (!(off <= orthonormal) || !(R.determinant() > 0))
            throw std::invalid_argument("a target's orientation is no rotation: RᵀR differs from 1 by " +
                                        std::to_string(off) + ", or its axes are left-handed");
    }
    if (target.position && !(target.position->cwiseAbs().array() < largest).all())
        throw std::invalid_argument("a target's position is too large to compute with, or not finite");
    if (!(target.point.cwiseAbs().array() < largest).all())
        throw std::invalid_argument("a target's point is too large to compute with, or not finite");
    for (const double weight : {target.position_weight, target.orientation_weight})
        if (!(weight >= 0) || !(weight < largest))
            throw std::invalid_argument(
                "a target's weight is " + std::to_string(weight) +
                ", expected one that is not negative, and not too large to compute with");
}

/// Marks joints that move a target or a loop.
void mark_joints(const Model& model, std::span<const FrameTarget> targets, Table<char>& counts) {
    std::fill(counts.begin(), counts.end(), char(0));
    for (const LoopTerm& term : model.loop_terms) counts[model.dof_body[term.dof]] = 1;
    for (const Loop& loop : model.loops)
        if (loop.slide >= 0) counts[model.dof_body[loop.slide]] = 1;
    const auto mark = [&](int body) {
        for (; body != world; body = model.bodies[body].parent) counts[body] = 1;
    };
    for (const FrameTarget& target : targets) {
        const int body = model.frames[target.frame].body;
        if (!model.is_rod(body)) {
            mark(body);
            continue;
        }
        const Loop& loop = model.loops[model.rod(body).loop];
        mark(loop.predecessor.body);
        mark(loop.successor.body);
    }
}

}  // namespace

template <class S>
SearchResult inverse_kinematics(const Model& model, Workspace<S>& data, Search<S>& work,
                                std::span<const FrameTarget> targets, VectorOut<S> q,
                                const SearchOptions& options, const TargetTolerance& tolerance) {
    require_workspace(model, data);
    auto& inside = search::require_search(model, work);
    require_size("q", q.size(), model.nq);
    for (const FrameTarget& target : targets) require_target(model, target, largest_given);
    search::require_options(model, options);
    work.gaps.assign(targets.size(), Gap{});
    work.moved.setConstant(static_cast<S>(std::numeric_limits<double>::quiet_NaN()));
    SearchResult result;
    result.loops = closure_residual<S>(model, data, q);
    if (result.loops.status == Status::not_converged) result.outcome = Outcome::open;
    if (!result.loops.ok()) return result;
    mark_joints(model, targets, inside.counts);
    search::weigh_joints(model, inside.counts, inside.weights);
    inside.q = q;
    Targets<S> objective(model, data, work, targets, tolerance);
    result = search::Run<S, Targets<S>>(model, data, work, options, objective).follow();
    search::joint_displacements(model, q.data(), inside.q.data(), work.moved);
    q = inside.q;
    static_cast<void>(objective.place(q.data()));  // the coordinates of data.chart may be singular at q
    if (data.kinematics != Kinematics::none) result.cost = objective.cost(q.data());
    return result;
}

#define GRBDA_INSTANTIATE(S)                                                                \
    template SearchResult inverse_kinematics<S>(const Model&, Workspace<S>&, Search<S>&,    \
                                                std::span<const FrameTarget>, VectorOut<S>, \
                                                const SearchOptions&, const TargetTolerance&);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

SearchResult inverse_kinematics(const Model& model, Data& data, std::span<const FrameTarget> targets,
                                VectorRef q, const SearchOptions& options, const TargetTolerance& tolerance) {
    Workspaces& work = data.workspaces();
    auto& search = work.extra<Search<double>>(Extra::search, model);
    const SearchResult result =
        inverse_kinematics<double>(model, work.kinematics, search, targets, q, options, tolerance);
    copy_result(search.moved, data.moved);
    data.gaps = search.gaps;
    return result;
}

}  // namespace grbda
