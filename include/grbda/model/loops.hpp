#pragma once

#include "grbda/joint_types.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

// Loops, couplings and rods of a compiled robot: one record each, with its own numbers, since passes read
// both at once.

namespace grbda {

/// A link between two ball joints, or a ball joint and a universal or revolute joint at A, symmetric about
/// the line through them: its ends A and B, which are P and Q of its loop, determine its motion. Parts of its
/// mass are merged into the bodies of its ends; the rest of its kinetic energy is −½ coupling |v_B − v_A|²,
/// and unless A is a ball ½ axial ω_s² of its spin about the line, which the bodies at its ends determine.
struct Rod {
    int loop = 0;  ///< in Structure::loops
    int cluster = 0;
    double coupling = 0;               ///< m_AB, kg
    double mass = 0, length = 0;       ///< kg, m
    double center = 0;                 ///< fraction of the length from A to the centre of mass
    double transverse = 0, axial = 0;  ///< moments of inertia about the centre, across and along the line
    double spin_momentum = 0;          ///< I_s ω_s between two balls, kg·m²/s: a constant of every motion
    Vector3<double> line;              ///< from A to B at zero of its joints, unit, in the body of A
    Matrix3<double> rotation;          ///< its axes at that configuration, in the body of A
    RodJoint joint = RodJoint::ball;   ///< at A; at B is a ball
    Vector3<double> axis;              ///< of this joint, unit, fixed in the body of A; of a ball any
    int strut = -1;                    ///< in Structure::struts; −1: its length is constant
    Range terms;                       ///< in Structure::rod_terms
    int source = 0;                    ///< index in Mechanism::rods

    /// The direction in the body of A that its turn about the line refers to.
    const Vector3<double>& reference() const { return guided() ? axis : line; }
    /// True if the bodies at its ends determine its spin.
    bool guided() const { return joint != RodJoint::ball; }
};

/// Two links on a slide along the line of a rod, the cylinder at A and the piston at B. Their masses are
/// merged into the bodies of these ends; `coupling` and `center` of the rod do not count. Numbers are in axes
/// along the line, across it and the axis of the joint at A, and across both.
struct Strut {
    int rod = 0;  ///< in Structure::rods
    bool symmetric =
        false;          ///< about the line: only first components and two moments of inertia are not zero
    double misfit = 0;  ///< of the symmetry, relative
    Vector3<double> h_a, h_b;  ///< first moments of the cylinder about A and of the piston about B
    Symmetric3<double> theta;  ///< sum of their inertias about A and B
};

/// A velocity of a rod's cluster that moves one or both of its ends.
struct RodTerm {
    int dof = 0;
    bool moves_a = false, moves_b = false;
};

/// One signed column of a loop: the joint `dof` moves Q (+1) or P (−1).
struct LoopTerm {
    int dof = 0;
    double sign = 1;
};

/// An end of a loop: a frame fixed in a body. Its x axis is the loop's.
struct LoopEnd {
    int body = world;
    Vector3<double> position;  ///< in the body
    Matrix3<double> rotation;
    int slot = -1;  ///< first slot of its rows that are passed on; −1: in the world
};

/// Loop joint with its rows.
struct Loop {
    LoopType type = LoopType::revolute;
    LoopEnd predecessor, successor;  ///< frames P and Q
    double constant = 0;             ///< distance: length; screw: pitch; angle: cosine of the axes
    int rows_begin = 0;              ///< in Structure::loop_rows
    int rows = 0;                    ///< rows that are kept; structurally zero ones are dropped
    int lengths = 0;                 ///< number of rows that measure a length: they come first
    int row = 0;                     ///< first row in K
    Range terms;
    int source = 0;       ///< index in Catalogue::names.loops
    bool across = false;  ///< distance: as MechanismLoop::across
    int slide = -1;       ///< distance: dof of a slide that adds to the length; −1: none
    int slide_q = -1;     ///< and its place in q
    double slide_sign = 1;

    /// Rows as written, of which some may be dropped.
    constexpr Few<LoopRow> written_rows() const {
        const LoopRow length{slide < 0 ? RowKind::distance : RowKind::length};
        if (across) return {length, {RowKind::along, 0}};
        if (slide >= 0) return {length};
        return facts(type).rows;
    }
};

/// A term of a coupling.
struct CouplingTerm {
    int dof = 0;
    int q = 0;
    double coefficient = 1;
};

/// One row Σ coefficient · q + offset = 0. A polynomial row has two terms,
/// follower and leader, with coefficients 1 and −1; the leader's coefficient
/// multiplies Σ cᵢ (q − reference)ⁱ instead of q; the offset is in c₀.
struct Coupling {
    int row = 0;
    Range terms;
    double offset = 0;
    Range polynomial;  ///< in Constants::polynomials: c₀, c₁, …; none: linear
    double reference = 0;
    int source = 0;  ///< index in Catalogue::names.couplings
    bool linear() const { return polynomial.empty(); }
};

/// A body of a linkage, in the plane's axes x, y and n at the angle of its joint.
struct Link {
    int parent = 0;   ///< its index: 0 is the body that carries the cluster, i + 1 is body i of the cluster
    double sign = 1;  ///< of the joint's axis along n
    double loop_sign = 0;             ///< of its velocity in K: 0 if the loop does not contain its joint
    double x = 0, y = 0;              ///< its joint relative to its parent's, or to the plane's origin
    double height = 0;                ///< of its origin above the plane
    Vector3<double> com;              ///< relative to its joint, with its height above the plane
    double moment = 0;                ///< of inertia about the centre of mass, along n
    Vector3<double> middle, largest;  ///< as in Body
    Matrix3<double> rotation;         ///< of the body
};

inline constexpr int largest_linkage = 5;  ///< bodies
/// A planar cluster with up to three independent velocities: revolute joints about parallel axes, without
/// rotors, and one loop with two rows in the plane.
struct Linkage {
    Matrix3<double> axes;                ///< x, y and n of the plane in the body that carries the cluster
    Vector3<double> origin;              ///< of the plane: that of the first body
    int predecessor = 0, successor = 0;  ///< indices of the loop's end bodies
    double x = 0, y = 0;                 ///< of the origin of Q, relative to the successor's joint
    bool planar_dynamics = false;        ///< on the world, with nothing attached: all its dynamics is planar
    Link links[largest_linkage + 1];     ///< by index
};

}  // namespace grbda
