#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Computes forward dynamics by the articulated-body algorithm on the cluster tree.
///   ÿ = (Gᵀ H G)⁻¹ (τ − Gᵀ (C + H g − J_extᵀ f))
/// in      q [nq] positions of all joints, closing the loops; yd [nv]; tau [nv] N or N·m
/// out     data.ydd [nv]; for a floating joint the componentwise derivative of its body twist
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint or singular_inertia with the
///         first cluster affected, or not_finite; data.ydd then NaN
/// cost    O(bodies); no allocation; safe from several threads with one Data each
/// source  Chignoli et al. 2023, Sec. IV; Featherstone 2008, Table 7.1
GRBDA_EXPORT Result aba(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                        ConstVectorRef tau);
/// The same, with external wrenches on the bodies.
GRBDA_EXPORT Result aba(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                        ConstVectorRef tau, ConstWrenchesRef wrenches);

/// Computes forward dynamics with forces of all joints. In addition to aba(), it computes the motion of every
/// body, which contact_inertia() reads.
///   τ = Gᵀ (τ_s − damping q̇), for dependent joints and rotors too
/// in      as aba(); tau_s [nv_tree] N or N·m; damping [nv_tree] N·s/m or N·m·s/rad, or empty
/// out     as aba()
GRBDA_EXPORT Result free_motion(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                ConstVectorRef tau_s);
GRBDA_EXPORT Result free_motion(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                ConstVectorRef tau_s, ConstVectorRef damping, ConstWrenchesRef wrenches);

}  // namespace grbda
