#pragma once

#include <string>

#include "grbda/io/urdf.hpp"
#include "io/reading_fixture.hpp"

// Texts for the tests of the URDF reader, and what was read from them.

namespace urdf_test {

using reading_test::contains;
using reading_test::has;
using reading_test::Reading;

inline Reading read(const std::string& text) {
    return reading_test::read_as(grbda::read_urdf, text, "robot.urdf");
}

inline constexpr auto check_error = reading_test::check_error<read>;
inline constexpr auto check_warning = reading_test::check_warning<read>;
inline constexpr auto check_later_error = reading_test::check_later_error<read>;
inline constexpr auto check_later_warning = reading_test::check_later_warning<read>;
inline constexpr auto accept = reading_test::accept<read>;

/// A figure is out of range, as make_mechanism says.
inline void check_figure(const std::string& text, int line, const std::string& element,
                         const std::string& words) {
    check_later_error(grbda::Code::out_of_range, text, line, element, words);
}

/// A name is taken, as make_mechanism says.
inline void check_taken_name(const std::string& text, int line, const std::string& element,
                             const std::string& words) {
    check_later_error(grbda::Code::duplicate_name, text, line, element, words);
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

/// Link 'a' under a joint in line 2; `inside` its inertial begins in line 3.
inline std::string inertial(const std::string& inside) {
    return robot("<link name=\"a\"><inertial>\n" + inside +
                 "</inertial></link><joint name=\"j\" type=\"floating\"><parent link=\"base\"/>"
                 "<child link=\"a\"/></joint>");
}

}  // namespace urdf_test
