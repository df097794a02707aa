#include <cmath>

#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Coordinates that are sums of joints' positions change how motion is written, not the motion.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Workspace;

/// Joints of one freedom that are independent coordinates of one cluster with at least so many, or of any.
std::vector<std::string> candidates(const Model& model) {
    std::vector<std::string> names;
    for (const grbda::Coordinate& y : grbda::independent_coordinates(model))
        if (grbda::velocity_size(model.bodies[y.body].joint) == 1)
            names.push_back(model.names.joints[y.body]);
    return names;
}

/// Their sum and difference, or twice a single one, in place of them as coordinates.
grbda::RobotDescription combined(grbda::RobotDescription robot, const std::vector<std::string>& joints) {
    const auto add = [&](const char* name, double a, double b, double offset) {
        grbda::CombinedCoordinate coordinate;
        coordinate.name = name;
        coordinate.terms.push_back({joints[0], a, {}});
        if (joints.size() > 1) coordinate.terms.push_back({joints[1], b, {}});
        coordinate.offset = offset;
        robot.combined.push_back(coordinate);
    };
    add("sum of two", 2, 0.5, 0.1);
    if (joints.size() > 1) add("difference of two", 1, -1, 0);
    for (grbda::JointDescription& joint : robot.joints)
        for (const std::string& name : joints)
            if (joint.name == name) joint.independent.reset();
    return robot;
}

int body_of(const Model& model, const std::string& joint) { return model.joint(joint).index; }

/// Positions or velocities of `from`'s joints for `to`, by name; the others stay.
void copy(const Model& from, const VectorXd& x, int grbda::Body::*place, int (*size)(grbda::JointType),
          const Model& to, VectorXd& y) {
    for (int i = 0; i < from.body_count(); ++i) {
        const grbda::Body& a = from.bodies[i];
        const grbda::Body& b = to.bodies[body_of(to, from.names.joints[i])];
        y.segment(b.*place, size(b.joint)) = x.segment(a.*place, size(a.joint));
    }
}

int positions(grbda::JointType type) { return grbda::position_size(type); }
int velocities(grbda::JointType type) { return grbda::velocity_size(type); }

}  // namespace

TEST_CASE("combined coordinates have the robot's motion, with forces of their own") {
    int checked = 0;
    at_random_states(all(), 1, 171, [&](const Robot& robot, const State& state, Random& random) {
        std::vector<std::string> joints = candidates(robot.model);
        if (joints.empty()) return;
        std::shuffle(joints.begin(), joints.end(), random);
        joints.resize(std::min<std::size_t>(joints.size(), 2));
        CAPTURE(joints);
        Model model;
        try {
            model = grbda::build_model(combined(robot.description, joints), robot.options);
        } catch (const grbda::LoadError&) {
            return;  // marks of other joints leave no choice, or the two drive one another
        }
        REQUIRE(model.nv == robot.model.nv);
        Workspace<double> own(robot.model), data(model);
        REQUIRE(grbda::spanning_acceleration<double>(robot.model, own, state.q, state.yd, state.ydd).ok());
        VectorXd q = grbda::neutral_configuration(model), qd = VectorXd::Zero(model.nv_tree), qdd = qd;
        copy(robot.model, state.q, &grbda::Body::q, positions, model, q);
        copy(robot.model, own.qd, &grbda::Body::v, velocities, model, qd);
        copy(robot.model, own.qdd, &grbda::Body::v, velocities, model, qdd);
        grbda::combine_coordinates(model, q);
        REQUIRE(grbda::closure_residual<double>(model, data, q).ok());
        const int sum = body_of(model, "sum of two");
        const auto value = [&](const VectorXd& x, int grbda::Body::*place, int i) {
            return x[model.bodies[body_of(model, joints[static_cast<std::size_t>(i)])].*place];
        };
        const bool two = joints.size() > 1;
        CHECK(q[model.bodies[sum].q] == Approx(0.1 + 2 * value(q, &grbda::Body::q, 0) +
                                               (two ? 0.5 * value(q, &grbda::Body::q, 1) : 0)));
        for (VectorXd* x : {&qd, &qdd}) {
            (*x)[model.bodies[sum].v] =
                2 * value(*x, &grbda::Body::v, 0) + (two ? 0.5 * value(*x, &grbda::Body::v, 1) : 0);
            if (two)
                (*x)[model.bodies[body_of(model, "difference of two")].v] =
                    value(*x, &grbda::Body::v, 0) - value(*x, &grbda::Body::v, 1);
        }
        const VectorXd yd = grbda::independent_part(model, qd), ydd = grbda::independent_part(model, qdd);
        if (!grbda::spanning_acceleration<double>(model, data, q, yd, ydd).ok() ||
            conditioning(model, data) < 1e-3)
            return;
        CHECK(relative(data.qd, qd) < 1e-9);
        CHECK(relative(data.qdd, qdd) < 1e-9);
        for (const char* name : {"sum of two", "difference of two"}) {  // independent, with their own places
            if (!two && name[0] == 'd') continue;
            bool found = false;
            for (const grbda::Coordinate& y : grbda::independent_coordinates(model))
                found = found || y.body == body_of(model, name);
            CHECK(found);
        }
        // ẏ of the one robot per unit ẏ of the other
        REQUIRE(grbda::constraint_embedding<double>(model, data, q, yd).ok());
        const MatrixXd G = grbda::explicit_jacobian(model, data);
        MatrixXd T(model.nv, model.nv);
        for (int j = 0; j < model.nv; ++j) {
            VectorXd rates = VectorXd::Zero(robot.model.nv_tree);
            copy(robot.model, rates, &grbda::Body::v, velocities, model, qd);
            for (int i = 0; i < robot.model.body_count(); ++i) {
                const grbda::Body& a = robot.model.bodies[i];
                const grbda::Body& b = model.bodies[body_of(model, robot.model.names.joints[i])];
                rates.segment(a.v, grbda::velocity_size(a.joint)) =
                    G.col(j).segment(b.v, grbda::velocity_size(b.joint));
            }
            T.col(j) = grbda::independent_part(robot.model, rates);
        }
        REQUIRE(grbda::rnea<double>(robot.model, own, state.q, state.yd, state.ydd).ok());
        REQUIRE(grbda::rnea<double>(model, data, q, yd, ydd).ok());
        CHECK(relative(data.tau, T.transpose() * own.tau) < 1e-9);
        const VectorXd tau = data.tau;
        MatrixXd M(model.nv, model.nv), M_own(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(robot.model, own, state.q, M_own).ok());
        REQUIRE(grbda::crba<double>(model, data, q, M).ok());
        CHECK(relative(M, T.transpose() * M_own * T) < 1e-9);
        REQUIRE(grbda::aba<double>(model, data, q, yd, tau).ok());
        CHECK(relative_by_inertia(M, data.ydd, ydd) < 1e-8);
        // closing holds them
        VectorXd closed = q;
        REQUIRE(grbda::close_loops<double>(model, data, closed).ok());
        CHECK(closed[model.bodies[sum].q] == q[model.bodies[sum].q]);
        CHECK(relative(closed, q) < 1e-9);
        ++checked;
    });
    CHECK(checked > sample_size::least(50));
}

