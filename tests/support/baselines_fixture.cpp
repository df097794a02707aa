#include "support/baselines_fixture.hpp"

namespace baselines_fixture {

double uniform(Random& random, double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(random);
}

Eigen::VectorXd random_vector(Random& random, Eigen::Index size, double bound) {
    Eigen::VectorXd vector(size);
    for (double& x : vector) x = uniform(random, -bound, bound);
    return vector;
}

Eigen::Matrix3d exponential(const Eigen::Vector3d& rotation) {
    const double angle = rotation.norm();
    if (angle == 0) return Eigen::Matrix3d::Identity();
    return Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
}

grbda::Pose random_pose(Random& random, double reach) {
    return {exponential(random_vector(random, 3, 2)), random_vector(random, 3, reach)};
}

grbda::Pose shift(double x, double y, double z) {
    grbda::Pose pose;
    pose.translation << x, y, z;
    return pose;
}

grbda::Inertial random_inertial(Random& random) {
    grbda::Inertial inertial;
    Eigen::Matrix<double, 3, 8> points;
    for (int i = 0; i < 8; ++i) points.col(i) = random_vector(random, 3, 0.3);
    const double share = uniform(random, 0.05, 0.25);
    inertial.mass = 8 * share;
    inertial.com = points.rowwise().mean();
    for (int i = 0; i < 8; ++i) {
        const Eigen::Vector3d arm = points.col(i) - inertial.com;
        inertial.inertia += share * (arm.squaredNorm() * Eigen::Matrix3d::Identity() - arm * arm.transpose());
    }
    return inertial;
}

grbda::LinkDescription make_link(const std::string& name, const grbda::Inertial& inertial) {
    grbda::LinkDescription link;
    link.name = name;
    link.inertial = inertial;
    return link;
}

grbda::JointDescription make_joint(const std::string& name, grbda::JointType type, const std::string& parent,
                                   const std::string& child, const grbda::Pose& origin,
                                   const Eigen::Vector3d& axis) {
    grbda::JointDescription joint;
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.origin = origin;
    joint.axis = axis;
    return joint;
}

grbda::RobotDescription empty_robot(const std::string& name) {
    grbda::RobotDescription robot;
    robot.name = name;
    grbda::LinkDescription ground;
    ground.name = "ground";
    robot.links.push_back(ground);
    return robot;
}

int add_body(grbda::RobotDescription& robot, Random& random, grbda::JointType type, int parent) {
    const int index = static_cast<int>(robot.links.size());
    const std::string above = parent == 0 ? "ground" : "l" + std::to_string(parent);
    const std::string own = "l" + std::to_string(index);
    robot.links.push_back(make_link(own, random_inertial(random)));
    const Eigen::Vector3d axis = exponential(random_vector(random, 3, 2)).col(0);
    robot.joints.push_back(
        make_joint("j" + std::to_string(index), type, above, own, random_pose(random, 0.5), axis));
    robot.joints.back().axis2 = exponential(random_vector(random, 3, 2)).col(1);
    robot.joints.back().armature = type == grbda::JointType::revolute ? uniform(random, 0, 0.1) : 0.0;
    return index;
}

grbda::Pose zero_pose(const grbda::RobotDescription& robot, int index) {
    grbda::Pose pose;
    for (std::string link = "l" + std::to_string(index); link != "ground";)
        for (const grbda::JointDescription& joint : robot.joints)
            if (joint.child == link) {
                pose = grbda::Pose{joint.origin.rotation * pose.rotation,
                                   joint.origin.rotation * pose.translation + joint.origin.translation};
                link = joint.parent;
                break;
            }
    return pose;
}

grbda::Pose seen_from(const grbda::Pose& frame, const grbda::Pose& pose) {
    return {frame.rotation.transpose() * pose.rotation,
            frame.rotation.transpose() * (pose.translation - frame.translation)};
}

void add_loop(grbda::RobotDescription& robot, Random& random, grbda::LoopType type, int predecessor,
              int successor) {
    grbda::LoopDescription loop;
    loop.name = "loop" + std::to_string(robot.loops.size());
    loop.type = type;
    loop.predecessor = predecessor == 0 ? "ground" : "l" + std::to_string(predecessor);
    loop.successor = successor == 0 ? "ground" : "l" + std::to_string(successor);
    const grbda::Pose P = random_pose(random, 0.7);
    grbda::Pose Q = P;
    if (type == grbda::LoopType::helical) loop.pitch = 0.2;
    if (type == grbda::LoopType::distance) Q.translation += Eigen::Vector3d(0.3, -0.4, 0.5);
    loop.predecessor_origin = seen_from(predecessor == 0 ? grbda::Pose{} : zero_pose(robot, predecessor), P);
    loop.successor_origin = seen_from(successor == 0 ? grbda::Pose{} : zero_pose(robot, successor), Q);
    loop.axis = exponential(random_vector(random, 3, 2)).col(0);
    loop.axis2 = loop.axis.unitOrthogonal() + 0.4 * loop.axis;  // not perpendicular: the constant is not 0
    robot.loops.push_back(loop);
}

grbda::RobotDescription every_joint_type(Random& random, bool floating) {
    using grbda::JointType;
    grbda::RobotDescription robot = empty_robot("every joint type");
    const int base = floating ? add_body(robot, random, JointType::floating, 0)
                              : add_body(robot, random, JointType::revolute, 0);
    const int arm = add_body(robot, random, JointType::universal, base);
    add_body(robot, random, JointType::cylindrical, arm);
    const int leg = add_body(robot, random, JointType::spherical, base);
    const int shank = add_body(robot, random, JointType::planar, leg);
    add_body(robot, random, JointType::prismatic, shank);
    add_body(robot, random, JointType::revolute, leg);
    Random own = random;  // the robots after this one stay what they were
    const int nut = add_body(robot, own, JointType::helical, shank);
    robot.joints.back().pitch = -0.3;
    add_body(robot, own, JointType::revolute, nut);
    return robot;
}

void add_closed_chain(grbda::RobotDescription& robot, Random& random, grbda::LoopType type, int base) {
    using grbda::JointType;
    const int first = add_body(robot, random, JointType::revolute, base);
    const int second = add_body(robot, random, JointType::universal, first);
    const int third = add_body(robot, random, JointType::prismatic, second);
    const int fourth = add_body(robot, random, JointType::spherical, third);
    const int other = add_body(robot, random, JointType::revolute, base);
    add_loop(robot, random, type, fourth, other);
}

grbda::RobotDescription one_loop(Random& random, grbda::LoopType type, bool floating) {
    grbda::RobotDescription robot = empty_robot(std::string("loop of type ") + grbda::to_string(type));
    const int base = floating ? add_body(robot, random, grbda::JointType::floating, 0) : 0;
    add_closed_chain(robot, random, type, base);
    return robot;
}

grbda::RobotDescription nested_loops(Random& random) {
    using grbda::JointType;
    using grbda::LoopType;
    grbda::RobotDescription robot = empty_robot("nested loops");
    const int base = add_body(robot, random, JointType::spherical, 0);
    add_closed_chain(robot, random, LoopType::spherical, base);
    const int extra = add_body(robot, random, JointType::cylindrical, base + 2);
    const int tip = add_body(robot, random, JointType::planar, extra);
    add_loop(robot, random, LoopType::universal, tip, base + 4);
    add_loop(robot, random, LoopType::distance, 0, tip);
    add_closed_chain(robot, random, LoopType::revolute, tip);
    return robot;
}

void add_linear(grbda::RobotDescription& robot, const std::string& name,
                const std::vector<std::pair<int, double>>& terms) {
    grbda::LinearRelation linear;
    for (const auto& [joint, coefficient] : terms) {
        grbda::LinearTerm term;
        term.joint = "j" + std::to_string(joint);
        term.coefficient = coefficient;
        linear.terms.push_back(term);
    }
    robot.couplings.push_back({name, linear, {}});
}

grbda::RobotDescription geared(Random& random) {
    using grbda::JointType;
    grbda::RobotDescription robot = empty_robot("geared");
    const int base = add_body(robot, random, JointType::floating, 0);
    const int hip = add_body(robot, random, JointType::revolute, base);
    const int hip_motor = add_body(robot, random, JointType::revolute, base);
    const int knee = add_body(robot, random, JointType::revolute, hip);
    const int knee_motor = add_body(robot, random, JointType::revolute, base);
    add_linear(robot, "hip gear", {{hip_motor, 1}, {hip, -6}});
    add_linear(robot, "knee belt", {{knee_motor, 1}, {knee, -8}, {hip, -8}});
    const int first = static_cast<int>(robot.links.size());
    add_closed_chain(robot, random, grbda::LoopType::universal, base);
    add_linear(robot, "loop gear", {{first, 2}, {first + 4, 1}});
    return robot;
}

grbda::RobotDescription parallelogram(const grbda::Inertial& crank, const grbda::Inertial& coupler,
                                      const grbda::Inertial& rocker) {
    using grbda::JointType;
    grbda::RobotDescription robot = empty_robot("parallelogram");
    const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
    robot.links.push_back(make_link("crank", crank));
    robot.links.push_back(make_link("coupler", coupler));
    robot.links.push_back(make_link("rocker", rocker));
    robot.joints.push_back(make_joint("j1", JointType::revolute, "ground", "crank", {}, z));
    robot.joints.push_back(make_joint("j2", JointType::revolute, "crank", "coupler", shift(0.5, 0, 0), z));
    robot.joints.push_back(make_joint("j3", JointType::revolute, "ground", "rocker", shift(1, 0, 0), z));
    robot.joints[0].independent = true;
    robot.start = {{"j1", {0.7}}, {"j2", {-0.7}}, {"j3", {0.7}}};
    grbda::LoopDescription loop;
    loop.name = "pin";
    loop.type = grbda::LoopType::revolute;
    loop.predecessor = "coupler";
    loop.successor = "rocker";
    loop.predecessor_origin = shift(1, 0, 0);
    loop.successor_origin = shift(0.5, 0, 0);
    loop.axis = z;
    robot.loops.push_back(loop);
    return robot;
}

std::vector<Robot> robots() {
    Random random(20240611);
    std::vector<grbda::RobotDescription> descriptions{every_joint_type(random, false),
                                                      every_joint_type(random, true), nested_loops(random),
                                                      geared(random)};
    using grbda::LoopType;
    for (LoopType type : {LoopType::fixed, LoopType::revolute, LoopType::prismatic, LoopType::cylindrical,
                          LoopType::universal, LoopType::planar, LoopType::spherical, LoopType::distance,
                          LoopType::point_on_line, LoopType::helical})
        for (bool floating : {false, true}) descriptions.push_back(one_loop(random, type, floating));
    std::vector<Robot> result;
    for (const grbda::RobotDescription& description : descriptions)
        result.push_back({description.name, grbda::build_model(description)});
    return result;
}

}  // namespace baselines_fixture
