#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "grbda/io/sdf.hpp"

// Texts for the tests of the SDF reader, and what was read from them.

namespace sdf_test {

struct Reading {
    grbda::RobotDescription robot;
    grbda::Diagnostics diagnostics;

    int count(grbda::Severity severity) const {
        int found = 0;
        for (const grbda::Diagnostic& entry : diagnostics) found += entry.severity == severity ? 1 : 0;
        return found;
    }
    const grbda::LinkDescription& link(const std::string& name) const {
        for (const grbda::LinkDescription& entry : robot.links)
            if (entry.name == name) return entry;
        throw std::out_of_range("no link " + name);
    }
    const grbda::JointDescription& joint(const std::string& name) const {
        for (const grbda::JointDescription& entry : robot.joints)
            if (entry.name == name) return entry;
        throw std::out_of_range("no joint " + name);
    }
};

inline Reading read(const std::string& text) {
    Reading reading;
    reading.robot = grbda::read_sdf(text, "robot.sdf", reading.diagnostics);
    for (const grbda::Diagnostic& entry : reading.diagnostics) {
        UNSCOPED_INFO(grbda::to_string(entry));
        CHECK(entry.where.file == "robot.sdf");
        CHECK(entry.where.line > 0);
        CHECK_FALSE(entry.element.empty());
        CHECK_FALSE(entry.expected.empty());
    }
    return reading;
}

/// The elements stand from line 2 on.
inline std::string model(const std::string& elements, const std::string& version = "1.11") {
    return "<sdf version=\"" + version + "\"><model name=\"m\">\n" + elements + "\n</model></sdf>\n";
}

inline std::string world(const std::string& elements, const std::string& version = "1.11") {
    return "<sdf version=\"" + version + "\"><world name=\"w\">\n" + elements + "\n</world></sdf>\n";
}

/// A link with an inertial, so that nothing is to be said of it.
inline std::string solid(const std::string& name, const std::string& pose = "") {
    return "<link name=\"" + name + "\">" + (pose.empty() ? "" : "<pose>" + pose + "</pose>") +
           "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"
           "</link>\n";
}

/// A joint in one line; `inside` stands after its ends.
inline std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                         const std::string& child,
                         const std::string& inside = "<axis><xyz>0 0 1</xyz></axis>") {
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" + parent + "</parent><child>" +
           child + "</child>" + inside + "</joint>\n";
}

/// Links a and b in lines 2 and 3, joint 'j' from a to b in line 4, a fixed in the world in line 5.
inline std::string pair(const std::string& type, const std::string& inside,
                        const std::string& version = "1.11") {
    return model(solid("a") + solid("b", "0 0 1 0 0 0") + joint("j", type, "a", "b", inside) +
                     joint("mount", "fixed", "world", "a", ""),
                 version);
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

/// Reads a text that has one error, and looks at that error.
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

}  // namespace sdf_test
