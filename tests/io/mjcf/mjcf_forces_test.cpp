#include <string>

#include "grbda/compile/build.hpp"
#include "grbda/io/load.hpp"
#include "io/mjcf/mjcf_fixture.hpp"

// The MJCF reader keeps the passive forces of a file, or warns about them.

using namespace mjcf_test;
using grbda::JointDescription;
using grbda::Severity;
using grbda::TendonDescription;

namespace {

constexpr double degree = 3.14159265358979323846 / 180;

JointDescription joint(const std::string& attributes, const std::string& sections = "") {
    return accept(body("<joint name=\"j\" " + attributes + "/>", sections)).joint("j");
}

/// A slide 'x' and a hinge 'h' with these springrefs, and a tendon x + 2 h.
std::string tendon(const std::string& attributes, const std::string& more = "") {
    return body(
        "<joint name=\"x\" type=\"slide\" ref=\"7\" springref=\"0.5\"/>"
        "<joint name=\"h\" springref=\"90\"/>",
        more + "<tendon><fixed name=\"t\" " + attributes +
            "><joint joint=\"x\" coef=\"1\"/><joint joint=\"h\" coef=\"2\"/></fixed></tendon>");
}

TendonDescription only_tendon(const std::string& text) {
    const Reading reading = accept(text);
    REQUIRE(reading.robot.tendons.size() == 1);
    return reading.robot.tendons.front();
}

/// One warning, marked strict, in this line.
void check_left_out(const std::string& text, int line, const std::string& element, const std::string& words) {
    INFO(text);
    const Reading reading = read(text);
    CHECK(reading.count(Severity::error) == 0);
    CHECK(reading.count(Severity::warning) == 1);
    CHECK(has(reading, Severity::warning, line, element, words));
    for (const grbda::Diagnostic& entry : reading.diagnostics)
        CHECK(entry.strict == (entry.severity == Severity::warning));
}

}  // namespace

TEST_CASE("mjcf springs are slack at springref in positions of the file") {
    const JointDescription hinge = joint("stiffness=\"5\" springref=\"30\" ref=\"10\"");
    CHECK(hinge.stiffness == 5);
    REQUIRE(hinge.rest.size() == 1);
    CHECK(hinge.rest[0] == Approx(30 * degree).epsilon(rounding));
    CHECK(joint("stiffness=\"5\" springref=\"2\"", "<compiler angle=\"radian\"/>").rest ==
          std::vector<double>{2});
    const JointDescription slide = joint("type=\"slide\" stiffness=\"5\" springref=\"2\" ref=\"3\"");
    CHECK(slide.rest == std::vector<double>{2});
    CHECK(joint("stiffness=\"5\" ref=\"10\"").rest == std::vector<double>{0});
    CHECK(joint("springref=\"3\"").rest.empty());
    CHECK(joint("class=\"c\"", "<default><default class=\"c\"><joint stiffness=\"4\"/></default></default>")
              .stiffness == 4);
}

TEST_CASE("mjcf springs of balls and free joints are slack at the reference pose") {
    const JointDescription ball = joint("type=\"ball\" stiffness=\"5\" springref=\"30\"");
    CHECK(ball.stiffness == 5);
    CHECK(ball.rest.empty());
    const Reading reading = accept(world("<body name=\"b\" pos=\"1 2 3\" quat=\"0 1 0 0\">" + ball_of_one +
                                         "<joint name=\"j\" type=\"free\" stiffness=\"5\"/></body>"));
    CHECK(reading.joint("j").rest == reading.robot.start.at("j"));
}

TEST_CASE("mjcf fixed tendons keep spring, damper and friction") {
    const TendonDescription read =
        only_tendon(tendon("stiffness=\"3\" damping=\"4\" frictionloss=\"5\" springlength=\"0.25 0.75\""));
    CHECK(read.name == "t");
    CHECK(read.stiffness == 3);
    CHECK(read.damping == 4);
    CHECK(read.friction == 5);
    CHECK(read.rest_lower == 0.25);
    CHECK(read.rest_upper == 0.75);
    REQUIRE(read.terms.size() == 2);
    CHECK(read.terms[0].joint == "x");
    CHECK(read.terms[0].coefficient == 1);
    CHECK(read.terms[1].joint == "h");
    CHECK(read.terms[1].coefficient == 2);
    const TendonDescription one = only_tendon(tendon("stiffness=\"3\" springlength=\"0.25\""));
    CHECK(one.rest_lower == 0.25);
    CHECK(one.rest_upper == 0.25);
    const std::string wide = "<default><tendon springlength=\"1 2\" stiffness=\"9\"/></default>";
    CHECK(only_tendon(tendon("", wide)).rest_upper == 2);
    CHECK(only_tendon(tendon("springlength=\"1.5\"", wide)).rest_upper == 1.5);
}

