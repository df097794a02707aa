#pragma once

#include <algorithm>
#include <string>

#include "grbda/io/urdf.hpp"
#include "grbda/mechanism.hpp"
#include "reading_fixture.hpp"

// Texts for the tests of the URDF reader, and what was read from them.

namespace urdf_test {

using reading_test::contains;
using reading_test::has;
using reading_test::Reading;

inline Reading read(const std::string& text) {
    return reading_test::read_as(grbda::read_urdf, text, "robot.urdf");
}

inline void check_error(const std::string& text, int line, const std::string& element,
                        const std::string& words) {
    reading_test::check_error(read, text, line, element, words);
}
inline Reading accept(const std::string& text) { return reading_test::accept(read, text); }

/// Reads a text without an error of the reader, in which a name is taken: the mechanism says so.
inline void check_taken_name(const std::string& text, int line, const std::string& element,
                             const std::string& words) {
    INFO(text);
    Reading found = accept(text);
    found.diagnostics.clear();
    found.robot.links.push_back(
        {"link_of_its_own", std::nullopt, {}});  // without links names are not looked at
    make_mechanism(found.robot, {}, found.diagnostics);
    const auto is_other = [](const grbda::Diagnostic& finding) {
        return finding.code != grbda::Code::duplicate_name;
    };
    found.diagnostics.erase(std::remove_if(found.diagnostics.begin(), found.diagnostics.end(), is_other),
                            found.diagnostics.end());
    CHECK(found.diagnostics.size() == 1);
    CHECK(has(found, grbda::Severity::error, line, element, words));
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

}  // namespace urdf_test
