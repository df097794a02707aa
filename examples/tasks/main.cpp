#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <string>

#include "floating_base.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/energy.hpp"
#include "grbda/io/load.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "tasks.hpp"

// Runs the ten tasks on robots of robots/ and checks each against an independent law.

namespace tasks {
namespace {

bool kept = true;

/// `found` must be zero up to `tolerance`, both in the same unit or both relative.
void check(const std::string& law, double found, double tolerance) {
    const bool good = found <= tolerance;  // false for NaN
    std::printf("%-4s %-58s %8.1e of %.0e\n", good ? "ok" : "NO", law.c_str(), found, tolerance);
    kept = kept && good;
}

constexpr double rounding = 1e-9;     // relative, of sums of a few hundred terms
constexpr double differenced = 1e-5;  // central differences of step 1e-5 in double precision
constexpr double tiny = 1e-5;

/// A robot at a random state.
struct State {
    explicit State(const grbda::Model& m) : model(m), data(m), q(grbda::random_configuration(m, generator)) {
        for (Vector* x : {&yd, &ydd}) *x = random(1);
        tau = random(10);
    }

    Vector random(double scale) {
        std::uniform_real_distribution<double> uniform(-scale, scale);
        return Vector::NullaryExpr(model.nv, [&] { return uniform(generator); });
    }

