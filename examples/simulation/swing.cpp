#include <algorithm>
#include <cmath>
#include <cstdio>

#include "grbda/io/load.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "motion.hpp"

namespace scenes {
namespace {

constexpr double damping = 0.02;  // N·m·s/rad

/// Energy of a swing and energy dissipated by its dampers, J.
struct Balance {
    double lost = 0, taken = 0, highest = 0, residual = 0;
};

/// Σ d q̇², W
double power_of_dampers(grbda::Simulator& simulator) {
    const grbda::Table<double>& d = simulator.options().servo_damping;
    const Vector& qd = simulator.velocity();
    double power = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        const double rate = qd[static_cast<Eigen::Index>(i)];
        power += d[i] * rate * rate;
    }
    return power;
}

Balance swung(const grbda::Model& model, const grbda::SimulatorOptions& options, double seconds,
              const std::string& record) {
    grbda::Simulator simulator(model, options);
    require(simulator.set_state(grbda::neutral_configuration(model), Vector::Zero(model.nv_tree)));
    Motion motion(simulator, record);
    const double start = simulator.energies().sum();
    double before = power_of_dampers(simulator);
    Balance result;
    motion.run(
        seconds, [](double) { return grbda::Controls{}; },
        [&] {
            const double power = power_of_dampers(simulator);
            result.taken += options.step * (before + power) / 2;
            before = power;
            result.lost = start - simulator.energies().sum();
            result.highest = std::max(result.highest, -result.lost);
        });
    result.residual = motion.largest_residual();
    return result;
}

}  // namespace

bool swing(const Setting& setting) {
    const std::string leg = setting.robots + "/digit_leg/digit_leg";
    grbda::LoadOptions load;
    load.spherical_joints =
        true;  // of its rods: with three joints they have configurations where two axes coincide
    const grbda::Model model = grbda::load({leg + ".urdf", leg + ".yaml"}, load);
    const double seconds = setting.seconds > 0 ? setting.seconds : 2;
    grbda::SimulatorOptions options;
    options.limits = options.passive = false;
    options.rule = grbda::StepRule::runge_kutta;
    options.step = 5e-4;
    const Balance free = swung(model, options, seconds, setting.record);
    std::printf("  with dampers\n");
    add_servos(model, Driven::joints, 0, damping, options);
    const Balance damped = swung(model, options, seconds, "");
    Laws laws;
    laws.check("energy lost without dampers, J", free.lost, -1e-4, 1e-4);
    laws.check("energy lost over the work of dampers", damped.lost / damped.taken, 0.999, 1.001);
    laws.check("energy above that of the start, J", damped.highest, 0, 1e-6);
    laws.check("residual of the loops", std::max(free.residual, damped.residual), 0, 1e-12);
    return laws.kept();
}

}  // namespace scenes
