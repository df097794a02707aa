#pragma once

#include <string>

#include "grbda/joint_types.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/range.hpp"

// Model::joint(), link() and frame() return these indices and ranges. They search the names and allocate:
// call them at setup, and keep the ranges.

namespace grbda {

/// Indices of one joint in the vectors of the robot.
struct CoordinateRanges {
    Range q;  ///< positions, in q [nq]; a quaternion has one more entry than velocities
    Range v;  ///< velocities, in q̇ [nv_tree]
    Range y;  ///< its independent velocities, in ẏ, ÿ and τ [nv], in the coordinates that the model chose:
              ///< empty if other joints determine it
};

/// A joint that moves a body.
struct NamedJoint : CoordinateRanges {
    std::string name;
    JointType type = JointType::fixed;
    int index = 0;            ///< of its body in Model::bodies; the same in limits and names.joints
    int parent = world;       ///< index of the body that carries it
    int cluster = 0;          ///< index in Model::clusters
    std::string parent_link;  ///< topmost link of the parent; if that is the world, the root link, or empty
                              ///< with a floating base
    std::string child_link;   ///< topmost link of the body that it moves
};

/// A link or another frame, which is fixed in a body, in a rod or in the world.
/// The ranges are those of the joint that moves its body; for a rod or the world they are empty.
struct NamedFrame : CoordinateRanges {
    std::string name;
    int index = 0;        ///< in Model::frames; argument of frame_position(), frame_jacobian() and others
    int body = world;     ///< in Model::bodies and columns of Wrenches; rods: Structure::carrier_count()
    int cluster = world;  ///< cluster of its body or rod, in Model::clusters
    std::string joint;    ///< name of the joint that moves its body; empty for a rod or the world
};

}  // namespace grbda
