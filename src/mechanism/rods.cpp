#include <algorithm>

#include <Eigen/Geometry>

#include "description/rules.hpp"
#include "rod_conditions.hpp"
#include "rod_reduction.hpp"
#include "steps.hpp"

// Rods: links between two balls, or a ball and a universal or revolute joint, that are symmetric about the
// line through these. Such a link moves as its ends do, so that it needs no coordinates: a `distance` loop
// replaces its joints. Struts are two links on a slide along that line, at a universal or revolute joint;
// their slide alone stays, as a length. Which links are rods, and what becomes of the mechanism without them.

namespace grbda {
namespace {

using mechanism::End;
using mechanism::RodChain;
using Ends = mechanism::RodEnds;

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
    loop.across = ends.joint == RodJoint::revolute;
    if (ends.joint != RodJoint::ball) loop.axis = ends.axis_in_carrier();
    loop.where = closed.where;
    return loop;
}

/// A strut in place of the two links of a rod.
void make_strut(const Mechanism& mechanism, const RodChain& chain, const Ends& ends, MechanismRod& rod) {
    MechanismStrut strut{inertia_from(mechanism, ends.a), inertia_from(mechanism, ends.b),
                         mechanism.bodies[ends.b.body].name, mechanism.bodies[chain.second].joint, 0};
    const mechanism::Line piston = piston_of(mechanism, ends);
    strut.misfit = misfit_of_strut(mechanism, ends);
    rod.name = mechanism.bodies[ends.a.body].name;
    rod.mass = strut.cylinder.mass + strut.piston.mass;
    rod.center = rod.mass > 0 ? strut.piston.mass / rod.mass : 0;
    rod.transverse = ends.line.transverse + piston.transverse;
    rod.axial = ends.line.axial + piston.axial;
    std::erase(rod.joints, strut.slide);
    rod.strut = std::move(strut);
}

MechanismRod make_rod(const Mechanism& mechanism, const RodChain& chain, const Ends& ends) {
    const MechanismBody& first = mechanism.bodies[chain.first];
    MechanismRod rod;
    rod.name = first.name;
    rod.loop = loops_of(chain).front();
    rod.mass = mechanism::rod_inertia(mechanism, chain).mass;
    rod.center = ends.line.center / ends.line.length;
    rod.transverse = ends.line.transverse;
    rod.axial = ends.line.axial;
    rod.placement = {ends.a.first_in_carrier(), ends.a.ball.in_carrier};
    rod.direction = ends.line.direction;
    rod.joint = ends.joint;
    if (ends.joint != RodJoint::ball) rod.axis = ends.axis_in_carrier();
    rod.where = first.where;
    for (const int i : links_of(chain)) {
        rod.joints.push_back(mechanism.bodies[i].joint);
        rod.links.push_back(mechanism.bodies[i].name);
    }
    if (chain.slides) make_strut(mechanism, chain, ends, rod);
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
        const Ends ends = mechanism::ends_of(full_, chain);
        const int index = static_cast<int>(result_.rods.size());
        const MechanismRod rod = make_rod(full_, chain, ends);
        MechanismLoop& loop = result_.loops[rod.loop];
        loop = rod_loop(loop, ends);
        Eigen::Vector3d way = Eigen::Vector3d::Zero();
        if (!chain.slides) way = ends.b.point() - ends.a.point();
        const Pose b{Eigen::Matrix3d::Identity(), way};  // origin of what is at B
        place_[ends.b.body] = {world, index, chain.slides, b * ends.b.body_from_end()};
        place_[ends.a.body] = {world, index, false, ends.a.body_from_end()};
        for (const int link : ends.a.joints->links) place_[link] = {world, index, false, {}};
        for (const int link : ends.b.joints->links) place_[link] = {world, index, chain.slides, b};
        if (chain.slides) {
            loop.slide = chain.second;
            loop.slide_sign = slide_sign(full_, chain, ends);
            leave_slide(chain, ends);
        }
        for (const int carrier : {chain.a.carrier, chain.b.carrier})
            if (carrier != world) carries_[carrier] = 1;
        result_.rods.push_back(rod);
    }

