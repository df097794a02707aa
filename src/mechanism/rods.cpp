#include <algorithm>
#include <cmath>
#include <cstdio>

#include <Eigen/Geometry>

#include "description/rules.hpp"
#include "rod_chain.hpp"
#include "steps.hpp"

// Rods: links between two balls, or a universal joint and a ball, that are symmetric about the line through
// these. Such a link moves as its ends do, so that it needs no coordinates: a `distance` loop replaces its
// joints. Which links are rods, and what becomes of the mechanism without them.

namespace grbda {
namespace {

using detail::RodBall;
using detail::RodChain;
using detail::RodEnd;

/// As for rotors: figures that agree in all printed digits.
constexpr double rod_tolerance = 1e-9;
/// Sine of the least angle between the line of a rod and the axis of its universal joint, at zero: which side
/// of that axis the rod is on must be clear.
constexpr double least_sine = 1e-6;

/// "6e-3"
std::string short_misfit(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1g", x);
    return text;
}

/// Bodies of a rod: its own and those between it and its ends.
std::vector<int> links_of(const RodChain& chain) {
    std::vector<int> links{chain.first};
    if (chain.weld >= 0) links.push_back(chain.second);
    for (const RodEnd* end : {&chain.a, &chain.b})
        links.insert(links.end(), end->links.begin(), end->links.end());
    return links;
}

/// Loops that a rod's joints close.
std::vector<int> loops_of(const RodChain& chain) {
    std::vector<int> loops;
    if (chain.weld >= 0) loops.push_back(chain.weld);
    for (const RodEnd* end : {&chain.a, &chain.b})
        for (const detail::ChainJoint& joint : end->joints)
            if (joint.loop >= 0) loops.push_back(joint.loop);
    return loops;
}

/// Bodies whose joint something else refers to, and bodies with shapes or spheres that touch others.
struct Uses {
    explicit Uses(const Mechanism& mechanism)
        : referred(mechanism.bodies.size(), 0), touched(mechanism.bodies.size(), 0) {
        for (const MechanismCoupling& coupling : mechanism.couplings)
            for (const MechanismTerm& term : coupling.terms) referred[term.body] = 1;
        for (const MechanismTendon& tendon : mechanism.tendons)
            for (const MechanismTerm& term : tendon.terms) referred[term.body] = 1;
        for (const int body : mechanism.coordinates) referred[body] = 1;
        for (const MechanismShape& shape : mechanism.shapes)
            if (shape.shape.collision && shape.body != world) touched[shape.body] = 1;
        for (const MechanismSpheres& spheres : mechanism.self_collision.groups)
            if (const int body = mechanism.frames[spheres.frame].body; body != world) touched[body] = 1;
    }
    Table<char> referred, touched;
};

/// Names an effect that the joint of a body has besides turning it; empty without one.
std::string extra_of(const MechanismBody& body) {
    if (!body.damping.is_zero()) return "damping";
    if (!body.friction.is_zero()) return "friction";
    if (!body.stiffness.is_zero()) return "a spring";
    if (body.armature != 0) return "an armature";
    if (body.actuated) return "a motor";
    if (body.independent) return "a statement of its independence";
    if (std::isfinite(body.limits.lower) || std::isfinite(body.limits.upper)) return "limits";
    return body.combined ? "a coordinate of its own" : "";
}

/// The condition on joints, shapes and forces that a link with ball joints misses; empty: none.
std::string obstacle(const Mechanism& mechanism, const Uses& uses, const RodChain& chain) {
    for (const int i : links_of(chain)) {
        const MechanismBody& body = mechanism.bodies[i];
        const std::string extra = extra_of(body);
        if (!extra.empty()) return "joint '" + body.joint + "' has " + extra;
        if (uses.referred[i])
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

/// A rod's inertia along the line between its ends, in the axes of its first body.
struct Line {
    Line(const Inertial& inertial, const Eigen::Vector3d& a, const Eigen::Vector3d& b)
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
    double length;
    Eigen::Vector3d direction;
    double center, offset;  ///< of the centre of mass: along the line from A, and off it
    double transverse, axial, misfit;
};

/// Says how a rod fails to be symmetric, and by how much; empty if it is symmetric.
std::string asymmetry(const Line& line) {
    if (!(line.offset <= rod_tolerance * line.length))
        return "its centre of mass is off the line between its ends by " +
               short_misfit(line.offset / line.length) + " of its length";
    const double scale = std::max(line.transverse, line.axial);
    if (!(line.misfit <= rod_tolerance * scale))
        return "its inertia is not symmetric about the line between its ends, " +
               short_misfit(line.misfit / scale);
    if (line.center < 0 || line.center > line.length) return "its centre of mass lies beyond its ends";
    return {};
}

/// One end of a rod.
struct End {
    const RodEnd* joints;
    RodBall ball;
    Pose half;  ///< of the body that it is on, in the rod's first body

    Eigen::Vector3d point() const { return half.translation + half.rotation * ball.in_rod; }
    Eigen::Vector3d axis(std::size_t i) const { return half.rotation * ball.axes[i]; }
    Eigen::Matrix3d first_in_carrier() const { return ball.rod.rotation * half.rotation.transpose(); }
};

/// The ends of a rod, in its first body: A is the universal joint if there is one, otherwise that on the
/// spanning tree's side.
struct Ends {
    End a, b;
    bool universal;
    Line line;
};

Ends ends_of(const Mechanism& mechanism, const RodChain& chain) {
    End a{&chain.a, detail::ball_of(mechanism, chain.a), {}},
        b{&chain.b, detail::ball_of(mechanism, chain.b), detail::second_in_first(mechanism, chain)};
    if (chain.b.freedoms == 2) std::swap(a, b);
    return {a, b, a.joints->freedoms == 2, Line(detail::rod_inertia(mechanism, chain), a.point(), b.point())};
}

/// Says how the axes of the universal joint of a rod are not as its spin needs them; empty if they are.
std::string skewness(const Ends& ends) {
    if (!ends.universal) return {};
    const Eigen::Vector3d in_rod = ends.a.axis(0), in_carrier = ends.a.axis(1);
    const double skew = std::max(std::abs(in_rod.dot(in_carrier)), std::abs(in_rod.dot(ends.line.direction)));
    if (!(skew <= rod_tolerance))
        return "the axes of its universal joint are not at right angles to each other and to its line, " +
               short_misfit(skew);
    if (!(in_carrier.cross(ends.line.direction).norm() > least_sine))
        return "its line is along an axis of its universal joint at zero";
    return {};
}

/// Why a link stays a body; empty: it is a rod.
std::string reason_to_stay(const Mechanism& mechanism, const Uses& uses, const RodChain& chain) {
    const std::string found = obstacle(mechanism, uses, chain);
    if (!found.empty()) return found;
    const Ends ends = ends_of(mechanism, chain);
    if (!(ends.line.length > 0)) return "its ends are one point";
    if (ends.a.ball.has_parallel_axes || ends.b.ball.has_parallel_axes)
        return "axes at one end are nearly parallel";
    const double gap = std::max(ends.a.ball.gap, ends.b.ball.gap);
    if (!(gap <= rod_tolerance * ends.line.length))
        return "axes at one end miss each other by " + short_misfit(gap / ends.line.length) +
               " of its length";
    const std::string skew = skewness(ends);
    return skew.empty() ? asymmetry(ends.line) : skew;
}

/// The loop that a rod becomes: in place of that which it closed, whose name it keeps.
MechanismLoop rod_loop(const MechanismLoop& closed, const Ends& ends) {
    MechanismLoop loop;
    loop.name = closed.name;
    loop.type = LoopType::distance;
    loop.predecessor = ends.a.joints->carrier;
    loop.successor = ends.b.joints->carrier;
    loop.predecessor_placement.translation = ends.a.ball.in_carrier;
    loop.successor_placement.translation = ends.b.ball.in_carrier;
    loop.length = ends.line.length;
    loop.where = closed.where;
    return loop;
}

MechanismRod make_rod(const Mechanism& mechanism, const RodChain& chain, const Ends& ends) {
    const MechanismBody& first = mechanism.bodies[chain.first];
    MechanismRod rod;
    rod.name = first.name;
    rod.loop = loops_of(chain).front();
    rod.mass = detail::rod_inertia(mechanism, chain).mass;
    rod.center = ends.line.center / ends.line.length;
    rod.transverse = ends.line.transverse;
    rod.axial = ends.line.axial;
    rod.placement = {ends.a.first_in_carrier(), ends.a.ball.in_carrier};
    rod.direction = ends.line.direction;
    if (ends.universal) rod.axis = (ends.a.first_in_carrier() * ends.a.axis(1)).normalized();
    rod.where = first.where;
    for (const int i : links_of(chain)) {
        rod.joints.push_back(mechanism.bodies[i].joint);
        rod.links.push_back(mechanism.bodies[i].name);
    }
    return rod;
}

/// Takes the bodies of rods out of a mechanism.
class Reduction {
public:
    explicit Reduction(const Mechanism& full)
        : full_(full), result_(full), place_(full.bodies.size()), carries_(full.bodies.size(), 0) {}

    /// Tells if a rod's end is on a link that is a rod already, or if it carries the end of one.
    bool meets_another(const RodChain& chain) const {
        const auto is_gone = [&](int body) { return body != world && place_[body].rod >= 0; };
        const std::vector<int> links = links_of(chain);
        return is_gone(chain.a.carrier) || is_gone(chain.b.carrier) ||
               std::any_of(links.begin(), links.end(), [&](int link) { return carries_[link] != 0; });
    }

    void add(const RodChain& chain) {
        const Ends ends = ends_of(full_, chain);
        const int index = static_cast<int>(result_.rods.size());
        const MechanismRod rod = make_rod(full_, chain, ends);
        result_.loops[rod.loop] = rod_loop(full_.loops[rod.loop], ends);
        const Pose first{Eigen::Matrix3d::Identity(), -ends.a.point()};
        const Pose second = first * detail::second_in_first(full_, chain);
        put(chain.first, index, first);
        if (chain.weld >= 0) put(chain.second, index, second);
        for (const int link : ends.a.joints->links) put(link, index, {});
        for (const int link : ends.b.joints->links)
            put(link, index, {Eigen::Matrix3d::Identity(), ends.b.point() - ends.a.point()});
        for (const int carrier : {chain.a.carrier, chain.b.carrier})
            if (carrier != world) carries_[carrier] = 1;
        result_.rods.push_back(rod);
    }

    /// The rod that a distance loop with an inertial is. It takes no body out.
    void add(int index) {
        const MechanismLoop& loop = full_.loops[index];
        const Eigen::Vector3d way = from_predecessor(loop);
        const Line line(*loop.inertial, Eigen::Vector3d::Zero(), {0, 0, loop.length});
        MechanismRod rod;
        rod.name = loop.name;
        rod.loop = index;
        rod.mass = loop.inertial->mass;
        rod.center = line.center / line.length;
        rod.transverse = line.transverse;
        rod.axial = line.axial;
        rod.placement = {way.norm() > 0 ? rotation_of_z(way) : Eigen::Matrix3d::Identity(),
                         loop.predecessor_placement.translation};
        rod.direction = Eigen::Vector3d::UnitZ();
        rod.where = loop.where;
        result_.rods.push_back(rod);
    }

    void keep(const RodChain& chain, std::string reason) {
        result_.near_rods.push_back({full_.bodies[chain.first].name, std::move(reason)});
    }

    Mechanism take() {
        if (!result_.rods.empty()) renumber();
        return std::move(result_);
    }

private:
    /// The new number of a body of the full mechanism, or its rod and its pose in it.
    struct Place {
        int body = world, rod = -1;
        Pose in_rod;
    };
    void put(int body, int rod, const Pose& pose) { place_[body] = {world, rod, pose}; }

    /// From P to Q of a loop in the predecessor's axes, all joints at zero.
    Eigen::Vector3d from_predecessor(const MechanismLoop& loop) const {
        const auto at_zero = [&](int body, Pose placement) {
            for (; body != world; body = full_.bodies[body].parent)
                placement = full_.bodies[body].placement * placement;
            return placement;
        };
        const Pose P = at_zero(loop.predecessor, {}), Q = at_zero(loop.successor, loop.successor_placement);
        return P.rotation.transpose() * (Q.translation - P.translation) -
               loop.predecessor_placement.translation;
    }

    void renumber() {
        Table<MechanismBody> bodies;
        for (std::size_t i = 0; i < full_.bodies.size(); ++i) {
            if (place_[i].rod >= 0) continue;
            place_[i].body = static_cast<int>(bodies.size());
            bodies.push_back(full_.bodies[i]);
            bodies.back().parent = body(bodies.back().parent);
        }
        result_.bodies = std::move(bodies);
        for (MechanismLoop& loop : result_.loops) {
            loop.predecessor = body(loop.predecessor);
            loop.successor = body(loop.successor);
        }
        for (MechanismCoupling& coupling : result_.couplings) renumber(coupling.terms);
        for (MechanismTendon& tendon : result_.tendons) renumber(tendon.terms);
        for (int& coordinate : result_.coordinates) coordinate = body(coordinate);
        for (MechanismFrame& frame : result_.frames) carry(frame.body, frame.placement);
        for (MechanismShape& shape : result_.shapes) carry(shape.body, shape.placement);
        for (MechanismSensor& sensor : result_.sensors) carry(sensor.body, sensor.placement);
        for (const MechanismRod& rod : result_.rods) forget(rod);
    }
    int body(int of_full) const { return of_full == world ? world : place_[of_full].body; }
    void renumber(std::vector<MechanismTerm>& terms) const {
        for (MechanismTerm& term : terms) term.body = body(term.body);
    }
    void carry(int& of_full, Pose& placement) const {
        if (of_full == world) return;
        const Place& place = place_[of_full];
        if (place.rod >= 0) placement = place.in_rod * placement;
        of_full = place.rod < 0 ? place.body : static_cast<int>(result_.bodies.size()) + place.rod;
    }
    /// Positions of joints that have no coordinates.
    void forget(const MechanismRod& rod) {
        for (const std::string& joint : rod.joints) {
            result_.start.erase(joint);
            for (MechanismState& state : result_.states) state.positions.erase(joint);
        }
    }

    const Mechanism& full_;
    Mechanism result_;
    Table<Place> place_;
    Table<char> carries_;  ///< bodies of the full mechanism: an end of a rod is on it
};

}  // namespace

Mechanism reduce_rods(const Mechanism& mechanism, bool links) {
    Reduction reduction(mechanism);
    const Table<MechanismLoop>& loops = mechanism.loops;
    for (int l = 0; l < static_cast<int>(loops.size()); ++l)
        if (loops[l].inertial) reduction.add(l);
    if (!links) return reduction.take();
    const Uses uses(mechanism);
    for (const RodChain& chain : detail::find_rod_chains(mechanism)) {
        std::string reason = reason_to_stay(mechanism, uses, chain);
        if (reason.empty() && reduction.meets_another(chain)) reason = "one end is on another rod";
        if (reason.empty())
            reduction.add(chain);
        else
            reduction.keep(chain, std::move(reason));
    }
    return reduction.take();
}

}  // namespace grbda
