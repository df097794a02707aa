#pragma once

#include <memory>
#include <span>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/search/search.hpp"
#include "model/arguments.hpp"

// The functions of grbda/search/search.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
class GRBDA_EXPORT Search {
public:
    explicit Search(const Model& model);
    ~Search();
    Search(Search&&) noexcept;
    Search& operator=(Search&&) noexcept;

    /// [nv_tree] Displacement from the initial to the final q, per joint. Rotations are rotation vectors; a
    /// floating joint lists its translation first. Both are in the axes of the child at the initial q.
    VectorX<S> moved;
    std::vector<Gap> gaps;  ///< inverse_kinematics(): of each target

    struct Internal;
    std::unique_ptr<Internal> internal;
};

extern template class Search<double>;

// Projections onto the loops: the closest consistent values in a metric W of spanning velocities, [nv_tree ×
// nv_tree], symmetric, or its diagonal [nv_tree × 1]. W may be semidefinite if GᵀWG is positive definite, for
// example the mass matrix of a tree with massless links. close_loops() and independent_part() use only the
// values of the independent joints; here W gives a weight to each joint.

template <class S>
GRBDA_EXPORT SearchResult project_configuration(const Model& model, Workspace<S>& data, Search<S>& work,
                                                ConstMatrix<S> W, VectorOut<S> q,
                                                const SearchOptions& options = {
                                                    .limits = false, .held = {}, .held_at = {}});

template <class S>
GRBDA_EXPORT Result project_velocity(const Model& model, Workspace<S>& data, Search<S>& work,
                                     ConstMatrix<S> W, ConstVector<S> q, VectorOut<S> qd);

template <class S>
GRBDA_EXPORT Result project_acceleration(const Model& model, Workspace<S>& data, Search<S>& work,
                                         ConstMatrix<S> W, ConstVector<S> q, ConstVector<S> qd,
                                         VectorOut<S> qdd);

template <class S>
GRBDA_EXPORT SearchResult inverse_kinematics(const Model& model, Workspace<S>& data, Search<S>& work,
                                             std::span<const FrameTarget> targets, VectorOut<S> q,
                                             const SearchOptions& options = {},
                                             const TargetTolerance& tolerance = {});

}  // namespace grbda
