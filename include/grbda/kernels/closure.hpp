#pragma once

#include <algorithm>
#include <limits>

#include "grbda/kernels/configuration.hpp"
#include "grbda/kernels/embedding.hpp"
#include "grbda/status.hpp"

// Closing the loops of one cluster: Newton on the dependent coordinates with the
// same inverse of K_d that the embedding uses.

namespace grbda::kernels {

/// Residuals at or below this, relative to the cluster's size, count as closed.
template <class S>
constexpr double closure_tolerance() {
    return std::max(1e-10, 1e3 * static_cast<double>(std::numeric_limits<S>::epsilon()));
}

/// Residual of a loop that stands at a false root: not small.
inline constexpr double false_root_residual = 2;

/// Places the cluster with its parent body at rest, origin at the cluster's first body.
template <class S>
Placement<S> place_alone(const Model& model, Data<S>& data, const Cluster& c, const S* q) {
    Placement<S> base{Matrix3<S>::identity(), {S(0), S(0), S(0)}};
    if (c.body_begin == c.rotor_begin) return base;
    const Body& first = model.bodies[static_cast<std::size_t>(c.body_begin)];
    base.p = -joint_displacement(first, q + first.q);
    turn_joints(model, data, q, c.angle_begin, c.angle_end);
    place_cluster(model, data, c, base, q);
    return base;
}

/// False if a loop of the placed cluster stands at a false root of its rotational residual.
template <class S>
bool at_right_root(const Model& model, const Data<S>& data, const Cluster& c, const Placement<S>& base) {
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[static_cast<std::size_t>(l)];
        if (loop.rows == 0) continue;  // it holds in every pose
        if (!right_root(loop, loop_frames(loop, placement_of(data, c, base, loop.predecessor),
                                          placement_of(data, c, base, loop.successor))))
            return false;
    }
    return true;
}

/// Closure residual of a placed cluster, relative to its size; fills K and φ.
template <class S>
double cluster_residual(const Model& model, Data<S>& data, const Cluster& c, const Placement<S>& base,
                        const S* q) {
    constraint_rows(model, data, c, base, q);
    double residual = at_right_root(model, data, c, base) ? 0 : false_root_residual;
    for (int r = c.row_begin; r < c.row_begin + c.rows; ++r) {
        const auto row = static_cast<std::size_t>(r);
        const double error = std::abs(value_of(data.phi[row])) * model.row_scale[row];
        if (error > residual || std::isnan(error)) residual = error;  // a NaN stays
    }
    return residual;
}

/// Place of a velocity coordinate in q, for joints whose positions form a vector space; else −1.
inline int position_index(const Model& model, int dof) {
    const Body& body = model.bodies[static_cast<std::size_t>(model.dof_body[static_cast<std::size_t>(dof)])];
    const bool vector = body.joint != JointType::spherical && body.joint != JointType::floating;
    return vector ? body.q + dof - body.dof : -1;
}

/// Linear couplings alone: q_d = G q_i + offset.
template <class S>
void close_couplings(const Model& model, const Cluster& c, S* q) {
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = model.dependent[static_cast<std::size_t>(d)];
        const double* G = model.G.data() + c.G_begin + (dof - c.dof_begin) * c.m;
        S position = S(model.offset[static_cast<std::size_t>(dof)]);
        for (int j = 0; j < c.m; ++j)
            if (G[j] != 0)
                position +=
                    q[position_index(model, model.independent[static_cast<std::size_t>(c.y_begin + j)])] *
                    S(G[j]);
        q[position_index(model, dof)] = position;
    }
}

/// q moved by `scale` · step [dofs of the cluster]; joints that do not move are left as they are.
template <class S>
void move_cluster(const Model& model, const Cluster& c, const S* from, const S* step, double scale, S* to) {
    for (int i = c.body_begin; i < c.body_end; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        S delta[6];
        bool moves = false;
        for (int j = 0; j < velocity_size(body.joint); ++j) {
            delta[j] = step[body.dof - c.dof_begin + j] * S(scale);
            moves = moves || value_of(delta[j]) != 0;
        }
        if (moves)
            joint_integrate(body.joint, from + body.q, delta, to + body.q);
        else
            std::copy_n(from + body.q, position_size(body.joint), to + body.q);
    }
}

