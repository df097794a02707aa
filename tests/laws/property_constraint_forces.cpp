#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "grbda/baselines/baselines.hpp"
#include "constraints/constraint_forces.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/rnea.hpp"
#include "support/body_poses.hpp"
#include "support/dense.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Forces of loops, couplings and joints: with them every body obeys the Newton–Euler equations. They equal
// Kᵀλ of the baselines with the least λ.

namespace {

using namespace test_robots;
using body_poses::about;
using body_poses::eigen;
using body_poses::Wrench;
using grbda::ConstraintForces;
using grbda::Model;
using grbda::Pose;
using grbda::Status;

constexpr int kStates = 2;
constexpr double kAgreement = 1e-9;  // relative to the largest force, at well-conditioned states

/// Kinematics of every body at a state, and the forces of the motion.
struct Case {
    const Model& model;
    grbda::Workspace<double> data;
    ConstraintForces forces;

    Case(const Model& m, const State& state) : model(m), data(m), forces(m) {
        must(grbda::constraint_forces<double>(model, data, state.q, state.yd, state.ydd, state.wrenches,
                                              forces));
        must(grbda::forward_kinematics<double>(model, data, state.q, state.yd, state.ydd));
    }

    Eigen::Vector3d place_of_loop(const grbda::Loop& loop) const {
        return body_poses::of_end(model, data, loop.successor).translation;
    }
};

/// Force and moment about the centre of mass that the motion of a body as described requires, less its
/// weight; and the centre of mass.
Wrench inertial_force(const Case& x, int i, Eigen::Vector3d& com) {
    const Model& model = x.model;
    const int frame = model.body_frame[i];
    const auto axes = grbda::ReferenceFrame::world_aligned;
    const Pose pose = body_poses::of_body(model, x.data, i);
    const grbda::Inertial& body = model.inertials[i];
    com = pose.translation + pose.rotation * body.com;
    const Eigen::Vector3d omega = grbda::frame_velocity(model, x.data, frame, axes).tail<3>();
    const Wrench a = grbda::frame_acceleration(model, x.data, frame, axes);
    const Eigen::Vector3d alpha = a.tail<3>(), arm = com - grbda::frame_position(model, x.data, frame);
    const Eigen::Vector3d of_com = a.head<3>() + alpha.cross(arm) + omega.cross(omega.cross(arm));
    const Eigen::Matrix3d I = pose.rotation * body.inertia * pose.rotation.transpose();
    Wrench result;
    result << body.mass * (of_com - eigen(model.gravity)), I * alpha + omega.cross(I * omega);
    return result;
}

bool is_of_rod(const Model& model, std::size_t loop) {
    return std::any_of(model.rods.begin(), model.rods.end(),
                       [&](const grbda::Rod& rod) { return static_cast<std::size_t>(rod.loop) == loop; });
}

/// Wrench of all other bodies on a body, about a point.
Wrench force_on(const Case& x, const State& state, int i, const Eigen::Vector3d& point) {
    const Model& model = x.model;
    const Pose pose = body_poses::of_body(model, x.data, i);
    Wrench sum = about(x.forces.joints_world.col(i), pose.translation, point);
    Wrench external;
    external << pose.rotation * state.wrenches.col(i).head<3>(),
        pose.rotation * state.wrenches.col(i).tail<3>();
    sum += about(external, pose.translation, point);
    for (int k = 0; k < model.body_count(); ++k)
        if (model.bodies[k].parent == i)
            sum -=
                about(x.forces.joints_world.col(k), body_poses::of_body(model, x.data, k).translation, point);
    for (std::size_t r = 0; r < model.rods.size(); ++r) {
        const grbda::Loop& loop = model.loops[model.rods[r].loop];
        const auto ends = x.forces.rods.col(static_cast<Eigen::Index>(r));
        const auto pushed = [&](const grbda::LoopEnd& end, const Eigen::Vector3d& by,
                                const Eigen::Vector3d& couple) {
            if (end.body != i) return;
            Wrench wrench;
            wrench << -by, -couple;
            sum += about(wrench, body_poses::of_end(model, x.data, end).translation, point);
        };
        pushed(loop.predecessor, ends.head<3>(), x.forces.rod_couples.col(static_cast<Eigen::Index>(r)));
        pushed(loop.successor, ends.tail<3>(), Eigen::Vector3d::Zero());
    }
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const grbda::Loop& loop = model.loops[l];
        if (is_of_rod(model, l)) continue;  // part of the above
        const int sign = (loop.successor.body == i ? 1 : 0) - (loop.predecessor.body == i ? 1 : 0);
        const Wrench wrench = x.forces.loops_world.col(static_cast<Eigen::Index>(l));
        sum += sign * about(wrench, x.place_of_loop(loop), point);
    }
    return sum;
}

