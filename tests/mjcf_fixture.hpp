#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "grbda/io/mjcf.hpp"

// Texts for the tests of the MJCF reader, and what was read from them.

namespace mjcf_test {

struct Reading {
    grbda::RobotDescription robot;
    grbda::Diagnostics diagnostics;

    int count(grbda::Severity severity) const {
        int found = 0;
        for (const grbda::Diagnostic& entry : diagnostics) found += entry.severity == severity ? 1 : 0;
        return found;
    }
    const grbda::LinkDescription& link(const std::string& name) const {
        for (const grbda::LinkDescription& each : robot.links)
            if (each.name == name) return each;
        FAIL("no link " << name);
        return robot.links.front();
    }
    const grbda::JointDescription& joint(const std::string& name) const {
        for (const grbda::JointDescription& each : robot.joints)
            if (each.name == name) return each;
        FAIL("no joint " << name);
        return robot.joints.front();
    }
};

inline Reading read(const std::string& text) {
    Reading reading;
    reading.robot = grbda::read_mjcf(text, "robot.xml", reading.diagnostics);
    for (const grbda::Diagnostic& entry : reading.diagnostics) {
        UNSCOPED_INFO(grbda::to_string(entry));
        CHECK(entry.where.file == "robot.xml");
        CHECK(entry.where.line > 0);
        CHECK(entry.where.column > 0);
        CHECK_FALSE(entry.element.empty());
        CHECK_FALSE(entry.expected.empty());
    }
    return reading;
}

/// The elements stand from line 2 on.
inline std::string model(const std::string& elements) { return "<mujoco>\n" + elements + "\n</mujoco>\n"; }

/// The bodies stand from line 2 on, other sections behind them.
inline std::string world(const std::string& bodies, const std::string& sections = "") {
    return model("<worldbody>" + bodies + "</worldbody>\n" + sections);
}

inline const std::string ball_of_one = "<geom size=\"0.1\" mass=\"1\"/>";

/// Body 'b' with mass in line 2; `inside` begins in line 3.
inline std::string body(const std::string& inside, const std::string& sections = "") {
    return world("<body name=\"b\">" + ball_of_one + "\n" + inside + "</body>", sections);
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Is there a finding of this severity in this line, about this element, with these words?
inline bool has(const Reading& reading, grbda::Severity severity, int line, const std::string& element,
                const std::string& words) {
    for (const grbda::Diagnostic& entry : reading.diagnostics) {
        const bool same_place = entry.severity == severity && entry.where.line == line;
        if (same_place && contains(entry.element, element) && contains(to_string(entry), words)) return true;
    }
    return false;
}

/// Reads a text that has one error and nothing else but notes, and looks at that error.
inline void check_error(const std::string& text, int line, const std::string& element,
                        const std::string& words) {
    INFO(text);
    const Reading reading = read(text);
    CHECK(reading.count(grbda::Severity::error) == 1);
    CHECK(has(reading, grbda::Severity::error, line, element, words));
}

/// Reads a text that must bring no error and no warning.
inline Reading accept(const std::string& text) {
    INFO(text);
    Reading reading = read(text);
    CHECK(reading.count(grbda::Severity::error) == 0);
    CHECK(reading.count(grbda::Severity::warning) == 0);
    return reading;
}

constexpr double rounding = 1e-14;

inline bool equal(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a - b).norm() <= rounding * (1 + b.norm());
}

inline bool equal(const grbda::Pose& a, const grbda::Pose& b) {
    return equal(a.rotation, b.rotation) && equal(a.translation, b.translation);
}

}  // namespace mjcf_test
