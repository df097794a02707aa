#include "kinematics/configuration.hpp"

#include <algorithm>
#include <cmath>

#include "closing/integration.hpp"
#include "kernels/constraint/motion.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
void joint_differences(const Model& model, Workspace<S>& data, const S* q0, const S* q1) {
    for (const Body& body : model.bodies)
        kernels::joint_difference(body.joint, q0 + body.q, q1 + body.q, data.rate.data() + body.dof);
}

double uniform(std::mt19937_64& generator, double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(generator);
}

/// A goal for one joint, before any loop is closed.
void random_joint(const Model& model, int i, std::mt19937_64& generator, double* q) {
    const Body& body = model.bodies[i];
    const JointLimits& limits = model.limits[i];
    q += body.q;
    if (has_quaternion(body.joint)) {
        double* const quaternion = q + position_size(body.joint) - 4;
        for (; q != quaternion; ++q) *q = uniform(generator, -1, 1);
        const double axis[3] = {uniform(generator, -1, 1), uniform(generator, -1, 1),
                                uniform(generator, -1, 1)};
        const Vector3<double> turn{axis[0] * 1.5, axis[1] * 1.5, axis[2] * 1.5};
        kernels::integrate_quaternion(quaternion, turn, quaternion);
        return;
    }
    for (int j = 0; j < position_size(body.joint); ++j) {
        const double reach = is_freedom(body.joint, j, Freedom::slide) ? 0.3 : 3.14159;
        double lower = -reach, upper = reach;
        if (position_size(body.joint) == 1) {
            lower = std::max(lower, limits.lower);
            upper = std::min(upper, limits.upper);
        }
        q[j] =
            lower <= upper ? uniform(generator, lower, upper) : std::clamp(q[j], limits.lower, limits.upper);
    }
}

/// rcond(K_d) of configurations that others can be reached from.
constexpr double comfortable_rcond = 1e-2;

/// The largest distance of a joint of the cluster outside its limits; 0 if all are within them.
double excess(const Model& model, const Cluster& c, const VectorX<double>& q) {
    double worst = 0;
    for (const int i : c.joints) {
        const Body& body = model.bodies[i];
        if (position_size(body.joint) != 1) continue;
        const JointLimits& limits = model.limits[i];
        worst = std::max({worst, limits.lower - q[body.q], q[body.q] - limits.upper});
    }
    return worst;
}

/// Moves one cluster of q a portion of the independents' way to a goal.
Result move_towards(const Model& model, Workspace<double>& data, int cluster, const VectorX<double>& goal,
                    double portion, VectorX<double>& q) {
    const Cluster& c = model.clusters[cluster];
    closing::drive_independents(model, data, c, q.data(), goal.data());
    VectorX<double> delta(model.nv);
    for (int i = c.y_begin; i < c.y_begin + c.m; ++i)
        delta[model.y_index[i]] = portion * data.displacement[model.independent[i]];
    return closing::integrate_cluster(model, data, cluster, delta.data(), q.data());
}

/// Moves it in steps, as far as the loops can be followed with all joints within their limits and well away
/// from singular poses, or at least further away from them. rcond where it stops.
double wander(const Model& model, Workspace<double>& data, int cluster, const VectorX<double>& goal,
              std::mt19937_64& generator, VectorX<double>& q) {
    static_cast<void>(closing::close_from_guess(model, data, cluster, q.data()));  // rcond tells
    const double& rcond = data.rcond[cluster];
    double reached = rcond;
    for (double portion = 0.25; portion > 0.01;) {
        VectorX<double> next = q;
        const bool closed = move_towards(model, data, cluster, goal, portion, next).ok();
        const bool within =
            excess(model, model.clusters[cluster], next) <= excess(model, model.clusters[cluster], q);
        if (closed && within && rcond > std::min(comfortable_rcond, reached)) {
            q = next;
            reached = rcond;
        } else {
            portion /= 2;
        }
        if (closed && uniform(generator, 0, 1) < 0.3) break;
    }
    return reached;
}

}  // namespace

VectorX<double> neutral_configuration(const Model& model) {
    require_whole(model);
    return Eigen::Map<const VectorX<double>>(model.neutral.data(), model.nq);
}

namespace {

/// Moves a cluster without loops towards a goal, as far as the joints that follow stay within their limits.
void move_within_limits(const Model& model, Workspace<double>& data, int cluster, const VectorX<double>& goal,
                        VectorX<double>& q) {
    const double before = excess(model, model.clusters[cluster], q);
    for (double portion = 1; portion > 0.01; portion /= 2) {
        VectorX<double> next = q;
        static_cast<void>(move_towards(model, data, cluster, goal, portion, next));  // no loop can stop it
        if (excess(model, model.clusters[cluster], next) > before) continue;
        q = next;
        return;
    }
}

}  // namespace