/// Forces of a joint on itself: its own, those of couplings, less what its armature takes; in the order of q̇.
Eigen::VectorXd own_forces(const Model& model, const Eigen::VectorXd& applied, const Eigen::VectorXd& qdd,
                           const Eigen::MatrixXd& K, const Eigen::VectorXd& multipliers) {
    Eigen::VectorXd force = applied;
    for (const grbda::Coupling& coupling : model.couplings)
        force += K.row(coupling.row).transpose() * multipliers[coupling.row];
    for (std::size_t dof = 0; dof < model.armature.size(); ++dof)
        force[model.v_index[dof]] -= model.armature[dof] * qdd[model.v_index[dof]];
    return force;
}

/// τ on the independent joints.
Eigen::VectorXd on_independents(const Model& model, const Eigen::VectorXd& tau) {
    Eigen::VectorXd force = Eigen::VectorXd::Zero(model.nv_tree);
    for (std::size_t i = 0; i < model.independent.size(); ++i)
        force[model.v_index[model.independent[i]]] = tau[model.y_index[i]];
    return force;
}

double size_of(const Case& x) {
    double size = 1;
    for (const auto* wrenches : {&x.forces.loops, &x.forces.joints})
        if (wrenches->size() > 0) size = std::max(size, wrenches->cwiseAbs().maxCoeff());
    return size;
}

/// Multipliers with Kᵀλ = force: the shortest, rows in the scales that the engine solves them in.
Eigen::VectorXd shortest_multipliers(const Model& model, const Eigen::MatrixXd& K,
                                     const Eigen::VectorXd& force) {
    if (model.rows == 0) return {};
    const Eigen::VectorXd scale = Eigen::Map<const Eigen::VectorXd>(model.row_scale.data(), model.rows);
    const Eigen::MatrixXd A = K.transpose() * scale.asDiagonal();
    return scale.cwiseProduct(dense::least_norm(A, force, 1e-9));
}

}  // namespace

TEST_CASE("loops and bearings move every body of every robot as Newton and Euler have it") {
    at_random_states(all(), kStates, 301, [](const Robot& robot, const State& state, Random&) {
        const Case x(robot.model, state);
        const double size = size_of(x);
        for (int i = 0; i < robot.model.body_count(); ++i) {
            INFO(robot.model.names.bodies[i]);
            if (is_length(robot.model, i)) continue;
            Eigen::Vector3d com;
            const Wrench needed = inertial_force(x, i, com);
            CHECK((force_on(x, state, i, com) - needed).norm() < kAgreement * size);
        }
        for (std::size_t l = 0; l < robot.model.loops.size(); ++l) {
            const auto column = static_cast<Eigen::Index>(l);
            const Pose P = body_poses::of_end(robot.model, x.data, robot.model.loops[l].predecessor);
            const Wrench local = body_poses::turned(x.forces.loops_world.col(column), P.rotation);
            CHECK((local - x.forces.loops.col(column)).norm() < kAgreement * size);
        }
        for (int i = 0; i < robot.model.body_count(); ++i) {
            if (is_length(robot.model, i)) continue;  // has its carrier's axes, its link others
            const Pose pose = body_poses::of_body(robot.model, x.data, i);
            const Wrench local = body_poses::turned(x.forces.joints_world.col(i), pose.rotation);
            CHECK((local - x.forces.joints.col(i)).norm() < kAgreement * size);
        }
    });
}

TEST_CASE("multipliers are those of the baselines' K, of them the least, and tau is that of rnea") {
    at_random_states(all(), kStates, 302, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        Case x(model, state);
        grbda::baselines::Workspace work(model);
        must(inverse_dynamics(model, work, state.q, state.yd, state.ydd, state.wrenches));
        const Eigen::VectorXd qdd = work.G * state.ydd + work.g;
        const Eigen::VectorXd tree = work.H * qdd + work.C;
        CHECK(relative(x.forces.tree, tree) < kAgreement);
        CHECK(relative(x.forces.tau, work.tau) < kAgreement);
        const Eigen::VectorXd left = tree - on_independents(model, work.tau);
        CHECK(relative(work.K.transpose() * x.forces.multipliers, left) < kAgreement);
        CHECK(relative(x.forces.multipliers, shortest_multipliers(model, work.K, left)) < 10 * kAgreement);

        // forces on all joints, and the motion that they bring about
        const Eigen::VectorXd applied = random_vector(random, model.nv_tree, 5),
                              tau = work.G.transpose() * applied;
        must(grbda::aba<double>(model, x.data, state.q, state.yd, tau, state.wrenches));
        const Eigen::VectorXd ydd = x.data.ydd;
        must(grbda::constraint_forces<double>(model, x.data, state.q, state.yd, ydd, state.wrenches, applied,
                                              x.forces));
        const Eigen::VectorXd moved = work.H * (work.G * ydd + work.g) + work.C;
        CHECK(relative(work.K.transpose() * x.forces.multipliers, moved - applied) < 10 * kAgreement);
    });
}

