#include "evaluate.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "by_joint.hpp"
#include "describe/describe.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/energy.hpp"
#include "grbda/dynamics/joint_forces.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/scalar.hpp"
#include "singular.hpp"

namespace grbda::tool {
namespace {

/// Given spanning velocities with a larger residual of K q̇ = 0, relative to those of the
/// robot, contradict the loops. Wide enough for velocities printed with seven digits.
constexpr double velocity_tolerance = 1e-6;
/// Smaller velocities do not count, rad/s or sizes of the cluster
/// per second: a residual of K q̇ = 0 of 1e-12 means rest.
constexpr double slowest = 1e-6;

/// max |K q̇| over the largest velocity or sum of terms in K
/// q̇, with rows and columns made comparable by their scales.
double relative_velocity_residual(const Model& model, const MatrixX<double>& K, const VectorX<double>& qd) {
    double worst = 0, largest = slowest;
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof)
        largest = std::max(largest, std::abs(qd[model.v_index[dof]]) / model.column_scale[dof]);
    for (Eigen::Index r = 0; r < K.rows(); ++r) {
        const double scale = model.row_scale[r];
        const double row = std::abs(K.row(r).dot(qd)) * scale;
        if (!(row <= worst)) worst = row;
        largest = std::max(largest, K.row(r).cwiseAbs().dot(qd.cwiseAbs()) * scale);
    }
    return worst / largest;
}

/// Checks the input before it is processed.
Result numbers_given(const Model& model, const StateInput& state) {
    const Eigen::Vector3d gravity(model.gravity.x, model.gravity.y, model.gravity.z);
    double of_rods = 0;
    for (const RodWrench& each : state.rod_wrenches) of_rods += each.wrench.squaredNorm();
    const double squares = state.q.squaredNorm() + state.yd.squaredNorm() + state.qd.squaredNorm() +
                           state.ydd.squaredNorm() + state.tau.squaredNorm() + state.wrenches.squaredNorm() +
                           of_rods + gravity.squaredNorm();
    const bool usable = squares < largest_given * largest_given;
    return {usable ? Status::ok : Status::not_finite};
}

const char* meaning(Status status) {
    switch (status) {
        case Status::not_converged: return "the iteration does not converge";
        case Status::singular_constraint: return "the constraints are singular here";
        case Status::fold: return "the assembly mode ends before that configuration";
        case Status::singular_inertia: return "a motion without inertia";
        case Status::not_finite: return "numbers too large to compute with";
        case Status::unbalanced: return "the forces do not bring about the motion";
        case Status::inaccurate: return "a step adds energy, however it is divided";
        case Status::ok:
        case Status::undefined: break;
    }
    return "not defined here";
}

/// Adds the forces of gravity compensation to the wrenches on bodies; after forward_kinematics().
void add_carried_weights(const Model& model, const Data& data, Matrix6X<double>& wrenches) {
    if (wrenches.cols() == 0) wrenches.setZero(6, model.body_count());
    const Eigen::Vector3d gravity(model.gravity.x, model.gravity.y, model.gravity.z);
    for (const CarriedWeight& weight : model.passive.weights) {
        const Eigen::Vector3d up = -(body_pose(model, data, weight.body).linear().transpose() * gravity);
        const Eigen::Vector3d moment(weight.moment.x, weight.moment.y, weight.moment.z);
        wrenches.col(weight.body).head<3>() += weight.mass * up;
        wrenches.col(weight.body).tail<3>() += moment.cross(up);
    }
}

}  // namespace

Evaluator::Evaluator(const Model& model, const EvaluationOptions& options)
    : model_(model), options_(options), data_(model) {
    passive_.setZero(model.nv);
    on_joints_.setZero(model.nv_tree);
    if (options_.method) work_.emplace(model);
}

