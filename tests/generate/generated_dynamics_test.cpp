#include "generate/generated_fixture.hpp"
#include "grbda/compile/build.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/kinematics.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Generated code computes the same values as the library.

using namespace generated_code;
using namespace test_robots;
using grbda::GeneratedAlgorithm;
using grbda::MatrixX;

namespace {

std::unique_ptr<Compiled> dynamics_of(const grbda::Model& model) {
    grbda::GenerateOptions options;
    options.algorithms.push_back(GeneratedAlgorithm::bias);
    return std::make_unique<Compiled>(model, options);
}
std::unique_ptr<Compiled> loaded_dynamics_of(const grbda::Model& model) {
    grbda::GenerateOptions options;
    options.algorithms.push_back(GeneratedAlgorithm::bias);
    options.wrenches = true;
    return std::make_unique<Compiled>(model, options);
}

/// Every `step`-th of the robots in robots/.
std::vector<const Robot*> published_robots(std::size_t step = 1) {
    std::vector<const Robot*> robots;
    for (std::size_t i = 0; i < published().size(); i += step) robots.push_back(&published()[i]);
    return robots;
}
/// Every `step`-th of the random mechanisms.
std::vector<const Robot*> random_robots(std::size_t step) {
    std::vector<const Robot*> robots;
    for (std::size_t i = 0; i < mechanisms().robots.size(); i += step)
        if (mechanisms().robots[i].model.nv > 0) robots.push_back(&mechanisms().robots[i]);
    return robots;
}

void check_dynamics(const Compiled& code, const Robot& robot, const State& s, bool loaded) {
    const grbda::Model& model = robot.model;
    grbda::Workspace<double> data(model);
    const grbda::Matrix6X<double> none(6, 0);
    const grbda::Matrix6X<double>& w = loaded ? s.wrenches : none;
    const std::string variant = loaded ? "_wrenches" : "";
    Vector found(model.nv);
    const auto call = [&](const std::string& function, auto... inputs) {
        return loaded ? code.call(function + variant, inputs..., w.data(), found.data())
                      : code.call(function, inputs..., found.data());
    };
    RowMatrix M(model.nv, model.nv);
    MatrixX<double> expected(model.nv, model.nv);
    REQUIRE(code.call("crba", in(s.q), M.data()) == 0);
    must(grbda::crba<double>(model, data, s.q, expected));
    CHECK(relative(M, expected) < 1e-12);

    REQUIRE(call("rnea", in(s.q), in(s.yd), in(s.ydd)) == 0);
    must(grbda::rnea<double>(model, data, s.q, s.yd, s.ydd, w));
    CHECK(relative(found, data.tau) < 1e-12);

    REQUIRE(call("bias", in(s.q), in(s.yd)) == 0);
    must(grbda::rnea<double>(model, data, s.q, s.yd, Vector::Zero(model.nv), w));
    CHECK(relative(found, data.tau) < 1e-12);

    REQUIRE(call("aba", in(s.q), in(s.yd), in(s.tau)) == 0);
    must(grbda::aba<double>(model, data, s.q, s.yd, s.tau, w));
    CHECK(relative_by_inertia(expected, found, data.ydd) < 1e-10);
}

}  // namespace

namespace {

/// The law, with and without wrenches, and the self checks.
void check_loaded_dynamics(const std::vector<const Robot*>& robots, int states, std::uint64_t seed) {
    const Codes codes = compiled(robots, loaded_dynamics_of);
    at_random_states(robots, states, seed, [&](const Robot& robot, const State& state, Random&) {
        for (const bool loaded : {false, true}) check_dynamics(*codes.at(robot.name), robot, state, loaded);
    });
    for (const auto& [name, code] : codes) {
        INFO(name);
        CHECK(code->call("self_check") == 0);
    }
}

}  // namespace

