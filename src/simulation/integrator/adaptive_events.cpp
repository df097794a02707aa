#include <algorithm>
#include <cmath>
#include <limits>

#include "adaptive.hpp"
#include "constraints/embedding.hpp"
#include "joint_displacements.hpp"

// Ends of the parts of an adaptive step: dense output, and the times at which joints meet or leave limits.

namespace grbda::simulation {
namespace {

using dormand_prince::stages;
constexpr int end_stage = stages, other_stage = stages + 1;
constexpr int samples = 8;  // of dense output, between which a joint that meets a limit is searched for

/// Finds a zero of f, which is positive at `before` and negative at `after`, by the Illinois variant of false
/// position.
template <class F>
double zero_between(double before, double after, double f_before, double f_after, const F& f) {
    constexpr int most = 60;
    constexpr double fine = 1e-13;
    int side = 0;
    for (int i = 0; i < most && after - before > fine; ++i) {
        const double x = (before * f_after - after * f_before) / (f_after - f_before), y = f(x);
        if (y >= 0) {
            before = x;
            f_before = y;
            if (side == 1) f_after /= 2;
            side = 1;
        } else {
            after = x;
            f_after = y;
            if (side == -1) f_before /= 2;
            side = -1;
        }
        if (y == 0) break;
    }
    return before;
}

}  // namespace

/// Computes the dense output from the state to the end of an attempt.
Result Adaptive::fit(const Setting& setting, Workspace<double>& data, const State& state,
                     const Controls& controls, double h, const VectorX<double>& q_next,
                     const VectorX<double>& yd_next) {
    q_ = q_next;
    yd_ = yd_next;
    if (const Result result = evaluate(setting, data, controls, end_stage); !result.ok()) return result;
    end_rate_ = rates_.col(end_stage);
    const Eigen::Map<const VectorX<double>> weights(dormand_prince::b.data(), stages);
    displacement_.noalias() = h * (rates_.leftCols(stages) * weights);
    tau_s_ = end_rate_;
    displacement_rate(setting.model, displacement_, tau_s_);
    rates_.col(end_stage) = tau_s_;
    if (count_ == parts_.size()) parts_.emplace_back(setting.model);
    DensePart& part = parts_[count_];
    part.start = time_;
    part.length = h;
    part.q = state.q;
    part.yd = state.yd;
    part.chart = data.chart;
    part.fit(rates_.leftCols(stages + 1), accelerations_.leftCols(stages + 1));
    return {};
}

Result Adaptive::complete(const Setting& setting, Workspace<double>& data, const State& state,
                          const Controls& controls, double& h, VectorX<double>& q_next,
                          VectorX<double>& yd_next) {
    event_ = false;
    released_ = -1;
    if (const Result result = fit(setting, data, state, controls, h, q_next, yd_next); !result.ok())
        return result;
    Event event;
    if (const Result result = find_event(setting, data, controls, event); !result.ok()) return result;
    if (event.bound < 0) return {};
    event_ = true;
    h *= event.theta;
    return end_at(setting, data, state, controls, event.bound, h, q_next, yd_next);
}

/// Repeats the attempt up to the event. The dense output gives an estimate of its time; Newton's method on
/// attempts then gives the time with the accuracy of the attempts.
Result Adaptive::end_at(const Setting& setting, Workspace<double>& data, const State& state,
                        const Controls& controls, int bound, double& h, VectorX<double>& q_next,
                        VectorX<double>& yd_next) {
    constexpr int most_attempts = 6;
    const LimitConstraints::Bound& limit = limits_.bounds()[static_cast<std::size_t>(bound)];
    if (limit.active) released_ = bound;
    const double longest = h * 1.01;
    for (int i = 0; i < most_attempts; ++i) {
        if (const Result result = attempt(setting, data, state, controls, h, q_next, yd_next); !result.ok())
            return result;
        const double beyond = limit.gap(q_next) - std::min(limit.gap(state.q), 0.);
        if (limit.active || std::abs(beyond) < limit.rounding() / 2) break;
        if (const Result result = spanning_velocity<double>(setting.model, data, q_next, yd_next);
            !result.ok())
            return result;
        const double rate = limit.rate(data.qd);
        if (!(rate < 0)) break;
        h = std::clamp(h - beyond / rate, 0., longest);
    }
    return fit(setting, data, state, controls, h, q_next, yd_next);
}

/// Returns a function that is zero at an event and positive before it: the gap of a limit, relative to the
/// amount by which the joint had already passed it, or the force of an active limit. NaN if the loops cannot
/// be closed.
double Adaptive::margin(const Setting& setting, Workspace<double>& data, const Controls& controls, int bound,
                        double theta) {
    const LimitConstraints::Bound& limit = limits_.bounds()[static_cast<std::size_t>(bound)];
    const DensePart& part = parts_[count_];
    if (!part.at(setting.model, data, theta, q_, yd_, displacement_).ok()) return std::nan("");
    if (!limit.active) return limit.gap(q_) - std::min(limit.gap(part.q), 0.);
    return evaluate(setting, data, controls, other_stage).ok() ? limit.force : std::nan("");
}

/// Returns whether the joint could reach the limit at twice the largest of the known rates.
bool Adaptive::may_meet(const LimitConstraints::Bound& bound, const DensePart& part) const {
    const double fastest = rates_.leftCols(stages + 1).row(bound.v).cwiseAbs().maxCoeff();
    return bound.gap(part.q) <= 2 * part.length * fastest + bound.rounding();
}

/// Locates the event of a bound between two times, before the event and after it. A joint may leave its limit
/// by less than rounding and meet it again; it is then treated as if it had stayed there.
Result Adaptive::locate(const Setting& setting, Workspace<double>& data, const Controls& controls, int bound,
                        double before, double after, Event& event) {
    constexpr int most_halvings = 60;
    const LimitConstraints::Bound& limit = limits_.bounds()[static_cast<std::size_t>(bound)];
    const auto f = [&](double theta) { return margin(setting, data, controls, bound, theta); };
    const double least = limit.active ? 0 : -limit.rounding() / 2;
    double f_before = f(before), f_after = f(after);
    if (std::isnan(f_before) || std::isnan(f_after)) return {Status::undefined};
    if (f_after >= 0) return {};
    if (f_before <= 0 && !limit.active) {
        double inside = after, there = f_after;
        for (int i = 0; i < most_halvings && there < least; ++i) {
            after = inside;
            f_after = there;
            inside = before + (inside - before) / 2;
            there = f(inside);
        }
        if (!(there >= least)) return {Status::undefined};
        before = inside;
        f_before = there;
    }
    const double theta = f_before > 0 ? zero_between(before, after, f_before, f_after, f) : before;
    if (event.bound < 0 || theta < event.theta) event = {bound, theta};
    return {};
}

Result Adaptive::find_event(const Setting& setting, Workspace<double>& data, const Controls& controls,
                            Event& event) {
    const auto count = static_cast<int>(limits_.bounds().size());
    const DensePart& part = parts_[count_];
    const auto limit = [&](int k) { return limits_.bounds()[static_cast<std::size_t>(k)]; };
    leaving_.clear();  // forces are those at the end until the first of them is located
    for (int k = 0; k < count; ++k)
        if (limit(k).active && limit(k).force < 0) leaving_.push_back(k);
    for (const int k : leaving_)
        if (const Result result = locate(setting, data, controls, k, 0, 1, event); !result.ok())
            return result;
    for (int k = 0; k < count; ++k) {
        if (limit(k).active || !may_meet(limit(k), part)) continue;
        for (int i = 1; i <= samples; ++i) {
            const double theta = double(i) / samples;
            const double there = margin(setting, data, controls, k, theta);
            if (std::isnan(there)) return {Status::undefined};
            if (there >= (limit(k).carried ? -setting.options.tolerance : -limit(k).rounding())) continue;
            if (const Result result =
                    locate(setting, data, controls, k, double(i - 1) / samples, theta, event);
                !result.ok())
                return result;
            break;
        }
    }
    return {};
}

Result Adaptive::proceed(const Setting& setting, Workspace<double>& data, State& state,
                         const Controls& controls, double& work) {
    time_ += parts_[count_++].length;
    if (event_) {
        begun_ = false;
        const Result result = limits_.settle(setting, data, state.q, controls, released_, state.yd);
        work += limits_.work();
        return result;
    }
    rates_.col(0) = end_rate_;
    accelerations_.col(0) = accelerations_.col(end_stage);
    powers_[0] = powers_[end_stage];
    return {};
}

Result Adaptive::at(const Setting& setting, Workspace<double>& data, double time, VectorX<double>& q,
                    VectorX<double>& yd) {
    for (std::size_t k = 0; k < count_; ++k) {
        const DensePart& part = parts_[k];
        const double theta = (time - part.start) / part.length;
        if (!(theta <= 1) && k + 1 < count_) continue;  // NaN: the part has length zero
        return part.at(setting.model, data, std::clamp(theta, 0., 1.), q, yd, displacement_);
    }
    return {Status::not_finite};
}

}  // namespace grbda::simulation
