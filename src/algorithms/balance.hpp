#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "grbda/model/model.hpp"

// When forces count as balanced.

namespace grbda {

/// Forces that miss others by more, relative to the largest of them, do not belong to the same motion.
template <class S>
constexpr double balance_tolerance() {
    return std::numeric_limits<S>::epsilon() < 1e-10 ? 1e-6 : 1e-2;
}

/// The robot's weight, on earth if it has less, on its own length stretched out: forces are not measured by
/// less. Of a robot that falls all forces of its joints are rounding.
inline double weight_on_length(const Model& model) {
    constexpr double earth = 9.81;
    double mass = 0, length = 0;
    Table<double> arm(model.bodies.size(), 0);
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        if (body.parent != world) arm[i] = arm[body.parent] + std::sqrt(dot(body.position, body.position));
        length = std::max(length, arm[i] + model.inertials[i].com.norm());
        mass += model.inertials[i].mass;
    }
    return mass * length * std::max(earth, std::sqrt(dot(model.gravity, model.gravity)));
}

}  // namespace grbda
