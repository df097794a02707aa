#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>
#include <utility>

#include "elements.hpp"

namespace grbda::sdf {

namespace {

/// Reverses a joint; its positions keep their meaning wherever possible.
void turn_round(JointDescription& joint) {
    std::swap(joint.parent, joint.child);
    std::swap(joint.origin, joint.child_origin);
    joint.axis = -joint.axis;
    if (joint.type != JointType::universal) return;
    joint.axis2 = -joint.axis2;
    std::swap(joint.axis, joint.axis2);
    for (PerCoordinate* figures : {&joint.damping, &joint.friction, &joint.stiffness}) {
        const std::vector<double>& values = figures->values();
        *figures = std::vector<double>(values.rbegin(), values.rend());
    }
    std::reverse(joint.rest.begin(), joint.rest.end());
}

const char* change_of_position(JointType type) {
    if (type == JointType::universal) return "; its two positions change places";
    if (type == JointType::spherical) return "; its position is the inverse rotation";
    return "";
}

class Spanner {
public:
    Spanner(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot)
        : context_(context), graph_(graph), joints_(joints.moving), robot_(robot) {
        for (std::size_t i = 0; i < robot.links.size(); ++i) {
            index_.emplace(robot.links[i].name, static_cast<int>(i));
        }
        for (const Frame& frame : graph.frames) used_.insert(frame.name);
        for (const JointDescription& joint : joints.moving) used_.insert(joint.name);
        reached_.resize(robot.links.size(), false);
        below_.resize(robot.links.size());
        above_.resize(robot.links.size());
        for (std::size_t i = 0; i < joints_.size(); ++i) {
            parent_.push_back(index_.at(joints_[i].parent));
            child_.push_back(index_.at(joints_[i].child));
            below_[at(parent_.back())].push_back(static_cast<int>(i));
            above_[at(child_.back())].push_back(static_cast<int>(i));
        }
    }

    void span() {
        reach(0);
        for (const Frame& frame : graph_.frames) {
            if (frame.kind == Kind::link && graph_.is_static(frame)) hang(frame, JointType::fixed);
        }
        grow();
        for (const Frame& frame : graph_.frames) {
            if (frame.kind != Kind::link || reached_[at(index_.at(frame.name))]) continue;
            hang(*root_of(frame), JointType::floating);
            grow();
        }
    }

private:
    void reach(int link) {
        reached_[at(link)] = true;
        fresh_.push_back(link);
    }

    /// Follows joints from parent to child as far as possible, then reverses one of them, and continues.
    void grow() {
        while (true) {
            while (!fresh_.empty()) {
                const int link = fresh_.back();
                fresh_.pop_back();
                for (const int joint : below_[at(link)]) {
                    if (!reached_[at(child_[at(joint)])]) reach(child_[at(joint)]);
                }
                for (const int joint : above_[at(link)]) {
                    if (!reached_[at(parent_[at(joint)])]) upward_.push(joint);
                }
            }
            if (upward_.empty()) return;
            const int joint = upward_.top();
            upward_.pop();
            if (reached_[at(parent_[at(joint)])]) continue;
            turn(joints_[at(joint)]);
            reach(parent_[at(joint)]);
        }
    }

    void turn(JointDescription& joint) {
        context_.diagnostics.push_back(
            {Severity::note, Code::rewritten, joint.where, Subject::of("joint", joint.name),
             "turned round: hangs " + quoted(joint.parent) + " on " + quoted(joint.child) +
                 ", as nothing else leads there" + change_of_position(joint.type),
             "", ""});
        turn_round(joint);
    }

    /// Among the links that joints connect with this one, the one that
    /// is no joint's child; without one, or with several, the first.
    const Frame* root_of(const Frame& first) {
        std::vector<int> links{index_.at(first.name)};
        std::vector<int> roots;
        seen_.resize(reached_.size(), false);
        seen_[at(links.front())] = true;
        for (std::size_t i = 0; i < links.size(); ++i) {
            const std::size_t link = at(links[i]);
            if (above_[link].empty()) roots.push_back(links[i]);
            for (const int joint : below_[link]) visit(child_[at(joint)], links);
            for (const int joint : above_[link]) visit(parent_[at(joint)], links);
        }
        if (roots.size() != 1) return &first;
        return &frame_of(roots.front(), first);
    }

    void visit(int link, std::vector<int>& links) {
        if (seen_[at(link)]) return;
        seen_[at(link)] = true;
        links.push_back(link);
    }

    const Frame& frame_of(int link, const Frame& otherwise) {
        if (frames_.empty()) {
            for (const Frame& frame : graph_.frames) {
                if (frame.kind == Kind::link) frames_.emplace(frame.name, &frame);
            }
        }
        const auto frame = frames_.find(robot_.links[at(link)].name);
        return frame == frames_.end() ? otherwise : *frame->second;
    }

    void hang(const Frame& link, JointType type) {
        const bool floats = type == JointType::floating;
        JointDescription joint;
        joint.name = link.name + (floats ? "_free" : "_static");
        while (!used_.insert(joint.name).second) joint.name += "_";
        joint.type = type;
        joint.parent = world_name;
        joint.child = link.name;
        joint.origin = link.in_world;
        joint.where = context_.document.where(link.element);
        if (floats) {
            context_.report(
                Severity::note, Code::assumed, link.element,
                "free in the world, as no joint connects it: floating joint " + quoted(joint.name), "");
        }
        robot_.joints.push_back(std::move(joint));
        reach(index_.at(link.name));
    }

    Context& context_;
    const Graph& graph_;
    std::vector<JointDescription>& joints_;
    RobotDescription& robot_;
    std::unordered_map<std::string, int> index_;
    std::unordered_map<std::string, const Frame*> frames_;
    std::unordered_set<std::string> used_;
    std::vector<int> parent_, child_;              ///< of each joint
    std::vector<std::vector<int>> below_, above_;  ///< of each link
    std::vector<bool> reached_, seen_;
    std::vector<int> fresh_;
    std::priority_queue<int, std::vector<int>, std::greater<>> upward_;
};

}  // namespace

void span_world(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot) {
    Spanner(context, graph, joints, robot).span();
    for (JointDescription& joint : joints.refused) robot.joints.push_back(std::move(joint));
    // If two equal joints have one child, make_mechanism cuts the later one.
    for (const bool closing : {false, true}) {
        for (std::size_t i = 0; i < joints.moving.size(); ++i) {
            if (joints.must_close[i] != closing) continue;
            if (joints.motors[i]) robot.actuated.push_back(joints.moving[i].name);
            robot.joints.push_back(joints.moving[i]);
        }
    }
}

}  // namespace grbda::sdf