    std::mt19937_64 generator{1};
    const grbda::Model& model;
    Data data;
    Vector q, yd, ydd, tau;
};

double relative(const Matrix& a, const Matrix& b) { return (a - b).norm() / b.norm(); }

double energy(State& s, const Vector& q, const Vector& yd) {
    require(grbda::mechanical_state(s.model, s.data, q, yd));
    return s.data.mechanics.kinetic + s.data.mechanics.potential;
}

/// Time derivative of a function along the motion with ÿ.
template <class F>
auto rate(State& s, F&& f) {
    const auto at = [&](double t) {
        return f(moved(s.model, s.data, s.q, s.yd + 0.5 * t * s.ydd, t), Vector(s.yd + t * s.ydd));
    };
    const auto after = at(tiny), before = at(-tiny);
    return decltype(at(tiny))((after - before) / (2 * tiny));
}

void check_loading(const std::string& file) {
    const grbda::Model fixed = grbda::load(file), floating = load_floating(file);
    check("1 a floating base has six velocities more", std::abs(floating.nv - fixed.nv - 6), 0);
}

void check_configurations(State& s) {
    Vector way(s.model.nv);
    const Vector q = moved(s.model, s.data, s.q, s.yd, 0.1);
    require(grbda::difference(s.model, s.data, s.q, q, way));
    check("2 difference undoes integrate", relative(way, 0.1 * s.yd), rounding);
}

void check_dynamics(State& s) {
    const Vector tau = inverse_dynamics(s.model, s.data, s.q, s.yd, s.ydd);
    const double power = rate(s, [&](const Vector& q, const Vector& yd) { return energy(s, q, yd); });
    check("3 power of the forces is the rate of the energy",
          std::abs(tau.dot(s.yd) - power) / std::abs(power), differenced);

    const int body = s.model.body_count() / 2;
    const Eigen::Vector3d force(3, -4, 12);
    const Vector free = pushed(s.model, s.data, s.q, s.yd, tau, body, {0, 0, 0});
    check("4 forward dynamics gives the accelerations back", relative(free, s.ydd), rounding);
    const Vector more = pushed(s.model, s.data, s.q, s.yd, tau, body, force) - free;
    const Matrix M = mass_matrix(s.model, s.data, s.q);
    const FrameMotion frame = frame_motion(s.model, s.data, s.q, s.yd, s.model.names.bodies[body]);
    check("4 a push adds M⁻¹ Jᵀ f", relative(M * more, frame.J.topRows<3>().transpose() * force), rounding);

    require(grbda::mechanical_state(s.model, s.data, s.q, s.yd));
    const double kinetic = 0.5 * s.yd.dot(M * s.yd);
    check("5 ½ ẏᵀ M ẏ is the kinetic energy", std::abs(kinetic - s.data.mechanics.kinetic) / kinetic,
          rounding);
}

void check_frames(State& s) {
    const std::string& last = s.model.names.bodies.back();
    const auto at = [&](const Vector& q, const Vector& yd) {
        return frame_motion(s.model, s.data, q, yd, last);
    };
    const FrameMotion frame = at(s.q, s.yd);
    const Eigen::Vector3d v = rate(s, [&](const Vector& q, const Vector& yd) { return at(q, yd).position; });
    const Eigen::Matrix3d turning =
        rate(s, [&](const Vector& q, const Vector& yd) { return at(q, yd).orientation; });
    const Eigen::Matrix3d skew = turning * frame.orientation.transpose();
    Velocity velocity;
    velocity << v, skew(2, 1), skew(0, 2), skew(1, 0);
    check("6 a frame's velocity is the rate of its placement", relative(frame.velocity, velocity),
          differenced);
    check("6 a frame's velocity is J ẏ", relative(frame.J * s.yd, frame.velocity), rounding);
}

void check_loops(const std::string& file, const std::string& joint, double position) {
    const grbda::Model model = grbda::load(file);
    Data data(model);
    const Loops loops = close_loops(model, data, joint, position);
    const double moved_on = loops.q[model.joint(joint).q.first] - position;
    check("7 the joint stands where it was put", std::abs(moved_on), 0);
    check("7 K G = 0", (loops.K * loops.G).norm() / loops.K.norm(), rounding);
    const Vector y = Vector::Constant(model.nv, tiny);
    const Vector way = moved(model, data, loops.q, y, 1) - moved(model, data, loops.q, -y, 1);
    check("7 the joints move along G", relative(way / 2, loops.G * y), differenced);
}

void check_derivatives(State& s) {
    const Derivatives exact = forward_derivatives(s.model, s.data, s.q, s.yd, s.tau);
    const auto ydd = [&](const Vector& q, const Vector& yd) {
        require(grbda::aba(s.model, s.data, q, yd, s.tau));
        return s.data.ydd;
    };
    const Vector d = s.random(1);
    const Vector by_y =
        ydd(moved(s.model, s.data, s.q, d, tiny), s.yd) - ydd(moved(s.model, s.data, s.q, d, -tiny), s.yd);
    check("8 derivatives by y, against differences", relative(exact.by_y * d, by_y / (2 * tiny)),
          differenced);
    const Vector by_yd = ydd(s.q, s.yd + tiny * d) - ydd(s.q, s.yd - tiny * d);
    check("8 derivatives by ẏ, against differences", relative(exact.by_yd * d, by_yd / (2 * tiny)),
          differenced);
    const Matrix M = mass_matrix(s.model, s.data, s.q);
    check("8 the derivative by τ is M⁻¹",
          relative(M * exact.by_tau, Matrix::Identity(s.model.nv, s.model.nv)), rounding);
}

/// The remaining momentum must equal the impulse of weight and ground.
void check_landing(const grbda::Model& model) {
    constexpr double seconds = 0.3;
    Data data(model);
    Vector q = grbda::neutral_configuration(model);
    q[2] = 0.45;
    const Landing end = drop(model, q, seconds);
    require(grbda::mechanical_state(model, data, end.q, grbda::independent_part(model, end.qd)));
    const grbda::MechanicalState& state = data.mechanics;
    const double weight = state.mass * 9.81 * seconds;
    check("9 momentum is weight and impulses of the ground",
          std::abs(state.linear_momentum.z() + weight - end.impulse) / weight,
          1e-6);  // while the feet stick
    check("9 the ground has borne it", end.impulse > 0.1 * weight ? 0 : 1, 0);
}

void check_many(State& s) {
    constexpr int N = 5;
    Matrix q(s.model.nq, N), yd(s.model.nv, N), tau(s.model.nv, N), ydd(s.model.nv, N);
    for (int i = 0; i < N; ++i) {
        q.col(i) = grbda::random_configuration(s.model, s.generator);
        yd.col(i) = s.random(1);
        tau.col(i) = s.random(10);
        require(grbda::aba(s.model, s.data, q.col(i), yd.col(i), tau.col(i)));
        ydd.col(i) = s.data.ydd;
    }
    check("10 many states have the accelerations of each",
          relative(many_accelerations(s.model, 2, q, yd, tau), ydd), rounding);
}

/// A point of the base moves equally in all conventions, forces have equal power, and all conversions invert.
void check_conversions(State& s) {
    const Position q = s.q.head<7>();
    const Velocity v = s.yd.head<6>(), f = s.tau.head<6>();
    const Velocity w = to_world(q, v), g = swapped(v);
    const Eigen::Vector3d arm(0.3, -0.2, 0.5);
    const auto point = [&](const Vector& x, const Vector&) {
        const Position base = x.head<7>();
        return Eigen::Vector3d(base.head<3>() + orientation(base) * arm);
    };
    const Eigen::Vector3d moving = rate(s, point);
    const Eigen::Matrix3d R = orientation(q).toRotationMatrix();
    check("a point's velocity, MuJoCo and RBDL", relative(w.head<3>() + R * w.tail<3>().cross(arm), moving),
          differenced);
    check("a point's velocity, generalized_rbda",
          relative(R * (g.tail<3>() + g.head<3>().cross(arm)), moving), differenced);
    const Velocity accelerating = rate(s, [](const Vector& x, const Vector& yd) {
        return to_world(Position(x.head<7>()), Velocity(yd.head<6>()));
    });
    const Velocity a = acceleration_to_world(q, v, s.ydd.head<6>());
    check("accelerations are rates of velocities", relative(a, accelerating), differenced);
    const double power = v.dot(f);
    check("forces have the same power, MuJoCo and RBDL", std::abs(to_world(q, f).dot(w) - power), rounding);
    check("forces have the same power, generalized_rbda", std::abs(swapped(f).dot(g) - power), rounding);
    check("q, v and a come back",
          (w_last(w_first(q)) - q).norm() + (from_rbdl(to_rbdl(s.q)) - s.q).norm() +
              (to_body(q, w) - v).norm() + (acceleration_to_body(q, v, a) - s.ydd.head<6>()).norm(),
          rounding);
    check("the quaternion of RBDL ends with w", std::abs(to_rbdl(s.q)[s.q.size() - 1] - q[6]), 0);
}

void check_robot(const grbda::Model& model) {
    std::printf("%s\n", model.names.robot.c_str());
    State state(model);
    check_configurations(state);
    check_dynamics(state);
    check_frames(state);
    check_derivatives(state);
    check_many(state);
    check_conversions(state);
}

}  // namespace
}  // namespace tasks

int main(int argc, char** argv) try {
    if (argc != 2) throw std::runtime_error("usage: grbda_tasks ROBOTS, the folder robots/");
    const std::string robots = argv[1];
    const grbda::Model cheetah = grbda::load(robots + "/mini_cheetah/mini_cheetah.urdf");
    tasks::check_loading(robots + "/four_bar/four_bar.urdf");
    tasks::check_loops(robots + "/four_bar/four_bar.urdf", "joint1", 0.5);
    tasks::check_landing(cheetah);
    tasks::check_robot(cheetah);                                                   // rotors behind gears
    tasks::check_robot(grbda::load(robots + "/tello/tello.urdf"));                 // differentials of rods
    tasks::check_robot(tasks::load_floating(robots + "/four_bar/four_bar.urdf"));  // a floating loop
    return tasks::kept ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
