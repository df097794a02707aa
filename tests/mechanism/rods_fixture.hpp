#pragma once

#include <cmath>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include "description/rules.hpp"
#include "grbda/table.hpp"
#include "support/equivalence.hpp"

// Robots with rods between two arms, and the same robots with rods as bodies.

namespace rods_fixture {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using grbda::at;
using grbda::JointDescription;
using grbda::JointType;
using grbda::LoopDescription;
using grbda::LoopType;
using grbda::Model;
using grbda::Pose;

/// Ways to describe a ball joint.
enum class Ball { spherical, revolutes, universal };

/// The end of a rod that is a universal or revolute joint: none, or that on the side of the spanning tree, or
/// the other one.
enum class Guide { none, universal_on_tree, revolute_on_tree, universal_in_loop, revolute_in_loop };

inline bool is_on_tree(Guide guide) {
    return guide == Guide::universal_on_tree || guide == Guide::revolute_on_tree;
}
inline grbda::RodJoint joint_of(Guide guide) {
    if (guide == Guide::none) return grbda::RodJoint::ball;
    const bool universal = guide == Guide::universal_on_tree || guide == Guide::universal_in_loop;
    return universal ? grbda::RodJoint::universal : grbda::RodJoint::revolute;
}

class Builder {
public:
    explicit Builder(std::uint64_t seed) : random_(seed) {
        robot.name = "rods " + std::to_string(seed);
        add_link("ground", 5);
        add_arm("left", {0, 0, 0}, 3);
        add_arm("right", {0.6, 0.1, 0}, 3);
    }

    /// A rod from body i to body j of all arms, 0 the ground; whole, or in two halves.
    void add_rod(std::size_t i, std::size_t j, bool halves, Guide guide = Guide::none) {
        const std::string name = "rod" + std::to_string(rods++);
        const Vector3d a = offset(), b = offset();
        const Vector3d way = (places_[j] + b) - (places_[i] + a);
        const double length = way.norm();
        const Eigen::Matrix3d R = grbda::rotation_of_z(way);
        using grbda::RodJoint;
        const RodJoint on_tree = is_on_tree(guide) ? joint_of(guide) : RodJoint::ball,
                       other = is_on_tree(guide) ? RodJoint::ball : joint_of(guide);
        if (!halves) {
            const double center = uniform(0.05, 0.95) * length;
            hang(names_[i], a, R, name, on_tree);
            set_inertia(name, center);
            const bool ball = other == RodJoint::ball;
            close(name,
                  ball                           ? LoopType::spherical
                  : other == RodJoint::universal ? LoopType::universal
                                                 : LoopType::revolute,
                  {Eigen::Matrix3d::Identity(), {0, 0, length}}, names_[j],
                  {ball ? Eigen::Matrix3d::Identity() : R, b});
            return;
        }
        const double middle = uniform(0.3, 0.7) * length;
        hang(names_[i], a, R, name, on_tree);
        hang(names_[j], b, R, name + "_b", other);
        set_inertia(name, uniform(0.1, 0.9) * middle);
        set_inertia(name + "_b", -uniform(0.1, 0.9) * (length - middle));
        close(name, LoopType::fixed, {Eigen::Matrix3d::Identity(), {0, 0, middle}}, name + "_b",
              {Eigen::Matrix3d::Identity(), {0, 0, middle - length}});
    }

    /// The same as two links on a slide, of any inertia or symmetric about the line.
    void add_strut(std::size_t i, std::size_t j, Guide guide, bool symmetric) {
        const std::string name = "rod" + std::to_string(rods++), piston = name + "_b";
        const Vector3d a = offset(), b = offset();
        const Vector3d way = (places_[j] + b) - (places_[i] + a);
        const double length = way.norm(), middle = uniform(0.3, 0.7) * length;
        const Eigen::Matrix3d R = grbda::rotation_of_z(way);
        using grbda::RodJoint;
        hang(names_[i], a, R, name, is_on_tree(guide) ? joint_of(guide) : RodJoint::ball);
        robot.links.push_back({piston, {}, {}});
        add_joint(name, piston, {Eigen::Matrix3d::Identity(), {0, 0, middle}}, JointType::prismatic,
                  any(2) == 0 ? Vector3d(0, 0, 1) : Vector3d(0, 0, -1));
        set_inertia(name, uniform(-0.1, 0.9) * middle, symmetric);
        set_inertia(piston, uniform(-0.5, 0.9) * (length - middle), symmetric);
        const bool ball = guide == Guide::none || is_on_tree(guide);
        const LoopType type = ball                                     ? LoopType::spherical
                              : joint_of(guide) == RodJoint::universal ? LoopType::universal
                                                                       : LoopType::revolute;
        close(piston, type, {Eigen::Matrix3d::Identity(), {0, 0, length - middle}}, names_[j],
              {ball ? Eigen::Matrix3d::Identity() : R, b});
    }

    std::size_t arms() const { return names_.size(); }
    std::size_t any(std::size_t below) {
        return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
    }
    double uniform(double from, double to) {
        return std::uniform_real_distribution<double>(from, to)(random_);
    }

