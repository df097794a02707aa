#include "laws/strained_mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "support/baselines_fixture.hpp"
#include "support/random_mechanism.hpp"

namespace random_mechanism {
namespace {

using namespace baselines_fixture;
using grbda::JointDescription;
using grbda::JointType;
using grbda::LinearRelation;
using grbda::LoopDescription;
using grbda::LoopType;
using grbda::Pose;

class Strainer {
public:
    explicit Strainer(std::uint64_t seed) : random_(seed * 7919 + 1), robot_(random_mechanism(seed)) {
        robot_.name = "strained mechanism " + std::to_string(seed);
    }

    grbda::RobotDescription run() {
        repeat(3, [&] { add_shadow(); });
        repeat(2, [&] { add_mimic(); });
        repeat(2, [&] { repeat_loop(); });
        repeat(1, [&] { repeat_coupling(); });
        std::shuffle(robot_.loops.begin(), robot_.loops.end(), random_);
        if (chance(0.4)) round_figures();
        return robot_;
    }

private:
    bool chance(double probability) { return uniform(random_, 0, 1) < probability; }
    int integer(int lower, int upper) { return std::uniform_int_distribution<int>(lower, upper)(random_); }
    Eigen::Vector3d direction() { return exponential(random_vector(random_, 3, 2)).col(0); }

    template <class T>
    const T& any(const std::vector<T>& from) {
        return from[static_cast<std::size_t>(integer(0, static_cast<int>(from.size()) - 1))];
    }

    template <class Step>
    void repeat(int most, Step&& step) {
        for (int i = integer(0, most); i > 0; --i) step();
    }

    /// Loop types that leave a joint all that it can do, if their frames are placed right.
    static std::vector<LoopType> types_around(JointType type) {
        switch (type) {
            case JointType::revolute:
            case JointType::continuous:
                return {LoopType::revolute,  LoopType::continuous, LoopType::cylindrical, LoopType::planar,
                        LoopType::universal, LoopType::spherical,  LoopType::distance,    LoopType::distance};
            case JointType::prismatic: return {LoopType::prismatic, LoopType::cylindrical, LoopType::planar};
            case JointType::helical: return {LoopType::helical, LoopType::cylindrical};
            case JointType::cylindrical: return {LoopType::cylindrical};
            case JointType::planar: return {LoopType::planar};
            case JointType::universal: return {LoopType::universal, LoopType::spherical, LoopType::distance};
            case JointType::spherical: return {LoopType::spherical, LoopType::distance};
            case JointType::fixed:
            case JointType::floating: break;
        }
        return {};
    }

    /// A loop beside a joint that says less than the joint, or the same.
    void add_shadow() {
        const JointDescription& joint = any(robot_.joints);
        const std::vector<LoopType> types = types_around(joint.type);
        if (types.empty()) return;
        LoopDescription loop;
        loop.name = "shadow" + std::to_string(robot_.loops.size());
        loop.type = any(types);
        loop.predecessor = joint.parent;
        loop.successor = joint.child;
        const bool slides = joint.type == JointType::prismatic;
        Pose frame;  // of the loop, in the joint's
        if (chance(0.5)) frame.rotation = exponential(random_vector(random_, 3, 2));
        if (loop.type == LoopType::planar)
            frame.translation = random_vector(random_, 3, 0.3);
        else if (joint.type == JointType::revolute && loop.type == LoopType::cylindrical)
            frame.translation = joint.axis * uniform(random_, -0.3, 0.3);
        const Eigen::Vector3d axis =
            slides && loop.type == LoopType::planar ? joint.axis.unitOrthogonal() : joint.axis;
        loop.axis = frame.rotation.transpose() * axis;
        loop.axis2 = frame.rotation.transpose() *
                     (joint.type == JointType::universal ? joint.axis2 : Eigen::Vector3d(direction()));
        loop.pitch = joint.pitch;
        loop.predecessor_origin = joint.origin * frame;
        loop.successor_origin = frame;
        if (loop.type == LoopType::distance) {
            loop.successor_origin.translation += direction() * uniform(random_, 0.1, 0.5);
            loop.length = loop.successor_origin.translation.norm();
        }
        robot_.loops.push_back(loop);
    }

