#include "support/random_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "support/random_generator.hpp"

namespace random_mechanism {

grbda::RobotDescription Generator::run() {
    add_tree();
    const int rotors = integer(0, 2), loops = integer(0, 3);
    for (int i = 0; i < loops; ++i) add_loop();
    std::swap(random_, cams_);
    if (chance(0.3)) add_cam();
    std::swap(random_, cams_);
    for (int i = 0; i < rotors; ++i) add_rotor();
    if (chance(0.25)) add_belt();
    if (chance(0.2)) add_linear();
    if (chance(0.15) && !robot_.loops.empty()) repeat_loop();
    std::swap(random_, trains_);
    for (int trains = std::max(integer(-2, 2), 0); trains > 0; --trains) add_train();
    std::swap(random_, trains_);
    if (chance(0.5)) give_start();
    add_frames();
    return robot_;
}

JointType Generator::joint_type() {
    const double x = uniform(random_, 0, 1);
    if (planar_) return x < 0.75 ? JointType::revolute : x < 0.9 ? JointType::prismatic : JointType::planar;
    if (x < 0.5) return JointType::revolute;
    if (x < 0.56) return JointType::continuous;
    if (x < 0.64) return JointType::prismatic;
    if (x < 0.68) return JointType::helical;
    if (x < 0.76) return JointType::cylindrical;
    if (x < 0.84) return JointType::universal;
    if (x < 0.89) return JointType::planar;
    return x < 0.98 ? JointType::spherical : JointType::floating;
}

std::vector<double> Generator::reference(JointType type) {
    std::vector<double> q;
    for (int i = 0; i < grbda::position_size(type); ++i) q.push_back(uniform(random_, -1, 1));
    if (type == JointType::prismatic) q[0] *= 0.3;
    if (type == JointType::spherical || type == JointType::floating) {
        q.back() += 2;
        double square = 0;
        for (std::size_t i = q.size() - 4; i < q.size(); ++i) square += q[i] * q[i];
        for (std::size_t i = q.size() - 4; i < q.size(); ++i) q[i] /= std::sqrt(square);
    }
    return q;
}

std::size_t Generator::add(const std::string& prefix, JointType type, std::size_t above,
                           const Eigen::Vector3d& axis) {
    const std::string number = std::to_string(robot_.links.size());
    robot_.links.push_back(make_link(prefix + number, random_inertial(random_)));
    JointDescription joint =
        make_joint("joint_" + prefix + number, type, places_[above].name, prefix + number, pose(0.5), axis);
    joint.axis2 = axis.unitOrthogonal() + 0.3 * axis;
    if (type == JointType::helical) joint.pitch = pitch();
    const bool single = grbda::velocity_size(type) == 1;
    if (single && chance(0.2)) joint.armature = uniform(random_, 0, 0.1);
    if (grbda::velocity_size(type) > 1 && uniform(armatures_, 0, 1) < 0.3)
        joint.armature = uniform(armatures_, 0, 1);
    const std::vector<double> q = reference(type);
    Place place{prefix + number, places_[above].body, places_[above].pose * joint.origin * motion(joint, q)};
    if (type != JointType::fixed) {
        place.body = static_cast<int>(moved_.size());
        moved_.push_back({places_[above].body, robot_.joints.size(), q});
        group_.push_back(place.body);
        spent_.push_back(0);
    }
    robot_.joints.push_back(joint);
    places_.push_back(place);
    return places_.size() - 1;
}

void Generator::add_tree() {
    const bool floating = chance(0.4);
    const int bodies = integer(2, 8);
    if (floating) add("base", JointType::floating, 0, Eigen::Vector3d::UnitX());
    for (int i = 0; i < bodies; ++i) {
        const std::size_t first = floating ? 1 : 0, last = places_.size() - 1;
        std::size_t above = chance(0.6) ? last : first + at(integer(0, static_cast<int>(last - first)));
        if (chance(0.2)) above = add("fixed", JointType::fixed, above, Eigen::Vector3d::UnitX());
        const JointType type = joint_type();
        Eigen::Vector3d axis = planar_ ? Eigen::Vector3d(Eigen::Vector3d::UnitZ()) : direction();
        if (planar_ && type == JointType::prismatic) axis << std::cos(i), std::sin(i), 0;
        const std::size_t body = add("link", type, above, axis);
        if (chance(0.2)) add("fixed", JointType::fixed, body, Eigen::Vector3d::UnitX());
    }
}

void Generator::give_start() {
    for (const Moved& moved : moved_) {
        std::vector<double> q = moved.q;
        for (double& x : q) x += uniform(random_, -0.05, 0.05);
        robot_.start[robot_.joints[moved.joint].name] = q;
    }
}

grbda::RobotDescription random_mechanism(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace random_mechanism
