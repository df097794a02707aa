#pragma once

#include "grbda/joint_types.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

// Bodies and rotors of a compiled robot.
//
// Indices. There are three numberings. Bodies (and the tree joints that move them) are in pass order: parents
// before children, clusters contiguous, the reduced rotors of a cluster last. `dof` counts spanning
// velocities in that same order. The user's order is depth-first as in the file: q, q̇ (`Body::q`, `Body::v`)
// and y, its independent part; joints that a side file lists take their places in y in the order of that
// list.

namespace grbda {

/// Rotation axis of a joint: a coordinate axis of a joint frame that is parallel
/// to the parent's frame, as for most joints of most robots, or a general one.
enum class Turn { general, about_x, about_y, about_z };

/// Form of a body's inertia in the passes of C-ABA. In a tree cluster it includes the bodies further out.
enum class InertiaKind : unsigned char {
    none,         ///< no inertia, no rotor on it, and no cluster or body attached
    rigid,        ///< no cluster attached, and its own is direct, general or a tree: 10 numbers
    articulated,  ///< 21 numbers
    about_joint   ///< 21 numbers about the joint, of light bodies far out, which lose digits elsewhere
};

/// The file's statement on whether a joint's velocity is independent.
enum class Mark : unsigned char { none, independent, dependent };

/// A moving body and the tree joint that moves it.
struct Body {
    JointType joint = JointType::revolute;
    bool rotor = false;  ///< reduced to a gyrostat of its carrier: no kinematics in the passes
    int parent = world;
    int cluster = 0;
    int q = 0;    ///< first position in q
    int v = 0;    ///< first velocity in q̇
    int dof = 0;  ///< first velocity in pass order
    int y = -1;   ///< of a joint cluster: index of its velocity in Structure::independent

    Turn turn = Turn::general;
    double turn_sign = 1;      ///< of the axis, if the rotation is about a coordinate axis
    int angle = -1;            ///< of the rotation, in Structure::angles; −1: none, or a reduced rotor's
    Vector3<double> position;  ///< joint origin in the parent body
    Matrix3<double> rotation;  ///< joint frame in the parent body: T
    Matrix3<double> turn_cos;  ///< rotation by θ about the axis: T + (cos θ − 1) turn_cos + sin θ turn_sin
    Matrix3<double> turn_sin;
    Vector3<double> axis;   ///< in the parent body; planar: the normal
    Vector3<double> axis2;  ///< universal: in the child body; in the parent body: planar: direction of x,
                            ///< helical: displacement along the axis per radian
    Vector3<double> axis3;  ///< planar: direction of y in the parent body

    // including the rotors on the body; inertia about the centre of mass = inertia · 1 + middle
    // middleᵀ + largest largestᵀ: excess of the other two principal moments, along their axes
    double mass = 0;
    Vector3<double> com;  ///< in the body frame
    double inertia = 0;   ///< smallest principal moment
    Vector3<double> middle, largest;
    InertiaKind inertia_kind = InertiaKind::articulated;
    bool carries_cluster = false;  ///< a cluster is attached to it, or to its descendants in its own cluster
    /// It and its descendants in its cluster have no mass, and none of them carries a rotor.
    bool massless = false;
};

/// The spin of a reduced rotor, whose mass and inertia are otherwise merged into its carrier.
struct Rotor {
    int body = 0;  ///< its own index among the bodies
    int carrier = world;
    bool carrier_in_cluster = false;
    int dof = 0;
    double axial_inertia = 0;
    Vector3<double> axis;  ///< in the carrier
};

}  // namespace grbda
