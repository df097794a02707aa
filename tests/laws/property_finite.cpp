#include <functional>
#include <limits>
#include <stdexcept>

#include "grbda/baselines/baselines.hpp"
#include "grbda/batch/batch_data.hpp"
#include "constraints/embedding.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "support/robots.hpp"

// No answer is ok that was made of NaN, infinite or too large numbers, or that holds one.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Result;
using grbda::Status;
using grbda::Workspace;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRefused[] = {kNan, kInfinity, -kInfinity, 1e300};
constexpr double kLarge[] = {1e15, -1e50, 9e99};  // accepted, whatever the result

/// A call with its result and its outputs.
struct Answer {
    std::string name;
    Result result;
    VectorXd numbers;
};

struct Reads {
    bool yd = true, ydd = false, tau = false, wrenches = false, gravity = false;
};

using Call = std::function<Answer(const Model&, Workspace<double>&, const State&)>;

struct Algorithm {
    Reads reads;
    Call call;
};

VectorXd mechanics(const grbda::MechanicalState& now) {
    VectorXd all(11);
    all << now.kinetic, now.potential, now.com, now.linear_momentum, now.angular_momentum;
    return all;
}

/// The numbers that a function reads from data, NaN if it refuses.
template <class Read>
VectorXd read_or_nan(const Read& read) {
    try {
        return read();
    } catch (const std::invalid_argument&) {
        return VectorXd::Constant(1, std::numeric_limits<double>::quiet_NaN());
    }
}

