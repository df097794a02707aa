#pragma once

#include <cmath>
#include <optional>
#include <string>

#include <Eigen/Geometry>

#include "description/rules.hpp"
#include "grbda/diagnostics.hpp"
#include "xml_text.hpp"

namespace grbda {

/// Converts x y z w of any length except zero to a rotation. Length zero
/// is an error about the node; another length than 1 gives a warning.
template <class Document, class Node>
std::optional<Eigen::Matrix3d> rotation_from_quaternion(Document& document, const Node& node,
                                                        const Eigen::Vector4d& xyzw,
                                                        const std::string& expected,
                                                        const std::string& hint = {}) {
    constexpr double tolerance = 1e-2;  // farther from 1, a mistake is likely: two printed digits
    const double length = xyzw.stableNorm();
    if (length < smallest_axis) {
        document.error(Code::out_of_range, node, expected, "zero", hint);
        return std::nullopt;
    }
    if (std::abs(length - 1) > tolerance) {
        document.report(Severity::warning, Code::out_of_range, node, expected, "length " + xml::exact(length),
                        "it is normalised");
    }
    return Eigen::Quaterniond(xyzw / length).toRotationMatrix();
}

}  // namespace grbda
