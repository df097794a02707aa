#include <algorithm>
#include <cmath>
#include <locale>
#include <set>
#include <sstream>
#include <unordered_map>

#include "composition.hpp"
#include "description/equipment.hpp"
#include "description/rules.hpp"

namespace grbda::composing {

namespace {

const Eigen::Vector3d usual_gravity(0, 0, -9.81);

std::string written(const Eigen::Vector3d& vector) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << vector.x() << " " << vector.y() << " " << vector.z();
    return text.str();
}

const char* written(CouplingRatio ratio) {
    return ratio == CouplingRatio::predecessor_over_successor ? "predecessor/successor"
                                                              : "successor/predecessor";
}

/// True if the two readings differ for one of the ratios.
bool has_ratios(const RobotDescription& robot) {
    return std::any_of(robot.couplings.begin(), robot.couplings.end(),
                       [](const CouplingDescription& coupling) {
                           const auto* const gear = coupling.as<GearRelation>();
                           return gear != nullptr && std::abs(gear->ratio) != 1;
                       });
}

/// The joint above each link in the spanning tree.
std::unordered_map<std::string, const JointDescription*> tree_joints(const RobotDescription& robot,
                                                                     const Equipment& equipment) {
    std::unordered_map<std::string, const JointDescription*> above;
    for (const JointDescription& joint : robot.joints) {
        const JointDescription*& chosen = above[joint.child];
        if (equipment.prefers(joint, chosen)) chosen = &joint;
    }
    return above;
}

/// Joints that have motors because a part names only its passive ones; without the joint that attaches it.
std::vector<std::string> motors_beside_passive(const RobotDescription& robot, const std::string& added) {
    const std::set<std::string> without = joints_without_motor(robot);
    const Equipment equipment(robot);
    auto above = tree_joints(robot, equipment);
    std::vector<std::string> motors;
    for (const JointDescription& joint : robot.joints) {
        const bool moves = joint.type != JointType::fixed && joint.name != added;
        const bool has_coordinate = above[joint.child] == &joint || equipment.has(joint);
        if (moves && has_coordinate && without.count(joint.name) == 0) motors.push_back(joint.name);
    }
    return motors;
}

/// The one geometry of that name, or a new one with the spheres of all, named after all of them.
std::string joined_geometry(std::vector<GeometryDescription>& all, const std::set<std::string>& names) {
    GeometryDescription joined;
    for (const std::string& name : names) joined.name += (joined.name.empty() ? "" : "+") + name;
    const auto find = [&all](const std::string& name) {
        return std::find_if(all.begin(), all.end(),
                            [&name](const GeometryDescription& geometry) { return geometry.name == name; });
    };
    if (names.size() < 2 || find(joined.name) != all.end()) return joined.name;
    for (const std::string& name : names) {
        const auto found = find(name);
        if (found != all.end()) joined.spheres.insert(found->spheres.begin(), found->spheres.end());
    }
    all.push_back(std::move(joined));
    return all.back().name;
}

}  // namespace

/// Rewrites ratios to one reading: Σ p = r Σ s is equivalent to (1/r) Σ p = Σ s.
void unify_ratios(Composition& composition) {
    std::optional<CouplingRatio>& common = composition.whole.coupling_ratio;
    for (const RobotDescription& robot : composition.robots) {
        if (!common && has_ratios(robot)) common = robot.coupling_ratio;
    }
    if (!common) return;
    for (std::size_t part = 0; part < composition.robots.size(); ++part) {
        RobotDescription& robot = composition.robots[part];
        if (!has_ratios(robot)) continue;
        if (!robot.coupling_ratio) {
            composition.error(Code::coupling_ratio, part, "a statement of what its coupling ratios mean",
                              std::string("none, although another part states ") + written(*common),
                              "set coupling_ratio of this part: that of another part does not apply");
        } else if (*robot.coupling_ratio != *common) {
            for (CouplingDescription& coupling : robot.couplings)
                if (auto* const gear = coupling.as<GearRelation>()) gear->ratio = 1 / gear->ratio;
        }
    }
}

/// A part names its motors, or its passive joints, or neither, which leaves all
/// joints unmarked. The statement of one part must not mark the joints of another.
void unify_motors(Composition& composition) {
    std::vector<RobotDescription>& robots = composition.robots;
    const bool some_name_motors = std::any_of(
        robots.begin(), robots.end(), [](const RobotDescription& robot) { return !robot.actuated.empty(); });
    const bool some_name_passive = std::any_of(
        robots.begin(), robots.end(), [](const RobotDescription& robot) { return !robot.passive.empty(); });
    if (!some_name_passive) return;
    for (std::size_t part = 0; part < robots.size(); ++part) {
        RobotDescription& robot = robots[part];
        const std::string added = composition.added_joint(part);
        const bool names_passive = !robot.passive.empty();
        if (some_name_motors) {
            if (robot.actuated.empty() && names_passive) robot.actuated = motors_beside_passive(robot, added);
            continue;
        }
        if (names_passive) {
            robot.passive.push_back(added);
        } else {
            for (const JointDescription& joint : robot.joints) robot.passive.push_back(joint.name);
        }
    }
}

void unify_gravity(Composition& composition) {
    const std::vector<RobotDescription>& robots = composition.robots;
    std::size_t first = 0;
    while (first < robots.size() && !robots[first].gravity) ++first;
    if (first == robots.size()) return;
    const Eigen::Vector3d common = *robots[first].gravity;
    composition.whole.gravity = common;
    const std::string beside = written(common) + " of " + composition.subject_of(first).text;
    for (std::size_t part = 0; part < robots.size(); ++part) {
        const std::optional<Eigen::Vector3d>& gravity = robots[part].gravity;
        if (gravity && *gravity != common) {
            composition.error(Code::conflict, part, "the gravity of the other parts",
                              written(*gravity) + " beside " + beside,
                              "set the same gravity for all parts, or for one only");
        } else if (!gravity && common != usual_gravity) {
            composition.report(Severity::warning, Code::assumed, part, "a gravity of its own",
                               "none: it gets " + beside, "set it for this part too if that is intended");
        }
    }
}

void join_collisions(Composition& composition) {
    for (CollisionDescription RobotDescription::*kind :
         {&RobotDescription::collision, &RobotDescription::self_collision}) {
        CollisionDescription& joined = composition.whole.*kind;
        std::set<std::string> names;
        for (const RobotDescription& robot : composition.robots) {
            const CollisionDescription& part = robot.*kind;
            joined.buffer_distance.insert(part.buffer_distance.begin(), part.buffer_distance.end());
            joined.ignore.insert(part.ignore.begin(), part.ignore.end());
            if (!part.geometry.empty()) names.insert(part.geometry);
            if (joined.where.line == 0) joined.where = part.where;
        }
        joined.geometry = joined_geometry(composition.whole.geometries, names);
    }
}

}  // namespace grbda::composing
