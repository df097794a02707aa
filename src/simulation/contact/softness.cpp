#include "softness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grbda::simulation {
namespace {

// Fractions of a row's own inverse inertia. For a normal: β² / 4π² with β = 1 (Castro et al. 2022,
// near-rigid).
constexpr double part_of_normal = 0.025, part_of_tangent = 1e-3, part_of_friction = 1e-4;
constexpr double least_part = 1e-7;  // the rounding of the solver is not far below

double softness_of_contact(const Eigen::Ref<const Eigen::MatrixXd>& W, Eigen::Index row,
                           const SimulatorOptions& options, double h, RowLaw& law) {
    const double w = W.block<3, 3>(row, row).norm() / std::sqrt(3.);
    double R_n = part_of_normal * std::max(W(row + 2, row + 2), 1e-3 * w), R_t = part_of_tangent * w;
    if (options.contact != ContactModel::compliant)
        R_t = R_n = part_of_normal * w;
    else if (options.stiffness > 0)
        R_n = std::max(least_part * w, 1 / (h * options.stiffness * (h + options.dissipation)));
    law.softness = {R_t, R_t, R_n};
    return w;
}

}  // namespace

GapLaw contact_gap_law(const SimulatorOptions& options, double h) {
    GapLaw law{h, h + options.dissipation, 0.2, options.recovery};
    if (is_elastic(options)) {
        law.part = 1;
        law.recovery = std::numeric_limits<double>::infinity();
    }
    return law;
}

void soften(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia, const SimulatorOptions& options,
            double h, double mass, Table<RowLaw>& laws) {
    Eigen::Index row = 0;
    for (RowLaw& law : laws) {
        double w = inverse_inertia(row, row);
        if (law.law == Law::contact) w = softness_of_contact(inverse_inertia, row, options, h, law);
        if (law.law == Law::contact)
            for (int k = 0; k < 3; ++k)
                if (k < 2 || (law.wanted[k] > 0 && !is_elastic(options)))
                    law.wanted[k] *= std::min(1., inverse_inertia(row + k, row + k) * mass);
        if (law.law != Law::contact)
            law.softness[0] = w * (law.law == Law::friction ? part_of_friction : part_of_normal);
        if (!(w > 0)) {
            law.softness.setOnes();
            law.wanted.setZero();
        }
        row += rows_of(law.law);
    }
}

}  // namespace grbda::simulation