bool Evaluator::passed(const Result& result, const char* step, Evaluation& out) {
    if (result.ok()) return true;
    out.status = to_string(result.status);
    if (result.status == Status::singular_constraint && result.cluster >= 0) {
        const Singularity found = singularity(model_, data_, out.q, result.cluster);
        out.message = std::string(step) + ": " + found.what + ", in " +
                      describe::cluster_joints(model_, result.cluster) + "; " + found.remedy;
        return false;
    }
    if (result.status == Status::undefined && options_.method && !model_.rods.empty() &&
        !allows_rods(*options_.method)) {
        out.message = std::string(step) + ": " + to_string(*options_.method) +
                      " cannot be used with rods; choose another --method, " +
                      "or --no-rod-reduction, which keeps rods as bodies";
        return false;
    }
    out.message = std::string(step) + ": " + meaning(result.status);
    if (result.status != Status::not_finite)
        out.message += ", in " + describe::cluster_joints(model_, result.cluster);
    return false;
}

/// Sets joints that are wholly independent to the requested positions, the others follow in the start's mode.
bool Evaluator::lead(const StateInput& state, Evaluation& out) {
    const std::vector<describe::IndependentPart> parts = describe::independent_parts(model_);
    VectorX<double> way = VectorX<double>::Zero(model_.nv), displacement(model_.nv_tree);
    spanning_difference(model_, state.from, state.q, displacement);
    const auto each_whole = [&](const auto& action) {
        for (int i = 0; i < model_.body_count(); ++i)
            if (std::ssize(parts[at(i)].y) == velocity_size(model_.bodies[i].joint))
                action(model_.bodies[i], parts[at(i)].y);
    };
    each_whole([&](const Body& body, const std::vector<int>& y) {
        for (int j = 0; j < std::ssize(y); ++j) way[y[at(j)]] = displacement[body.v + j];
    });
    out.q = state.from;
    if (!passed(integrate(model_, data_, state.from, way, out.q), "closing the loops", out)) return false;
    each_whole([&](const Body& body, const std::vector<int>&) {  // exact to the bit
        const int size = position_size(body.joint);
        out.q.segment(body.q, size) = state.q.segment(body.q, size);
    });
    return true;
}

bool Evaluator::close(const StateInput& state, Evaluation& out) {
    out.q = state.q;
    if (state.from.size() > 0 && !lead(state, out)) return false;
    Result result = closure_residual(model_, data_, out.q);
    if (!state.complete || !result.ok()) {
        const Result solved = close_loops(model_, data_, out.q);
        result = closure_residual(model_, data_, out.q);
        if (!solved.ok())
            result = {solved.status, solved.cluster, std::max(solved.residual, result.residual), 0};
    }
    out.closure_residual = result.residual;
    out.residuals = residuals_by_name(model_, data_, out.q);
    return passed(result, "closing the loops", out);
}

/// If the model's coordinates are singular and the loops are not, uses others:
/// then the input may contain only q and either all of q̇ or none of it.
bool Evaluator::embed(const StateInput& state, Evaluation& out) {
    yd_ = state.yd;
    if (state.has_qd) yd_ = independent_part(model_, state.qd);
    Result result = constraint_embedding(model_, data_, out.q, yd_);
    const bool spanning =
        !options_.method && state.yd.isZero(0) && state.ydd.isZero(0) && (!state.has_qd || state.qd_complete);
    if (result.status == Status::singular_constraint && spanning &&
        choose_coordinates(model_, data_, out.q, Marks::ignored).ok()) {
        out.coordinates = independent_coordinates(model_, data_.chart());
        out.message = "the independent coordinates of the model are singular here: computed in others";
        independent_part(model_, data_, state.qd, yd_);
        result = constraint_embedding(model_, data_, out.q, yd_);
    }
    return passed(result, "constraint embedding", out);
}

