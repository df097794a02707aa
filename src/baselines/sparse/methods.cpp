#include "grbda/baselines/baselines.hpp"

#include <stdexcept>

#include "baselines/sparse/constrained_aba.hpp"
#include "baselines/sparse/range_space.hpp"
#include "baselines/workspace.hpp"

namespace grbda::baselines {

/// Workspaces of the methods that use the branches of the tree.
struct SparseMethods {
    explicit SparseMethods(const Model& model)
        : state(model), range_space(model, state), constrained_aba(model, state) {}
    SparseState state;
    RangeSpace range_space;
    ConstrainedAba constrained_aba;
};

namespace {

bool is_known(Method method) {
    switch (method) {
        case Method::dense_kkt:
        case Method::range_space:
        case Method::constrained_aba:
        case Method::projection:
        case Method::proximal: return true;
    }
    return false;
}

/// By methods that use the branches of the tree; rods fill H outside of these.
Result solve_sparse(Method method, const Model& model, Workspace& work, Vector yd, Vector tau,
                    Wrenches wrenches) {
    if (!model.rods.empty()) return {Status::undefined};
    if (!work.internal->sparse) work.internal->sparse = std::make_shared<SparseMethods>(model);
    SparseMethods& sparse = *work.internal->sparse;
    Result result = evaluate(model, work.internal->q, yd, tau, wrenches, sparse.state);
    if (!result) {
        clear_state(work);
        return result;
    }
    result = method == Method::range_space
                 ? solve_range_space(model, sparse.state, sparse.range_space)
                 : solve_constrained_aba(model, sparse.state, sparse.constrained_aba);
    if (result) deliver(sparse.state, work);
    return result;
}

/// By methods that read dense matrices of the spanning tree.
Result solve_dense(Method method, const Model& model, Workspace& work, Vector yd, Vector tau,
                   Wrenches wrenches) {
    Result result = evaluate(model, work, yd, wrenches);
    if (!result) return result;
    set_force(work, tau);
    switch (method) {
        case Method::dense_kkt: result = solve_dense_kkt(model, work); break;
        case Method::projection: result = solve_projection(model, work); break;
        case Method::proximal: result = solve_proximal(model, work); break;
        case Method::range_space:
        case Method::constrained_aba: break;
    }
    if (result) gather(work);
    return result;
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

Result forward_dynamics(Method method, const Model& model, Workspace& work, Vector q, Vector yd, Vector tau,
                        Wrenches wrenches) {
    if (!is_known(method)) throw std::invalid_argument("baselines: unknown method");
    Result result = take(model, work, q, yd, "tau", tau, wrenches);
    if (!result) return result;
    result = allows_rods(method) ? solve_dense(method, model, work, yd, tau, wrenches)
                                 : solve_sparse(method, model, work, yd, tau, wrenches);
    return finish(result, work);
}

}  // namespace grbda::baselines
