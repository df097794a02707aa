#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "grbda/io/urdf.hpp"

// Texts for the tests of the URDF reader, and what was read from them.

namespace urdf_test {

struct Reading {
    grbda::RobotDescription robot;
    grbda::Diagnostics diagnostics;

    int count(grbda::Severity severity) const {
        int found = 0;
        for (const grbda::Diagnostic& entry : diagnostics) found += entry.severity == severity ? 1 : 0;
        return found;
    }
};

inline Reading read(const std::string& text) {
    Reading reading;
    reading.robot = grbda::read_urdf(text, "robot.urdf", reading.diagnostics);
    for (const grbda::Diagnostic& entry : reading.diagnostics) {
        UNSCOPED_INFO(grbda::to_string(entry));
        CHECK(entry.where.file == "robot.urdf");
        CHECK(entry.where.line > 0);
        CHECK(entry.where.column > 0);
        CHECK_FALSE(entry.element.empty());
        CHECK_FALSE(entry.expected.empty());
    }
    return reading;
}

/// The elements stand from line 2 on.
inline std::string robot(const std::string& elements) {
    return "<robot name=\"r\">\n" + elements + "\n</robot>\n";
}

/// Joint 'j' from a to b in line 2; `inside` begins in line 3.
inline std::string joint(const std::string& attributes, const std::string& inside = "") {
    return robot("<joint name=\"j\" " + attributes + "><parent link=\"a\"/><child link=\"b\"/>\n" + inside +
                 "</joint>");
}

/// Loop 'l' from a to b in line 2; `inside` begins in line 3.
inline std::string loop(const std::string& attributes, const std::string& inside = "") {
    return robot("<loop name=\"l\" " + attributes + "><predecessor link=\"a\"/><successor link=\"b\"/>\n" +
                 inside + "</loop>");
}

/// Coupling 'c' from a to b in line 2; `inside` begins in line 3.
inline std::string coupling(const std::string& attributes, const std::string& inside = "") {
    return robot("<coupling name=\"c\" " + attributes +
                 "><predecessor link=\"a\"/><successor link=\"b\"/>\n" + inside + "</coupling>");
}

/// Link 'a' in line 2; `inside` its inertial begins in line 3.
inline std::string inertial(const std::string& inside) {
    return robot("<link name=\"a\"><inertial>\n" + inside + "</inertial></link>");
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

}  // namespace urdf_test