    std::vector<std::string> single_joints() const {
        std::vector<std::string> names;
        for (const JointDescription& joint : robot_.joints)
            if (grbda::velocity_size(joint.type) == 1) names.push_back(joint.name);
        return names;
    }

    /// A link on a joint of its own that follows another.
    void add_mimic() {
        const std::vector<std::string> joints = single_joints();
        if (joints.empty()) return;
        const std::string number = std::to_string(robot_.links.size()), leader = any(joints);
        const std::string parent = any(robot_.links).name;
        robot_.links.push_back(make_link("follower" + number, random_inertial(random_)));
        robot_.joints.push_back(make_joint("mimic" + number,
                                           chance(0.5) ? JointType::continuous : JointType::prismatic, parent,
                                           "follower" + number, random_pose(random_, 0.4), direction()));
        LinearRelation mimic;
        mimic.mimic = true;
        mimic.terms = {{"mimic" + number, 1, {}}, {leader, -uniform(random_, -2, 2), {}}};
        mimic.offset = uniform(random_, -0.3, 0.3);
        robot_.couplings.push_back({"mimic of mimic" + number, mimic, {}});
    }

    void repeat_loop() {
        if (robot_.loops.empty()) return;
        LoopDescription loop = any(robot_.loops);
        loop.name += "_" + std::to_string(robot_.loops.size());
        if (loop.type != LoopType::universal && loop.type != LoopType::point_on_line && chance(0.5)) {
            std::swap(loop.predecessor, loop.successor);
            std::swap(loop.predecessor_origin, loop.successor_origin);
        }
        robot_.loops.push_back(loop);
    }

    void repeat_coupling() {
        std::vector<grbda::CouplingDescription> linear_ones;
        for (const grbda::CouplingDescription& each : robot_.couplings)
            if (each.as<LinearRelation>()) linear_ones.push_back(each);
        if (linear_ones.empty()) return;
        grbda::CouplingDescription coupling = any(linear_ones);
        coupling.name += "_again";
        LinearRelation& linear = *coupling.as<LinearRelation>();
        linear.mimic = false;
        const double factor = uniform(random_, 0.5, 2);
        for (grbda::LinearTerm& term : linear.terms) term.coefficient *= factor;
        linear.offset *= factor;
        robot_.couplings.push_back(coupling);
    }

    /// Rounds lengths and directions to some decimals, and angles as in 1.5708 or 0.7854.
    void round_figures() {
        const double unit = std::pow(10., -integer(3, 8));
        const auto shorten = [&](Eigen::Vector3d& v) { v = (v.array() / unit).round() * unit; };
        const auto turn = [&](Pose& pose) {
            shorten(pose.translation);
            if (!chance(0.3)) return;
            const Eigen::Vector3d about = chance(0.5) ? Eigen::Vector3d::Unit(integer(0, 2)) : direction();
            pose.rotation = pose.rotation * exponential(about * uniform(random_, -unit, unit));
        };
        for (JointDescription& joint : robot_.joints) {
            turn(joint.origin);
            shorten(joint.axis);
            shorten(joint.axis2);
        }
        for (LoopDescription& loop : robot_.loops) {
            turn(loop.predecessor_origin);
            turn(loop.successor_origin);
            shorten(loop.axis);
            shorten(loop.axis2);
            if (loop.length) loop.length = std::round(*loop.length / unit) * unit;
        }
    }

    Random random_;
    grbda::RobotDescription robot_;
};

}  // namespace

grbda::RobotDescription strained_mechanism(std::uint64_t seed) { return Strainer(seed).run(); }

}  // namespace random_mechanism
