#pragma once

#include "grbda/mechanism.hpp"
#include "rod_chain.hpp"

// The ends of a link like a rod, and the inertia of its link or links along the line between them.

namespace grbda::mechanism {

/// An inertia along the line between two points, in its axes.
struct Line {
    Line(const Inertial& inertial, const Eigen::Vector3d& a, const Eigen::Vector3d& b);

    double length;
    Eigen::Vector3d direction;
    double center, offset;  ///< of the centre of mass: along the line from A, and off it
    double transverse, axial, misfit;
};

/// One end of a rod.
struct End {
    const RodEnd* joints;
    int body;  ///< of the rod, or of its half, that is at this end
    RodBall ball;
    Pose half;  ///< of that body, in the rod's first body

    Eigen::Vector3d point() const { return half.translation + half.rotation * ball.in_rod; }
    Eigen::Vector3d axis(std::size_t i) const { return half.rotation * ball.axes[i]; }
    /// The pose of the body in axes of the first one, from the end.
    Pose body_from_end() const { return {half.rotation, half.translation - point()}; }
    Eigen::Matrix3d first_in_carrier() const { return ball.rod.rotation * half.rotation.transpose(); }
    /// Moves the point along the axis of a revolute joint, to where it is nearest to `other`.
    void move_towards(const Eigen::Vector3d& other);
};

/// The ends of a rod, in its first body: A is the universal or revolute joint if there is one, otherwise that
/// on the spanning tree's side. A slide is at zero.
struct RodEnds {
    End a, b;
    Line line;       ///< of a strut: of its cylinder
    RodJoint joint;  ///< at A

    /// The axis of that joint that is fixed in the carrier.
    Eigen::Vector3d axis_in_carrier() const {
        return (a.first_in_carrier() * a.axis(joint == RodJoint::universal ? 1 : 0)).normalized();
    }
};
RodEnds ends_of(const Mechanism& mechanism, const RodChain& chain);

/// The inertia of the body at one end of a strut, in axes of its first body, from that end.
Inertial inertia_from(const Mechanism& mechanism, const End& end);
/// The piston of a strut, from its end.
Line piston_of(const Mechanism& mechanism, const RodEnds& ends);
/// By how much cylinder and piston fail to be symmetric about the line, relative; 0 within the tolerance.
double misfit_of_strut(const Mechanism& mechanism, const RodEnds& ends);
/// Sign with which the position of the slide of a strut adds to its length.
double slide_sign(const Mechanism& mechanism, const RodChain& chain, const RodEnds& ends);

}  // namespace grbda::mechanism
