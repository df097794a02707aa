#include "limit_constraints.hpp"

#include <algorithm>
#include <cmath>

#include "constraints/embedding.hpp"
#include "dynamics/contact_inertia.hpp"

namespace grbda::simulation {
namespace {

/// Tolerance of accelerations, relative to those without forces of limits.
constexpr double limit_rounding = 1e-10;

}  // namespace

LimitConstraints::LimitConstraints(const Setting& setting)
    : space_(setting.model, 0, 2 * static_cast<int>(setting.rows.limits().size())), scratch_(setting.model) {
    for (const JointLimit& x : setting.rows.limits()) {
        if (std::isfinite(x.lower)) bounds_.push_back({x.q, x.v, x.lower, 1});
        if (std::isfinite(x.upper)) bounds_.push_back({x.q, x.v, x.upper, -1});
    }
    selected_.reserve(bounds_.size());
    joints_.reserve(bounds_.size());
    tau_s_.setZero(setting.model.nv_tree);
    change_.setZero(setting.model.nv);
}

/// Computes Λ⁻¹ of the selected bounds, after free_motion().
Result LimitConstraints::find_inertia(const Setting& setting, Workspace<double>& data) {
    const auto n = static_cast<Eigen::Index>(selected_.size());
    joints_.clear();
    rows_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Bound& bound = bounds_[static_cast<std::size_t>(selected_[static_cast<std::size_t>(i)])];
        joints_.push_back(bound.v);
        rows_[i] = bound.side;
    }
    if (const Result result = contact_inertia<double>(setting.model, data, {}, joints_, space_); !result.ok())
        return result;
    inertia_ = rows_.asDiagonal() * space_.inverse_inertia.topLeftCorner(n, n) * rows_.asDiagonal();
    return {};
}

Result LimitConstraints::find_accelerations(const Setting& setting, const Workspace<double>& data,
                                            const VectorX<double>& q, const VectorX<double>& yd,
                                            const VectorX<double>& ydd) {
    if (setting.has_choice) scratch_.chart = data.chart;
    if (const Result result = spanning_acceleration<double>(setting.model, scratch_, q, yd, ydd);
        !result.ok())
        return result;
    motion_.resize(rows_.size());
    for (Eigen::Index i = 0; i < rows_.size(); ++i)
        motion_[i] = rows_[i] * scratch_.qdd[joints_[static_cast<std::size_t>(i)]];
    return {};
}

/// Adds M⁻¹ Jᵀ x to a sum.
Result LimitConstraints::apply(const Setting& setting, Workspace<double>& data, VectorX<double>& sum) {
    part_ = rows_.cwiseProduct(forces_);
    if (const Result result = apply_impulses<double>(setting.model, data, space_, part_, change_);
        !result.ok())
        return result;
    sum += change_;
    return {};
}

/// Solves 0 ≤ x ⊥ A x + b ≥ 0 by Murty's principal pivoting: the first row with a wrong sign changes sides.
bool LimitConstraints::solve() {
    constexpr int most_changes = 1000;
    const Eigen::Index n = motion_.size();
    active_.clear();
    for (int change = 0; change < most_changes; ++change) {
        forces_.setZero(n);
        if (!active_.empty()) {
            block_ = inertia_(active_, active_);
            factor_.compute(block_);
            part_ = -motion_(active_);
            part_ = factor_.solve(part_).eval();
            forces_(active_) = part_;
        }
        if (!forces_.allFinite()) return false;
        const VectorX<double> away = inertia_ * forces_ + motion_;
        const double least_force = -limit_rounding * forces_.cwiseAbs().maxCoeff();
        const double least_motion = -limit_rounding * motion_.cwiseAbs().maxCoeff();
        Eigen::Index wrong = 0;
        for (; wrong < n; ++wrong) {
            const auto at = std::find(active_.begin(), active_.end(), wrong);
            if (at != active_.end() && forces_[wrong] < least_force) {
                active_.erase(at);
                break;
            }
            if (at == active_.end() && away[wrong] < least_motion) {
                active_.push_back(wrong);
                break;
            }
        }
        if (wrong == n) return true;
    }
    return false;
}

