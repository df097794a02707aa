#include "grbda/baselines/baselines.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "grbda/scalar.hpp"
#include "loop_rows.hpp"
#include "rods.hpp"
#include "workspace.hpp"

namespace grbda::baselines {
namespace {

void require_size(const char* name, Eigen::Index expected, Eigen::Index found) {
    if (expected != found)
        throw std::invalid_argument(std::string("baselines: ") + name + " has size " + std::to_string(found) +
                                    ", expected " + std::to_string(expected));
}

/// Requires a workspace made for this model, with results of unchanged sizes.
void require_workspace(const Model& model, const Workspace& work) {
    require_whole(model);
    if (!work.internal) throw std::invalid_argument("baselines: the workspace was moved from");
    if (work.internal->layout != model.layout)
        throw std::invalid_argument("baselines: the workspace was made for another model");
    for (const Eigen::VectorXd* x : {&work.ydd, &work.tau, &work.bias})
        require_size("a result in the workspace", model.nv, x->size());
    for (const Eigen::VectorXd* x : {&work.qdd, &work.qd, &work.C, &work.g})
        require_size("a result in the workspace", model.nv_tree, x->size());
    require_size("K of the workspace", model.rows, work.K.rows());
    require_size("k of the workspace", model.rows, work.k.size());
    require_size("H of the workspace", model.nv_tree, work.H.rows());
    require_size("G of the workspace", model.nv_tree, work.G.rows());
    require_size("M of the workspace", model.nv, work.M.rows());
}

void require_wrenches(const Model& model, Wrenches wrenches) {
    if (wrenches.cols() != 0) require_size("wrenches", model.body_count(), wrenches.cols());
}

/// Clears the outputs, for calls without a result and at the start of a call.
void clear_outputs(Workspace& work) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    work.ydd.setConstant(nan);
    work.qdd.setConstant(nan);
    work.tau.setConstant(nan);
    work.bias.setConstant(nan);
}

void clear_mass(Workspace& work) { work.M.setConstant(std::numeric_limits<double>::quiet_NaN()); }

void clear_state(Workspace& work) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    work.qd.setConstant(nan);
    work.C.setConstant(nan);
    work.k.setConstant(nan);
    work.G.setConstant(nan);
    work.g.setConstant(nan);
    clear_mass(work);
}

/// True if the numbers are in the range that the engine accepts.
bool within_range(const Model& model, Vector q, Vector yd, Vector force, Wrenches wrenches) {
    const double squares = q.squaredNorm() + yd.squaredNorm() + force.squaredNorm() + wrenches.squaredNorm() +
                           to_eigen(model.gravity).squaredNorm();
    return squares < largest_given<double>() * largest_given<double>();
}

/// Stores q if all numbers are valid; `force`: τ or ÿ, which is only checked.
Result take(const Model& model, Workspace& work, Vector q, Vector yd, Vector force, Wrenches wrenches) {
    clear_outputs(work);
    if (!within_range(model, q, yd, force, wrenches)) {
        clear_state(work);
        return {Status::not_finite};
    }
    work.internal->q = q;
    return {};
}

/// Computes H, C, K, k, G, g and q̇ of the state.
Result evaluate(const Model& model, Workspace& work, Vector yd, Wrenches wrenches) {
    Workspace::Internal& in = *work.internal;
    clear_mass(work);
    set_positions(model, in.q, in.tree);
    mass_matrix(model, in.tree, work.H);
    add_rod_masses(model, in.tree, work.H);
    constraint_jacobian(model, in.tree, in.q, work.K);
    const Result embedded = embed_velocities(model, work.K, in.embeddings, work.G);
    if (!embedded) {
        clear_state(work);
        return embedded;
    }
    work.qd.noalias() = work.G * yd;
    set_velocities(model, work.qd, in.tree);
    constraint_bias(model, in.tree, in.q, work.qd, work.k);
    embed_accelerations(model, work.k, in.embeddings, work.g);
    bias_force(model, wrenches, work.qd, in.tree, work.C);
    add_rod_forces(model, in.tree, work.C);
    return {};
}

/// τ of y as a force on the spanning joints: rows of G for independents are unit rows.
void spread(const Workspace::Internal& in, Vector tau, Eigen::VectorXd& force) {
    for (const ClusterEmbedding& embedding : in.embeddings)
        for (std::size_t j = 0; j < embedding.independent.size(); ++j)
            force[embedding.independent[j]] += tau[embedding.y[j]];
}

void gather(const Workspace::Internal& in, const Eigen::VectorXd& qdd, Eigen::VectorXd& ydd) {
    for (const ClusterEmbedding& embedding : in.embeddings)
        for (std::size_t j = 0; j < embedding.independent.size(); ++j)
            ydd[embedding.y[j]] = qdd[embedding.independent[j]];
}

Result solve_evaluated(Method method, const Model& model, Workspace& work) {
    switch (method) {
        case Method::dense_kkt: return solve_dense_kkt(model, work);
        case Method::range_space:
        case Method::constrained_aba: break;
        case Method::projection: return solve_projection(model, work);
        case Method::proximal: return solve_proximal(model, work);
    }
    throw std::invalid_argument("baselines: unknown method");
}

