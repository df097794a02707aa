#include "dense_output.hpp"

#include "joint_displacements.hpp"

namespace grbda::simulation {

using dormand_prince::dense_degree;
using dormand_prince::dense_weights;
using dormand_prince::stages;

void DensePart::fit(const MatrixX<double>& rates, const MatrixX<double>& accelerations) {
    displacement.resize(rates.rows(), dense_degree);
    change_of_velocity.resize(accelerations.rows(), dense_degree);
    for (int k = 0; k < dense_degree; ++k) {
        const Eigen::Map<const VectorX<double>> weights(dense_weights[static_cast<std::size_t>(k)].data(),
                                                        stages + 1);
        displacement.col(k).noalias() = length * (rates * weights);
        change_of_velocity.col(k).noalias() = length * (accelerations * weights);
    }
}

Result DensePart::at(const Model& model, Workspace<double>& data, double theta, VectorX<double>& q_there,
                     VectorX<double>& yd_there, VectorX<double>& delta) const {
    Eigen::Matrix<double, dense_degree, 1> powers;
    double power = theta;
    for (int k = 0; k < dense_degree; ++k, power *= theta) powers[k] = power;
    delta.noalias() = displacement * powers;
    yd_there = yd;
    yd_there.noalias() += change_of_velocity * powers;
    data.chart = chart;
    return displace_joints(model, data, q, delta, q_there);
}

}  // namespace grbda::simulation
