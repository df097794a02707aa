#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "constraints/constraint_forces.hpp"
#include "constraints/embedding.hpp"
#include "laws/workspace_calls.hpp"
#include "support/require_ok.hpp"

// Functions that read what an algorithm left in a workspace give numbers of the state that the last algorithm
// ran at, or refuse: after any algorithm at one state and any other one at another state.

namespace {

using namespace test_robots;
using namespace workspace_calls;
using Eigen::VectorXd;
using grbda::Model;

constexpr double kEqual = 1e-9;  // two paths to the same numbers

/// Functions in the public headers that take a workspace, but for steps of others.
std::set<std::string> declared() {
    const std::regex function(R"(GRBDA_EXPORT\s+[\w:<>, ]+?\s+(\w+)\(const Model& model, (?:const )?Data&)");
    std::set<std::string> names;
    for (const char* folder : {"dynamics", "kinematics", "constraints", "derivatives", "search"})
        for (const auto& file :
             std::filesystem::directory_iterator(GRBDA_ROBOTS "/../include/grbda/" + std::string(folder))) {
            std::stringstream text;
            text << std::ifstream(file.path()).rdbuf();
            const std::string all = text.str();
            for (std::sregex_iterator x(all.begin(), all.end(), function), end; x != end; ++x)
                names.insert((*x)[1].str());
        }
    return names;
}

}  // namespace

TEST_CASE("the next tests know every function that takes a workspace") {
    std::set<std::string> names = declared();
    CHECK(names.size() > 50);
    // of charts alone, and parts of step_derivatives()
    for (const char* other : {"independent_part", "spanning_force", "begin", "enter", "leave"})
        names.erase(other);
    // of the interface alone: each is one of the others on a workspace
    for (const char* other : {"frame_pose", "body_pose", "conditioning", "solver_acceleration_derivatives",
                              "solver_state_step_derivatives", "motor_forces", "step_derivatives"})
        names.erase(other);
    for (const auto& [name, run] : algorithms()) names.erase(name);
    for (const auto& [name, reading] : readings()) names.erase(name);
    for (const std::string& name : names) FAIL_CHECK(name << " is not tested");
}

TEST_CASE("numbers read from a workspace are those of its last state, or are refused") {
    const auto all_algorithms = algorithms();
    const auto all_readings = readings();
    int given = 0, refused = 0;
    for (const char* name : {"four_bar", "tello", "mit_humanoid", "ur10e", "spatial_four_bar"}) {
        const Robot& robot = named(name);
        const Model& model = robot.model;
        Random random(701);
        State before, after;
        REQUIRE(random_state(model, random, before));
        REQUIRE(random_state(model, random, after));
        const int frame = model.body_frame[model.body_count() - 1];
        for (const char* first :
             {"forward_kinematics_derivatives", "constraint_embedding", "free_motion", "factor"})
            for (const auto& [algorithm, run] : all_algorithms) {
                Data left(model);
                State then = before, now = after;
                all_algorithms.at(first)(model, left, then);
                run(model, left, now);
                for (const auto& [reading, read] : all_readings) {
                    INFO(name << ": " << reading << " after " << first << " and " << algorithm);
                    Data data = left, fresh(model);
                    VectorXd found;
                    try {
                        found = read.second(model, data, frame);
                    } catch (const std::invalid_argument& error) {
                        const bool says = std::string(error.what()).find("Data holds ") == 0;
                        CHECK(says);
                        ++refused;
                        continue;
                    }
                    if (found.size() > 0 && found.array().isNaN().all()) continue;
                    State same = now;
                    all_algorithms.at(read.first)(model, fresh, same);
                    CHECK(relative(found, read.second(model, fresh, frame)) < kEqual);
                    ++given;
                }
            }
    }
    CHECK(given > 500);
    CHECK(refused > 5000);
}

TEST_CASE("poses at a singular configuration are given, all that depends on coordinates is refused") {
    const Model& model = named("four_bar").model;
    const VectorXd flat = VectorXd::Zero(model.nq), rate = VectorXd::Ones(model.nv);
    const int frame = model.frame("link3").index;
    Data data(model);
    const Eigen::Vector3d pivot(1, 0, 0);
    CHECK(grbda::forward_kinematics<double>(model, data, flat, rate).status ==
          grbda::Status::singular_constraint);
    CHECK((grbda::frame_position(model, data, frame) - pivot).norm() < kEqual);
    CHECK_THROWS_WITH(grbda::frame_velocity(model, data, frame, kWorld),
                      Catch::Contains("choose_coordinates"));
    grbda::Matrix6X<double> J(6, model.nv);
    CHECK_THROWS_WITH(grbda::frame_jacobian<double>(model, data, frame, kWorld, J),
                      Catch::Contains("poses alone"));
    CHECK(grbda::constraint_embedding<double>(model, data, flat, rate).status ==
          grbda::Status::singular_constraint);
    CHECK_THROWS_WITH(grbda::explicit_jacobian(model, data), Catch::Contains("constraint_embedding"));
}

TEST_CASE("clusters without implicit constraints have rcond 1") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        Random random(702);
        State state;
        if (!random_state(model, random, state)) continue;
        Data data(model);
        grbda::ConstraintForces forces(model);
        must(grbda::constraint_forces<double>(model, data, state.q, state.yd, state.ydd, forces));
        for (const grbda::Cluster& c : model.clusters) {
            const double rcond = data.rcond[c.index];
            CHECK((c.embedding == grbda::Embedding::implicit ? rcond > 0 && rcond <= 1 : rcond == 1));
        }
    }
}
