#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

// Errors in a states file are reported with their places.

using cli::arm;
using cli::Run;

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

TEST_CASE("all problems of a states file are reported together") {
    const Run run =
        cli::compute(cli::robot("four_bar"), R"({"states": [{"q": {"a": 1}}, {"yd": {"b": 1}}]})");
    CHECK(run.exit == 1);
    CHECK(run.err.find("states[0].q.a") != std::string::npos);
    CHECK(run.err.find("states[1].yd.b") != std::string::npos);
}

TEST_CASE("states begin at the saved state that --start names") {
    std::string text = cli::content(std::string(GRBDA_ROBOTS) + "/slider_crank/slider_crank.urdf");
    text.insert(text.rfind("</robot>"),
                "<start><joint name=\"crank_joint\" value=\"0.25\"/></start>"
                "<state name=\"up\"><joint name=\"crank_joint\" value=\"1.5\"/></state>"
                "<state name=\"folded\"><joint name=\"crank_joint\" value=\"1.5\"/>"
                "<joint name=\"rod_joint\" value=\"2\"/></state>");
    const std::string model = cli::written("started.urdf", text);
    const auto q = [&](const std::string& states, const std::string& options) {
        const cli::Json state = cli::states_of(model, states, options).at(0);
        INFO(state.dump());
        REQUIRE(state.at("status") == "ok");
        return state.at("q");
    };
    CHECK(q("{}", "").at("crank_joint") == 0.25);
    CHECK(q("{}", "--start default").at("crank_joint") == 0.25);
    const cli::Json up = q("{}", "--start up");
    CHECK(up.at("crank_joint") == 1.5);
    CHECK(up.at("rod_joint").get<double>() == Approx(-(1.5 + std::asin(std::sin(1.5) / 3))));
    // other joints than those named stay, and the mode is that of the start
    CHECK(q(R"({"states": [{"q": {"crank_joint": 0.75}}]})", "--start up").at("crank_joint") == 0.75);
    const cli::Json folded = q("{}", "--start folded");
    CHECK(folded.at("crank_joint") == 1.5);  // independent; the rod is moved
    CHECK(folded.at("rod_joint").get<double>() == Approx(M_PI - 1.5 + std::asin(std::sin(1.5) / 3)));
    const cli::Json turned = q(R"({"states": [{"q": {"crank_joint": -1}}]})", "--start folded");
    CHECK(turned.at("crank_joint") == -1);
    CHECK(turned.at("rod_joint").get<double>() == Approx(M_PI + 1 + std::asin(std::sin(-1) / 3)));
    // a dependent joint is a guess still
    const cli::Json guessed = q(
        R"({"states": [{"q": {"crank_joint": -1, "rod_joint": 1.2, "slider_joint": 0}}]})", "--start folded");
    CHECK(guessed.at("rod_joint").get<double>() == Approx(1 - std::asin(std::sin(-1) / 3)));

    const Run run = cli::compute(model, "{}", "--start upp");
    CHECK(run.exit == 2);
    CHECK(run.err.find("--start upp: no saved state of this name (did you mean 'up'?)") != std::string::npos);
    CHECK(run.err.find("'folded'") != std::string::npos);
}

TEST_CASE("joints of rods are left out of states with a note, and take no force") {
    const std::string model = cli::robot("spatial_four_bar");
    const std::string named =
        R"({"states": [{"q": {"crank_joint": 0.3, "crank_to_coupler": [0, 0, 0, 1]}, "tau": {"crank_to_coupler": [0, 0, 0]}}]})";
    const std::string plain = R"({"states": [{"q": {"crank_joint": 0.3}}]})";
    const std::string call = "compute '" + model + "' --states '";
    const Run noted = cli::run(call + cli::written("named.json", named) + "'");
    CHECK(noted.exit == 0);
    CHECK(noted.err.find("joints of rods have no coordinates and are left out: 'crank_to_coupler'") !=
          std::string::npos);
    CHECK(noted.json() == cli::run(call + cli::written("plain.json", plain) + "'").json());
    const std::string start =
        "simulate '" + model + "' --duration 0.01 --summary --start '" +
        cli::written("start.json", R"({"states": [{"q": {"crank_to_coupler": [0, 0, 0, 1]}}]})") + "'";
    CHECK(cli::run(start).err.find("joints of rods have no coordinates") != std::string::npos);
    CHECK(cli::run(start + " -q").err.empty());
    const Run pushed = cli::compute(model, R"({"states": [{"tau": {"crank_to_coupler": [1, 0, 0]}}]})");
    CHECK(pushed.exit == 1);
    CHECK(pushed.err.find("--no-rod-reduction") != std::string::npos);
    const Run assigned = cli::run("project '" + model + "' --q crank_to_coupler=0,0,0,1");
    CHECK(assigned.exit == 2);
    CHECK(assigned.err.find("--no-rod-reduction") != std::string::npos);
}