bool Evaluator::find_velocity(const StateInput& state, Evaluation& out) {
    if (!embed(state, out)) return false;
    G_ = data_.G;
    if (options_.constraints) {
        out.K = data_.K;
        out.k = data_.k;
        out.G = G_;
        out.g = data_.g;
    }
    if (!state.has_qd) return true;
    VectorX<double> qd = G_ * yd_;
    for (Eigen::Index i = 0; i < qd.size(); ++i)
        if (state.qd_given[static_cast<std::size_t>(i)] != 0) qd[i] = state.qd[i];
    out.velocity_residual = relative_velocity_residual(model_, data_.K, qd);
    if (*out.velocity_residual <= velocity_tolerance) return true;
    out.status = "inconsistent_velocity";
    out.message = "qd breaks the loops: K qd is not zero";
    return false;
}

/// Wrenches on bodies: those given, and what those on rods are at their ends.
bool Evaluator::find_wrenches(const StateInput& state, Evaluation& out) {
    given_ = state.wrenches;
    if (state.rod_wrenches.empty()) return true;
    if (!passed(forward_kinematics(model_, data_, out.q), "kinematics", out)) return false;
    for (const RodWrench& each : state.rod_wrenches)
        add_frame_wrench(model_, data_, each.frame, ReferenceFrame::local, each.wrench, given_);
    return true;
}

bool Evaluator::find_joint_forces(Evaluation& out) {
    wrenches_ = given_;
    if (!options_.joint_forces) return true;
    const VectorX<double> qd = G_ * yd_;
    if (!passed(joint_forces(model_, data_, out.q, qd), "joint forces", out)) return false;
    out.joint_forces = passive_ = data_.tau;
    on_joints_ = data_.tau_tree;
    if (model_.passive.weights.empty()) return true;
    if (!passed(forward_kinematics(model_, data_, out.q), "kinematics", out)) return false;
    add_carried_weights(model_, data_, wrenches_);
    return true;
}

bool Evaluator::by_clusters(const StateInput& state, Evaluation& out) {
    const VectorX<double> tau = G_.transpose() * state.tau + passive_;
    if (!passed(crba(model_, data_, out.q), "mass matrix", out)) return false;
    out.M = data_.M;
    if (!passed(bias_force(model_, data_, out.q, yd_, given_), "bias force", out)) return false;
    out.bias = data_.tau - passive_;
    if (!passed(rnea(model_, data_, out.q, yd_, state.ydd, given_), "inverse dynamics", out)) return false;
    out.tau = data_.tau - passive_;
    if (!passed(aba(model_, data_, out.q, yd_, tau, given_), "forward dynamics", out)) return false;
    out.ydd = data_.ydd;
    if (!passed(spanning_acceleration(model_, data_, out.q, yd_, out.ydd), "spanning acceleration", out))
        return false;
    out.qd = data_.qd;
    out.qdd = data_.qdd;
    return true;
}

bool Evaluator::by_baseline(const StateInput& state, Evaluation& out) {
    baselines::Workspace& work = *work_;
    if (!passed(baselines::inverse_dynamics(model_, work, out.q, yd_, state.ydd, given_), "inverse dynamics",
                out))
        return false;
    out.M = work.M;
    out.bias = work.bias - passive_;
    out.tau = work.tau - passive_;
    out.qd = work.qd;
    const VectorX<double> tau = work.G.transpose() * state.tau + passive_;
    if (!passed(baselines::forward_dynamics(*options_.method, model_, work, out.q, yd_, tau, given_),
                "forward dynamics", out))
        return false;
    out.ydd = work.ydd;
    out.qdd = work.qdd;
    return true;
}

/// Returns false if anything fails besides unbalanced forces.
bool Evaluator::balance(const char* step, const VectorX<double>& ydd, const VectorX<double>& joint_forces,
                        std::optional<ConstraintForces>& forces, Evaluation& out) {
    const Result result = constraint_forces(model_, data_, out.q, yd_, ydd, wrenches_, joint_forces);
    if (passed(result, step, out)) {
        forces = data_.constraint_forces;
        return true;
    }
    return result.status == Status::unbalanced;
}

