#include <limits>
#include <utility>

#include "grbda/simulation/options.hpp"

namespace grbda {

SimulatorOptions with_servos(const Model& model, SimulatorOptions options) {
    const auto n = static_cast<std::size_t>(model.nv_tree);
    options.servo_stiffness.assign(n, 0);
    options.servo_damping.assign(n, 0);
    options.servo_force.assign(n, std::numeric_limits<double>::infinity());
    for (int i = 0; i < model.body_count(); ++i) {
        if (!model.servos[i]) continue;
        const int v = model.bodies[i].v;
        options.servo_stiffness[v] = model.servos[i]->stiffness;
        options.servo_damping[v] = model.servos[i]->damping;
        if (model.limits[i].effort > 0) options.servo_force[v] = model.limits[i].effort;
    }
    return options;
}

}  // namespace grbda
