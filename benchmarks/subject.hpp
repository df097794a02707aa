#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "grbda/model/data.hpp"
#include "grbda/model/model.hpp"

// Input of every benchmark: a model with states drawn beforehand.

namespace grbda::benchmarks {

/// A closed configuration with velocities, accelerations and forces of typical size.
struct State {
    VectorX<double> q, yd, ydd, tau;
    VectorX<double> guess;  ///< q with every dependent coordinate moved by up to 0.03 rad or m
};

/// More states than a branch predictor learns, but few enough to stay in the cache.
constexpr std::size_t state_count = 64;

struct Subject {
    Model model;
    std::vector<State> states;
};

/// State with random velocities, accelerations and forces at the closed configuration q.
State random_motion(const Model& model, VectorX<double> q, std::mt19937_64& generator);

/// rcond(K_d) of the worst cluster: 1 without loops, 0 if the engine refuses the configuration.
double smallest_rcond(const Model& model, Data& data, const VectorX<double>& q);

/// Closed random states with rcond(K_d) above 1e-3, the same ones in every run for the same model.
Subject make_subject(Model model);

/// Made at first use and kept: a filtered run makes only the subjects that it needs, and all methods share
/// one.
const Subject& subject(const std::string& name, const std::function<Model()>& make);

/// Names in robots/, sorted; and one robot with all its side files.
std::vector<std::string> robot_names();
std::vector<std::string> robot_files(const std::string& name);
Model load_robot(const std::string& name, const LoadOptions& options = {});
const Subject& robot(const std::string& name);

}  // namespace grbda::benchmarks
