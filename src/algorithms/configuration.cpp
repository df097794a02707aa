#include "grbda/algorithms/configuration.hpp"

#include <algorithm>
#include <cmath>

#include "grbda/kernels/closure.hpp"
#include "grbda/kernels/kinematics.hpp"

namespace grbda {
namespace {

/// out = q ⊕ x over all joints; x [dofs, sweep order].
template <class S>
void move(const Model& model, const S* q, const S* x, S* out) {
    for (const Body& body : model.bodies)
        kernels::joint_integrate(body.joint, q + body.q, x + body.dof, out + body.q);
}

/// A joint with independent and dependent components whose positions are no vector space.
bool mixed(const Model& model, const Cluster& c) {
    for (int i = c.y_begin; i < c.y_begin + c.m; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(
            model.dof_body[static_cast<std::size_t>(model.independent[static_cast<std::size_t>(i)])])];
        if (body.joint != JointType::spherical && body.joint != JointType::floating) continue;
        for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
            const int dof = model.dependent[static_cast<std::size_t>(d)];
            if (dof >= body.dof && dof < body.dof + velocity_size(body.joint)) return true;
        }
    }
    return false;
}

template <class S>
void joint_differences(const Model& model, Data<S>& data, const S* q0, const S* q1) {
    for (const Body& body : model.bodies)
        kernels::joint_difference(body.joint, q0 + body.q, q1 + body.q, data.rate.data() + body.dof);
}

double uniform(std::mt19937_64& generator, double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(generator);
}

/// A goal for one joint, before any loop is closed.
void random_joint(const Model& model, int i, std::mt19937_64& generator, double* q) {
    const Body& body = model.bodies[static_cast<std::size_t>(i)];
    const JointLimits& limits = model.limits[static_cast<std::size_t>(i)];
    q += body.q;
    if (body.joint == JointType::spherical || body.joint == JointType::floating) {
        double* quaternion = q;
        if (body.joint == JointType::floating) {
            for (int j = 0; j < 3; ++j) q[j] = uniform(generator, -1, 1);
            quaternion += 3;
        }
        const double axis[3] = {uniform(generator, -1, 1), uniform(generator, -1, 1),
                                uniform(generator, -1, 1)};
        const Vector3<double> turn{axis[0] * 1.5, axis[1] * 1.5, axis[2] * 1.5};
        kernels::integrate_quaternion(quaternion, turn, quaternion);
        return;
    }
    for (int j = 0; j < position_size(body.joint); ++j) {
        const bool slide = body.joint == JointType::prismatic ||
                           (body.joint == JointType::cylindrical && j == 1) ||
                           (body.joint == JointType::planar && j < 2);
        const double reach = slide ? 0.3 : 3.14159;
        double lower = -reach, upper = reach;
        if (position_size(body.joint) == 1) {
            lower = std::max(lower, limits.lower);
            upper = std::min(upper, limits.upper);
        }
        q[j] =
            lower <= upper ? uniform(generator, lower, upper) : std::clamp(q[j], limits.lower, limits.upper);
    }
}

}  // namespace

VectorX<double> neutral_configuration(const Model& model) {
    return Eigen::Map<const VectorX<double>>(model.neutral.data(), model.nq);
}

