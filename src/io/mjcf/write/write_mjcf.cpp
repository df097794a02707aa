#include "grbda/io/mjcf.hpp"

#include "parts.hpp"

namespace grbda {

namespace {

void write_section(const char* name, const std::vector<to_mjcf::Line>& lines, xml::Text& text) {
    if (lines.empty()) return;
    text.open(name);
    for (const to_mjcf::Line& line : lines) to_mjcf::write(line, text);
    text.close();
}

/// Mass comes only from <inertial>, and ranges imply that limits apply.
void write_settings(const Mechanism& mechanism, xml::Text& text) {
    text.open("compiler").attribute("angle", "radian").attribute("inertiafromgeom", "false").close();
    if (mechanism.gravity) text.open("option").attribute("gravity", *mechanism.gravity).close();
}

}  // namespace

std::string write_mjcf(const Mechanism& mechanism, Diagnostics& diagnostics) {
    Diagnostics found;
    writing::Findings findings("MJCF", mechanism, found);
    to_mjcf::Robot robot{mechanism, findings, writing::make_layout(mechanism, {"world"})};
    to_mjcf::make_elements(robot);
    to_mjcf::make_sites(robot);
    to_mjcf::make_constraints(robot);
    to_mjcf::make_roles(robot);
    xml::Text text;
    text.open("mujoco").attribute("model", mechanism.name.empty() ? "robot" : mechanism.name);
    write_settings(mechanism, text);
    to_mjcf::write_bodies(robot, text);
    write_section("asset", robot.assets, text);
    write_section("contact", robot.contacts, text);
    write_section("tendon", robot.tendons, text);
    write_section("equality", robot.equalities, text);
    write_section("actuator", robot.actuators, text);
    write_section("sensor", robot.sensors, text);
    write_section("keyframe", robot.keys, text);
    text.close();
    findings.report();
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    return has_errors(found) ? std::string() : text.str();
}

}  // namespace grbda
