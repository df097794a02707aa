#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "api.h"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/io/load.hpp"
#include "grbda/kinematics/kinematics.hpp"
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
        const Body& body = robot.model.bodies[robot.model.joint(joint).index];
        robot.q.segment(body.q, position_size(body.joint)).setConstant(std::nan(""));
    }
    CHECK(view_set() >= 0);
    CHECK(robot.figures[view::residual] <= closed);
    for (const std::string& joint : reduced.names.joints) {
        const Body& body = robot.model.bodies[robot.model.joint(joint).index];
        CHECK(std::abs(robot.q[body.q] - moved[body.q]) < 1e-9);
    }
    CHECK((robot.q - start).cwiseAbs().maxCoeff() > 0.1);
}

TEST_CASE("view: forces at rest balance the weight, and a simulation keeps its loops") {
    Robot& robot = loaded(robot_file("delta"));
    REQUIRE(static_cast<Status>(view_forces(0)) == Status::ok);
    REQUIRE(view_start(1e-3, 0, 0) == 0);
    for (int i = 0; i < 20; ++i) {
        REQUIRE(static_cast<Status>(view_step(0.01, 1000, 0, 0, 0, 0, 0.2, 0.1, 0)) == Status::ok);
        REQUIRE(robot.figures[view::residual] <= closed);
    }
    CHECK(robot.figures[view::time_simulated] == Approx(0.2));
    view_stop();
}

namespace {

/// A crank that a motor holds and a pendulum, tied by a rod without mass. The pendulum leans by 30° to the
/// side of `sign`.
std::string pendulum_on_a_rod(double sign) {
    const auto inertial = [](const std::string& at, int mass) {
        return "<inertial><origin xyz='" + at + "'/><mass value='" + std::to_string(mass) +
               "'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial>";
    };
    const auto joint = [](const std::string& link, const std::string& at) {
        return "<joint name='" + link + "_joint' type='continuous'><parent link='base'/><child link='" +
               link + "'/><origin xyz='" + at + "'/><axis xyz='0 1 0'/></joint>";
    };
    const std::string lean = std::to_string(sign * 0.25) + " 0 -0.4330127018922193";
    const std::string tip = std::to_string(sign * 0.5) + " 0 -0.8660254037844386";
    return "<robot name='rod'><link name='base'/><link name='crank'>" + inertial("0 0 -0.5", 1) +
           "</link><link name='pendulum'>" + inertial(lean, 2) + "</link>" + joint("crank", "0 0 0") +
           joint("pendulum", "1 0 0") +
           "<loop name='rod' type='distance'><predecessor link='crank'><origin xyz='0 0 -1'/></predecessor>"
           "<successor link='pendulum'><origin xyz='" +
           tip + "'/></successor></loop></robot>";
}

/// Writes the robot and loads it.
Robot& loaded_text(const std::string& text) {
    const auto path = std::filesystem::temp_directory_path() / "grbda_view_test.urdf";
    std::ofstream(path) << text;
    return loaded(path.string());
}

int place_of(const Robot& robot, const std::string& joint) {
    return robot.place[static_cast<std::size_t>(robot.model.joint(joint).index)];
}
double stop_of(const Robot& robot, const std::string& joint) {
    return static_cast<double>(robot.stops[static_cast<std::size_t>(place_of(robot, joint))]);
}

}  // namespace

TEST_CASE("view: a rod carries what the pendulum on it weighs, in compression or in tension") {
    for (const double sign : {1., -1.}) {
        Robot& robot = loaded_text(pendulum_on_a_rod(sign));
        REQUIRE(static_cast<Status>(view_forces(0)) == Status::ok);
        // moments about the pendulum's joint: weight at its lever, rod along d at its tip
        const Eigen::Vector3d tip(sign * 0.5, 0, -std::sqrt(0.75));
        const Eigen::Vector3d d = (Eigen::Vector3d(1, 0, 1) + tip).normalized();
        const double expected = sign * 0.25 * 2 * 9.81 / (d.x() * std::sqrt(0.75) + d.z() * sign * 0.5);
        const Eigen::Vector3d force = robot.data.constraint_forces.loops_world.col(0).head<3>();
        CHECK((force - expected * d).norm() < 1e-9 * std::abs(expected));
        CHECK(expected * sign > 0);
    }
}

