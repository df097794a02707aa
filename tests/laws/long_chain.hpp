#pragma once

#include <cmath>
#include <string>

#include "grbda/description.hpp"

// Chains of revolute joints that one constraint makes one cluster, however long. Links of 1 m and 1 kg.

namespace long_chain {

enum class Tie {
    revolute,      ///< its end to the base, in the plane: rank 2
    spherical,     ///< its end to the base, axes by turns along y and z: rank 3
    out_and_back,  ///< two chains from the world, their ends tied in the plane: rank 2
    coupling       ///< a sum of all its joints: rank 1
};
inline constexpr Tie ties[] = {Tie::revolute, Tie::spherical, Tie::out_and_back, Tie::coupling};

inline const char* name_of(Tie tie) {
    switch (tie) {
        case Tie::revolute: return "revolute";
        case Tie::spherical: return "spherical";
        case Tie::out_and_back: return "out and back";
        case Tie::coupling: break;
    }
    return "coupling";
}

inline int rank_of(Tie tie) { return tie == Tie::coupling ? 1 : tie == Tie::spherical ? 3 : 2; }

inline std::string joint(int i) { return "j" + std::to_string(i); }
inline std::string link(int i) { return "l" + std::to_string(i); }

/// Link i at the end of its parent, turned by `turn` about y.
inline void add_link(int i, const std::string& parent, const Eigen::Vector3d& at, double turn,
                     const Eigen::Vector3d& axis, grbda::RobotDescription& robot) {
    const Eigen::Matrix3d inertia = Eigen::Vector3d(0.001, 0.085, 0.085).asDiagonal();
    robot.links.push_back({link(i), grbda::Inertial{1, {0.5, 0, 0}, inertia}, {}});
    grbda::JointDescription description;
    description.name = joint(i);
    description.type = grbda::JointType::continuous;
    description.parent = parent;
    description.child = link(i);
    description.origin.translation = at;
    description.origin.rotation << std::cos(turn), 0, std::sin(turn), 0, 1, 0, -std::sin(turn), 0,
        std::cos(turn);
    description.axis = axis;
    robot.joints.push_back(description);
}

inline void tie_ends(grbda::LoopType type, const std::string& predecessor, const Eigen::Vector3d& at,
                     const std::string& successor, grbda::RobotDescription& robot) {
    grbda::LoopDescription loop;
    loop.name = "tie";
    loop.type = type;
    loop.predecessor = predecessor;
    loop.successor = successor;
    loop.predecessor_origin.translation = at;
    loop.successor_origin.translation = {1, 0, 0};
    loop.axis = Eigen::Vector3d::UnitY();
    robot.loops.push_back(loop);
}

/// Closed at q = 0: along a regular polygon, or both chains side by side. `joints` is even.
inline grbda::RobotDescription chain(int joints, Tie tie) {
    grbda::RobotDescription robot;
    robot.name = "long_chain";
    robot.links.push_back({"base", std::nullopt, {}});
    const Eigen::Vector3d end(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
    if (tie == Tie::out_and_back) {
        for (int i = 0; i < joints; ++i)
            add_link(i, i < 2 ? "base" : link(i - 2), i < 2 ? Eigen::Vector3d(0, 0, 0) : end, 0, y, robot);
        tie_ends(grbda::LoopType::revolute, link(joints - 2), end, link(joints - 1), robot);
        return robot;
    }
    const double turn = 2 * M_PI / (joints + 1);
    for (int i = 0; i < joints; ++i)
        add_link(i, i == 0 ? "base" : link(i - 1), i == 0 ? Eigen::Vector3d(0, 0, 0) : end, turn,
                 tie == Tie::spherical && i % 2 == 1 ? z : y, robot);
    if (tie == Tie::coupling) {
        grbda::LinearRelation sum;
        for (int i = 0; i < joints; ++i) sum.terms.push_back({joint(i), i % 2 == 0 ? 1. : -1., {}});
        robot.couplings.push_back({"tie", sum, {}});
    } else {
        tie_ends(tie == Tie::spherical ? grbda::LoopType::spherical : grbda::LoopType::revolute, "base",
                 {-1, 0, 0}, link(joints - 1), robot);
    }
    return robot;
}

}  // namespace long_chain
