#include "contact_system.hpp"

#include <algorithm>

#include "contact_rows.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "derivatives/kinematics_derivatives.hpp"
#include "dynamics/factor.hpp"
#include "kernels/cluster/outcome.hpp"

namespace grbda::contacts {
namespace {

/// Sets work.scale to the largest diagonal entry of A among rows of the same unit.
void find_scale(ContactDynamics& work) {
    double linear = 0, angular = 0;
    const auto each_row = [&](const auto& use) {
        each_active(work, [&](int, int first, int rows) {
            for (int i = 0; i < rows; ++i) use(first + i, i < 3 ? linear : angular);
        });
    };
    each_row([&](int row, double& largest) { largest = std::max(largest, work.A(row, row)); });
    each_row([&](int row, double& largest) { work.scale[row] = largest; });
}

/// Adds to a right side that forces would produce more or less of work.rest as the contacts move along y.
Result add_contradiction(const Model& model, Workspace<double>& data, ContactDynamics& work,
                         ConstVector<double> q, MatrixOut<double> right) {
    const int r = work.active_rows;
    const Result result = force_along_y(model, data, work, q, work.zero, work.rest);
    if (!result.ok()) return result;
    auto reached = work.null_by.topRows(r);
    reached.noalias() = -work.W.leftCols(r).transpose().lazyProduct(work.by_y);
    work.solver.solve(reached);
    right.leftCols(model.nv) += reached;
    return {};
}

/// Sets work.null_by to the changes of forces that move nothing: the shortest forces turn with the contacts.
Result find_turn(const Model& model, Workspace<double>& data, ContactDynamics& work, ConstVector<double> q) {
    const int r = work.active_rows;
    work.rest.head(r) = work.force.head(r);
    work.solver.solve(work.rest.head(r));
    work.change.noalias() = work.W.leftCols(r).lazyProduct(work.rest.head(r));
    const Result result = forward_kinematics_derivatives<double>(model, data, q, work.change);
    if (!result.ok()) return result;
    velocities_along_y(model, data, work, work.null_by.topRows(r));
    work.solver.keep_null_part(work.null_by.topRows(r));
    return {};
}

}  // namespace

Result factor_rows(const Model& model, Workspace<double>& data, ContactDynamics& work) {
    const int r = work.active_rows;
    const auto J = work.J.topRows(r);
    auto W = work.W.leftCols(r);
    auto A = work.A.topLeftCorner(r, r);
    W = J.transpose();
    const Result result = inverse_mass_times<double>(model, data, W, W);
    if (!result.ok()) return result;
    A.noalias() = J.lazyProduct(W);
    if (!kernels::matrix_finite(work.A.data(), r, r, work.rows)) return {Status::not_finite};
    find_scale(work);
    work.solver.factor(A, work.scale.data());
    work.rank = work.solver.rank();
    return {};
}

void solve_forces(ContactDynamics& work) {
    const int r = work.active_rows;
    work.force.head(r) = work.right.head(r);
    work.rest.head(r) = work.right.head(r);
    work.solver.solve(work.force.head(r));
    work.solver.keep_null_part(work.rest.head(r));
    work.residual = r > 0 ? work.rest.head(r).cwiseAbs().maxCoeff() : 0;
}

Result force_along_y(const Model& model, Workspace<double>& data, ContactDynamics& work,
                     ConstVector<double> q, ConstVector<double> v, const VectorX<double>& forces) {
    set_wrenches(forces, work);
    Result result = rnea_derivatives<double>(model, data, q, work.zero, v, work.wrenches, work.by_y,
                                             work.by_yd, work.by_ydd);
    if (!result.ok()) return result;
    result = rnea_derivatives<double>(model, data, q, work.zero, work.zero, work.at_rest, work.by_yd);
    work.by_y -= work.at_rest;  // gravity
    return result;
}

Result solve_derivatives(const Model& model, Workspace<double>& data, ContactDynamics& work,
                         ConstVector<double> q, MatrixOut<double> right) {
    constexpr double rounding = 1e-13;
    const int r = work.active_rows;
    const bool redundant = work.rank < r;
    Result result;
    if (redundant && work.residual > rounding * work.right.head(r).cwiseAbs().maxCoeff())
        result = add_contradiction(model, data, work, q, right);
    if (redundant && result.ok()) result = find_turn(model, data, work, q);
    if (!result.ok()) return result;
    work.solver.solve(right);
    if (redundant) right.leftCols(model.nv) += work.null_by.topRows(r);
    return result;
}

}  // namespace grbda::contacts
