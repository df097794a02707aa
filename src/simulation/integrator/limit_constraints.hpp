#pragma once

#include <cmath>
#include <cstddef>

#include <Eigen/Cholesky>

#include "simulation/state/setting.hpp"
#include "model/arguments.hpp"

// Limits of joints in motion that is smooth between events. A joint that meets a limit stops there without
// rebound, and stays as long as the other forces push it against the limit. Impulses and forces of limits are
// complementary to the velocities and accelerations away from them.

namespace grbda::simulation {

class LimitConstraints {
public:
    explicit LimitConstraints(const Setting& setting);

    /// One side of a joint's range.
    struct Bound {
        int q = 0, v = 0;
        double limit = 0, side = 1;  ///< side: 1 of a lower limit, −1 of an upper one
        bool active = false;         ///< the joint rests on it
        /// The joint is at the limit because the joints at active limits keep it there.
        bool carried = false;
        double force = 0;  ///< of an active bound, away from the limit

        double gap(const VectorX<double>& at) const { return side * (at[q] - limit); }
        double rate(ConstVector<double> qd) const { return side * qd[v]; }
        /// Returns the distance by which the joint may be beyond the limit.
        double rounding() const { return 1e-12 * (1 + std::abs(limit)); }
    };
    const Table<Bound>& bounds() const { return bounds_; }

    /// Stops the joints that are within the tolerance of a limit and move against it. Activates the limits
    /// that the joints would then accelerate against. A joint that leaves its limit stays if it came back
    /// within rounding.
    /// in      released: a bound that is not active, or −1
    /// out     yd; work() of the impulses
    Result settle(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                  const Controls& controls, int released, VectorX<double>& yd);
    double work() const { return work_; }

    /// Adds the acceleration due to the forces that keep joints at active limits at rest.
    /// in      after free_motion()
    Result constrain(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                     const VectorX<double>& yd, VectorX<double>& ydd);

private:
    Result find_inertia(const Setting& setting, Workspace<double>& data);
    Result find_accelerations(const Setting& setting, const Workspace<double>& data, const VectorX<double>& q,
                              const VectorX<double>& yd, const VectorX<double>& ydd);
    Result apply(const Setting& setting, Workspace<double>& data, VectorX<double>& sum);
    bool solve();
    Result activate(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                    VectorX<double>& yd);
    std::ptrdiff_t find_leaving();

    Table<Bound> bounds_;
    Table<int> selected_, joints_;  ///< rows of the problem: bounds, and their places in q̇
    Table<Eigen::Index> active_;    ///< rows whose force is above zero
    Table<double> rates_;           ///< of the selected bounds, after impulses
    ContactSpace space_;
    Workspace<double> scratch_;
    MatrixX<double> inertia_, block_;                ///< Λ⁻¹ away from the limits, and a part of it
    VectorX<double> motion_, forces_, part_, rows_;  ///< b and x of 0 ≤ x ⊥ A x + b ≥ 0
    VectorX<double> tau_s_, change_;
    Eigen::LDLT<MatrixX<double>> factor_;
    double work_ = 0;
};

}  // namespace grbda::simulation
