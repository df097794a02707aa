#pragma once

#include "grbda/description.hpp"

// Mechanisms of any size, as code. Lengths in m, masses in kg; benchmarks/README.md describes them.

namespace grbda::benchmarks {

/// Two chains of `depth` revolute joints on the world, tied by one gear between their links number loop / 2:
/// `loop` bodies are one cluster. `loop` even, at most 2 · depth.
RobotDescription explicit_chain(int depth, int loop);

/// The same, tied by a connecting rod that is attached to the first chain's link number (loop − 1) / 2 and
/// closed by a revolute loop joint to the second's. `loop` odd, at most 2 · depth + 1.
RobotDescription implicit_chain(int depth, int loop);

/// Floating base with `branches` equal branches of `depth` levels: a revolute joint with a geared rotor;
/// two revolute joints in series, driven by a differential of two rotors; a planar four-bar linkage, with the
/// next level on its coupler.
RobotDescription geared_tree(int branches, int depth);
RobotDescription rotor_pair_tree(int branches, int depth);
RobotDescription four_bar_tree(int branches, int depth);

/// One branch on the world.
RobotDescription geared_chain(int clusters);
RobotDescription four_bar_chain(int clusters);

/// Equal branches of geared levels on the world.
RobotDescription geared_branches(int branches, int depth);

/// Ten revolute joints in series, the last link heavier than the others by `ratio`.
RobotDescription mass_ratio_chain(double ratio);

/// Robots without loops or gears. `joints` revolute joints in series on the world; a complete binary tree of
/// revolute joints, 2^levels − 1 bodies, on the world; a floating base with a waist, a neck, two arms and two
/// legs, 29 revolute joints.
RobotDescription serial_chain(int joints);
RobotDescription binary_tree(int levels);
RobotDescription plain_humanoid();

/// One loop of seven revolute joints in general position, closed at zero; the first is the independent one.
RobotDescription spatial_linkage();

}  // namespace grbda::benchmarks
