#pragma once

#include "state.hpp"

// Smooth motion by a Runge–Kutta pair of order 8 on the displacements of all joints, with error control: the
// reference that other rules are compared with. Each stage closes the loops before its rates are evaluated;
// these are smooth functions of the displacements, so that the order stays.

namespace grbda::simulation {

class Adaptive {
public:
    explicit Adaptive(const Setting& setting);

    /// Attempts h seconds from the state.
    /// out     q_next, yd_next; error() relative to the tolerance
    /// errors  undefined where a joint with a quaternion turns too far; those of dynamics and closing
    Result attempt(const Setting& setting, Data<double>& data, const State& state, const Controls& controls,
                   double h, VectorX<double>& q_next, VectorX<double>& yd_next);
    /// Accepted at 1 or below.
    double error() const { return error_; }
    /// Proposes the next step from one of h seconds with this error.
    double proposal(double h) const;

private:
    Result evaluate(const Setting& setting, Data<double>& data, const Controls& controls, int stage);
    Result find_error(const Setting& setting, Data<double>& data, const State& state, double h,
                      const VectorX<double>& q_next, const VectorX<double>& yd_next);

    VectorX<double> q_, yd_, tau_s_, displacement_;
    MatrixX<double> rates_;          ///< of displacements [nv_tree × stages]
    MatrixX<double> accelerations_;  ///< ÿ [nv × stages]
    VectorX<double> powers_;         ///< of the forces of joints, per stage
    double error_ = 0;
};

}  // namespace grbda::simulation
