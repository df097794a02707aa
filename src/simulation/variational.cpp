#include "variational.hpp"

#include <cmath>
#include <limits>

#include "grbda/constraints/coordinates.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/dynamics/factor.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "turn.hpp"
#include "twists.hpp"

namespace grbda::simulation {
namespace {

double largest(const VectorX<double>& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }

}  // namespace

Variational::Variational(const Setting& setting)
    : lagrangian_(setting.robot, setting.options.passive),
      data_(setting.robot),
      q_mid_(neutral_configuration(setting.robot)) {
    for (VectorX<double>* x : {&qd_mid_, &way_, &at_start_, &at_end_, &momentum_, &slope_, &force_})
        x->setZero(setting.robot.nv_tree);
    for (VectorX<double>* x : {&rate_, &change_, &left_}) x->setZero(setting.robot.nv);
}

/// Positions and velocities of all joints in the middle of a step, and their displacements.
void Variational::halfway(const Model& model, const VectorX<double>& q, const VectorX<double>& q_next,
                          double h) {
    for (const Body& body : model.bodies) {
        double* const way = way_.data() + body.v;
        kernels::joint_difference(body.joint, q.data() + body.q, q_next.data() + body.q, way);
        double half[6];
        for (int k = 0; k < velocity_size(body.joint); ++k) half[k] = way[k] / 2;
        kernels::joint_integrate(body.joint, q.data() + body.q, half, q_mid_.data() + body.q);
    }
    qd_mid_ = way_ / h;
}

/// ∓∂L_d of one end: what momentum the motion in the middle makes there, with half of what acts over the
/// step.
void Variational::momenta_at(const Model& model, End end, double h, VectorX<double>& momenta) const {
    const double sign = end == End::start ? -1 : 1;
    momenta = momentum_ + (sign * h / 2) * slope_;
    for (const Body& body : model.bodies) {
        if (!has_quaternion(body.joint)) continue;
        const Motion<double> way = twist_of(body, way_) * sign, half = way * 0.5;
        const Motion<double> acting =
            transpose_times(kernels::change_by_way(half.linear, half.angular), twist_of(body, slope_));
        put_twist(body,
                  transpose_times(kernels::way_by_change(way.linear, way.angular),
                                  twist_of(body, momentum_) + acting * (sign * h / 2)),
                  momenta);
    }
}

/// q_next, and the middle of the step that leads there.
///   G₀ᵀ (p₀ − (M q̇ − ½ h (∂L/∂q + f))) = 0 by Newton's method with the mass matrix of the start
Result Variational::find(const Setting& setting, Data<double>& data, const State& state,
                         const Controls& controls, double h, VectorX<double>& q_next) {
    constexpr int most_sweeps = 60;
    constexpr double least_change = 1e-13;
    const Model& model = setting.robot;
    double last = std::numeric_limits<double>::infinity();
    rate_ = state.yd;
    for (int iteration = 0; iteration < most_sweeps; ++iteration) {
        change_ = h * rate_;
        if (const Result result = integrate<double>(model, data_, state.q, change_, q_next); !result.ok())
            return result;
        halfway(model, state.q, q_next, h);
        lagrangian_.differentiate(model, data_, q_mid_, qd_mid_, momentum_, slope_);
        setting.forces.at(q_mid_, qd_mid_, controls, force_);
        slope_ += force_;
        momenta_at(model, End::start, h, at_end_);
        force_ = at_start_ - at_end_;
        if (const Result result = independent_force<double>(model, data_, state.q, force_, left_);
            !result.ok())
            return result;
        if (const Result result = inverse_mass_times<double>(setting.model, data, left_, change_);
            !result.ok())
            return result;
        rate_ += change_;
        const double now = largest(change_);
        if (!std::isfinite(now)) return {Status::not_finite};
        const bool small = now * h <= least_change * (1 + largest(state.q));
        if (small && (now >= last / 2 || now <= 1e-16 * largest(rate_))) return {};
        if (!small && iteration > 4 && now > last) return {Status::not_converged};
        last = now;
    }
    return {Status::not_converged};
}

Result Variational::step(const Setting& setting, Data<double>& data, const State& state,
                         const Controls& controls, double h, VectorX<double>& q_next,
                         VectorX<double>& yd_next) {
    const Model& model = setting.robot;
    if (setting.has_choice) data_.chart = data.chart;
    if (const Result result = spanning_velocity<double>(model, data_, state.q, state.yd); !result.ok())
        return result;
    lagrangian_.differentiate(model, data_, state.q, data_.qd, at_start_, slope_);
    if (const Result result = factor<double>(setting.model, data, state.q); !result.ok()) return result;
    if (const Result result = find(setting, data, state, controls, h, q_next); !result.ok()) return result;
    momenta_at(model, End::finish, h, at_end_);
    if (const Result result = independent_force<double>(model, data_, q_next, at_end_, change_); !result.ok())
        return result;
    change_ += left_;
    return take_velocity(model, data, h, q_next, change_, yd_next);
}

/// ẏ with M ẏ = π, refined once: of the momenta of light bodies beside heavy ones rounding leaves little.
Result Variational::take_velocity(const Model& model, Data<double>& data, double h, const VectorX<double>& q,
                                  const VectorX<double>& momenta, VectorX<double>& yd) {
    if (const Result result = factor<double>(model, data, q); !result.ok()) return result;
    if (const Result result = inverse_mass_times<double>(model, data, momenta, yd); !result.ok())
        return result;
    if (const Result result = spanning_velocity<double>(model, data_, q, yd); !result.ok()) return result;
    lagrangian_.differentiate(model, data_, q, data_.qd, momentum_, slope_);
    if (const Result result = independent_force<double>(model, data_, q, momentum_, left_); !result.ok())
        return result;
    left_ = momenta - left_;
    if (const Result result = inverse_mass_times<double>(model, data, left_, left_); !result.ok())
        return result;
    yd += left_;
    if (const Result result = forward_kinematics<double>(model, data_, q, yd); !result.ok()) return result;
    return {largest_turn(model, data_, h) < largest_turn_of_a_step ? Status::ok : Status::undefined};
}

}  // namespace grbda::simulation
