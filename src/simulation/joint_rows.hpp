#pragma once

#include "contact_law.hpp"
#include "grbda/simulation/simulator.hpp"

// Limits and dry friction of joints as rows beside the contacts.

namespace grbda::simulation {

/// v̂ of limits.
inline GapLaw limit_gap_law(double h, double recovery) { return {h, h, 0.2, recovery}; }

/// Limits of a joint with one coordinate: its places in q, in q̇ and in the order of the sweeps.
struct JointLimit {
    int q = 0, v = 0, dof = 0;
    double lower = 0, upper = 0;
};

/// Reasons for which a joint may need a row.
class JointRows {
public:
    JointRows(const Model& model, const SimulatorOptions& options);

    bool has_limits() const { return !limits_.empty(); }
    const Table<JointLimit>& limits() const { return limits_; }
    /// As many rows as there can be.
    int most() const { return static_cast<int>(2 * limits_.size() + frictions_.size()); }

    /// Distance of a joint, by its place in q̇, from the limit that the law keeps.
    double gap(Law law, int joint, const VectorX<double>& q) const;

    /// Places in q̇ and laws of the rows that a step of h seconds may need, after free_motion(); their
    /// softness is left open.
    void find(const Model& model, const Data<double>& data, const VectorX<double>& q, double h,
              double recovery, Table<int>& joints, Table<RowLaw>& laws) const;

private:
    struct Friction {
        int v = 0;  ///< as in contact_inertia()
        double force = 0;
    };
    Table<JointLimit> limits_;
    Table<Friction> frictions_;
};

}  // namespace grbda::simulation