/// By methods that use the branches of the tree; rods fill H outside of these.
Result solve_sparse(Method method, const Model& model, Workspace& work, Vector yd, Vector tau,
                    Wrenches wrenches) {
    if (!model.rods.empty()) return {Status::undefined};
    Workspace::Internal& in = *work.internal;
    Result result = evaluate(model, in.q, yd, tau, wrenches, in.sparse);
    if (!result) {
        clear_state(work);
        return result;
    }
    result = method == Method::range_space ? solve_range_space(model, in.sparse, in.range_space)
                                           : solve_constrained_aba(model, in.sparse, in.constrained_aba);
    if (result) deliver(in.sparse, work);
    return result;
}

Result solve(Method method, const Model& model, Workspace& work, Vector yd, Vector tau, Wrenches wrenches) {
    if (!allows_rods(method)) return solve_sparse(method, model, work, yd, tau, wrenches);
    Result result = evaluate(model, work, yd, wrenches);
    if (!result) return result;
    Workspace::Internal& in = *work.internal;
    in.force = -work.C;
    spread(in, tau, in.force);
    result = solve_evaluated(method, model, work);
    if (result) gather(in, work.qdd, work.ydd);
    return result;
}

SaddlePoint saddle_point(Eigen::Index columns, Eigen::Index rows) {
    SaddlePoint system;
    system.column_scale.setOnes(columns);
    system.row_scale.setOnes(rows);
    system.right.setZero(columns + rows);
    system.solution.setZero(columns + rows);
    system.matrix.setZero(columns + rows, columns + rows);
    system.factor = Eigen::PartialPivLU<Eigen::MatrixXd>(columns + rows);
    return system;
}

}  // namespace

const char* to_string(Method method) {
    switch (method) {
        case Method::dense_kkt: return "dense_kkt";
        case Method::range_space: return "range_space";
        case Method::constrained_aba: return "constrained_aba";
        case Method::projection: return "projection";
        case Method::proximal: return "proximal";
    }
    return "unknown";
}

Workspace::Internal::Internal(const Model& model)
    : layout(model.layout),
      tree(model),
      embeddings(make_embeddings(model)),
      row_factor(model.nv_tree, model.rows),
      sparse(model),
      range_space(model, sparse),
      constrained_aba(model, sparse),
      projected_factor(model.nv) {
    rank = model.nv_tree - model.nv;
    q.setZero(model.nq);
    force.setZero(model.nv_tree);
    multipliers.setZero(model.rows);
    K.setZero(rank, model.nv_tree);
    k.setZero(rank);
    kkt = saddle_point(model.nv_tree, rank);
    regularized = saddle_point(model.nv_tree, model.rows);
    HG.setZero(model.nv_tree, model.nv);
}

Workspace::Workspace(const Model& model) {
    require_whole(model);
    internal = std::make_unique<Internal>(model);
    for (Eigen::VectorXd* vector : {&ydd, &tau, &bias}) vector->setZero(model.nv);
    for (Eigen::VectorXd* vector : {&qdd, &qd, &C, &g}) vector->setZero(model.nv_tree);
    H.setZero(model.nv_tree, model.nv_tree);
    K.setZero(model.rows, model.nv_tree);
    k.setZero(model.rows);
    G.setZero(model.nv_tree, model.nv);
    M.setZero(model.nv, model.nv);
}

Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

Result forward_dynamics(Method method, const Model& model, Workspace& work, Vector q, Vector yd, Vector tau,
                        Wrenches wrenches) {
    require_workspace(model, work);
    require_size("q", model.nq, q.size());
    require_size("yd", model.nv, yd.size());
    require_size("tau", model.nv, tau.size());
    require_wrenches(model, wrenches);
    Result result = take(model, work, q, yd, tau, wrenches);
    if (!result) return result;
    result = solve(method, model, work, yd, tau, wrenches);
    if (result.ok() && !work.qdd.allFinite()) result = {Status::not_finite};
    if (result) return result;
    clear_outputs(work);
    clear_mass(work);
    return result;
}

Result inverse_dynamics(const Model& model, Workspace& work, Vector q, Vector yd, Vector ydd,
                        Wrenches wrenches) {
    require_workspace(model, work);
    require_size("q", model.nq, q.size());
    require_size("yd", model.nv, yd.size());
    require_size("ydd", model.nv, ydd.size());
    require_wrenches(model, wrenches);
    Result result = take(model, work, q, yd, ydd, wrenches);
    if (result) result = evaluate(model, work, yd, wrenches);
    if (!result) return result;
    Workspace::Internal& in = *work.internal;
    in.HG.noalias() = work.H * work.G;
    work.M.noalias() = work.G.transpose() * in.HG;
    work.bias.noalias() = work.G.transpose() * work.C + in.HG.transpose() * work.g;
    work.ydd = ydd;
    work.qdd.noalias() = work.G * work.ydd + work.g;
    work.tau.noalias() = work.M * work.ydd + work.bias;
    const bool finite = work.tau.allFinite() && work.bias.allFinite() && work.qdd.allFinite();
    if (finite && work.M.allFinite()) return result;
    clear_outputs(work);
    clear_mass(work);
    return {Status::not_finite};
}

}  // namespace grbda::baselines
