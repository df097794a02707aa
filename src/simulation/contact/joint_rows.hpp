#pragma once

#include "contact_law.hpp"
#include "grbda/simulation/options.hpp"
#include "model/workspace.hpp"

// Limits and dry friction of joints as rows that follow those of contacts.

namespace grbda::simulation {

/// Returns the law for v̂ of limits.
inline GapLaw limit_gap_law(double h, double recovery) { return {h, h, 0.2, recovery}; }

/// Limits of a joint with one coordinate, with its indices in q, in q̇ and in pass order.
struct JointLimit {
    int q = 0, v = 0, dof = 0;
    double lower = 0, upper = 0;
};

/// Finds the joints that need a row because of a limit or dry friction.
class JointRows {
public:
    JointRows(const Model& model, const SimulatorOptions& options);

    bool has_limits() const { return !limits_.empty(); }
    const Table<JointLimit>& limits() const { return limits_; }
    /// The largest number of rows.
    int most() const { return static_cast<int>(2 * limits_.size() + frictions_.size()); }

    /// Returns the distance of a joint, given by its index in q̇, from the limit of the law.
    double gap(Law law, int joint, const VectorX<double>& q) const;

    /// Finds the rows that a step of h seconds may need, after free_motion(): their indices in q̇ and their
    /// laws. Does not set the softness of the laws.
    void find(const Model& model, const Workspace<double>& data, const VectorX<double>& q, double h,
              double recovery, Table<int>& joints, Table<RowLaw>& laws) const;

private:
    struct Friction {
        int v = 0;  ///< index as in contact_inertia()
        double force = 0;
    };
    Table<JointLimit> limits_;
    Table<Friction> frictions_;
};

}  // namespace grbda::simulation
