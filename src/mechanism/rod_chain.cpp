#include "rod_chain.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "description/rules.hpp"
#include "grbda/mechanism.hpp"
#include "steps.hpp"

namespace grbda::mechanism {
namespace {

/// Sine of the angle between axes in a row that count as parallel: a ball joint of them is nearly blocked.
constexpr double parallel_sine = 0.1;

bool has_no_inertia(const Inertial& inertial) { return inertial.mass == 0 && inertial.inertia.isZero(0); }

int freedoms_of(JointType type) {
    const bool turns =
        type == JointType::revolute || type == JointType::universal || type == JointType::spherical;
    return turns ? velocity_size(type) : 0;
}

/// Rotations about a point that a loop leaves free; 0 for loops that are no such joint.
int freedoms_of(LoopType type) {
    if (type == LoopType::revolute) return 1;
    if (type == LoopType::universal) return 2;
    return type == LoopType::spherical ? 3 : 0;
}

/// Bodies and the joints between them.
class JointGraph {
public:
    explicit JointGraph(const Mechanism& mechanism)
        : mechanism_(mechanism), joints_(mechanism.bodies.size()) {
        for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
            const int body = static_cast<int>(i), parent = mechanism.bodies[i].parent;
            add(body, {-1, body, parent});
            add(parent, {-1, body, body});
        }
        for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
            const MechanismLoop& loop = mechanism.loops[l];
            const int index = static_cast<int>(l);
            add(loop.predecessor, {index, -1, loop.successor});
            add(loop.successor, {index, -1, loop.predecessor});
        }
    }

    const std::vector<ChainJoint>& joints(int body) const { return joints_[at(body)]; }
    bool has_two_joints(int body) const { return body != world && joints(body).size() == 2; }

    int freedoms(const ChainJoint& joint) const {
        return joint.loop >= 0 ? freedoms_of(mechanism_.loops[joint.loop].type)
                               : freedoms_of(mechanism_.bodies[joint.body].type);
    }

    /// The chain that leaves a body by a joint, as far as it turns about three axes or reaches a body with
    /// mass or other joints.
    RodEnd end_from(ChainJoint joint) const {
        RodEnd end;
        for (;;) {
            const int freedoms_here = freedoms(joint);
            end.joints.push_back(joint);
            end.carrier = joint.far;
            end.freedoms += freedoms_here;
            const bool passes = freedoms_here > 0 && end.freedoms < 3 && has_two_joints(end.carrier) &&
                                has_no_inertia(mechanism_.bodies[end.carrier].inertia);
            if (!passes) return freedoms_here > 0 ? end : RodEnd{end.carrier, end.joints, end.links, 0};
            end.links.push_back(end.carrier);
            joint = other_joint(end.carrier, joint);
        }
    }

    /// The other joint of a body with two joints.
    const ChainJoint& other_joint(int body, const ChainJoint& joint) const {
        const std::vector<ChainJoint>& both = joints(body);
        return is_same(both[0], joint) ? both[1] : both[0];
    }

private:
    static bool is_same(const ChainJoint& a, const ChainJoint& b) {
        return a.loop == b.loop && a.body == b.body;
    }
    void add(int body, const ChainJoint& joint) {
        if (body != world) joints_[at(body)].push_back(joint);
    }

    const Mechanism& mechanism_;
    std::vector<std::vector<ChainJoint>> joints_;
};

/// The joint by which a body is welded to another one with two joints.
const ChainJoint* weld_of(const Mechanism& mechanism, const JointGraph& graph, int body) {
    for (const ChainJoint& joint : graph.joints(body))
        if (joint.loop >= 0 && mechanism.loops[joint.loop].type == LoopType::fixed &&
            graph.has_two_joints(joint.far))
            return &joint;
    return nullptr;
}

/// The slide from a body to a child of it with one other joint.
const ChainJoint* slide_of(const Mechanism& mechanism, const JointGraph& graph, int body) {
    for (const ChainJoint& joint : graph.joints(body))
        if (joint.loop < 0 && joint.far == joint.body &&
            mechanism.bodies[joint.body].type == JointType::prismatic && graph.has_two_joints(joint.far))
            return &joint;
    return nullptr;
}

/// The frames of a joint in its near and in its far body.
struct JointFrames {
    Pose near, far;
};
JointFrames frames_of(const Mechanism& mechanism, const ChainJoint& joint) {
    if (joint.loop < 0) {
        const Pose& in_parent = mechanism.bodies[joint.body].placement;
        return joint.far == joint.body ? JointFrames{in_parent, {}} : JointFrames{{}, in_parent};
    }
    const MechanismLoop& loop = mechanism.loops[joint.loop];
    return joint.far == loop.successor ? JointFrames{loop.predecessor_placement, loop.successor_placement}
                                       : JointFrames{loop.successor_placement, loop.predecessor_placement};
}

/// Axes of a joint in its frame, that which is fixed in the near body first; a spherical one has none.
std::vector<Eigen::Vector3d> axes_of(const Mechanism& mechanism, const ChainJoint& joint) {
    const auto axes = [](int freedoms, const auto& from, bool forward) -> std::vector<Eigen::Vector3d> {
        if (freedoms == 1) return {from.axis};
        if (freedoms != 2) return {};
        if (forward) return {from.axis, from.axis2};
        return {from.axis2, from.axis};
    };
    if (joint.loop < 0) {
        const MechanismBody& body = mechanism.bodies[joint.body];
        return axes(freedoms_of(body.type), body, joint.far == joint.body);
    }
    const MechanismLoop& loop = mechanism.loops[joint.loop];
    return axes(freedoms_of(loop.type), loop, joint.far == loop.successor);
}

