#include "support/random_generator.hpp"

// Random loops that close at the reference configuration, and the number of rows that the freedoms allow.

namespace random_mechanism {

std::set<int> Generator::path(int a, int b) const {
    std::set<int> above_a, result;
    for (int i = a; i != kGround; i = moved_[at(i)].parent) above_a.insert(i);
    for (; b != kGround && !above_a.count(b); b = moved_[at(b)].parent) result.insert(b);
    for (; a != b; a = moved_[at(a)].parent) result.insert(a);
    return result;
}

bool Generator::spend(const std::set<int>& bodies, int rows) {
    std::set<int> groups;
    int on_path = 0, left = -rows;
    for (int body : bodies) {
        on_path += freedoms(body);
        groups.insert(group_[at(body)]);
    }
    for (std::size_t i = 0; i < group_.size(); ++i)
        if (groups.count(group_[i])) left += freedoms(static_cast<int>(i));
    for (int group : groups) left -= spent_[at(group)];
    const int least = chance(0.1) ? 0 : 1;  // now and then a structure that nothing moves
    if (bodies.empty() || on_path < rows || left < least) return false;
    const int joined = *groups.begin();
    for (int& group : group_) group = groups.count(group) ? joined : group;
    for (int group : groups)
        if (group != joined) spent_[at(joined)] += spent_[at(group)];
    spent_[at(joined)] += rows;
    return true;
}

int Generator::rank(LoopType type) const {
    if (!planar_ || type == LoopType::distance) return grbda::constraint_size(type);
    if (type == LoopType::point_on_line) return 1;
    return type == LoopType::fixed ? 3 : type == LoopType::planar ? 0 : 2;
}

Pose Generator::free_motion(const grbda::LoopDescription& loop) {
    JointDescription joint;
    joint.axis = loop.axis;
    joint.axis2 = loop.axis2;
    joint.pitch = loop.pitch;
    switch (loop.type) {
        case LoopType::fixed: return {};
        case LoopType::distance: {
            Pose result = pose(0.4);
            result.translation += 0.3 * (planar_ ? Eigen::Vector3d(Eigen::Vector3d::UnitX()) : direction());
            return result;
        }
        case LoopType::point_on_line: return {pose(0).rotation, loop.axis * uniform(random_, -0.3, 0.3)};
        case LoopType::prismatic: joint.type = JointType::prismatic; break;
        case LoopType::helical: joint.type = JointType::helical; break;
        case LoopType::cylindrical: joint.type = JointType::cylindrical; break;
        case LoopType::universal: joint.type = JointType::universal; break;
        case LoopType::planar: joint.type = JointType::planar; break;
        case LoopType::spherical: joint.type = JointType::spherical; break;
        case LoopType::revolute:
        case LoopType::continuous:
        case LoopType::floating: break;
    }
    if (planar_ && joint.type != JointType::prismatic && joint.type != JointType::planar)
        joint.type = JointType::revolute;
    return motion(joint, reference(joint.type));
}

void Generator::add_loop() {
    constexpr LoopType types[] = {LoopType::fixed,        LoopType::revolute,  LoopType::continuous,
                                  LoopType::prismatic,    LoopType::universal, LoopType::cylindrical,
                                  LoopType::planar,       LoopType::spherical, LoopType::distance,
                                  LoopType::point_on_line};
    constexpr int trials = 30;
    for (int trial = 0; trial < trials; ++trial) {
        grbda::LoopDescription loop;
        loop.type = types[integer(0, 9)];
        const bool threaded = loop.type == LoopType::cylindrical && uniform(pitches_, 0, 1) < 0.5;
        if (threaded && !planar_) loop.type = LoopType::helical;
        const Place& p = places_[index(places_.size())];
        const Place& s = places_[index(places_.size())];
        if (p.body == s.body || !spend(path(p.body, s.body), rank(loop.type))) continue;
        loop.name = "loop" + std::to_string(robot_.loops.size());
        loop.predecessor = p.name;
        loop.successor = s.name;
        const bool slides = loop.type == LoopType::prismatic || loop.type == LoopType::point_on_line;
        loop.axis = planar_ ? Eigen::Vector3d(0.6 * slides, 0.8 * slides, !slides) : direction();
        loop.axis2 = loop.axis.unitOrthogonal() + 0.3 * loop.axis;
        loop.predecessor_origin = pose(0.5);
        if (loop.type == LoopType::helical) loop.pitch = pitch();
        const Pose free = free_motion(loop);
        if (loop.type == LoopType::distance) loop.length = free.translation.norm();
        loop.successor_origin = inverse(s.pose) * p.pose * loop.predecessor_origin * free;
        robot_.loops.push_back(loop);
        return;
    }
}

void Generator::repeat_loop() {
    grbda::LoopDescription loop = robot_.loops[index(robot_.loops.size())];
    loop.name += "_again";
    if (loop.type != LoopType::universal && loop.type != LoopType::point_on_line && chance(0.5)) {
        std::swap(loop.predecessor, loop.successor);
        std::swap(loop.predecessor_origin, loop.successor_origin);
    }
    robot_.loops.push_back(loop);
}

}  // namespace random_mechanism
