#pragma once

#include <string>

#include "grbda/io/mjcf.hpp"
#include "io/reading_fixture.hpp"

// Texts for the tests of the MJCF reader, and the results of reading them.

namespace mjcf_test {

using reading_test::contains;
using reading_test::has;
using reading_test::Reading;

inline Reading read(const std::string& text) {
    return reading_test::read_as(grbda::read_mjcf, text, "robot.xml");
}

inline constexpr auto check_error = reading_test::check_error<read>;
inline constexpr auto check_warning = reading_test::check_warning<read>;
inline constexpr auto check_later_error = reading_test::check_later_error<read>;
inline constexpr auto check_later_warning = reading_test::check_later_warning<read>;
inline constexpr auto accept = reading_test::accept<read>;

/// The elements begin in line 2.
inline std::string model(const std::string& elements) { return "<mujoco>\n" + elements + "\n</mujoco>\n"; }

/// The bodies begin in line 2; other sections follow them.
inline std::string world(const std::string& bodies, const std::string& sections = "") {
    return model("<worldbody>" + bodies + "</worldbody>\n" + sections);
}

inline const std::string ball_of_one = "<geom size=\"0.1\" mass=\"1\"/>";

/// Body 'b' with mass in line 2; `inside` begins in line 3.
inline std::string body(const std::string& inside, const std::string& sections = "") {
    return world("<body name=\"b\">" + ball_of_one + "\n" + inside + "</body>", sections);
}

constexpr double rounding = 1e-14;

inline bool equal(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a - b).norm() <= rounding * (1 + b.norm());
}

inline bool equal(const grbda::Pose& a, const grbda::Pose& b) {
    return equal(a.rotation, b.rotation) && equal(a.translation, b.translation);
}

}  // namespace mjcf_test
