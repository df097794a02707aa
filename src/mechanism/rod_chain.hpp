#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grbda/mechanism.hpp"

// Links like rods in a mechanism: a body, or two that a fixed loop welds together or that a slide joins,
// between two chains of joints whose axes meet in a point.

namespace grbda::mechanism {

/// A joint between two bodies, of the spanning tree or of a loop, passed from the near body to the far one.
struct ChainJoint {
    int loop = -1;  ///< among Mechanism::loops; −1: the joint of body `body`
    int body = -1;
    int far = world;
};

/// From a rod to the body that carries its end.
struct RodEnd {
    int carrier = world;
    std::vector<ChainJoint> joints;  ///< from the rod on
    std::vector<int> links;          ///< between them, without mass
    int freedoms = 0;                ///< 3: a ball joint
};

/// A body, or two welded ones, with both ends.
struct RodChain {
    int first = world;    ///< body that hangs on end A by the spanning tree
    int second = world;   ///< the other half; `first` if the rod is one body
    int weld = -1;        ///< loop between the halves
    bool slides = false;  ///< the joint of `second` is a slide on `first`: a strut
    RodEnd a, b;
};

/// Bodies of a rod: its own and those between it and its ends.
std::vector<int> links_of(const RodChain& chain);
/// Loops that a rod's joints close.
std::vector<int> loops_of(const RodChain& chain);

/// All chains with one end that turns about three axes, and the other about one at least; with whatever else
/// their links have.
std::vector<RodChain> find_rod_chains(const Mechanism& mechanism);

/// The joints of an end as one ball, universal or revolute joint: where its centre is.
struct RodBall {
    Eigen::Vector3d in_carrier, in_rod;
    double gap = 0;  ///< largest distance of an axis from it
    Pose rod;        ///< in the carrier, at some positions of the joints; of tree joints at zero
    bool has_parallel_axes = false;     ///< two in a row are nearly parallel
    std::vector<Eigen::Vector3d> axes;  ///< in the rod at these positions, that which is fixed in it first
};
RodBall ball_of(const Mechanism& mechanism, const RodEnd& end);

/// The inertia of a rod of constant length in the axes of its first body.
Inertial rod_inertia(const Mechanism& mechanism, const RodChain& chain);
/// The second half in the first one's frame, welded, or with its slide at zero.
Pose second_in_first(const Mechanism& mechanism, const RodChain& chain);

}  // namespace grbda::mechanism