/// Lines through points, and the point that is nearest to all of them.
struct Lines {
    std::vector<Eigen::Vector3d> points, directions;

    Eigen::Vector3d nearest_point() const {
        Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
        Eigen::Vector3d right = Eigen::Vector3d::Zero();
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Eigen::Matrix3d across =
                Eigen::Matrix3d::Identity() - directions[i] * directions[i].transpose();
            sum += across;
            right += across * (points[i] - points[0]);
        }
        return points[0] + sum.inverse() * right;
    }
    double largest_distance(const Eigen::Vector3d& from) const {
        double largest = 0;
        for (std::size_t i = 0; i < points.size(); ++i)
            largest = std::max(largest, directions[i].cross(from - points[i]).norm());
        return largest;
    }
    bool has_parallel_pair() const {
        for (std::size_t i = 0; i + 1 < directions.size(); ++i)
            if (!(directions[i].cross(directions[i + 1]).norm() > parallel_sine)) return true;
        return false;
    }
};

/// End A is where the spanning tree comes from.
RodChain with_ends(const Mechanism& mechanism, RodChain chain, RodEnd a, RodEnd b) {
    const auto hangs = [&](int body, const RodEnd& end) {
        const ChainJoint& joint = end.joints.front();
        return joint.loop < 0 && joint.body == body && joint.far == mechanism.bodies[body].parent;
    };
    if (!hangs(chain.first, a)) {
        std::swap(a, b);
        std::swap(chain.first, chain.second);
    }
    chain.a = std::move(a);
    chain.b = std::move(b);
    return chain;
}

}  // namespace

std::vector<int> links_of(const RodChain& chain) {
    std::vector<int> links{chain.first};
    if (chain.second != chain.first) links.push_back(chain.second);
    for (const RodEnd* end : {&chain.a, &chain.b})
        links.insert(links.end(), end->links.begin(), end->links.end());
    return links;
}

std::vector<int> loops_of(const RodChain& chain) {
    std::vector<int> loops;
    if (chain.weld >= 0) loops.push_back(chain.weld);
    for (const RodEnd* end : {&chain.a, &chain.b})
        for (const ChainJoint& joint : end->joints)
            if (joint.loop >= 0) loops.push_back(joint.loop);
    return loops;
}

std::vector<RodChain> find_rod_chains(const Mechanism& mechanism) {
    const JointGraph graph(mechanism);
    std::vector<RodChain> chains;
    for (int i = 0; i < static_cast<int>(mechanism.bodies.size()); ++i) {
        if (has_no_inertia(mechanism.bodies[i].inertia) || !graph.has_two_joints(i)) continue;
        RodChain chain{i, i, -1, false, {}, {}};
        const std::vector<ChainJoint>& joints = graph.joints(i);
        ChainJoint to_a = joints[0], to_b = joints[1];
        if (const ChainJoint* const weld = weld_of(mechanism, graph, i)) {
            chain.weld = weld->loop;
            chain.second = weld->far;
            if (chain.second < i && !has_no_inertia(mechanism.bodies[chain.second].inertia)) continue;
            to_a = graph.other_joint(i, *weld);
            to_b = graph.other_joint(chain.second, {weld->loop, -1, i});
        } else if (const ChainJoint* const slide = slide_of(mechanism, graph, i)) {
            chain.slides = true;
            chain.second = slide->body;
            to_a = graph.other_joint(i, *slide);
            to_b = graph.other_joint(chain.second, *slide);
        }
        RodEnd a = graph.end_from(to_a), b = graph.end_from(to_b);
        if (std::min(a.freedoms, b.freedoms) < 1 || std::max(a.freedoms, b.freedoms) < 3) continue;
        chains.push_back(with_ends(mechanism, std::move(chain), std::move(a), std::move(b)));
    }
    return chains;
}

RodBall ball_of(const Mechanism& mechanism, const RodEnd& end) {
    Lines lines;
    std::optional<Eigen::Vector3d> center;
    Pose near;  // in the rod
    for (const ChainJoint& joint : end.joints) {
        const JointFrames frames = frames_of(mechanism, joint);
        const Pose frame = near * frames.near;
        near = frame * inverse(frames.far);
        const std::vector<Eigen::Vector3d> axes = axes_of(mechanism, joint);
        if (axes.empty()) center = frame.translation;
        for (const Eigen::Vector3d& axis : axes) {
            lines.points.push_back(frame.translation);
            lines.directions.push_back(frame.rotation * axis);
        }
    }
    RodBall ball;
    ball.has_parallel_axes = lines.has_parallel_pair();
    if (!center)
        center = lines.has_parallel_pair() || lines.points.size() < 2 ? lines.points.front()
                                                                      : lines.nearest_point();
    ball.in_rod = *center;
    ball.rod = inverse(near);
    ball.in_carrier = ball.rod.translation + ball.rod.rotation * *center;
    ball.gap = lines.largest_distance(*center);
    ball.axes = lines.directions;
    return ball;
}

Pose second_in_first(const Mechanism& mechanism, const RodChain& chain) {
    if (chain.slides) return mechanism.bodies[chain.second].placement;
    if (chain.weld < 0) return {};
    const JointFrames frames = frames_of(mechanism, {chain.weld, -1, chain.second});
    return frames.near * inverse(frames.far);
}

Inertial rod_inertia(const Mechanism& mechanism, const RodChain& chain) {
    const Inertial& first = mechanism.bodies[chain.first].inertia;
    if (chain.weld < 0) return first;
    return merged(first, placed(mechanism.bodies[chain.second].inertia, second_in_first(mechanism, chain)));
}

}  // namespace grbda::mechanism