VectorX<double> random_configuration(const Model& model, std::mt19937_64& generator) {
    constexpr int most_goals = 6;
    Workspace<double> data(model);
    VectorX<double> q = neutral_configuration(model), goal = q;
    for (int at = 0; at < model.cluster_count(); ++at) {
        const Cluster& c = model.clusters[at];
        for (int i = 0; i < most_goals; ++i) {
            for (const int body : c.joints) random_joint(model, body, generator, goal.data());
            if (c.embedding == Embedding::implicit) {
                if (wander(model, data, at, goal, generator, q) > comfortable_rcond) break;
            } else {
                move_within_limits(model, data, at, goal, q);
                break;
            }
        }
    }
    return q;
}

template <class S>
Result integrate(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> delta,
                 VectorOut<S> out) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("delta", delta.size(), model.nv);
    require_size("out", out.size(), model.nq);
    if (!kernels::usable(model, q.data(), delta.data())) return {Status::not_finite};
    out = q;
    Result worst;
    for (int i = 0; i < model.cluster_count(); ++i)
        closing::add_result(closing::integrate_cluster<S>(model, data, i, delta.data(), out.data()), worst);
    if (worst.ok() && !kernels::all_finite(out.data(), model.nq)) worst.status = Status::not_finite;
    return worst;
}

template <class S>
Result difference(const Model& model, Workspace<S>& data, ConstVector<S> q0, ConstVector<S> q1,
                  VectorOut<S> delta) {
    require_workspace(model, data);
    require_size("q0", q0.size(), model.nq);
    require_size("q1", q1.size(), model.nq);
    require_size("delta", delta.size(), model.nv);
    const auto rate = [&](int dof) { return data.rate[dof]; };
    const auto independents = [&](auto&& use) {
        for (const Cluster& c : model.clusters)
            for (int j = 0; j < c.m; ++j)
                use(delta[model.y_index[c.y_begin + j]],
                    kernels::independent_motion<S>(model, data, c, rate, j));
    };
    if (!kernels::usable(model, q0.data()) || !kernels::usable(model, q1.data()))
        return kernels::delivered<S>({Status::not_finite}, delta);
    joint_differences<S>(model, data, q0.data(), q1.data());
    independents([](S& y, const S& x) { y = x; });
    if (!kernels::all_finite(delta.data(), model.nv))
        return kernels::delivered<S>({Status::not_finite}, delta);
    if (std::none_of(model.clusters.begin(), model.clusters.end(),
                     [&](const Cluster& c) { return closing::is_mixed(model, data, c); }))
        return {};
    // a joint of which only some components are independent: closing the loops turns it about the others, so
    // its logarithm is a first guess that is corrected by what integrate() makes of it
    constexpr int most_corrections = 30;
    const double tight = 64 * static_cast<double>(std::numeric_limits<S>::epsilon());
    Eigen::Map<VectorX<S>> reached(data.reached.data(), model.nq);
    Result result;
    for (result.iterations = 0; result.iterations < most_corrections; ++result.iterations) {
        const Result step = integrate<S>(model, data, q0, delta, reached);
        if (!step.ok()) return kernels::delivered<S>(step, delta);
        joint_differences<S>(model, data, reached.data(), q1.data());
        result.residual = 0;
        independents([&](S& y, const S& x) {
            y += x;
            result.residual = std::max(result.residual, std::abs(value_of(x)));
        });
        if (result.residual <= tight) return result;
    }
    if (result.residual > closing::closure_tolerance<S>()) result.status = Status::not_converged;
    return kernels::delivered<S>(result, delta);
}

void spanning_difference(const Model& model, ConstVector<double> q0, ConstVector<double> q1,
                         VectorOut<double> displacement) {
    require_size("q0", q0.size(), model.nq);
    require_size("q1", q1.size(), model.nq);
    require_size("displacement", displacement.size(), model.nv_tree);
    for (const Body& body : model.bodies)
        kernels::joint_difference(body.joint, q0.data() + body.q, q1.data() + body.q,
                                  displacement.data() + body.v);
}

void spanning_integrate(const Model& model, ConstVector<double> q, ConstVector<double> displacement,
                        VectorOut<double> out) {
    require_size("q", q.size(), model.nq);
    require_size("displacement", displacement.size(), model.nv_tree);
    require_size("out", out.size(), model.nq);
    for (const Body& body : model.bodies)
        kernels::joint_integrate(body.joint, q.data() + body.q, displacement.data() + body.v,
                                 out.data() + body.q);
}

#define GRBDA_INSTANTIATE(S)                                                                                 \
    template Result integrate<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, VectorOut<S>); \
    template Result difference<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, VectorOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result integrate(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef delta, VectorRef out) {
    return integrate<double>(model, data.workspaces().general, q, delta, out);
}

Result difference(const Model& model, Data& data, ConstVectorRef q0, ConstVectorRef q1, VectorRef delta) {
    return difference<double>(model, data.workspaces().general, q0, q1, delta);
}

}  // namespace grbda