VectorXd all_frames(const Model& model, const Workspace<double>& data, bool moving, bool accelerated) {
    std::vector<double> all;
    const auto keep = [&](const auto& x) { all.insert(all.end(), x.data(), x.data() + x.size()); };
    for (int frame = 0; frame < static_cast<int>(model.frames.size()); ++frame) {
        keep(grbda::frame_orientation(model, data, frame));
        keep(grbda::frame_position(model, data, frame));
        if (moving) keep(grbda::frame_velocity(model, data, frame, grbda::ReferenceFrame::local));
        if (accelerated) keep(grbda::frame_acceleration(model, data, frame, grbda::ReferenceFrame::local));
    }
    return Eigen::Map<const VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

/// All calls whose numbers are NaN if they are not ok.
std::vector<Algorithm> algorithms() {
    std::vector<Algorithm> list;
    list.push_back({{true, false, true, true, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        const Result result = grbda::aba<double>(model, data, x.q, x.yd, x.tau, x.wrenches);
                        return {"aba", result, data.ydd};
                    }});
    list.push_back({{true, true, false, true, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        const Result result = grbda::rnea<double>(model, data, x.q, x.yd, x.ydd, x.wrenches);
                        return {"rnea", result, data.tau};
                    }});
    list.push_back({{true, false, false, true, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        const Result result = grbda::bias_force<double>(model, data, x.q, x.yd, x.wrenches);
                        return {"bias_force", result, data.tau};
                    }});
    list.push_back({{false, false, false, false, false}, [](auto& model, auto& data, auto& x) -> Answer {
                        MatrixXd M(model.nv, model.nv);
                        const Result result = grbda::crba<double>(model, data, x.q, M);
                        return {"crba", result, M.reshaped()};
                    }});
    list.push_back({{true, true, false, true, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        MatrixXd all(model.nv, 3 * model.nv);
                        const int n = model.nv;
                        const Result result = grbda::rnea_derivatives<double>(
                            model, data, x.q, x.yd, x.ydd, x.wrenches, all.leftCols(n), all.middleCols(n, n),
                            all.rightCols(n));
                        return {"rnea_derivatives", result, all.reshaped()};
                    }});
    list.push_back({{true, false, true, true, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        MatrixXd all(model.nv, 3 * model.nv + 1);
                        const int n = model.nv;
                        const Result result = grbda::aba_derivatives<double>(
                            model, data, x.q, x.yd, x.tau, x.wrenches, all.leftCols(n), all.middleCols(n, n),
                            all.middleCols(2 * n, n));
                        all.col(3 * n) = data.ydd;
                        return {"aba_derivatives", result, all.reshaped()};
                    }});
    list.push_back({{false, false, false, false, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        MatrixXd inverse(model.nv, model.nv);
                        const Result result = grbda::inverse_mass_matrix<double>(model, data, x.q, inverse);
                        return {"inverse_mass_matrix", result, inverse.reshaped()};
                    }});
    list.push_back({{true, false, false, false, false}, [](auto& model, auto& data, auto& x) -> Answer {
                        const Result result = grbda::spanning_velocity<double>(model, data, x.q, x.yd);
                        return {"spanning_velocity", result, data.qd};
                    }});
    list.push_back({{true, true, false, false, false}, [](auto& model, auto& data, auto& x) -> Answer {
                        const Result result =
                            grbda::spanning_acceleration<double>(model, data, x.q, x.yd, x.ydd);
                        VectorXd both(2 * model.nv_tree);
                        both << data.qd, data.qdd;
                        return {"spanning_acceleration", result, both};
                    }});
    list.push_back({{true, false, false, false, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        grbda::MechanicalState now;
                        const Result result = grbda::mechanical_state<double>(model, data, x.q, x.yd, now);
                        return {"mechanical_state", result, mechanics(now)};
                    }});
    list.push_back({{true, false, false, false, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        VectorXd qd = VectorXd::Zero(model.nv_tree), both(model.nv + model.nv_tree);
                        qd.head(model.nv) = x.yd;
                        const Result result = grbda::joint_forces<double>(model, data, x.q, qd);
                        both << data.tau, data.tau_tree;
                        return {"joint_forces", result, both};
                    }});
    list.push_back({{true, true, false, false, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        MatrixXd Y(model.nv, grbda::parameters_per_body * model.carrier_count());
                        const Result result =
                            grbda::torque_regressor<double>(model, data, x.q, x.yd, x.ydd, Y);
                        return {"torque_regressor", result, Y.reshaped()};
                    }});
    list.push_back({{true, false, false, false, true}, [](auto& model, auto& data, auto& x) -> Answer {
                        const int n = grbda::parameters_per_body * model.carrier_count();
                        VectorXd kinetic(n), potential(n), both(2 * n);
                        const Result result =
                            grbda::energy_regressors<double>(model, data, x.q, x.yd, kinetic, potential);
                        both << kinetic, potential;
                        return {"energy_regressors", result, both};
                    }});
    list.push_back({{true, true, false, false, false}, [](auto& model, auto& data, auto& x) -> Answer {
                        MatrixXd Y(model.nv, 3 * model.nv_tree);
                        const Result result =
                            grbda::joint_regressor<double>(model, data, x.q, x.yd, x.ydd, Y);
                        return {"joint_regressor", result, Y.reshaped()};
                    }});
    return list;
}

VectorXd frames(const Model& model, const Workspace<double>& data, bool moving, bool accelerated) {
    return read_or_nan([&] { return all_frames(model, data, moving, accelerated); });
}

VectorXd embedding(const Model& model, const Workspace<double>& data) {
    VectorXd all(model.nv_tree * model.nv + model.nv_tree + model.rows * model.nv_tree + model.rows);
    all << grbda::explicit_jacobian(model, data).reshaped(), grbda::explicit_bias(model, data),
        grbda::implicit_jacobian(model, data).reshaped(), grbda::implicit_bias(model, data);
    return all;
}

/// Calls that leave numbers in Data. The numbers, except poses, are refused if the calls are not ok.
std::vector<Algorithm> sweeps() {
    std::vector<Algorithm> list;
    list.push_back({{false, false, false, false, false}, [](auto& model, auto& data, auto& x) -> Answer {
                        const Result result = grbda::forward_kinematics<double>(model, data, x.q);
                        return {"forward_kinematics(q)", result, frames(model, data, false, false)};
                    }});
    list.push_back({{true, false, false, false, false}, [](auto& model, auto& data, auto& x) -> Answer {
                        const Result result = grbda::forward_kinematics<double>(model, data, x.q, x.yd);
                        return {"forward_kinematics(q, yd)", result, frames(model, data, true, false)};
                    }});
    list.push_back({{true, true, false, false, false}, [](auto& model, auto& data, auto& x) -> Answer {
                        const Result result =
                            grbda::forward_kinematics<double>(model, data, x.q, x.yd, x.ydd);
                        return {"forward_kinematics(q, yd, ydd)", result, frames(model, data, true, true)};
                    }});
    list.push_back(
        {{true, false, false, false, false}, [](auto& model, auto& data, auto& x) -> Answer {
             const Result result = grbda::constraint_embedding<double>(model, data, x.q, x.yd);
             return {"constraint_embedding", result, read_or_nan([&] { return embedding(model, data); })};
         }});
    return list;
}

/// Every entry of every input that `reads` names, and of q.
template <class Use>
void each_entry(const Reads& reads, State& state, Use&& use) {
    const auto all = [&](const char* name, double* x, Eigen::Index size) {
        for (Eigen::Index i = 0; i < size; ++i) {
            const double before = x[i];
            INFO(name << "[" << i << "]");
            use(x[i]);
            x[i] = before;
        }
    };
    all("q", state.q.data(), state.q.size());
    if (reads.yd) all("yd", state.yd.data(), state.yd.size());
    if (reads.ydd) all("ydd", state.ydd.data(), state.ydd.size());
    if (reads.tau) all("tau", state.tau.data(), state.tau.size());
    if (reads.wrenches) all("wrenches", state.wrenches.data(), state.wrenches.size());
}

}  // namespace