/// Computes constraint forces with the motors' forces on the independent joints, and with the given forces.
bool Evaluator::find_constraint_forces(const StateInput& state, Evaluation& out) {
    VectorX<double> motors(model_.nv_tree);
    spanning_force(model_, data_, out.tau, motors);
    return passed(static_determinacy(model_, data_, out.q, out.determinacy), "statics", out) &&
           balance("constraint forces of inverse dynamics", state.ydd, motors + on_joints_,
                   out.inverse_forces, out) &&
           balance("constraint forces of forward dynamics", out.ydd, state.tau + on_joints_,
                   out.forward_forces, out);
}

bool Evaluator::find_frames(const StateInput& state, Evaluation& out) {
    if (options_.frames.empty()) return true;
    if (!passed(forward_kinematics(model_, data_, out.q, yd_, state.ydd), "kinematics", out)) return false;
    constexpr ReferenceFrame axes = ReferenceFrame::world_aligned;
    for (const int index : options_.frames) {
        FrameState frame;
        frame.index = index;
        frame.position = frame_position(model_, data_, index);
        Eigen::Quaterniond orientation(frame_orientation(model_, data_, index));
        if (orientation.w() < 0) orientation.coeffs() *= -1;
        frame.orientation = orientation.coeffs();
        frame.velocity = frame_velocity(model_, data_, index, axes);
        if (state.has_ydd) frame.acceleration = frame_acceleration(model_, data_, index, axes);
        frame.J.resize(6, model_.nv);
        frame_jacobian(model_, data_, index, axes, frame.J);
        out.frames.push_back(std::move(frame));
    }
    return true;
}

/// Computes everything that needs no mass, and reports why the rest is not available.
void Evaluator::find_kinematics(const StateInput& state, Evaluation& out) {
    if (!passed(spanning_acceleration(model_, data_, out.q, yd_, state.ydd), "kinematics", out)) return;
    out.qd = data_.qd;
    if (!find_frames(state, out)) return;
    out.kinematics_only = true;
    out.status = to_string(Status::singular_inertia);
    out.message = "dynamics: " + describe::missing_mass(model_);
}

bool Evaluator::find_derivatives(const StateInput& state, Evaluation& out) {
    if (!options_.derivatives) return true;
    const VectorX<double> tau = G_.transpose() * state.tau;
    if (!passed(rnea_derivatives(model_, data_, out.q, yd_, state.ydd, given_),
                "derivatives of inverse dynamics", out) ||
        !passed(aba_derivatives(model_, data_, out.q, yd_, tau, given_), "derivatives of forward dynamics",
                out))
        return false;
    out.derivatives = {data_.dtau_dy, data_.dtau_dyd, data_.dydd_dy, data_.dydd_dyd, data_.M_inverse};
    return true;
}

Evaluation Evaluator::evaluate(const StateInput& state) {
    Evaluation out;
    restore_coordinates(model_, data_);
    if (!passed(numbers_given(model_, state), "the state", out)) return out;
    if (!close(state, out) || !find_velocity(state, out)) return out;
    if (first_massless_branch(model_) >= 0) {
        find_kinematics(state, out);
        return out;
    }
    if (!find_wrenches(state, out) || !find_joint_forces(out)) return out;
    if (!(options_.method ? by_baseline(state, out) : by_clusters(state, out))) return out;
    if (!find_constraint_forces(state, out) || !find_frames(state, out) || !find_derivatives(state, out))
        return out;
    if (!passed(mechanical_state(model_, data_, out.q, yd_), "energy", out)) return out;
    out.kinetic = data_.mechanics.kinetic;
    out.potential = data_.mechanics.potential + 0.0;  // no -0
    out.complete = true;
    return out;
}

}  // namespace grbda::tool