/// Newton on the dependent coordinates of one cluster, in q. data.rate holds the step, data.trial the trial
/// q.
template <class S>
Result newton_close(const Model& model, Data<S>& data, const Cluster& c, int cluster, S* q) {
    constexpr int most_iterations = 60, most_halvings = 12;
    constexpr double longest_step = 0.5;  // rad, or relative to the cluster's size
    const double tight = 16 * static_cast<double>(std::numeric_limits<S>::epsilon());
    const auto residual_at = [&](const S* at) {
        const Placement<S> base = place_alone(model, data, c, at);
        return cluster_residual(model, data, c, base, at);
    };
    Result result{Status::ok, cluster, residual_at(q), 0};
    while (result.residual > tight && result.iterations < most_iterations) {
        ++result.iterations;
        invert_dependents(model, data, c, cluster);
        S* step = data.rate.data() + c.dof_begin;
        S* b = data.scratch.data() + c.rows;  // behind what solve_dependents() uses
        for (int j = 0; j < c.dofs; ++j) step[j] = S(0);
        for (int r = 0; r < c.rows; ++r) b[r] = -data.phi[static_cast<std::size_t>(c.row_begin + r)];
        solve_dependents(model, data, c, b, step);
        double longest = 0;
        for (int j = 0; j < c.dofs; ++j) {
            const double size =
                std::abs(value_of(step[j])) / model.column_scale[static_cast<std::size_t>(c.dof_begin + j)];
            if (size > longest || std::isnan(size)) longest = size;  // a NaN stays
        }
        if (!(longest < 1e300)) break;  // K_d singular
        double scale = longest > longest_step ? longest_step / longest : 1;
        double residual = 0;
        S* trial = data.trial.data();
        for (int halving = 0; halving <= most_halvings; ++halving, scale /= 2) {
            move_cluster(model, c, q, step, scale, trial);
            residual = residual_at(trial);
            if (residual < result.residual) break;
        }
        if (!(residual < result.residual)) {
            residual_at(q);
            break;
        }
        for (int i = c.body_begin; i < c.body_end; ++i) {
            const Body& body = model.bodies[static_cast<std::size_t>(i)];
            std::copy_n(trial + body.q, position_size(body.joint), q + body.q);
        }
        result.residual = residual;
    }
    invert_dependents(model, data, c, cluster);
    const double rcond = value_of(data.rcond[static_cast<std::size_t>(cluster)]);
    if (!(result.residual <= closure_tolerance<S>()))
        result.status = Status::not_converged;
    else if (!(rcond >= singular_rcond<S>()))
        result.status = Status::singular_constraint;
    return result;
}

/// Calls action(body) for every joint of a cluster.
template <class Action>
void each_joint(const Model& model, const Cluster& c, const Action& action) {
    for (int i = c.body_begin; i < c.body_end; ++i) action(model.bodies[static_cast<std::size_t>(i)]);
}

template <class S>
void copy_joints(const Model& model, const Cluster& c, const S* from, S* to) {
    each_joint(model, c, [&](const Body& b) { std::copy_n(from + b.q, position_size(b.joint), to + b.q); });
}

/// Way of the independents from one configuration to another, in rad or relative to the cluster's size.
template <class S>
double independent_distance(const Model& model, const Cluster& c, const S* from, const S* to) {
    double distance = 0;
    each_joint(model, c, [&](const Body& b) {
        S delta[6];
        joint_difference(b.joint, from + b.q, to + b.q, delta);
        for (int i = c.y_begin; i < c.y_begin + c.m; ++i) {
            const int dof = model.independent[static_cast<std::size_t>(i)], j = dof - b.dof;
            if (j < 0 || j >= velocity_size(b.joint)) continue;
            const double scale = model.column_scale[static_cast<std::size_t>(dof)];
            distance = std::max(distance, std::abs(value_of(delta[j])) / scale);
        }
    });
    return distance;
}