    grbda::RobotDescription robot;
    int rods = 0;

private:
    Vector3d direction() { return Vector3d(uniform(-1, 1), uniform(-1, 1), uniform(0.1, 1)).normalized(); }
    Vector3d offset() { return {uniform(-0.1, 0.1), uniform(-0.1, 0.1), uniform(0.05, 0.2)}; }

    void add_link(const std::string& name, double mass) {
        grbda::LinkDescription link;
        link.name = name;
        if (mass > 0) {
            const Vector3d moments(uniform(1, 2), uniform(1, 2), uniform(1, 2));
            link.inertial =
                grbda::Inertial{mass, offset(), Eigen::Matrix3d((0.01 * mass * moments).asDiagonal())};
        }
        robot.links.push_back(link);
        if (name == "ground") {
            names_.push_back(name);
            places_.push_back(Vector3d::Zero());
        }
    }
    void add_joint(const std::string& parent, const std::string& child, const Pose& origin, JointType type,
                   const Vector3d& axis, const Vector3d& axis2 = Vector3d::UnitY()) {
        JointDescription joint;
        joint.name = child + "_joint";
        joint.type = type;
        joint.parent = parent;
        joint.child = child;
        joint.origin = origin;
        joint.axis = axis;
        joint.axis2 = axis2;
        robot.joints.push_back(joint);
    }
    void add_arm(const std::string& name, Vector3d place, int bodies) {
        std::string parent = "ground";
        for (int i = 0; i < bodies; ++i) {
            const std::string link = name + std::to_string(i);
            const Vector3d step = i == 0 ? place : Vector3d(uniform(-0.1, 0.1), 0.1, uniform(0.2, 0.4));
            if (i > 0) place += step;
            add_link(link, uniform(0.5, 3));
            const JointType type = uniform(0, 1) < 0.15 ? JointType::prismatic : JointType::continuous;
            add_joint(parent, link, {Eigen::Matrix3d::Identity(), step}, type, direction());
            names_.push_back(link);
            places_.push_back(place);
            parent = link;
        }
    }
    /// Axes of a universal joint at right angles, the first one not along the rod; the second one, fixed in
    /// the rod, across it.
    std::pair<Vector3d, Vector3d> universal_axes() {
        const double turn = uniform(-3, 3), tilt = uniform(0.3, 2.8);
        const Vector3d second(std::cos(turn), std::sin(turn), 0);
        return {std::cos(tilt) * Vector3d::UnitZ() + std::sin(tilt) * Vector3d::UnitZ().cross(second),
                second};
    }
    /// A link on a universal joint, which one of two writings says.
    void hang_universal(const std::string& parent, const Pose& origin, const std::string& link) {
        const auto [first, second] = universal_axes();
        if (any(2) == 0) return add_joint(parent, link, origin, JointType::universal, first, second);
        robot.links.push_back({link + "_1", {}, {}});
        add_joint(parent, link + "_1", origin, JointType::continuous, first);
        add_joint(link + "_1", link, {}, JointType::continuous, second);
    }
    Vector3d across_rod() {
        const double turn = uniform(-3, 3);
        return {std::cos(turn), std::sin(turn), 0};
    }
    /// A link on a ball joint, which one of three writings says, or on a universal or revolute one.
    void hang(const std::string& parent, const Vector3d& place, const Eigen::Matrix3d& R,
              const std::string& link, grbda::RodJoint end) {
        const Pose origin{R, place};
        robot.links.push_back({link, {}, {}});
        if (end == grbda::RodJoint::universal) return hang_universal(parent, origin, link);
        if (end == grbda::RodJoint::revolute)
            return add_joint(parent, link, origin, JointType::continuous, across_rod());
        switch (static_cast<Ball>(any(3))) {
            case Ball::spherical: add_joint(parent, link, origin, JointType::spherical, direction()); return;
            case Ball::universal:
                robot.links.push_back({link + "_1", {}, {}});
                add_joint(parent, link + "_1", origin, JointType::universal, Vector3d::UnitX(),
                          Vector3d::UnitY());
                add_joint(link + "_1", link, {}, JointType::continuous, Vector3d::UnitZ());
                return;
            case Ball::revolutes: break;
        }
        robot.links.push_back({link + "_1", {}, {}});
        robot.links.push_back({link + "_2", {}, {}});
        add_joint(parent, link + "_1", origin, JointType::continuous, Vector3d::UnitX());
        add_joint(link + "_1", link + "_2", {}, JointType::continuous, Vector3d(0.1, 1, 0.2));
        add_joint(link + "_2", link, {}, JointType::continuous, Vector3d(0.2, 0.1, 1));
    }
    void set_inertia(const std::string& link, double center, bool symmetric = true) {
        const double mass = std::pow(10, uniform(-1, 0.5)), across = mass * std::pow(10, uniform(-3, -1));
        for (grbda::LinkDescription& each : robot.links)
            if (each.name == link)
                each.inertial = grbda::Inertial{
                    mass, {0, 0, center}, Vector3d(across, across, across * uniform(0.1, 0.9)).asDiagonal()};
        if (symmetric) return;
        for (grbda::LinkDescription& each : robot.links) {
            if (each.name != link) continue;
            each.inertial->com += 0.1 * offset();
            const Eigen::Matrix3d R = grbda::rotation_of_z(direction());
            const Vector3d moments(across * uniform(0.7, 1), across * uniform(0.7, 1), across);
            each.inertial->inertia = R * moments.asDiagonal() * R.transpose();
        }
    }
    void close(const std::string& predecessor, LoopType type, const Pose& P, const std::string& successor,
               const Pose& Q) {
        LoopDescription loop;
        loop.name = predecessor + "_loop";
        loop.type = type;
        loop.predecessor = predecessor;
        loop.successor = successor;
        loop.predecessor_origin = P;
        loop.successor_origin = Q;
        if (type == LoopType::universal) {  // its first axis is that of the predecessor, the rod
            const auto [of_carrier, of_rod] = universal_axes();
            loop.axis = of_rod;
            loop.axis2 = of_carrier;
        } else if (type == LoopType::revolute) {
            loop.axis = across_rod();
        }
        robot.loops.push_back(loop);
    }

