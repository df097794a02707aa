#include "grbda/simulation/simulator.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "grbda/algorithms/aba.hpp"
#include "grbda/algorithms/configuration.hpp"
#include "grbda/algorithms/coordinates.hpp"
#include "grbda/algorithms/embedding.hpp"
#include "grbda/algorithms/energy.hpp"
#include "floating_momentum.hpp"
#include "joint_forces.hpp"
#include "joint_rows.hpp"
#include "memory_of_contacts.hpp"
#include "runge_kutta.hpp"
#include "softness.hpp"
#include "surroundings.hpp"

namespace grbda {
namespace {

void require_above_zero(const char* what, double x) {
    if (!(x > 0 && std::isfinite(x)))
        throw std::invalid_argument("simulation: " + std::string(what) + " is " + std::to_string(x) +
                                    ", expected above zero");
}

void require_not_negative(const char* what, double x) {
    if (!(x >= 0 && std::isfinite(x)))
        throw std::invalid_argument("simulation: " + std::string(what) + " is " + std::to_string(x) +
                                    ", expected zero or more");
}

SimulatorOptions checked(SimulatorOptions options) {
    require_above_zero("the step", options.step);
    require_not_negative("friction", options.friction);
    require_not_negative("stiffness", options.stiffness);
    require_not_negative("dissipation", options.dissipation);
    require_not_negative("recovery", options.recovery);
    require_not_negative("the number of contacts", options.most_contacts);
    return options;
}

/// A rule for smooth motion has nothing to say where velocities jump.
void require_smooth(const Model& model, const SimulatorOptions& options, const Ground& ground) {
    if (options.rule == StepRule::semi_implicit) return;
    const auto refuse = [](const char* what) {
        throw std::invalid_argument(std::string("simulation: ") + what +
                                    " make velocities jump: only the semi-implicit rule has them");
    };
    if (!std::holds_alternative<std::monostate>(ground) || options.self_collision) refuse("contacts");
    for (int i = 0; i < model.body_count() && options.limits; ++i)
        if (model.bounded[i]) refuse("limits of joints");
    for (const double friction : model.passive.friction)
        if (friction > 0 && options.passive) refuse("joints with dry friction");
}

bool has_choice(const Model& model) {
    for (const Cluster& c : model.clusters)
        if (c.has_choice()) return true;
    return false;
}

constexpr int most_halvings = 6;  // of a step

/// Of two halves of a step: what was amiss in either is told.
StepOutcome joined(const StepOutcome& first, StepOutcome second) {
    ContactOutcome& contact = second.contact;
    if (contact.status == Status::ok) contact.status = first.contact.status;
    contact.iterations += first.contact.iterations;
    contact.residual = std::max(contact.residual, first.contact.residual);
    contact.exact = contact.exact && first.contact.exact;
    second.contacts = std::max(second.contacts, first.contacts);
    second.crowded = second.crowded || first.crowded;
    return second;
}

void require_solid(const Ground& ground) {
    if (const auto* field = std::get_if<HeightField>(&ground); field && !is_consistent(*field))
        throw std::invalid_argument("simulation: the sizes of the height field do not fit one another");
    if (const auto* plane = std::get_if<Plane>(&ground))
        if (!(std::abs(dot(plane->normal, plane->normal) - 1) < 1e-9 && std::isfinite(plane->offset)))
            throw std::invalid_argument(
                "simulation: expected a plane with a unit normal and a finite offset");
}

}  // namespace

/// The state, and memory for a step.
class Simulator::Work {
public:
    Work(const Model& given, SimulatorOptions chosen, const Ground& ground)
        : options(checked(std::move(chosen))),
          robot_(given),
          forces_(given, options),
          model(with_armature(given, forces_.armature())),
          surroundings_(model, options, ground),
          rows_(model, options),
          memory_(options.most_contacts),
          data_(model),
          scout_(model),
          space_(model, options.most_contacts, rows_.most()),
          solver_(3 * options.most_contacts + rows_.most()),
          runge_kutta_(model),
          momentum_(model),
          changes_(has_choice(model)),
          chart_before_(data_.chart) {
        require_solid(ground);
        require_smooth(model, options, ground);
        const auto contacts = static_cast<std::size_t>(options.most_contacts);
        contacts_.reserve(contacts);
        touching_.reserve(contacts);
        joints_.reserve(static_cast<std::size_t>(rows_.most()));
        laws_.reserve(contacts + static_cast<std::size_t>(rows_.most()));
        q = neutral_configuration(model);
        q_next_ = q_before_ = q;
        for (VectorX<double>* x : {&yd, &change_, &yd_next_, &yd_before_}) x->setZero(model.nv);
        for (VectorX<double>* x : {&qd, &tau_s_}) x->setZero(model.nv_tree);
        impulses_.setZero(3 * options.most_contacts + rows_.most());
        free_ = impulses_;
    }

