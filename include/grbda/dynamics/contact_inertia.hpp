#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Response of a robot with loops to impulses at contacts and joints: Λ⁻¹ = J M⁻¹ Jᵀ from the factors of
// forward dynamics, without forming J. Rows are those of the contacts, three each, then of joints, one each.

namespace grbda {

/// A point at which one body pushes another, or the world. Reduced rotors (Body::rotor) have no contacts.
struct Contact {
    int body = world;          ///< receives the impulses
    int other = world;         ///< receives the opposite impulses
    Vector3<double> position;  ///< in the world, m
    Matrix3<double> axes;      ///< in the world; columns are the two tangents and the normal
};

/// Workspace of contacts, sized once from the model: one for each thread.
struct GRBDA_EXPORT ContactSpace {
    /// Throws std::invalid_argument if the model was moved from, or on a negative number.
    ContactSpace(const Model& model, int most_contacts, int most_joints = 0);

    int rows = 0;                     ///< 3 contacts and joints
    Eigen::MatrixXd inverse_inertia;  ///< its first rows × rows are Λ⁻¹, symmetric
    Eigen::VectorXd velocity;         ///< its first rows are u = J ẏ, m/s or rad/s
    Eigen::VectorXd acceleration;     ///< its first rows are the rate of u without impulses

    // intermediate results of contact_inertia()
    Table<Contact> contacts;
    Table<int> joints;  ///< velocities in pass order; those along axes of positions plus nv_tree
    Table<double>
        half;  ///< [nv × stride]: Z = T Jᵀ with velocities in pass order, or M⁻¹ Jᵀ in the user's order
    Table<double> change;  ///< [nv]
    Table<Range> reach;    ///< per cluster: rows that may act on it
    int stride = 0;
    bool by_response = false;    ///< `half` is M⁻¹ Jᵀ: some cluster passes rows to its parent
    std::size_t bodies, layout;  ///< of the model that this belongs to
    int most_contacts, most_joints;
};

/// Computes Λ⁻¹ = J M⁻¹ Jᵀ and u = J ẏ. J maps ẏ to the velocities of contacts along their axes, of `body`
/// relative to `other`, and to joint velocities, including dependent ones.
///   Λ⁻¹ = Zᵀ D⁻¹ Z, positive semidefinite; Z = T Jᵀ by the inward pass of C-ABA from the contacts. If a
///   cluster passes rows to its parent, M⁻¹ Jᵀ is computed column by column with both passes
/// in      after free_motion(). joints: indices into q̇; nv_tree plus the index of a linear velocity of a
///         floating joint is that along the same axis of its position in q, as its dry friction acts
/// out     space; data keeps its results
/// errors  std::invalid_argument on too many rows, no such body or velocity, a reduced rotor as a body of a
///         contact, or if free_motion() was not called since the last aba(), factor() or
///         apply_impulses(); Status::not_finite, the results then NaN
/// cost    O(depth) for each row, rows² · depth for the product; no allocation
/// source  Wensing, Featherstone & Orin 2012; Sathya & Carpentier 2024
GRBDA_EXPORT Result contact_inertia(const Model& model, Data& data, std::span<const Contact> contacts,
                                    std::span<const int> joints, ContactSpace& space);

/// Computes u = J ẏ of the same rows for another motion at the same q.
/// in      data after forward_kinematics() with that ẏ; it may be another one than that of contact_inertia()
/// out     u [rows]
/// errors  std::invalid_argument on a wrong size, or if data holds no velocities
GRBDA_EXPORT void contact_velocities(const Model& model, const Data& data, const ContactSpace& space,
                                     VectorRef u);

/// Computes Δẏ [nv] = M⁻¹ Jᵀ γ.
/// in      after contact_inertia(); impulses γ [rows], N·s or N·m·s
/// out     change [nv]
/// errors  std::invalid_argument on a wrong size, or if data holds no factors; Status::not_finite, change
///         then NaN
/// cost    O(bodies), nv · rows; no allocation
GRBDA_EXPORT Result apply_impulses(const Model& model, Data& data, ContactSpace& space,
                                   ConstVectorRef impulses, VectorRef change);

}  // namespace grbda
