#include "equipment.hpp"

#include <cmath>

#include "grbda/joint_types.hpp"

namespace grbda {

namespace {

bool has_forces(const JointDescription& joint) {
    return !joint.damping.is_zero() || !joint.friction.is_zero() || !joint.stiffness.is_zero() ||
           joint.armature != 0 || joint.servo;
}

/// Files write zero for an effort or velocity that they do not know, or of a joint that nothing drives.
bool is_limit(double largest) { return std::isfinite(largest) && largest > 0; }

bool has_limits(const JointDescription& joint) {
    const JointLimits& limits = joint.limits;
    const bool has_range = facts(joint.type).has_range;
    return (has_range && (std::isfinite(limits.lower) || std::isfinite(limits.upper))) ||
           is_limit(limits.effort) || is_limit(limits.velocity) || is_limit(limits.acceleration) ||
           is_limit(limits.jerk);
}

}  // namespace

Equipment::Equipment(const RobotDescription& robot) {
    const auto add = [this](const auto& names) { named_.insert(names.begin(), names.end()); };
    const auto add_keys = [this](const auto& positions) {
        for (const auto& [joint, values] : positions) named_.insert(joint);
    };
    add(robot.actuated);
    add(robot.coordinates);
    add_keys(robot.start);
    for (const StateDescription& state : robot.states) add_keys(state.positions);
    for (const CouplingDescription& coupling : robot.couplings) {
        add(joints_of(coupling));
        has_gears_ = has_gears_ || coupling.as<GearRelation>() != nullptr;
    }
    for (const TendonDescription& tendon : robot.tendons) add(joints_of(tendon));
    for (const CombinedCoordinate& coordinate : robot.combined) add(joints_of(coordinate));
}

int Equipment::equipment(const JointDescription& joint) const {
    if (joint.type == JointType::fixed) return 0;
    if (has_forces(joint) || joint.reduction != 1 || named_.count(joint.name) > 0) return 2;
    return has_limits(joint) ? 1 : 0;
}

bool Equipment::has(const JointDescription& joint) const { return equipment(joint) > 0; }

int Equipment::preference(const JointDescription& joint) const {
    if (joint.independent == true) return marked;
    return has_gears_ ? 0 : equipment(joint);
}

}  // namespace grbda
