#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "cli/cli_fixture.hpp"

using cli::arm;
using cli::Json;
using cli::Run;

namespace {

/// Same equations in another order of operations, through text that keeps every bit.
constexpr double rounding = 1e-9;
/// Tolerance of two independent algorithms at states near the neutral ones, which are well conditioned.
constexpr double between_methods = 5e-8;  // digit: thin rods turn with 1e-8 of the inertia of the robot

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
                                0.02 * unit(generator);  // four_bar is flat 0.03 rad from neutral: a fold
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
        const bool is_undefined = name == "tello" || info.contains("rods");  // massless bodies, or rods
        for (const std::string method :
             {"dense_kkt", "range_space", "constrained_aba", "projection", "proximal"}) {
            INFO(method);
            const Json found = cli::states_of(cli::robot(name), states(list), "--method " + method);
            REQUIRE(found.size() == expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                if ((method == "range_space" || method == "constrained_aba") && is_undefined) {
                    CHECK(found[i].at("status") == "undefined");
                    const std::string message = found[i].at("message");
                    CHECK((message.find("--no-rod-reduction") != std::string::npos) == info.contains("rods"));
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
        CHECK(forward.at("q") == inverse.at("q"));  // complete and closed: used unchanged
        CHECK(cli::difference(forward.at("forward_dynamics").at("ydd"), state.at("ydd")) < between_methods);
    }
}

TEST_CASE("velocities that rounding left in loops that stand still are consistent") {
    const std::string model = cli::robot("four_bar");
    for (const char* joint : {"joint1", "joint2", "joint3"}) {
        INFO(joint);
        const Json q = {{"joint1", 0.5}}, tiny = {{"q", q}, {"qd", {{joint, 1e-15}}}},
                   slow = {{"q", q}, {"qd", {{joint, 1e-3}}}};
        const Json out = cli::states_of(model, states(Json::array({tiny, slow})));
        CHECK(out.at(0).at("status") == "ok");
        CHECK(out.at(0).at("velocity_residual").get<double>() < 1e-6);
        // what an independent joint alone says is completed; a dependent one alone breaks the loop
        CHECK(out.at(1).at("status") == (joint == std::string("joint1") ? "ok" : "inconsistent_velocity"));
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

TEST_CASE("spanning velocities replace independent ones if they keep the loops closed") {
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
    Json found = cli::states_of(model, states({{{"tau", {{rotor, 1.5}}}}, {{"tau", {{link, 1.5 * ratio}}}}}));
    const auto carried = [&](std::size_t i) {
        return found[i].at("forward_dynamics").at("couplings").at(coupling.at("name").get<std::string>());
    };
    CHECK(cli::difference(carried(0), carried(1)) > 0.1);  // not through it where the link has the torque
    for (Json& state : found)
        for (const char* key : {"couplings", "joints"}) state["forward_dynamics"].erase(key);
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

TEST_CASE("a state without q is the neutral configuration of every robot") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        const std::string model = cli::robot(name);
        const Run whole = cli::compute(model, "{}");
        REQUIRE(whole.exit == 0);
        const Json neutral = cli::run("info --json '" + model + "'").json().at("neutral");
        const Json several = cli::compute(model, R"({"states": [{}, {"q": {}}]})").json();
        for (const Json& state : several.at("states")) {
            CHECK(state == whole.json().at("states").at(0));
            CHECK(state.at("status") == "ok");
            Json q = Json::array();
            for (const Json& joint : state.at("q"))
                for (const Json& value : joint.is_array() ? joint : Json::array({joint})) q.push_back(value);
            CHECK(q == neutral);
        }
        CHECK(whole.json().at("states").size() == 1);
    }
}

TEST_CASE("a state without a solution is reported, and the others are computed") {
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
        CHECK(found[1].at("status") == "fold");
        // the slide at its end: a dead centre of it, not of the swing
        const bool in_others = method == "aba";
        CHECK(found[2].at("status") == (in_others ? "ok" : "singular_constraint"));
        if (in_others) CHECK(found[2].at("coordinates").at(0).at(0) == "swing");
        CHECK(found[3].at("status") == "ok");
        for (const int i : {1, 2})
            for (const char* key :
                 {"q", "qd", "mass_matrix", "bias_force", "inverse_dynamics", "forward_dynamics", "energy"})
                CHECK(found[static_cast<std::size_t>(i)].contains(key) == (in_others && i == 2));
    }
    const std::string file = cli::written("open.json", R"({"states": [{"q": {"slide": 4}}]})");
    CHECK(cli::run("compute '" + model + "' --states '" + file + "'").err.find("1 of 1 states") !=
          std::string::npos);
}

TEST_CASE("numbers too large to compute with give a status, not infinities") {
    const Json found = cli::states_of(cli::robot("four_bar"), R"({"states": [
        {"q": {"joint1": 1e300}}, {"q": {"joint2": -1e300}}, {"yd": {"joint1": 1e300}},
        {"qd": {"joint1": 1e300}}, {"ydd": {"joint1": 1e300}}, {"tau": {"joint3": 1e300}},
        {"wrenches": {"link3": [0, 0, 1e300, 0, 0, 0]}}, {"q": {"joint1": 0.3}}]})");
    REQUIRE(found.size() == 8);
    for (std::size_t i = 0; i < 7; ++i) {
        INFO(i);
        CHECK(found[i].at("status") == "not_finite");
        CHECK_FALSE(found[i].contains("mass_matrix"));
    }
    CHECK(found[7].at("status") == "ok");
    const std::string heavy = R"({"gravity": [0, 0, -1e300], "states": [{}]})";
    for (const std::string method : {"aba", "projection"})
        CHECK(cli::states_of(cli::robot("four_bar"), heavy, "--method " + method).at(0).at("status") ==
              "not_finite");
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

TEST_CASE("maps have only the independent components of a partly independent joint") {
    const std::string model = cli::robot("spatial_four_bar");
    const std::string full = "--no-rod-reduction";
    const Json info = cli::run("info --json " + full + " '" + model + "'").json();
    std::string part;
    for (const Json& body : info.at("bodies"))
        if (body.at("type") == "spherical" && body.at("y_indices").size() == 1)
            part = body.at("joint").get<std::string>();
    REQUIRE_FALSE(part.empty());
    const std::string all = R"({"states": [{"yd": {")" + part + R"(": 0.5}, "ydd": {")" + part +
                            R"(": [1]}, "tau": {")" + part + R"(": 2}}]})";
    const Json found = cli::states_of(model, all, full).at(0);
    REQUIRE(found.at("status") == "ok");
    CHECK(found.at("inverse_dynamics").at("tau").at(part).is_number());
    CHECK(found.at("qd").at(part).size() == 3);
    CHECK(cli::compute(model, R"({"states": [{"yd": {")" + part + R"(": [1, 2, 3]}}]})", full).exit == 1);
    CHECK(cli::compute(model, R"({"states": [{"tau": {")" + part + R"(": [1, 2, 3]}}]})", full).exit == 0);
}