TEST_CASE("mjcf tendons without a springlength are slack at the rest positions of the joints' springs") {
    const double slack = 0.5 + 2 * 90 * degree;
    for (const std::string length : {"", "springlength=\"-1\"", "springlength=\"-1 -1\""}) {
        const TendonDescription read = only_tendon(tendon("stiffness=\"3\" " + length));
        CHECK(read.rest_lower == Approx(slack).epsilon(rounding));
        CHECK(read.rest_upper == read.rest_lower);
    }
}

TEST_CASE("mjcf tendons without a force, or whose length does not change, are omitted") {
    CHECK(accept(tendon("range=\"0 1\"")).robot.tendons.empty());
    CHECK(accept(body("<joint name=\"x\"/>",
                      "<tendon><fixed stiffness=\"1\"><joint joint=\"x\" coef=\"0\"/></fixed></tendon>"))
              .robot.tendons.empty());
    const TendonDescription twice =
        only_tendon(body("<joint name=\"x\"/>",
                         "<tendon><fixed stiffness=\"1\"><joint joint=\"x\" coef=\"1\"/>"
                         "<joint joint=\"x\" coef=\"2\"/></fixed></tendon>"));
    REQUIRE(twice.terms.size() == 1);
    CHECK(twice.terms[0].coefficient == 3);
    CHECK(twice.name == "tendon_0");
}

TEST_CASE("mjcf gravcomp carries its share of the body's final weight at its centre of mass") {
    const std::string text =
        "<body name=\"b\" gravcomp=\"0.5\"><inertial mass=\"2\" pos=\"1 2 3\" diaginertia=\"1 1 1\"/>"
        "<joint name=\"j\"/></body>";
    const Reading reading = accept(world(text));
    REQUIRE(reading.link("b").gravity_compensation.size() == 1);
    CHECK(reading.link("b").gravity_compensation[0].mass == 1);
    CHECK(reading.link("b").gravity_compensation[0].point == Eigen::Vector3d(1, 2, 3));
    const Reading scaled = accept(world(text, "<compiler settotalmass=\"10\"/>"));
    CHECK(scaled.link("b").gravity_compensation[0].mass == 5);
    CHECK(accept(world("<body name=\"b\" gravcomp=\"0\">" + ball_of_one + "<joint/></body>"))
              .link("b")
              .gravity_compensation.empty());
}

TEST_CASE("mjcf flags disable forces") {
    const auto with = [](const std::string& flags) {
        return accept(world("<body name=\"b\" gravcomp=\"1\">" + ball_of_one +
                                "<joint name=\"j\" stiffness=\"1\" damping=\"2\" frictionloss=\"3\"/></body>",
                            "<option density=\"0\"><flag " + flags + "/></option>"));
    };
    const Reading no_spring = with("spring=\"disable\"");
    CHECK(no_spring.joint("j").stiffness == 0);
    CHECK(no_spring.joint("j").damping == 2);
    CHECK(no_spring.link("b").gravity_compensation.size() == 1);
    CHECK(with("damper=\"disable\"").joint("j").damping == 0);
    for (const char* all : {"passive=\"disable\"", "spring=\"disable\" damper=\"disable\""}) {
        CHECK(with(all).joint("j").stiffness == 0);
        CHECK(with(all).joint("j").damping == 0);
        CHECK(with(all).joint("j").friction == 3);
        CHECK(with(all).link("b").gravity_compensation.empty());
    }
    CHECK(with("frictionloss=\"disable\"").joint("j").friction == 0);
    CHECK(with("constraint=\"disable\"").joint("j").friction == 0);
}

