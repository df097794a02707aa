#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "cli_fixture.hpp"

using cli::Json;
using cli::Run;

namespace {

/// Same equations in another order of operations, through text that keeps every bit.
constexpr double rounding = 1e-9;
/// Two algorithms that share nothing, at states near the neutral ones, which are well conditioned.
constexpr double between_methods = 1e-8;  // digit_leg: thin rods turn with 1e-8 of the inertia of the leg

/// A wrist on a ball, a slide with a plate fused to its end by a fixed joint, and a plate on the base.
const char* const arm = R"(<robot name="arm"><link name="base"/><link name="plinth"/>
<joint name="bolt" type="fixed"><parent link="base"/><child link="plinth"/></joint>
<joint name="ball" type="spherical"><parent link="base"/><child link="rod"/></joint>
<link name="rod"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.15"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="rod"/><child link="slider"/><origin xyz="0.3 0 0"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
<link name="slider"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.03"/></inertial></link>
<joint name="weld" type="fixed"><parent link="slider"/><child link="plate"/><origin xyz="0.2 -0.1 0.3" rpy="0 0 1.5707963267948966"/></joint>
<link name="plate"/></robot>)";

/// Random independent positions near neutral, velocities, accelerations, forces and wrenches.
Json random_state(const Json& info, std::mt19937_64& generator) {
    std::uniform_real_distribution<double> unit(-1, 1);
    Json state;
    const auto numbers = [&](std::size_t size) {
        std::vector<double> list(size);
        for (double& x : list) x = unit(generator);
        return size == 1 ? Json(list[0]) : Json(list);
    };
    for (const Json& body : info.at("bodies")) {
        const std::string joint = body.at("joint"), type = body.at("type");
        state["wrenches"][body.at("link").get<std::string>()] = numbers(6);
        const std::size_t independent = body.at("y_indices").size();
        if (independent == 0) continue;
        for (const char* key : {"yd", "ydd", "tau"}) state[key][joint] = numbers(independent);
        if (type == "floating") state["q"][joint] = {0.1, -0.2, 0.3, 0.5, -0.5, 0.1, 0.7};
        if (type == "revolute" || type == "prismatic")
            state["q"][joint] = info.at("neutral")[body.at("q_index").get<std::size_t>()].get<double>() +
                                0.2 * unit(generator);
    }
    return state;
}

std::string states(const Json& list) { return Json{{"states", list}}.dump(); }

const char* const slider_crank_state =
    R"({"states": [{"q": {"crank_joint": 0.7}, "yd": {"crank_joint": 2}}]})";

}  // namespace

TEST_CASE("every method gives the same numbers on every robot") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        const Json info = cli::run("info --json '" + cli::robot(name) + "'").json();
        std::mt19937_64 generator(11);
        Json list = Json::array();
        for (int i = 0; i < 3; ++i) list.push_back(random_state(info, generator));
        const Json expected = cli::states_of(cli::robot(name), states(list));
        for (const Json& state : expected) CHECK(state.at("status") == "ok");
        const bool has_massless_bodies = name == "tello";
        for (const std::string method : {"dense_kkt", "range_space", "projection", "proximal"}) {
            INFO(method);
            const Json found = cli::states_of(cli::robot(name), states(list), "--method " + method);
            REQUIRE(found.size() == expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (method == "range_space" && has_massless_bodies) {
                    CHECK(found[i].at("status") == "undefined");
                    CHECK_FALSE(found[i].contains("mass_matrix"));
                } else {
                    CHECK(cli::difference(expected[i], found[i]) < between_methods);
                }
            }
        }
    }
}

TEST_CASE("forward dynamics undoes inverse dynamics, with wrenches, through the files") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        const Json info = cli::run("info --json '" + cli::robot(name) + "'").json();
        std::mt19937_64 generator(5);
        Json state = random_state(info, generator);
        const Json inverse = cli::states_of(cli::robot(name), states(Json::array({state}))).at(0);
        REQUIRE(inverse.at("status") == "ok");
        state["tau"] = inverse.at("inverse_dynamics").at("tau");
        state["q"] = inverse.at("q");
        const Json forward = cli::states_of(cli::robot(name), states(Json::array({state}))).at(0);
        CHECK(forward.at("q") == inverse.at("q"));  // complete and closed: used as it is
        CHECK(cli::difference(forward.at("forward_dynamics").at("ydd"), state.at("ydd")) < between_methods);
    }
}

