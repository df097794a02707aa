#pragma once

#include <span>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Choice of independent coordinates. A model chooses the independent velocities of each cluster with loops.
// Near a dead centre of that choice others are better conditioned. Data::chart() is the current choice, which
// all functions with ẏ, ÿ or τ use. Initially it is the model's choice. Store a robot's state as q and q̇,
// which do not depend on the choice.

namespace grbda {

/// Treatment of joints that the file marks as independent or not independent.
enum class Marks {
    kept,    ///< marked joints stay as they are marked
    ignored  ///< any joint may become independent or dependent
};

/// Chooses for each cluster with loops the independent velocities with the largest rcond(K_d) at q. The
/// current ones stay if their rcond is at least 0.8 of the largest. Velocities that remain independent keep
/// their indices in y. Among equal candidates, the first is chosen. Tangent coordinates are replaced.
/// in      q [nq] closing the loops
/// out     data.chart(); Chart::version counts the changes of each cluster
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with the first cluster that is
///         singular in all coordinates that may be chosen; Status::not_finite
/// cost    O(bodies), and dofs³ of each cluster; no allocation; safe from several threads with one Data each
GRBDA_EXPORT Result choose_coordinates(const Model& model, Data& data, ConstVectorRef q,
                                       Marks marks = Marks::kept);

/// Chooses coordinates as choose_coordinates(), but prefers the given velocities, regardless of marks. Each
/// of them becomes independent unless the preceding ones determine it.
/// in      wanted: indices into q̇, those of a cluster in order of precedence
GRBDA_EXPORT Result prefer_coordinates(const Model& model, Data& data, ConstVectorRef q,
                                       std::span<const int> wanted);

/// Chooses tangent coordinates: for each cluster with loops, ẏ are the components of q̇ (scaled: rad/s, and
/// cluster sizes per second) along an orthonormal basis of the motions that satisfy the loops at q. At other
/// configurations q̇ has additional components, given by the loops. There is no dead centre near q. If
/// K loses rank at q, the status is singular_constraint.
GRBDA_EXPORT Result take_tangents(const Model& model, Data& data, ConstVectorRef q);

/// Computes the positions of combined coordinates (RobotDescription::combined) in q [nq] from those of their
/// joints, Σ coefficient · q + offset. If only the joints' entries of q are known, call it before all other
/// functions. No allocation.
GRBDA_EXPORT void combine_coordinates(const Model& model, VectorRef q);

/// Sets data.chart() to the model's choice.
GRBDA_EXPORT void restore_coordinates(const Model& model, Data& data);

/// Returns the joint velocity that each entry of ẏ is; body −1 for tangent coordinates. Allocates.
GRBDA_EXPORT std::vector<Coordinate> independent_coordinates(const Model& model, const Chart& chart);

/// Maps velocities or accelerations [nv_tree] that satisfy the loops to ẏ or ÿ [nv] in the coordinates of
/// `data`. The inverse maps are spanning_velocity() and spanning_acceleration(). No allocation.
GRBDA_EXPORT void independent_part(const Model& model, const Data& data, ConstVectorRef x, VectorRef y);

/// Converts forces of all joints to generalized forces: τ = Gᵀ τ_s [nv], in the coordinates of data.chart().
/// in      q [nq] closing the loops; tau_s [nv_tree] N, N·m
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, not_finite
/// cost    O(bodies); no allocation
GRBDA_EXPORT Result independent_force(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef tau_s,
                                      VectorRef tau);

/// Computes joint forces τ_s [nv_tree] with Gᵀ τ_s = τ [nv] at any q: τ acts on the independent joints. tau
/// and tau_s must not overlap.
GRBDA_EXPORT void spanning_force(const Model& model, const Data& data, ConstVectorRef tau, VectorRef tau_s);

/// Computes T [nv × nv] with ẏ_from = T ẏ_to at q; τ_to = Tᵀ τ_from and M_to = Tᵀ M_from T. NaN on failure.
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with a cluster of `to`
GRBDA_EXPORT Result coordinate_change(const Model& model, const Data& from, Data& to, ConstVectorRef q,
                                      MatrixRef T);

}  // namespace grbda
