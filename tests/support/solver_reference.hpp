#pragma once

#include "constraints/actuation.hpp"
#include "constraints/embedding.hpp"
#include "derivatives/solver_step.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/joint_forces.hpp"
#include "kinematics/configuration.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// A step for solvers from the library's parts: integrate(), difference(), aba(), actuation_jacobian() and
// joint_forces() of the robot without dry friction. solver_step() and generated code must agree with it, and
// their Jacobians with its differences.

namespace solver_reference {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Workspace;

inline Model without_dry_friction(Model model) {
    for (double& f : model.passive.friction) f = 0;
    for (grbda::Tendon& tendon : model.passive.tendons) tendon.friction = 0;
    return model;
}

/// The robot with motors on some joints, dependent ones too, and with springs, dampers, tendons and carried
/// weights; joints that turn about three axes have dampers only.
inline Model with_forces(Model model, test_robots::Random& random) {
    const auto uniform = [&](double lower, double upper) {
        return std::uniform_real_distribution<double>(lower, upper)(random);
    };
    grbda::PassiveForces& passive = model.passive;
    grbda::Tendon tendon{{static_cast<int>(passive.terms.size()), 0}, 3, 0.2, 0.1, -0.3, 0.2};
    for (int i = 0; i < model.body_count(); ++i) {
        const grbda::Body& body = model.bodies[i];
        const bool turns = grbda::has_quaternion(body.joint);
        for (int j = 0; j < grbda::velocity_size(body.joint); ++j) {
            const auto v = static_cast<std::size_t>(body.v + j);
            passive.damping[v] = uniform(0, 0.2);
            passive.friction[v] = 0.1;
            passive.stiffness[v] = turns ? 0 : uniform(0, 2);
        }
        model.actuated[i] = !turns && uniform(0, 1) < 0.7 ? 1 : 0;
        model.reduction[i] = uniform(1, 3);
        if (grbda::velocity_size(body.joint) == 1 && uniform(0, 1) < 0.5)
            passive.terms.push_back({body.q, body.v, uniform(-1, 1)});
        if (!body.rotor && uniform(0, 1) < 0.5)
            passive.weights.push_back({i, uniform(0, 0.3), {0.02, uniform(-0.1, 0.1), 0.01}});
    }
    tendon.terms.last = static_cast<int>(passive.terms.size());
    if (!tendon.terms.empty()) passive.tendons.push_back(tendon);
    return model;
}

/// A state with the references of its node and of the next one.
struct Node {
    VectorXd x, u, q_ref, q_ref_next;
    double h = 0;
};

class Reference {
public:
    Reference(const Model& model, const grbda::SolverOptions& options)
        : model_(without_dry_friction(model)), data_(model_), actuation_(model_), options_(options) {
        motors_ = options.motors &&
                  std::count(model.actuated.begin(), model.actuated.end(), 0) < model.body_count();
        absolute_ = !options.displacements;
        for (const grbda::Coordinate& c : grbda::independent_coordinates(model_))
            absolute_ = absolute_ && !grbda::has_quaternion(model_.bodies[c.body].joint);
    }

    /// Its workspace, for other coordinates.
    Workspace<double>& data() { return data_; }

    int inputs() const { return motors_ ? static_cast<int>(actuation_.J.rows()) : model_.nv; }
    bool absolute() const { return absolute_; }

    /// Positions of the independent joints.
    VectorXd coordinates(const VectorXd& q) const {
        VectorXd y(model_.nv);
        const auto list = grbda::independent_coordinates(model_);
        for (int i = 0; i < model_.nv; ++i) {
            const grbda::Coordinate& c = list[static_cast<std::size_t>(i)];
            y[i] = q[model_.bodies[c.body].q + c.component];
        }
        return y;
    }

    /// A displacement d of the reference as the first half of x.
    VectorXd position(const VectorXd& q_ref, const VectorXd& d) const {
        return absolute_ ? VectorXd(coordinates(q_ref) + d) : d;
    }

    bool configuration(const VectorXd& x, const VectorXd& q_ref, VectorXd& q) {
        const VectorXd d = absolute_ ? VectorXd(x - coordinates(q_ref)) : x;
        q.resize(model_.nq);
        return grbda::integrate<double>(model_, data_, q_ref, d, q).ok();
    }

    /// Computes ÿ under the inputs; returns false without a result.
    bool accelerate(const VectorXd& q, const VectorXd& yd, const VectorXd& u, VectorXd& ydd) {
        VectorXd tau = u;
        if (motors_) {
            if (!grbda::actuation_jacobian<double>(model_, data_, q, actuation_).ok()) return false;
            tau = actuation_.J.transpose() * u;
        }
        if (options_.joint_forces) {
            if (!grbda::spanning_velocity<double>(model_, data_, q, yd).ok()) return false;
            const VectorXd qd = data_.qd;
            if (!grbda::joint_forces<double>(model_, data_, q, qd).ok()) return false;
            tau += data_.tau;
        }
        if (!grbda::aba<double>(model_, data_, q, yd, tau).ok()) return false;
        ydd = data_.ydd;
        return true;
    }