    Result set_state(ConstVector<double> q_new, ConstVector<double> qd_new) {
        if (const Result result = choose(q_new); !result.ok()) return result;
        if (!qd_new.allFinite()) return {Status::not_finite};
        data_.chart = scout_.chart;
        independent_part<double>(model, data_, qd_new, yd);
        q = q_new;
        memory_.forget();
        momentum_.forget();
        contacts_.clear();
        return {};
    }

    StepOutcome step(const Controls& controls) {
        q_before_ = q;
        yd_before_ = yd;
        chart_before_ = data_.chart;
        const StepOutcome outcome = advance(controls, options.step, most_halvings);
        if (outcome.result.ok()) {
            ++steps;
            return outcome;
        }
        q = q_before_;
        yd = yd_before_;
        data_.chart = chart_before_;
        memory_.forget();
        momentum_.forget();
        return outcome;
    }

    const VectorX<double>& velocity() {
        if (!spanning_velocity<double>(model, data_, q, yd).ok())
            qd.setConstant(std::nan(""));
        else
            qd = data_.qd;
        return qd;
    }

    double energy() {
        MechanicalState<double> state;
        if (!mechanical_state<double>(robot_, data_, q, yd, state).ok()) return std::nan("");
        return state.kinetic + state.potential;
    }

    SimulatorOptions options;

private:
    Model robot_;  ///< as it was given
    simulation::JointForces forces_;

public:
    Model model;
    VectorX<double> q, yd, qd;
    long steps = 0, switches = 0;
    std::span<const ContactState> contacts() const { return contacts_; }

private:
    /// By h seconds; in halves where bodies turn too far in it, or where it fails.
    StepOutcome advance(const Controls& controls, double h, int halvings) {
        StepOutcome outcome;
        h_ = h;
        outcome.result = change_coordinates();
        if (outcome.result.ok())
            outcome.result = options.rule == StepRule::semi_implicit
                                 ? step_with_impulses(controls, halvings > 0, outcome)
                                 : step_smoothly(controls);
        if (outcome.result.ok()) {
            q.swap(q_next_);
            yd.swap(yd_next_);
            return outcome;
        }
        momentum_.forget();
        if (halvings == 0) return outcome;
        const StepOutcome first = advance(controls, h / 2, halvings - 1);
        return first.result.ok() ? joined(first, advance(controls, h / 2, halvings - 1)) : first;
    }

    /// Some body turns so far over a step that its velocity at the start says little of its way.
    bool is_too_fast() const {
        constexpr double far = 0.2;  // rad
        double square = 0;
        for (int i = 0; i < model.body_count(); ++i)
            if (!model.bodies[i].rotor)
                square = std::max(square, dot(data_.v[i].angular, data_.v[i].angular));
        return square * h_ * h_ > far * far;
    }

    /// Coordinates for a configuration, in scout_.
    Result choose(ConstVector<double> at) {
        return choose_coordinates<double>(model, scout_, at, Marks::ignored);
    }

    /// Those that determine the loops best, as the mechanism moves.
    Result change_coordinates() {
        if (!changes_) return {};
        if (const Result result = choose(q); !result.ok()) return result;
        if (scout_.chart.version == data_.chart.version) return {};
        if (const Result result = spanning_velocity<double>(model, data_, q, yd); !result.ok()) return result;
        for (std::size_t k = 0; k < scout_.chart.version.size(); ++k)
            switches += scout_.chart.version[k] != data_.chart.version[k];
        data_.chart = scout_.chart;
        independent_part<double>(model, data_, data_.qd, yd);
        return {};
    }

    Result step_with_impulses(const Controls& controls, bool can_be_halved, StepOutcome& outcome) {
        if (const Result result = momentum_.begin(model, data_, q, yd); !result.ok()) return result;
        if (const Result result = move_freely(q, yd, controls); !result.ok()) return result;
        if (can_be_halved && is_too_fast()) return {Status::undefined};
        yd_next_ = yd + h_ * data_.ydd;
        momentum_.straighten(model, data_, h_, yd_next_);
        if (const Result result = meet(outcome); !result.ok()) return result;
        momentum_.act(model, data_, tau_s_, forces_.damping(), yd, contacts_, h_);
        change_ = h_ * yd_next_;
        if (const Result result = integrate<double>(model, data_, q, change_, q_next_); !result.ok())
            return result;
        return momentum_.end(model, data_, h_, q_next_, yd_next_);
    }

