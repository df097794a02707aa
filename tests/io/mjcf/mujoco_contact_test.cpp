#include <string>

#include "io/mjcf/mujoco_fixture.hpp"
#include "simulation/simulation_fixture.hpp"

// Laws of contact beside MuJoCo's, for bodies of one shape on a plane. Its contacts are springs with dampers,
// here with a time of 2 ms, in steps ten times as short: its friction then misses Coulomb's law by up to 1 %,
// and bodies that stick creep by up to 2 mm/s. These are the tolerances for its results.

using namespace simulation_test;

namespace {

constexpr int kFiner = 10;       // steps of MuJoCo in one
constexpr double kStep = 1e-3;   // s
constexpr double kSoft = 1e-2;   // of what friction changes, relative
constexpr double kCreep = 2e-3;  // m/s
constexpr double kSame = 5e-3;   // of speeds and ways, relative
constexpr double kHalf = 0.1;    // m, half a box, and the radius of a ball
constexpr double kMass = 3;      // kg

/// A free body with the inertia of a cube of side 2 kHalf.
std::string body(const std::string& geom, const Vector3d& at, double friction) {
    const std::string inertia = std::to_string(kMass * 4 * kHalf * kHalf / 6);
    const auto text = [](double x) { return std::to_string(x); };
    return "<body pos='" + text(at.x()) + " " + text(at.y()) + " " + text(at.z()) +
           "'><freejoint/><inertial pos='0 0 0' mass='" + text(kMass) + "' diaginertia='" + inertia + " " +
           inertia + " " + inertia + "'/><geom " + geom + " friction='" + text(friction) + " 0 0'/></body>";
}

const std::string kBox = "type='box' size='0.1 0.1 0.1'", kBall = "type='sphere' size='0.1'";

std::string scene(const std::string& bodies, const Vector3d& gravity, bool has_plane) {
    const std::string plane = has_plane ? "<geom type='plane' size='50 50 1' friction='0.001 0 0'/>" : "";
    return "<mujoco><option timestep='0.0001' cone='elliptic' impratio='100' solver='Newton' "
           "tolerance='1e-12' "
           "iterations='200' gravity='" +
           std::to_string(gravity.x()) + " 0 " + std::to_string(gravity.z()) +
           "'/><default><geom condim='3' solref='0.002 1'/></default><worldbody>" + plane + bodies +
           "</worldbody></mujoco>";
}

/// The same motion in both engines.
class Pair {
public:
    Pair(const Model& model, const std::string& text, double friction, bool has_plane)
        : mujoco_(mujoco_fixture::load(text)), simulator_(model, options(friction), ground(has_plane)) {
        INFO(mujoco_.error);
        REQUIRE(mujoco_.model != nullptr);
        mujoco_.model->opt.disableflags &= ~mjDSBL_CONTACT;
    }

    void set(const VectorXd& q, const VectorXd& qd) {
        REQUIRE(simulator_.set_state(q, qd).ok());
        for (int i = 0; i < mujoco_.model->nv / 6; ++i) {
            const VectorXd from = q.segment(7 * i, 7);
            double* const to = mujoco_.data->qpos + 7 * i;
            for (int k = 0; k < 3; ++k) to[k] = from[k];
            to[3] = from[6];
            for (int k = 0; k < 3; ++k) to[4 + k] = from[3 + k];
        }
        Eigen::Map<VectorXd>(mujoco_.data->qvel, mujoco_.model->nv) = qd;  // bodies begin unturned
    }

    /// A force on the first body along x.
    void step(int count, double force = 0) {
        VectorXd tau = VectorXd::Zero(mujoco_.model->nv);
        tau[0] = force;
        mujoco_.data->qfrc_applied[0] = force;
        Controls controls;
        controls.tau_s = {tau.data(), static_cast<std::size_t>(tau.size())};
        for (int i = 0; i < count; ++i) {
            run(simulator_, 1, controls);
            for (int k = 0; k < kFiner; ++k) mj_step(mujoco_.model.get(), mujoco_.data.get());
        }
    }

