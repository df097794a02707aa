#include <catch2/catch.hpp>

#include <cmath>
#include <set>

#include "cli/cli_fixture.hpp"

// Output of `grbda compute` on loops, joints, frames and constraints.

using cli::Json;

namespace {

constexpr double rounding = 1e-9;
const char* const moving =
    R"({"states": [{"q": {"joint1": 0.9}, "yd": {"joint1": 2}, "ydd": {"joint1": 3}, "tau": {"joint2": 5}}]})";

using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;

double product(const Numbers& a, const Numbers& b) {
    REQUIRE(a.size() == b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

TEST_CASE("at rest the joints and loops on the base bear the robot's weight, on every robot") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        const Json info = cli::run("info --json '" + cli::robot(name) + "'").json();
        const Json state = cli::states_of(cli::robot(name), "{}").at(0);
        REQUIRE(state.at("status") == "ok");
        const Json& carried = state.at("inverse_dynamics");
        const std::string root = info.at("root");
        Numbers sum(3, 0);
        const auto add = [&](const Json& wrench, double sign) {
            for (std::size_t i = 0; i < 3; ++i) sum[i] += sign * wrench.at("world")[i].get<double>();
        };
        for (const Json& body : info.at("bodies"))
            if (body.at("parent") == root)
                add(carried.at("joints").at(body.at("joint").get<std::string>()), 1);
        // what rods bear, that of their loops included; false: it is no rod's
        const auto add_rod = [&](const Json& loop) {
            for (const Json& rod : info.value("rods", Json::array())) {
                if (rod.at("loop") != loop.at("name")) continue;
                const Json& ends = carried.at("rods").at(rod.at("link").get<std::string>());
                for (std::size_t i = 0; i < 3; ++i) {
                    if (loop.at("predecessor") == root) sum[i] += ends.at("a")[i].get<double>();
                    if (loop.at("successor") == root) sum[i] += ends.at("b")[i].get<double>();
                }
                return true;
            }
            return false;
        };
        std::size_t loops = 0, couplings = 0;
        for (const Json& cluster : info.at("clusters")) {
            for (const Json& loop : cluster.at("loops")) {
                const Json& wrench = carried.at("loops").at(loop.at("name").get<std::string>());
                ++loops;
                if (add_rod(loop)) continue;
                if (loop.at("predecessor") == root) add(wrench, 1);
                if (loop.at("successor") == root) add(wrench, -1);
            }
            couplings += cluster.at("couplings").size();
        }
        const double mass = info.at("mass").get<double>();
        for (std::size_t i = 0; i < 3; ++i)
            CHECK(std::abs(sum[i] + mass * info.at("gravity")[i].get<double>()) < 1e-7 * (1 + mass));
        CHECK(carried.at("loops").size() == loops);
        CHECK(carried.at("couplings").size() == couplings);
        CHECK(carried.at("joints").size() == info.at("bodies").size());
        CHECK(state.at("forward_dynamics").at("joints").size() == info.at("bodies").size());
    }
}

TEST_CASE("a wrench on a rod has the same effect as on the same link as a body") {
    const std::string model = cli::robot("spatial_four_bar");
    const std::string pushed = R"({"states": [{"wrenches": {"coupler": [1, 2, 3, 0.1, 0.2, 0.3]}}, {}]})";
    const Json rod = cli::states_of(model, pushed),
               body = cli::states_of(model, pushed, "--no-rod-reduction");
    const auto crank = [](const Json& states, std::size_t i) {
        return states.at(i).at("forward_dynamics").at("ydd").at("crank_joint").get<double>();
    };
    CHECK(crank(rod, 0) == Approx(crank(body, 0)));
    CHECK(std::abs(crank(rod, 1)) < rounding);  // without the wrench it rests
    CHECK(std::abs(crank(rod, 0)) > 1);
    const Json& ends = rod.at(1).at("inverse_dynamics").at("rods").at("coupler");
    const double weight[] = {0, 0, 0.6 * 9.81};
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(std::abs(ends.at("a")[i].get<double>() + ends.at("b")[i].get<double>() - weight[i]) < rounding);
}

TEST_CASE("forces across the plane of a planar four-bar are undetermined, the others are unique") {
    const Json state = cli::states_of(cli::robot("four_bar"), moving).at(0);
    const Json& open = state.at("undetermined");
    CHECK(open.at("loops") == Json::parse(R"({"loop1": ["fx", "ny", "nz"]})"));  // x: its axis
    for (const char* joint : {"joint1", "joint2", "joint3"})
        CHECK(open.at("joints").at(joint) == Json::parse(R"(["fz", "nx", "ny"])"));
    CHECK(open.at("couplings").empty());
    // the pin bears no moment about its axis, and joint3 has no motor
    CHECK(std::abs(state.at("inverse_dynamics").at("loops").at("loop1").at("local")[3].get<double>()) <
          rounding);
    CHECK(std::abs(state.at("inverse_dynamics").at("joints").at("joint3").at("local")[5].get<double>()) <
          rounding);
    const auto about_z = [&](const char* motion, const char* joint) {
        return state.at(motion).at("joints").at(joint).at("local")[5].get<double>();
    };
    CHECK(about_z("inverse_dynamics", "joint1") ==
          Approx(state.at("inverse_dynamics").at("tau").at("joint1").get<double>()));
    CHECK(about_z("forward_dynamics", "joint2") == Approx(5));  // where tau was given
    CHECK(std::abs(about_z("forward_dynamics", "joint1")) < rounding);
}

TEST_CASE("springs and carried weights act on their own joints and links beside the motors") {
    std::string text = cli::content(std::string(GRBDA_ROBOTS) + "/four_bar/four_bar.urdf");
    const auto insert_all = [&](const std::string& before, const std::string& added) {
        for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;
             at += before.size() + added.size())
            text.insert(at, added);
    };
    insert_all("</joint>", R"(<dynamics damping="0.3" stiffness="4" rest_position="0.1"/>)");
    insert_all("</link>", R"(<gravity_compensation mass="0.4" xyz="0.1 0 0.2"/>)");
    const std::string model = cli::written("sprung.urdf", text);
    const Json state = cli::states_of(model, moving, "--joint-forces").at(0);
    REQUIRE(state.at("status") == "ok");
    for (const char* motion : {"inverse_dynamics", "forward_dynamics"}) {
        // joint3: nothing but its spring and damper; joint2 has the torque that was given besides
        const double q = state.at("q").at("joint3").get<double>(),
                     qd = state.at("qd").at("joint3").get<double>();
        const Json& joints = state.at(motion).at("joints");
        CHECK(joints.at("joint3").at("local")[5].get<double>() == Approx(-4 * (q - 0.1) - 0.3 * qd));
        // across the plane: weights of 3.3 kg, 0.4 kg of which is carried for each link
        const double up = joints.at("joint1").at("world")[2].get<double>() +
                          joints.at("joint3").at("world")[2].get<double>();
        CHECK(up == Approx(9.81 * 3 * (3.3 - 0.4)));
    }
}