TEST_CASE("rows of the mass matrix, coordinates and maps are in one order") {
    const Json out = cli::compute(cli::robot("mit_humanoid"), R"({"states": [{}]})").json();
    const Json& state = out.at("states")[0];
    REQUIRE(out.at("coordinates").size() == 24);
    CHECK(out.at("coordinates")[0] == Json::parse(R"(["world_to_base", 0])"));
    CHECK(state.at("mass_matrix").size() == 24);
    CHECK(state.at("mass_matrix")[23].size() == 24);
    std::size_t row = 0;
    for (const auto& entry : state.at("bias_force").items())
        for (std::size_t i = 0;
             i < std::max<std::size_t>(entry.value().is_array() ? entry.value().size() : 1, 1); ++i)
            CHECK(out.at("coordinates")[row++] ==
                  Json::parse("[\"" + entry.key() + "\", " + std::to_string(i) + "]"));
    CHECK(row == 24);
    CHECK(state.at("q").size() == 37);
    CHECK(state.at("q").at("world_to_base") == Json::parse("[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]"));
    CHECK(state.at("forward_dynamics").at("qdd").size() == 37);
}

TEST_CASE("spanning velocities stand for independent ones if they keep the loops closed") {
    const std::string model = cli::robot("slider_crank");
    Json reference = cli::states_of(model, slider_crank_state).at(0);
    Json state = {{"q", reference.at("q")}, {"qd", reference.at("qd")}};
    Json same = cli::states_of(model, states(Json::array({state}))).at(0);
    CHECK(same.at("velocity_residual").get<double>() < 1e-12);
    same.erase("velocity_residual");
    CHECK(cli::difference(same, reference) < rounding);

    state["qd"] = {{"crank_joint", 2}};  // the dependent ones are solved for
    const Json solved = cli::states_of(model, states(Json::array({state}))).at(0);
    CHECK(cli::difference(solved.at("qd"), reference.at("qd")) < rounding);

    state["qd"] = reference.at("qd");
    state["qd"].back() = 100;
    const Json open = cli::states_of(model, states(Json::array({state}))).at(0);
    CHECK(open.at("status") == "inconsistent_velocity");
    CHECK(open.at("velocity_residual").get<double>() > 1e-3);
    CHECK_FALSE(open.contains("forward_dynamics"));
}

TEST_CASE("a torque on a dependent joint acts through the transmission") {
    const std::string model = cli::robot("revolute_rotor_chain");
    const Json info = cli::run("info --json '" + model + "'").json();
    const Json& coupling = info.at("clusters")[0].at("couplings")[0];
    const std::string equation = coupling.at("equation");
    std::string rotor, link;
    for (const Json& body : info.at("bodies"))
        for (const Json& term : coupling.at("terms"))
            if (term.at("joint") == body.at("joint"))
                (body.at("y_indices").empty() ? rotor : link) = body.at("joint").get<std::string>();
    double of_rotor = 0, of_link = 0;
    for (const Json& term : coupling.at("terms"))
        (term.at("joint") == rotor ? of_rotor : of_link) = term.at("coefficient").get<double>();
    const double ratio = -of_link / of_rotor;
    INFO(equation);
    REQUIRE(ratio != 1);
    const Json found =
        cli::states_of(model, states({{{"tau", {{rotor, 1.5}}}}, {{"tau", {{link, 1.5 * ratio}}}}}));
    CHECK(cli::difference(found[0], found[1]) < rounding);
}

TEST_CASE("gravity is the file's, or the earth's") {
    const std::string model = cli::robot("double_pendulum");
    const Json info = cli::run("info --json '" + model + "'").json();
    const std::string first = info.at("bodies")[0].at("joint"), second = info.at("bodies")[1].at("joint");
    const auto state = [&](const std::string& gravity) {
        return cli::states_of(model, "{" + gravity + R"("states": [{"q": {")" + first + R"(": 0.5, ")" +
                                         second + R"(": 0.3}}]})")
            .at(0);
    };
    const Json standard = state(""), given = state(R"("gravity": [0, 0, -9.81], )"),
               none = state(R"("gravity": [0, 0, 0], )");
    CHECK(standard == given);
    CHECK(std::abs(standard.at("bias_force").at(first).get<double>()) > 0.1);
    CHECK(none.at("bias_force").at(first).get<double>() == 0);
    CHECK(none.at("energy").at("potential").get<double>() == 0);
}

TEST_CASE("wrenches act at the link's frame, also on links fused to a body or to the base") {
    const std::string model = cli::written("arm.urdf", arm);
    const std::string q = R"("q": {"ball": [0.1, 0.2, -0.3, 0.9], "slide": 0.25}, )";
    // plate: its x axis is the slider's y axis, its origin at (0.2, -0.1, 0.3) on the slider
    const Json found =
        cli::states_of(model, "{\"states\": [{" + q + R"("wrenches": {"plate": [1, 0, 0, 0, 0, 0.5]}},
        {)" + q + R"("wrenches": {"slider": [0, 1, 0, -0.3, 0, 0.7]}}, {)" +
                                  q + R"("wrenches": {"plinth": [5, 5, 5, 5, 5, 5]}},
        {)" + q + R"("wrenches": {}}]})");
    CHECK(cli::difference(found[0], found[1]) < rounding);
    CHECK(found[2] == found[3]);
    CHECK(cli::difference(found[0].at("bias_force"), found[3].at("bias_force")) > 0.1);
}

