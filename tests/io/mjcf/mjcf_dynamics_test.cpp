#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <Eigen/Dense>

#include "grbda/compile/build.hpp"
#include "constraints/closure.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "io/mjcf/mjcf_fixture.hpp"
#include "support/require_ok.hpp"

// A robot is the same robot in MJCF and in URDF+: mass matrix, forward dynamics, places of frames.

using namespace mjcf_test;
using grbda::Model;
using grbda::Workspace;

namespace {

constexpr double agreement = 1e-11;  // rounding times the condition of M and of the loops at generic states

std::string robot_file(const std::string& path) { return std::string(GRBDA_ROBOTS) + "/" + path; }

/// Links that are like rods stay bodies: shapes that collide prevent rods, and MJCF alone has them here.
grbda::LoadOptions with_bodies() {
    grbda::LoadOptions options;
    options.rod_reduction = false;
    return options;
}

Model build(const std::string& mjcf) { return grbda::build_model(accept(mjcf).robot, with_bodies()); }

Model build_urdf(const std::string& text) {
    grbda::Diagnostics diagnostics;
    return grbda::build_model(grbda::read_urdf(text, "robot.urdf", diagnostics), with_bodies());
}

/// At random states of the first model: one q, one ẏ and one τ give both the same.
void check_same_dynamics(const Model& a, const Model& b, const std::string& link) {
    REQUIRE(a.nq == b.nq);
    REQUIRE(a.nv == b.nv);
    Workspace<double> data_a(a), data_b(b);
    std::mt19937_64 generator(11);
    for (int i = 0; i < 10; ++i) {
        const Eigen::VectorXd q = grbda::random_configuration(a, generator);
        const Eigen::VectorXd yd = Eigen::VectorXd::Random(a.nv), tau = Eigen::VectorXd::Random(a.nv);
        CHECK(grbda::closure_residual<double>(b, data_b, q).residual < agreement);
        if (!grbda::aba<double>(a, data_a, q, yd, tau).ok()) continue;
        REQUIRE(grbda::aba<double>(b, data_b, q, yd, tau).ok());
        CHECK((data_a.ydd - data_b.ydd).norm() < agreement * (1 + data_a.ydd.norm()));
        Eigen::MatrixXd M_a(a.nv, a.nv), M_b(b.nv, b.nv);
        REQUIRE(grbda::crba<double>(a, data_a, q, M_a).ok());
        REQUIRE(grbda::crba<double>(b, data_b, q, M_b).ok());
        CHECK((M_a - M_b).norm() < agreement * M_a.norm());
        REQUIRE(grbda::forward_kinematics<double>(a, data_a, q).ok());
        REQUIRE(grbda::forward_kinematics<double>(b, data_b, q).ok());
        const int frame_a = a.frame(link).index, frame_b = b.frame(link).index;
        CHECK((grbda::frame_position(a, data_a, frame_a) - grbda::frame_position(b, data_b, frame_b)).norm() <
              agreement);
        CHECK((grbda::frame_orientation(a, data_a, frame_a) - grbda::frame_orientation(b, data_b, frame_b))
                  .norm() < agreement);
    }
}

/// Three links on joints of three kinds, of which MJCF draws the second at an angle and has its anchor
/// elsewhere.
const std::string tree_urdf =
    "<robot name=\"r\"><link name=\"base\"/>"
    "<link name=\"a\"><inertial><origin xyz=\".1 0 0\"/><mass value=\"2\"/><inertia ixx=\".1\" iyy=\".2\" "
    "izz=\".25\"/></inertial></link>"
    "<link name=\"b\"><inertial><origin xyz=\"0 .2 0\" rpy=\"0.3 0 0\"/><mass value=\"3\"/><inertia "
    "ixx=\".3\" iyy=\".2\" izz=\".4\"/>"
    "</inertial></link>"
    "<link name=\"c\"><inertial><mass value=\"1\"/><inertia ixx=\".1\" iyy=\".1\" "
    "izz=\".1\"/></inertial></link>"
    "<joint name=\"ja\" type=\"prismatic\"><parent link=\"base\"/><child link=\"a\"/><origin xyz=\"0 0 "
    "1\"/><axis xyz=\"1 1 0\"/></joint>"
    "<joint name=\"jb\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"0 .5 0\" "
    "rpy=\"0 0 1\"/>"
    "<axis xyz=\"0 1 0\"/></joint>"
    "<joint name=\"jc\" type=\"spherical\"><parent link=\"b\"/><child link=\"c\"/><origin xyz=\"0 0 "
    ".4\"/></joint></robot>";

}  // namespace

