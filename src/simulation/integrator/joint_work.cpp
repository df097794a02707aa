#include "joint_work.hpp"

#include "simulation/state/motion_energy.hpp"

namespace grbda::simulation {

JointWork::JointWork(const Setting& setting) {
    for (VectorX<double>* x : {&rate_, &force_, &controls_}) x->setZero(setting.model.nv_tree);
}

void JointWork::begin(const Setting& setting, const Workspace<double>& data, const VectorX<double>& q,
                      const Controls& controls, const VectorX<double>& tau_s) {
    const Model& model = setting.model;
    const VectorX<double>&damping = setting.forces.damping(),
          &damping_of_servos = setting.forces.damping_of_servos();
    const VectorX<double>& armature = setting.forces.armature_of_passive();  // of springs without dampers
    setting.forces.controlled(q, controls, controls_);
    if (!controls.external.empty()) controls_ += data.tau_tree;
    force_ = tau_s;
    for (int dof = 0; dof < model.nv_tree; ++dof) {
        const int v = model.v_index[dof];
        const bool acts = damping[v] != 0 || tau_s[v] != 0 || controls_[v] != 0 || armature[v] != 0;
        rate_[v] = acts ? kernels::joint_rate(model, data, dof) : 0;
    }
    setting.forces.limit_servos(
        q, [&](int v) { return rate_[v]; }, damping_of_servos, controls, controls_);
    force_.array() -= damping.array() * rate_.array();
    controls_.array() -= damping_of_servos.array() * rate_.array();
}

Work JointWork::over(const VectorX<double>& displacement) const {
    const double controls = controls_.dot(displacement);
    return {controls, force_.dot(displacement) - controls};
}

Work JointWork::implicit_energy(const Setting& setting) const {
    return {setting.forces.armature_of_servos().dot(rate_.cwiseAbs2()) / 2,
            setting.forces.armature_of_passive().dot(rate_.cwiseAbs2()) / 2};
}

Work implicit_energy(const Setting& setting, const Workspace<double>& data) {
    const VectorX<double>&servos = setting.forces.armature_of_servos(),
          &passive = setting.forces.armature_of_passive();
    Work energy;
    for (int dof = 0; dof < setting.model.nv_tree; ++dof) {
        const int v = setting.model.v_index[dof];
        const double square = data.rate[dof] * data.rate[dof];
        energy.controls += servos[v] * square / 2;
        energy.passive += passive[v] * square / 2;
    }
    return energy;
}

}  // namespace grbda::simulation
