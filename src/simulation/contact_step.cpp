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
    for (VectorX<double>* x : {&without_, &change_}) x->setZero(setting.model.nv);
    tau_s_.setZero(setting.model.nv_tree);
    impulses_.setZero(3 * setting.options.most_contacts + setting.rows.most());
    velocity_ = free_ = impulses_;
}

Result ContactStep::step(const Setting& setting, Data<double>& data, State& state, const Controls& controls,
                         double h, bool coarse, VectorX<double>& q_next, VectorX<double>& yd_next,
                         StepOutcome& outcome) {
    if (const Result result = prepare(setting, data, state, controls, h, coarse, outcome); !result.ok())
        return result;
    if (const Result result = solve(setting, state, outcome); !result.ok()) return result;
    velocity_.head(rows_) = free_.head(rows_);
    velocity_.head(rows_).noalias() += inverse_inertia() * impulses();
    state.memory.keep(state.contacts, impulses(), velocity_.head(rows_), h);
    return finish(setting, data, state, h, q_next, yd_next);
}

Result ContactStep::prepare(const Setting& setting, Data<double>& data, State& state,
                            const Controls& controls, double h, bool coarse, StepOutcome& outcome) {
    const Model& model = setting.model;
    FloatingMomentum& momentum = state.momentum;
    if (const Result result = momentum.begin(model, data, state.q, state.yd); !result.ok()) return result;
    if (const Result result = move_freely(setting, data, state.q, state.yd, controls, tau_s_); !result.ok())
        return result;
    if (!coarse && is_too_fast(model, data, h)) return {Status::undefined};
    without_ = state.yd + h * data.ydd;
    momentum.straighten(model, data, h, without_);
    return find_rows(setting, data, state, h, outcome);
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
    state.momentum.straighten(model, data, touching_, space_.acceleration);
    rows_ = space_.rows;
    free_.head(rows_) = space_.velocity.head(rows_) + h * space_.acceleration.head(rows_);
    soften(inverse_inertia(), setting.options, h, laws_);
    return {};
}

Result ContactStep::solve(const Setting& setting, State& state, StepOutcome& outcome) {
    if (rows_ == 0) return {};
    auto impulses = impulses_.head(rows_);
    impulses.setZero();
    state.memory.recall(state.contacts, impulses);
    outcome.contact = solver_.solve(inverse_inertia(), free(), laws_, setting.options.contact, impulses);
    return {outcome.contact.status == Status::not_finite ? Status::not_finite : Status::ok};
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
    }
    state.momentum.act(model, data, tau_s_, setting.forces.damping(), state.yd, state.contacts, h);
    change_ = h * yd_next;
    if (const Result result = integrate<double>(model, data, state.q, change_, q_next); !result.ok())
        return result;
    return state.momentum.end(model, data, h, q_next, yd_next);
}

}  // namespace grbda::simulation