TEST_CASE("NaN, infinity and too large numbers in any entry are never ok on every robot") {
    const std::vector<Algorithm> with_outputs = algorithms(), with_data = sweeps();
    at_random_states(all(), 1, 131, [&](const Robot& robot, const State& given, Random&) {
        Workspace<double> data(robot.model);
        const auto law = [&](const Algorithm& algorithm, bool clears) {
            State state = given;
            CHECK(algorithm.call(robot.model, data, state).result.ok());
            each_entry(algorithm.reads, state, [&](double& entry) {
                for (const double bad : kRefused) {
                    entry = bad;
                    const Answer answer = algorithm.call(robot.model, data, state);
                    if (answer.result.status == Status::not_finite && answer.numbers.array().isNaN().all())
                        continue;
                    FAIL_CHECK(answer.name << " of " << bad << ": " << to_string(answer.result.status));
                }
                for (const double large : kLarge) {
                    entry = large;
                    const Answer answer = algorithm.call(robot.model, data, state);
                    if (answer.result.ok() ? answer.numbers.allFinite()
                                           : !clears || answer.numbers.array().isNaN().all())
                        continue;
                    FAIL_CHECK(answer.name << " of " << large << ": " << to_string(answer.result.status));
                }
            });
        };
        for (const Algorithm& algorithm : with_outputs) law(algorithm, true);
        for (const Algorithm& algorithm : with_data) law(algorithm, false);
    });
}

TEST_CASE("gravity that is not finite is never ok on every robot") {
    const std::vector<Algorithm> list = algorithms();
    for (const Robot& robot : published()) {
        INFO(robot.name);
        Random random(132);
        State state;
        if (!random_state(robot.model, random, state)) continue;  // digit_leg may have none that is tame
        Workspace<double> data(robot.model);
        for (const double bad : kRefused) {
            const Model model = with_gravity(robot.model, {bad, 0, -9.81});
            for (const Algorithm& algorithm : list) {
                const Answer answer = algorithm.call(model, data, state);
                INFO(answer.name << " of " << bad);
                CHECK(answer.result.status == (algorithm.reads.gravity ? Status::not_finite : Status::ok));
            }
        }
    }
}

TEST_CASE("a position that no algorithm reads is looked at too") {
    // a floating base may stand anywhere, a reduced rotor at any angle, the follower of a belt too
    const Robot& robot = named("mit_humanoid");
    Workspace<double> data(robot.model);
    VectorXd q = grbda::neutral_configuration(robot.model);
    const VectorXd zero = VectorXd::Zero(robot.model.nv);
    REQUIRE(robot.model.rotors.size() > 0);
    const int rotor = robot.model.rotors.front().body;
    for (const int at : {0, robot.model.bodies[rotor].q}) {
        VectorXd spoiled = q;
        spoiled[at] = kNan;
        CHECK(grbda::aba<double>(robot.model, data, spoiled, zero, zero).status == Status::not_finite);
        CHECK(data.ydd.array().isNaN().all());
    }
    CHECK(grbda::aba<double>(robot.model, data, q, zero, zero).ok());
    CHECK(data.ydd.allFinite());
}