TEST_CASE("quaternions are normalised and those not given are identity") {
    const std::string model = cli::written("arm.urdf", arm);
    const Json found = cli::states_of(model, R"({"states": [{"q": {"ball": [0, 0, 2, 2]}}, {}]})");
    const Json turned = found[0].at("q").at("ball");
    CHECK(turned[2].get<double>() == Approx(std::sqrt(0.5)));
    CHECK(turned[3].get<double>() == Approx(std::sqrt(0.5)));
    CHECK(found[1].at("q").at("ball") == Json::parse("[0.0, 0.0, 0.0, 1.0]"));
    CHECK(found[1].at("qd").at("ball").size() == 3);
}

TEST_CASE("a state without an answer says so and the others go on") {
    // rod as long as the crank reaches: beyond it nothing closes
    const std::string model = cli::written("rod.urdf", R"(<robot name="rod"><link name="base"/>
<joint name="slide" type="prismatic" independent="true"><parent link="base"/><child link="block"/><axis xyz="1 0 0"/>
<limit lower="0" upper="9" effort="9" velocity="9"/></joint>
<link name="block"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/><origin rpy="0 0 1"/><axis xyz="0 0 1"/></joint>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<loop name="tie" type="distance"><predecessor link="arm"><origin xyz="1 0 0"/></predecessor>
<successor link="block"/><length value="1.5"/></loop></robot>)");
    for (const std::string method : {"aba", "dense_kkt"}) {
        const Run run = cli::compute(model, R"({"states": [{"q": {"slide": 1.2}}, {"q": {"slide": 4}},
            {"q": {"slide": 2.5, "swing": -1}}, {"q": {"slide": 1.0}}]})",
                                     "--method " + method);
        REQUIRE(run.exit == 0);
        const Json found = run.json().at("states");
        CHECK(found[0].at("status") == "ok");
        CHECK(found[1].at("status") == "not_converged");
        CHECK(found[2].at("status") == "singular_constraint");
        CHECK(found[3].at("status") == "ok");
        for (const int i : {1, 2})
            for (const char* key :
                 {"q", "qd", "mass_matrix", "bias_force", "inverse_dynamics", "forward_dynamics", "energy"})
                CHECK_FALSE(found[static_cast<std::size_t>(i)].contains(key));
    }
    const std::string file = cli::written("open.json", R"({"states": [{"q": {"slide": 4}}]})");
    CHECK(cli::run("compute '" + model + "' --states '" + file + "'").err.find("1 of 1 states") !=
          std::string::npos);
}

TEST_CASE("numbers beyond double precision give a status, not infinities") {
    const Json found =
        cli::states_of(cli::robot("four_bar"), R"({"states": [{"yd": {"joint1": 1e300}}]})").at(0);
    CHECK(found.at("status") != "ok");
}

TEST_CASE("output goes to a file as well, and an unwritable one is an error") {
    const std::string states_file = cli::written("states.json", slider_crank_state);
    const std::string out = (cli::folder() / "out.json").string();
    const std::string call = "compute -q '" + cli::robot("slider_crank") + "' --states '" + states_file + "'";
    const Run shown = cli::run(call), saved = cli::run(call + " -o '" + out + "'");
    CHECK(saved.exit == 0);
    CHECK(saved.out.empty());
    CHECK(cli::content(out) == shown.out);
    CHECK(cli::run(call + " -o '" + cli::folder().string() + "/no/such/folder.json'").exit == 1);
}

