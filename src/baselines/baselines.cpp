#include "grbda/baselines/dense.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "grbda/scalar.hpp"
#include "loop_rows.hpp"
#include "rods.hpp"
#include "workspace.hpp"
#include "model/arguments.hpp"

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

/// True if the numbers are in the range that the engine accepts.
bool within_range(const Model& model, Vector q, Vector yd, Vector force, Wrenches wrenches) {
    const double squares = q.squaredNorm() + yd.squaredNorm() + force.squaredNorm() + wrenches.squaredNorm() +
                           to_eigen(model.gravity).squaredNorm();
    return squares < largest_given * largest_given;
}

/// τ of y as a force on the spanning joints: rows of G for independents are unit rows.
void spread(const Workspace::Internal& in, Vector tau, Eigen::VectorXd& force) {
    for (const ClusterEmbedding& embedding : in.embeddings)
        for (std::size_t j = 0; j < embedding.independent.size(); ++j)
            force[embedding.independent[j]] += tau[embedding.y[j]];
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

void clear_state(Workspace& work) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    work.qd.setConstant(nan);
    work.C.setConstant(nan);
    work.k.setConstant(nan);
    work.G.setConstant(nan);
    work.g.setConstant(nan);
    clear_mass(work);
}

Result take(const Model& model, Workspace& work, Vector q, Vector yd, const char* force_name, Vector force,
            Wrenches wrenches) {
    require_workspace(model, work);
    require_size("q", model.nq, q.size());
    require_size("yd", model.nv, yd.size());
    require_size(force_name, model.nv, force.size());
    require_wrenches(model, wrenches);
    clear_outputs(work);
    if (!within_range(model, q, yd, force, wrenches)) {
        clear_state(work);
        return {Status::not_finite};
    }
    work.internal->q = q;
    return {};
}

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

void set_force(Workspace& work, Vector tau) {
    work.internal->force = -work.C;
    spread(*work.internal, tau, work.internal->force);
}

void gather(Workspace& work) {
    for (const ClusterEmbedding& embedding : work.internal->embeddings)
        for (std::size_t j = 0; j < embedding.independent.size(); ++j)
            work.ydd[embedding.y[j]] = work.qdd[embedding.independent[j]];
}

Result finish(Result result, Workspace& work) {
    if (result.ok() && !work.qdd.allFinite()) result = {Status::not_finite};
    if (result) return result;
    clear_outputs(work);
    clear_mass(work);
    return result;
}

Workspace::Internal::Internal(const Model& model)
    : layout(model.layout),
      tree(model),
      embeddings(make_embeddings(model)),
      row_factor(model.nv_tree, model.rows),
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

Result dense_kkt(const Model& model, Workspace& work, Vector q, Vector yd, Vector tau, Wrenches wrenches) {
    Result result = take(model, work, q, yd, "tau", tau, wrenches);
    if (!result) return result;
    result = evaluate(model, work, yd, wrenches);
    if (result) {
        set_force(work, tau);
        result = solve_dense_kkt(model, work);
    }
    if (result) gather(work);
    return finish(result, work);
}

Result inverse_dynamics(const Model& model, Workspace& work, Vector q, Vector yd, Vector ydd,
                        Wrenches wrenches) {
    Result result = take(model, work, q, yd, "ydd", ydd, wrenches);
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
