#include <algorithm>
#include <cmath>
#include <string>

#include "steps.hpp"

namespace grbda::mechanism {

namespace {

/// Tolerance for equal poses of one body: composed numbers of a file agree to this.
constexpr double equal_tolerance = 1e-9;

/// Converts a joint whose child already has another joint above it:
/// parent as predecessor at the joint's origin, child as successor.
LoopDescription as_loop(const JointDescription& joint) {
    LoopDescription loop;
    loop.name = joint.name;
    loop.type = facts(joint.type).loop;
    loop.predecessor = joint.parent;
    loop.successor = joint.child;
    loop.predecessor_origin = joint.origin;
    loop.successor_origin = joint.child_origin;
    loop.axis = joint.axis;
    loop.axis2 = joint.axis2;
    loop.pitch = joint.pitch;
    loop.where = joint.where;
    loop.places = joint.places;
    return loop;
}

bool are_equal(const Pose& a, const Pose& b) {
    const double size = std::max({1.0, a.translation.norm(), b.translation.norm()});
    return (a.rotation - b.rotation).cwiseAbs().maxCoeff() <= equal_tolerance &&
           (a.translation - b.translation).norm() <= equal_tolerance * size;
}

class LoopBuilder {
public:
    LoopBuilder(const Context& context, const Fusion& fusion, Mechanism& mechanism)
        : context_(context), fusion_(fusion), mechanism_(mechanism) {}

    void add(const LoopDescription& loop, const Subject& owner) {
        const int predecessor = context_.links.find(loop.predecessor);
        const int successor = context_.links.find(loop.successor);
        if (predecessor < 0 || successor < 0 || predecessor == successor) return;  // already reported
        if (loop.type == LoopType::floating) {
            context_.report(Severity::note, Code::ignored, loop.where, owner,
                            "dropped: a floating loop joint constrains nothing", "");
            return;
        }
        MechanismLoop result = resolved(loop, at(predecessor), at(successor));
        if (result.predecessor == result.successor) {
            report_one_body(loop, result, owner);
            return;
        }
        if (loop.type == LoopType::distance && !set_length(loop, result, owner)) return;
        if (loop.inertial) check_rod(loop, result.length, owner);
        if (loop.type == LoopType::helical) check_thread(loop, owner);
        mechanism_.loops.push_back(std::move(result));
    }

private:
    /// A loop measures its turns by its slide: for too fine a thread, they are rounding.
    void check_thread(const LoopDescription& loop, const Subject& owner) const {
        constexpr double finest = 1e-9;  // m/rad: a millimetre is 1e6 radians, known to 1e-10
        if (loop.pitch == 0 || !(std::abs(loop.pitch) < finest)) return;  // zero is already reported
        context_.out_of_range(loop, Figure::pitch, owner,
                              "a pitch of at least 1e-9 m/rad where a loop is closed", number(loop.pitch),
                              "a loop of type revolute holds the slide");
    }

    MechanismLoop resolved(const LoopDescription& loop, std::size_t predecessor,
                           std::size_t successor) const {
        MechanismLoop result;
        result.name = loop.name;
        result.type = loop.type == LoopType::continuous ? LoopType::revolute : loop.type;
        result.predecessor = fusion_.link_body[predecessor];
        result.successor = fusion_.link_body[successor];
        result.predecessor_placement = fusion_.link_pose[predecessor] * loop.predecessor_origin;
        result.successor_placement = fusion_.link_pose[successor] * loop.successor_origin;
        if (is_axis(loop.axis)) result.axis = loop.axis.stableNormalized();
        if (is_axis(loop.axis2)) result.axis2 = loop.axis2.stableNormalized();
        result.pitch = loop.pitch;
        result.inertial = loop.inertial;
        result.where = loop.where;
        return result;
    }

    void report_one_body(const LoopDescription& loop, const MechanismLoop& result, const Subject& owner) {
        const std::string found =
            quoted(loop.predecessor) + " and " + quoted(loop.successor) +
            (result.predecessor == world ? ", both fixed in the world" : ", fixed to each other");
        const bool is_fixed = loop.type == LoopType::fixed;
        if (is_fixed && are_equal(result.predecessor_placement, result.successor_placement)) {
            context_.report(Severity::warning, Code::fixed_together, loop.where, owner,
                            "links that move relative to each other", found,
                            "dropped: it repeats what the fixed joints say");
            return;
        }
        context_.error(Code::fixed_together, loop.where, owner, "links that move relative to each other",
                       found, is_fixed ? "and the two frames do not coincide" : "");
    }

