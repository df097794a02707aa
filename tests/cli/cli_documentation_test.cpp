#include <catch2/catch.hpp>

#include <regex>
#include <set>

#include "cli/cli_fixture.hpp"

// docs/command-line.md, docs/command-compute.md and docs/toolbox.md describe the tool: their examples run
// unchanged, and the pages name each key that is written.

using cli::Json;
using cli::Run;

namespace {

namespace fs = std::filesystem;

fs::path page(const std::string& name) { return fs::path(GRBDA_ROBOTS).parent_path() / "docs" / name; }

/// From the heading to the next one of its level.
std::string section(const std::string& text, const std::string& heading) {
    const std::size_t begin = text.find("\n" + heading + "\n");
    REQUIRE(begin != std::string::npos);
    const std::string level = "\n" + heading.substr(0, heading.find(' ') + 1);
    return text.substr(begin, text.find(level, begin + heading.size()) - begin);
}

std::vector<std::string> json_blocks(const std::string& text) {
    std::vector<std::string> blocks;
    const std::string open = "```json\n";
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
        at += open.size();
        blocks.push_back(text.substr(at, text.find("```", at) - at));
    }
    return blocks;
}

/// A command of a page, and the part of its output that the page shows.
struct Example {
    std::string command, shown;
};

/// Indented lines that begin with grbda, after a prompt where output follows.
std::vector<Example> examples(const std::string& text) {
    std::vector<Example> list;
    std::istringstream lines(text);
    bool shows = false;
    for (std::string line; std::getline(lines, line);) {
        const bool is_code = line.rfind("    ", 0) == 0;
        for (std::string more; line.ends_with('\\') && std::getline(lines, more);)
            line.replace(line.size() - 1, 1, more);
        if (line.rfind("    grbda ", 0) == 0 || line.rfind("    $ grbda ", 0) == 0) {
            list.push_back({line.substr(line.find("grbda ") + 6), ""});
            shows = line[4] == '$';
        } else if (shows && is_code) {
            list.back().shown += line.substr(4) + "\n";
        } else if (!line.empty()) {
            shows = false;
        } else if (shows && !list.back().shown.empty()) {
            list.back().shown += "\n";
        }
    }
    return list;
}

/// Folder in which the examples run: it contains the robots, and an example can read the output of another.
const fs::path& place() {
    static const fs::path path = [] {
        fs::create_directories(cli::folder() / "examples");
        fs::create_directory_symlink(GRBDA_ROBOTS, cli::folder() / "examples" / "robots");
        return cli::folder() / "examples";
    }();
    return path;
}

Run run_there(const std::string& arguments) {
    return cli::shell("cd '" + place().string() + "' && '" + GRBDA_TOOL + "' " + arguments);
}

/// Names of the robot: keys that are no words of the tool.
std::set<std::string> names_of(const Json& json) {
    std::set<std::string> names;
    for (const Json& body : json.at("bodies")) names.insert({body.at("joint"), body.at("link")});
    for (const Json& cluster : json.at("clusters"))
        for (const char* kind : {"loops", "couplings"})
            for (const Json& each : cluster.at(kind)) names.insert(each.at("name").get<std::string>());
    if (json.contains("rods"))
        for (const Json& rod : json.at("rods")) names.insert(rod.at("link").get<std::string>());
    return names;
}

void collect_keys(const Json& json, std::set<std::string>& keys) {
    if (!json.is_structured()) return;
    for (auto each = json.begin(); each != json.end(); ++each) {
        if (json.is_object()) keys.insert(each.key());
        collect_keys(*each, keys);
    }
}

}  // namespace

