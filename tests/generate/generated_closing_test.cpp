#include <algorithm>
#include <filesystem>

#include "generate/generated_fixture.hpp"
#include "constraints/closure.hpp"
#include "grbda/io/load.hpp"
#include "kinematics/configuration.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Generated code closes the loops that the library closes.

using namespace generated_code;
using namespace test_robots;
using grbda::GeneratedAlgorithm;

namespace {

std::unique_ptr<Compiled> closing_of(const grbda::Model& model) {
    grbda::GenerateOptions options;
    options.algorithms = {GeneratedAlgorithm::close};
    return std::make_unique<Compiled>(model, options);
}

/// A crank-rocker, whose crank turns all the way round.
const grbda::Model& crank() {
    static const grbda::Model model = grbda::load(
        (std::filesystem::path(GRBDA_ROBOTS).parent_path() / "examples" / "mpc" / "four_bar.urdf").string());
    return model;
}

/// Numbers of guesses that were closed, and of guesses that were refused although the library closes them.
struct Count {
    int closed = 0, refused = 0;
};

/// Closes a guess by both. If generated code succeeds, its configuration equals the library's, whole turns
/// included.
void close_by_both(const grbda::Model& model, const Compiled& code, const Vector& guess, Count& count) {
    grbda::Workspace<double> data(model);
    Vector expected = guess, found = guess;
    const bool ok = grbda::close_loops<double>(model, data, expected).ok();
    const bool answered = code.call("close", found.data()) == 0;
    INFO("guess " << guess.transpose() << "\nlibrary " << expected.transpose() << "\nfound "
                  << found.transpose());
    if (answered) {
        REQUIRE(ok);
        REQUIRE((found - expected).norm() < 1e-7);
        ++count.closed;
    } else {
        CHECK(found == guess);
        count.refused += ok;
    }
}

}  // namespace

TEST_CASE("Generated code closes loops from nearby") {
    for (const char* name :
         {"four_bar", "digit_leg", "tello", "stewart_platform", "revolute_rotor_chain", "spatial_four_bar"}) {
        const Robot& robot = named(name);
        const auto code = closing_of(robot.model);
        Count count;
        at_random_states({&robot}, 10, 7, [&](const Robot&, const State& state, Random& random) {
            INFO(name);
            Vector guess = state.q + random_vector(random, robot.model.nq, 1e-3);
            for (const grbda::Body& body : robot.model.bodies)
                if (grbda::has_quaternion(body.joint))
                    guess.segment(body.q + grbda::position_size(body.joint) - 4, 4).normalize();
            close_by_both(robot.model, *code, guess, count);
        });
        CHECK(count.closed == 10);
        Vector lost = Vector::Constant(robot.model.nq, std::numeric_limits<double>::quiet_NaN());
        CHECK(code->call("close", lost.data()) != 0);
        CHECK(code->call("self_check") == 0);
        CHECK(code->code.source.find("fmax") == std::string::npos);  // a call into libm, with AVX a slow one
    }
}

TEST_CASE("A crank's generated closing stays in the guess's assembly mode and turn, from any distance") {
    const auto code = closing_of(crank());
    Vector closed = grbda::neutral_configuration(crank());
    closed[0] = 0.4;
    grbda::Workspace<double> data(crank());
    must(grbda::close_loops<double>(crank(), data, closed));
    for (Vector guess : {Vector(Vector::Zero(3)), closed}) {
        Count count;
        for (int i = 0; i <= 720; ++i) {
            guess[0] = (i - 360) * M_PI / 90;
            close_by_both(crank(), *code, guess, count);
        }
        CHECK(count.refused == 0);
        // a crank that turns all the way round is led to each angle; a guess is lost where the flow from it
        // ends
        if (guess[1] == 0) CHECK(count.closed == 721);
    }
}

TEST_CASE("Generated closing from far away reaches the same configurations as the library") {
    for (const char* name : {"six_bar", "slider_crank", "spatial_four_bar", "planar_leg_linkage",
                             "stewart_platform", "delta", "robotiq_finger", "tello"}) {
        const Robot& robot = named(name);
        const auto code = closing_of(robot.model);
        Count count;
        std::vector<Vector> states;
        states.push_back(grbda::neutral_configuration(robot.model));
        at_random_states({&robot}, 12, 8,
                         [&](const Robot&, const State& state, Random&) { states.push_back(state.q); });
        for (const Vector& from : states)
            for (const Vector& to : states) {
                INFO(name);
                Vector guess = from;
                for (const grbda::Coordinate& c : grbda::independent_coordinates(robot.model)) {
                    const grbda::Body& body = robot.model.bodies[c.body];
                    if (!grbda::has_quaternion(body.joint))
                        guess[body.q + c.component] = to[body.q + c.component];
                }
                close_by_both(robot.model, *code, guess, count);
            }
        INFO(name << ": closed " << count.closed << ", refused " << count.refused);
        CHECK(count.closed >= static_cast<int>(states.size()));  // where a guess is closed already
        CHECK(count.refused == 0);
    }
}
