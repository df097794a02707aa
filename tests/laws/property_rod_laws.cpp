#include "grbda/baselines/baselines.hpp"
#include "grbda/batch/batch_data.hpp"
#include "constraints/coordinates.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "derivatives/kinematics_derivatives.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/regressor.hpp"
#include "mechanism/rods_fixture.hpp"
#include "laws/rod_lagrangian.hpp"
#include "support/differences.hpp"

// Models with rods obey the laws of models without rods.

namespace {

using namespace rods_fixture;
using grbda::Workspace;

constexpr double kRounding = 1e-9;
constexpr double kDifferences = 2e-6;

/// Every third has a strut.
grbda::RobotDescription robot_of(std::uint64_t seed) {
    return seed % 3 == 0 ? random_struts(seed) : random_robot(seed);
}

/// Calls law(model, state, random) for robots with rods, every other one on a floating base; every other rod
/// between balls spins.
template <class Law>
void with_rods(int count, Law&& law, bool spins = true) {
    int reached = 0;
    for (int seed = 100; seed < 100 + count; ++seed) {
        INFO("seed " << seed);
        Model model = built(robot_of(static_cast<std::uint64_t>(seed)), true, seed % 2 == 1);
        Random random(static_cast<std::uint64_t>(seed));
        if (spins && seed % 4 < 2) model = spinning(model, random);
        State state;
        if (!random_state(model, random, state)) continue;
        law(model, state, random);
        ++reached;
    }
    CHECK(reached > count / 2);
}

VectorXd inverse_of(const Model& model, const State& x) {
    Workspace<double> data(model);
    REQUIRE(grbda::rnea<double>(model, data, x.q, x.yd, x.ydd).ok());
    return data.tau;
}

/// h and its rate: A ẏ and A ÿ + Ȧ ẏ, and p n and p ω × n of the spins of rods.
VectorXd momentum_of(const Model& model, const State& x) {
    Workspace<double> data(model);
    MatrixXd A(6, model.nv), A_rate(6, model.nv);
    REQUIRE(grbda::momentum_matrix<double>(model, data, x.q, x.yd, A, A_rate).ok());
    VectorXd both(12);
    both << A * x.yd, A * x.ydd + A_rate * x.yd;
    REQUIRE(grbda::forward_kinematics<double>(model, data, x.q, x.yd).ok());
    for (std::size_t r = 0; r < model.rods.size(); ++r) {
        const grbda::Rod& rod = model.rods[r];
        const int frame = model.frame(model.names.rods[r].name).index;
        const grbda::Vector3<double> line = grbda::transpose_times(rod.rotation, rod.line);
        const Vector3d momentum = rod.spin_momentum * (grbda::frame_orientation(model, data, frame) *
                                                       Vector3d(line.x, line.y, line.z)),
                       omega = grbda::frame_velocity(model, data, frame, grbda::ReferenceFrame::world_aligned)
                                   .tail<3>();
        both.segment<3>(3) += momentum;
        both.tail<3>() += omega.cross(momentum);
    }
    return both;
}

/// Velocity and acceleration of a frame.
VectorXd motion_of(const Model& model, int frame, grbda::ReferenceFrame axes, const State& x) {
    Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, x.q, x.yd, x.ydd).ok());
    VectorXd both(12);
    both << grbda::frame_velocity(model, data, frame, axes),
        grbda::frame_acceleration(model, data, frame, axes);
    return both;
}

/// Derivatives of the motion of a frame, and the rate of its Jacobian.
void check_frame(const Model& model, int frame, grbda::ReferenceFrame axes, const State& s) {
    Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics_derivatives<double>(model, data, s.q, s.yd, s.ydd).ok());
    MatrixXd v_y(6, model.nv), v_yd = v_y, a_y = v_y, a_yd = v_y, a_ydd = v_y, rate = v_y, expected;
    grbda::frame_velocity_derivatives<double>(model, data, frame, axes, v_y, v_yd);
    grbda::frame_acceleration_derivatives<double>(model, data, frame, axes, grbda::Acceleration::classical,
                                                  a_y, a_yd, a_ydd);
    grbda::frame_jacobian_rate<double>(model, data, frame, axes, rate);
    const auto motion = [&](const State& x) { return motion_of(model, frame, axes, x); };
    REQUIRE(differences::along_configurations(model, s, motion, expected));
    CHECK(relative(v_y, expected.topRows(6)) < kDifferences);
    CHECK(relative(a_y, expected.bottomRows(6)) < kDifferences);
    const MatrixXd by_yd = differences::over_unit_steps(s, &State::yd, motion),
                   by_ydd = differences::over_unit_steps(s, &State::ydd, motion);
    CHECK(relative(v_yd, by_yd.topRows(6)) < kRounding);
    CHECK(relative(a_yd, by_yd.bottomRows(6)) < kRounding);
    CHECK(relative(a_ydd, by_ydd.bottomRows(6)) < kRounding);
    grbda::Matrix6X<double> J(6, model.nv);
    grbda::frame_jacobian<double>(model, data, frame, axes, J);
    CHECK(relative(v_yd, J) < kRounding);
    // the rate of J ẏ without that of ẏ, less ω × v of the frame's own axes
    const Vector3d v = motion(s).head(3), omega = motion(s).segment(3, 3);
    VectorXd carried = VectorXd::Zero(6);
    if (axes == grbda::ReferenceFrame::local) carried.head<3>() = omega.cross(v);
    State coasting = s;
    coasting.ydd.setZero();
    CHECK(relative(rate * s.yd, motion(coasting).tail(6) - carried) < kRounding);
}

}  // namespace