TEST_CASE("the examples of the pages run unchanged and print what is shown") {
    const std::string compute = cli::content(page("command-compute.md"));
    std::ofstream(place() / "states.json") << json_blocks(section(compute, "## Example")).at(0);
    std::size_t count = 0, shown = 0;
    const std::regex guesses("[0-9]+ of [0-9]+ random guesses");  // libraries draw other numbers
    for (const char* name : {"command-line.md", "command-compute.md", "toolbox.md"})
        for (const Example& example : examples(cli::content(page(name)))) {
            const std::string command = example.command.substr(0, example.command.find(" | "));
            const Run run = run_there(command);
            INFO(name << ": grbda " << command << "\n" << run.err);
            CHECK(run.exit == 0);
            ++count;
            if (example.shown.empty()) continue;
            ++shown;
            std::string expected = std::regex_replace(example.shown, guesses, "guesses");
            while (expected.rfind('\n', 0) == 0) expected.erase(0, 1);
            while (expected.size() > 1 && expected[expected.size() - 2] == '\n') expected.pop_back();
            CHECK(std::regex_replace(run.out, guesses, "guesses") == expected);
        }
    CHECK(count >= 9);
    CHECK(shown >= 1);
}

TEST_CASE("the page shows the result of compute for its example") {
    const std::vector<std::string> blocks =
        json_blocks(section(cli::content(page("command-compute.md")), "## Example"));
    REQUIRE(blocks.size() == 2);
    constexpr double rounding = 1e-12;  // of another compiler
    const Json found = cli::compute(cli::robot("slider_crank"), blocks[0]).json();
    CHECK(cli::difference(found, Json::parse(blocks[1])) < rounding);
}

TEST_CASE("every key that a command writes has its place on the page") {
    const std::string text = cli::content(page("command-line.md"));
    const std::string compute = cli::content(page("command-compute.md"));
    const auto check_keys = [&](const std::string& heading, Json json, std::set<std::string> names) {
        const std::string own = heading == "compute" ? compute : section(text, heading);
        if (heading == "## info") json.at("diagnostics") = Json();  // which are as those of check
        std::set<std::string> keys;
        collect_keys(json, keys);
        CHECK(keys.size() > 2);
        names.insert({"base", "world"});
        for (const std::string& key : keys) {
            const bool is_told = names.count(key) != 0 || own.find("`" + key + "`") != std::string::npos;
            INFO(heading << ": " << key);
            CHECK(is_told);
        }
    };
    for (const std::string robot : {"slider_crank", "digit_leg", "six_bar", "tello", "ur10e"}) {
        const std::string files = cli::quoted(cli::robot(robot));
        const Json info = cli::run("info -q --json " + files).json();
        const std::set<std::string> names = names_of(info);
        const std::string link = info.at("bodies").back().at("link");
        const std::string one = cli::quoted(info.at("bodies").back().at("joint").get<std::string>() + "=1");
        const std::string states = R"({"states": [{"qd": {}}, {"ydd": {}}, {"tau": {}}]})";
        const std::string options = "--constraints --joint-forces --frames " + cli::quoted(link);
        check_keys("## info", info, names);
        check_keys("## check", cli::run("check --json " + files).json(), names);
        check_keys("compute", cli::compute(cli::robot(robot), states, options).json(), names);
        const std::string target = " --target " + cli::quoted(link + "=1,2,3,0,0,0,1");
        check_keys("## ik", cli::run("ik -q " + files + target).json(), names);
        const std::string rates = " --qd " + one + " --qdd " + one;
        check_keys("## project", cli::run("project -q " + files + rates).json(), names);
    }
    const std::string shaped =
        R"(<robot name="r"><link name="base"><visual><geometry><mesh filename="m"/></geometry>
<material name="m"><color rgba="1 0 0 1"/></material><friction value="1"/></visual></link></robot>)";
    check_keys("## info",
               cli::run("info -q --json " + cli::quoted(cli::written("shaped.urdf", shaped))).json(), {});
    const std::string model = cli::robot("slider_crank"), crank = " " + cli::quoted(model) + " ";
    const std::set<std::string> names = {"crank_joint", "rod_joint", "slider_joint", "wrist_pin"};
    check_keys("## freeze, mount, workspace",
               cli::run("workspace -q --json --steps 4 --joint crank_joint" + crank).json(), names);
    const std::string apart = "--start crank_joint=1 rod_joint=2 slider_joint=4";
    check_keys("## ik", cli::run("ik -q" + crank + "--target rod=0,0,0.1 " + apart).json(), names);
    const std::string large = R"({"states": [{"q": {"crank_joint": 1e300}}]})";
    check_keys("compute", cli::compute(model, large).json(), names);
    check_keys("## project", cli::run("project -q" + crank + "--qd crank_joint=1e300").json(), names);
}
