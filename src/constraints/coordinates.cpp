#include "constraints/coordinates.hpp"

#include <limits>

#include "kernels/constraint/coordinates.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

/// Calls take(cluster) for those with a choice, placed at q; where one is false, it is singular.
template <class S, class Take>
Result for_each_choice(const Model& model, Workspace<S>& data, ConstVector<S> q, const Take& take) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    if (!kernels::usable(model, q.data())) return {Status::not_finite};
    kernels::positions<S>(model, data, q.data());
    data.chart.make_room(model);  // it may come from elsewhere
    Result result;
    for (const Cluster& c : model.clusters)
        if (c.has_choice() && !take(c) && result.ok()) result = {Status::singular_constraint, c.index};
    return result.ok() ? kernels::constraint_outcome(model, data) : result;
}

double unmarked(const Model& model, int dof) {
    return has_quaternion(model.bodies[model.dof_body[dof]].joint) ? kernels::weight::quaternion
                                                                   : kernels::weight::plain;
}

double marked(const Model& model, int dof) {
    switch (model.marks[model.dof_body[dof]]) {
        case Mark::independent: return kernels::weight::first;
        case Mark::dependent: return kernels::weight::never;
        case Mark::none: break;
    }
    return unmarked(model, dof);
}

}  // namespace

template <class S>
Result choose_coordinates(const Model& model, Workspace<S>& data, ConstVector<S> q, Marks marks) {
    constexpr double enough = 0.8;
    return for_each_choice<S>(model, data, q, [&](const Cluster& c) {
        const auto weight = [&](int dof) {
            return marks == Marks::kept ? marked(model, dof) : unmarked(model, dof);
        };
        return kernels::choose_independents(model, data, c, weight, enough);
    });
}

template <class S>
Result prefer_coordinates(const Model& model, Workspace<S>& data, ConstVector<S> q,
                          std::span<const int> wanted) {
    for (const int v : wanted) require_velocity(model, v);
    constexpr double always = std::numeric_limits<double>::infinity();
    return for_each_choice<S>(model, data, q, [&](const Cluster& c) {
        const auto weight = [&](int dof) {
            const auto left = wanted.end() - std::find(wanted.begin(), wanted.end(), model.v_index[dof]);
            return left > 0 ? kernels::weight::first + 2 * static_cast<double>(left) : unmarked(model, dof);
        };
        return kernels::choose_independents(model, data, c, weight, always);
    });
}

template <class S>
Result take_tangents(const Model& model, Workspace<S>& data, ConstVector<S> q) {
    return for_each_choice<S>(model, data, q,
                              [&](const Cluster& c) { return kernels::use_tangent(model, data, c); });
}

template <class S>
void restore_coordinates(const Model& model, Workspace<S>& data) {
    require_workspace(model, data);
    Chart& chart = data.chart;
    for (const Cluster& c : model.clusters) {
        if (!c.has_choice()) continue;
        const int* own = model.independent.data() + c.y_begin;
        if (chart.tangent[c.index] || !std::equal(own, own + c.m, chart.independent.data() + c.y_begin))
            ++chart.version[c.index];
        kernels::put_independents(model, c, own, chart, data.chosen.data());
        std::copy_n(model.inertia_floor.data() + c.y_begin, c.m, chart.inertia_floor.data() + c.y_begin);
    }
}

void combine_coordinates(const Model& model, VectorRef q) {
    require_whole(model);
    require_size("q", q.size(), model.nq);
    for (const int l : model.combined) {
        const Coupling& coupling = model.couplings[l];
        double position = coupling.offset;
        for (int t = coupling.terms.first + 1; t < coupling.terms.last; ++t) {
            const CouplingTerm& term = model.coupling_terms[t];
            position += term.coefficient * q[term.q];
        }
        q[model.coupling_terms[coupling.terms.first].q] = position;
    }
}

std::vector<Coordinate> independent_coordinates(const Model& model, const Chart& chart) {
    require_chart(model, chart);
    std::vector<Coordinate> out(static_cast<std::size_t>(model.nv));
    for (const Cluster& c : model.clusters)
        for (int i = c.y_begin; i < c.y_begin + c.m; ++i) {
            const int dof = chart.independent[i], body = model.dof_body[dof];
            Coordinate& coordinate = out[static_cast<std::size_t>(model.y_index[i])];
            if (chart.tangent[c.index])
                coordinate = {-1, i - c.y_begin};
            else
                coordinate = {body, dof - model.bodies[body].dof};
        }
    return out;
}

template <class S>
void independent_part(const Model& model, const Workspace<S>& data, ConstVector<S> x, VectorOut<S> y) {
    require_workspace(model, data);
    require_size("x", x.size(), model.nv_tree);
    require_size("y", y.size(), model.nv);
    const auto entry = [&](int dof) { return x[model.v_index[dof]]; };
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j)
            y[model.y_index[c.y_begin + j]] = kernels::independent_motion<S>(model, data, c, entry, j);
}

