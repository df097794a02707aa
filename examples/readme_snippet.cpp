#include <iostream>
#include <grbda/algorithms/aba.hpp>
#include <grbda/algorithms/configuration.hpp>
#include <grbda/algorithms/rnea.hpp>
#include <grbda/io/load.hpp>

int main() {
    // a leg as URDF, its loops in a YAML file; throws LoadError with all findings
    const grbda::Model model = grbda::load({"robots/digit_leg/digit_leg.urdf", "robots/digit_leg/digit_leg.yaml"});
    grbda::Data<double> data(model);                                // workspace, one for each thread
    const Eigen::VectorXd q = grbda::neutral_configuration(model);  // every joint, loops closed
    const Eigen::VectorXd yd = Eigen::VectorXd::Ones(model.nv);     // independent velocities
    const Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv);    // and forces
    if (!grbda::aba(model, data, q, yd, tau)) return 1;             // forward dynamics: ÿ from τ
    const Eigen::VectorXd ydd = data.ydd;
    if (!grbda::rnea(model, data, q, yd, ydd)) return 1;                // inverse dynamics: τ from ÿ
    std::cout << ydd.transpose() << "\nτ comes back to " << (data.tau - tau).cwiseAbs().maxCoeff() << '\n';
}
