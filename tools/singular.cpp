#include "singular.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "describe/describe.hpp"
#include "grbda/constraints/embedding.hpp"
#include "kernels/constraint/embedding.hpp"
#include "linear/dense.hpp"
#include "model/workspaces.hpp"

namespace grbda::tool {
namespace {

/// K of the cluster with rows and columns made dimensionless.
MatrixX<double> scaled_jacobian(const Model& model, const Data& data, const Cluster& c) {
    const Table<double>& K_of_model = data.workspaces().general.K;
    MatrixX<double> K(c.rows, c.dofs);
    for (int r = 0; r < c.rows; ++r)
        for (int j = 0; j < c.dofs; ++j) {
            const std::size_t entry = at(c.K_begin + r * c.dofs + j);
            K(r, j) = K_of_model[entry] * model.K_scale[entry];
        }
    return K;
}

std::string joint_of(const Model& model, int dof) {
    const int body = model.dof_body[dof];
    const Body& b = model.bodies[body];
    std::string text = "'" + model.names.joints[body] + "'";
    if (velocity_size(b.joint) > 1) text += "[" + std::to_string(dof - b.dof) + "]";
    return text;
}

std::string joints_of(const Model& model, const std::vector<int>& dofs) {
    std::string text;
    for (const int dof : dofs) text += (text.empty() ? "" : ", ") + joint_of(model, dof);
    return text;
}

/// Result of a rank-revealing QR of K.
struct Pivots {
    int rank = 0;           ///< number of pivots that the engine's limit of rcond accepts
    std::vector<int> free;  ///< dofs that determine the others: columns of K outside its pivots
};

/// A zero K has natural size 1.
Pivots pivots_of(const MatrixX<double>& K, const Cluster& c) {
    const linear::PivotedColumns columns = linear::pivoted_columns(K);
    const double least = kernels::singular_rcond<double>() * std::sqrt(1 + K.squaredNorm());
    Pivots pivots;
    pivots.rank = static_cast<int>((columns.pivots.array() > least).count());
    for (int j = c.dependents(); j < c.dofs; ++j) pivots.free.push_back(c.dof_begin + columns.order[j]);
    std::sort(pivots.free.begin(), pivots.free.end());
    return pivots;
}

}  // namespace

Singularity singularity(const Model& model, Data& data, const VectorX<double>& q, int cluster) {
    const VectorX<double> still = VectorX<double>::Zero(model.nv);
    static_cast<void>(constraint_embedding(model, data, q, still));  // K at q, which is singular
    const Cluster& c = model.clusters[cluster];
    const Pivots pivots = pivots_of(scaled_jacobian(model, data, c), c);
    if (pivots.rank < c.dependents())
        return {"the loops are singular here, where K itself has rank " + std::to_string(pivots.rank) +
                    " of " + std::to_string(c.dependents()),
                "no choice of coordinates helps: move off this configuration"};
    const int* first = model.independent.data() + c.y_begin;
    return {"the choice of " + joints_of(model, {first, first + c.m}) +
                " as independent is singular here, K itself is not",
            joints_of(model, pivots.free) + " would do, marked independent=\"true\" in the file"};
}

}  // namespace grbda::tool