    bool step(const Node& node, VectorXd& x_next) {
        const int n = model_.nv;
        VectorXd q, yd = node.x.tail(n), at, a1, a2, a3, a4;
        const double h = node.h;
        if (!configuration(node.x.head(n), node.q_ref, q) || !accelerate(q, yd, node.u, a1)) return false;
        VectorXd way;
        if (options_.integrator == grbda::Integrator::semi_implicit_euler) {
            yd += h * a1;
            way = h * yd;
        } else {
            const VectorXd k1 = yd, v2 = yd + h / 2 * a1;
            if (!moved(q, h / 2 * k1, at) || !accelerate(at, v2, node.u, a2)) return false;
            const VectorXd k2 = rate(h / 2 * k1, v2), v3 = yd + h / 2 * a2;
            if (!moved(q, h / 2 * k2, at) || !accelerate(at, v3, node.u, a3)) return false;
            const VectorXd k3 = rate(h / 2 * k2, v3), v4 = yd + h * a3;
            if (!moved(q, h * k3, at) || !accelerate(at, v4, node.u, a4)) return false;
            way = h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(h * k3, v4));
            yd += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        }
        VectorXd d(n);
        if (!moved(q, way, at)) return false;
        if (absolute_)
            d = node.x.head(n) + way;
        else if (!grbda::difference<double>(model_, data_, node.q_ref_next, at, d).ok())
            return false;
        x_next.resize(2 * n);
        x_next << d, yd;
        return true;
    }

    /// By Richardson's extrapolation of central differences, of fourth order, at the size where two
    /// neighbouring sizes agree best; `error`: by how much they differ. False if a step fails.
    bool jacobian(const Node& node, MatrixXd& J, double& error) {
        error = 1;
        MatrixXd last, now;
        for (double size = 2e-3; size > 1e-5; size /= 3) {
            if (!extrapolate(node, size, now)) return false;
            if (last.size() > 0 && test_robots::relative(now, last) < error) {
                error = test_robots::relative(now, last);
                J = now;
            }
            last = now;
        }
        return true;
    }

private:
    bool extrapolate(const Node& node, double size, MatrixXd& J) {
        const Eigen::Index nx = node.x.size(), nu = node.u.size();
        J.resize(nx, nx + nu + 1);
        for (Eigen::Index j = 0; j < J.cols(); ++j) {
            const double scale = j == nx + nu ? node.h : 1;
            VectorXd wide, narrow;
            if (!slope(node, j, size * scale, wide) || !slope(node, j, size * scale / 2, narrow))
                return false;
            J.col(j) = (4 * narrow - wide) / 3;
        }
        return true;
    }

    bool moved(const VectorXd& q, const VectorXd& way, VectorXd& out) {
        out.resize(model_.nq);
        return grbda::integrate<double>(model_, data_, q, way, out).ok();
    }

    /// ẏ + ½ [δ, ẏ] + ⅟₁₂ [δ, [δ, ẏ]] of joints with a quaternion.
    VectorXd rate(const VectorXd& way, const VectorXd& yd) const {
        VectorXd result = yd;
        const auto list = grbda::independent_coordinates(model_);
        for (int i = 0; i < model_.nv; ++i) {
            const grbda::Coordinate& c = list[static_cast<std::size_t>(i)];
            const grbda::JointType joint = model_.bodies[c.body].joint;
            const int size = grbda::velocity_size(joint);
            if (!grbda::has_quaternion(joint) || c.component != 0 || i + size > model_.nv) continue;
            const grbda::Coordinate& last = list[static_cast<std::size_t>(i + size - 1)];
            if (last.body != c.body || last.component != size - 1) continue;  // independent in part
            Eigen::Matrix<double, 6, 1> d = Eigen::Matrix<double, 6, 1>::Zero(), r = d;
            d.tail(size) = way.segment(i, size);
            r.tail(size) = yd.segment(i, size);
            const auto once = bracket(d, r);
            result.segment(i, size) += (once / 2 + bracket(d, once) / 12).tail(size);
        }
        return result;
    }
    static Eigen::Matrix<double, 6, 1> bracket(const Eigen::Matrix<double, 6, 1>& a,
                                               const Eigen::Matrix<double, 6, 1>& b) {
        const Eigen::Vector3d av = a.head<3>(), aw = a.tail<3>(), bv = b.head<3>(), bw = b.tail<3>();
        Eigen::Matrix<double, 6, 1> c;
        c << aw.cross(bv) + av.cross(bw), aw.cross(bw);
        return c;
    }

    bool slope(const Node& node, Eigen::Index j, double size, VectorXd& result) {
        const Eigen::Index nx = node.x.size(), nu = node.u.size();
        VectorXd ends[2];
        for (int side = 0; side < 2; ++side) {
            Node other = node;
            const double by = side == 0 ? size : -size;
            if (j < nx)
                other.x[j] += by;
            else if (j < nx + nu)
                other.u[j - nx] += by;
            else
                other.h += by;
            if (!step(other, ends[side])) return false;
        }
        result = (ends[0] - ends[1]) / (2 * size);
        return true;
    }

    Model model_;
    Workspace<double> data_;
    grbda::Actuation<double> actuation_;
    grbda::SolverOptions options_;
    bool motors_ = false, absolute_ = false;
};

/// A node near a state: references close to it, and inputs about as large as the robot's weight allows.
inline bool node_at(const Model& model, Reference& reference, const test_robots::State& state,
                    test_robots::Random& random, Node& node) {
    using test_robots::random_vector;
    Workspace<double> data(model);
    node.q_ref = state.q;
    node.q_ref_next.resize(model.nq);
    node.x.resize(2 * model.nv);
    node.x << reference.position(state.q, random_vector(random, model.nv, 0.05)),
        random_vector(random, model.nv, 0.5);
    node.u = random_vector(random, reference.inputs(), 0.2);
    node.h = 2e-3;
    return grbda::integrate<double>(model, data, state.q, random_vector(random, model.nv, 0.02),
                                    node.q_ref_next)
        .ok();
}

}  // namespace solver_reference
