#pragma once

#include <algorithm>
#include <cmath>

#include "continuation.hpp"
#include "grbda/export.hpp"

// Closes the loops of one cluster, from a guess or from the neutral configuration, and those of the whole
// robot.

namespace grbda::closing {

using namespace kernels;

/// Sets a zero displacement, and keeps the positions of independents with a position coordinate.
template <class S>
void stay(const Model& model, Workspace<S>& data, const Cluster& c, const S* q) {
    std::fill_n(data.displacement.begin() + c.dof_begin, c.dofs, S(0));
    copy_joints(model, c, q, data.goal.data());
}

/// Follows Newton's flow from the dependent coordinates of q. If it ends before the loops are closed, q is
/// the last point reached.
template <class S>
GRBDA_EXPORT Result close_from_guess(const Model& model, Workspace<S>& data, int cluster, S* q) {
    stay(model, data, model.clusters[cluster], q);
    return Path<S>(model, data, cluster, q).follow();
}

/// Returns whether whole turns of a coordinate change no body: it is a joint's angle that no coupling reads,
/// and not a screw that closes a loop of its cluster.
inline bool turns_freely(const Model& model, const Cluster& c, const Body& body, int component) {
    bool angle = is_freedom(body.joint, component, Freedom::turn);
    for (int l = c.loops.first; angle && l < c.loops.last; ++l) {
        const Loop& loop = model.loops[l];
        angle = !has_screw(loop, rows_of(model, loop).data());
    }
    for (int l = c.couplings.first; angle && l < c.couplings.last; ++l) {
        const Coupling& coupling = model.couplings[l];
        for (const int t : coupling.terms)
            if (model.coupling_terms[t].dof == body.dof + component) return false;
    }
    return angle;
}

/// Sets data.displacement and data.goal, which take the independents from one configuration to another. Large
/// numbers of whole turns are omitted, so that distant angles do not take longer.
template <class S>
void drive_independents(const Model& model, Workspace<S>& data, const Cluster& c, const S* from,
                        const S* to) {
    constexpr double few_turns = 8 * M_PI;
    stay(model, data, c, to);
    each_joint(model, c, [&](const Body& b) {
        S delta[6];
        joint_difference(b.joint, from + b.q, to + b.q, delta);
        each_independent(data, c, [&](int dof) {
            const int j = dof - b.dof;
            if (j < 0 || j >= velocity_size(b.joint)) return;
            if (std::abs(value_of(delta[j])) > few_turns && turns_freely(model, c, b, j)) {
                S sine, cosine, neutral_sine, neutral_cosine;
                scalar::sincos(to[b.q + j], sine, cosine);
                scalar::sincos(from[b.q + j], neutral_sine, neutral_cosine);
                delta[j] = scalar::atan2(S(sine * neutral_cosine - cosine * neutral_sine),
                                         S(cosine * neutral_cosine + sine * neutral_sine));
            }
            data.displacement[dof] = delta[j];
        });
    });
}

/// Follows the closed configurations from the neutral one to the independents of `target`, and stores the
/// result there. On failure `target` is unchanged. data.path is scratch.
template <class S>
GRBDA_EXPORT Result continue_from_neutral(const Model& model, Workspace<S>& data, int cluster, S* target) {
    const Cluster& c = model.clusters[cluster];
    S* path = data.path.data();
    each_joint(model, c, [&](const Body& b) {
        for (int j = b.q; j < b.q + position_size(b.joint); ++j) path[j] = S(model.neutral[j]);
    });
    drive_independents<S>(model, data, c, path, target);
    Result result = Path<S>(model, data, cluster, path).follow();
    result.from_neutral = true;
    if (result.ok()) copy_joints(model, c, path, target);
    return result;
}

/// Returns whether a dependent coordinate of q differs from the neutral one: the caller has then given a
/// guess. On a tangent, q is always a guess.
template <class S>
bool has_guess(const Model& model, const Workspace<S>& data, const Cluster& c, const S* q) {
    if (is_on_tangent(data, c)) return true;
    const auto moved = [&](int begin, int size) {
        for (int j = begin; j < begin + size; ++j)
            if (value_of(q[j]) != value_of(S(model.neutral[j]))) return true;
        return false;
    };
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = data.chart.dependent[d], j = position_index(model, dof);
        const int body = model.dof_body[dof];
        const Body& joint = model.bodies[body];
        if (j >= 0 ? moved(j, 1) : moved(joint.q, position_size(joint.joint))) return true;
    }
    return false;
}

/// Closes one cluster with loops or polynomials: from the guess in q or, without one, from neutral.
template <class S>
Result close_cluster(const Model& model, Workspace<S>& data, int cluster, S* q) {
    return has_guess(model, data, model.clusters[cluster], q)
               ? close_from_guess(model, data, cluster, q)
               : continue_from_neutral(model, data, cluster, q);
}

/// Combines results: keeps the first failure or, without one, the largest residual, and the largest number of
/// iterations.
inline void add_result(const Result& result, Result& worst) {
    const int iterations = std::max(worst.iterations, result.iterations);
    const bool from_neutral = worst.from_neutral || result.from_neutral;
    if (worst.ok() && (!result.ok() || result.residual >= worst.residual)) worst = result;
    worst.iterations = iterations;
    worst.from_neutral = from_neutral;
}

/// Closes every loop and coupling in q, moving dependent coordinates only.
template <class S>
Result close_loops(const Model& model, Workspace<S>& data, S* q) {
    Result worst;
    for (int i = 0; i < model.cluster_count(); ++i) {
        const Cluster& c = model.clusters[i];
        if (c.embedding == Embedding::constant) close_couplings(model, c, q);
        if (c.embedding == Embedding::implicit) add_result(close_cluster(model, data, i, q), worst);
    }
    return worst;
}

// Instantiated in src/kernels/.
extern template Result close_from_guess(const Model&, Workspace<double>&, int, double*);
extern template Result continue_from_neutral(const Model&, Workspace<double>&, int, double*);

}  // namespace grbda::closing
