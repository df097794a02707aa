// A pendulum described in code, from the core alone: neither files nor threads.
#include <cmath>
#include <cstdio>

#include <grbda/dynamics/aba.hpp>
#include <grbda/compile/build.hpp>

int main() {
    grbda::RobotDescription robot;
    robot.name = "pendulum";
    grbda::LinkDescription base;
    grbda::LinkDescription rod;
    base.name = "base";
    rod.name = "rod";
    rod.inertial = grbda::Inertial{.mass = 2, .com = {0, 0, -0.5}};
    robot.links = {base, rod};
    grbda::JointDescription hinge;
    hinge.name = "hinge";
    hinge.type = grbda::JointType::continuous;
    hinge.parent = "base";
    hinge.child = "rod";
    hinge.axis = {0, 1, 0};
    robot.joints = {hinge};

    const grbda::Model model = grbda::build_model(robot);
    grbda::Data data(model);
    const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.3), zero = Eigen::VectorXd::Zero(1);
    const bool ok = grbda::aba(model, data, q, zero, zero).ok();
    std::printf("ydd = %.15g\n", data.ydd[0]);
    return ok && std::abs(data.ydd[0] + 9.81 * std::sin(0.3) / 0.5) < 1e-12 ? 0 : 1;
}