    double weight_in_mujoco() const {
        double sum = 0;
        for (int i = 0; i < mujoco_.data->ncon; ++i) {
            mjtNum force[6];
            mj_contactForce(mujoco_.model.get(), mujoco_.data.get(), i, force);
            sum += force[0];
        }
        return sum;
    }
    double weight() const { return total_impulse(simulator_) / kStep; }
    double speed_in_mujoco(int v = 0) const { return mujoco_.data->qvel[v]; }
    /// Along the world's axes, as in MuJoCo; angular velocities about the body's, in both.
    double speed(int v = 0) {
        const VectorXd& q = simulator_.q();
        const int body = v / 6, k = v % 6;
        const Eigen::Quaterniond turn(Eigen::Vector4d(q.segment(7 * body + 3, 4)));
        const VectorXd own = simulator_.velocity().segment(6 * body, 6);
        return k < 3 ? (turn * Vector3d(own.head(3)))[k] : own[k];
    }
    double position_in_mujoco(int q = 0) const { return mujoco_.data->qpos[q]; }
    double position(int q = 0) const { return simulator_.q()[q]; }

private:
    static SimulatorOptions options(double friction) {
        SimulatorOptions options;
        options.step = kStep;
        options.friction = friction;
        options.self_collision = true;
        return options;
    }
    static Ground ground(bool has_plane) { return has_plane ? Ground(Plane{{0, 0, 1}, 0}) : Ground(); }

    mujoco_fixture::Simulated mujoco_;
    Simulator simulator_;
};

Model bodies_of(ShapeKind kind, int count, const Vector3d& gravity) {
    Model model = grbda::with_gravity(
        free_bodies(std::vector<double>(static_cast<std::size_t>(count), kMass), 2 * kHalf),
        {gravity.x(), gravity.y(), gravity.z()});
    const Vector3d size = kind == ShapeKind::box ? Vector3d::Constant(2 * kHalf) : Vector3d(kHalf, 0, 0);
    for (int i = 0; i < count; ++i) add_shape(model, i, kind, size);
    return model;
}

/// One body on the plane, which slopes by an angle about y.
Pair on_plane(ShapeKind kind, double friction, double speed, double angle = 0) {
    const Vector3d gravity = kGravity * Vector3d(std::sin(angle), 0, -std::cos(angle));
    Pair pair(bodies_of(kind, 1, gravity),
              scene(body(kind == ShapeKind::box ? kBox : kBall, {0, 0, kHalf}, friction), gravity, true),
              friction, true);
    VectorXd qd = VectorXd::Zero(6);
    qd[0] = speed;
    pair.set(pose({0, 0, kHalf}), qd);
    return pair;
}

}  // namespace

TEST_CASE("a box at rest weighs as in MuJoCo") {
    Pair pair = on_plane(ShapeKind::box, 0.5, 0);
    pair.step(1000);
    CHECK(pair.weight() == Approx(kMass * kGravity).epsilon(1e-6));
    CHECK(pair.weight_in_mujoco() == Approx(pair.weight()).epsilon(1e-3));
}

TEST_CASE("a box that slides stops as far away as in MuJoCo") {
    constexpr double speed = 2, friction = 0.4;
    Pair pair = on_plane(ShapeKind::box, friction, speed);
    pair.step(1000);
    CHECK(pair.position() == Approx(speed * speed / (2 * friction * kGravity)).epsilon(kSame));
    CHECK(pair.position_in_mujoco() == Approx(pair.position()).margin(kSame));
    CHECK(std::abs(pair.speed()) < 1e-6);
}

TEST_CASE("a box on an incline slides or sticks as in MuJoCo") {
    constexpr double friction = 0.5;
    for (const double ratio : {0.8, 1.2, 2.}) {  // of tan to friction
        INFO("tan " << ratio * friction);
        Pair pair = on_plane(ShapeKind::box, friction, 0, std::atan(ratio * friction));
        pair.step(1000);
        const double braked = friction * kGravity / std::hypot(1., ratio * friction);  // in a second
        CHECK(pair.speed() == Approx(std::max(ratio - 1, 0.) * braked).epsilon(1e-6).margin(1e-6));
        CHECK(pair.speed_in_mujoco() == Approx(pair.speed()).margin(ratio < 1 ? kCreep : kSoft * braked));
    }
}

