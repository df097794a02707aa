#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "grbda/model/model.hpp"

// Tolerance of the balance of forces.

namespace grbda {

/// Forces that miss others by more, relative to the largest of them, do not belong to the same motion.
constexpr double balance_tolerance = 1e-6;

/// The robot's weight, on earth if it has less, times its length: the largest of the length of its stretched
/// chains, its radius of gyration and the lengths that slides are measured by. A balance of forces is not
/// measured by less: if a robot falls, or if all its frames lie in one point, its joint forces are rounding.
inline double weight_on_length(const Model& model) {
    constexpr double earth = 9.81;
    double mass = 0, length = 0, moments = 0;
    Table<double> arm(model.bodies.size(), 0);
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        const Inertial& inertial = model.inertials[i];
        if (body.parent != world) arm[i] = arm[body.parent] + std::sqrt(dot(body.position, body.position));
        length = std::max(length, arm[i] + inertial.com.norm());
        mass += inertial.mass;
        moments += inertial.inertia.trace() / 2;  // at least the largest principal moment
        for (int j = 0; j < velocity_size(body.joint); ++j)
            if (is_freedom(body.joint, j, Freedom::slide))
                length = std::max(length, model.column_scale[body.dof + j]);
    }
    for (const Rod& rod : model.rods) {
        mass += rod.mass;
        moments += rod.transverse;
        length = std::max(length, rod.length);
    }
    if (mass > 0) length = std::max(length, std::sqrt(moments / mass));
    return mass * length * std::max(earth, std::sqrt(dot(model.gravity, model.gravity)));
}

}  // namespace grbda
