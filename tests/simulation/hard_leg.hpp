#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/described.hpp"

// Legs driven by linear actuators on ball joints, cranks and rods, built around a known closed
// configuration far from q = 0, where they are wide open.

namespace hard_leg {

using Eigen::Vector3d;
using grbda::JointType;

class Rig {
public:
    grbda::RobotDescription robot;
    std::map<std::string, std::vector<double>> closed;  ///< joint → position that closes every loop
    int dofs = 0, actuators = 0, rods = 0;

    /// `away`: joint positions of the closed configuration lie within ± away, rad and 0.2 m.
    Rig(unsigned seed, double away, bool floating) : random_(seed), away_(away) {
        robot.name = "hard leg";
        robot.links.push_back(
            baselines_fixture::make_link("torso", baselines_fixture::random_inertial(random_)));
        if (!floating) return;
        robot.links.insert(robot.links.begin(), grbda::LinkDescription{});
        robot.links.front().name = "ground";
        add("base", JointType::floating, "ground", "torso", {}, Vector3d::UnitX());
    }

    /// A link on a revolute joint through a point, about an axis, both in the torso at the closed
    /// configuration. The joint is called as the link.
    void turning(const std::string& link, const std::string& parent, const Vector3d& point,
                 const Vector3d& axis) {
        add_link(link);
        add(link, JointType::revolute, parent, link, {Eigen::Matrix3d::Identity(), nudged(point)}, axis);
    }
    /// Cylinder on a universal joint, piston in it, ball joint at its tip: adds no freedom.
    void actuator(const std::string& name, const std::string& from, const Vector3d& foot,
                  const std::string& to, const Vector3d& tip) {
        ++actuators;
        const Vector3d bottom = nudged(foot), top = tip_ = nudged(tip);
        const grbda::Pose mount = along(bottom, top);
        add_link(name + "_cylinder");
        add_link(name + "_piston");
        add(name + "_mount", JointType::universal, from, name + "_cylinder", mount, Vector3d::UnitX());
        add(name, JointType::prismatic, name + "_cylinder", name + "_piston",
            mount * baselines_fixture::shift(0, 0, 0.5 * (top - bottom).norm()), Vector3d::UnitZ());
        ball(name, name + "_piston", to);
        robot.actuated.push_back(name);
    }
    /// A rod between two ball joints: takes one freedom and adds an idle one.
    void rod(const std::string& name, const std::string& from, const Vector3d& foot, const std::string& to,
             const Vector3d& tip) {
        ++rods;
        const Vector3d bottom = nudged(foot), top = tip_ = nudged(tip);
        const grbda::Pose mount = along(bottom, top);
        add_link(name);
        add(name, JointType::spherical, from, name, mount, Vector3d::UnitX());
        ball(name, name, to);
    }

    int loops() const { return static_cast<int>(robot.loops.size()); }
    Eigen::VectorXd closed_configuration(const grbda::Model& model) const {
        Eigen::VectorXd q(model.nq);
        for (std::size_t i = 0; i < model.bodies.size(); ++i) {
            const std::vector<double>& position = closed.at(model.names.joints[i]);
            for (std::size_t j = 0; j < position.size(); ++j)
                q[model.bodies[i].q + static_cast<int>(j)] = position[j];
        }
        return q;
    }

private:
    void add_link(const std::string& name) {
        robot.links.push_back(
            baselines_fixture::make_link(name, baselines_fixture::random_inertial(random_)));
    }
    /// A joint whose child stands at `pose` at the closed configuration, wherever that is.
    void add(const std::string& name, JointType type, const std::string& parent, const std::string& child,
             const grbda::Pose& pose, const Vector3d& axis) {
        std::vector<double> position;
        if (type == JointType::spherical || type == JointType::floating) {
            const Eigen::Quaterniond turn(
                baselines_fixture::exponential(baselines_fixture::random_vector(random_, 3, away_)));
            if (type == JointType::floating) position = {0.1, -0.2, 0.9};
            for (const double x : {turn.x(), turn.y(), turn.z(), turn.w()}) position.push_back(x);
        } else {
            const double reach = type == JointType::prismatic ? std::min(away_, 0.2) : away_;
            for (int j = 0; j < grbda::position_size(type); ++j)
                position.push_back(baselines_fixture::uniform(random_, -reach, reach));
        }
        closed[name] = position;
        dofs += grbda::velocity_size(type);
        const Eigen::Map<const Eigen::VectorXd> q(position.data(),
                                                  static_cast<Eigen::Index>(position.size()));
        robot.joints.push_back(baselines_fixture::make_joint(
            name, type, parent, child,
            grbda::inverse(pose_[parent]) * pose *
                grbda::inverse(described::motion(type, axis, Vector3d::UnitY(), q)),
            axis));
        pose_[child] = pose;
    }
    void ball(const std::string& name, const std::string& from, const std::string& to) {
        grbda::LoopDescription loop;
        loop.name = name + "_ball";
        loop.type = grbda::LoopType::spherical;
        loop.predecessor = to;
        loop.successor = from;
        const grbda::Pose tip{Eigen::Matrix3d::Identity(), tip_};
        loop.predecessor_origin = grbda::inverse(pose_.at(to)) * tip;
        loop.successor_origin = grbda::inverse(pose_.at(from)) * tip;
        robot.loops.push_back(loop);
    }
    /// Moves a point at random, so that no axes are exactly parallel or symmetric.
    Vector3d nudged(const Vector3d& point) {
        return point + baselines_fixture::random_vector(random_, 3, 0.01);
    }
    static grbda::Pose along(const Vector3d& foot, const Vector3d& tip) {
        return {
            Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), tip - foot).normalized().toRotationMatrix(),
            foot};
    }

    baselines_fixture::Random random_;
    double away_;
    Vector3d tip_ = Vector3d::Zero();  ///< of the rod or piston last added
    std::map<std::string, grbda::Pose> pose_;
};