TEST_CASE("a ball that slides begins to roll as in MuJoCo") {
    constexpr double speed = 2, friction = 0.3;
    Pair pair = on_plane(ShapeKind::sphere, friction, speed);
    pair.step(100);
    CHECK(pair.speed_in_mujoco() == Approx(pair.speed()).epsilon(kSame));
    pair.step(900);
    // m (v₀ − v) r = I v / r with I = ⅔ m r²
    CHECK(pair.speed() == Approx(speed * 3 / 5).epsilon(kSame));
    CHECK(pair.speed_in_mujoco() == Approx(pair.speed()).epsilon(kSame));
    CHECK(pair.speed_in_mujoco(4) == Approx(pair.speed(4)).epsilon(kSame));
}

TEST_CASE("balls that pass nearby go on as in MuJoCo") {
    const Vector3d start(-1, 0, 0), other(1, 0, 2 * kHalf + 1e-3);
    Pair pair(bodies_of(ShapeKind::sphere, 2, {0, 0, 0}),
              scene(body(kBall, start, 0.5) + body(kBall, other, 0.5), {0, 0, 0}, false), 0.5, false);
    VectorXd q(14), qd = VectorXd::Zero(12);
    q << pose(start), pose(other);
    qd[0] = 5;
    qd[6] = -5;
    pair.set(q, qd);
    pair.step(400);
    for (int v = 0; v < 12; ++v) {
        INFO("velocity " << v);
        CHECK(std::abs(pair.speed(v) - qd[v]) < 1e-9);
        CHECK(std::abs(pair.speed_in_mujoco(v) - qd[v]) < 1e-9);
    }
    CHECK(pair.position() == Approx(pair.position_in_mujoco()).margin(1e-9));
}

TEST_CASE("a box that is pulled starts to slide at the force that it takes in MuJoCo") {
    constexpr double friction = 0.5, most = friction * kMass * kGravity;
    for (const double ratio : {0.8, 0.95, 1.05, 1.5}) {
        INFO("pulled by " << ratio << " of what friction can hold");
        Pair pair = on_plane(ShapeKind::box, friction, 0);
        pair.step(200);  // MuJoCo's sinks first
        pair.step(500, ratio * most);
        const double braked = friction * kGravity * 0.5, expected = std::max(ratio - 1, 0.) * braked;
        CHECK(pair.speed() == Approx(expected).epsilon(1e-4).margin(1e-5));
        CHECK(pair.speed_in_mujoco() == Approx(expected).margin(ratio < 1 ? kCreep : kSoft * braked));
    }
}

TEST_CASE("a spring with a damper swings as in MuJoCo") {
    constexpr double stiffness = 300, damping = 2, mass = 1, pulled = 0.1;
    grbda::RobotDescription robot;
    robot.name = "slider";
    robot.links.push_back({"world_link", {}, {}});
    robot.links.push_back(link("cart", mass, 0.1));
    grbda::JointDescription joint;
    joint.name = "rail";
    joint.type = grbda::JointType::prismatic;
    joint.axis = Vector3d::UnitX();
    joint.parent = "world_link";
    joint.child = "cart";
    robot.joints.push_back(joint);
    Model model = grbda::build_model(robot, {});
    model.passive.stiffness.assign(1, stiffness);
    model.passive.damping.assign(1, damping);
    mujoco_fixture::Simulated other = mujoco_fixture::load(
        "<mujoco><option timestep='0.0001' integrator='RK4'/><worldbody><body><joint type='slide' axis='1 0 "
        "0' "
        "stiffness='300' damping='2'/><inertial pos='0 0 0' mass='1' diaginertia='.01 .01 .01'/></body>"
        "</worldbody></mujoco>");
    INFO(other.error);
    REQUIRE(other.model != nullptr);
    other.data->qpos[0] = pulled;
    SimulatorOptions options;
    options.step = kStep;
    Simulator simulator(model, options);
    REQUIRE(simulator.set_state(VectorXd::Constant(1, pulled), VectorXd::Zero(1)).ok());
    for (int i = 0; i < 20; ++i) {
        run(simulator, 50);
        for (int k = 0; k < 500; ++k) mj_step(other.model.get(), other.data.get());
        INFO("after " << simulator.time() << " s");
        // a rule of second order, with velocities of the middle of a step: h ω / 2 of the amplitude
        const double omega = std::sqrt(stiffness / mass);
        CHECK(std::abs(simulator.q()[0] - other.data->qpos[0]) < kStep * omega * pulled);
    }
}