TEST_CASE("mjcf trees have the dynamics of the same tree in urdf") {
    const std::string mjcf =
        "<mujoco><compiler angle=\"radian\" eulerseq=\"XYZ\"/><worldbody><body name=\"a\" pos=\"0 0 1\">"
        "<inertial pos=\".1 0 0\" mass=\"2\" diaginertia=\".1 .2 .25\"/><joint name=\"ja\" type=\"slide\" "
        "axis=\"1 1 0\"/>"
        // b as it stands at jb = 0.5, R_z(1) R_y(0.5)
        "<frame euler=\"0 0 1\" pos=\"0 .5 0\"><body name=\"b\" euler=\"0 0.5 0\"><inertial pos=\"0 .2 0\" "
        "mass=\"3\" euler=\".3 0 0\" "
        "diaginertia=\".3 .2 .4\"/><joint name=\"jb\" ref=\"0.5\" axis=\"0 2 0\" pos=\"0 7 0\"/>"
        "<body name=\"c\" pos=\"0 0 .4\"><geom size=\".5\" mass=\"1\"/><joint name=\"jc\" "
        "type=\"ball\"/></body></body></frame>"
        "</body></worldbody></mujoco>";
    check_same_dynamics(build_urdf(tree_urdf), build(mjcf), "c");
}

TEST_CASE("mjcf armatures add to the diagonal of the mass matrix") {
    const auto text = [](const std::string& armature) {
        return world("<body name=\"b\">" + ball_of_one + "<joint name=\"x\" type=\"slide\" " + armature +
                     "/><joint name=\"y\" axis=\"0 1 0\" pos=\"1 0 0\"/></body>");
    };
    const Model plain = build(text("")), loaded = build(text("armature=\"0.7\""));
    Workspace<double> data_plain(plain), data_loaded(loaded);
    const Eigen::VectorXd q = Eigen::Vector2d(0.2, 0.9);
    Eigen::MatrixXd M(2, 2), M_loaded(2, 2);
    must(grbda::crba<double>(plain, data_plain, q, M));
    must(grbda::crba<double>(loaded, data_loaded, q, M_loaded));
    CHECK(equal(M_loaded - M, Eigen::Vector2d(0.7, 0).asDiagonal()));
}

TEST_CASE("mjcf four-bar has the dynamics of the urdf+ four-bar") {
    const Model mjcf = grbda::load(robot_file("four_bar_mjcf/four_bar_mjcf.xml"));
    const Model urdf = grbda::load(robot_file("four_bar/four_bar.urdf"));
    check_same_dynamics(mjcf, urdf, "link2");
    // It is assembled where it is drawn, not at zero.
    const double drawn = 3.14159265358979323846 / 3;
    const Eigen::VectorXd neutral = grbda::neutral_configuration(mjcf);
    CHECK((neutral - Eigen::Vector3d(drawn, -drawn, drawn)).norm() < agreement);
}

TEST_CASE("mjcf connects and joint equalities constrain bodies like urdf+ loops and couplings") {
    // Two sliders along x on one rail, the first carrying a bar that a second bar joins to the other.
    const std::string bodies =
        "<body name=\"a\"><geom size=\".1\" mass=\"1\"/><joint name=\"ja\" type=\"slide\" axis=\"1 0 0\"/>"
        "<body name=\"b\" euler=\"0 -60 0\"><geom size=\".1\" mass=\"2\" pos=\".5 0 0\"/><joint name=\"jb\" "
        "axis=\"0 1 0\" ref=\"-60\"/></body></body>"
        "<body name=\"c\" pos=\"1 0 0\"><geom size=\".1\" mass=\"3\"/><joint name=\"jc\" type=\"slide\" "
        "axis=\"1 0 0\"/>"
        "<body name=\"d\" euler=\"0 -120 0\"><geom size=\".1\" mass=\"4\" pos=\".5 0 0\"/><joint name=\"jd\" "
        "axis=\"0 1 0\" ref=\"-120\"/></body></body>";
    const std::string mjcf = world(bodies,
                                   "<equality><connect body1=\"b\" body2=\"d\" anchor=\"1 0 0\"/>"
                                   "<joint joint1=\"jc\" joint2=\"ja\" polycoef=\"0 -1\"/></equality>");
    const auto link = [](const std::string& name, const std::string& mass, const std::string& at) {
        const std::string moment = std::to_string(0.4 * 0.01 * std::stod(mass));
        return "<link name=\"" + name + "\"><inertial><origin xyz=\"" + at + "\"/><mass value=\"" + mass +
               "\"/><inertia ixx=\"" + moment + "\" iyy=\"" + moment + "\" izz=\"" + moment +
               "\"/></inertial></link>";
    };
    const auto joint = [](const std::string& name, const std::string& type, const std::string& parent,
                          const std::string& child, const std::string& rest) {
        return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
               "\"/><child link=\"" + child + "\"/>" + rest + "</joint>";
    };
    const std::string urdf =
        "<robot name=\"r\"><link name=\"world\"/>" + link("a", "1", "0 0 0") + link("b", "2", ".5 0 0") +
        link("c", "3", "0 0 0") + link("d", "4", ".5 0 0") +
        joint("ja", "prismatic", "world", "a", "<axis xyz=\"1 0 0\"/>") +
        joint("jb", "continuous", "a", "b", "<axis xyz=\"0 1 0\"/>") +
        joint("jc", "prismatic", "world", "c", "<origin xyz=\"1 0 0\"/><axis xyz=\"1 0 0\"/>") +
        joint("jd", "continuous", "c", "d", "<axis xyz=\"0 1 0\"/>") +
        "<coupling name=\"c\" type=\"linear\"><term joint=\"ja\"/><term joint=\"jc\"/></coupling>"
        "<loop name=\"l\" type=\"spherical\"><predecessor link=\"b\"><origin xyz=\"1 0 0\"/></predecessor>"
        "<successor link=\"d\"><origin xyz=\"1 0 0\"/></successor></loop>"
        // assembled from the same pose, so that the same joints become independent
        "<start><joint name=\"jb\" value=\"-1.0471975511965976\"/>"
        "<joint name=\"jd\" value=\"-2.0943951023931953\"/></start></robot>";
    const Model a = build(mjcf), b = build_urdf(urdf);
    CHECK(a.nv == 1);
    check_same_dynamics(a, b, "d");
}

