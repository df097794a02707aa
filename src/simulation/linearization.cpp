#include "linearization.hpp"

#include <algorithm>

#include "kinematics/configuration.hpp"
#include "simulation/contact/softness.hpp"

namespace grbda::simulation {
namespace {

using Eigen::Index;

// Sizes of finite differences. Hard contacts that share their normal and slide multiply the rounding of
// velocities by up to 1e7, so that differences should be large. Below the size for positions, contacts keep
// their features. The size for velocities may be larger, because forces grow with the square of velocities.
constexpr double nudge_of_positions = 8e-5;   // m, rad
constexpr double nudge_of_velocities = 1e-3;  // m/s, rad/s

/// Writes v̂ and R of all rows.
void spread(std::span<const RowLaw> laws, VectorX<double>& wanted, VectorX<double>& softness) {
    Index row = 0;
    for (const RowLaw& law : laws)
        for (int k = 0; k < rows_of(law.law); ++k, ++row) {
            wanted[row] = law.wanted[k];
            softness[row] = law.softness[k];
        }
}

/// Returns v̂ − u at these impulses.
VectorX<double> shortfall(ContactStep& step, VectorX<double>& softness) {
    VectorX<double> wanted(step.rows());
    softness.resize(step.rows());
    spread(step.laws(), wanted, softness);
    return wanted - step.free() - step.inverse_inertia() * step.impulses();
}

}  // namespace

Linearization::Linearization(const Setting& setting)
    : base_step_(setting), trial_step_(setting), base_(setting), trial_(setting), data_(setting.model) {
    tau_s_.resize(static_cast<std::size_t>(setting.model.nv_tree));
    q_ = q_end_ = base_.q;
    yd_ = yd_end_ = displacement_ = base_.yd;
}

void Linearization::list_rows(const State& state, const ContactStep& step, std::vector<Row>& rows) const {
    rows.clear();
    Index row = 0;
    for (const ContactState& x : state.contacts) {
        rows.push_back({x.id, row, 3, rows.size()});
        row += 3;
    }
    constexpr std::uint64_t of_joint = std::uint64_t{1} << 63;
    for (std::size_t i = 0; i < step.joints().size(); ++i) {
        const auto law = static_cast<std::uint64_t>(step.laws()[state.contacts.size() + i].law);
        rows.push_back(
            {of_joint | static_cast<std::uint64_t>(step.joints()[i]) << 8 | law, row++, 1, rows.size()});
    }
}

/// Takes the step itself, with its impulses.
Result Linearization::begin(const Setting& setting, const State& state, const Controls& controls) {
    base_ = state;
    base_.momentum.forget();
    controls_ = controls;
    given_.assign(static_cast<std::size_t>(setting.model.nv_tree), 0);
    if (!controls.tau_s.empty()) given_.assign(controls.tau_s.begin(), controls.tau_s.end());
    tau_s_ = given_;
    controls_.tau_s = tau_s_;
    if (setting.has_choice) data_.chart = state.chart;
    if (smooth_) return (*smooth_)(base_, controls_, q_end_, yd_end_);
    const double h = setting.options.step;
    StepOutcome outcome;
    State taken = base_;
    if (const Result result = base_step_.step(setting, data_, taken, controls_, h, q_end_, yd_end_, outcome);
        !result.ok())
        return {result.status == Status::inaccurate ? Status::undefined : result.status, result.cluster};
    if (const Result result =
            base_step_.prepare(setting, data_, base_, controls_, h, base_step_.fine(), outcome);
        !result.ok())
        return result;
    if (const Result result = base_step_.solve(setting, base_, outcome); !result.ok()) return result;
    if (outcome.contact.status != Status::ok) return {outcome.contact.status};
    if (base_step_.repairs_stopped()) return {Status::undefined};
    impulses_ = base_step_.impulses();
    short_ = shortfall(base_step_, softness_);
    list_rows(base_, base_step_, rows_);
    return base_step_.finish(setting, data_, base_, h, q_end_, yd_end_);
}

/// Sets trial_ and tau_s_ to the base with one number changed.
void Linearization::start_beside(const Setting& setting, Index column, double by) {
    const Index nv = setting.model.nv;
    trial_ = base_;
    trial_.momentum.forget();
    tau_s_ = given_;
    if (column < nv) {
        displacement_.setZero();
        displacement_[column] = by;
        if (!integrate<double>(setting.model, data_, base_.q, displacement_, trial_.q).ok())
            trial_.q.setConstant(std::nan(""));
    } else if (column < 2 * nv) {
        trial_.yd[column - nv] += by;
    } else {
        tau_s_[static_cast<std::size_t>(column - 2 * nv)] += by;
    }
}

const Linearization::Row* Linearization::counterpart(const Row& row) const {
    const auto found = std::find_if(trial_rows_.begin(), trial_rows_.end(),
                                    [&](const Row& trial) { return trial.key == row.key; });
    return found == trial_rows_.end() ? nullptr : &*found;
}

/// Copies the impulses of the base to the rows of the trial. A row that carries load only in the trial has no
/// derivative.
Result Linearization::hand_over() {
    trial_step_.impulses().setZero();
    for (const Row& row : rows_) {
        const auto own = impulses_.segment(row.row, row.size);
        if (const Row* trial = counterpart(row))
            trial_step_.impulses().segment(trial->row, row.size) = own;
        else if (!own.isZero(0))
            return {Status::undefined};
    }
    return {};
}

double Linearization::gap(const Setting& setting, const State& state, const ContactStep& step,
                          std::size_t law) const {
    if (law < state.contacts.size()) return state.contacts[law].gap;
    return setting.rows.gap(step.laws()[law].law, step.joints()[law - state.contacts.size()], state.q);
}

/// Returns v̂ along the normal, or of a limit, in the trial, evaluated on the piece of the base. Bodies at
/// rest overlap by less than the finite differences move them.
double Linearization::target_at_fixed_impulse(const Setting& setting, const Row& row, std::size_t trial_law,
                                              Index trial_row) const {
    const std::size_t law = row.law;
    const SimulatorOptions& options = setting.options;
    const RowLaw& base = base_step_.laws()[law];
    const double at_base = gap(setting, base_, base_step_, law),
                 now = gap(setting, trial_, trial_step_, trial_law);
    if (base.law != Law::contact) {
        const GapLaw limit = limit_gap_law(options.step, options.recovery);
        return (base.law == Law::upper ? -1 : 1) * limit.speed(limit.piece(at_base), now);
    }
    const GapLaw contact = contact_gap_law(options, options.step);
    const double unhindered = contact.speed(at_base);
    const bool reduced = unhindered > 0 && base.wanted[2] + base_step_.shift(row.row + 2) < unhindered;
    return contact.speed(contact.piece(at_base), now) *
           (reduced ? trial_step_.inverse_inertia()(trial_row, trial_row) * setting.mass : 1);
}

/// Computes the misfit of the trial's laws with the base's impulses, in the order of the base.
void Linearization::compare(const Setting& setting, VectorX<double>& misfit) {
    VectorX<double> softness;
    VectorX<double> now = shortfall(trial_step_, softness);
    for (const Row& row : rows_) {
        const Law law = base_step_.laws()[row.law].law;
        const Row* trial = law == Law::friction || law == Law::equality ? nullptr : counterpart(row);
        if (trial == nullptr) continue;
        const Index normal = law == Law::contact ? 2 : 0;
        now[trial->row + normal] +=
            target_at_fixed_impulse(setting, row, trial->law, trial->row + normal) -
            (trial_step_.laws()[trial->law].wanted[normal] + trial_step_.shift(trial->row + normal));
    }
    misfit = VectorX<double>::Zero(impulses_.size());
    for (const Row& row : rows_)
        if (const Row* trial = counterpart(row))
            for (Index k = 0; k < row.size; ++k) {
                const Index own = row.row + k, other = trial->row + k;
                misfit[own] = now[other] - softness[other] / softness_[own] * short_[own];
            }
}

/// Takes a step from the trial with the base's impulses.
Result Linearization::go(const Setting& setting, Ends& ends) {
    const Index nv = setting.model.nv;
    Result result;
    if (smooth_) {
        result = (*smooth_)(trial_, controls_, q_, yd_);
    } else {
        StepOutcome outcome;
        const double h = setting.options.step;
        result = trial_step_.prepare(setting, data_, trial_, controls_, h, base_step_.fine(), outcome);
        if (!result.ok()) return result;
        list_rows(trial_, trial_step_, trial_rows_);
        result = hand_over();
        if (!result.ok()) return result;
        compare(setting, ends.misfit);
        result = trial_step_.finish(setting, data_, trial_, h, q_, yd_);
    }
    ends.end.resize(2 * nv);
    if (result.ok()) result = grbda::difference<double>(setting.model, data_, q_end_, q_, displacement_);
    ends.end << displacement_, yd_ - yd_end_;
    return result;
}

Result Linearization::difference(const Setting& setting, Index column, double by, Ends& slope) {
    start_beside(setting, column, by);
    if (const Result result = go(setting, ahead_); !result.ok()) return result;
    start_beside(setting, column, -by);
    if (const Result result = go(setting, behind_); !result.ok()) return result;
    slope.end = (ahead_.end - behind_.end) / (2 * by);
    slope.misfit = (ahead_.misfit - behind_.misfit) / (2 * by);
    return {};
}

Result Linearization::difference_by_impulse(const Setting& setting, Index row, VectorX<double>& slope) {
    const double inertia = base_step_.inverse_inertia()(row, row), impulse = impulses_[row];
    const double by = inertia > 0 ? nudge_of_velocities / inertia : 0;
    slope = VectorX<double>::Zero(2 * setting.model.nv);
    if (by == 0) return {};
    for (const double sign : {1., -1.}) {
        start_beside(setting, 0, 0);
        impulses_[row] = impulse + sign * by;
        const Result result = go(setting, ahead_);
        impulses_[row] = impulse;
        if (!result.ok()) return result;
        slope += ahead_.end * (sign / (2 * by));
    }
    return {};
}

/// Finds the size of the difference for a number. A force changes by the amount that causes a small change of
/// velocities; a thin rod needs less than a leg.
Result Linearization::find_size(const Setting& setting, Index column, double& by) {
    const Index nv = setting.model.nv;
    by = nudge_of_positions;
    if (column >= nv && column < 2 * nv) by = nudge_of_velocities * (1 + std::abs(base_.yd[column - nv]));
    if (column < 2 * nv) return {};
    by = nudge_of_positions * setting.options.step;
    start_beside(setting, column, by);
    if (const Result result = go(setting, ahead_); !result.ok()) return result;
    const double gain = ahead_.end.tail(nv).cwiseAbs().maxCoeff();
    if (gain > 0) by *= nudge_of_velocities / gain;
    return {};
}

Result Linearization::find(const Setting& setting, const State& state, const Controls& controls,
                           const SmoothStep* smooth, MatrixX<double>& J) {
    smooth_ = smooth;
    if (const Result result = begin(setting, state, controls); !result.ok()) return result;
    const Index nv = setting.model.nv, columns = 2 * nv + setting.model.nv_tree, rows = impulses_.size();
    J.resize(2 * nv, columns);
    MatrixX<double> changes(rows, columns), by_impulse(2 * nv, rows);
    Ends slope;
    for (Index k = 0; k < columns; ++k) {
        double by = 0;
        if (const Result result = find_size(setting, k, by); !result.ok()) return result;
        if (const Result result = difference(setting, k, by, slope); !result.ok()) return result;
        J.col(k) = slope.end;
        if (rows > 0) changes.col(k) = -slope.misfit;
    }
    if (rows == 0) return {J.allFinite() ? Status::ok : Status::not_finite};
    base_step_.solver().differentiate(changes);
    VectorX<double> column;
    for (Index r = 0; r < rows; ++r) {
        if (const Result result = difference_by_impulse(setting, r, column); !result.ok()) return result;
        by_impulse.col(r) = column;
    }
    J.noalias() += by_impulse * changes;
    return J.allFinite() ? Result{} : Result{Status::not_finite};
}

}  // namespace grbda::simulation