TEST_CASE("frames have pose, velocity and Jacobian, and acceleration where one was given") {
    const std::string model = cli::written("arm.urdf", cli::arm);
    const std::string states =
        R"({"states": [{"q": {"slide": 0.4}, "yd": {"ball": [0.1, 0.2, 0.3], "slide": 2}},
        {"q": {"slide": 0.4}, "yd": {"slide": 2}, "ydd": {"slide": 3}}]})";
    const Json out = cli::states_of(model, states, "--frames plate,base --frames rod,plate");
    const Json& frames = out.at(0).at("frames");
    REQUIRE(frames.size() == 3);
    const Json& plate = frames.at("plate");
    const Numbers position = plate.at("position"), orientation = plate.at("orientation"),
                  expected{0.3 + 0.4 + 0.2, -0.1, 0.3}, turned{0, 0, std::sqrt(0.5), std::sqrt(0.5)};
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(position[i] - expected[i]) < rounding);
    for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(orientation[i] - turned[i]) < rounding);
    const Rows J = plate.at("jacobian");
    const Numbers velocity = plate.at("velocity"), yd{0.1, 0.2, 0.3, 2};
    REQUIRE(J.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(product(J[i], yd) - velocity[i]) < rounding);
    CHECK(velocity[3] == Approx(0.1));
    CHECK_FALSE(plate.contains("acceleration"));
    CHECK(frames.at("base").at("velocity") == Json::parse("[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]"));
    const Numbers a = out.at(1).at("frames").at("plate").at("acceleration");
    CHECK(a[0] == Approx(3));

    const cli::Run run = cli::compute(model, states, "--frames platte");
    CHECK(run.exit == 2);
    CHECK(run.err.find("did you mean 'plate'") != std::string::npos);
    CHECK_FALSE(cli::states_of(model, states).at(0).contains("frames"));
}

