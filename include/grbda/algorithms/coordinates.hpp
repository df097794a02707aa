#pragma once

#include <span>
#include <vector>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

// Coordinates of ẏ. A model chooses which velocities of a cluster with loops are independent; where a
// mechanism comes near a dead centre of that choice, others are better. The choice is state of a workspace,
// Data::chart: every function that speaks of ẏ, ÿ or τ takes it from there, and until it is changed it is the
// model's. A robot's state is best kept as q and q̇, which do not depend on it.

namespace grbda {

/// Treatment of the joints that the file marks.
enum class Marks {
    kept,    ///< marked independent they stay, marked not to be they are not taken
    ignored  ///< they are joints as any other
};

/// For each cluster with loops the independent velocities that determine the others best at q, unless those
/// of `data` are nearly as good: taken where their rcond(K_d) is below 0.8 of the best ones'. Velocities that
/// stay keep their places in y. Among equal ones the first is taken. Ends tangents.
/// in      q [nq] closing the loops
/// out     data.chart; Chart::version counts the changes of each cluster
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with the first cluster that is
///         singular in any coordinates that may be chosen; Status::not_finite
/// cost    O(bodies), and dofs³ of each cluster; no allocation; safe from several threads with one Data each
template <class S>
GRBDA_EXPORT Result choose_coordinates(const Model& model, Data<S>& data, ConstVector<S> q,
                                       Marks marks = Marks::kept);

/// The same with velocities of the caller's wish before all others, whatever is marked: each is independent
/// afterwards unless those before it determine it there.
/// in      wanted: places in q̇, of a cluster in order of precedence
template <class S>
GRBDA_EXPORT Result prefer_coordinates(const Model& model, Data<S>& data, ConstVector<S> q,
                                       std::span<const int> wanted);

/// Tangents: of each cluster with loops ẏ are the components of q̇, in rad/s and its sizes per second, along
/// orthonormal motions that keep to the loops at q. In other configurations q̇ has besides what the loops make
/// of these. Without dead centres near q; where K has not its rank at q no tangent is left, and the status is
/// singular_constraint.
template <class S>
GRBDA_EXPORT Result take_tangents(const Model& model, Data<S>& data, ConstVector<S> q);

/// Positions of combined coordinates (RobotDescription::combined) from those of their joints, Σ coefficient ·
/// q + offset, into q [nq]. If q comes from joints alone, call this before all others. No
/// allocation.
template <class S>
GRBDA_EXPORT void combine_coordinates(const Model& model, VectorOut<S> q);

/// The model's choice again.
template <class S>
GRBDA_EXPORT void restore_coordinates(const Model& model, Data<S>& data);

/// Joint of each entry of y in these coordinates; body −1 for those of a tangent. No hot path: it allocates.
GRBDA_EXPORT std::vector<Coordinate> independent_coordinates(const Model& model, const Chart& chart);

/// Velocities or accelerations [nv_tree] that keep to the loops → ẏ or ÿ [nv] in the coordinates of `data`.
/// The way back is spanning_velocity() and spanning_acceleration(). No allocation.
template <class S>
GRBDA_EXPORT void independent_part(const Model& model, const Data<S>& data, ConstVector<S> x, VectorOut<S> y);

/// τ = Gᵀ τ_s [nv]: what forces of all joints do in the coordinates of `data`.
/// in      q [nq] closing the loops; tau_s [nv_tree] N, N·m
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, not_finite
/// cost    O(bodies); no allocation
template <class S>
GRBDA_EXPORT Result independent_force(const Model& model, Data<S>& data, ConstVector<S> q,
                                      ConstVector<S> tau_s, VectorOut<S> tau);

/// Forces of joints [nv_tree] that do what τ [nv] does, at any q: of subsets, τ on the independent joints.
template <class S>
GRBDA_EXPORT void spanning_force(const Model& model, const Data<S>& data, ConstVector<S> tau,
                                 VectorOut<S> tau_s);

/// T [nv × nv] with ẏ_from = T ẏ_to at q, so that τ_to = Tᵀ τ_from and M_to = Tᵀ M_from T. NaN on failure.
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with a cluster of `to`
template <class S>
GRBDA_EXPORT Result coordinate_change(const Model& model, const Data<S>& from, Data<S>& to, ConstVector<S> q,
                                      MatrixOut<S> T);

}  // namespace grbda
