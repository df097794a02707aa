#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "grbda/baselines/baselines.hpp"
#include "grbda/compile/build.hpp"

// Robots described in C++ and their kinematics by homogeneous transforms only:
// what the baselines are compared with shares no formula of velocity with them.

namespace baselines_fixture {

using Random = std::mt19937_64;

double uniform(Random& random, double lower, double upper);
Eigen::VectorXd random_vector(Random& random, Eigen::Index size, double bound = 1);
Eigen::Matrix3d exponential(const Eigen::Vector3d& rotation);
grbda::Pose random_pose(Random& random, double reach);
grbda::Pose shift(double x, double y, double z);

/// Inertia of eight point masses: always physical.
grbda::Inertial random_inertial(Random& random);

grbda::LinkDescription make_link(const std::string& name, const grbda::Inertial& inertial);
grbda::JointDescription make_joint(const std::string& name, grbda::JointType type, const std::string& parent,
                                   const std::string& child, const grbda::Pose& origin,
                                   const Eigen::Vector3d& axis);
grbda::RobotDescription empty_robot(const std::string& name);

/// Adds the link "l<i>" on the joint "j<i>", i counting from 1; returns i.
int add_body(grbda::RobotDescription& robot, Random& random, grbda::JointType type, int parent);

/// Pose of "l<index>" in the ground at q = 0.
grbda::Pose zero_pose(const grbda::RobotDescription& robot, int index);
grbda::Pose seen_from(const grbda::Pose& frame, const grbda::Pose& pose);

/// A loop joint with random placement that is closed at q = 0.
void add_loop(grbda::RobotDescription& robot, Random& random, grbda::LoopType type, int predecessor,
              int successor);

grbda::RobotDescription every_joint_type(Random& random, bool floating);

/// A chain of six or more freedoms from `base` and a loop of the given type back to it.
void add_closed_chain(grbda::RobotDescription& robot, Random& random, grbda::LoopType type, int base);

grbda::RobotDescription one_loop(Random& random, grbda::LoopType type, bool floating);

/// Loops that share bodies, loops in a subtree of others, one to the ground.
grbda::RobotDescription nested_loops(Random& random);

void add_linear(grbda::RobotDescription& robot, const std::string& name,
                const std::vector<std::pair<int, double>>& terms);

/// Links with geared rotors, one of them geared across two joints, and a loop beside a coupling.
grbda::RobotDescription geared(Random& random);

/// Flat parallelogram about z: redundant rows wherever structurally zero ones are kept; singular at q = 0.
grbda::RobotDescription parallelogram(const grbda::Inertial& crank, const grbda::Inertial& coupler,
                                      const grbda::Inertial& rocker);

struct Robot {
    std::string name;
    grbda::Model model;
};

std::vector<Robot> robots();

}  // namespace baselines_fixture
