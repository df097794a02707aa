#include <string>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "constraints/closure.hpp"
#include "grbda/io/sdf.hpp"
#include "grbda/io/urdf.hpp"

// Mechanism in plugins and in elements of other programs: read, or reported.

namespace {

using grbda::Diagnostics;
using grbda::LoadOptions;
using grbda::LoopType;
using grbda::Mechanism;
using grbda::Severity;

struct Read {
    Mechanism mechanism;
    Diagnostics findings;

    int count(Severity severity, const std::string& text) const {
        int found = 0;
        for (const grbda::Diagnostic& finding : findings)
            found += finding.severity == severity && to_string(finding).find(text) != std::string::npos;
        return found;
    }
};

Read read(const std::string& text, bool strict = false) {
    Read result;
    LoadOptions options;
    options.strict = strict;
    const bool is_sdf = text.compare(0, 4, "<sdf") == 0;
    const grbda::RobotDescription robot = is_sdf ? grbda::read_sdf(text, "robot", result.findings)
                                                 : grbda::read_urdf(text, "robot", result.findings);
    result.mechanism = make_mechanism(robot, options, result.findings);
    return result;
}

/// Two arms of two links each, whose tips meet at 1 0 0.
std::string urdf(const std::string& more) {
    const auto arm = [](const std::string& side, const std::string& y) {
        const std::string mass =
            "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
            "iyz=\"0\"/></inertial>";
        return "<link name=\"upper_" + side + "\">" + mass + "</link><link name=\"lower_" + side + "\">" +
               mass + "</link><joint name=\"shoulder_" + side +
               "\" type=\"continuous\"><parent link=\"base\"/><child link=\"upper_" + side +
               "\"/><origin xyz=\"0 " + y + " 0\"/><axis xyz=\"0 0 1\"/></joint><joint name=\"elbow_" + side +
               "\" type=\"continuous\"><parent link=\"upper_" + side + "\"/><child link=\"lower_" + side +
               "\"/><origin xyz=\"1 0 0\"/><axis xyz=\"0 0 1\"/></joint>";
    };
    return "<robot name=\"r\"><link name=\"base\"/>" + arm("a", "0.5") + arm("b", "-0.5") + more + "</robot>";
}

std::string sdf(const std::string& more) {
    const auto arm = [](const std::string& side, const std::string& y) {
        const std::string mass = "<inertial><mass>1</mass></inertial></link>";
        return "<link name=\"upper_" + side + "\"><pose>0 " + y + " 0 0 0 0</pose>" + mass +
               "<link name=\"lower_" + side + "\"><pose>1 " + y + " 0 0 0 0</pose>" + mass +
               "<joint name=\"shoulder_" + side +
               "\" type=\"continuous\"><parent>world</parent><child>upper_" + side +
               "</child><axis><xyz>0 0 1</xyz></axis></joint><joint name=\"elbow_" + side +
               "\" type=\"continuous\"><parent>upper_" + side + "</parent><child>lower_" + side +
               "</child><axis><xyz>0 0 1</xyz></axis></joint>";
    };
    return "<sdf version=\"1.9\"><model name=\"r\">" + arm("a", "0.5") + arm("b", "-0.5") + more +
           "</model></sdf>";
}

const std::string detachable =
    "<plugin filename=\"gz-sim-detachable-joint-system\" name=\"gz::sim::systems::DetachableJoint\">"
    "<parent_link>lower_a</parent_link><child_model>r</child_model><child_link>lower_b</child_link></plugin>";
const std::string mimic =
    "<plugin name=\"m\" filename=\"libroboticsgroup_gazebo_mimic_joint_plugin.so\"><joint>shoulder_a</joint>"
    "<mimicJoint>shoulder_b</mimicJoint><multiplier>-2</multiplier><offset>0.1</offset></plugin>";

void check_equation(const Mechanism& mechanism) {
    REQUIRE(mechanism.couplings.size() == 1);  // q_b = -2 q_a + 0.1
    const grbda::MechanismCoupling& coupling = mechanism.couplings[0];
    REQUIRE(coupling.terms.size() == 2);
    const auto joint = [&](std::size_t i) {
        return mechanism.bodies[static_cast<std::size_t>(coupling.terms[i].body)].joint;
    };
    CHECK(joint(0) == "shoulder_b");
    CHECK(joint(1) == "shoulder_a");
    CHECK(coupling.terms[1].coefficient / coupling.terms[0].coefficient == 2);
    CHECK(coupling.offset / coupling.terms[0].coefficient == Approx(-0.1));
}

}  // namespace

