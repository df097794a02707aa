#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "model/arguments.hpp"

// The robots that every law is tested on, and states of theirs.

namespace test_robots {

using Random = std::mt19937_64;

struct Robot {
    std::string name;
    grbda::RobotDescription description;
    grbda::LoadOptions options;
    grbda::Model model;
};

/// Every folder of robots/.
const std::vector<Robot>& published();
/// One of them.
const Robot& named(const std::string& name);
/// Those with rods once more, with rods as bodies that have coordinates.
const std::vector<Robot>& with_rods_as_bodies();
const Robot& full(const std::string& name);

/// Random mechanisms that load; `refused` counts those that did not, of `drawn`.
struct Mechanisms {
    std::vector<Robot> robots;
    int drawn = 0;
    std::vector<std::string> refused;
};
const Mechanisms& mechanisms();

/// All of them.
const std::vector<const Robot*>& all();

/// Robots whose models have no rods, because edits could make rods bodies again.
const std::vector<const Robot*>& without_rods();

/// A closed state with everything that an algorithm takes.
struct State {
    Eigen::VectorXd q, yd, ydd, tau;
    grbda::Matrix6X<double> wrenches;
};

/// True for the slide of a strut: its position is a length, and it moves nothing; its link moves as rods do.
inline bool is_length(const grbda::Model& model, int body) {
    return model.is_rod(model.frames[grbda::at(model.body_frame[grbda::at(body)])].body);
}

/// A random closed state away from singular ones: there G and g grow without bound, and every tolerance with
/// them. False: none found in a fixed number of trials.
bool random_state(const grbda::Model& model, Random& random, State& state);

/// Smallest rcond(K_d) of the last embedding.
double conditioning(const grbda::Model& model, const grbda::Workspace<double>& data);

/// |found − expected| / (1 + |expected|)
double relative(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected);

/// Relative error of accelerations, each weighted by the root of its diagonal entry of the mass matrix: the
/// spin of a thin rod has 1e-8 of a leg's inertia. Rounding grows with the condition of the scaled M.
double relative_by_inertia(const Eigen::MatrixXd& M, const Eigen::VectorXd& found,
                           const Eigen::VectorXd& expected);

Eigen::VectorXd random_vector(Random& random, Eigen::Index size, double bound = 1);

/// Calls law(robot, state, random) at `states` random states of each robot. Seven in ten robots must have
/// one.
template <class Law>
void at_random_states(const std::vector<const Robot*>& robots, int states, std::uint64_t seed, Law&& law) {
    std::size_t reached = 0;
    for (const Robot* robot : robots) {
        Random random(seed);
        State state;
        for (int i = 0; i < states && random_state(robot->model, random, state); ++i) {
            INFO(robot->name << ", seed " << seed << ", state " << i);
            law(*robot, state, random);
            reached += i == 0 ? 1 : 0;
        }
    }
    CHECK(10 * reached >= 7 * robots.size());
}

}  // namespace test_robots
