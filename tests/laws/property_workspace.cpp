#include <cstring>
#include <limits>
#include <stdexcept>
#include <thread>

#include "grbda/batch/batch_data.hpp"
#include "grbda/compile/build.hpp"
#include "constraints/actuation.hpp"
#include "constraints/closure.hpp"
#include "constraints/constraint_forces.hpp"
#include "constraints/embedding.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Results depend only on the arguments, not on the earlier contents of the workspace, the run, or the thread.

namespace {

using namespace test_robots;

constexpr int kStates = 2;

/// Overwrites whatever of it is made of doubles.
template <class T>
void spoil(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (T& value : values)
        for (std::size_t i = 0; i < sizeof(T); i += sizeof(double))
            std::memcpy(reinterpret_cast<char*>(&value) + i, &nan, sizeof(double));
}

void spoil(grbda::Directions<double>& x) {
    static_assert(sizeof(x) == 25 * sizeof(std::vector<double>));
    std::fill(x.path.begin(), x.path.end(), -1);
    const auto each = [](auto&... vectors) { (spoil(vectors), ...); };
    each(x.e, x.eta, x.eta_rate, x.s_rate, x.s_acceleration, x.qdd, x.force, x.rate, x.acceleration, x.turn);
    each(x.multiplier, x.cut, x.B, x.Z, x.force_y, x.force_yd, x.rows, x.own_y, x.own_yd, x.own_M, x.between);
    each(x.entries_y, x.entries_yd, x.columns);
}

void spoil(grbda::Workspace<double>& data) {
    // layout, factors and the size of the scratch space in use, the chart, five results, 54 vectors and those
    // of derivatives: a new member has to be spoiled too
    static_assert(sizeof(data) == 3 * sizeof(std::size_t) + sizeof(grbda::Chart) +
                                      5 * sizeof(Eigen::VectorXd) + 54 * sizeof(std::vector<double>) +
                                      sizeof(grbda::Directions<double>));
    std::fill(data.chosen.begin(), data.chosen.end(), -1);
    for (grbda::VectorX<double>* x : {&data.ydd, &data.tau, &data.qd, &data.qdd, &data.tau_tree})
        x->setConstant(std::numeric_limits<double>::quiet_NaN());
    const auto each = [](auto&... vectors) { (spoil(vectors), ...); };
    each(data.angle, data.sine, data.cosine, data.loop_frames, data.rod_columns, data.rod_spins,
         data.strut_columns);
    each(data.R, data.p, data.v, data.c, data.b, data.a0, data.a, data.I, data.IA, data.pA, data.s, data.rate,
         data.g, data.displacement, data.tangent);
    each(data.Psi, data.k, data.phi, data.wanted, data.G, data.K, data.inverse, data.J, data.W, data.D,
         data.u, data.y_rate);
    each(data.y_acceleration, data.rcond, data.margin, data.origin, data.trial);
    each(data.path, data.goal, data.reached, data.scratch);
    each(data.rate_change, data.force, data.U);
    each(data.F, data.e, data.Q, data.row_factors, data.pivot, data.rest, data.multiplier);
    spoil(data.directions);
}

/// Every number that the algorithms give at a state, in one vector; `before` runs before each of them.
template <class Before>
Eigen::VectorXd everything(const grbda::Model& model, grbda::Workspace<double>& data, const State& state,
                           Before&& before) {
    std::vector<double> all;
    const auto keep = [&](const Eigen::MatrixXd& x) { all.insert(all.end(), x.data(), x.data() + x.size()); };
    // Moving may end at a fold.
    const auto keep_status = [&](const grbda::Result& x) { all.push_back(static_cast<double>(x.status)); };
    const auto run = [&](auto&& algorithm) {
        before(data);
        algorithm();
    };
    run([&] {
        must(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches));
        keep(data.ydd);
    });
    run([&] {
        must(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches));
        keep(data.tau);
    });
    run([&] {
        must(grbda::bias_force<double>(model, data, state.q, state.yd));
        keep(data.tau);
    });
    Eigen::MatrixXd M(model.nv, model.nv);
    run([&] {
        must(grbda::crba<double>(model, data, state.q, M));
        keep(M);
    });
    Eigen::MatrixXd in_y = M, in_yd = M;
    run([&] {
        must(grbda::rnea_derivatives<double>(model, data, state.q, state.yd, state.ydd, state.wrenches, in_y,
                                             in_yd, M));
        for (const Eigen::MatrixXd* x : {&in_y, &in_yd, &M}) keep(*x);
    });
    run([&] {
        must(grbda::aba_derivatives<double>(model, data, state.q, state.yd, state.tau, state.wrenches, in_y,
                                            in_yd, M));
        for (const Eigen::MatrixXd* x : {&in_y, &in_yd, &M}) keep(*x);
        keep(data.ydd);
    });
    run([&] {
        must(grbda::inverse_mass_matrix<double>(model, data, state.q, M));
        keep(M);
    });
    run([&] {
        must(grbda::spanning_velocity<double>(model, data, state.q, state.yd));
        keep(data.qd);
    });
    run([&] {
        must(grbda::spanning_acceleration<double>(model, data, state.q, state.yd, state.ydd));
        keep(data.qdd);
    });
    run([&] {
        must(grbda::constraint_embedding<double>(model, data, state.q, state.yd));
        keep(grbda::explicit_jacobian(model, data));
        keep(grbda::explicit_bias(model, data));
        keep(grbda::implicit_jacobian(model, data));
        keep(grbda::implicit_bias(model, data));
    });
    Eigen::VectorXd q = state.q, next(model.nq), back(model.nv);
    run([&] {
        keep_status(grbda::close_loops<double>(model, data, q));
        keep(q);
    });
    run([&] {
        keep_status(grbda::integrate<double>(model, data, state.q, 0.1 * state.yd, next));
        keep(next);
    });
    run([&] {
        const grbda::Result result = grbda::difference<double>(model, data, state.q, next, back);
        keep_status(result);
        if (result.ok()) keep(back);  // otherwise NaN
    });
    run([&] {
        grbda::MechanicalState now;
        must(grbda::mechanical_state<double>(model, data, state.q, state.yd, now));
        keep(Eigen::Vector2d(now.kinetic, now.potential));
        keep(now.com);
        keep(now.angular_momentum);
    });
    const int parameters = grbda::parameters_per_body * model.carrier_count();
    run([&] {
        Eigen::MatrixXd Y(model.nv, parameters);
        must(grbda::torque_regressor<double>(model, data, state.q, state.yd, state.ydd, Y));
        keep(Y);
    });
    run([&] {
        Eigen::VectorXd kinetic(parameters), potential(parameters);
        must(grbda::energy_regressors<double>(model, data, state.q, state.yd, kinetic, potential));
        keep(kinetic);
        keep(potential);
    });
    run([&] {
        Eigen::MatrixXd Y(model.nv, 3 * model.nv_tree);
        must(grbda::joint_regressor<double>(model, data, state.q, state.yd, state.ydd, Y));
        keep(Y);
    });
    run([&] {
        grbda::ConstraintForces forces(model);
        must(grbda::constraint_forces<double>(model, data, state.q, state.yd, state.ydd, state.wrenches,
                                              forces));
        keep(forces.loops);
        keep(forces.joints);
        keep(forces.multipliers);
    });
    run([&] {
        grbda::Determinacy determinacy;
        must(grbda::static_determinacy<double>(model, data, state.q, determinacy));
        keep(determinacy.loops.cast<double>());
        keep(determinacy.joints.cast<double>());
    });
    run([&] {
        grbda::Actuation<double> actuation(model);
        must(grbda::actuation_jacobian<double>(model, data, state.q, actuation));
        keep(actuation.J);
    });
    run([&] {
        must(grbda::forward_kinematics<double>(model, data, state.q, state.yd, state.ydd));
        grbda::Matrix6X<double> J(6, model.nv);
        for (int f = 0; f < static_cast<int>(model.frames.size()); ++f) {
            keep(grbda::frame_position(model, data, f));
            keep(grbda::frame_velocity(model, data, f, grbda::ReferenceFrame::local));
            keep(grbda::frame_acceleration(model, data, f, grbda::ReferenceFrame::local));
            grbda::frame_jacobian<double>(model, data, f, grbda::ReferenceFrame::local, J);
            keep(J);
        }
    });
    return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

