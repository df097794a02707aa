#include "constraints/embedding.hpp"

#include "kernels/constraint/motion.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
int y_of(const Model& model, const Cluster& c, int column) {
    return model.y_index[c.y_begin + column];
}

template <class S>
Result embed(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    kernels::positions<S>(model, data, q.data());
    kernels::velocities<S>(model, data, q.data(), yd.data());
    if (!kernels::usable(model, q.data(), yd.data())) return {Status::not_finite};
    return kernels::constraint_outcome(model, data);
}

template <class S>
void require_embedded(const Model& model, const Workspace<S>& data) {
    require_workspace(model, data);
    require_embedding(data.embedding);
}

/// x [dofs in pass order] → out [user's order]
template <class S>
void to_user_order(const Model& model, const std::vector<S>& x, VectorX<S>& out) {
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof) out[model.v_index[dof]] = x[dof];
}

}  // namespace

template <class S>
Result constraint_embedding(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    const Result result = embed<S>(model, data, q, yd);
    // rows of couplings-only clusters too, which the passes never need
    for (const Cluster& c : model.clusters) {
        if (c.embedding != Embedding::constant) continue;
        kernels::constraint_rows<S>(model, data, c, {}, q.data());
        for (int r = c.row_begin; r < c.row_begin + c.rows; ++r) data.k[r] = S(0);
    }
    data.embedding = result.ok();
    return result;
}

template <class S>
MatrixX<S> explicit_jacobian(const Model& model, const Workspace<S>& data) {
    require_embedded(model, data);
    MatrixX<S> G = MatrixX<S>::Zero(model.nv_tree, model.nv);
    for (const Cluster& c : model.clusters)
        for (int i = 0; i < c.dofs; ++i)
            for (int j = 0; j < c.m; ++j) {
                const S entry = kernels::embedding_entry(model, data, c, i, j);
                G(model.v_index[c.dof_begin + i], y_of<S>(model, c, j)) = entry;
            }
    return G;
}

template <class S>
VectorX<S> explicit_bias(const Model& model, const Workspace<S>& data) {
    require_embedded(model, data);
    VectorX<S> g(model.nv_tree);
    for (const Cluster& c : model.clusters)
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
            g[model.v_index[dof]] = kernels::bias_of(data, c, dof);
    return g;
}

template <class S>
MatrixX<S> implicit_jacobian(const Model& model, const Workspace<S>& data) {
    require_embedded(model, data);
    MatrixX<S> K = MatrixX<S>::Zero(model.rows, model.nv_tree);
    for (const Cluster& c : model.clusters)
        for (int r = 0; r < c.rows; ++r)
            for (int j = 0; j < c.dofs; ++j)
                K(c.row_begin + r, model.v_index[c.dof_begin + j]) = data.K[c.K_begin + r * c.dofs + j];
    return K;
}

template <class S>
VectorX<S> implicit_bias(const Model& model, const Workspace<S>& data) {
    require_embedded(model, data);
    VectorX<S> k(model.rows);
    for (int r = 0; r < model.rows; ++r) k[r] = data.k[r];
    return k;
}

template <class S>
Result spanning_velocity(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("data.qd", data.qd.size(), model.nv_tree);
    kernels::positions<S>(model, data, q.data());
    for (const Cluster& c : model.clusters) kernels::cluster_rates<S>(model, data, c, yd.data());
    to_user_order(model, data.rate, data.qd);
    if (!kernels::usable(model, q.data(), yd.data()))
        return kernels::delivered<S>({Status::not_finite}, data.qd);
    return kernels::delivered<S>(kernels::constraint_outcome(model, data), data.qd);
}

template <class S>
Result spanning_acceleration(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                             ConstVector<S> ydd) {
    require_size("ydd", ydd.size(), model.nv);
    require_size("data.qd", data.qd.size(), model.nv_tree);
    require_size("data.qdd", data.qdd.size(), model.nv_tree);
    Result result = embed<S>(model, data, q, yd);
    if (!kernels::usable(model, q.data(), yd.data(), ydd.data())) result = {Status::not_finite};
    to_user_order(model, data.rate, data.qd);
    for (const Cluster& c : model.clusters)
        for (int i = 0; i < c.dofs; ++i) {
            const auto dof = static_cast<std::size_t>(c.dof_begin + i);
            S acceleration = kernels::bias_of(data, c, c.dof_begin + i);
            for (int j = 0; j < c.m; ++j)
                acceleration +=
                    (c.embedding == Embedding::none ? S(i == j ? 1 : 0) : data.G[c.G_begin + i * c.m + j]) *
                    ydd[y_of<S>(model, c, j)];
            data.qdd[model.v_index[dof]] = acceleration;
        }
    result = kernels::delivered<S>(result, data.qd);
    result = kernels::delivered<S>(result, data.qdd);
    return kernels::delivered<S>(result, data.qd);
}

Eigen::VectorXd independent_part(const Model& model, ConstVectorRef x) {
    require_size("x", x.size(), model.nv_tree);
    Eigen::VectorXd y(model.nv);
    for (std::size_t i = 0; i < model.independent.size(); ++i)
        y[model.y_index[i]] = x[model.v_index[model.independent[i]]];
    return y;
}

#define GRBDA_INSTANTIATE(S)                                                                              \
    template Result constraint_embedding<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>); \
    template MatrixX<S> explicit_jacobian<S>(const Model&, const Workspace<S>&);                          \
    template VectorX<S> explicit_bias<S>(const Model&, const Workspace<S>&);                              \
    template MatrixX<S> implicit_jacobian<S>(const Model&, const Workspace<S>&);                          \
    template VectorX<S> implicit_bias<S>(const Model&, const Workspace<S>&);                              \
    template Result spanning_velocity<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>);    \
    template Result spanning_acceleration<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                             ConstVector<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result constraint_embedding(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    Workspace<double>& work = data.workspaces().general;
    const Result result = constraint_embedding<double>(model, work, q, yd);
    if (result.ok()) {
        data.G = explicit_jacobian<double>(model, work);
        data.g = explicit_bias<double>(model, work);
        data.K = implicit_jacobian<double>(model, work);
        data.k = implicit_bias<double>(model, work);
        return result;
    }
    kernels::clear<double>(sized(data.G, model.nv_tree, model.nv));
    kernels::clear<double>(sized(data.g, model.nv_tree, 1));
    kernels::clear<double>(sized(data.K, model.rows, model.nv_tree));
    kernels::clear<double>(sized(data.k, model.rows, 1));
    return result;
}

Result spanning_velocity(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    Workspace<double>& work = data.workspaces().general;
    const Result result = spanning_velocity<double>(model, work, q, yd);
    copy_result(work.qd, data.qd);
    return result;
}

Result spanning_acceleration(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                             ConstVectorRef ydd) {
    Workspace<double>& work = data.workspaces().general;
    const Result result = spanning_acceleration<double>(model, work, q, yd, ydd);
    copy_result(work.qd, data.qd);
    copy_result(work.qdd, data.qdd);
    return result;
}

}  // namespace grbda