namespace {

/// A linkage whose dependent joints have springs, dampers and friction, and links carried against gravity.
std::string sprung_four_bar() {
    std::string text = cli::content(std::string(GRBDA_ROBOTS) + "/four_bar/four_bar.urdf");
    const auto insert_all = [&](const std::string& before, const std::string& added) {
        for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;
             at += before.size() + added.size())
            text.insert(at, added);
    };
    insert_all("</joint>", R"(<dynamics damping="0.3" friction="0.2" stiffness="4" rest_position="0.1"/>)");
    insert_all("</link>", R"(<gravity_compensation mass="0.4" xyz="0.1 0 0.2"/>)");
    return cli::written("sprung_four_bar.urdf", text);
}

}  // namespace

TEST_CASE("joint forces act besides tau if they are requested, by every method") {
    const std::string model = sprung_four_bar();
    const std::string state =
        R"({"states": [{"q": {"joint1": 0.9}, "yd": {"joint1": 2}, "ydd": {"joint1": 3}, "tau": {"joint2": 5}}]})";
    const Json pure = cli::states_of(model, state).at(0);
    CHECK_FALSE(pure.contains("joint_forces"));
    const Json with = cli::states_of(model, state, "--joint-forces").at(0);
    REQUIRE(with.at("status") == "ok");
    const auto number = [](const Json& json) { return json.at("joint1").get<double>(); };
    const double force = number(with.at("joint_forces"));
    CHECK(std::abs(force) > 0.1);
    const double M = with.at("mass_matrix")[0][0].get<double>();
    const auto difference_of = [&](const std::string& a, const char* b) {
        const Json before = b[0] == 0 ? pure.at(a) : pure.at(a).at(b);
        const Json after = b[0] == 0 ? with.at(a) : with.at(a).at(b);
        return number(after) - number(before);
    };
    CHECK(difference_of("forward_dynamics", "ydd") == Approx(force / M).epsilon(rounding));
    CHECK(difference_of("inverse_dynamics", "tau") == Approx(-force).epsilon(rounding));
    CHECK(difference_of("bias_force", "") == Approx(-force).epsilon(rounding));
    CHECK(with.at("energy") == pure.at("energy"));
    for (const std::string method : {"dense_kkt", "range_space", "constrained_aba", "projection", "proximal"})
        CHECK(cli::difference(with, cli::states_of(model, state, "--joint-forces --method " + method).at(0)) <
              between_methods);
}

TEST_CASE("with joint forces too the tau of inverse dynamics gives its acceleration") {
    const std::string model = sprung_four_bar();
    const std::string before = R"({"states": [{"q": {"joint1": 0.9}, "yd": {"joint1": -1}, )";
    const Json inverse = cli::states_of(model, before + R"("ydd": {"joint1": 3}}]})", "--joint-forces").at(0);
    const std::string tau = inverse.at("inverse_dynamics").at("tau").dump();
    const Json forward = cli::states_of(model, before + R"("tau": )" + tau + "}]}", "--joint-forces").at(0);
    CHECK(forward.at("forward_dynamics").at("ydd").at("joint1").get<double>() == Approx(3).epsilon(rounding));
}
