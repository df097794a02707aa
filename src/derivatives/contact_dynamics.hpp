#pragma once

#include "grbda/export.hpp"
#include "grbda/derivatives/contact_dynamics.hpp"
#include "model/arguments.hpp"

// The functions of grbda/derivatives/contact_dynamics.hpp on one workspace. They are documented there.

namespace grbda {

GRBDA_EXPORT Result contact_dynamics(const Model& model, Workspace<double>& data, ContactDynamics& work,
                                     const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                                     ConstVector<double> tau, VectorOut<double> ydd, VectorOut<double> f);

GRBDA_EXPORT Result contact_dynamics_derivatives(const Model& model, Workspace<double>& data,
                                                 ContactDynamics& work, const ContactPhase& phase,
                                                 ConstVector<double> q, ConstVector<double> yd,
                                                 ConstVector<double> tau, VectorOut<double> ydd,
                                                 VectorOut<double> f, MatrixOut<double> ydd_by,
                                                 MatrixOut<double> f_by);

GRBDA_EXPORT Result contact_impact(const Model& model, Workspace<double>& data, ContactDynamics& work,
                                   const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                                   VectorOut<double> yd_after, VectorOut<double> impulses);

GRBDA_EXPORT Result contact_impact_derivatives(const Model& model, Workspace<double>& data,
                                               ContactDynamics& work, const ContactPhase& phase,
                                               ConstVector<double> q, ConstVector<double> yd,
                                               VectorOut<double> yd_after, VectorOut<double> impulses,
                                               MatrixOut<double> yd_by, MatrixOut<double> impulses_by);

}  // namespace grbda
