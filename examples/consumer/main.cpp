#include <iostream>
#include <random>

#include <grbda/dynamics/aba.hpp>
#include <grbda/kinematics/configuration.hpp>
#include <grbda/dynamics/rnea.hpp>
#include <grbda/io/load.hpp>

// Loads a robot, computes its forward dynamics and recovers the torques by inverse dynamics.
int main(int argc, char** argv) try {
    const grbda::Model model = grbda::load(argc > 1 ? argv[1] : ROBOT);
    grbda::Data data(model);

    std::mt19937_64 generator(1);
    const Eigen::VectorXd q = grbda::random_configuration(model, generator);
    const Eigen::VectorXd yd = Eigen::VectorXd::Ones(model.nv);
    const Eigen::VectorXd tau = Eigen::VectorXd::LinSpaced(model.nv, 1, 2);

    if (!grbda::aba(model, data, q, yd, tau)) return 1;
    const Eigen::VectorXd ydd = data.ydd;
    if (!grbda::rnea(model, data, q, yd, ydd)) return 1;

    std::cout << model.names.robot << "\nydd = " << ydd.transpose() << "\ntau = " << data.tau.transpose()
              << '\n';
    const double tolerance = 1e-9 * tau.norm();  // rounding, with a margin for an ill-conditioned mass matrix
    return (data.tau - tau).norm() <= tolerance ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
