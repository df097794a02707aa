#include "rod_conditions.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace grbda::mechanism {
namespace {

/// By how much a link fails to be symmetric, relative; 0 within the tolerance.
double misfit_of(const Line& line, double length) {
    const double moment = std::max(line.transverse, line.axial), offset = line.offset / length,
                 misfit = moment > 0 ? line.misfit / moment : 0, largest = std::max(offset, misfit);
    return largest <= rod_tolerance ? 0 : largest;
}

}  // namespace

Line::Line(const Inertial& inertial, const Eigen::Vector3d& a, const Eigen::Vector3d& b)
    : length((b - a).norm()), direction((b - a) / length) {
    const Eigen::Vector3d to_center = inertial.com - a;
    center = direction.dot(to_center);
    offset = (to_center - center * direction).norm();
    const Eigen::Vector3d u = direction.unitOrthogonal(), v = direction.cross(u);
    const Eigen::Vector3d along = inertial.inertia * direction;
    const double first = u.dot(inertial.inertia * u), second = v.dot(inertial.inertia * v);
    transverse = 0.5 * (first + second);
    axial = direction.dot(along);
    misfit = std::max({std::abs(first - second), 2 * std::abs(u.dot(inertial.inertia * v)),
                       (along - axial * direction).norm()});
}

void End::move_towards(const Eigen::Vector3d& other) {
    const Eigen::Vector3d way = axis(0) * axis(0).dot(other - point());
    ball.in_rod += half.rotation.transpose() * way;
    ball.in_carrier += first_in_carrier() * way;
}

RodEnds ends_of(const Mechanism& mechanism, const RodChain& chain) {
    End a{&chain.a, chain.first, ball_of(mechanism, chain.a), {}},
        b{&chain.b, chain.second, ball_of(mechanism, chain.b), second_in_first(mechanism, chain)};
    if (chain.b.freedoms < 3) std::swap(a, b);
    const int freedoms = a.joints->freedoms;
    if (freedoms == 1) a.move_towards(b.point());
    const Inertial inertia =
        chain.slides ? placed(mechanism.bodies[a.body].inertia, a.half) : rod_inertia(mechanism, chain);
    return {a, b, Line(inertia, a.point(), b.point()),
            freedoms == 1   ? RodJoint::revolute
            : freedoms == 2 ? RodJoint::universal
                            : RodJoint::ball};
}

Inertial inertia_from(const Mechanism& mechanism, const End& end) {
    return placed(mechanism.bodies[end.body].inertia, end.body_from_end());
}

Line piston_of(const Mechanism& mechanism, const RodEnds& ends) {
    return {inertia_from(mechanism, ends.b), Eigen::Vector3d::Zero(), -ends.line.direction};
}

double misfit_of_strut(const Mechanism& mechanism, const RodEnds& ends) {
    const double length = ends.line.length;
    return std::max(misfit_of(ends.line, length), misfit_of(piston_of(mechanism, ends), length));
}

double slide_sign(const Mechanism& mechanism, const RodChain& chain, const RodEnds& ends) {
    const MechanismBody& slide = mechanism.bodies[chain.second];
    const bool moves_b = ends.b.body == chain.second;
    return (slide.placement.rotation * slide.axis).dot(ends.line.direction) * (moves_b ? 1 : -1) > 0 ? 1 : -1;
}

}  // namespace grbda::mechanism
