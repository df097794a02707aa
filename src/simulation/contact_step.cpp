#include "contact_step.hpp"

#include "grbda/algorithms/configuration.hpp"
#include "softness.hpp"

namespace grbda::simulation {
namespace {

/// Some body turns so far over a step that its velocity at the start says little of its way.
bool is_too_fast(const Model& model, const Data<double>& data, double h) {
    constexpr double far = 0.2;  // rad
    double square = 0;
    for (int i = 0; i < model.body_count(); ++i)
        if (!model.bodies[i].rotor) square = std::max(square, dot(data.v[i].angular, data.v[i].angular));
    return square * h * h > far * far;
}

}  // namespace

ContactStep::ContactStep(const Setting& setting)
    : space_(setting.model, setting.options.most_contacts, setting.rows.most()),
      solver_(3 * setting.options.most_contacts + setting.rows.most()) {
    const auto contacts = static_cast<std::size_t>(setting.options.most_contacts);
    const auto rows = static_cast<std::size_t>(setting.rows.most());
    touching_.reserve(contacts);
    joints_.reserve(rows);
    laws_.reserve(contacts + rows);
    change_.setZero(setting.model.nv);
    tau_s_.setZero(setting.model.nv_tree);
    impulses_.setZero(3 * setting.options.most_contacts + setting.rows.most());
    free_ = impulses_;
}

Result ContactStep::step(const Setting& setting, Data<double>& data, State& state, const Controls& controls,
                         double h, bool coarse, VectorX<double>& q_next, VectorX<double>& yd_next,
                         StepOutcome& outcome) {
    const Model& model = setting.model;
    FloatingMomentum& momentum = state.momentum;
    if (const Result result = momentum.begin(model, data, state.q, state.yd); !result.ok()) return result;
    if (const Result result = move_freely(setting, data, state.q, state.yd, controls, tau_s_); !result.ok())
        return result;
    if (!coarse && is_too_fast(model, data, h)) return {Status::undefined};
    yd_next = state.yd + h * data.ydd;
    momentum.straighten(model, data, h, yd_next);
    if (const Result result = meet(setting, data, state, h, yd_next, outcome); !result.ok()) return result;
    momentum.act(model, data, tau_s_, setting.forces.damping(), state.yd, state.contacts, h);
    change_ = h * yd_next;
    if (const Result result = integrate<double>(model, data, state.q, change_, q_next); !result.ok())
        return result;
    return momentum.end(model, data, h, q_next, yd_next);
}

/// Impulses of contacts, limits and friction, into yd_next, the velocity at the end.
Result ContactStep::meet(const Setting& setting, Data<double>& data, State& state, double h,
                         VectorX<double>& yd_next, StepOutcome& outcome) {
    const Model& model = setting.model;
    outcome.crowded = setting.surroundings.find(model, data, h, state.contacts);
    joints_.clear();
    laws_.clear();
    state.memory.laws(state.contacts, setting.options, h, laws_);
    setting.rows.find(model, data, state.q, h, setting.options.recovery, joints_, laws_);
    outcome.contacts = static_cast<int>(state.contacts.size());
    if (laws_.empty()) {
        state.memory.forget();
        return {};
    }
    touching_.clear();
    for (const ContactState& x : state.contacts) touching_.push_back(x.contact);
    if (const Result result = contact_inertia<double>(model, data, touching_, joints_, space_); !result.ok())
        return result;
    return solve(setting, data, state, h, yd_next, outcome);
}

Result ContactStep::solve(const Setting& setting, Data<double>& data, State& state, double h,
                          VectorX<double>& yd_next, StepOutcome& outcome) {
    const Model& model = setting.model;
    const Eigen::Index rows = space_.rows;
    state.momentum.straighten(model, data, touching_, space_.acceleration);
    const auto W = space_.inverse_inertia.topLeftCorner(rows, rows);
    free_.head(rows) = space_.velocity.head(rows) + h * space_.acceleration.head(rows);
    soften(W, setting.options, h, laws_);
    auto impulses = impulses_.head(rows);
    impulses.setZero();
    state.memory.recall(state.contacts, impulses);
    outcome.contact = solver_.solve(W, free_.head(rows), laws_, setting.options.contact, impulses);
    if (outcome.contact.status == Status::not_finite) return {Status::not_finite};
    free_.head(rows).noalias() += W * impulses;
    state.memory.keep(state.contacts, impulses, free_.head(rows), h);
    if (const Result result = apply_impulses<double>(model, data, space_, impulses, change_); !result.ok())
        return result;
    yd_next += change_;
    return {};
}

}  // namespace grbda::simulation
