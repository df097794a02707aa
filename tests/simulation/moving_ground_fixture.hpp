#pragma once

#include <algorithm>

#include <Eigen/Geometry>

#include "simulation/simulation_fixture.hpp"

// Ground that moves, and velocities of what it carries.

namespace simulation_test {

using grbda::GroundMotion;

inline GroundMotion moving(const Vector3d& linear, const Vector3d& angular = Vector3d::Zero(),
                           double since = 0) {
    return {linear, angular, since};
}

/// Hills of 5 cm, 8 m wide.
inline grbda::HeightField hills(double height = 0) {
    grbda::HeightField field;
    field.columns = field.rows = 41;
    field.spacing_x = field.spacing_y = 0.2;
    field.origin = {-4, -4, 0};
    for (int row = 0; row < field.rows; ++row)
        for (int column = 0; column < field.columns; ++column)
            field.heights.push_back(height + 0.05 * std::sin(column) * std::cos(0.7 * row));
    return field;
}

inline grbda::HeightField flat_field() {
    grbda::HeightField field = hills();
    std::fill(field.heights.begin(), field.heights.end(), 0);
    return field;
}

inline Eigen::Quaterniond orientation(const VectorXd& q) {
    return Eigen::Quaterniond(q[6], q[3], q[4], q[5]);
}

/// q̇ of a body or a base that has this velocity and angular velocity in the world.
inline VectorXd rates(const Model& model, const VectorXd& q, const Vector3d& linear,
                      const Vector3d& angular = Vector3d::Zero()) {
    VectorXd qd = VectorXd::Zero(model.nv_tree);
    qd.head<3>() = orientation(q).conjugate() * linear;
    qd.segment<3>(3) = orientation(q).conjugate() * angular;
    return qd;
}

}  // namespace simulation_test
