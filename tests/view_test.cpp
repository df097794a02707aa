#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "api.h"
#include "grbda/io/load.hpp"
#include "robot.hpp"

using namespace grbda;
using view::Robot;

namespace {

/// A parallelogram's crossing doubles the rounding of closing it; 1e-10 is what the page promises.
constexpr double closed = 1e-10;

#if defined(GRBDA_SANITIZED)
constexpr int drags = 100;
#else
constexpr int drags = 1000;
#endif

/// Files of each robot, one a line.
std::vector<std::string> robots() {
    std::vector<std::string> list;
    for (const auto& folder : std::filesystem::directory_iterator(GRBDA_ROBOTS)) {
        if (!folder.is_directory()) continue;
        std::string files;
        for (const auto& file : std::filesystem::directory_iterator(folder))
            if (file.path().extension() != ".md") files += file.path().string() + "\n";
        list.push_back(files);
    }
    std::sort(list.begin(), list.end());
    return list;
}

Robot& loaded(const std::string& files) {
    const int status = view_load(files.c_str(), "", view_spherical);
    INFO(files << view_json());
    REQUIRE(status == 0);
    return *view::shown_robot();
}

std::string robot_file(const std::string& name) { return GRBDA_ROBOTS "/" + name + "/" + name + ".urdf"; }

}  // namespace

TEST_CASE("view: a thousand random drags leave the loops of every robot closed") {
    for (const std::string& files : robots()) {
        Robot& robot = loaded(files);
        std::mt19937_64 generator(7);
        std::uniform_real_distribution<double> unit(-1, 1);
        std::uniform_int_distribution<int> any(0, robot.model.body_count() - 1);
        double worst = 0;
        for (int i = 0; i < drags; ++i) {
            const int body = any(generator);
            const float* pose = &robot.poses[12 * static_cast<std::size_t>(body)];
            const auto near = [&](int k) { return static_cast<double>(pose[9 + k]) + 0.1 * unit(generator); };
            const double x = near(0), y = near(1), z = near(2);
            const int outcome = view_drag(body, 0, 0, 0, x, y, z, i % 3 == 0, 10);
            REQUIRE(outcome >= 0);
            REQUIRE(static_cast<Outcome>(outcome) != Outcome::open);
            worst = std::max(worst, robot.figures[view::residual]);
        }
        INFO(robot.model.names.robot);
        CHECK(worst <= closed);
    }
}

TEST_CASE("view: every slider moves its joint by what it says, or says why not, with loops closed") {
    for (const std::string& files : robots()) {
        Robot& robot = loaded(files);
        INFO(robot.model.names.robot);
        int moved = 0;
        for (const Body& body : robot.model.bodies) {
            for (int k = 0; k < velocity_size(body.joint); ++k) {
                for (const double delta : {0.004, -0.004, 0.002}) {
                    const double before = robot.q[body.q + k];
                    const int status = view_move(body.v + k, delta);
                    CHECK(robot.figures[view::residual] <= closed);
                    if (status == 0 && !has_quaternion(body.joint))
                        CHECK(std::abs(robot.q[body.q + k] - before) <= std::abs(delta) + 1e-9);
                    moved += status == 0 ? 1 : 0;
                }
            }
        }
        CHECK(moved >= 2 * robot.model.nv);
    }
}

TEST_CASE("view: a four-bar turns round through both change points") {
    Robot& robot = loaded(robot_file("four_bar"));
    int stopped = 0;
    for (int i = 0; i < 130; ++i) {
        stopped += view_move(0, 0.05) == 0 ? 0 : 1;
        REQUIRE(robot.figures[view::residual] <= closed);
    }
    CHECK(stopped == 0);
    CHECK(robot.q[0] > 6.28);
}

TEST_CASE("view: a locked joint stays while others are dragged") {
    Robot& robot = loaded(robot_file("kangaroo_leg"));
    view_lock(0, 1);
    const double before = robot.q[0];
    const int last = robot.model.body_count() - 1;
    const float* pose = &robot.poses[12 * static_cast<std::size_t>(last)];
    CHECK(view_drag(last, 0, 0, 0, pose[9] + 0.03, pose[10] + 0.02, pose[11] + 0.05, 0, 50) >= 0);
    CHECK(std::abs(robot.q[0] - before) < 1e-12);
    view_lock(0, 0);
}

TEST_CASE("view: what is no configuration is not shown, what is open is closed") {
    Robot& robot = loaded(robot_file("planar_leg_linkage"));
    const VectorX<double> before = robot.q;
    robot.q.setConstant(std::nan(""));
    CHECK(static_cast<Outcome>(view_set()) == Outcome::invalid);
    CHECK(robot.q == before);
    robot.q.array() += 0.1;
    CHECK(view_set() >= 0);
    CHECK(robot.figures[view::residual] <= closed);
}

TEST_CASE("view: joints of rods that a record leaves out close their loops") {
    const std::string file = robot_file("spatial_four_bar");
    LoadOptions options;
    options.rod_reduction = true;
    const Model reduced = load({file}, options);
    REQUIRE(reduced.rods.size() == 1);
    Robot& robot = loaded(file);
    const VectorX<double> start = robot.q;
    REQUIRE(static_cast<Status>(view_move(0, 0.3)) == Status::ok);
    const VectorX<double> moved = robot.q;
    robot.q = start;
    REQUIRE(view_set() >= 0);
    robot.q = moved;
    for (const std::string& joint : reduced.names.rods.front().joints) {
        const Body& body = robot.model.bodies[body_index_of_joint(robot.model, joint)];
        robot.q.segment(body.q, position_size(body.joint)).setConstant(std::nan(""));
    }
    CHECK(view_set() >= 0);
    CHECK(robot.figures[view::residual] <= closed);
    for (const std::string& joint : reduced.names.joints) {
        const Body& body = robot.model.bodies[body_index_of_joint(robot.model, joint)];
        CHECK(std::abs(robot.q[body.q] - moved[body.q]) < 1e-9);
    }
    CHECK((robot.q - start).cwiseAbs().maxCoeff() > 0.1);
}

TEST_CASE("view: forces at rest balance the weight, and a simulation keeps its loops") {
    Robot& robot = loaded(robot_file("delta"));
    REQUIRE(static_cast<Status>(view_forces()) == Status::ok);
    REQUIRE(view_start(1e-3, 0, 0) == 0);
    for (int i = 0; i < 20; ++i) {
        REQUIRE(static_cast<Status>(view_step(0.01, 1000, 0, 0, 0, 0, 0.2, 0.1, 0)) == Status::ok);
        REQUIRE(robot.figures[view::residual] <= closed);
    }
    CHECK(robot.figures[view::time_simulated] == Approx(0.2));
    view_stop();
}

TEST_CASE("view: a file that is not there comes back as findings") {
    CHECK(view_load("/nowhere/robot.urdf", "", 0) == 1);
    CHECK(std::string(view_json()).find("diagnostics") != std::string::npos);
}
