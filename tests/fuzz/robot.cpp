#include "robot.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "grbda/compile/build.hpp"
#include "dynamics/joint_forces.hpp"
#include "grbda/io/urdf.hpp"

namespace fuzz {

namespace {

[[noreturn]] void fail(const char* law, const std::string& text, const grbda::Diagnostics& findings) {
    std::fprintf(stderr, "broken: %s\n%s\n", law, text.c_str());
    for (const grbda::Diagnostic& finding : findings) {
        std::fprintf(stderr, "%s\n", to_string(finding).c_str());
    }
    std::abort();
}

void check_findings(const grbda::Diagnostics& findings) {
    for (const grbda::Diagnostic& finding : findings) {
        const bool placed = !finding.where.file.empty() && finding.where.line > 0 && finding.where.column > 0;
        const grbda::Subject& subject = finding.subject;
        if (!placed || subject.kind.empty() || subject.text.empty() || finding.expected.empty()) {
            fail("a finding names file, line, column, element and what was expected", to_string(finding), {});
        }
    }
}

void check_again(const grbda::Mechanism& mechanism, const grbda::Diagnostics& findings) {
    const std::string text = write_urdf(mechanism);
    grbda::Diagnostics again;
    const grbda::RobotDescription robot = grbda::read_urdf(text, "written.urdf", again);
    if (has_errors(again)) fail("what is written can be read", text, again);
    try {
        const grbda::Model model = build_model(robot);
    } catch (const grbda::LoadError& error) {
        std::fprintf(stderr, "first time:\n");
        for (const grbda::Diagnostic& finding : findings) {
            std::fprintf(stderr, "%s\n", to_string(finding).c_str());
        }
        fail("what loads, loads when written and read", text, error.diagnostics());
    }
}

void check_joint_forces(const grbda::Model& model, const grbda::Diagnostics& findings) {
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
    const Eigen::VectorXd qd = Eigen::VectorXd::Ones(model.nv_tree);
    if (joint_forces<double>(model, data, q, qd).ok() && !data.tau.allFinite())
        fail("joint forces that are ok are finite", model.names.robot, findings);
}

}  // namespace

const char* const small_robot = R"(<robot name="r">
<link name="base"/>
<link name="a"><inertial><origin xyz="0.3 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="b"><inertial><origin xyz="0.3 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="c"><inertial><origin xyz="0.3 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="tip"/>
<joint name="ja" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
<joint name="jb" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
<joint name="jc" type="prismatic"><parent link="base"/><child link="c"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
<joint name="jt" type="fixed"><parent link="b"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>
)";

std::pair<std::string, std::string> split(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view marker = "=== side file ===\n";
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t place = text.find(marker);
    if (place == std::string::npos) return {small_robot, text};
    return {text.substr(0, place), text.substr(place + marker.size())};
}

void check(const grbda::RobotDescription& robot, const grbda::Diagnostics& findings_of_reader) {
    check_findings(findings_of_reader);
    if (has_errors(findings_of_reader)) return;
    grbda::Diagnostics findings;
    const grbda::Mechanism mechanism = make_mechanism(robot, {}, findings);
    if (has_errors(findings)) return;
    const grbda::Model model = build_model(mechanism, {}, findings);
    if (has_errors(findings)) return;
    for (const double position : model.neutral) {
        if (!std::isfinite(position))
            fail("what loads has a finite configuration", model.names.robot, findings);
    }
    check_joint_forces(model, findings);
    check_again(mechanism, findings);
}

}  // namespace fuzz