TEST_CASE("combined coordinates are written as they were read") {
    grbda::Diagnostics diagnostics;
    const std::string text = R"(<robot name="two motors"><link name="base"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="left" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
  <joint name="right" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
  <coordinate name="lift"><term joint="left"/><term joint="right"/><offset value="0.25"/></coordinate>
  <coordinate name="swing"><term joint="left"/><term joint="right" coefficient="-1"/></coordinate>
  <start><joint name="left" value="0.5"/></start>
  <state name="up"><joint name="right" value="1"/></state></robot>)";
    const grbda::RobotDescription robot = grbda::read_urdf(text, "two.urdf", diagnostics);
    REQUIRE_FALSE(grbda::has_errors(diagnostics));
    REQUIRE(robot.combined.size() == 2);
    CHECK(robot.combined[0].offset == 0.25);
    CHECK(robot.combined[1].terms[1].coefficient == -1);
    const Model model = grbda::build_model(robot);
    CHECK(model.nv == 2);
    CHECK(model.nq == 4);
    const auto at = [&](const std::vector<double>& q, const char* joint) {
        return q[static_cast<std::size_t>(model.bodies[body_of(model, joint)].q)];
    };
    CHECK(at(model.neutral, "left") == Approx(0.5));
    CHECK(at(model.neutral, "lift") == Approx(0.75));
    REQUIRE(model.states.size() == 1);
    CHECK(at(model.states[0].q, "lift") == Approx(1.75));
    CHECK(at(model.states[0].q, "swing") == Approx(-0.5));
    const std::string written = grbda::write_urdf(grbda::make_mechanism(robot, {}, diagnostics));
    CHECK(written.find("<coordinate name=\"lift\">") != std::string::npos);
    const grbda::RobotDescription again = grbda::read_urdf(written, "again.urdf", diagnostics);
    CHECK_FALSE(grbda::has_errors(diagnostics));
    CHECK(grbda::write_urdf(grbda::make_mechanism(again, {}, diagnostics)) == written);
    CHECK(grbda::build_model(again).neutral == model.neutral);
}

TEST_CASE("errors in a combined coordinate are reported") {
    const auto finding = [](const std::string& coordinates) -> std::string {
        grbda::Diagnostics diagnostics;
        const std::string text = R"(<robot name="arm"><link name="base"/><link name="tip"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="tip"/></joint>
)" + coordinates + "</robot>";
        const grbda::RobotDescription robot = grbda::read_urdf(text, "arm.urdf", diagnostics);
        static_cast<void>(grbda::make_mechanism(robot, {}, diagnostics));
        for (const grbda::Diagnostic& each : diagnostics)
            if (each.severity == grbda::Severity::error) {
                CHECK(each.where.line == 3);
                return grbda::to_string(each.code);
            }
        return std::string("nothing");
    };
    const std::string two = R"(<term joint="turn"/></coordinate>)";
    CHECK(finding("<coordinate name=\"y\"/>") == "missing");
    CHECK(finding("<coordinate>" + two) == "missing");
    CHECK(finding("<coordinate name=\"y\"><term joint=\"twist\"/></coordinate>") == "unknown-name");
    CHECK(finding("<coordinate name=\"turn\">" + two) == "duplicate-name");
    CHECK(finding("<coordinate name=\"tip\">" + two) == "duplicate-name");
    CHECK(finding("<coordinate name=\"y\"><term joint=\"turn\"/>" + two) == "repeated");
    CHECK(finding("<coordinate name=\"y\"><term joint=\"turn\" coefficient=\"0\"/></coordinate>") ==
          "out-of-range");
}
