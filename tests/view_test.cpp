#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "api.h"
#include "grbda/algorithms/coordinates.hpp"
#include "grbda/algorithms/momentum.hpp"
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

Eigen::Vector3d linear_momentum(const Robot& robot) {
    const Model& model = robot.model;
    Data<double> data(model);
    REQUIRE(choose_coordinates<double>(model, data, robot.q, Marks::ignored).ok());
    VectorX<double> yd(model.nv);
    independent_part<double>(model, data, VectorX<double>(view::shown_robot()->simulator->velocity()), yd);
    Matrix6X<double> A(6, model.nv);
    REQUIRE(momentum_matrix<double>(model, data, robot.q, A).ok());
    return (A * yd).head<3>();
}

/// Force of the world on the robot through joints and loops, as the page shows them.
Eigen::Vector3d supporting_force(const Robot& robot) {
    const auto force = [](const std::vector<float>& buffer, std::size_t i) {
        return Eigen::Map<const Eigen::Vector3f>(&buffer[4 * i]).cast<double>().eval();
    };
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < robot.order.size(); ++i)
        if (robot.model.bodies[robot.order[i]].parent == world) sum += force(robot.joint_forces, i);
    for (std::size_t l = 0; l < robot.model.loops.size(); ++l) {
        if (robot.model.loops[l].predecessor.body == world) sum += force(robot.loop_forces, l);
        if (robot.model.loops[l].successor.body == world) sum -= force(robot.loop_forces, l);
    }
    return sum;
}

double moving_mass(const Model& model) {
    double mass = 0;
    for (const Inertial& inertial : model.inertials) mass += inertial.mass;
    return mass;
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

TEST_CASE("view: forces in motion change the momentum as the simulation does") {
    int checked = 0;
    for (const std::string& files : robots()) {
        Robot& robot = loaded(files);
        INFO(robot.model.names.robot);
        if (view_start(1e-5, 0, 0) != 0) continue;
        REQUIRE(static_cast<Status>(view_step(0.02, 1e9, -2, 0, 0, 0, 0, 0, 0)) == Status::ok);
        const Eigen::Vector3d before = linear_momentum(robot);
        REQUIRE(static_cast<Status>(view_step(1e-5, 1e9, -2, 0, 0, 0, 0, 0, 0)) == Status::ok);
        const Eigen::Vector3d rate = (linear_momentum(robot) - before) / 1e-5;
        if (static_cast<Status>(view_forces()) != Status::ok) continue;
        const Eigen::Vector3d weight = moving_mass(robot.model) * Eigen::Vector3d(0, 0, -9.81);
        CHECK((supporting_force(robot) + weight - rate).norm() < 0.01 * weight.norm());
        ++checked;
        view_stop();
    }
    CHECK(checked > 15);
}

TEST_CASE("view: forces of contacts act on a robot that stands") {
    Robot& robot = loaded(robot_file("mini_cheetah"));
    REQUIRE(view_start(1e-3, 1, -0.45) == 0);
    REQUIRE(static_cast<Status>(view_step(0.3, 1e9, -2, 0, 0, 0, 0, 0, 0)) == Status::ok);
    REQUIRE(robot.figures[view::contacts] > 0);
    REQUIRE(static_cast<Status>(view_forces()) == Status::ok);
    CHECK(supporting_force(robot).norm() < 0.02 * 9.81 * moving_mass(robot.model));  // through its free joint
    view_stop();
}

TEST_CASE("view: a simulation does not start at a singular configuration") {
    Robot& robot = loaded(robot_file("four_bar"));
    robot.q.setZero();
    REQUIRE(view_set() == 0);
    CHECK(robot.condition[0] < 1e-4);
    CHECK(robot.condition[1] < 1e-4);
    CHECK(static_cast<Status>(view_start(1e-3, 0, 0)) == Status::singular_constraint);
    CHECK(view_step(0.01, 1e9, -2, 0, 0, 0, 0, 0, 0) != 0);
}

TEST_CASE("view: a file that is not there comes back as findings") {
    CHECK(view_load("/nowhere/robot.urdf", "", 0) == 1);
    CHECK(std::string(view_json()).find("diagnostics") != std::string::npos);
}
