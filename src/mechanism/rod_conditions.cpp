#include "rod_conditions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <Eigen/Geometry>

#include "steps.hpp"
#include "touchable.hpp"

namespace grbda::mechanism {
namespace {

/// Sine of the least angle between the line of a rod and the axis of its universal joint, at zero: which side
/// of that axis the rod is on must be clear.
constexpr double least_sine = 1e-6;

/// "6e-3"
std::string short_misfit(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1g", x);
    return text;
}

/// Names an effect that the joint of a body has besides turning it; empty without one.
std::string extra_of(const MechanismBody& body) {
    if (!body.damping.is_zero()) return "damping";
    if (!body.friction.is_zero()) return "friction";
    if (!body.stiffness.is_zero()) return "a spring";
    if (body.armature != 0) return "an armature";
    if (body.actuated) return "a motor";
    if (body.servo) return "a servo";
    if (body.independent) return "a statement of its independence";
    if (std::isfinite(body.limits.lower) || std::isfinite(body.limits.upper)) return "limits";
    return body.combined ? "a coordinate of its own" : "";
}

/// The condition on joints, shapes and forces that a link with ball joints misses; empty: none.
std::string obstacle(const Mechanism& mechanism, const RodUses& uses, const RodChain& chain) {
    for (const int i : links_of(chain)) {
        const MechanismBody& body = mechanism.bodies[i];
        const bool slide = chain.slides && i == chain.second;  // its joint stays
        const std::string extra = slide ? "" : extra_of(body);
        if (!extra.empty()) return "joint '" + body.joint + "' has " + extra;
        if (uses.referred[i] && !slide)
            return "a coupling, tendon or list of coordinates names joint '" + body.joint + "'";
        if (uses.touched[i]) return "link '" + body.name + "' has shapes to be touched";
        if (!body.gravity_compensation.empty()) return "link '" + body.name + "' has gravity compensation";
    }
    if (chain.a.carrier == chain.b.carrier) return "both ends are on one link";
    if (loops_of(chain).size() != 1) return "the spanning tree passes through it";
    for (const RodEnd* end : {&chain.a, &chain.b})
        if (end->freedoms > 3)
            return "one end turns about " + std::to_string(end->freedoms) + " axes, a ball about 3";
    return {};
}

/// Largest moment of a link about axes through its centre of mass.
double largest_moment(const Line& line) { return std::max(line.transverse, line.axial); }

/// Says how a rod fails to be symmetric, and by how much; empty if it is symmetric.
std::string asymmetry(const Line& line) {
    if (!(line.offset <= rod_tolerance * line.length))
        return "its centre of mass is off the line between its ends by " +
               short_misfit(line.offset / line.length) + " of its length";
    if (!(line.misfit <= rod_tolerance * largest_moment(line)))
        return "its inertia is not symmetric about the line between its ends, " +
               short_misfit(line.misfit / largest_moment(line));
    if (line.center < 0 || line.center > line.length) return "its centre of mass lies beyond its ends";
    return {};
}

/// Says how the axes of the universal joint of a rod are not as its spin needs them; empty if they are.
std::string skewness(const RodEnds& ends) {
    if (ends.joint != RodJoint::universal) return {};
    const Eigen::Vector3d in_rod = ends.a.axis(0), in_carrier = ends.a.axis(1);
    const double skew = std::max(std::abs(in_rod.dot(in_carrier)), std::abs(in_rod.dot(ends.line.direction)));
    if (!(skew <= rod_tolerance))
        return "the axes of its universal joint are not at right angles to each other and to its line, " +
               short_misfit(skew);
    if (!(in_carrier.cross(ends.line.direction).norm() > least_sine))
        return "its line is along an axis of its universal joint at zero";
    return {};
}

/// Says why two links on a slide are no strut; empty if they are one.
std::string reason_against_strut(const Mechanism& mechanism, const RodChain& chain, const RodEnds& ends) {
    if (ends.joint == RodJoint::ball) return "both its ends are balls, which leave its spin free";
    const MechanismBody& slide = mechanism.bodies[chain.second];
    const double skew = (slide.placement.rotation * slide.axis).cross(ends.line.direction).norm();
    if (!(skew <= rod_tolerance))
        return "its slide is not along the line between its ends, " + short_misfit(skew);
    const double misfit = misfit_of_strut(mechanism, ends);
    // with a universal joint, it may also be half a turn about its line away, which moves otherwise
    if (ends.joint == RodJoint::universal && misfit > 0)
        return "its inertia is not symmetric about the line between its ends, " + short_misfit(misfit);
    const double sign = slide_sign(mechanism, chain, ends);
    for (const double limit : {slide.limits.lower, slide.limits.upper})
        if (std::isfinite(limit) && !(ends.line.length + sign * limit > 0))
            return "its ends meet within the limits of its slide";
    return {};
}

}  // namespace

RodUses::RodUses(const Mechanism& mechanism)
    : referred(mechanism.bodies.size(), 0), touched(touchable_bodies(mechanism)) {
    for (const MechanismCoupling& coupling : mechanism.couplings)
        for (const MechanismTerm& term : coupling.terms) referred[term.body] = 1;
    for (const MechanismTendon& tendon : mechanism.tendons)
        for (const MechanismTerm& term : tendon.terms) referred[term.body] = 1;
    for (const int body : mechanism.coordinates) referred[body] = 1;
}

bool resembles_rod(const Mechanism& mechanism, const RodUses& uses, const RodChain& chain) {
    const bool has_revolute_end = std::min(chain.a.freedoms, chain.b.freedoms) == 1;
    return chain.slides || !has_revolute_end || obstacle(mechanism, uses, chain).empty();
}

std::string reason_to_stay(const Mechanism& mechanism, const RodUses& uses, const RodChain& chain) {
    const std::string found = obstacle(mechanism, uses, chain);
    if (!found.empty()) return found;
    const RodEnds ends = ends_of(mechanism, chain);
    if (!(ends.line.length > 0)) return "its ends are one point";
    if (ends.a.ball.has_parallel_axes || ends.b.ball.has_parallel_axes)
        return "axes at one end are nearly parallel";
    const double gap = std::max(ends.a.ball.gap, ends.b.ball.gap);
    if (!(gap <= rod_tolerance * ends.line.length))
        return "axes at one end miss each other by " + short_misfit(gap / ends.line.length) +
               " of its length";
    const std::string skew = skewness(ends);
    if (!skew.empty()) return skew;
    return chain.slides ? reason_against_strut(mechanism, chain, ends) : asymmetry(ends.line);
}

}  // namespace grbda::mechanism
