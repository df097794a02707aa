#pragma once

#include <span>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

// Effect of impulses at contacts and joints on a robot with its loops: Λ⁻¹ = J M⁻¹ Jᵀ from the factors that
// forward dynamics leaves, without J. Rows are contacts, three each, and then joints, one each.

namespace grbda {

/// A point at which one body pushes another, or the world. Reduced rotors (Body::rotor) touch nothing.
struct Contact {
    int body = world;          ///< that impulses act on; no reduced rotor
    int other = world;         ///< that they act against; no reduced rotor
    Vector3<double> position;  ///< in the world, m
    Matrix3<double> axes;      ///< in the world, its columns the contact's: two tangents and the normal
};

/// Workspace of contacts, sized once from the model: one for each thread.
template <class S>
struct GRBDA_EXPORT ContactSpace {
    /// Throws std::invalid_argument if the model was moved from, or on a negative number.
    ContactSpace(const Model& model, int most_contacts, int most_joints = 0);

    int rows = 0;                ///< 3 contacts and joints
    MatrixX<S> inverse_inertia;  ///< its first rows × rows are Λ⁻¹, symmetric
    VectorX<S> velocity;         ///< its first rows are u = J ẏ, m/s or rad/s
    VectorX<S> acceleration;     ///< and J ÿ: without impulses u will have grown by it each second

    // what contact_inertia() leaves besides
    Table<Contact> contacts;
    Table<int> joints;  ///< velocities in sweep order
    Table<S> half;  ///< [nv × stride]: Z = T Jᵀ by velocities in sweep order, or M⁻¹ Jᵀ in the user's
    Table<S> change;     ///< [nv]
    Table<Range> reach;  ///< per cluster: rows that may reach it
    int stride = 0;
    bool by_response = false;    ///< M⁻¹ Jᵀ it is: rows travel in some cluster
    std::size_t bodies, layout;  ///< of the model that it was made for
    int most_contacts, most_joints;
};

/// Λ⁻¹ = J M⁻¹ Jᵀ and u = J ẏ, J from ẏ to the velocities of contacts along their axes, of `body` relative to
/// `other`, and to joint velocities, dependent ones too.
///   Zᵀ D⁻¹ Z with Z = T Jᵀ by the backward sweep of C-ABA from the contacts: positive semidefinite. Where
///   rows of loops travel as forces, column by column by both sweeps
/// in      after free_motion(). joints: places in q̇, of no free joint on the world
/// out     space; data keeps its results
/// errors  std::invalid_argument on too many rows, no such body or velocity, a reduced rotor as a body of a
///         contact, a velocity of a free joint on the world, or if free_motion() was not the last algorithm
///         on data; Status::not_finite, the results then NaN
/// cost    O(depth) for each row, rows² · depth for the product; no allocation
/// source  Wensing, Featherstone & Orin 2012; Sathya & Carpentier 2024
template <class S>
GRBDA_EXPORT Result contact_inertia(const Model& model, Data<S>& data, std::span<const Contact> contacts,
                                    std::span<const int> joints, ContactSpace<S>& space);

/// u = J ẏ of the same rows in another motion at the same q.
/// in      data after forward_kinematics() with its ẏ, or after free_motion(); it need not be the one that
///         contact_inertia() ran on
/// out     u [rows]
/// errors  std::invalid_argument on a wrong size, or if data holds no such motion
template <class S>
GRBDA_EXPORT void contact_velocities(const Model& model, const Data<S>& data, const ContactSpace<S>& space,
                                     VectorOut<S> u);

/// Δẏ [nv] = M⁻¹ Jᵀ γ.
/// in      after contact_inertia(); impulses γ [rows], N·s or N·m·s
/// out     change [nv]; what data.a holds is its own then
/// errors  std::invalid_argument on a wrong size, or if data holds no factors; Status::not_finite, change
///         then NaN
/// cost    O(bodies), nv · rows; no allocation
template <class S>
GRBDA_EXPORT Result apply_impulses(const Model& model, Data<S>& data, ContactSpace<S>& space,
                                   ConstVector<S> impulses, VectorOut<S> change);

}  // namespace grbda
