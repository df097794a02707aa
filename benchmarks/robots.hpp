#pragma once

#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "grbda/algorithms/configuration.hpp"
#include "grbda/io/load.hpp"

// What every benchmark runs on: the robots of robots/, each with states drawn beforehand.

namespace grbda::benchmarks {

constexpr std::array robot_names{
    "double_pendulum", "four_bar",    "six_bar",      "planar_leg_linkage", "revolute_rotor_chain",
    "parallel_belt",   "lims2_wrist", "slider_crank", "spatial_four_bar",   "robotiq_finger",
    "mini_cheetah",    "tello",       "mit_humanoid"};

/// A closed configuration with velocities, accelerations and forces of the size that robots have.
struct State {
    VectorX<double> q, yd, ydd, tau;
};

/// More states than a branch predictor learns, few enough to stay in the cache.
constexpr std::size_t state_count = 64;

struct Robot {
    Model model;
    std::vector<State> states;
};

inline VectorX<double> random_vector(int size, double scale, std::mt19937_64& generator) {
    std::uniform_real_distribution<double> uniform(-scale, scale);
    return VectorX<double>::NullaryExpr(size, [&] { return uniform(generator); });
}

inline Robot make_robot(const std::string& name) {
    Robot robot{load(std::string(GRBDA_ROBOTS "/") + name + "/" + name + ".urdf"), {}};
    std::mt19937_64 generator(1);
    const int nv = robot.model.nv;
    while (robot.states.size() < state_count)
        robot.states.push_back({random_configuration(robot.model, generator), random_vector(nv, 3, generator),
                                random_vector(nv, 10, generator), random_vector(nv, 20, generator)});
    return robot;
}

/// Loaded at first use: a filtered run loads only the robots that it needs.
inline const Robot& robot(const std::string& name) {
    static std::map<std::string, std::unique_ptr<const Robot>> robots;
    std::unique_ptr<const Robot>& entry = robots[name];
    if (!entry) entry = std::make_unique<const Robot>(make_robot(name));
    return *entry;
}

}  // namespace grbda::benchmarks
