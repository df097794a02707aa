#include "limit_constraints.hpp"

#include <algorithm>
#include <cmath>

#include "grbda/algorithms/embedding.hpp"

namespace grbda::simulation {

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

/// Λ⁻¹ of the selected bounds, after free_motion().
Result LimitConstraints::find_inertia(const Setting& setting, Data<double>& data) {
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

Result LimitConstraints::find_accelerations(const Setting& setting, const Data<double>& data,
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

/// Adds M⁻¹ Jᵀ x.
Result LimitConstraints::apply(const Setting& setting, Data<double>& data, VectorX<double>& sum) {
    part_ = rows_.cwiseProduct(forces_);
    if (const Result result = apply_impulses<double>(setting.model, data, space_, part_, change_);
        !result.ok())
        return result;
    sum += change_;
    return {};
}

/// 0 ≤ x ⊥ A x + b ≥ 0, by Murty's principal pivoting: the first row that is wrong changes sides.
bool LimitConstraints::solve() {
    constexpr double rounding = 1e-12;
    constexpr int most_changes = 1000;
    const Eigen::Index n = motion_.size();
    Table<Eigen::Index> active;
    for (int change = 0; change < most_changes; ++change) {
        forces_.setZero(n);
        if (!active.empty()) {
            block_ = inertia_(active, active);
            factor_.compute(block_);
            part_ = -motion_(active);
            part_ = factor_.solve(part_).eval();
            forces_(active) = part_;
        }
        if (!forces_.allFinite()) return false;
        const VectorX<double> away = inertia_ * forces_ + motion_;
        const double least_force = -rounding * forces_.cwiseAbs().maxCoeff();
        const double least_motion = -rounding * motion_.cwiseAbs().maxCoeff();
        Eigen::Index wrong = 0;
        for (; wrong < n; ++wrong) {
            const auto at = std::find(active.begin(), active.end(), wrong);
            if (at != active.end() && forces_[wrong] < least_force) {
                active.erase(at);
                break;
            }
            if (at == active.end() && away[wrong] < least_motion) {
                active.push_back(wrong);
                break;
            }
        }
        if (wrong == n) return true;
    }
    return false;
}

Result LimitConstraints::settle(const Setting& setting, Data<double>& data, const VectorX<double>& q,
                                const Controls& controls, int released, VectorX<double>& yd) {
    const double tolerance = setting.options.tolerance;
    work_ = 0;
    selected_.clear();
    for (std::size_t k = 0; k < bounds_.size(); ++k) {
        bounds_[k].held = false;
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

    Eigen::Index row = 0;
    std::erase_if(selected_, [&](int k) { return after[row++] > tolerance || k == released; });
    if (selected_.empty()) return {};
    if (const Result result = move_freely(setting, data, q, yd, controls, tau_s_); !result.ok())
        return result;
    if (const Result result = find_inertia(setting, data); !result.ok()) return result;
    if (const Result result = find_accelerations(setting, data, q, yd, data.ydd); !result.ok()) return result;
    if (!solve()) return {Status::not_converged};
    for (std::size_t i = 0; i < selected_.size(); ++i)
        bounds_[static_cast<std::size_t>(selected_[i])].held = forces_[static_cast<Eigen::Index>(i)] > 0;
    return {};
}

Result LimitConstraints::constrain(const Setting& setting, Data<double>& data, const VectorX<double>& q,
                                   const VectorX<double>& yd, VectorX<double>& ydd) {
    selected_.clear();
    for (std::size_t k = 0; k < bounds_.size(); ++k)
        if (bounds_[k].held) selected_.push_back(static_cast<int>(k));
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
