#include <Eigen/Core>

#include "linear/dense.hpp"
#include "draft.hpp"
#include "model/inertias.hpp"

// Computes once what is the same in every configuration: constant
// G, and the constants that it makes of rotors and armature.

namespace grbda::compile {
namespace {

/// Solves the linear couplings K q + φ₀ = 0 of a cluster for the dependent positions.
void solve_couplings(const Cluster& c, Model& model) {
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(c.rows, c.dofs), K_d(c.rows, c.dependents()),
                    b(c.rows, c.m + 1);
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        for (const int t : coupling.terms) {
            const CouplingTerm& term = model.coupling_terms[t];
            K(coupling.row - c.row_begin, term.dof - c.dof_begin) = term.coefficient;
        }
        b(coupling.row - c.row_begin, c.m) = -coupling.offset;
    }
    for (int d = 0; d < c.dependents(); ++d)
        K_d.col(d) = K.col(model.dependent[c.dependent_begin + d] - c.dof_begin);
    for (int j = 0; j < c.m; ++j) b.col(j) = -K.col(model.independent[c.y_begin + j] - c.dof_begin);
    const Eigen::MatrixXd x =
        c.rows == c.dependents() ? linear::solve_square(K_d, b) : linear::solve_least_squares(K_d, b);
    for (int d = 0; d < c.dependents(); ++d) {
        const int dof = model.dependent[c.dependent_begin + d];
        for (int j = 0; j < c.m; ++j) model.G[c.G_begin + (dof - c.dof_begin) * c.m + j] = x(d, j);
        model.offset[dof] = x(d, c.m);
    }
}

void fold_couplings(Model& model) {
    model.G.assign(static_cast<std::size_t>(model.swept.G), 0);
    model.offset.assign(model.v_index.size(), 0);
    for (const Cluster& c : model.clusters) {
        if (c.embedding != Embedding::constant) continue;
        for (int j = 0; j < c.m; ++j) {
            const int dof = model.independent[c.y_begin + j];
            model.G[c.G_begin + (dof - c.dof_begin) * c.m + j] = 1;
        }
        // too few rows: the independents are not chosen yet
        if (c.rows > 0 && c.rows >= c.dependents()) solve_couplings(c, model);
    }
}

}  // namespace

void fold_constants(Model& model) {
    fold_couplings(model);
    model::fold_rotors(model);
}

}  // namespace grbda::compile
