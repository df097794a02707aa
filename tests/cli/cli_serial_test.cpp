#include <catch2/catch.hpp>

#include <set>

#include "cli/cli_fixture.hpp"

using Catch::Matchers::Contains;
using cli::Json;
using cli::Run;

namespace {

std::string ankle() { return cli::quoted(cli::robot("g1_like_ankle")); }
std::string place(const std::string& name) { return (cli::folder() / name).string(); }

void collect(const Json& json, std::set<std::string>& keys) {
    if (!json.is_structured()) return;
    for (auto each = json.begin(); each != json.end(); ++each) {
        if (json.is_object()) keys.insert(each.key());
        collect(*each, keys);
    }
}

/// The entry of a list by points at these indices of a grid of two coordinates.
const Json& point(const Json& cluster, const char* key, std::size_t i, std::size_t j) {
    return cluster.at(key).at(i * cluster.at("nodes").at(1).size() + j);
}

}  // namespace

TEST_CASE("grbda serial writes a tree, tables and code that compiles and gives the tables") {
    const Run run = cli::run("serial -q " + ankle() + " -o " + cli::quoted(place("serial/ankle")) +
                             " --points 7 --motor-gains 40,2 --joint-gains 40,2");
    INFO(run.err);
    REQUIRE(run.exit == 0);
    for (const char* text : {"a tree of 2 moving bodies", "Cluster ankle_pitch, ankle_roll on shank",
                             "constant diagonal", "tolerable", "torques", "box inside", "Whole robot"})
        CHECK_THAT(run.out, Contains(text));
    CHECK_THAT(cli::content(place("serial/ankle.urdf")), Contains("ankle_roll") && !Contains("motor\""));
    const Json json = Json::parse(cli::content(place("serial/ankle.json")));
    const Json& cluster = json.at("clusters").at(0);
    CHECK(cluster.at("joints") == Json{"ankle_pitch", "ankle_roll"});
    REQUIRE(cluster.at("delta_M").size() == 49);
    const std::string page =
        cli::content(std::filesystem::path(GRBDA_ROBOTS).parent_path() / "docs" / "serial.md");
    std::set<std::string> keys;
    collect(json, keys);
    for (const std::string& key : keys) {
        INFO(key);
        CHECK_THAT(page, Contains("`" + key + "`"));
    }
    // ΔM, J_m and force of the code at a node: no velocity, gravity along z
    const std::string y = cluster["nodes"][0][2].dump() + ", " + cluster["nodes"][1][3].dump();
    cli::written(
        "serial_main.c",
        "#include <stdio.h>\nint ankle_cluster0(const double*, double*, double*);\n"
        "int ankle_cluster0_correction(const double*, const double*, const double*, double*, double*);\n"
        "int main(void) {\n  double y[2] = {" +
            y +
            "}, yd[2] = {0, 0}, g[3] = {0, 0, 1};\n"
            "  double value[64], rates[128], M[4], force[2];\n"
            "  if (ankle_cluster0_correction(y, yd, g, M, force) || ankle_cluster0(y, value, rates)) return "
            "1;\n"
            "  printf(\"[%.17g, %.17g, %.17g, %.17g]\", M[1], force[0], force[1], value[2]);\n"
            "  y[0] += 100;\n  return ankle_cluster0(y, value, rates) == 1 ? 0 : 2;\n}\n");
    const Run built =
        cli::shell("cd " + cli::quoted(cli::folder().string()) +
                   " && cc -std=c99 -O1 -Wall -Wextra -Werror serial_main.c serial/ankle_serial.c -o "
                   "serial_main && ./serial_main");
    INFO(built.err);
    REQUIRE(built.exit == 0);
    const Json found = built.json();
    const Json gravity = point(cluster, "gravity", 2, 3);
    const Json expected{point(cluster, "delta_M", 2, 3)[0][1], gravity[0][2], gravity[1][2],
                        point(cluster, "J_m", 2, 3)[0][0]};
    CHECK(cli::difference(found, expected) < 1e-12);
}

TEST_CASE("grbda serial refuses impossible requests, and writes nothing") {
    const auto refused = [&](const std::string& options, int code, const std::string& reason) {
        const Run run = cli::run("serial -q " + ankle() + " " + options);
        INFO(options << "\n" << run.err);
        CHECK(run.exit == code);
        CHECK_THAT(run.err, Contains(reason));
    };
    const std::string out = " -o " + cli::quoted(place("none"));
    refused("", 2, "--output is required");
    refused(out + " --end toe", 2, "a link or frame on a moving body that carries load, found 'toe'");
    refused(out + " --range ankle_pitch=1,0", 2, "expected JOINT=LOWER,UPPER");
    refused(out + " --range ankle_pich=0,1", 2, "did you mean 'ankle_pitch'");
    refused(out + " --motor-gains 5", 2, "expected K,D");
    refused(out + " --points 3", 2, "--points");
    CHECK(!std::filesystem::exists(place("none.urdf")));
    const Run delta = cli::run("serial -q " + cli::quoted(cli::robot("delta")) + out);
    CHECK(delta.exit == 3);
    CHECK_THAT(delta.err, Contains("without quaternions"));
    CHECK(!std::filesystem::exists(place("none.urdf")));
}
