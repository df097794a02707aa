#include "contact_step.hpp"

#include <algorithm>
#include <cmath>

#include "grbda/algorithms/closure.hpp"
#include "grbda/algorithms/configuration.hpp"
#include "grbda/algorithms/embedding.hpp"
#include "grbda/algorithms/kinematics.hpp"
#include "grbda/kernels/configuration.hpp"
#include "softness.hpp"
#include "turn.hpp"

namespace grbda::simulation {
namespace {

constexpr double turns_fast = 0.02;  // rad in a step, at which a rule of first order no longer does

// What laws want besides that nothing goes on as it should not: overlap undone, and what has drifted brought
// back. Contacts that stand against one another could take any work to do so; a robot that is moved as a
// whole takes its mass times half the square of the speed.

double& repair_of(RowLaw& law, int k) { return law.wanted[law.law == Law::contact ? k : 0]; }
bool is_repair(const RowLaw& law, int k, double wanted, bool elastic) {
    if (law.law == Law::contact) return k < 2 || (wanted > 0 && !elastic);
    return (law.law == Law::lower && wanted > 0) || (law.law == Law::upper && wanted < 0);
}

double fastest_repair(Table<RowLaw>& laws, bool elastic) {
    double fastest = 0;
    for (RowLaw& law : laws)
        for (int k = 0; k < rows_of(law.law); ++k)
            if (const double wanted = repair_of(law, k); is_repair(law, k, wanted, elastic))
                fastest = std::max(fastest, std::abs(wanted));
    return fastest;
}

void stop_repairs(Table<RowLaw>& laws, bool elastic) {
    for (RowLaw& law : laws)
        for (int k = 0; k < rows_of(law.law); ++k)
            if (double& wanted = repair_of(law, k); is_repair(law, k, wanted, elastic)) wanted = 0;
}

}  // namespace

ContactStep::ContactStep(const Setting& setting)
    : space_(setting.model, setting.options.most_contacts, setting.rows.most()),
      solver_(3 * setting.options.most_contacts + setting.rows.most()),
      runge_kutta_(setting),
      smooth_data_(setting.model) {
    const auto contacts = static_cast<std::size_t>(setting.options.most_contacts);
    const auto rows = static_cast<std::size_t>(setting.rows.most());
    touching_.reserve(contacts);
    joints_.reserve(rows);
    laws_.reserve(contacts + rows);
    for (VectorX<double>* x : {&without_, &way_, &change_}) x->setZero(setting.model.nv);
    tau_s_.setZero(setting.model.nv_tree);
    impulses_.setZero(3 * setting.options.most_contacts + setting.rows.most());
    velocity_ = free_ = impulses_;
    q_smooth_ = neutral_configuration(setting.model);
    rate_.setZero(setting.model.nv_tree);
}

Result ContactStep::step(const Setting& setting, Data<double>& data, State& state, const Controls& controls,
                         double h, VectorX<double>& q_next, VectorX<double>& yd_next, StepOutcome& outcome) {
    if (const Result result = prepare(setting, data, state, controls, h, outcome); !result.ok())
        return result;
    if (const Result result = solve(setting, state, outcome); !result.ok()) return result;
    const Result result = finish(setting, data, state, h, q_next, yd_next);
    if (result.ok()) state.memory.keep(state.contacts, impulses(), velocity_.head(rows_), h);
    return result;
}

Result ContactStep::prepare(const Setting& setting, Data<double>& data, State& state,
                            const Controls& controls, double h, StepOutcome& outcome) {
    const Model& model = setting.model;
    FloatingMomentum& momentum = state.momentum;
    if (const Result result = momentum.begin(model, data, state.q, state.yd); !result.ok()) return result;
    if (const Result result = move_freely(setting, data, state.q, state.yd, controls, tau_s_); !result.ok())
        return result;
    const double turn = largest_turn(model, data, h);
    if (turn > largest_turn_of_a_step) return {Status::undefined};
    fast_ = turn > turns_fast;
    if (fast_) {
        if (const Result result = move_smoothly(setting, data, state, controls, h); !result.ok())
            return result;
    } else {
        without_ = state.yd + h * data.ydd;
        momentum.straighten(model, data, h, without_);
        way_ = h * without_;
    }
    return find_rows(setting, data, state, h, outcome);
}

Result ContactStep::move_smoothly(const Setting& setting, const Data<double>& data, State& state,
                                  const Controls& controls, double h) {
    const Model& model = setting.model;
    if (setting.has_choice) smooth_data_.chart = data.chart;
    Result result = runge_kutta_.step(setting, smooth_data_, state, controls, h, q_smooth_, without_);
    if (!result.ok()) return result;
    result = difference<double>(model, smooth_data_, state.q, q_smooth_, way_);
    state.momentum.turn_axes(model, state.q, q_smooth_, without_);
    return result;
}

Result ContactStep::find_rows(const Setting& setting, Data<double>& data, State& state, double h,
                              StepOutcome& outcome) {
    const Model& model = setting.model;
    outcome.crowded = setting.surroundings.find(model, data, h, state.contacts);
    outcome.contacts = static_cast<int>(state.contacts.size());
    rows_ = 0;
    joints_.clear();
    laws_.clear();
    state.memory.laws(state.contacts, setting.options, h, laws_);
    setting.rows.find(model, data, state.q, h, setting.options.recovery, joints_, laws_);
    if (laws_.empty()) return {};
    touching_.clear();
    for (const ContactState& x : state.contacts) touching_.push_back(x.contact);
    if (const Result result = contact_inertia<double>(model, data, touching_, joints_, space_); !result.ok())
        return result;
    rows_ = space_.rows;
    if (fast_) {
        if (const Result result = forward_kinematics<double>(model, smooth_data_, state.q, without_);
            !result.ok())
            return result;
        contact_velocities<double>(model, smooth_data_, space_, free_.head(rows_));
    } else {
        state.momentum.straighten(model, data, touching_, space_.acceleration);
        free_.head(rows_) = space_.velocity.head(rows_) + h * space_.acceleration.head(rows_);
    }
    soften(inverse_inertia(), setting.options, h, setting.mass, laws_);
    return {};
}

Result ContactStep::solve(const Setting& setting, State& state, StepOutcome& outcome) {
    repairs_stopped_ = false;
    if (rows_ == 0) return {};
    auto impulses = impulses_.head(rows_);
    impulses.setZero();
    state.memory.recall(state.contacts, impulses);
    const auto find = [&] {
        outcome.contact = solver_.solve(inverse_inertia(), free(), laws_, setting.options.contact, impulses);
        velocity_.head(rows_) = free();
        velocity_.head(rows_).noalias() += inverse_inertia() * impulses;
    };
    find();
    const bool elastic = is_elastic(setting.options);
    const double fastest = fastest_repair(laws_, elastic);
    repairs_stopped_ = fastest > 0 && work() > setting.mass * fastest * fastest / 2;
    if (repairs_stopped_) {
        stop_repairs(laws_, elastic);
        find();
    }
    return {outcome.contact.status == Status::not_finite ? Status::not_finite : Status::ok};
}

/// Of the impulses, J: what they add to the kinetic energy.
double ContactStep::work() const {
    return impulses_.head(rows_).dot(free_.head(rows_) + velocity_.head(rows_)) / 2;
}

Result ContactStep::finish(const Setting& setting, Data<double>& data, State& state, double h,
                           VectorX<double>& q_next, VectorX<double>& yd_next) {
    const Model& model = setting.model;
    yd_next = without_;
    Eigen::Index row = 0;
    for (ContactState& x : state.contacts) {
        x.impulse = impulses_.segment<3>(row);
        row += 3;
    }
    if (rows_ > 0) {
        if (const Result result = apply_impulses<double>(model, data, space_, impulses(), change_);
            !result.ok())
            return result;
        yd_next += change_;
        way_ += h * change_;
    }
    state.momentum.act(model, data, tau_s_, setting.forces.damping(), state.yd, state.contacts, h);
    Result moved = integrate<double>(model, data, state.q, way_, q_next);
    if (moved.status == Status::fold) {
        const int cluster = moved.cluster;
        for (const double reach : {1., 1.25, 1.5, 2., 4.}) {  // a little further where it would end on it
            moved = leap(setting, data, state.q, yd_next, h, cluster, reach, q_next);
            if (moved.status != Status::singular_constraint) break;
        }
    }
    if (!moved.ok()) return moved;
    return state.momentum.end(model, data, h, q_next, yd_next);
}

/// Over a singular configuration of a cluster, where ways through it cross and none can be followed: all
/// joints straight on, and the loops closed from there. Only where these say the same of where the cluster
/// goes, and how fast; singular_constraint where it would end on it.
Result ContactStep::leap(const Setting& setting, Data<double>& data, const VectorX<double>& q,
                         const VectorX<double>& yd, double h, int cluster, double reach,
                         VectorX<double>& q_next) {
    constexpr double alike = 0.1;
    const Model& model = setting.model;
    if (setting.has_choice) smooth_data_.chart = data.chart;
    if (const Result result = spanning_velocity<double>(model, smooth_data_, q, yd); !result.ok())
        return result;
    rate_ = smooth_data_.qd;
    for (const Body& body : model.bodies) {
        double way[6];
        for (int k = 0; k < velocity_size(body.joint); ++k)
            way[k] = (body.cluster == cluster ? reach : 1) * h * rate_[body.v + k];
        kernels::joint_integrate(body.joint, q.data() + body.q, way, q_smooth_.data() + body.q);
    }
    q_next = q_smooth_;
    if (const Result result = close_loops<double>(model, smooth_data_, q_next); !result.ok()) return result;
    if (const Result result = spanning_velocity<double>(model, smooth_data_, q_next, yd); !result.ok())
        return result;
    double largest = 0, missed = 0;
    for (const Body& body : model.bodies) {
        if (body.cluster != cluster || body.rotor) continue;
        double off[6];
        kernels::joint_difference(body.joint, q_smooth_.data() + body.q, q_next.data() + body.q, off);
        for (int k = 0; k < velocity_size(body.joint); ++k) {
            const double rate = rate_[body.v + k];
            largest = std::max(largest, std::abs(rate));
            missed = std::max({missed, std::abs(off[k]) / h, std::abs(smooth_data_.qd[body.v + k] - rate)});
        }
    }
    return missed <= alike * largest ? Result{} : Result{Status::fold, cluster};
}

}  // namespace grbda::simulation