TEST_CASE("Generated dynamics are the library's on every robot") {
    const std::vector<const Robot*> robots = published_robots();
    const Codes codes = compiled(robots, dynamics_of);
    at_random_states(robots, 100, 1, [&](const Robot& robot, const State& state, Random&) {
        check_dynamics(*codes.at(robot.name), robot, state, false);
    });
    for (const auto& [name, code] : codes) {
        INFO(name);
        CHECK(code->call("self_check") == 0);
    }
}

TEST_CASE("Generated dynamics with wrenches are the library's on every robot") {
    check_loaded_dynamics(published_robots(), 20, 1);
}

TEST_CASE("Generated dynamics are the library's on random mechanisms") {
    check_loaded_dynamics(random_robots(12), 10, 2);
}

TEST_CASE("Generated derivatives are the library's") {
    const auto make = [](const grbda::Model& model) {
        grbda::GenerateOptions options;
        options.algorithms = {GeneratedAlgorithm::rnea_derivatives, GeneratedAlgorithm::aba_derivatives};
        return std::make_unique<Compiled>(model, options);
    };
    const std::vector<const Robot*> robots = {&named("four_bar"), &named("mini_cheetah"), &named("tello"),
                                              &named("six_bar"), &named("slider_crank")};
    const Codes codes = compiled(robots, make);
    at_random_states(robots, 20, 3, [&](const Robot& robot, const State& s, Random&) {
        const Compiled& code = *codes.at(robot.name);
        const int n = robot.model.nv;
        grbda::Workspace<double> data(robot.model);
        RowMatrix y(n, n), yd(n, n), M(n, n);
        MatrixX<double> of_y(n, n), of_yd(n, n), of_force(n, n);
        REQUIRE(code.call("rnea_derivatives", in(s.q), in(s.yd), in(s.ydd), y.data(), yd.data(), M.data()) ==
                0);
        must(grbda::rnea_derivatives<double>(robot.model, data, s.q, s.yd, s.ydd, of_y, of_yd, of_force));
        CHECK(relative(y, of_y) < 1e-11);
        CHECK(relative(yd, of_yd) < 1e-11);
        CHECK(relative(M, of_force) < 1e-12);
        Vector ydd(n);
        REQUIRE(code.call("aba_derivatives", in(s.q), in(s.yd), in(s.tau), y.data(), yd.data(), M.data(),
                          ydd.data()) == 0);
        must(grbda::aba_derivatives<double>(robot.model, data, s.q, s.yd, s.tau, of_y, of_yd, of_force));
        CHECK(relative(y, of_y) < 1e-8);
        CHECK(relative(yd, of_yd) < 1e-8);
        CHECK(relative(M, of_force) < 1e-8);
        CHECK(relative(ydd, data.ydd) < 1e-8);
    });
}

namespace {

/// Arms that hang on the world side by side.
grbda::Model arms(int count, int joints) {
    std::string text = "<robot name=\"arms\"><link name=\"ground\"/>";
    for (int arm = 0; arm < count; ++arm)
        for (int i = 0; i < joints; ++i) {
            const auto name = [&](int k) {
                return k < 0 ? std::string("ground") : std::to_string(arm) + "_" + std::to_string(k);
            };
            const std::string child = name(i), sideways = i % 2 == 0 ? "1 0 0" : "0 0 1";
            text += "<link name=\"" + child + "\"><inertial><origin xyz=\"0.1 0 -0.2\"/><mass value=\"" +
                    std::to_string(1 + i + arm) +
                    "\"/><inertia ixx=\"0.2\" iyy=\"0.3\" izz=\"0.2\" ixy=\"0\" ixz=\"0\" "
                    "iyz=\"0\"/></inertial></link>"
                    "<joint name=\"j" +
                    child + "\" type=\"continuous\"><parent link=\"" + name(i - 1) + "\"/><child link=\"" +
                    child + "\"/><origin xyz=\"0 0.1 -0.4\"/><axis xyz=\"" + sideways + "\"/></joint>";
        }
    grbda::Diagnostics diagnostics;
    return grbda::build_model(
        grbda::make_mechanism(grbda::read_urdf(text + "</robot>", "arms.urdf", diagnostics), {}, diagnostics),
        {}, diagnostics);
}

}  // namespace

