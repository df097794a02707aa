#include <algorithm>
#include <cmath>

#include "grbda/io/load.hpp"
#include "motion.hpp"

namespace scenes {
namespace {

constexpr double drop = 0.05;     // m
constexpr double settling = 0.5;  // s: from the drop until the robot is at rest

bool stand(const Setting& setting, const grbda::Model& model, Vector start,
           const grbda::SimulatorOptions& options) {
    grbda::Simulator simulator(model, options, grbda::Plane{});
    const std::vector<double> target = targets_at(model, start);
    start[base_height] -= clearance(model, start);
    const double standing = start[base_height];
    start[base_height] += drop;
    require(simulator.set_state(start, Vector::Zero(model.nv_tree)));
    Motion motion(simulator, setting.record);
    motion.follow(base_height);
    double impulse = 0, tilt = 0, landing = 0, low = standing, high = standing;
    long seen = 0;
    const auto hold = [&](double) { return grbda::Controls{{}, target, {}}; };
    const auto see = [&] {
        if (landing == 0 && normal_impulse(simulator) > 0) landing = simulator.time();
        if (simulator.time() < settling) return;
        const Vector& q = simulator.q();
        impulse += normal_impulse(simulator);
        low = std::min(low, q[base_height]);
        high = std::max(high, q[base_height]);
        tilt = std::max(tilt, tilt_of(q));
        ++seen;
    };
    motion.run(settling + (setting.seconds > 0 ? setting.seconds : 3), hold, see);
    const double fall = std::sqrt(2 * drop / 9.81);
    const double weight = moving_mass(model) * 9.81 * options.step;
    Laws laws;
    laws.check("time of landing, s", landing, fall - 0.003, fall + 0.003);
    laws.check("normal impulses over m g h, mean", impulse / (weight * double(seen)), 0.99, 1.01);
    laws.check("contacts at the end", double(simulator.contacts().size()), 8, 8);
    laws.check("base below its place, m", standing - low, 0, 0.01);
    laws.check("base above its place, m", high - standing, 0, 0.001);
    laws.check("tilt of the base, rad", tilt, 0, 0.05);
    laws.check("residual of the loops", motion.largest_residual(), 0, 1e-12);
    return laws.kept();
}

}  // namespace

bool stand_humanoid(const Setting& setting) {
    const grbda::Model model = grbda::load(setting.robots + "/mit_humanoid/mit_humanoid.urdf");
    std::map<std::string, double> bent;
    for (const std::string side : {"left_", "right_"}) {
        bent[side + "hipx_to_hipy_link"] = -0.4;
        bent[side + "hipy_to_knee_link"] = 0.8;
        bent[side + "knee_to_ankle"] = -0.4;
    }
    grbda::SimulatorOptions options;
    add_servos(model, Driven::joints, 1000, 40, options);
    return stand(setting, model, posed(model, bent), options);
}

/// In its differentials each motor moves several joints, and no motor position is a coordinate.
bool stand_tello(const Setting& setting) {
    const grbda::Model model = grbda::load(setting.robots + "/tello/tello.urdf");
    grbda::SimulatorOptions options;
    add_servos(model, Driven::rotors, 20, 0.5, options);
    return stand(setting, model, grbda::neutral_configuration(model), options);  // as the file starts it
}

}  // namespace scenes
