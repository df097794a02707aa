#include <catch2/catch.hpp>

#include "cli_fixture.hpp"

// What `grbda compute` says of a configuration without an embedding: is it the loops, or the coordinates?

using cli::Json;

namespace {

std::string link(const std::string& name) {
    return "<link name=\"" + name +
           "\"><inertial><origin xyz=\"0.5 0 0\"/><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" "
           "izz=\"0.1\"/></inertial></link>\n";
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child, double x,
                  const std::string& attributes = "") {
    return "<joint name=\"" + name + "\" type=\"continuous\" " + attributes + "><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/><origin xyz=\"" + std::to_string(x) +
           " 0 0\"/><axis xyz=\"0 0 1\"/></joint>\n";
}

/// crank – coupler – rocker over a ground of length `ground`; the crank is independent.
std::string four_bar(double crank, double coupler, double rocker, double ground) {
    return "<robot name=\"four_bar\"><link name=\"base\"/>" + link("a") + link("b") + link("c") +
           joint("crank", "base", "a", 0, "independent=\"true\"") + joint("coupler", "a", "b", crank) +
           joint("rocker", "base", "c", ground) +
           "<loop name=\"pin\" type=\"revolute\"><predecessor link=\"b\"><origin xyz=\"" +
           std::to_string(coupler) + " 0 0\"/></predecessor><successor link=\"c\"><origin xyz=\"" +
           std::to_string(rocker) + " 0 0\"/></successor><axis xyz=\"0 0 1\"/></loop></robot>";
}

constexpr double pi = 3.14159265358979323846;

}  // namespace

TEST_CASE("where all bars of a linkage lie on one line, its loop is said to be singular") {
    // a parallelogram, flat
    const std::string model = cli::written("flat.urdf", four_bar(1, 2, 1, 2));
    const Json state = {{"q", {{"crank", 0}, {"coupler", 0}, {"rocker", 0}}}};
    const Json found = cli::states_of(model, Json{{"states", Json::array({state})}}.dump()).at(0);
    CHECK(found.at("status") == "singular_constraint");
    const std::string message = found.at("message");
    INFO(message);
    CHECK(message.find("the loops are singular here, where K itself has rank 1 of 2") != std::string::npos);
    CHECK(message.find("move off") != std::string::npos);
}

TEST_CASE("where the crank cannot turn, its choice is said to be singular, and another is named that works") {
    // coupler and rocker in line: 2 + 1.5 of a triangle with crank 1 and ground 4
    const double crank = 1, coupler = 2, rocker = 1.5, ground = 4, reach = coupler + rocker;
    const double at_crank =
        std::acos((crank * crank + ground * ground - reach * reach) / (2 * crank * ground));
    const double at_ground =
        std::acos((reach * reach + ground * ground - crank * crank) / (2 * reach * ground));
    const Json state = {
        {"q", {{"crank", at_crank}, {"coupler", -at_ground - at_crank}, {"rocker", pi - at_ground}}}};
    const std::string states = Json{{"states", Json::array({state})}}.dump();
    const std::string text = four_bar(crank, coupler, rocker, ground);
    const Json found = cli::states_of(cli::written("dead.urdf", text), states, "--method dense_kkt").at(0);
    CHECK(found.at("status") == "singular_constraint");
    const std::string message = found.at("message");
    INFO(message);
    CHECK(message.find("the choice of 'crank' as independent is singular here, K itself is not") !=
          std::string::npos);
    // what it names instead works
    const std::string better = message.find("'coupler' would do") != std::string::npos ? "coupler" : "rocker";
    CHECK(message.find("; '" + better + "' would do, marked independent=\"true\"") != std::string::npos);
    std::string other = text;
    const std::string mark = " independent=\"true\"";
    other.erase(other.find(mark), mark.size());
    const std::string name = "<joint name=\"" + better + "\"";
    other.insert(other.find(name) + name.size(), mark);
    CHECK(cli::states_of(cli::written("alive.urdf", other), states).at(0).at("status") == "ok");
}

TEST_CASE("where the crank cannot turn but the loop is regular, others are taken for coordinates") {
    const double crank = 1, coupler = 2, rocker = 1.5, ground = 4, reach = coupler + rocker;
    const double at_crank =
        std::acos((crank * crank + ground * ground - reach * reach) / (2 * crank * ground));
    const double at_ground =
        std::acos((reach * reach + ground * ground - crank * crank) / (2 * reach * ground));
    Json state = {
        {"q", {{"crank", at_crank}, {"coupler", -at_ground - at_crank}, {"rocker", pi - at_ground}}},
        {"qd", {{"crank", 0}, {"coupler", -1}, {"rocker", coupler / rocker}}},  // the elbow goes sideways
        {"tau", {{"coupler", 0.5}}}};
    const auto evaluated = [&](const std::string& independent, const Json& given) {
        std::string text = four_bar(crank, coupler, rocker, ground);
        const std::string mark = " independent=\"true\"";
        text.erase(text.find(mark), mark.size());
        const std::string name = "<joint name=\"" + independent + "\"";
        text.insert(text.find(name) + name.size(), mark);
        return cli::states_of(cli::written(independent + ".urdf", text),
                              Json{{"states", Json::array({given})}}.dump())
            .at(0);
    };
    const Json found = evaluated("crank", state), expected = evaluated("rocker", state);
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
    CHECK(evaluated("crank", state).at("status") == "singular_constraint");
}
