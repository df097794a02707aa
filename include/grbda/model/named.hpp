#pragma once

#include <string>

#include "grbda/joint_types.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/range.hpp"

// Model::joint(), link() and frame() return these indices and ranges. They search the names and allocate:
// call them at setup, and keep the ranges.

namespace grbda {

/// Numbers of one joint: a range of q, of q̇, and of y, ẏ, ÿ and τ.
struct CoordinateRanges {
    Range q;  ///< positions, in q [nq]; with a quaternion one more than velocities
    Range v;  ///< velocities, in q̇ [nv_tree]: the spanning tree
    Range y;  ///< its independent velocities, in ẏ, ÿ and τ [nv], in the coordinates that the model chose:
              ///< empty if other joints determine it
};

/// A joint that moves a body.
struct NamedJoint : CoordinateRanges {
    std::string name;
    JointType type = JointType::fixed;
    int index = 0;            ///< of the body that it moves, in Model::bodies, limits and names.joints
    int parent = world;       ///< index of the body that carries it
    int cluster = 0;          ///< in Model::clusters
    std::string parent_link;  ///< topmost one of the parent; in the world the root, or empty if it moves
    std::string child_link;   ///< topmost link of the body that it moves
};

/// A link or another frame, which is fixed in a body, in a rod or in the world.
/// The ranges are those of the joint that moves its body; for a rod or the world they are empty.
struct NamedFrame : CoordinateRanges {
    std::string name;
    int index = 0;        ///< in Model::frames: the argument of frame_position(), frame_jacobian() and others
    int body = world;     ///< in Model::bodies: its column of Wrenches; or a rod: Structure::carrier_count()
    int cluster = world;  ///< of its body or rod, in Model::clusters
    std::string joint;    ///< that moves its body; empty for a rod or the world
};

}  // namespace grbda
