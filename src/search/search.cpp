#include "search/search.hpp"

#include <stdexcept>
#include <string>

#include "closed_search.hpp"
#include "kernels/constraint/embedding.hpp"

namespace grbda {
namespace {

/// Returns the largest number of rows: limits on both sides, and all joints fixed.
int most_rows(const Model& model) { return 2 * model.body_count() + model.nv_tree; }

}  // namespace

const char* to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::converged: return "converged";
        case Outcome::nearest: return "nearest";
        case Outcome::blocked: return "blocked";
        case Outcome::infeasible: return "infeasible";
        case Outcome::unfinished: return "unfinished";
        case Outcome::open: return "open";
        case Outcome::invalid: return "invalid";
    }
    return "";
}

template <class S>
Search<S>::Internal::Internal(const Model& model)
    : bodies(model.bodies.size()),
      layout(model.layout),
      here(model, most_rows(model)),
      there(model, most_rows(model)),
      chart(model) {
    H.setZero(model.nv, model.nv);
    for (VectorX<S>* x : {&descent, &still}) x->setZero(model.nv);
    for (VectorX<S>* x : {&weights, &difference}) x->setZero(model.nv_tree);
    for (VectorX<S>* x : {&q, &start, &trial, &given, &blocked}) x->setZero(model.nq);
    limited.reserve(bodies);
    fixed.reserve(bodies);
    counts.resize(bodies);
    J.setZero(6, model.nv);
    for (MatrixX<S>* x : {&moving, &weighed}) x->setZero(model.nv_tree, model.nv);
    int rows = 0;
    for (const Cluster& c : model.clusters) rows = std::max(rows, c.rows);
    multipliers.setZero(rows, rows);
    right.setZero(rows);
    step.setZero(model.nv_tree);
}

template <class S>
Search<S>::Search(const Model& model)
    : moved(VectorX<S>::Zero(model.nv_tree)), internal(std::make_unique<Internal>(model)) {
    require_whole(model);
}
template <class S>
Search<S>::~Search() = default;
template <class S>
Search<S>::Search(Search&&) noexcept = default;
template <class S>
Search<S>& Search<S>::operator=(Search&&) noexcept = default;

namespace search {

void require_options(const Model& model, const SearchOptions& options) {
    if (!options.held_at.empty())
        require_size("held_at", static_cast<long>(options.held_at.size()), model.nq);
    if (!options.from.empty()) require_size("from", static_cast<long>(options.from.size()), model.nq);
    for (auto fixed = options.held.begin(); fixed != options.held.end(); ++fixed) {
        require_body(model, *fixed);
        if (std::find(options.held.begin(), fixed, *fixed) != fixed)
            throw std::invalid_argument("SearchOptions::held names body " + std::to_string(*fixed) +
                                        " twice");
    }
}

template <class S>
void read_embedding(const Model& model, const Workspace<S>& data, MatrixX<S>& G) {
    G.setZero();
    for (const Cluster& c : model.clusters)
        for (int i = 0; i < c.dofs; ++i)
            for (int j = 0; j < c.m; ++j)
                G(model.v_index[c.dof_begin + i], model.y_index[c.y_begin + j]) =
                    kernels::embedding_entry(model, data, c, i, j);
}

template <class S>
void joint_displacements(const Model& model, const S* q0, const S* q, VectorX<S>& d) {
    for (const Body& body : model.bodies) {
        const S *from = q0 + body.q, *to = q + body.q;
        S* displacement = d.data() + body.v;
        if (body.joint != JointType::floating) {
            kernels::joint_difference(body.joint, from, to, displacement);
            continue;
        }
        const Vector3<S> shift =
            transpose_times(kernels::rotation_of_quaternion(from + 3),
                            Vector3<S>{to[0] - from[0], to[1] - from[1], to[2] - from[2]});
        const Vector3<S> turn = kernels::quaternion_difference(from + 3, to + 3);
        const S parts[6] = {shift.x, shift.y, shift.z, turn.x, turn.y, turn.z};
        std::copy_n(parts, 6, displacement);
    }
}

template <class S>
void add_products(const MatrixX<S>& G, const VectorX<S>& w, MatrixX<S>& A) {
    for (Eigen::Index v = 0; v < G.rows(); ++v)
        for (Eigen::Index i = 0; i < G.cols(); ++i) {
            const S factor = w[v] * w[v] * G(v, i);
            if (factor == S(0)) continue;
            for (Eigen::Index j = 0; j <= i; ++j) A(i, j) += factor * G(v, j);
        }
}

#define GRBDA_INSTANTIATE(S)                                                             \
    template void read_embedding<S>(const Model&, const Workspace<S>&, MatrixX<S>&);     \
    template void joint_displacements<S>(const Model&, const S*, const S*, VectorX<S>&); \
    template void add_products<S>(const MatrixX<S>&, const VectorX<S>&, MatrixX<S>&);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

}  // namespace search

template class Search<double>;

}  // namespace grbda
