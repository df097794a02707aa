#include "evaluate.hpp"

#include <cmath>

#include "describe.hpp"
#include "grbda/algorithms/aba.hpp"
#include "grbda/algorithms/closure.hpp"
#include "grbda/algorithms/crba.hpp"
#include "grbda/algorithms/embedding.hpp"
#include "grbda/algorithms/energy.hpp"
#include "grbda/algorithms/rnea.hpp"

namespace grbda::tool {
namespace {

/// Given spanning velocities that miss K q̇ = 0 by more, relative to the terms of the worst row, contradict
/// the loops. Wide enough for velocities printed with seven digits.
constexpr double velocity_tolerance = 1e-6;

/// max |K q̇| over the largest sum of its terms, rows made comparable by their scales.
double relative_velocity_residual(const Model& model, const MatrixX<double>& K, const VectorX<double>& qd) {
    double worst = 0, terms = 0;
    for (Eigen::Index r = 0; r < K.rows(); ++r) {
        const double scale = model.row_scale[static_cast<std::size_t>(r)];
        const double row = std::abs(K.row(r).dot(qd)) * scale;
        if (!(row <= worst)) worst = row;
        terms = std::max(terms, K.row(r).cwiseAbs().dot(qd.cwiseAbs()) * scale);
    }
    return worst == 0 ? 0 : worst / terms;
}

std::string cluster_joints(const Model& model, int cluster) {
    if (cluster < 0 || cluster >= model.cluster_count()) return "the robot";
    const Cluster& c = model.clusters[at(cluster)];
    constexpr int most = 8;
    std::string text = "the cluster of joints ";
    for (int i = c.body_begin; i < std::min(c.body_end, c.body_begin + most); ++i)
        text += (i == c.body_begin ? "'" : ", '") + model.names.joints[at(i)] + "'";
    return c.body_end > c.body_begin + most ? text + ", …" : text;
}

const char* meaning(Status status) {
    switch (status) {
        case Status::not_converged: return "the iteration does not converge";
        case Status::singular_constraint: return "the constraints are singular here";
        case Status::singular_inertia: return "a motion without inertia";
        default: return "not defined here";
    }
}

}  // namespace

Evaluator::Evaluator(const Model& model, std::optional<baselines::Method> method)
    : model_(model), method_(method), data_(model) {
    if (method_) work_.emplace(model);
}

bool Evaluator::passed(const Result& result, const char* step, Evaluation& out) const {
    if (result.ok()) return true;
    out.status = to_string(result.status);
    out.message =
        std::string(step) + ": " + meaning(result.status) + ", in " + cluster_joints(model_, result.cluster);
    return false;
}

bool Evaluator::close(const StateInput& state, Evaluation& out) {
    out.q = state.q;
    Result result = closure_residual<double>(model_, data_, out.q);
    if (!state.complete || !result.ok()) {
        const Result solved = close_loops<double>(model_, data_, out.q);
        result = closure_residual<double>(model_, data_, out.q);
        if (!solved.ok())
            result = {solved.status, solved.cluster, std::max(solved.residual, result.residual), 0};
    }
    out.closure_residual = result.residual;
    return passed(result, "closing the loops", out);
}

bool Evaluator::find_velocity(const StateInput& state, Evaluation& out) {
    yd_ = state.yd;
    if (state.has_qd) yd_ = independent_part<double>(model_, state.qd);
    if (!passed(constraint_embedding<double>(model_, data_, out.q, yd_), "constraint embedding", out))
        return false;
    G_ = explicit_jacobian(model_, data_);
    if (!state.has_qd) return true;
    VectorX<double> qd = G_ * yd_;
    for (Eigen::Index i = 0; i < qd.size(); ++i)
        if (state.qd_given[static_cast<std::size_t>(i)] != 0) qd[i] = state.qd[i];
    out.velocity_residual = relative_velocity_residual(model_, implicit_jacobian(model_, data_), qd);
    if (*out.velocity_residual <= velocity_tolerance) return true;
    out.status = "inconsistent_velocity";
    out.message = "qd breaks the loops: K qd is not zero";
    return false;
}

bool Evaluator::by_clusters(const StateInput& state, Evaluation& out) {
    const VectorX<double> tau = G_.transpose() * state.tau;
    out.M.setZero(model_.nv, model_.nv);
    if (!passed(crba<double>(model_, data_, out.q, out.M), "mass matrix", out)) return false;
    if (!passed(bias_force<double>(model_, data_, out.q, yd_, state.wrenches), "bias force", out))
        return false;
    out.bias = data_.tau;
    if (!passed(rnea<double>(model_, data_, out.q, yd_, state.ydd, state.wrenches), "inverse dynamics", out))
        return false;
    out.tau = data_.tau;
    if (!passed(aba<double>(model_, data_, out.q, yd_, tau, state.wrenches), "forward dynamics", out))
        return false;
    out.ydd = data_.ydd;
    if (!passed(spanning_acceleration<double>(model_, data_, out.q, yd_, out.ydd), "spanning acceleration",
                out))
        return false;
    out.qd = data_.qd;
    out.qdd = data_.qdd;
    return true;
}

bool Evaluator::by_baseline(const StateInput& state, Evaluation& out) {
    baselines::Workspace& work = *work_;
    if (!passed(baselines::inverse_dynamics(model_, work, out.q, yd_, state.ydd, state.wrenches),
                "inverse dynamics", out))
        return false;
    out.M = work.M;
    out.bias = work.bias;
    out.tau = work.tau;
    out.qd = work.qd;
    const VectorX<double> tau = work.G.transpose() * state.tau;
    if (!passed(baselines::forward_dynamics(*method_, model_, work, out.q, yd_, tau, state.wrenches),
                "forward dynamics", out))
        return false;
    out.ydd = work.ydd;
    out.qdd = work.qdd;
    return true;
}

Evaluation Evaluator::evaluate(const StateInput& state) {
    Evaluation out;
    if (!close(state, out) || !find_velocity(state, out)) return out;
    if (!(method_ ? by_baseline(state, out) : by_clusters(state, out))) return out;
    MechanicalState<double> mechanical;
    if (!passed(mechanical_state<double>(model_, data_, out.q, yd_, mechanical), "energy", out)) return out;
    out.kinetic = mechanical.kinetic;
    out.potential = mechanical.potential + 0.0;  // no -0
    const bool finite = out.M.allFinite() && out.bias.allFinite() && out.tau.allFinite() &&
                        out.ydd.allFinite() && out.qd.allFinite() && out.qdd.allFinite() &&
                        std::isfinite(out.kinetic) && std::isfinite(out.potential);
    if (!finite) {
        out.status = "not_finite";
        out.message = "numbers too large for double precision";
    }
    return out;
}

}  // namespace grbda::tool