/// next = path with its independents a portion of the way to `target`; all the way exactly.
template <class S>
void lead_independents(const Model& model, const Cluster& c, const S* path, const S* target, double portion,
                       S* next) {
    each_joint(model, c, [&](const Body& b) {
        S delta[6];
        joint_difference(b.joint, path + b.q, target + b.q, delta);
        for (int j = 0; j < velocity_size(b.joint); ++j) delta[j] = delta[j] * S(portion);
        for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
            const int j = model.dependent[static_cast<std::size_t>(d)] - b.dof;
            if (j >= 0 && j < velocity_size(b.joint)) delta[j] = S(0);
        }
        joint_integrate(b.joint, path + b.q, delta, next + b.q);
    });
    if (portion < 1) return;
    for (int i = c.y_begin; i < c.y_begin + c.m; ++i) {
        const int j = position_index(model, model.independent[static_cast<std::size_t>(i)]);
        if (j >= 0) next[j] = target[j];
    }
}

/// From the neutral configuration the cluster's independents are led to those of `target` in short steps, the
/// loops closed at each: stays in the assembly mode of the neutral configuration. data.path and data.goal
/// hold configurations.
template <class S>
Result continue_from_neutral(const Model& model, Data<S>& data, const Cluster& c, int cluster, S* target) {
    constexpr double longest_step = 0.2, shortest_step = 1. / 256;
    S* path = data.path.data();
    S* goal = data.goal.data();
    each_joint(model, c, [&](const Body& b) {
        for (int j = b.q; j < b.q + position_size(b.joint); ++j)
            path[j] = S(model.neutral[static_cast<std::size_t>(j)]);
    });
    const double distance = independent_distance(model, c, path, target);
    const double longest = distance > longest_step ? longest_step / distance : 1;
    Result result{Status::ok, cluster, 0, 0};
    double done = 0, length = longest;
    while (done < 1 && length >= shortest_step * longest) {
        const double portion = std::min(1., length / (1 - done));
        copy_joints(model, c, path, goal);
        lead_independents(model, c, path, target, portion, goal);
        const Result step = newton_close(model, data, c, cluster, goal);
        const int iterations = result.iterations + step.iterations;
        result = step;
        result.iterations = iterations;
        if (step.ok()) {
            copy_joints(model, c, goal, path);
            done = portion < 1 ? done + length : 1;
            length = std::min(2 * length, longest);
        } else {
            length /= 2;
        }
    }
    if (done >= 1) copy_joints(model, c, path, target);
    return result;
}

/// True if a dependent coordinate of q is not the neutral one: the caller has a guess.
template <class S>
bool has_guess(const Model& model, const Cluster& c, const S* q) {
    const auto moved = [&](int begin, int size) {
        for (int j = begin; j < begin + size; ++j)
            if (value_of(q[j]) != value_of(S(model.neutral[static_cast<std::size_t>(j)]))) return true;
        return false;
    };
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = model.dependent[static_cast<std::size_t>(d)], j = position_index(model, dof);
        const int body = model.dof_body[static_cast<std::size_t>(dof)];
        const Body& joint = model.bodies[static_cast<std::size_t>(body)];
        if (j >= 0 ? moved(j, 1) : moved(joint.q, position_size(joint.joint))) return true;
    }
    return false;
}

/// Closes one cluster with loops or polynomials: from the guess, else from the neutral configuration.
template <class S>
Result close_cluster(const Model& model, Data<S>& data, const Cluster& c, int cluster, S* q) {
    const bool guess = has_guess(model, c, q);
    Result result =
        guess ? newton_close(model, data, c, cluster, q) : continue_from_neutral(model, data, c, cluster, q);
    if (result.ok() || result.status == Status::singular_constraint) return result;
    return guess ? continue_from_neutral(model, data, c, cluster, q)
                 : newton_close(model, data, c, cluster, q);
}

/// Closes every loop and coupling in q, moving dependent coordinates only.
template <class S>
Result close_loops(const Model& model, Data<S>& data, S* q) {
    Result worst;
    for (int i = 0; i < model.cluster_count(); ++i) {
        const Cluster& c = model.clusters[static_cast<std::size_t>(i)];
        if (c.embedding == Embedding::constant) close_couplings(model, c, q);
        if (c.embedding != Embedding::implicit) continue;
        const Result result = close_cluster(model, data, c, i, q);
        const int iterations = std::max(worst.iterations, result.iterations);
        if (worst.ok() && (!result.ok() || result.residual >= worst.residual)) worst = result;
        worst.iterations = iterations;
    }
    return worst;
}

}  // namespace grbda::kernels
