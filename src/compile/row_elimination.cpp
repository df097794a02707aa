#include <algorithm>
#include <cmath>

#include "compile.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "dynamics/aba.hpp"

// Checks whether passing rows on from joint to joint is accurate: a joint that moves
// almost no mass makes the matrix of their multipliers one of large numbers that cancel.

namespace grbda::compile {
namespace {

constexpr double least_pivot = 1e-6;  ///< of the multipliers' matrix, relative to its diagonal entry

/// The smallest such pivot of a cluster, after aba().
double least_row_pivot(const Model& model, const Workspace<double>& data, const Cluster& c) {
    double least = 1;
    const auto look = [&](const PassedRows& way) {
        const int n = way.ended.size();
        for (int i = 0; i < n; ++i) {
            const int row = model.slot_row[way.ended.first + i];
            const double before = -data.Q[c.Q_begin + row * (c.rows + 1)],
                         pivot = 1 / data.row_factors[way.factor_begin + i * (n + 1)];
            const double part = pivot / before;
            if (!(part >= least) && least >= 0) least = std::isfinite(part) ? part : -1;
        }
    };
    for (const int i : c.bodies) look(model.passed_rows[i]);
    look(c.base);
    return least;
}

}  // namespace

void find_joint_floors(Draft& draft, const Model& model, const Workspace<double>& data) {
    Table<double>& floors = draft.constants.joint_floor;
    floors.assign(model.v_index.size(), 0);
    Table<RigidInertia<double>> I(model.bodies.size());
    for (const Cluster& c : model.clusters)
        for (const int i : c.bodies) I[i] = kernels::inertia_of(model, data, i);
    for (int i = model.body_count() - 1; i >= 0; --i) {
        const Body& body = model.bodies[i];
        if (body.rotor) continue;
        for (int dof = body.dof; dof < body.dof + velocity_size(body.joint); ++dof)
            floors[dof] = floor_fraction * dot(data.s[dof], I[i] * data.s[dof]);
        if (body.parent != world) I[body.parent] += I[i];
    }
}

void find_rows_that_stay(Draft& draft) {
    const Model model = make_model(draft, draft.form);
    draft.rows_stay.assign(model.clusters.size(), 0);
    if (model.slot_row.empty()) return;
    Workspace<double> data(model);
    const std::vector<double> still(at(model.nv), 0);
    std::vector<double> ydd(at(model.nv));
    kernels::aba<double>(model, data, model.neutral.data(), still.data(), still.data(), nullptr, ydd.data());
    for (const Cluster& c : model.clusters)
        draft.rows_stay[c.index] =
            c.kind == ClusterKind::rows && !(least_row_pivot(model, data, c) >= least_pivot);
}

}  // namespace grbda::compile
