#pragma once

#include "grbda/export.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "model/arguments.hpp"

// The functions of grbda/derivatives/dynamics_derivatives.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result rnea_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                     ConstVector<S> yd, ConstVector<S> ydd, MatrixOut<S> dtau_dy,
                                     MatrixOut<S> dtau_dyd);
template <class S>
GRBDA_EXPORT Result rnea_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                     ConstVector<S> yd, ConstVector<S> ydd, MatrixOut<S> dtau_dy,
                                     MatrixOut<S> dtau_dyd, MatrixOut<S> M);
template <class S>
GRBDA_EXPORT Result rnea_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                     ConstVector<S> yd, ConstVector<S> ydd, Wrenches<S> wrenches,
                                     MatrixOut<S> dtau_dy, MatrixOut<S> dtau_dyd, MatrixOut<S> M);

template <class S>
GRBDA_EXPORT Result aba_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                    ConstVector<S> yd, ConstVector<S> tau, MatrixOut<S> dydd_dy,
                                    MatrixOut<S> dydd_dyd, MatrixOut<S> dydd_dtau);
template <class S>
GRBDA_EXPORT Result aba_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                    ConstVector<S> yd, ConstVector<S> tau, Wrenches<S> wrenches,
                                    MatrixOut<S> dydd_dy, MatrixOut<S> dydd_dyd, MatrixOut<S> dydd_dtau);

template <class S>
GRBDA_EXPORT Result inverse_mass_matrix(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                        MatrixOut<S> inverse);

}  // namespace grbda