TEST_CASE("matrices of constraints go together, with names and patterns, on every robot") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        const Json info = cli::run("info --json '" + cli::robot(name) + "'").json();
        const Json out = cli::compute(cli::robot(name), "{}", "--constraints").json();
        const Json& structure = out.at("constrained_clusters");
        const Json& numbers = out.at("states")[0].at("constraints");
        REQUIRE(structure.size() == numbers.size());
        std::size_t constrained = 0;
        for (const Json& cluster : info.at("clusters"))
            constrained += cluster.at("rows").get<int>() > 0 ? 1 : 0;
        CHECK(structure.size() == constrained);
        for (std::size_t c = 0; c < structure.size(); ++c) {
            const Rows K = numbers[c].at("K"), G = numbers[c].at("G");
            const Numbers k = numbers[c].at("k"), g = numbers[c].at("g");
            CHECK(structure[c].at("rows").size() == K.size());
            CHECK(structure[c].at("coordinates").size() == G.size());
            for (const Json& row : structure[c].at("rows"))
                CHECK(row.contains("loop") != row.contains("coupling"));
            const std::size_t m = structure[c].at("independent").size();
            for (std::size_t r = 0; r < K.size(); ++r) {
                for (std::size_t j = 0; j < m; ++j) {
                    Numbers column;
                    for (const Numbers& row : G) column.push_back(row.at(j));
                    CHECK(std::abs(product(K[r], column)) < 1e-7);
                }
                CHECK(std::abs(product(K[r], g) - k[r]) < 1e-7);
            }
            for (const char* which : {"K", "G"}) {
                std::set<std::pair<std::size_t, std::size_t>> pattern;
                for (const Json& entry : structure[c].at(std::string("nonzero_in_") + which))
                    pattern.insert({entry[0].get<std::size_t>(), entry[1].get<std::size_t>()});
                const Rows& matrix = which[0] == 'K' ? K : G;
                for (std::size_t r = 0; r < matrix.size(); ++r)
                    for (std::size_t j = 0; j < matrix[r].size(); ++j)
                        if (std::abs(matrix[r][j]) > 1e-12) CHECK(pattern.count({r, j}) == 1);
            }
        }
    }
    const Json out = cli::compute(cli::robot("four_bar"), "{}", "--constraints").json();
    const Json& cluster = out.at("constrained_clusters")[0];
    CHECK(cluster.at("rows") == Json::parse(R"([{"loop": "loop1", "kind": "along", "axis": "y"},
                                                {"loop": "loop1", "kind": "along", "axis": "z"}])"));
    CHECK(cluster.at("independent") == Json::parse(R"([["joint1", 0]])"));
    CHECK(cluster.at("nonzero_in_G").size() == 3);
}

TEST_CASE("derivatives agree with differences of the results of compute") {
    const std::string model = cli::robot("four_bar");
    const auto at = [&](double q, double yd, double tau, const std::string& options = "") {
        Json state;
        state["q"]["joint1"] = q;
        state["yd"]["joint1"] = yd;
        state["ydd"]["joint1"] = 3;
        state["tau"]["joint1"] = tau;
        return cli::states_of(model, Json{{"states", Json::array({state})}}.dump(), options).at(0);
    };
    const Json derivatives = at(0.9, 2, 5, "--derivatives").at("derivatives");
    const auto entry = [&](const char* key) { return derivatives.at(key)[0][0].get<double>(); };
    const auto slope = [&](const Json& above, const Json& below, bool forward, double step) {
        const auto value = [&](const Json& state) {
            return forward ? state.at("forward_dynamics").at("ydd").at("joint1").get<double>()
                           : state.at("inverse_dynamics").at("tau").at("joint1").get<double>();
        };
        return (value(above) - value(below)) / (2 * step);
    };
    constexpr double h = 1e-5;
    for (const bool forward : {false, true}) {
        CHECK(entry(forward ? "ydd_y" : "tau_y") ==
              Approx(slope(at(0.9 + h, 2, 5), at(0.9 - h, 2, 5), forward, h)).epsilon(1e-6));
        CHECK(entry(forward ? "ydd_yd" : "tau_yd") ==
              Approx(slope(at(0.9, 3, 5), at(0.9, 1, 5), forward, 1)).epsilon(rounding));
    }
    CHECK(entry("ydd_tau") == Approx(slope(at(0.9, 2, 6), at(0.9, 2, 4), true, 1)).epsilon(rounding));
    const std::string states = "--states '" + cli::written("any.json", "{}") + "'";
    CHECK(cli::run("compute '" + model + "' --derivatives --joint-forces " + states).exit == 2);
}