TEST_CASE("Generated derivatives of branches that share no body") {
    const grbda::Model model = arms(2, 5);
    const int n = model.nv;
    REQUIRE(n == 10);
    for (const bool iso : {false, true}) {
        grbda::GenerateOptions options;
        options.algorithms = {GeneratedAlgorithm::aba_derivatives};
        options.iso = iso;
        const Compiled code(model, options);
        CHECK(code.call("self_check") == 0);
        grbda::Workspace<double> data(model);
        RowMatrix y(n, n), yd(n, n), M(n, n);
        MatrixX<double> of_y(n, n), of_yd(n, n), of_force(n, n);
        Vector ydd(n);
        for (int k = 0; k < 10; ++k) {
            const Vector q = 3 * Vector::Random(n), v = Vector::Random(n), tau = 9 * Vector::Random(n);
            REQUIRE(code.call("aba_derivatives", in(q), in(v), in(tau), y.data(), yd.data(), M.data(),
                              ydd.data()) == 0);
            must(grbda::aba_derivatives<double>(model, data, q, v, tau, of_y, of_yd, of_force));
            CHECK(relative(y, of_y) < 1e-11);
            CHECK(relative(yd, of_yd) < 1e-11);
            CHECK(relative(M, of_force) < 1e-11);
        }
    }
}

namespace {

void check_kinematics(const std::vector<const Robot*>& robots) {
    const auto make = [](const grbda::Model& model) {
        grbda::GenerateOptions options;
        options.algorithms = {GeneratedAlgorithm::poses, GeneratedAlgorithm::twists,
                              GeneratedAlgorithm::jacobians};
        for (const grbda::Frame& frame : model.frames) options.frames.push_back(frame.name);
        return std::make_unique<Compiled>(model, options);
    };
    const Codes codes = compiled(robots, make);
    at_random_states(robots, 5, 4, [&](const Robot& robot, const State& s, Random&) {
        const grbda::Model& model = robot.model;
        const Compiled& code = *codes.at(robot.name);
        const auto frames = static_cast<Eigen::Index>(model.frames.size());
        RowMatrix poses(4 * frames, 3), twists(frames, 6), jacobians(6 * frames, model.nv);
        REQUIRE(code.call("poses", in(s.q), poses.data()) == 0);
        REQUIRE(code.call("twists", in(s.q), in(s.yd), twists.data()) == 0);
        REQUIRE(code.call("jacobians", in(s.q), jacobians.data()) == 0);
        grbda::Workspace<double> data(model);
        must(grbda::forward_kinematics<double>(model, data, s.q, s.yd));
        for (int f = 0; f < static_cast<int>(frames); ++f) {
            INFO(model.frames[f].name);
            CHECK(relative(poses.middleRows(4 * f, 3), grbda::frame_orientation<double>(model, data, f)) <
                  1e-12);
            CHECK(relative(poses.row(4 * f + 3).transpose(), grbda::frame_position<double>(model, data, f)) <
                  1e-12);
            constexpr auto axes = grbda::ReferenceFrame::world_aligned;
            CHECK(relative(twists.row(f).transpose(), grbda::frame_velocity<double>(model, data, f, axes)) <
                  1e-11);
            grbda::Matrix6X<double> J(6, model.nv);
            grbda::frame_jacobian<double>(model, data, f, axes, J);
            CHECK(relative(jacobians.middleRows(6 * f, 6), J) < 1e-11);
        }
    });
}

}  // namespace

TEST_CASE("Generated kinematics are the library's, of every frame of every robot") {
    check_kinematics(published_robots());
}
