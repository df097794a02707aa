#pragma once

#include "dormand_prince.hpp"
#include "model/workspace.hpp"
#include "grbda/status.hpp"

// State of a robot within the last adaptive step: polynomials of order 6 for the displacements of all joints
// and for ẏ, per part of the step. Loops are closed from the values of the polynomials.

namespace grbda::simulation {

/// A part of a step that starts from q and ẏ.
struct DensePart {
    explicit DensePart(const Model& model) : chart(model) {}

    double start = 0, length = 0;  ///< s, from the start of the step
    VectorX<double> q, yd;
    Chart chart;                                       ///< coordinates of ẏ
    MatrixX<double> displacement, change_of_velocity;  ///< [nv_tree × 7], [nv × 7]: coefficients of θ, θ², …

    /// Sets the coefficients.
    /// in      f at the stages and at the end: rates of displacements, and ÿ
    void fit(const MatrixX<double>& rates, const MatrixX<double>& accelerations);
    /// Computes the state at θ · length after the start, 0 ≤ θ ≤ 1.
    /// out     q, yd, delta [nv_tree]; data.chart
    Result at(const Model& model, Workspace<double>& data, double theta, VectorX<double>& q_there,
              VectorX<double>& yd_there, VectorX<double>& delta) const;
};

}  // namespace grbda::simulation