TEST_CASE("a singular configuration is reported as such, unless an argument is not finite") {
    const Robot& robot = named("four_bar");
    Workspace<double> data(robot.model);
    const VectorXd flat = VectorXd::Zero(robot.model.nq), zero = VectorXd::Zero(robot.model.nv);
    const VectorXd nan = VectorXd::Constant(robot.model.nv, kNan);
    CHECK(grbda::aba<double>(robot.model, data, flat, zero, zero).status == Status::singular_constraint);
    CHECK(grbda::aba<double>(robot.model, data, flat, zero, nan).status == Status::not_finite);
    CHECK(grbda::aba<double>(robot.model, data, flat, nan, zero).cluster == -1);
}

TEST_CASE("a batch reports for each state whether its numbers are finite on every robot") {
    at_random_states(all(), 1, 134, [](const Robot& robot, const State& given, Random&) {
        const Model& model = robot.model;
        if (model.nv == 0) return;
        const Eigen::Index count = 2 * model.nq;
        MatrixXd q = given.q.replicate(1, count), yd = given.yd.replicate(1, count),
                 tau = given.tau.replicate(1, count), out(model.nv, count), M(model.nv * model.nv, count);
        const double bad[] = {kNan, kInfinity, 1e300};
        for (int i = 0; i < model.nq; ++i) q(i, 2 * i) = bad[i % 3];  // every other state is whole
        std::vector<Status> statuses(static_cast<std::size_t>(count));
        const auto check = [&](const MatrixXd& output) {
            for (Eigen::Index i = 0; i < count; ++i) {
                const bool whole = i % 2 == 1;
                CHECK(statuses[static_cast<std::size_t>(i)] == (whole ? Status::ok : Status::not_finite));
                CHECK((whole ? output.col(i).allFinite() : output.col(i).array().isNaN().all()));
            }
        };
        for (const grbda::Simd simd : {grbda::Simd::scalar, grbda::widest_simd()}) {
            INFO(to_string(simd));
            grbda::BatchData batch(model, 1, simd);
            const grbda::BatchResult result = grbda::aba(model, batch, q, yd, tau, out, statuses);
            CHECK(result.failures == model.nq);
            CHECK(result.cluster == -1);
            check(out);
            CHECK(grbda::rnea(model, batch, q, yd, tau, out, statuses).failures == model.nq);
            check(out);
            CHECK(grbda::crba(model, batch, q, M, statuses).failures == model.nq);
            check(M);
        }
    });
}

TEST_CASE("baselines refuse numbers that are not finite on every robot in robots/") {
    using grbda::baselines::Method;
    for (const Robot& robot : published()) {
        INFO(robot.name);
        Random random(135);
        State given;
        if (!random_state(robot.model, random, given)) continue;  // digit_leg may have none that is tame
        grbda::baselines::Workspace work(robot.model);
        each_entry({true, true, true, true, true}, given, [&](double& entry) {
            for (const double bad : kRefused) {
                entry = bad;
                const bool inverse = std::isfinite(given.tau.squaredNorm());
                const bool forward = std::isfinite(given.ydd.squaredNorm());
                if (inverse) {
                    CHECK(grbda::baselines::inverse_dynamics(robot.model, work, given.q, given.yd, given.ydd,
                                                             given.wrenches)
                              .status == Status::not_finite);
                    CHECK(work.tau.array().isNaN().all());
                }
                if (forward) {
                    CHECK(grbda::baselines::forward_dynamics(Method::projection, robot.model, work, given.q,
                                                             given.yd, given.tau, given.wrenches)
                              .status == Status::not_finite);
                    CHECK(work.ydd.array().isNaN().all());
                }
            }
        });
    }
}