    /// The rod that a distance loop with an inertial is. It takes no body out.
    void add(int index) {
        const MechanismLoop& loop = full_.loops[index];
        const Eigen::Vector3d way = from_predecessor(loop);
        const mechanism::Line line(*loop.inertial, Eigen::Vector3d::Zero(), {0, 0, loop.length});
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
    /// The new number of a body of the full mechanism; its rod, or if `piston` that rod's piston, and its
    /// pose in it.
    struct Place {
        int body = world, rod = -1;
        bool piston = false;
        Pose in_rod;
    };

    /// Keeps only the length of a strut's slide, on the body at the end that precedes the slide in the tree.
    void leave_slide(const RodChain& chain, const Ends& ends) {
        MechanismBody& body = result_.bodies[chain.second];
        body.is_length = true;
        body.inertia = {};
        body.parent = chain.a.carrier;
        const End& end = ends.a.joints == &chain.a ? ends.a : ends.b;
        body.placement = {Eigen::Matrix3d::Identity(), end.ball.in_carrier};
    }

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
            if (place_[i].rod >= 0 && !result_.bodies[i].is_length) continue;
            place_[i].body = static_cast<int>(bodies.size());
            bodies.push_back(result_.bodies[i]);
            bodies.back().parent = body(bodies.back().parent);
        }
        result_.bodies = std::move(bodies);
        for (MechanismLoop& loop : result_.loops) {
            loop.predecessor = body(loop.predecessor);
            loop.successor = body(loop.successor);
            if (loop.slide >= 0) loop.slide = body(loop.slide);
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
        const int bodies = static_cast<int>(result_.bodies.size());
        if (place.piston)
            of_full = bodies + static_cast<int>(result_.rods.size()) + piston_number(place.rod);
        else
            of_full = place.rod < 0 ? place.body : bodies + place.rod;
    }
    /// Number of struts before a rod.
    int piston_number(int rod) const {
        return static_cast<int>(
            std::count_if(result_.rods.begin(), result_.rods.begin() + rod,
                          [](const MechanismRod& each) { return each.strut.has_value(); }));
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

const char* to_string(RodJoint joint) {
    switch (joint) {
        case RodJoint::ball: return "ball";
        case RodJoint::universal: return "universal";
        case RodJoint::revolute: return "revolute";
    }
    return "unknown";
}

namespace {

Mechanism reduced(const Mechanism& mechanism, bool links, const Table<std::string>& stay) {
    Reduction reduction(mechanism);
    const Table<MechanismLoop>& loops = mechanism.loops;
    for (int l = 0; l < static_cast<int>(loops.size()); ++l)
        if (loops[l].inertial) reduction.add(l);
    if (!links) return reduction.take();
    const mechanism::RodUses uses(mechanism);
    for (const RodChain& chain : mechanism::find_rod_chains(mechanism)) {
        std::string reason = mechanism::reason_to_stay(mechanism, uses, chain);
        const std::vector<int> bodies = links_of(chain);
        if (std::any_of(bodies.begin(), bodies.end(), [&](int i) {
                return std::find(stay.begin(), stay.end(), mechanism.bodies[i].name) != stay.end();
            }))
            reason = "as a rod, it would change the degrees of freedom: its joints are slightly misaligned";
        if (reason.empty() && reduction.meets_another(chain)) reason = "one end is on another rod";
        if (reason.empty())
            reduction.add(chain);
        else if (mechanism::resembles_rod(mechanism, uses, chain))
            reduction.keep(chain, std::move(reason));
    }
    return reduction.take();
}

}  // namespace

Mechanism reduce_rods(const Mechanism& mechanism, bool links) { return reduced(mechanism, links, {}); }

Mechanism mechanism::reduce_rods_except(const Mechanism& mechanism, const Table<std::string>& stay) {
    return reduced(mechanism, true, stay);
}

}  // namespace grbda
