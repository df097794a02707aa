#include <exception>
#include <iostream>
#include <stdexcept>
#include <grbda/constraints/closure.hpp>
#include <grbda/dynamics/aba.hpp>
#include <grbda/io/load.hpp>
#include <grbda/kinematics/configuration.hpp>

int main() try {
    const grbda::Model model = grbda::load("first_robot.urdf");
    grbda::Data data(model);

    Eigen::VectorXd q = grbda::neutral_configuration(model);
    q[model.joint("motor").q.first] = 0.5;
    if (!grbda::close_loops(model, data, q)) throw std::runtime_error("no configuration closes the loop");

    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
    if (!grbda::aba(model, data, q, zero, zero)) throw std::runtime_error("the configuration is singular");
    std::cout.precision(4);
    for (const double angle : q) std::cout << angle << ' ';
    std::cout << "rad, acceleration of the motor " << data.ydd[0] << " rad/s²\n";
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
