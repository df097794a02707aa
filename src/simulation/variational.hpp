#pragma once

#include "lagrangian.hpp"
#include "state.hpp"

// The midpoint rule as a discrete null-space integrator: of all motions over a step those of the robot make
// h L((q₀ + q₁)/2, (q₁ − q₀)/h) stationary among what the loops allow. Symplectic: the energy of a free
// mechanism stays near what it was for any number of steps, and momentum of a free base is kept.
// source  Marsden, West 2001; Leyendecker, Marsden, Ortiz 2008

namespace grbda::simulation {

class Variational {
public:
    explicit Variational(const Setting& setting);

    /// h seconds from the state.
    /// out     q_next, yd_next
    /// errors  not_converged or undefined where the step is too long for the motion; what integrate() and
    /// factor() report
    Result step(const Setting& setting, Data<double>& data, const State& state, const Controls& controls,
                double h, VectorX<double>& q_next, VectorX<double>& yd_next);

private:
    /// Which end of a step.
    enum class End { start, finish };

    Result find(const Setting& setting, Data<double>& data, const State& state, const Controls& controls,
                double h, VectorX<double>& q_next);
    Result take_velocity(const Model& model, Data<double>& data, double h, const VectorX<double>& q,
                         const VectorX<double>& momenta, VectorX<double>& yd);
    void halfway(const Model& model, const VectorX<double>& q, const VectorX<double>& q_next, double h);
    void momenta_at(const Model& model, End end, double h, VectorX<double>& momenta) const;

    Lagrangian lagrangian_;
    Data<double> data_;  ///< of the robot as it was given
    VectorX<double> q_mid_;
    VectorX<double> qd_mid_, way_, at_start_, at_end_, momentum_, slope_, force_;  ///< per entry of q̇
    VectorX<double> rate_, change_, left_;                                         ///< per entry of ẏ
};

}  // namespace grbda::simulation
