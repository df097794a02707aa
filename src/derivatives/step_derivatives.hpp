#pragma once

#include <optional>

#include "grbda/export.hpp"
#include "grbda/derivatives/step_derivatives.hpp"
#include "grbda/spatial/dual.hpp"
#include "model/arguments.hpp"

// The functions of grbda/derivatives/step_derivatives.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
struct GRBDA_EXPORT StepDerivatives {
    /// `inputs`: number of forces of a step; negative: nv. Throws std::invalid_argument if the model was
    /// moved from.
    explicit StepDerivatives(const Model& model, int inputs = -1);

    // derivatives of the end of the last motion by its start and by its displacement [nv × nv]
    MatrixX<S> by_start, by_displacement;

    VectorX<S> by_duration;  ///< derivatives of δy and ẏ at the end of the last step by h [2 nv]
    int inputs;              ///< length of τ of a step

    // a step: state, derivatives of the dynamics, values of the present stage and sums over the stages, and
    // their derivatives by δy, δẏ, δτ and h [nv × (2 nv + inputs + 1)]
    VectorX<S> q, yd, at, rate, displacement, slope, total_displacement, total_gain;
    MatrixX<S> ydd_by_y, ydd_by_yd, ydd_by_tau;
    MatrixX<S> at_by, rate_by, displacement_by, slope_by, gain_by, total_displacement_by, total_gain_by;

    // dual numbers for clusters with partly independent joints; empty if the model has no such joint
    using Moving = Dual<S, 4>;
    std::optional<Workspace<Moving>> moving;
    Table<Moving> moving_q, moving_delta;
    Table<S> scratch;
    std::size_t bodies, layout;  ///< of the model that this belongs to
};

template <class S>
GRBDA_EXPORT Result integrate_derivatives(const Model& model, Workspace<S>& data, StepDerivatives<S>& work,
                                          ConstVector<S> q, ConstVector<S> delta, MatrixOut<S> dout_dq,
                                          MatrixOut<S> dout_ddelta);

template <class S>
GRBDA_EXPORT Result difference_derivatives(const Model& model, Workspace<S>& data, StepDerivatives<S>& work,
                                           ConstVector<S> q0, ConstVector<S> q1, MatrixOut<S> ddelta_dq0,
                                           MatrixOut<S> ddelta_dq1);

// Parts of step_derivatives() other than the dynamics.
namespace step {
inline int stages(Integrator integrator) { return integrator == Integrator::runge_kutta ? 4 : 1; }
template <class S>
GRBDA_EXPORT Result begin(const Model& model, Workspace<S>& data, StepDerivatives<S>& work, ConstVector<S> q,
                          ConstVector<S> yd, ConstVector<S> tau);
template <class S>
GRBDA_EXPORT Result enter(const Model& model, Workspace<S>& data, StepDerivatives<S>& work, int stage,
                          std::type_identity_t<S> h);
template <class S>
GRBDA_EXPORT void leave(const Model& model, const Workspace<S>& data, StepDerivatives<S>& work,
                        Integrator integrator, int stage, std::type_identity_t<S> h);
template <class S>
GRBDA_EXPORT Result finish(const Model& model, Workspace<S>& data, StepDerivatives<S>& work, Result result,
                           VectorOut<S> q_next, VectorOut<S> yd_next, MatrixOut<S> A, MatrixOut<S> B);
}  // namespace step

template <class S, class Dynamics>
Result step_derivatives(const Model& model, Workspace<S>& data, StepDerivatives<S>& work,
                        Integrator integrator, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau,
                        std::type_identity_t<S> h, Dynamics&& dynamics, VectorOut<S> q_next,
                        VectorOut<S> yd_next, MatrixOut<S> A, MatrixOut<S> B) {
    Result result = step::begin<S>(model, data, work, q, yd, tau);
    for (int stage = 0; result.ok() && stage < step::stages(integrator); ++stage) {
        result = step::enter<S>(model, data, work, stage, h);
        if (!result.ok()) break;
        const VectorX<S>&at = work.at, &rate = work.rate;
        result = dynamics(at, rate, tau, work.ydd_by_y, work.ydd_by_yd, work.ydd_by_tau);
        if (result.ok()) step::leave<S>(model, data, work, integrator, stage, h);
    }
    return step::finish<S>(model, data, work, result, q_next, yd_next, A, B);
}

}  // namespace grbda