TEST_CASE("mjcf keyframes and references become states of the model") {
    const Model model = grbda::load(robot_file("four_bar_mjcf/four_bar_mjcf.xml"));
    grbda::Diagnostics diagnostics;
    const grbda::RobotDescription robot =
        grbda::read_description({robot_file("four_bar_mjcf/four_bar_mjcf.xml")}, diagnostics);
    CHECK(diagnostics.empty());
    CHECK(robot.actuated == std::vector<std::string>{"joint1"});
    REQUIRE(robot.states.size() == 1);
    Workspace<double> data(model);
    Eigen::VectorXd q(3);
    for (int i = 0; i < 3; ++i) q[i] = robot.states[0].positions.at("joint" + std::to_string(i + 1)).at(0);
    CHECK(grbda::closure_residual<double>(model, data, q).ok());
}

TEST_CASE("a weld to a fixed body locks a joint, at any poses of both") {
    std::mt19937_64 generator(3);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto numbers = [&](int count, double size) {
        std::string text;
        for (int i = 0; i < count; ++i) text += std::to_string(size * unit(generator)) + " ";
        return text;
    };
    for (int i = 0; i < 300; ++i) {
        const double size = std::pow(10, 3 * unit(generator));
        const auto pose = [&] { return "pos=\"" + numbers(3, size) + "\" quat=\"" + numbers(4, 1) + "\""; };
        const std::string joint = "<joint type=\"" + std::string(i % 2 == 0 ? "slide" : "hinge") +
                                  "\" axis=\"" + numbers(3, 1) + "\" pos=\"" + numbers(3, size) + "\"/>";
        const bool wall_first = unit(generator) < 0;
        const std::string text =
            world("<body name=\"wall\" " + pose() + "><body name=\"cart\" " + pose() + ">" + joint +
                      ball_of_one + "</body></body>",
                  wall_first ? "<equality><weld body1=\"wall\" body2=\"cart\"/></equality>"
                             : "<equality><weld body1=\"cart\"/></equality>");
        INFO(text);
        const Model model = build(text);
        REQUIRE(model.cluster_count() == 1);
        CHECK(model.nv == 0);
        CHECK(model.reports[0].rank == 1);
        Workspace<double> data(model);
        const Eigen::VectorXd q = grbda::neutral_configuration(model), none(0);
        CHECK(grbda::aba<double>(model, data, q, none, none).ok());
        CHECK(grbda::closure_residual<double>(model, data, q).residual < agreement);
    }
}

TEST_CASE("a joint that an equality or a connect locks is locked even if it has a motor, with a warning") {
    const std::string free_hinge =
        "<joint name=\"j\"/><body name=\"c\">" + ball_of_one + "<joint name=\"k\" pos=\"1 0 0\"/></body>";
    const std::string locked = "<equality><joint joint1=\"j\" polycoef=\"0.3 0 0 0 0\"/></equality>";
    const std::string motors = "<actuator><motor joint=\"j\"/><motor joint=\"k\"/></actuator>";
    const Model model = build(body(free_hinge, locked + motors));
    const Model without = build(body(free_hinge, locked));
    CHECK(model.nv == 1);
    const auto said = [](const Model& of, const std::string& words) {
        return std::any_of(of.diagnostics.begin(), of.diagnostics.end(), [&](const grbda::Diagnostic& entry) {
            return entry.severity == grbda::Severity::warning && contains(to_string(entry), words);
        });
    };
    CHECK(said(model, "a locked structure"));
    CHECK(said(model, "its motors move nothing"));
    CHECK_FALSE(said(without, "its motors move nothing"));
    check_same_dynamics(model, without, "c");

    const std::string connected = "<equality><connect body1=\"b\" anchor=\"1 0 0\"/></equality>";
    const Model at_a_point = build(body(free_hinge, connected + motors));
    CHECK(at_a_point.nv == 1);
    CHECK(said(at_a_point, "a locked structure"));
    CHECK(said(at_a_point, "its motors move nothing"));
    check_same_dynamics(at_a_point, build(body(free_hinge, connected)), "c");
}
