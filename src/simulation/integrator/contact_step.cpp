#include "contact_step.hpp"

#include <algorithm>
#include <cmath>

#include "constraints/crossing.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "kernels/body/configuration.hpp"
#include "simulation/contact/softness.hpp"
#include "turn.hpp"
#include "dynamics/contact_inertia.hpp"

namespace grbda::simulation {
namespace {

// Largest rotation of bodies under the first-order rule. Without contacts and limits, steps below 5 ms are
// limited by the rate, 4 rad/s, and by an energy tolerance that falls with h². Both select the first-order
// rule for the same motions at every step size, so that its error is proportional to the step.
constexpr double turns_fast = 0.02;       // rad
constexpr double longest_of_rate = 5e-3;  // s

// Returns the corrective part of a target velocity, which undoes overlap and drift. Contacts that work
// against each other could absorb any amount of energy for this. Moving a robot as a whole takes its mass
// times half the square of the speed.

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
      points_(setting.options.most_contacts),
      runge_kutta_(setting),
      smooth_data_(setting.model),
      joint_work_(setting) {
    const auto contacts = static_cast<std::size_t>(setting.options.most_contacts);
    const auto rows = static_cast<std::size_t>(setting.rows.most());
    touching_.reserve(contacts);
    for (Table<Vector3<double>>* x : {&ends_before_, &ends_after_})
        x->reserve(2 * static_cast<std::size_t>(setting.surroundings.shape_count()));
    joints_.reserve(rows);
    laws_.reserve(contacts + rows);
    for (VectorX<double>* x : {&without_, &delta_, &change_}) x->setZero(setting.model.nv);
    tau_s_.setZero(setting.model.nv_tree);
    impulses_.setZero(3 * setting.options.most_contacts + setting.rows.most());
    velocity_ = free_ = shift_ = ground_velocity_ = impulses_;
    mean_ = without_;
    q_smooth_ = neutral_configuration(setting.model);
    rate_.setZero(setting.model.nv_tree);
    displacement_ = rate_;
}

Result ContactStep::step(const Setting& setting, Workspace<double>& data, State& state,
                         const Controls& controls, double h, VectorX<double>& q_next,
                         VectorX<double>& yd_next, StepOutcome& outcome) {
    const auto either = [&] {
        const Result result = attempt(setting, data, state, controls, h, false, q_next, yd_next, outcome);
        if (result.status != Status::inaccurate || fine_) return result;
        state.momentum.forget();
        return attempt(setting, data, state, controls, h, true, q_next, yd_next, outcome);
    };
    first_order_ = std::min(h / longest_of_rate, 1.);
    Result result = either();
    // stages of the Runge–Kutta rule may fail near singular configurations that a step crosses
    const bool failed =
        !result.ok() && result.status != Status::inaccurate && result.status != Status::undefined;
    if (failed && first_order_ < 1) {
        first_order_ = 1;
        state.momentum.forget();
        result = either();
    }
    if (result.ok()) state.memory.keep(state.contacts, impulses(), velocity_.head(rows_), h);
    return result;
}

Result ContactStep::attempt(const Setting& setting, Workspace<double>& data, State& state,
                            const Controls& controls, double h, bool finely, VectorX<double>& q_next,
                            VectorX<double>& yd_next, StepOutcome& outcome) {
    if (const Result result = prepare(setting, data, state, controls, h, finely, outcome); !result.ok())
        return result;
    if (!fine_ && rows_ == 0 && largest_turn(setting.model, data, h) > turns_fast * first_order_) {
        fine_ = true;
        if (const Result result = move_smoothly(setting, data, state, controls, h); !result.ok())
            return result;
    }
    if (const Result result = solve(setting, state, outcome); !result.ok()) return result;
    if (const Result result = finish(setting, data, state, h, q_next, yd_next); !result.ok()) return result;
    setting.surroundings.trace(setting.model, data, ends_after_);
    const double time = state.time(setting.options.step);
    if (const int body = setting.surroundings.passed(ends_before_, ends_after_, time, h); body >= 0)
        return {Status::inaccurate, setting.model.bodies[body].cluster};
    if (sinks(setting, data, state)) return {Status::undefined};
    return balance(setting, data, state, q_next, outcome.energy);
}

Result ContactStep::prepare(const Setting& setting, Workspace<double>& data, State& state,
                            const Controls& controls, double h, bool finely, StepOutcome& outcome) {
    const Model& model = setting.model;
    FloatingMomentum& momentum = state.momentum;
    if (const Result result = momentum.begin(model, data, state.q, state.yd); !result.ok()) return result;
    if (const Result result = move_freely(setting, data, state.q, state.yd, controls, tau_s_); !result.ok())
        return result;
    start_ = momentum.energy();
    joint_work_.begin(setting, data, state.q, controls, tau_s_);
    implicit_ = joint_work_.implicit_energy(setting);
    const double turn = largest_turn(model, data, h);
    if (turn > largest_turn_of_a_step) return {Status::undefined};
    fine_ = finely || turn > turns_fast;
    if (fine_) {
        if (const Result result = move_smoothly(setting, data, state, controls, h); !result.ok())
            return result;
    } else {
        without_ = state.yd + h * data.ydd;
        momentum.straighten(model, data, h, without_);
        delta_ = h * without_;
    }
    return find_rows(setting, data, state, h, outcome);
}

Result ContactStep::move_smoothly(const Setting& setting, const Workspace<double>& data, State& state,
                                  const Controls& controls, double h) {
    const Model& model = setting.model;
    if (setting.has_choice) smooth_data_.chart = data.chart;
    Result result =
        runge_kutta_.step(setting, smooth_data_, state, controls, h, q_smooth_, without_, {&data, &tau_s_});
    if (!result.ok()) return result;
    result = difference<double>(model, smooth_data_, state.q, q_smooth_, delta_);
    state.momentum.turn_axes(model, state.q, q_smooth_, without_);
    return result;
}

Result ContactStep::find_rows(const Setting& setting, Workspace<double>& data, State& state, double h,
                              StepOutcome& outcome) {
    const Model& model = setting.model;
    const MovingGround& ground = setting.surroundings.ground();
    outcome.crowded =
        setting.surroundings.find(model, data, state.time(setting.options.step), h, state.contacts);
    setting.surroundings.trace(model, data, ends_before_);
    outcome.contacts = static_cast<int>(state.contacts.size());
    rows_ = 0;
    joints_.clear();
    laws_.clear();
    state.memory.laws(state.contacts, setting.options, h, laws_);
    setting.rows.find(model, data, state.q, h, setting.options.recovery, joints_, laws_);
    if (laws_.empty()) return {};
    touching_.clear();
    for (const ContactState& x : state.contacts) touching_.push_back(x.contact);
    points_.mark(model, data, state.contacts);
    if (const Result result = contact_inertia<double>(model, data, touching_, joints_, space_); !result.ok())
        return result;
    rows_ = space_.rows;
    if (fine_) {
        if (const Result result = forward_kinematics<double>(model, smooth_data_, state.q, without_);
            !result.ok())
            return result;
        contact_velocities<double>(model, smooth_data_, space_, free_.head(rows_));
        if (const Result result = find_shift(setting, state, h); !result.ok()) return result;
    } else {
        state.momentum.straighten(model, data, touching_, joints_, space_.acceleration);
        free_.head(rows_) = space_.velocity.head(rows_) + h * space_.acceleration.head(rows_);
    }
    if (ground.moves()) subtract_ground(model, ground, state, h);
    soften(inverse_inertia(), setting.options, h, setting.mass, laws_);
    if (fine_) shift_laws(setting.options, h);
    return {};
}

/// Makes the velocities of contacts with moving ground relative to it. A step moves centres of mass along
/// straight lines. A body that turns with the ground therefore keeps its place on it only if its centre moves
/// straight to the point to which the ground would carry it, instead of along the tangent.
void ContactStep::subtract_ground(const Model& model, const MovingGround& ground, const State& state,
                                  double h) {
    ground_moves_ = ground.over(h);
    ground_velocity_.head(rows_).setZero();
    Eigen::Index row = 0;
    for (const ContactState& x : state.contacts) {
        if (x.ground) {
            const Vector3<double>& p = x.contact.position;
            Vector3<double> v = ground.velocity(p);
            if (const Vector3<double>* c =
                    ground.turns() ? state.momentum.centre(model, x.contact.body) : nullptr)
                v = (ground_moves_.forward(*c) - *c) * (1 / h) + cross(ground.angular(), p - *c);
            const Vector3<double> along = transpose_times(x.contact.axes, v);
            ground_velocity_.segment<3>(row) << along.x, along.y, along.z;
        }
        row += 3;
    }
    free_.head(rows_) -= ground_velocity_.head(rows_);
}

/// Returns whether the impulses, which were found for velocities at the start, cause an overlap of more than
/// a millimetre that is deeper than before, with data at the end. Surfaces that are springs overlap
/// regularly.
bool ContactStep::sinks(const Setting& setting, const Workspace<double>& data, const State& state) const {
    constexpr double most = 1e-3;  // m
    if (is_elastic(setting.options) || rows_ == 0) return false;
    const Displacement* const moved = setting.surroundings.ground().moves() ? &ground_moves_ : nullptr;
    for (std::size_t k = 0; k < state.contacts.size(); ++k) {
        const double gap = state.contacts[k].gap;
        const Vector3<double> apart = points_.apart(setting.model, data, k, moved);
        const double end = gap + dot(touching_[k].axes.z, apart);
        if (end < -most && end < gap - most / 10) return true;
    }
    return false;
}

/// Computes the shift, after the velocities at the end without impulses. Centres of mass of floating robots
/// move with their velocities at the end under every rule.
Result ContactStep::find_shift(const Setting& setting, const State& state, double h) {
    const Model& model = setting.model;
    velocity_.head(rows_) = free_.head(rows_);
    state.momentum.subtract_centres(model, smooth_data_, touching_, velocity_);
    mean_ = delta_ / h;
    if (const Result result = forward_kinematics<double>(model, smooth_data_, state.q, mean_); !result.ok())
        return result;
    contact_velocities<double>(model, smooth_data_, space_, shift_.head(rows_));
    state.momentum.subtract_centres(model, smooth_data_, touching_, shift_);
    shift_.head(rows_) -= velocity_.head(rows_);
    return {};
}

void ContactStep::shift_laws(const SimulatorOptions& options, double h) {
    Eigen::Index row = 0;
    const double part = is_elastic(options) ? h / (h + options.dissipation) : 1;
    for (RowLaw& law : laws_) {
        const bool contact = law.law == Law::contact;
        const int normal = contact ? 2 : 0;
        if (contact) shift_[row + normal] *= part;
        if (law.law != Law::friction) law.wanted[normal] -= shift_[row + normal];
        row += rows_of(law.law);
    }
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

/// Returns the work of the impulses of each law at the resulting velocities, sᵀ u⁺, where it is positive.
/// out     repair  the part that is not due to springs of surfaces
double ContactStep::added_work(const Setting& setting, double& repair) const {
    const bool elastic = is_elastic(setting.options);
    double added = 0;
    Eigen::Index row = 0;
    const auto add = [&](Eigen::Index rows, bool repairs) {
        const double work = std::max(impulses_.segment(row, rows).dot(velocity_.segment(row, rows)), 0.);
        row += rows;
        added += work;
        if (repairs) repair += work;
    };
    for (const RowLaw& law : laws_) {
        if (law.law == Law::contact) add(2, true);
        add(1, law.law != Law::contact || !elastic);
    }
    return added;
}

/// Computes the energy balance, with data at the end.
Result ContactStep::balance(const Setting& setting, const Workspace<double>& data, const State& state,
                            const VectorX<double>& q_next, EnergyBalance& balance) {
    const MotionEnergy& end = state.momentum.energy();
    spanning_difference(setting.model, state.q, q_next, displacement_);
    Work work = fine_ ? runge_kutta_.work() : Work{};
    if (fine_) displacement_ -= runge_kutta_.displacement();
    work.add(joint_work_.over(displacement_), 1);
    balance = {};
    const double grown = end.sum() - start_.sum();
    double added = 0;
    if (rows_ > 0) {
        added = added_work(setting, balance.repair);
        if (setting.surroundings.ground().moves())
            balance.ground = impulses_.head(rows_).dot(ground_velocity_.head(rows_));
        balance.impulses = this->work() + balance.ground;
    }
    const double excess = grown - work.sum() - added - balance.ground;
    Work implicit = implicit_energy(setting, data);
    implicit.add(implicit_, -1);
    balance.change = grown - implicit.sum();
    balance.controls = work.controls - implicit.controls;
    balance.passive = work.passive - implicit.passive;
    balance.violation = std::max(excess, 0.);
    const bool free = !fine_ && rows_ == 0;
    if (excess <= allowed_imbalance(start_, end, free ? first_order_ * first_order_ : 1)) return {};
    return {Status::inaccurate, fastest_cluster(setting.model, data), excess};
}

/// Returns the work of the impulses, J: the kinetic energy that they add, without that of moving ground.
double ContactStep::work() const {
    return impulses_.head(rows_).dot(free_.head(rows_) + velocity_.head(rows_)) / 2;
}

Result ContactStep::finish(const Setting& setting, Workspace<double>& data, State& state, double h,
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
        delta_ += h * change_;
    }
    state.momentum.act(model, data, tau_s_, setting.forces.damping(), state.yd, state.contacts, h);
    if (rows_ > 0)
        state.momentum.act(model, data, joints_,
                           impulses_.segment(row, static_cast<Eigen::Index>(joints_.size())));
    Result moved = integrate<double>(model, data, state.q, delta_, q_next);
    if (moved.status == Status::fold) {
        const int cluster = moved.cluster;
        // Slightly further if it would end on the singular configuration.
        for (const double reach : {1., 1.25, 1.5, 2., 4.}) {
            moved = leap(setting, data, state.q, yd_next, h, cluster, reach, q_next);
            if (moved.status != Status::singular_constraint) break;
        }
    }
    if (!moved.ok()) return moved;
    return state.momentum.end(model, data, h, q_next, yd_next);
}

/// Crosses a singular configuration of a cluster; its joints move `reach` times as far.
/// errors  singular_constraint if it would end on a singular configuration; those of close_behind()
Result ContactStep::leap(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                         const VectorX<double>& yd, double h, int cluster, double reach,
                         VectorX<double>& q_next) {
    const Model& model = setting.model;
    if (setting.has_choice) smooth_data_.chart = data.chart;
    if (const Result result = spanning_velocity<double>(model, smooth_data_, q, yd); !result.ok())
        return result;
    rate_ = smooth_data_.qd;
    for (const Body& body : model.bodies) {
        double displacement[6];
        for (int k = 0; k < velocity_size(body.joint); ++k)
            displacement[k] = (body.cluster == cluster ? reach : 1) * h * rate_[body.v + k];
        kernels::joint_integrate(body.joint, q.data() + body.q, displacement, q_smooth_.data() + body.q);
    }
    return close_behind(model, smooth_data_, cluster, q_smooth_, yd, rate_, h, q_next);
}

}  // namespace grbda::simulation
