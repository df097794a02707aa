#pragma once

#include <string>

#include "grbda/io/side_files.hpp"
#include "io/side_file_fixture.hpp"

// XRDF texts on the robot of side_file_fixture.hpp.

namespace xrdf_test {

using namespace side_file_test;

/// Lines 1 to 6; what a test adds stands from line 7 on.
inline const std::string required =
    "format: xrdf\nformat_version: 1.0\ncspace:\n  joint_names: [j2, j1]\n  acceleration_limits: [10, 20]\n"
    "  jerk_limits: [100, 200]\n";

inline Reading read_xrdf(const std::string& text, const grbda::RobotDescription& to = robot()) {
    return read(grbda::apply_xrdf, text, to);
}

inline Reading accept(const std::string& sections, const grbda::RobotDescription& to = robot()) {
    INFO(sections);
    Reading reading = read_xrdf(required + sections, to);
    CHECK(reading.count(grbda::Severity::error) == 0);
    CHECK(reading.count(grbda::Severity::warning) == 0);
    return reading;
}

/// One finding of this severity in this whole text, and nothing else but notes.
inline Reading check_finding(grbda::Severity severity, const std::string& text, int line,
                             const std::string& element, const std::string& words,
                             const grbda::RobotDescription& to = robot()) {
    INFO(text);
    Reading reading = read_xrdf(text, to);
    using grbda::Severity;
    CHECK(reading.count(Severity::error) == (severity == Severity::error ? 1 : 0));
    CHECK(reading.count(Severity::warning) == (severity == Severity::warning ? 1 : 0));
    CHECK(has(reading, severity, line, element, words));
    return reading;
}

/// One error in a text that begins with the required lines.
inline void check_error(const std::string& sections, int line, const std::string& element,
                        const std::string& words, const grbda::RobotDescription& to = robot()) {
    check_finding(grbda::Severity::error, required + sections, line, element, words, to);
}

/// A list entry that adds a frame, its fields below add_frame.
inline std::string add_frame(
    const std::string& name, const std::string& parent,
    const std::string& transform = "position: [1, 2, 3], orientation: {w: 1, xyz: [0, 0, 0]}",
    const std::string& type = "FIXED") {
    return "  - add_frame: {frame_name: " + name + ", parent_frame_name: " + parent + ", joint_name: joint_" +
           name + ", joint_type: " + type + ", fixed_transform: {" + transform + "}}\n";
}

}  // namespace xrdf_test