/// Eleven loops: six actuators and five rods that move hip, knee and ankle over cranks. `carrier` bears the
/// actuators of knee and ankle: the thigh, or the torso, which ties the whole leg into one cluster.
inline void add_leg(Rig& rig, const std::string& side, double y, const std::string& carrier) {
    const Vector3d X = Vector3d::UnitX(), Y = Vector3d::UnitY(), Z = Vector3d::UnitZ();
    const auto name = [&](const std::string& part) { return side + part; };
    const std::string bearer = carrier == "torso" ? carrier : name(carrier);
    rig.turning(name("hip_z"), "torso", {0, y, 0}, Z);
    rig.turning(name("hip_x"), name("hip_z"), {0, y, -0.05}, X);
    rig.turning(name("thigh"), name("hip_x"), {0, y, -0.05}, Y);
    rig.turning(name("shin"), name("thigh"), {0.05, y, -0.4}, Y);
    rig.turning(name("ankle"), name("shin"), {0, y, -0.8}, Y);
    rig.turning(name("foot"), name("ankle"), {0, y, -0.8}, X);
    rig.actuator(name("turn"), "torso", {-0.2, y - 0.05, 0.05}, name("hip_z"), {-0.03, y + 0.08, -0.02});
    rig.actuator(name("swing_in"), name("hip_z"), {0.08, y - 0.06, 0.02}, name("thigh"),
                 {0.07, y - 0.04, -0.2});
    rig.actuator(name("swing_out"), name("hip_z"), {0.08, y + 0.06, 0.02}, name("thigh"),
                 {0.07, y + 0.04, -0.2});
    rig.turning(name("knee_crank"), name("thigh"), {-0.03, y, -0.36}, Y);
    rig.actuator(name("bend"), bearer, {-0.06, y + 0.01, -0.08}, name("knee_crank"), {-0.09, y, -0.36});
    rig.rod(name("knee_rod"), name("knee_crank"), {-0.08, y, -0.4}, name("shin"), {0, y, -0.45});
    for (const double s : {-1., 1.}) {
        const std::string end = s < 0 ? "_in" : "_out";
        const double at = y + 0.04 * s;
        rig.turning(name("upper" + end), name("thigh"), {0, at, -0.2}, Y);
        rig.turning(name("lower" + end), name("thigh"), {0.05, at, -0.4}, Y);
        rig.actuator(name("tilt" + end), bearer, {-0.02, at, -0.06}, name("upper" + end), {-0.06, at, -0.2});
        rig.rod(name("upper_rod" + end), name("upper" + end), {-0.05, at, -0.23}, name("lower" + end),
                {-0.01, at, -0.43});
        rig.rod(name("lower_rod" + end), name("lower" + end), {0, at, -0.42}, name("foot"),
                {-0.06, at, -0.83});
    }
}

/// One leg; two on a floating torso; or two that a rocker ties into a single cluster of 24 loops.
inline Rig leg(unsigned seed, double away) {
    Rig rig(seed, away, false);
    add_leg(rig, "", 0.1, "thigh");
    return rig;
}
inline Rig tied_leg(unsigned seed, double away) {
    Rig rig(seed, away, false);
    add_leg(rig, "", 0.1, "torso");
    return rig;
}
inline Rig two_legs(unsigned seed, double away) {
    Rig rig(seed, away, true);
    add_leg(rig, "left_", 0.1, "thigh");
    add_leg(rig, "right_", -0.1, "thigh");
    return rig;
}
inline Rig tied_legs(unsigned seed, double away) {
    Rig rig(seed, away, true);
    add_leg(rig, "left_", 0.1, "torso");
    add_leg(rig, "right_", -0.1, "torso");
    rig.turning("rocker", "torso", {0.15, 0, 0.1}, Vector3d::UnitZ());
    rig.rod("left_link", "rocker", {0.15, 0.08, 0.1}, "left_hip_z", {0.05, 0.15, 0});
    rig.rod("right_link", "rocker", {0.15, -0.08, 0.1}, "right_hip_z", {0.05, -0.15, 0});
    return rig;
}

}  // namespace hard_leg