VectorX<double> random_configuration(const Model& model, std::mt19937_64& generator) {
    Data<double> data(model);
    VectorX<double> q = neutral_configuration(model), goal = q;
    for (int i = 0; i < model.body_count(); ++i) random_joint(model, i, generator, goal.data());
    for (int at = 0; at < model.cluster_count(); ++at) {
        const Cluster& c = model.clusters[static_cast<std::size_t>(at)];
        const auto step_to = [&](double portion, VectorX<double>& next) {
            for (int i = c.body_begin; i < c.body_end; ++i) {
                const Body& body = model.bodies[static_cast<std::size_t>(i)];
                double delta[6];
                kernels::joint_difference(body.joint, q.data() + body.q, goal.data() + body.q, delta);
                for (int j = 0; j < velocity_size(body.joint); ++j) delta[j] *= portion;
                kernels::joint_integrate(body.joint, q.data() + body.q, delta, next.data() + body.q);
            }
        };
        if (c.embedding == Embedding::none) {
            step_to(1, q);
            continue;
        }
        if (c.embedding == Embedding::constant) {
            step_to(1, q);
            kernels::close_couplings(model, c, q.data());
            continue;
        }
        // towards the goal in steps, as far as the loops can be closed well away from singular poses
        constexpr double comfortable_rcond = 1e-3;
        VectorX<double> next = q;
        for (double portion = 0.25; portion > 0.01;) {
            step_to(portion, next);
            for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
                const int index =
                    kernels::position_index(model, model.dependent[static_cast<std::size_t>(d)]);
                if (index >= 0) next[index] = q[index];
            }
            const bool closed = kernels::newton_close(model, data, c, at, next.data()).ok();
            if (closed && data.rcond[static_cast<std::size_t>(at)] > comfortable_rcond)
                q = next;
            else
                portion /= 2;
            if (closed && uniform(generator, 0, 1) < 0.3) break;
        }
    }
    return q;
}

template <class S>
Result integrate(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> delta,
                 VectorOut<S> out) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("delta", delta.size(), model.nv);
    require_size("out", out.size(), model.nq);
    kernels::positions<S>(model, data, q.data());
    for (const Cluster& c : model.clusters) kernels::cluster_rates<S>(model, data, c, delta.data());
    for (int i = 0; i < model.cluster_count(); ++i) {  // no direction to predict along at a singular cluster
        const Cluster& c = model.clusters[static_cast<std::size_t>(i)];
        if (c.embedding != Embedding::implicit ||
            value_of(data.rcond[static_cast<std::size_t>(i)]) >= kernels::singular_rcond<S>())
            continue;
        for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d)
            data.rate[static_cast<std::size_t>(model.dependent[static_cast<std::size_t>(d)])] = S(0);
    }
    move<S>(model, q.data(), data.rate.data(), out.data());
    return kernels::close_loops<S>(model, data, out.data());
}

template <class S>
Result difference(const Model& model, Data<S>& data, ConstVector<S> q0, ConstVector<S> q1,
                  VectorOut<S> delta) {
    require_workspace(model, data);
    require_size("q0", q0.size(), model.nq);
    require_size("q1", q1.size(), model.nq);
    require_size("delta", delta.size(), model.nv);
    const auto independents = [&](auto&& use) {
        for (std::size_t i = 0; i < model.independent.size(); ++i)
            use(delta[model.y_index[i]], data.rate[static_cast<std::size_t>(model.independent[i])]);
    };
    joint_differences<S>(model, data, q0.data(), q1.data());
    independents([](S& y, const S& x) { y = x; });
    if (std::none_of(model.clusters.begin(), model.clusters.end(),
                     [&](const Cluster& c) { return mixed(model, c); }))
        return {};
    // a joint of which only some components are independent: closing the loops turns it about the others, so
    // its logarithm is a first guess that is corrected by what integrate() makes of it
    constexpr int most_corrections = 30;
    const double tight = 64 * static_cast<double>(std::numeric_limits<S>::epsilon());
    Eigen::Map<VectorX<S>> reached(data.reached.data(), model.nq);
    Result result;
    for (result.iterations = 0; result.iterations < most_corrections; ++result.iterations) {
        const Result step = integrate<S>(model, data, q0, delta, reached);
        if (!step.ok()) return step;
        joint_differences<S>(model, data, reached.data(), q1.data());
        result.residual = 0;
        independents([&](S& y, const S& x) {
            y += x;
            result.residual = std::max(result.residual, std::abs(value_of(x)));
        });
        if (result.residual <= tight) return result;
    }
    if (result.residual > kernels::closure_tolerance<S>()) result.status = Status::not_converged;
    return result;
}

#define GRBDA_INSTANTIATE(S)                                                                            \
    template Result integrate<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, VectorOut<S>); \
    template Result difference<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, VectorOut<S>);
GRBDA_INSTANTIATE(double)
GRBDA_INSTANTIATE(float)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
