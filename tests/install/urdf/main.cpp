// A file of URDF, from the core and the reader of URDF alone.
#include <cstdio>
#include <exception>

#include <grbda/dynamics/aba.hpp>
#include <grbda/io/urdf.hpp>
#include <grbda/kinematics/configuration.hpp>

int main(int, char** arguments) {
    try {
        const grbda::Model model = grbda::load_urdf(arguments[1]);
        grbda::Data data(model);
        const Eigen::VectorXd q = grbda::neutral_configuration(model), zero = Eigen::VectorXd::Zero(model.nv);
        return grbda::aba(model, data, q, zero, zero).ok() ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
