#include <algorithm>

#include "composition.hpp"

namespace grbda::composing {

namespace {

/// Adds a prefix to all names of a robot, or to one of them.
class Renaming {
public:
    explicit Renaming(std::string prefix, std::string only = {})
        : prefix_(std::move(prefix)), only_(std::move(only)) {}

    void apply(RobotDescription& robot) const {
        for (LinkDescription& link : robot.links) {
            change(link.name);
            for (ShapeDescription& shape : link.shapes) change(shape.name);
            for (SensorDescription& sensor : link.sensors) change(sensor.name);
        }
        for (JointDescription& joint : robot.joints) change(joint.name, joint.parent, joint.child);
        for (LoopDescription& loop : robot.loops) change(loop.name, loop.predecessor, loop.successor);
        for (CouplingDescription& coupling : robot.couplings) {
            change(coupling.name);
            std::visit([this](auto& relation) { change_one(relation); }, coupling.relation);
        }
        for (CombinedCoordinate& coordinate : robot.combined) {
            change(coordinate.name);
            for (LinearTerm& term : coordinate.terms) change(term.joint);
        }
        for (TendonDescription& tendon : robot.tendons) {
            change(tendon.name);
            for (LinearTerm& term : tendon.terms) change(term.joint);
        }
        for (FrameDescription& frame : robot.frames) change(frame.name, frame.link);
        change(robot.actuated, robot.passive, robot.coordinates, robot.start, robot.tool_frames);
        for (StateDescription& state : robot.states) {
            change(state.name, state.group, state.positions, state.targets);
        }
        for (GroupDescription& group : robot.groups) change(group.name, group.links, group.joints);
        for (GeometryDescription& geometry : robot.geometries) change(geometry.name, geometry.spheres);
        for (CollisionDescription* collision : {&robot.collision, &robot.self_collision}) {
            change(collision->geometry, collision->buffer_distance, collision->ignore);
            for (auto& [frame, others] : collision->ignore) change(others);
        }
    }

private:
    template <class... Names>
    void change(Names&... names) const {
        (change_one(names), ...);
    }
    void change_one(std::string& name) const {
        const bool is_meant = only_.empty() || name == only_;
        if (is_meant && !name.empty()) name.insert(0, prefix_);  // an empty name means none, and stays
    }
    void change_one(GearRelation& gear) const { change(gear.predecessor, gear.successor); }
    void change_one(LinearRelation& linear) const {
        for (LinearTerm& term : linear.terms) change(term.joint);
    }
    void change_one(PolynomialRelation& polynomial) const { change(polynomial.follower, polynomial.leader); }
    void change_one(std::vector<std::string>& names) const {
        for (std::string& name : names) change_one(name);
    }
    template <class Value>
    void change_one(std::map<std::string, Value>& by_name) const {
        std::map<std::string, Value> changed;
        for (auto& [name, value] : by_name) {
            std::string key = name;
            change_one(key);
            changed[key] = std::move(value);
        }
        by_name = std::move(changed);
    }

    std::string prefix_;
    std::string only_;  ///< empty: all names
};

}  // namespace

void rename(RobotDescription& robot, const std::string& prefix) { Renaming(prefix).apply(robot); }

void rename_world(RobotDescription& robot) {
    const auto is_world = [](const LinkDescription& link) { return link.name == world_link; };
    const auto moves_world = [](const JointDescription& joint) { return joint.child == world_link; };
    if (std::none_of(robot.links.begin(), robot.links.end(), is_world) ||
        std::any_of(robot.joints.begin(), robot.joints.end(), moves_world))
        return;
    Renaming((robot.name.empty() ? "robot" : robot.name) + "_", world_link).apply(robot);
}

}  // namespace grbda::composing