TEST_CASE("a detachable joint within one model is a fixed loop, closed at the start") {
    for (const std::string& text : {urdf("<gazebo>" + detachable + "</gazebo>"), sdf(detachable)}) {
        const Read result = read(text, true);
        for (const grbda::Diagnostic& finding : result.findings) UNSCOPED_INFO(to_string(finding));
        REQUIRE_FALSE(has_errors(result.findings));
        REQUIRE(result.mechanism.loops.size() == 1);
        CHECK(result.mechanism.loops[0].type == LoopType::fixed);
        Diagnostics findings;
        const grbda::Model model = build_model(result.mechanism, LoadOptions{}, findings);
        CHECK(model.nv == 1);  // a four-bar: the lower links are one
        grbda::Workspace<double> data(model);
        CHECK(grbda::closure_residual<double>(model, data, grbda::VectorX<double>::Zero(model.nq)).ok());
    }
}

TEST_CASE("a detachable joint of an unknown link or another model is reported") {
    const auto with = [](std::string text, const std::string& from, const std::string& to) {
        return text.replace(text.find(from), from.size(), to);
    };
    for (const std::string& plugin :
         {with(detachable, ">lower_b<", ">lower_c<"), with(detachable, ">r<", ">box<"),
          with(detachable, "<child_link>lower_b</child_link>", "")}) {
        for (const std::string& text : {urdf("<gazebo>" + plugin + "</gazebo>"), sdf(plugin)}) {
            CHECK(read(text).count(Severity::warning, "plugin") == 1);
            CHECK(read(text).mechanism.loops.empty());
        }
    }
}

TEST_CASE("mimic plugins and mimics of ros2_control are couplings") {
    const std::string control =
        "<ros2_control name=\"c\" type=\"system\"><joint name=\"shoulder_b\"><param name=\"mimic\">shoulder_a"
        "</param><param name=\"multiplier\">-2</param><param "
        "name=\"offset\">0.1</param></joint></ros2_control>";
    for (const std::string& text : {urdf("<gazebo>" + mimic + "</gazebo>"), sdf(mimic), urdf(control),
                                    sdf(control), urdf("<gazebo>" + mimic + "</gazebo>" + control)}) {
        const Read result = read(text, true);
        for (const grbda::Diagnostic& finding : result.findings) UNSCOPED_INFO(to_string(finding));
        CHECK_FALSE(has_errors(result.findings));
        check_equation(result.mechanism);
    }
}

TEST_CASE("plugins and unknown elements that name links or joints are reported, others are not") {
    const auto plugin = [](const std::string& name, const std::string& content) {
        return "<plugin name=\"" + name + "\" filename=\"lib" + name + ".so\">" + content + "</plugin>";
    };
    const std::string names = "<first>elbow_a</first><second link=\"lower_b\"/>";
    const auto check = [](const std::string& text, int warnings) {
        CAPTURE(text);
        CHECK(read(text).count(Severity::warning, "") == warnings);
        CHECK(read(text).count(Severity::error, "") == 0);
    };
    for (const bool is_sdf : {false, true}) {
        const auto with = [&](const std::string& text) {
            return is_sdf ? sdf(text) : urdf("<gazebo>" + text + "</gazebo>");
        };
        check(with(plugin("belt", names)), 1);
        check(with(plugin("belt", "<first>elbow_a</first>")), 0);
        check(with(plugin("diff_drive", names)), 0);
        check(with(plugin("joint_state_publisher", names)), 0);
        const auto beside = [&](const std::string& text) { return is_sdf ? sdf(text) : urdf(text); };
        check(beside("<constraint name=\"c\">" + names + "</constraint>"), 1);
        check(beside("<spring joint=\"elbow_a\"/>"), 1);
        check(beside("<note>of somebody</note>"), 0);
    }
    check(urdf("<loop_joint name=\"l\" type=\"spherical\"><link1 link=\"lower_a\"/><link2 link=\"lower_b\"/>"
               "</loop_joint>"),
          1);
    check(urdf("<disable_collisions link1=\"lower_a\" link2=\"lower_b\"/>"), 0);
}

TEST_CASE("attributes that SDF does not have are reported") {
    std::string text = sdf("");
    const std::string type = "type=\"continuous\"";
    text.insert(text.find(type), "independent=\"true\" ");
    CHECK(read(text).count(Severity::warning, "'independent'") == 1);
    text = sdf("");
    text.insert(text.find(type), "gz:mark=\"true\" ");
    CHECK(read(text).count(Severity::warning, "") == 0);
}
