#pragma once

#include <string>

#include "grbda/io/sdf.hpp"
#include "io/reading_fixture.hpp"

// Texts for the tests of the SDF reader, and the results of reading them.

namespace sdf_test {

using reading_test::contains;
using reading_test::has;
using reading_test::Reading;

inline Reading read(const std::string& text) {
    return reading_test::read_as(grbda::read_sdf, text, "robot.sdf");
}

inline constexpr auto check_error = reading_test::check_error<read>;
inline constexpr auto check_warning = reading_test::check_warning<read>;
inline constexpr auto check_later_error = reading_test::check_later_error<read>;
inline constexpr auto check_later_warning = reading_test::check_later_warning<read>;
inline constexpr auto accept = reading_test::accept<read>;

/// The elements begin in line 2.
inline std::string model(const std::string& elements, const std::string& version = "1.11") {
    return "<sdf version=\"" + version + "\"><model name=\"m\">\n" + elements + "\n</model></sdf>\n";
}

inline std::string world(const std::string& elements, const std::string& version = "1.11") {
    return "<sdf version=\"" + version + "\"><world name=\"w\">\n" + elements + "\n</world></sdf>\n";
}

/// A link with an inertial, and therefore without findings.
inline std::string solid(const std::string& name, const std::string& pose = "") {
    return "<link name=\"" + name + "\">" + (pose.empty() ? "" : "<pose>" + pose + "</pose>") +
           "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"
           "</link>\n";
}

/// A joint in one line; `inside` follows its ends.
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

}  // namespace sdf_test
