#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
#include <grbda/dynamics/aba.hpp>
#include <grbda/kinematics/configuration.hpp>
#include <grbda/dynamics/rnea.hpp>
#include <grbda/io/load.hpp>

int main(int argc, char** argv) try {
    const std::vector<std::string> files(argv + 1, argv + argc);    // of one robot, in any order
    const grbda::Model model = grbda::load(files);                  // throws LoadError with all findings
    grbda::Data data(model);                                        // results and memory, one for each thread
    const Eigen::VectorXd q = grbda::neutral_configuration(model);  // every joint, loops closed
    const Eigen::VectorXd yd = Eigen::VectorXd::Ones(model.nv);     // independent velocities
    const Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv);    // and forces
    const bool forth = grbda::aba(model, data, q, yd, tau).ok();    // forward dynamics: ÿ from τ
    const Eigen::VectorXd ydd = data.ydd;
    const bool back = grbda::rnea(model, data, q, yd, ydd).ok();  // inverse dynamics: τ from ÿ
    if (!forth || !back) throw std::runtime_error("the dynamics are singular here");
    std::cout << ydd.transpose() << "\nτ comes back to " << (data.tau - tau).cwiseAbs().maxCoeff() << '\n';
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
