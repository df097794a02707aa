#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"
#include "compile/model_diagnostics_fixture.hpp"

// `grbda compute` says of a configuration without embedding whether loops or coordinates are singular.

using cli::Json;

namespace {

using model_diagnostics::joint, model_diagnostics::link, model_diagnostics::loop, model_diagnostics::robot;

struct Bars {
    double crank, coupler, rocker, ground;
};

/// crank – coupler – rocker over a ground; the joint of that name is independent.
std::string four_bar(const Bars& bars, const std::string& independent) {
    const auto mark = [&](const std::string& name) {
        return std::string("type=\"continuous\"") + (name == independent ? " independent=\"true\"" : "");
    };
    const auto at = [](double x) { return std::to_string(x) + " 0 0"; };
    return robot("<link name=\"base\"/>" + link("a") + link("b") + link("c") +
                 joint({"crank", "base", "a", at(0), mark("crank")}) +
                 joint({"coupler", "a", "b", at(bars.crank), mark("coupler")}) +
                 joint({"rocker", "base", "c", at(bars.ground), mark("rocker")}) +
                 loop("pin", "b", at(bars.coupler), "c", at(bars.rocker)));
}

/// The one state of it.
Json computed(const std::string& text, const Json& state, const std::string& options = "") {
    const std::string model = cli::written("bars.urdf", text);
    return cli::states_of(model, Json{{"states", Json::array({state})}}.dump(), options).at(0);
}

constexpr double pi = 3.14159265358979323846;

/// Coupler and rocker in line, a triangle with crank and ground: the crank cannot turn.
constexpr Bars stretched = {1, 2, 1.5, 4};

Json stretched_q() {
    const auto& [crank, coupler, rocker, ground] = stretched;
    const double reach = coupler + rocker;
    const double at_crank =
        std::acos((crank * crank + ground * ground - reach * reach) / (2 * crank * ground));
    const double at_ground =
        std::acos((reach * reach + ground * ground - crank * crank) / (2 * reach * ground));
    return {{"crank", at_crank}, {"coupler", -at_ground - at_crank}, {"rocker", pi - at_ground}};
}

}  // namespace

TEST_CASE("if all bars of a linkage lie on one line, its loop is reported as singular") {
    // a parallelogram, flat
    const Json flat = {{"crank", 0}, {"coupler", 0}, {"rocker", 0}};
    const Json found = computed(four_bar({1, 2, 1, 2}, "crank"), {{"q", flat}});
    CHECK(found.at("status") == "singular_constraint");
    const std::string message = found.at("message");
    INFO(message);
    CHECK(message.find("the loops are singular here, where K itself has rank 1 of 2") != std::string::npos);
    CHECK(message.find("move off") != std::string::npos);
}

TEST_CASE("if the crank cannot turn, its choice is reported as singular, with another choice that works") {
    const Json state = {{"q", stretched_q()}};
    const Json found = computed(four_bar(stretched, "crank"), state, "--method dense_kkt");
    CHECK(found.at("status") == "singular_constraint");
    const std::string message = found.at("message");
    INFO(message);
    CHECK(message.find("the choice of 'crank' as independent is singular here, K itself is not") !=
          std::string::npos);
    // what it names instead works
    const std::string better = message.find("'coupler' would do") != std::string::npos ? "coupler" : "rocker";
    CHECK(message.find("; '" + better + "' would do, marked independent=\"true\"") != std::string::npos);
    CHECK(computed(four_bar(stretched, better), state).at("status") == "ok");
}

TEST_CASE("if the crank cannot turn but the loop is regular, other joints become independent") {
    const double lever = stretched.coupler / stretched.rocker;
    Json state = {{"q", stretched_q()},
                  {"qd", {{"crank", 0}, {"coupler", -1}, {"rocker", lever}}},  // the elbow goes sideways
                  {"tau", {{"coupler", 0.5}}}};
    const Json found = computed(four_bar(stretched, "crank"), state);
    const Json expected = computed(four_bar(stretched, "rocker"), state);
    INFO(found.dump(1));
    REQUIRE(found.at("status") == "ok");
    CHECK(found.at("message").get<std::string>().find("computed in others") != std::string::npos);
    CHECK(found.at("coordinates").at(0).at(0) != "crank");
    REQUIRE(expected.at("status") == "ok");
    CHECK_FALSE(expected.contains("coordinates"));
    CHECK(cli::difference(found.at("qd"), expected.at("qd")) < 1e-9);
    CHECK(cli::difference(found.at("forward_dynamics").at("qdd"), expected.at("forward_dynamics").at("qdd")) <
          1e-9);
    CHECK(found.at("energy").at("kinetic").get<double>() ==
          Approx(expected.at("energy").at("kinetic").get<double>()));
    state.erase("qd");  // ydd and yd would be those of the crank
    state["ydd"] = {{"crank", 1}};
    CHECK(computed(four_bar(stretched, "crank"), state).at("status") == "singular_constraint");
}
