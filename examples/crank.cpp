#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
#include <grbda/kinematics/kinematics.hpp>
#include <grbda/io/load.hpp>
#include <grbda/simulation/simulator.hpp>

int main(int argc, char** argv) try {
    const grbda::Model model = grbda::load(std::vector<std::string>(argv + 1, argv + argc));  // four_bar.urdf
    const int crank = model.joint("joint1").v.first;  // its place in q̇
    const int coupler = model.frame("link2").index;

    grbda::SimulatorOptions options;
    options.servo_stiffness.assign(static_cast<std::size_t>(model.nv_tree), 0);
    options.servo_damping.assign(static_cast<std::size_t>(model.nv_tree), 0);
    options.servo_stiffness[crank] = 40;  // N·m/rad
    options.servo_damping[crank] = 4;     // N·m·s/rad
    grbda::Simulator simulator(model, options);

    std::vector<double> target(static_cast<std::size_t>(model.nv_tree), 0);
    grbda::Data data(model);
    for (int i = 0; i < 2000; ++i) {
        target[static_cast<std::size_t>(crank)] = simulator.time();  // rad: one radian a second
        const grbda::StepOutcome outcome = simulator.step({.tau_s = {}, .target = target, .target_rate = {}});
        if (!outcome.result.ok()) throw std::runtime_error(std::string(to_string(outcome.result.status)));
        if (i % 500 != 499) continue;
        data.set_chart(simulator.chart());  // the coordinates that determine the loops here
        if (!grbda::forward_kinematics(model, data, simulator.q()).ok()) continue;
        std::cout << simulator.time() << " s: crank at " << simulator.q()[crank] << " rad, coupler at "
                  << grbda::frame_position(model, data, coupler).transpose() << " m\n";
    }
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