template <class S>
Result independent_force(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> tau_s,
                         VectorOut<S> tau) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("tau_s", tau_s.size(), model.nv_tree);
    require_size("tau", tau.size(), model.nv);
    kernels::positions<S>(model, data, q.data());
    kernels::project_forces(
        model, data, [&](int dof) { return tau_s[model.v_index[dof]]; }, tau.data());
    if (!kernels::usable(model, q.data())) return kernels::delivered<S>({Status::not_finite}, tau);
    return kernels::delivered<S>(kernels::constraint_outcome(model, data), tau);
}

template <class S>
void spanning_force(const Model& model, const Workspace<S>& data, ConstVector<S> tau, VectorOut<S> tau_s) {
    require_workspace(model, data);
    require_size("tau", tau.size(), model.nv);
    require_size("tau_s", tau_s.size(), model.nv_tree);
    tau_s.setZero();
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j)
            kernels::add_independent_force<S>(model, data, c, j, tau[model.y_index[c.y_begin + j]],
                                              [&](int dof) -> S& { return tau_s[model.v_index[dof]]; });
}

template <class S>
Result coordinate_change(const Model& model, const Workspace<S>& from, Workspace<S>& to, ConstVector<S> q,
                         MatrixOut<S> T) {
    require_workspace(model, from);
    require_workspace(model, to);
    require_size("q", q.size(), model.nq);
    require_size("rows of T", T.rows(), model.nv);
    require_size("columns of T", T.cols(), model.nv);
    kernels::positions<S>(model, to, q.data());
    T.setZero();
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            const auto entry = [&](int dof) {
                return kernels::embedding_entry(model, to, c, dof - c.dof_begin, j);
            };
            for (int i = 0; i < c.m; ++i)
                T(model.y_index[c.y_begin + i], model.y_index[c.y_begin + j]) =
                    kernels::independent_motion<S>(model, from, c, entry, i);
        }
    if (!kernels::usable(model, q.data())) return kernels::delivered_matrix<S>({Status::not_finite}, T);
    return kernels::delivered_matrix<S>(kernels::constraint_outcome(model, to), T);
}

#define GRBDA_INSTANTIATE(S)                                                                               \
    template Result choose_coordinates<S>(const Model&, Workspace<S>&, ConstVector<S>, Marks);             \
    template Result prefer_coordinates<S>(const Model&, Workspace<S>&, ConstVector<S>,                     \
                                          std::span<const int>);                                           \
    template Result take_tangents<S>(const Model&, Workspace<S>&, ConstVector<S>);                         \
    template void restore_coordinates<S>(const Model&, Workspace<S>&);                                     \
    template void independent_part<S>(const Model&, const Workspace<S>&, ConstVector<S>, VectorOut<S>);    \
    template Result independent_force<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,      \
                                         VectorOut<S>);                                                    \
    template void spanning_force<S>(const Model&, const Workspace<S>&, ConstVector<S>, VectorOut<S>);      \
    template Result coordinate_change<S>(const Model&, const Workspace<S>&, Workspace<S>&, ConstVector<S>, \
                                         MatrixOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

namespace {

Result with_chart(Result result, Workspaces& work) {
    work.share_chart();
    return result;
}

}  // namespace

Result choose_coordinates(const Model& model, Data& data, ConstVectorRef q, Marks marks) {
    Workspaces& work = data.workspaces();
    return with_chart(choose_coordinates<double>(model, work.general, q, marks), work);
}
Result prefer_coordinates(const Model& model, Data& data, ConstVectorRef q, std::span<const int> wanted) {
    Workspaces& work = data.workspaces();
    return with_chart(prefer_coordinates<double>(model, work.general, q, wanted), work);
}
Result take_tangents(const Model& model, Data& data, ConstVectorRef q) {
    Workspaces& work = data.workspaces();
    return with_chart(take_tangents<double>(model, work.general, q), work);
}
void restore_coordinates(const Model& model, Data& data) {
    restore_coordinates<double>(model, data.workspaces().general);
    data.workspaces().share_chart();
}

void independent_part(const Model& model, const Data& data, ConstVectorRef x, VectorRef y) {
    independent_part<double>(model, data.workspaces().general, x, y);
}
Result independent_force(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef tau_s,
                         VectorRef tau) {
    return independent_force<double>(model, data.workspaces().general, q, tau_s, tau);
}
void spanning_force(const Model& model, const Data& data, ConstVectorRef tau, VectorRef tau_s) {
    spanning_force<double>(model, data.workspaces().general, tau, tau_s);
}
Result coordinate_change(const Model& model, const Data& from, Data& to, ConstVectorRef q, MatrixRef T) {
    return coordinate_change<double>(model, from.workspaces().general, to.workspaces().general, q, T);
}

}  // namespace grbda