TEST_CASE("derivatives of the motion of rods agree with differences", "[rods]") {
    with_rods(20, [](const Model& model, const State& s, Random&) {
        for (const grbda::RodNames& rod : model.names.rods)
            for (const std::string& link : {rod.name, rod.links.back(), rod.piston})
                for (const auto axes : {grbda::ReferenceFrame::local, grbda::ReferenceFrame::world_aligned})
                    if (!link.empty()) check_frame(model, model.frame(link).index, axes, s);
    });
}

TEST_CASE("forward dynamics of rods is the baselines' in each form, and of batches", "[rods]") {
    with_rods(30, [](const Model& model, const State& s, Random&) {
        Workspace<double> data(model);
        REQUIRE(grbda::aba<double>(model, data, s.q, s.yd, s.tau, s.wrenches).ok());
        const VectorXd ydd = data.ydd;
        MatrixXd M(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(model, data, s.q, M).ok());
        namespace baselines = grbda::baselines;
        baselines::Workspace work(model);
        for (const auto method : {baselines::Method::dense_kkt, baselines::Method::projection}) {
            REQUIRE(baselines::forward_dynamics(method, model, work, s.q, s.yd, s.tau, s.wrenches).ok());
            CHECK(relative_by_inertia(M, ydd, work.ydd) < kRounding);
        }
        CHECK(baselines::forward_dynamics(baselines::Method::range_space, model, work, s.q, s.yd, s.tau,
                                          s.wrenches)
                  .status == grbda::Status::undefined);
        REQUIRE(baselines::inverse_dynamics(model, work, s.q, s.yd, s.ydd, s.wrenches).ok());
        CHECK(relative(M, work.M) < kRounding);
        REQUIRE(grbda::rnea<double>(model, data, s.q, s.yd, s.ydd, s.wrenches).ok());
        CHECK(relative(data.tau, work.tau) < kRounding);
        for (const grbda::Simd simd : {grbda::Simd::scalar, grbda::Simd::portable, grbda::widest_simd()}) {
            grbda::BatchData batch(model, 1, simd);
            MatrixXd many(model.nv, 5);
            const auto repeated = [](const VectorXd& x) { return MatrixXd(x.replicate(1, 5)); };
            REQUIRE(grbda::aba(model, batch, repeated(s.q), repeated(s.yd), repeated(s.tau),
                               repeated(s.wrenches.reshaped()), many)
                        .ok());
            CHECK(relative_by_inertia(M, many.col(4), ydd) < kRounding);
        }
    });
    for (std::uint64_t seed = 100; seed < 115; ++seed) {
        const auto robot = robot_of(seed);
        const Model by_columns = built(robot, true, false, grbda::Form::jacobians),
                    by_tree = built(robot, true, false, grbda::Form::tree);
        Random random(seed);
        State s;
        if (!random_state(by_columns, random, s)) continue;
        Workspace<double> a(by_columns), b(by_tree);
        MatrixXd M(by_columns.nv, by_columns.nv), M_tree = M;
        REQUIRE(grbda::crba<double>(by_columns, a, s.q, M).ok());
        REQUIRE(grbda::crba<double>(by_tree, b, s.q, M_tree).ok());
        CHECK(relative(M_tree, M) < kRounding);
        REQUIRE(grbda::aba<double>(by_columns, a, s.q, s.yd, s.tau).ok());
        REQUIRE(grbda::aba<double>(by_tree, b, s.q, s.yd, s.tau).ok());
        CHECK(relative_by_inertia(M, b.ydd, a.ydd) < kRounding);
    }
}