TEST_CASE("mjcf forces that cannot be kept are warnings, errors if strict") {
    const std::string hinge = "<joint name=\"j\"/>";
    check_left_out(body("<joint name=\"j\" stiffness=\"1 2\"/>"), 3, "joint 'j'",
                   "further coefficients on 'j'");
    check_left_out(body("<joint name=\"j\" damping=\"0 0 2\"/>"), 3, "joint 'j'",
                   "further coefficients on 'j'");
    check_left_out(body("<joint name=\"j\" springdamper=\"1 1\" stiffness=\"4\"/>"), 3, "joint 'j'",
                   "springdamper on 'j'");
    accept(body("<joint name=\"j\" springdamper=\"1 0\" stiffness=\"4\"/>"));
    check_left_out(body(hinge, "<tendon><spatial name=\"t\" stiffness=\"1\"/></tendon>"), 4, "spatial 't'",
                   "spatial tendons 't'");
    accept(body(hinge, "<tendon><spatial name=\"t\"/></tendon>"));
    check_left_out(body("<plugin plugin=\"mujoco.elasticity.cable\"/><joint/>"), 3, "<plugin>", "'b'");
    check_left_out(body(hinge, "<deformable><flex name=\"f\"/></deformable>"), 4, "flex 'f'", "<flex>");
    const std::string fluid = "<option viscosity=\"1\">";
    check_left_out(body(hinge, fluid + "</option>"), 4, "<option>", "forces of the fluid");
    accept(body(hinge, fluid + "<flag passive=\"disable\"/></option>"));
}

TEST_CASE("mjcf actuators with a force at zero control that are no servos are reported, others are not") {
    const auto with = [](const std::string& actuator, const std::string& sections = "") {
        return body("<joint name=\"j\"/>", sections + "<actuator>" + actuator + "</actuator>");
    };
    for (const char* acting :
         {"<cylinder name=\"a\" joint=\"j\" bias=\"0 1 0\"/>", "<muscle name=\"a\" joint=\"j\"/>",
          "<general name=\"a\" joint=\"j\" biastype=\"affine\" biasprm=\"1\"/>",
          "<position name=\"a\" joint=\"j\" gear=\"0\"/>", "<position name=\"a\" site=\"s\"/>"}) {
        check_left_out(with(acting), 4, "'a'", "their forces are left out");
    }
    check_left_out(body("<joint name=\"j\" type=\"ball\"/>",
                        "<actuator><position name=\"a\" joint=\"j\" gear=\"1 0 0\"/></actuator>"),
                   4, "'a'", "their forces are left out");
    const std::string bias = "<default><general biastype=\"affine\" biasprm=\"0 1 0\"/></default>";
    check_left_out(with("<general name=\"a\" joint=\"j\"/>", bias), 4, "'a'", "forces are left out");
    for (const char* idle :
         {"<motor joint=\"j\"/>", "<damper joint=\"j\" kv=\"1\"/>", "<cylinder joint=\"j\"/>",
          "<velocity joint=\"j\" kv=\"0\"/>", "<position joint=\"j\" kp=\"0\"/>",
          "<general joint=\"j\" gaintype=\"affine\" gainprm=\"1\"/>",
          "<general joint=\"j\" biastype=\"affine\" biasprm=\"0 0 0\"/>",
          "<general joint=\"j\" biasprm=\"0 -1 0\"/>"}) {
        accept(with(idle));
    }
    accept(with("<position joint=\"j\"/>", "<option><flag actuation=\"disable\"/></option>"));
}

TEST_CASE("mjcf forces become those of the model") {
    const Reading reading = accept(
        world("<body name=\"b\" gravcomp=\"1\"><geom size=\".1\" mass=\"3\" pos=\"1 0 0\"/>"
              "<joint name=\"j\" stiffness=\"2\" springref=\"90\" damping=\"0.5\" frictionloss=\"0.25\"/>"
              "</body>",
              "<tendon><fixed name=\"t\" stiffness=\"4\" springlength=\"1\"><joint joint=\"j\" coef=\"-2\"/>"
              "</fixed></tendon>"));
    const grbda::Model model = grbda::build_model(reading.robot);
    CHECK(model.passive.stiffness == std::vector<double>{2});
    CHECK(model.passive.damping == std::vector<double>{0.5});
    CHECK(model.passive.friction == std::vector<double>{0.25});
    CHECK(model.passive.rest[0] == Approx(90 * degree).epsilon(rounding));
    REQUIRE(model.passive.tendons.size() == 1);
    CHECK(model.passive.tendons[0].rest_lower == 1);
    CHECK(model.names.tendons == std::vector<std::string>{"t"});
    REQUIRE(model.passive.weights.size() == 1);
    CHECK(model.passive.weights[0].mass == 3);
    CHECK(model.passive.weights[0].moment.x == 3);
    int notes = 0;
    for (const grbda::Diagnostic& entry : model.diagnostics)
        notes +=
            contains(entry.expected,
                     "kept as joint forces: damping of joints 'j'; dry friction of joints 'j'; springs of "
                     "joints 'j'; springs, dampers or friction of tendons 't'; gravity compensation of "
                     "bodies 'b'")
                ? 1
                : 0;
    CHECK(notes == 1);
}