TEST_CASE("view: forces in motion obey Newton's law for every body") {
    Robot& robot = loaded(robot_file("delta"));
    REQUIRE(view_start(1e-4, 0, 0) == 0);
    REQUIRE(static_cast<Status>(view_step(0.1, 1e9, -2, 0, 0, 0, 0, 0, 0)) == Status::ok);
    const VectorX<double> q = robot.q;
    const auto velocities = [&] {  // of centres of mass, from q and q̇
        Eigen::Matrix3Xd out(3, robot.model.body_count());
        (void)choose_coordinates(robot.model, robot.data, robot.q, Marks::ignored);
        VectorX<double> yd(robot.model.nv);
        independent_part(robot.model, robot.data, robot.qd, yd);
        REQUIRE(forward_kinematics(robot.model, robot.data, robot.q, yd).ok());
        for (int i = 0; i < robot.model.body_count(); ++i)
            out.col(i) = (view::point_motion(robot, i, robot.model.inertials[i].com).jacobian * yd).head<3>();
        return out;
    };
    const Eigen::Matrix3Xd before = velocities();
    REQUIRE(static_cast<Status>(view_forces(1)) == Status::ok);
    const ConstraintForces forces = robot.data.constraint_forces;
    const Model& model = robot.model;
    REQUIRE(static_cast<Status>(view_step(1e-4, 1e9, -2, 0, 0, 0, 0, 0, 0)) == Status::ok);
    const Eigen::Matrix3Xd change = (velocities() - before) / 1e-4;
    double weight = 0;
    for (const Inertial& inertial : model.inertials) weight += 9.81 * inertial.mass;
    for (int i = 0; i < model.body_count(); ++i) {
        Eigen::Vector3d sum = forces.joints_world.col(i).head<3>();
        for (int child = 0; child < model.body_count(); ++child)
            if (model.bodies[child].parent == i) sum -= forces.joints_world.col(child).head<3>();
        for (std::size_t l = 0; l < model.loops.size(); ++l) {
            const Eigen::Vector3d f = forces.loops_world.col(static_cast<Eigen::Index>(l)).head<3>();
            if (model.loops[l].successor.body == i) sum += f;
            if (model.loops[l].predecessor.body == i) sum -= f;
        }
        sum.z() -= 9.81 * model.inertials[i].mass;
        INFO(model.names.bodies[i]);
        CHECK((sum - model.inertials[i].mass * change.col(i)).norm() < 1e-2 * weight);
    }
    view_stop();
}

TEST_CASE("view: the joint that stops a drag is named, not one of another limb or one that does nothing") {
    const std::string inertial =
        "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
    const auto slide = [&](const std::string& name, const std::string& parent, const std::string& axis,
                           int upper) {
        return "<link name='" + name + "'>" + inertial + "</link><joint name='" + name +
               "_joint' type='prismatic'><parent link='" + parent + "'/><child link='" + name +
               "'/><axis xyz='" + axis + "'/><limit lower='0' upper='" + std::to_string(upper) +
               "' effort='1' velocity='1'/></joint>";
    };
    Robot& robot = loaded_text("<robot name='cranes'><link name='base'/>" +
                               slide("other", "base", "1 0 0", 1) + slide("x", "base", "1 0 0", 1) +
                               slide("y", "x", "0 1 0", 1) + slide("z", "y", "0 0 1", 1) + "</robot>");
    const int hook = place_of(robot, "z_joint");
    // all joints start at their lower limits; the hook is pulled beyond x = 1, to y = 0.5 and up by 0.5
    CHECK(static_cast<Outcome>(view_drag(hook, 0, 0, 0, 1.5, 0.5, 0.5, 0, 200)) == Outcome::nearest);
    CHECK(robot.figures[view::gap] == Approx(0.5));
    CHECK(stop_of(robot, "x_joint") > 0.1);
    for (const char* name : {"other_joint", "y_joint", "z_joint"}) CHECK(stop_of(robot, name) == 0);
    view_lock(place_of(robot, "y_joint"), 1);
    CHECK(static_cast<Outcome>(view_drag(hook, 0, 0, 0, 0.5, 0.9, 0.5, 0, 200)) == Outcome::nearest);
    CHECK(stop_of(robot, "y_joint") < -0.1);
    for (const char* name : {"other_joint", "x_joint", "z_joint"}) CHECK(stop_of(robot, name) == 0);
    view_lock(place_of(robot, "y_joint"), 0);
}

