#pragma once

#include "derivatives/contact_dynamics.hpp"

// Rows of the active contacts: their Jacobian, velocities and accelerations, in the axes of their frames.

namespace grbda::contacts {

/// Throws std::invalid_argument if the workspace or the mask does not fit; for dynamics, if references do
/// not.
void require_contacts(const Model& model, const ContactDynamics& work, const ContactPhase& phase);
void require_references(const ContactDynamics& work, const ContactPhase& phase);

/// Finds the rows of active contacts, their axes, J, v, J̇ ẏ and e; after forward_kinematics() with ÿ = 0.
void find_rows(const Model& model, const Workspace<double>& data, const ContactPhase& phase,
               ContactDynamics& work);

/// Writes derivatives of velocities by y, after forward_kinematics_derivatives(), into `by_y`
/// [active_rows × nv].
void velocities_along_y(const Model& model, const Workspace<double>& data, const ContactDynamics& work,
                        MatrixOut<double> by_y);

/// Writes derivatives of accelerations with the gains by y and by ẏ, into matrices [active_rows × nv].
void accelerations_along(const Model& model, const Workspace<double>& data, const ContactPhase& phase,
                         const ContactDynamics& work, MatrixOut<double> by_y, MatrixOut<double> by_yd);

/// Sets work.wrenches, on the bodies, to forces [active_rows] of the contacts.
void set_wrenches(const VectorX<double>& forces, ContactDynamics& work);

/// Calls use(contact, first row, number of rows) for each active contact.
template <class Use>
void each_active(const ContactDynamics& work, const Use& use) {
    for (std::size_t c = 0; c < work.contacts.size(); ++c)
        if (const int first = work.first_row[c]; first >= 0)
            use(static_cast<int>(c), first, rows_of(work.contacts[c].kind));
}

}  // namespace grbda::contacts