    std::mt19937_64 random_;
    std::vector<std::string> names_;
    std::vector<Vector3d> places_;  ///< at zero, in the ground
};

inline Model built(const grbda::RobotDescription& robot, bool rods, bool floating = false,
                   std::optional<grbda::Form> form = {}) {
    grbda::LoadOptions options;
    options.rod_reduction = rods;
    options.floating_base = floating;
    options.form = form;
    return grbda::build_model(robot, options);
}

/// Two arms and one to three rods, every fifth with two balls: to the ground, between the arms, or within
/// one.
inline grbda::RobotDescription random_robot(std::uint64_t seed) {
    Builder builder(seed);
    const int count = 1 + static_cast<int>(builder.any(3));
    for (int k = 0; k < count; ++k) {
        const std::size_t i = builder.any(4), j = 4 + builder.any(builder.arms() - 4);
        const bool halves = builder.uniform(0, 1) < 0.5;
        constexpr Guide guides[] = {Guide::none, Guide::universal_on_tree, Guide::revolute_on_tree,
                                    Guide::universal_in_loop, Guide::revolute_in_loop};
        builder.add_rod(i, j, halves, guides[(seed + static_cast<std::size_t>(k)) % 5]);
    }
    return builder.robot;
}

/// Two arms with a strut, and every other one with a rod too.
inline grbda::RobotDescription random_struts(std::uint64_t seed) {
    Builder builder(seed);
    constexpr Guide guides[] = {Guide::universal_on_tree, Guide::revolute_on_tree, Guide::universal_in_loop,
                                Guide::revolute_in_loop};
    const Guide guide = guides[seed % 4];
    const bool symmetric = joint_of(guide) == grbda::RodJoint::universal || builder.any(4) == 0;
    builder.add_strut(builder.any(4), 4 + builder.any(builder.arms() - 4), guide, symmetric);
    if (builder.any(2) == 0)
        builder.add_rod(builder.any(4), 4 + builder.any(builder.arms() - 4), false, guides[builder.any(4)]);
    return builder.robot;
}

/// The same robot with rods as bodies, with the independent coordinates of `reduced`.
inline Model full_model(grbda::RobotDescription robot, const Model& reduced, bool floating = false) {
    for (JointDescription& joint : robot.joints)
        for (const int dof : reduced.independent)
            if (reduced.names
                    .joints[static_cast<std::size_t>(reduced.dof_body[static_cast<std::size_t>(dof)])] ==
                joint.name)
                joint.independent = true;
    return built(robot, false, floating);
}

/// ẏ of the reduced model as a part of that of the full one [nv × nv].
inline MatrixXd selection(const Model& full, const Model& reduced) {
    const std::vector<int> map = equivalence::velocity_map(full, reduced);
    MatrixXd T = MatrixXd::Zero(reduced.nv, full.nv);
    for (std::size_t i = 0; i < reduced.independent.size(); ++i) {
        const int in_full = map[static_cast<std::size_t>(reduced.v_index[at(reduced.independent[i])])];
        for (std::size_t j = 0; j < full.independent.size(); ++j)
            if (full.v_index[at(full.independent[j])] == in_full) T(reduced.y_index[i], full.y_index[j]) = 1;
    }
    return T;
}

/// The same with spin momenta of rods between balls.
inline Model spinning(Model model, Random& random) {
    for (std::size_t r = 0; r < model.rods.size(); ++r) {
        const grbda::Rod& rod = model.rods[r];
        if (rod.guided() || rod.axial <= 0) continue;
        const double size = rod.mass * rod.length * rod.length;
        const std::string name = model.names.rods[r].name;
        model = with_spin_momentum(std::move(model), name, size * random_vector(random, 1, 5)[0]);
    }
    return model;
}

}  // namespace rods_fixture