    /// Checks the inertial of a rod, which must be symmetric about the line through the ends.
    void check_rod(const LoopDescription& loop, double length, const Subject& owner) const {
        const Inertial& inertial = *loop.inertial;
        const Eigen::Matrix3d& I = inertial.inertia;
        if (!(std::isfinite(inertial.mass) && inertial.com.allFinite() && I.allFinite())) {
            context_.error(Code::bad_number, loop.where, owner,
                           std::string(finite_numbers) + " in its inertial", "NaN or infinity");
            return;
        }
        if (!(inertial.mass > 0))
            context_.out_of_range(loop, Figure::mass, owner, "a mass above zero", number(inertial.mass),
                                  "a rod without mass has no inertial");
        else if (!(I(0, 0) >= 0 && I(2, 2) >= 0 && I(2, 2) <= (I(0, 0) + I(1, 1)) * (1 + equal_tolerance)))
            context_.error(Code::inertia, place_of(loop, Figure::inertia), owner,
                           "moments of inertia of a body: none below zero, none above the sum of the others",
                           number(I(0, 0)) + ", " + number(I(1, 1)) + " and " + number(I(2, 2)));
        else if (!is_axisymmetric(inertial, Eigen::Vector3d::UnitZ()))
            context_.error(Code::inertia, place_of(loop, Figure::inertia), owner,
                           "an inertial that is symmetric about the z axis, which is the line from the "
                           "predecessor's origin to the successor's",
                           "one that is not", "ixx = iyy, no products of inertia, and an origin 0 0 z");
        else if (!(inertial.com.z() >= 0 && inertial.com.z() <= length))
            context_.error(Code::out_of_range, loop.where, owner,
                           "a centre of mass between both ends, z from 0 to " + number(length),
                           "z = " + number(inertial.com.z()));
    }

    /// The given length, or the distance between the two origins with all joints at zero.
    bool set_length(const LoopDescription& loop, MechanismLoop& result, const Subject& owner) {
        if (loop.length) {
            result.length = *loop.length;
            return true;
        }
        result.length = (in_root(result.predecessor, result.predecessor_placement) -
                         in_root(result.successor, result.successor_placement))
                            .norm();
        const double size = std::max({1.0, result.predecessor_placement.translation.norm(),
                                      result.successor_placement.translation.norm()});
        if (result.length > equal_tolerance * size) return true;
        context_.error(Code::out_of_range, loop.where, owner, "two origins apart from each other",
                       "distance 0 at zero joint positions",
                       "give the length, or use a spherical loop to join two points");
        return false;
    }

    /// Origin of a frame in the root link's frame, with all joints at zero.
    Eigen::Vector3d in_root(int body, const Pose& placement) {
        if (body == world) return placement.translation;
        if (at_zero_.empty()) {
            at_zero_.reserve(mechanism_.bodies.size());
            for (const MechanismBody& each : mechanism_.bodies) {
                const Pose parent = each.parent == world ? Pose() : at_zero_[at(each.parent)];
                at_zero_.push_back(parent * each.placement);
            }
        }
        return (at_zero_[at(body)] * placement).translation;
    }

    const Context& context_;
    const Fusion& fusion_;
    Mechanism& mechanism_;
    std::vector<Pose> at_zero_;  ///< body → pose in the root link, computed on first use
};

/// A mocap body is a handle that a user moves; here it stands still, and what holds the robot to it, too.
void report_mocap(const Context& context, const LoopDescription& loop, const Subject& owner) {
    const std::string found = quoted(loop.predecessor) + " and " + quoted(loop.successor);
    if (context.options.ignore_mocap)
        context.report(Severity::note, Code::ignored, loop.where, owner, "left out, one end is a mocap body",
                       found);
    else
        context.report(Severity::warning, Code::assumed, loop.where, owner,
                       "ends on bodies of the robot or the world", found + ", one of them a mocap body",
                       "it holds the robot where the file puts that body; --ignore-mocap or the option "
                       "ignore_mocap leaves it out");
}

}  // namespace

void add_loops(const Context& context, const SpanningTree& tree, const Fusion& fusion, Mechanism& mechanism) {
    LoopBuilder builder(context, fusion, mechanism);
    NameIndex names;
    for (const LoopDescription& loop : context.description.loops) {
        names.add(loop.name);
        const Subject owner = Subject::of("loop", loop.name);
        if (loop.is_mocap) report_mocap(context, loop, owner);
        if (!loop.is_mocap || !context.options.ignore_mocap) builder.add(loop, owner);
    }
    for (const CouplingDescription& coupling : context.description.couplings) {
        if (!is_mimic(coupling)) names.add(coupling.name);
    }
    for (const int index : tree.loop_joints) {
        const JointDescription& joint = context.description.joints[at(index)];
        if (names.find(joint.name) >= 0) {
            context.error(Code::duplicate_name, joint.where, Subject::of("joint", joint.name),
                          "a unique name among the loops and couplings, since the joint closes a loop",
                          "a loop or coupling " + quoted(joint.name));
        }
        builder.add(as_loop(joint), Subject::of("joint", joint.name));
    }
}

}  // namespace grbda::mechanism