TEST_CASE("along its freedoms each joint hands on its own forces: power tells") {
    at_random_states(all(), kStates, 303, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Case x(model, state);
        const auto axes = grbda::ReferenceFrame::world_aligned;
        std::vector<double> power;
        for (int i = 0; i < model.body_count(); ++i) {
            const Pose pose = body_poses::of_body(model, x.data, i);
            const auto at_joint = [&](int body) -> Wrench {
                if (body == grbda::world) return Wrench::Zero();
                const int frame = model.body_frame[body];
                Wrench v = grbda::frame_velocity(model, x.data, frame, axes);
                v.head<3>() += Eigen::Vector3d(v.tail<3>())
                                   .cross(pose.translation - grbda::frame_position(model, x.data, frame));
                return v;
            };
            power.push_back(x.forces.joints_world.col(i).dot(at_joint(i) - at_joint(model.bodies[i].parent)));
        }
        must(grbda::spanning_acceleration<double>(model, x.data, state.q, state.yd, state.ydd));
        const Eigen::VectorXd qd = x.data.qd, qdd = x.data.qdd;
        must(grbda::constraint_embedding<double>(model, x.data, state.q, state.yd));
        const Eigen::VectorXd own = own_forces(model, on_independents(model, x.forces.tau), qdd,
                                               grbda::implicit_jacobian(model, x.data), x.forces.multipliers);
        for (int i = 0; i < model.body_count(); ++i) {
            const grbda::Body& body = model.bodies[i];
            const int size = grbda::velocity_size(body.joint);
            INFO(model.names.joints[i]);
            if (is_length(model, i)) continue;  // hands its force to the row of its strut
            const double expected = own.segment(body.v, size).dot(qd.segment(body.v, size));
            CHECK(std::abs(power[static_cast<std::size_t>(i)] - expected) <
                  kAgreement * size_of(x) * (1 + qd.norm()));
        }
    });
}

TEST_CASE("bearings of rotors, reduced or not, carry the same") {
    int checked = 0;
    std::vector<const Robot*> geared;
    for (const Robot* robot : all())
        if (!robot->model.rotors.empty()) geared.push_back(robot);
    at_random_states(geared, kStates, 304, [&](const Robot& robot, const State& state, Random&) {
        grbda::LoadOptions options = robot.options;
        options.rotor_reduction = false;
        const Model whole = grbda::build_model(robot.description, options);
        State other = state;
        std::vector<int> place;  // of each body in the other model
        for (int i = 0; i < robot.model.body_count(); ++i) {
            place.push_back(whole.joint(robot.model.names.joints[i]).index);
            other.wrenches.col(place.back()) = state.wrenches.col(i);
        }
        const auto same = [](const std::vector<grbda::Coordinate>& a, const Model& of_a,
                             const std::vector<grbda::Coordinate>& b, const Model& of_b) {
            return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
                return of_a.names.joints[x.body] == of_b.names.joints[y.body] && x.component == y.component;
            });
        };
        if (!same(independent_coordinates(robot.model), robot.model, independent_coordinates(whole), whole))
            return;
        const Case x(robot.model, state), y(whole, other);
        for (int i = 0; i < robot.model.body_count(); ++i) {
            const Wrench difference =
                x.forces.joints.col(i) - y.forces.joints.col(place[static_cast<std::size_t>(i)]);
            CHECK(difference.norm() < kAgreement * size_of(x));
        }
        ++checked;
    });
    CHECK(checked > 30);
}

TEST_CASE("of a robot without motors, which may fall, the forces balance too") {
    at_random_states(all(), 1, 308, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        grbda::Workspace<double> data(model);
        ConstraintForces forces(model);
        const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.nv_tree),
                              rest = Eigen::VectorXd::Zero(model.nv);
        const grbda::Matrix6X<double> no_wrenches(6, 0);
        must(grbda::aba<double>(model, data, state.q, rest, rest));
        const Eigen::VectorXd ydd = data.ydd;
        must(grbda::constraint_forces<double>(model, data, state.q, rest, ydd, no_wrenches, none, forces));
    });
}

TEST_CASE("forces that do not fit the motion are refused, with the error") {
    int refused = 0;
    at_random_states(all(), 1, 306, [&](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        if (model.nv == 0) return;
        Case x(model, state);
        Eigen::VectorXd applied = on_independents(model, x.forces.tau);
        const auto run = [&](const Eigen::VectorXd& forces) {
            return grbda::constraint_forces<double>(model, x.data, state.q, state.yd, state.ydd,
                                                    state.wrenches, forces, x.forces);
        };
        const Eigen::MatrixXd before = x.forces.joints;
        REQUIRE(run(applied).ok());
        CHECK((x.forces.joints - before).norm() < kAgreement * size_of(x));
        applied[model.v_index[model.independent[0]]] += 100 * (1 + applied.norm());
        const grbda::Result result = run(applied);
        CHECK(result.status == Status::unbalanced);
        CHECK(result.cluster == model.bodies[model.dof_body[model.independent[0]]].cluster);
        CHECK(result.residual > 1e-3);
        CHECK(x.forces.joints.array().isNaN().all());
        CHECK(x.forces.multipliers.array().isNaN().all());
        ++refused;
        applied[0] = std::numeric_limits<double>::quiet_NaN();
        CHECK(run(applied).status == Status::not_finite);
    });
    CHECK(refused > 10);
}
