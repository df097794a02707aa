#pragma once

#include <string>

#include "io/reading_fixture.hpp"

// Shapes of a link, as a reader keeps them.

namespace shape_test {

using grbda::Severity;
using grbda::ShapeDescription;
using grbda::ShapeKind;
using reading_test::contains;
using reading_test::has;
using reading_test::Reading;

inline const std::vector<ShapeDescription>& shapes(const Reading& reading, const std::string& link) {
    return reading.link(link).shapes;
}

/// Its one shape.
inline const ShapeDescription& shape(const Reading& reading, const std::string& link) {
    REQUIRE(shapes(reading, link).size() == 1);
    return shapes(reading, link).front();
}

inline void check_shape(const ShapeDescription& shape, ShapeKind kind, const Eigen::Vector3d& size) {
    INFO(to_string(shape.shape.kind) << " of size " << shape.shape.size.transpose());
    CHECK(shape.shape.kind == kind);
    const int sizes = facts(kind).sizes;
    CHECK((shape.shape.size - size).head(sizes).norm() <= 1e-15 * size.norm());
    CHECK(shape.shape.size.tail(3 - sizes).isZero(0));
}

inline void check_origin(const ShapeDescription& shape, const Eigen::Vector3d& place,
                         const Eigen::Matrix3d& rotation = Eigen::Matrix3d::Identity()) {
    INFO(shape.origin.translation.transpose() << "\n" << shape.origin.rotation);
    CHECK((shape.origin.translation - place).norm() < 1e-14);
    CHECK((shape.origin.rotation - rotation).norm() < 1e-14);
}

inline Eigen::Matrix3d turn(double angle, const Eigen::Vector3d& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace shape_test
