#pragma once

#include "dormand_prince.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// State of a robot within the last adaptive step: polynomials of the displacements of all joints and of ẏ,
// of order 6, per part of the step. Loops are closed where the polynomials lead.

namespace grbda::simulation {

/// A part of a step, from q and ẏ on.
struct DensePart {
    explicit DensePart(const Model& model) : chart(model) {}

    double start = 0, length = 0;  ///< s; from the beginning of the step on
    VectorX<double> q, yd;
    Chart chart;                                       ///< coordinates that ẏ is made of
    MatrixX<double> displacement, change_of_velocity;  ///< [nv_tree × 7], [nv × 7]: coefficients of θ, θ², …

    /// Sets the coefficients.
    /// in      f of the stages and of the end: rates of displacements, and ÿ
    void fit(const MatrixX<double>& rates, const MatrixX<double>& accelerations);
    /// At θ length after the start, 0 ≤ θ ≤ 1.
    /// out     q, yd, way [nv_tree]; data.chart
    Result at(const Model& model, Data<double>& data, double theta, VectorX<double>& q_there,
              VectorX<double>& yd_there, VectorX<double>& way) const;
};

}  // namespace grbda::simulation
