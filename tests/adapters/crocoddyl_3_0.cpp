#include "grbda/adapters/crocoddyl.hpp"

std::shared_ptr<crocoddyl::DifferentialActionModelAbstractTpl<double>> crocoddyl_3_0(
    const std::shared_ptr<const grbda::Model>& model) {
    const auto state = std::make_shared<grbda::adapters::CrocoddylState>(model);
    return std::make_shared<grbda::adapters::CrocoddylDynamics>(state);
}