void nothing(grbda::Workspace<double>&) {}

}  // namespace

TEST_CASE("a workspace filled with NaN beforehand changes nothing") {
    at_random_states(all(), kStates, 61, [](const Robot& robot, const State& state, Random& random) {
        grbda::LoadOptions options = robot.options;
        options.form = grbda::all_forms[random() % grbda::all_forms.size()];
        const grbda::Model in_form = grbda::build_model(robot.description, options);
        for (const grbda::Model* model : {&robot.model, &in_form}) {
            grbda::Workspace<double> fresh(*model), spoiled(*model);
            const Eigen::VectorXd expected = everything(*model, fresh, state, nothing);
            CHECK(expected.allFinite());
            CHECK(same_bits(
                everything(*model, spoiled, state, [](grbda::Workspace<double>& data) { spoil(data); }),
                expected));
        }
    });
}

TEST_CASE("a workspace of the same robot with other clusters is refused") {
    const Robot& robot = named("mit_humanoid");
    grbda::LoadOptions options;
    options.rotor_reduction = false;
    const grbda::Model other = grbda::build_model(robot.description, options);
    REQUIRE(other.nq == robot.model.nq);
    REQUIRE(other.nv == robot.model.nv);
    const Eigen::VectorXd q = grbda::neutral_configuration(other), y = Eigen::VectorXd::Zero(other.nv);
    grbda::Workspace<double> data(robot.model);
    CHECK_THROWS_AS(grbda::aba<double>(other, data, q, y, y), std::invalid_argument);
    grbda::BatchData batch(robot.model);
    Eigen::MatrixXd ydd(other.nv, 1);
    CHECK_THROWS_AS(grbda::aba(other, batch, q, y, y, ydd), std::invalid_argument);
}

TEST_CASE("results are bit-equal on every run and thread") {
    constexpr std::size_t kThreads = 3;
    at_random_states(all(), kStates, 62, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd expected = everything(model, data, state, nothing);
        CHECK(same_bits(everything(model, data, state, nothing), expected));
        std::vector<Eigen::VectorXd> found(kThreads);
        std::vector<std::thread> threads;
        for (Eigen::VectorXd& result : found)
            threads.emplace_back([&model, &state, &result] {
                grbda::Workspace<double> own(model);
                result = everything(model, own, state, nothing);
            });
        for (std::thread& thread : threads) thread.join();
        for (const Eigen::VectorXd& result : found) CHECK(same_bits(result, expected));
    });
}