Result LimitConstraints::settle(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                                const Controls& controls, int released, VectorX<double>& yd) {
    const double tolerance = setting.options.tolerance;
    work_ = 0;
    selected_.clear();
    for (std::size_t k = 0; k < bounds_.size(); ++k) {
        bounds_[k].active = bounds_[k].carried = false;
        if (bounds_[k].gap(q) <= tolerance) selected_.push_back(static_cast<int>(k));
    }
    if (selected_.empty()) return {};
    if (const Result result = move_freely(setting, data, q, yd, controls, tau_s_); !result.ok())
        return result;
    if (const Result result = find_inertia(setting, data); !result.ok()) return result;
    motion_ = rows_.cwiseProduct(space_.velocity.head(rows_.size()));
    if (!solve()) return {Status::not_converged};
    const VectorX<double> after = motion_ + inertia_ * forces_;
    work_ = forces_.dot(motion_ + after) / 2;
    if (const Result result = apply(setting, data, yd); !result.ok()) return result;

    rates_.clear();
    for (std::size_t i = 0; i < selected_.size(); ++i)
        if (selected_[i] != released) rates_.push_back(after[static_cast<Eigen::Index>(i)]);
    std::erase(selected_, released);
    if (selected_.empty()) return {};
    if (const Result result = move_freely(setting, data, q, yd, controls, tau_s_); !result.ok())
        return result;
    return activate(setting, data, q, yd);
}

/// Decides which of the selected bounds are active, and stops their joints.
Result LimitConstraints::activate(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                                  VectorX<double>& yd) {
    std::ptrdiff_t leaving = 0;
    do {
        if (const Result result = find_inertia(setting, data); !result.ok()) return result;
        if (const Result result = find_accelerations(setting, data, q, yd, data.ydd); !result.ok())
            return result;
        if (!solve()) return {Status::not_converged};
        leaving = find_leaving();
        if (leaving < 0) break;
        selected_.erase(selected_.begin() + leaving);
        rates_.erase(rates_.begin() + leaving);
    } while (!selected_.empty());
    if (selected_.empty()) return {};
    const VectorX<double> away = motion_ + inertia_ * forces_;
    const double slow = limit_rounding * motion_.cwiseAbs().maxCoeff();
    for (std::size_t i = 0; i < selected_.size(); ++i) {
        Bound& bound = bounds_[static_cast<std::size_t>(selected_[i])];
        bound.active = forces_[static_cast<Eigen::Index>(i)] > 0;
        bound.carried = !bound.active && away[static_cast<Eigen::Index>(i)] <= slow;
    }
    if (active_.empty()) return {};
    const Eigen::Map<const VectorX<double>> rates(rates_.data(), static_cast<Eigen::Index>(rates_.size()));
    part_ = -rates(active_);
    forces_.setZero();
    part_ = factor_.solve(part_).eval();
    forces_(active_) = part_;
    work_ += forces_.dot(rates) / 2;
    return apply(setting, data, yd);
}

/// Finds the active row that moves farthest from its limit, by rate²/(2 a), before the other forces bring it
/// back. Returns −1 if no row moves by more than rounding, because shorter hops would repeat without end. A
/// row that these forces hardly accelerate leaves, too.
std::ptrdiff_t LimitConstraints::find_leaving() {
    constexpr double least_acceleration = 1e-8;  // rad/s², m/s²
    std::ptrdiff_t farthest = -1;
    double most = 1;
    const auto count = static_cast<Eigen::Index>(active_.size());
    for (Eigen::Index i = 0; i < count; ++i) {
        const Eigen::Index row = active_[static_cast<std::size_t>(i)];
        const auto k = static_cast<std::size_t>(row);
        part_ = VectorX<double>::Unit(count, i);
        part_ = factor_.solve(part_).eval();
        const double acceleration = forces_[row] / part_[i], rate = std::max(rates_[k], 0.);
        if (acceleration < least_acceleration) return row;
        const double least_hop = bounds_[static_cast<std::size_t>(selected_[k])].rounding();
        const double hop = rate * rate / (2 * acceleration * least_hop);
        if (!(hop > most)) continue;
        most = hop;
        farthest = row;
    }
    return farthest;
}

Result LimitConstraints::constrain(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                                   const VectorX<double>& yd, VectorX<double>& ydd) {
    selected_.clear();
    for (std::size_t k = 0; k < bounds_.size(); ++k)
        if (bounds_[k].active) selected_.push_back(static_cast<int>(k));
    if (selected_.empty()) return {};
    if (const Result result = find_inertia(setting, data); !result.ok()) return result;
    if (const Result result = find_accelerations(setting, data, q, yd, ydd); !result.ok()) return result;
    factor_.compute(inertia_);
    forces_ = factor_.solve(-motion_);
    for (std::size_t i = 0; i < selected_.size(); ++i)
        bounds_[static_cast<std::size_t>(selected_[i])].force = forces_[static_cast<Eigen::Index>(i)];
    return apply(setting, data, ydd);
}

}  // namespace grbda::simulation