TEST_CASE("derivatives of dynamics and momentum with rods agree with differences", "[rods]") {
    with_rods(20, [](const Model& model, const State& s, Random&) {
        Workspace<double> data(model);
        MatrixXd y(model.nv, model.nv), yd = y, M = y, expected;
        REQUIRE(grbda::rnea_derivatives<double>(model, data, s.q, s.yd, s.ydd, y, yd, M).ok());
        const auto tau = [&](const State& x) { return inverse_of(model, x); };
        REQUIRE(differences::along_configurations(model, s, tau, expected));
        CHECK(relative(y, expected) < kDifferences);
        CHECK(relative(yd, differences::over_unit_steps(s, &State::yd, tau)) < kRounding);
        MatrixXd M_expected = M;
        REQUIRE(grbda::crba<double>(model, data, s.q, M_expected).ok());
        CHECK(relative(M, M_expected) < kRounding);

        MatrixXd dh(6, model.nv), dhd = dh, dhd_yd = dh, A = dh;
        REQUIRE(grbda::momentum_derivatives<double>(model, data, s.q, s.yd, s.ydd, dh, dhd, dhd_yd, A).ok());
        const auto momentum = [&](const State& x) { return momentum_of(model, x); };
        REQUIRE(differences::along_configurations(model, s, momentum, expected));
        CHECK(relative(dh, expected.topRows(6)) < kDifferences);
        CHECK(relative(dhd, expected.bottomRows(6)) < kDifferences);
        CHECK(relative(dhd_yd, differences::over_unit_steps(s, &State::yd, momentum).bottomRows(6)) <
              kRounding);
        grbda::MechanicalState state;
        REQUIRE(grbda::mechanical_state<double>(model, data, s.q, s.yd, state).ok());
        CHECK(relative((A * s.yd).head(3), state.linear_momentum) < kRounding);
        CHECK(relative(momentum(s).segment(3, 3), state.angular_momentum) < kRounding);
    });
}

TEST_CASE("regressors have the parameters of rods", "[rods]") {
    const auto law = [](const Model& model, const State& s, Random&) {
        Workspace<double> data(model);
        const VectorXd pi = grbda::inertial_parameters(model);
        MatrixXd Y(model.nv, pi.size());
        REQUIRE(grbda::torque_regressor<double>(model, data, s.q, s.yd, s.ydd, Y).ok());
        CHECK(relative(Y * pi, inverse_of(model, s)) < kRounding);
        VectorXd kinetic(pi.size()), potential(pi.size());
        REQUIRE(grbda::energy_regressors<double>(model, data, s.q, s.yd, kinetic, potential).ok());
        grbda::MechanicalState state;
        REQUIRE(grbda::mechanical_state<double>(model, data, s.q, s.yd, state).ok());
        CHECK(kinetic.dot(pi) == Approx(state.kinetic).epsilon(kRounding));
        CHECK(potential.dot(pi) == Approx(state.potential).margin(kRounding * (1 + pi.norm())));
    };
    with_rods(20, law, false);
}

TEST_CASE("the Lagrangian of rods has the law of motion that inverse dynamics has", "[rods]") {
    // Gᵀ (d/dt ∂L/∂q̇ − ∂L/∂q) = τ, along the motion with y = ẏ t + ÿ t²/2
    int reached = 0;
    for (std::uint64_t seed = 100; seed < 120; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Model model = spinning(built(robot_of(seed), true), random);
        State s;
        if (!random_state(model, random, s)) continue;
        Workspace<double> data(model);
        grbda::test::Lagrangian lagrangian(model, true);
        VectorXd momentum(model.nv_tree), slope(model.nv_tree), tau(model.nv);
        const auto momentum_at = [&](double t) -> VectorXd {
            const VectorXd q = differences::moved(model, data, s.q, VectorXd(s.yd * t + s.ydd * (t * t / 2)));
            REQUIRE(grbda::spanning_velocity<double>(model, data, q, VectorXd(s.yd + s.ydd * t)).ok());
            const VectorXd qd = data.qd;
            lagrangian.differentiate(model, data, q, qd, momentum, slope);
            return momentum;
        };
        const VectorXd rate = motion::derivative(momentum_at);
        momentum_at(0);
        const VectorXd force = rate - slope;
        REQUIRE(grbda::independent_force<double>(model, data, s.q, force, tau).ok());
        CHECK(relative(tau, inverse_of(model, s)) < kDifferences);
        ++reached;
    }
    CHECK(reached > 10);
}