TEST_CASE("view: a simulation does not start at a singular configuration") {
    Robot& robot = loaded(robot_file("four_bar"));
    robot.q.setZero();
    REQUIRE(view_set() == 0);
    CHECK(robot.condition[0] < 1e-4);
    CHECK(robot.condition[1] < 1e-4);
    CHECK(static_cast<Status>(view_start(1e-3, 0, 0)) == Status::singular_constraint);
    CHECK(!robot.simulator);
    CHECK(view_step(0.01, 100, -2, 0, 0, 0, 0, 0, 0) == static_cast<int>(Status::undefined));
}

TEST_CASE("view: servos hold the pose from which a simulation starts") {
    for (const char* name : {"ur10e", "delta", "slider_crank", "mini_cheetah"}) {
        for (const bool hold : {true, false}) {
            Robot& robot = loaded(robot_file(name));
            INFO(name << (hold ? " with" : " without") << " servos");
            const VectorX<double> start = robot.q;
            REQUIRE(view_hold(hold ? 1 : 0) == 0);
            REQUIRE(view_start(1e-3, 0, 0) == 0);
            REQUIRE(view_step(0.3, 1e9, -2, 0, 0, 0, 0, 0, 0) == 0);
            double moved = 0;
            for (const Body& body : robot.model.bodies)
                if (velocity_size(body.joint) == 1)
                    moved = std::max(moved, std::abs(robot.q[body.q] - start[body.q]));
            // a floating base falls with its legs at rest to each other, without servos too
            if (hold || robot.model.clusters.front().kind == ClusterKind::floating_base)
                CHECK(moved < 0.1);
            else
                CHECK(moved > 0.1);
            CHECK((robot.controls.cwiseAbs().maxCoeff() > 0) == hold);
            view_stop();
        }
    }
}

TEST_CASE("view: servos keep walking robots standing where their files start them") {
    for (const auto& [name, height] :
         {std::pair{"digit", 0.}, {"tello", -0.7469}, {"mit_humanoid", -0.747251}}) {
        INFO(name);
        Robot& robot = loaded(robot_file(name));
        const VectorX<double> start = robot.q;
        REQUIRE(view_hold(1) == 0);
        REQUIRE(view_start(1e-3, 1, height) == 0);
        REQUIRE(view_step(5, 1e9, -2, 0, 0, 0, 0, 0, 0) == 0);
        CHECK((robot.q.head<7>() - start.head<7>()).norm() < 5e-3);
        CHECK(robot.figures[view::contacts] == 8);
        view_stop();
    }
}

TEST_CASE("view: sliders move the pose that a simulation holds") {
    Robot& robot = loaded(robot_file("ur10e"));
    REQUIRE(view_hold(1) == 0);
    REQUIRE(view_start(1e-3, 0, 0) == 0);
    const VectorX<double> start = robot.q;
    REQUIRE(static_cast<Status>(view_move(0, 0.2)) == Status::ok);
    CHECK(robot.q == start);
    CHECK(robot.target[0] == Approx(start[0] + 0.2));
    REQUIRE(view_step(1, 1e9, -2, 0, 0, 0, 0, 0, 0) == 0);
    CHECK(std::abs(robot.q[0] - robot.target[0]) < 0.01);
    REQUIRE(view_hold(0) == 0);  // goes on without servos
    CHECK(robot.simulator->time() == Approx(1));
    REQUIRE(view_step(0.3, 1e9, -2, 0, 0, 0, 0, 0, 0) == 0);
    CHECK((robot.q - robot.target).cwiseAbs().maxCoeff() > 0.1);
    view_stop();
}

TEST_CASE("view: statics determines the forces in the plane of a planar linkage") {
    Robot& robot = loaded(robot_file("slider_crank"));
    REQUIRE(static_cast<Status>(view_forces(0)) == Status::ok);
    REQUIRE(robot.loop_forces.size() == 7);
    const auto at = [&](int i) {
        return static_cast<double>(robot.loop_forces[static_cast<std::size_t>(i)]);
    };
    CHECK(at(6) == 2);
    CHECK(std::hypot(at(3), at(5)) > 0.1);
    CHECK(at(3) == Approx(at(0)));
    CHECK(at(4) == 0);  // across the plane
    CHECK(at(5) == Approx(at(2)));
}

TEST_CASE("view: a file that is not there comes back as findings") {
    CHECK(view_load("/nowhere/robot.urdf", "", 0) == 1);
    CHECK(std::string(view_json()).find("diagnostics") != std::string::npos);
}
