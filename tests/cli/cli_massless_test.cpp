#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

// Robots without any mass: compute gives the kinematics of the same robot with mass, and says why it gives no
// dynamics.

using cli::Json;
using cli::Run;

namespace {

/// The robot's description without its <inertial> elements.
std::string without_inertials(std::string text) {
    const std::string begin = "<inertial", end = "</inertial>";
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
        const std::size_t after = text.find(end, at);
        REQUIRE(after != std::string::npos);
        text.erase(at, after + end.size() - at);
    }
    return text;
}

/// The neutral configuration with motion of all independent joints.
std::string moving_state(const Json& info) {
    Json state;
    for (const Json& body : info.at("bodies")) {
        const std::size_t size = body.at("y_indices").size();
        if (size == 0) continue;
        const Json numbers = size == 1 ? Json(0.3) : Json(std::vector<double>(size, 0.3));
        for (const char* key : {"yd", "ydd"}) state[key][body.at("joint").get<std::string>()] = numbers;
    }
    return Json{{"states", {state}}}.dump();
}

}  // namespace

TEST_CASE("compute gives the kinematics of a robot without mass, equal to those with mass") {
    for (const std::string name :
         {"double_pendulum", "four_bar", "six_bar", "slider_crank", "stewart_platform", "delta", "tello",
          "planar_leg_linkage", "spatial_four_bar", "mini_cheetah"}) {
        INFO(name);
        const std::string light =
            cli::written("light.urdf", without_inertials(cli::content(cli::robot(name))));
        const std::string kept = "--no-rod-reduction --no-rotor-reduction ";
        const Json info = cli::run("info --json " + kept + cli::quoted(light)).json();
        CHECK(info.at("mass") == 0);
        const std::string link = info.at("bodies").back().at("link");
        const std::string options = kept + "--constraints --frames " + cli::quoted(link);
        const Json expected = cli::states_of(cli::robot(name), moving_state(info), options).at(0);
        const Json found = cli::states_of(light, moving_state(info), options).at(0);
        CHECK(expected.at("status") == "ok");
        for (const char* key : {"q", "qd", "frames", "constraints"}) CHECK(found.at(key) == expected.at(key));
        CHECK(found.at("status") == "singular_inertia");
        const std::string message = found.at("message");
        for (const char* words : {"no mass", "give", "an inertial", "Kinematics needs no mass"})
            CHECK(message.find(words) != std::string::npos);
        for (const char* key :
             {"mass_matrix", "bias_force", "inverse_dynamics", "forward_dynamics", "energy"})
            CHECK(!found.contains(key));
    }
}

TEST_CASE("dynamics of a robot without mass names its links") {
    const std::string light =
        cli::written("light.urdf", without_inertials(cli::content(cli::robot("double_pendulum"))));
    const std::string links = "links 'upper_link', 'lower_link' have no mass; give them an inertial";
    const Json state = cli::states_of(light, R"({"states": [{}]})").at(0);
    CHECK(state.at("message").get<std::string>().find(links) != std::string::npos);
    const Run run = cli::run("simulate --quiet --duration 0.1 " + cli::quoted(light));
    CHECK(run.exit != 0);
    CHECK(run.err.find("no mass: 'upper_link', 'lower_link'") != std::string::npos);
}
