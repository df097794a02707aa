#pragma once

#include <algorithm>
#include <cmath>

#include "grbda/export.hpp"
#include "rows.hpp"

// Computes the closure error of one loop or coupling, in its own units.

namespace grbda::kernels {

/// Returns the gap of a loop, after constraint_rows() of the open cluster. Dropped rows do not count.
template <class S>
GRBDA_EXPORT LoopGap loop_gap(const Model& model, const Workspace<S>& data, const Loop& loop, bool opposed) {
    LoopGap gap;
    gap.opposed = opposed;
    double square = 0, sine = 0;
    int at_row = loop.row;
    for (const LoopRow& row : rows_of(model, loop)) {
        const double phi = value_of(data.phi[at_row++]);
        switch (row.kind) {
            case RowKind::along:
                square += phi * phi;
                gap.length = std::sqrt(square);
                break;
            case RowKind::distance: {  // φ = (d² − L²) / 2L
                const double L = loop.constant;
                gap.length = std::abs(std::sqrt(std::max(0., L * L + 2 * L * phi)) - L);
                break;
            }
            case RowKind::length: gap.length = std::abs(phi); break;
            case RowKind::screw: gap.angle = std::abs(phi / loop.constant); break;
            case RowKind::turn:
            case RowKind::tilt: sine = std::hypot(sine, phi); break;
            case RowKind::angle:  // φ = cos of the angle between the axes, less its value
                gap.angle = std::abs(std::acos(std::clamp(phi + loop.constant, -1., 1.)) -
                                     std::acos(std::clamp(loop.constant, -1., 1.)));
                break;
        }
    }
    const double turn = std::asin(std::min(1., sine));
    gap.angle += opposed ? 3.14159265358979 - turn : turn;
    return gap;
}

/// Returns the gap of a coupling: the position error of its first joint.
template <class S>
LoopGap coupling_gap(const Model& model, const Workspace<S>& data, const Coupling& coupling) {
    const CouplingTerm& first = model.coupling_terms[coupling.terms.first];
    const Body& body = model.bodies[model.dof_body[first.dof]];
    const double off = std::abs(value_of(data.phi[coupling.row]) / first.coefficient);
    const bool slide = is_freedom(body.joint, first.dof - body.dof, Freedom::slide);
    return slide ? LoopGap{off, 0, false} : LoopGap{0, off, false};
}

// Instantiated in src/kernels/.
extern template LoopGap loop_gap(const Model&, const Workspace<double>&, const Loop&, bool);

}  // namespace grbda::kernels