    Result step_smoothly(const Controls& controls) {
        const auto accelerate = [&](const VectorX<double>& at, const VectorX<double>& rate) {
            return move_freely(at, rate, controls);
        };
        return runge_kutta_.step(model, data_, q, yd, h_, accelerate, q_next_, yd_next_);
    }

    /// ÿ without impulses.
    Result move_freely(const VectorX<double>& at, const VectorX<double>& rate, const Controls& controls) {
        if (const Result result = forces_.sum(data_, at, rate, controls, tau_s_); !result.ok()) return result;
        return free_motion<double>(model, data_, at, rate, tau_s_, forces_.damping(), no_wrenches_);
    }

    /// Impulses of contacts, limits and friction, into yd_next_, the velocity at the end.
    Result meet(StepOutcome& outcome) {
        outcome.crowded = surroundings_.find(model, data_, h_, contacts_);
        joints_.clear();
        laws_.clear();
        memory_.laws(contacts_, options, h_, laws_);
        rows_.find(model, data_, q, h_, options.recovery, joints_, laws_);
        outcome.contacts = static_cast<int>(contacts_.size());
        if (laws_.empty()) return {};
        touching_.clear();
        for (const ContactState& x : contacts_) touching_.push_back(x.contact);
        if (const Result result = contact_inertia<double>(model, data_, touching_, joints_, space_);
            !result.ok())
            return result;
        return solve(outcome);
    }

    Result solve(StepOutcome& outcome) {
        const Eigen::Index rows = space_.rows;
        momentum_.straighten(model, data_, touching_, space_.acceleration);
        const auto W = space_.inverse_inertia.topLeftCorner(rows, rows);
        free_.head(rows) = space_.velocity.head(rows) + h_ * space_.acceleration.head(rows);
        simulation::soften(W, options, h_, laws_);
        auto impulses = impulses_.head(rows);
        impulses.setZero();
        memory_.recall(contacts_, impulses);
        outcome.contact = solver_.solve(W, free_.head(rows), laws_, options.contact, impulses);
        if (outcome.contact.status == Status::not_finite) return {Status::not_finite};
        free_.head(rows).noalias() += W * impulses;
        memory_.keep(contacts_, impulses, free_.head(rows), h_);
        if (const Result result = apply_impulses<double>(model, data_, space_, impulses, change_);
            !result.ok())
            return result;
        yd_next_ += change_;
        return {};
    }

    simulation::Surroundings surroundings_;
    simulation::JointRows rows_;
    simulation::MemoryOfContacts memory_;
    Data<double> data_, scout_;
    ContactSpace<double> space_;
    ContactSolver solver_;
    simulation::RungeKutta runge_kutta_;
    simulation::FloatingMomentum momentum_;
    bool changes_;
    double h_ = 0;  ///< of the present step, s
    Chart chart_before_;
    VectorX<double> q_before_, yd_before_;
    Matrix6X<double> no_wrenches_{6, 0};
    VectorX<double> q_next_, yd_next_, change_, tau_s_, impulses_, free_;
    Table<ContactState> contacts_;
    Table<Contact> touching_;
    Table<int> joints_;
    Table<RowLaw> laws_;
};

Simulator::Simulator(const Model& model, SimulatorOptions options, const Ground& ground)
    : work_(std::make_unique<Work>(model, std::move(options), ground)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const Model& Simulator::model() const { return work_->model; }
const SimulatorOptions& Simulator::options() const { return work_->options; }
const VectorX<double>& Simulator::q() const { return work_->q; }
const VectorX<double>& Simulator::velocity() { return work_->velocity(); }
double Simulator::time() const { return static_cast<double>(work_->steps) * work_->options.step; }
long Simulator::switches() const { return work_->switches; }
std::span<const ContactState> Simulator::contacts() const { return work_->contacts(); }
double Simulator::energy() { return work_->energy(); }

Result Simulator::set_state(ConstVector<double> q, ConstVector<double> qd) {
    require_size("q", q.size(), work_->model.nq);
    require_size("qd", qd.size(), work_->model.nv_tree);
    return work_->set_state(q, qd);
}

StepOutcome Simulator::step(const Controls& controls) { return work_->step(controls); }

}  // namespace grbda
