#include <set>
#include <string>

#include "description/equipment.hpp"
#include "steps.hpp"

// A second joint above a link closes a loop and has no coordinate. If it has a motor, limits or forces, it
// moves a massless copy of the link instead, which a fixed loop joins to the link: nothing is lost.

namespace grbda::mechanism {

namespace {

std::string free_name(std::set<std::string>& taken, std::string name) {
    while (!taken.insert(name).second) name += "_";
    return name;
}

class Cutter {
public:
    explicit Cutter(RobotDescription& robot) : robot_(robot) {
        for (const LinkDescription& link : robot.links) places_.insert(link.name);
        for (const FrameDescription& frame : robot.frames) places_.insert(frame.name);
        for (const CombinedCoordinate& coordinate : robot.combined) places_.insert(coordinate.name);
        for (const LoopDescription& loop : robot.loops) constraints_.insert(loop.name);
        for (const CouplingDescription& coupling : robot.couplings) constraints_.insert(coupling.name);
        for (const JointDescription& joint : robot.joints) constraints_.insert(joint.name);
    }

    /// Returns the names of the copy and of the loop.
    LoopDescription cut(JointDescription& joint) {
        LinkDescription copy;
        copy.name = free_name(places_, joint.child + "_" + joint.name);
        copy.where = joint.where;
        LoopDescription loop;
        loop.name = free_name(constraints_, joint.name + "_closure");
        loop.type = LoopType::fixed;
        loop.predecessor = copy.name;
        loop.successor = joint.child;
        loop.where = joint.where;
        joint.child = copy.name;
        robot_.links.push_back(std::move(copy));
        robot_.loops.push_back(loop);
        return loop;
    }

private:
    RobotDescription& robot_;
    std::set<std::string> places_, constraints_;
};

}  // namespace

std::optional<RobotDescription> with_cut_links(const Context& context, const SpanningTree& tree) {
    const Equipment equipment(context.description);
    std::optional<RobotDescription> robot;
    std::optional<Cutter> cutter;
    for (const int index : tree.loop_joints) {
        const JointDescription& given = context.description.joints[at(index)];
        if (!equipment.has(given)) continue;
        if (!robot) cutter.emplace(robot.emplace(context.description));
        const LoopDescription loop = cutter->cut(robot->joints[at(index)]);
        context.report(
            Severity::note, Code::rewritten, given.where, Subject::of("joint", given.name),
            "moves " + quoted(loop.predecessor) + ", a copy of " + quoted(given.child) +
                " without mass, which the fixed loop " + quoted(loop.name) + " joins to it",
            "a motor, limits, forces or another use of a second joint above " + quoted(given.child));
    }
    return robot;
}

}  // namespace grbda::mechanism
