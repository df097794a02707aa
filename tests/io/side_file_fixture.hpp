#pragma once

#include <string>

#include "grbda/io/urdf.hpp"
#include "io/reading_fixture.hpp"

// Texts for the tests of readers of side files, and what becomes of a robot by them.

namespace side_file_test {

using Reader = void (*)(const std::string&, const std::string&, grbda::RobotDescription&,
                        grbda::Diagnostics&);

using reading_test::contains;
using reading_test::has;
using reading_test::Reading;

/// A robot with a joint of each kind; `more` stands after it.
///   base ─ j1 ─ a ─ j2 ─ b ─ f (fixed) ─ tool
///        ├ slide ─ left, mirror (mimics slide) ─ right
///        └ ball ─ c ─ spin ─ d
inline grbda::RobotDescription robot(const std::string& more = "") {
    const auto link = [](const std::string& name) {
        return "<link name=\"" + name + "\"><inertial><origin xyz=\"0.1 0 0.02\"/><mass value=\"1\"/>" +
               "<inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.15\"/></inertial></link>";
    };
    const auto joint = [](const std::string& name, const std::string& type, const std::string& parent,
                          const std::string& child, const std::string& inside) {
        return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
               "\"/><child link=\"" + child + "\"/>" + inside + "</joint>";
    };
    const std::string origin = "<origin xyz=\"0.1 0.2 0.3\" rpy=\"0.3 0.2 0.1\"/><axis xyz=\"0 0 1\"/>";
    std::string text = "<robot name=\"r\">";
    for (const char* name : {"base", "a", "b", "tool", "left", "right", "c", "d"}) text += link(name);
    text += joint("j1", "revolute", "base", "a", origin + "<limit lower=\"-1\" upper=\"1\"/>") +
            joint("j2", "revolute", "a", "b", origin + "<limit lower=\"-0.5\" upper=\"2\"/>") +
            joint("f", "fixed", "b", "tool", origin) +
            joint("slide", "prismatic", "base", "left", origin + "<limit lower=\"0\" upper=\"0.04\"/>") +
            joint("mirror", "prismatic", "base", "right",
                  origin + "<limit lower=\"0\" upper=\"0.04\"/><mimic joint=\"slide\"/>") +
            joint("ball", "spherical", "base", "c", origin) + joint("spin", "continuous", "c", "d", origin) +
            more + "</robot>";
    grbda::Diagnostics diagnostics;
    grbda::RobotDescription robot = grbda::read_urdf(text, "robot.urdf", diagnostics);
    REQUIRE_FALSE(grbda::has_errors(diagnostics));
    return robot;
}

inline Reading read(Reader reader, const std::string& text, const grbda::RobotDescription& robot) {
    Reading reading{robot, {}};
    reader(text, "side", reading.robot, reading.diagnostics);
    reading_test::check_findings(reading, "side");
    return reading;
}

}  // namespace side_file_test
