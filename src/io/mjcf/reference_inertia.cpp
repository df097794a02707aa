#include <cmath>

#include <Eigen/Geometry>

#include "actuators.hpp"
#include "linear/dense.hpp"

namespace grbda::mjcf {

namespace {

/// Mass matrix of a tree at its reference pose, in world axes.
class ReferenceInertia {
public:
    ReferenceInertia(const Tree& tree, const RobotDescription& robot) : robot_(robot) {
        for (std::size_t i = 0; i < robot.joints.size(); ++i) {
            above_[robot.joints[i].child] = i;
            first_.push_back(size_);
            size_ += velocity_size(robot.joints[i].type);
        }
        for (const Body& body : tree.bodies) body_of_[body.link] = &body;
        M_.setZero(size_, size_);
        for (const LinkDescription& link : robot.links)
            if (link.inertial && body_of_.count(link.name) != 0) add(link);
        for (std::size_t i = 0; i < robot.joints.size(); ++i)
            M_.diagonal().segment(first_[i], velocity_size(robot.joints[i].type)).array() +=
                robot.joints[i].armature;
    }

    double apparent(std::size_t joint) const {
        const Eigen::VectorXd moved =
            linear::solve_symmetric(M_, Eigen::VectorXd::Unit(size_, first_[joint]));
        const double inverse = moved[first_[joint]];
        return std::isfinite(inverse) && inverse > 0 ? 1 / inverse : 0;
    }

private:
    /// Adds Jᵀ I J of the body with this link, over the joints on its path to the world.
    void add(const LinkDescription& link) {
        const Inertial& inertial = *link.inertial;
        const Body* body = body_of_[link.name];
        const Eigen::Matrix3d turn = body->in_world.rotation;
        const Eigen::Vector3d com = turn * inertial.com + body->in_world.translation;
        Eigen::MatrixXd linear = Eigen::MatrixXd::Zero(3, size_), angular = linear;
        std::string below = link.name;
        for (auto entry = above_.find(below); entry != above_.end(); entry = above_.find(below)) {
            if (const auto own = body_of_.find(below); own != body_of_.end()) body = own->second;
            put_columns(entry->second, *body, com, linear, angular);
            below = robot_.joints[entry->second].parent;
        }
        const Eigen::MatrixXd local = turn.transpose() * angular;
        M_ += inertial.mass * linear.transpose() * linear + local.transpose() * inertial.inertia * local;
    }

    /// Motion of a point by the velocities of a joint that moves `body`.
    void put_columns(std::size_t joint, const Body& body, const Eigen::Vector3d& point,
                     Eigen::MatrixXd& linear, Eigen::MatrixXd& angular) const {
        const JointDescription& given = robot_.joints[joint];
        const Eigen::Vector3d arm = point - (body.in_world * given.child_origin).translation;
        int column = first_[joint];
        const auto turn = [&](const Eigen::Vector3d& axis) {
            angular.col(column) = axis;
            linear.col(column++) = axis.cross(arm);
        };
        const Eigen::Vector3d axis = body.in_world.rotation * given.axis.normalized();
        if (given.type == JointType::prismatic) linear.col(column) = axis;
        if (given.type == JointType::revolute || given.type == JointType::continuous) turn(axis);
        if (given.type == JointType::floating)
            for (int i = 0; i < 3; ++i) linear(i, column++) = 1;
        if (has_quaternion(given.type))
            for (int i = 0; i < 3; ++i) turn(Eigen::Vector3d::Unit(i));
    }

    const RobotDescription& robot_;
    std::map<std::string, std::size_t> above_;    ///< joint of each link
    std::map<std::string, const Body*> body_of_;  ///< of each link, except those between joints of one body
    std::vector<int> first_;                      ///< velocity of each joint
    int size_ = 0;
    Eigen::MatrixXd M_;
};

}  // namespace

double inertia_at_reference(const Tree& tree, const RobotDescription& robot, std::size_t joint) {
    return ReferenceInertia(tree, robot).apparent(joint);
}

}  // namespace grbda::mjcf