TEST_CASE("errors of the states file name file, state and key") {
    struct Case {
        const char* text;
        std::vector<const char*> said;
    };
    const std::vector<Case> cases = {
        {R"({"states": [{}, {"q": {"bal": [0,0,0,1]}}]})", {"states[1].q.bal", "did you mean 'ball'"}},
        {R"({"states": [{"yd": {"slied": 1}}]})", {"states[0].yd.slied", "'slide'"}},
        {R"({"states": [{"tau": {"bolt": 1}}]})", {"states[0].tau.bolt", "no joint"}},
        {R"({"states": [{"wrenches": {"plat": [0,0,0,0,0,0]}}]})", {"states[0].wrenches.plat", "'plate'"}},
        {R"({"states": [{"q": {"ball": [0,0,1]}}]})",
         {"states[0].q.ball", "a list of 4 numbers", "a list of 3"}},
        {R"({"states": [{"q": {"ball": 1}}]})", {"states[0].q.ball", "a list of 4 numbers", "a number"}},
        {R"({"states": [{"q": {"slide": [1, 2]}}]})", {"states[0].q.slide", "found a list of 2"}},
        {R"({"states": [{"q": {"slide": "1"}}]})", {"states[0].q.slide", "a string"}},
        {R"({"states": [{"yd": {"ball": [1, null, 2]}}]})", {"states[0].yd.ball[1]", "null"}},
        {R"({"states": [{"q": {"ball": [0, 0, 0, 0]}}]})", {"states[0].q.ball", "length zero"}},
        {R"({"states": [{"wrenches": {"rod": [1, 2, 3]}}]})", {"states[0].wrenches.rod", "6 numbers"}},
        {R"({"states": [{"q": {"slide": 1, "slide": 2}}]})", {"states[0].q.slide", "twice"}},
        {R"({"states": [{"q": {}, "q": {}}]})", {"states[0].q", "twice"}},
        {R"({"states": [], "states": []})", {"states", "twice"}},
        {R"({"states": [{"q": {"slide": NaN}}]})", {"states.json:1:", "states[0].q.slide"}},
        {R"({"states": [{"q": {"slide": 1e999}}]})", {"states[0].q.slide", "finite", "1e999"}},
        {R"({"states": [{"yd": {}, "qd": {}}]})", {"states[0]", "yd or qd, found both"}},
        {R"({"states": [{"Q": {}}]})", {"states[0]", "unknown key 'Q'"}},
        {R"({"state": []})", {"unknown key 'state'", "did you mean 'states'", "expected a list of states"}},
        {R"({"states": {}})", {"states", "found an object"}},
        {R"({"states": [[]]})", {"states[0]", "expected an object, found a list"}},
        {R"({"states": [{"tau": [1]}]})", {"states[0].tau", "expected an object"}},
        {R"({"gravity": -9.81, "states": []})", {"gravity", "3 numbers"}},
        {R"([])", {"expected an object"}},
        {R"({"states": [[[[[[[[[[]]]]]]]]]]})", {"deep"}},
        {"{\"states\": [\n{\"q\": }]}", {"states.json:2:"}},
        {"", {"states.json"}},
    };
    const std::string model = cli::written("arm.urdf", arm);
    for (const Case& entry : cases) {
        INFO(entry.text);
        const Run run = cli::compute(model, entry.text);
        CHECK(run.exit == 1);
        CHECK(run.out.empty());
        INFO(run.err);
        CHECK(run.err.find("states.json") != std::string::npos);
        for (const char* part : entry.said) CHECK(run.err.find(part) != std::string::npos);
    }
    CHECK(cli::run("compute '" + model + "' --states '" + cli::folder().string() + "/no_such.json'").exit ==
          1);
}

TEST_CASE("velocities and accelerations of dependent joints are refused with the independent ones") {
    for (const std::string key : {"yd", "ydd"}) {
        const Run run =
            cli::compute(cli::robot("four_bar"), R"({"states": [{")" + key + R"(": {"joint2": 1}}]})");
        CHECK(run.exit == 1);
        CHECK(run.err.find("states[0]." + key + ".joint2: this joint is dependent") != std::string::npos);
        CHECK(run.err.find("'joint1'") != std::string::npos);
    }
}

TEST_CASE("every problem of a states file is told at once") {
    const Run run =
        cli::compute(cli::robot("four_bar"), R"({"states": [{"q": {"a": 1}}, {"yd": {"b": 1}}]})");
    CHECK(run.exit == 1);
    CHECK(run.err.find("states[0].q.a") != std::string::npos);
    CHECK(run.err.find("states[1].yd.b") != std::string::npos);
}

TEST_CASE("of a joint independent in part, maps hold the independent components alone") {
    const std::string model = cli::robot("spatial_four_bar");
    const Json info = cli::run("info --json '" + model + "'").json();
    std::string part;
    for (const Json& body : info.at("bodies"))
        if (body.at("type") == "spherical" && body.at("y_indices").size() == 1)
            part = body.at("joint").get<std::string>();
    REQUIRE_FALSE(part.empty());
    const std::string all = R"({"states": [{"yd": {")" + part + R"(": 0.5}, "ydd": {")" + part +
                            R"(": [1]}, "tau": {")" + part + R"(": 2}}]})";
    const Json found = cli::states_of(model, all).at(0);
    REQUIRE(found.at("status") == "ok");
    CHECK(found.at("inverse_dynamics").at("tau").at(part).is_number());
    CHECK(found.at("qd").at(part).size() == 3);
    CHECK(cli::compute(model, R"({"states": [{"yd": {")" + part + R"(": [1, 2, 3]}}]})").exit == 1);
    CHECK(cli::compute(model, R"({"states": [{"tau": {")" + part + R"(": [1, 2, 3]}}]})").exit == 0);
}
