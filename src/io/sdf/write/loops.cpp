#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "parts.hpp"

// Loops as joints whose child already has a joint above it. Such
// a joint has one frame for both ends, with their poses at q = 0.

namespace grbda::to_sdf {

namespace {

const char* type_of(LoopType type) {
    switch (type) {
        case LoopType::fixed: return "fixed";
        case LoopType::revolute:
        case LoopType::continuous: return "continuous";
        case LoopType::prismatic: return "prismatic";
        case LoopType::helical: return "screw";
        case LoopType::universal: return "universal";
        case LoopType::spherical: return "ball";
        case LoopType::cylindrical:
        case LoopType::planar:
        case LoopType::point_on_line:
        case LoopType::distance:
        case LoopType::floating: break;
    }
    return nullptr;
}

/// Distance of the ends from closing the loop, m and rad; `T`: Q in P.
double gap(const MechanismLoop& loop, const Pose& T) {
    const Eigen::Vector3d &d = T.translation, &a = loop.axis;
    const double turned = (T.rotation - Eigen::Matrix3d::Identity()).norm();
    const double tilted = (T.rotation * a - a).norm();
    const double across = a.cross(d).norm();
    switch (loop.type) {
        case LoopType::fixed: return d.norm() + turned;
        case LoopType::revolute:
        case LoopType::continuous: return d.norm() + tilted;
        case LoopType::prismatic: return across + turned;
        case LoopType::helical: {
            const Eigen::AngleAxisd turn(a.dot(d) / loop.pitch, a);
            return across + (T.rotation - turn.toRotationMatrix()).norm();
        }
        case LoopType::universal:
            return d.norm() + std::abs(a.dot(T.rotation * loop.axis2) - a.dot(loop.axis2));
        case LoopType::spherical: return d.norm();
        case LoopType::cylindrical:
        case LoopType::planar:
        case LoopType::point_on_line:
        case LoopType::distance:
        case LoopType::floating: break;
    }
    return 0;
}

/// The world, and bodies that float on it, must be parents.
bool must_be_parent(const Robot& robot, int body) { return body == world || robot.joints[body].empty(); }

/// The same loop with its ends exchanged.
MechanismLoop turned_round(MechanismLoop loop) {
    std::swap(loop.predecessor, loop.successor);
    std::swap(loop.predecessor_placement, loop.successor_placement);
    if (loop.type == LoopType::universal) std::swap(loop.axis, loop.axis2);
    return loop;
}

void write_loop(const MechanismLoop& given, Robot& robot, xml::Text& text) {
    constexpr double closed = 1e-9;
    const char* const type = type_of(given.type);
    if (type == nullptr)
        return robot.findings.error(
            given.where, "loop", given.name,
            "a loop of type fixed, revolute, prismatic, helical, universal or spherical",
            std::string("one of type ") + to_string(given.type), "SDF has no such joint");
    const MechanismLoop loop = must_be_parent(robot, given.successor) ? turned_round(given) : given;
    const Pose T = inverse(robot.pose_of(loop.predecessor) * loop.predecessor_placement) *
                   robot.pose_of(loop.successor) * loop.successor_placement;
    if (!(gap(loop, T) <= closed))
        return robot.findings.error(given.where, "loop", given.name,
                                    "ends that meet where all joints stand at zero",
                                    "a gap of " + xml::exact(gap(loop, T)),
                                    "SDF has one frame for both ends; MJCF and URDF+ have two");
    text.open("joint").attribute("name", robot.name_for("loop", loop.name)).attribute("type", type);
    write_pose(loop.successor_placement, "", text);
    text.leaf("parent", robot.link_of(loop.predecessor)).leaf("child", robot.link_of(loop.successor));
    if (loop.type == LoopType::helical) write_number("screw_thread_pitch", full_turn * loop.pitch, text);
    const int axes = facts(loop.type).axes;
    if (axes > 0) write_axis("axis", T.rotation.transpose() * loop.axis, text);
    if (axes > 1) write_axis("axis2", loop.axis2, text);
    text.close();
}

}  // namespace

void write_axis(const char* element, const Eigen::Vector3d& axis, xml::Text& text) {
    text.open(element).leaf("xyz", numbers(axis)).close();
}

void write_loops(Robot& robot, xml::Text& text) {
    for (const MechanismLoop& loop : robot.mechanism.loops) write_loop(loop, robot, text);
}

}  // namespace grbda::to_sdf
