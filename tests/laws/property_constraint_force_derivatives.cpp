#include <limits>

#include "constraints/embedding.hpp"
#include "derivatives/constraint_force_derivatives.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "laws/derivative_reference.hpp"
#include "support/differences.hpp"
#include "support/require_ok.hpp"

// Derivatives of constraint forces are their changes: exactly over unit steps of ẏ and ÿ, of which the forces
// are quadratic polynomials, and by differences along closed configurations. Through G
// those of the tree's forces are the derivatives of τ, which come by recursions of their own.

namespace {

using namespace test_robots;
using derivative_reference::error;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::ConstraintForces;
using grbda::DualConstraintForces;
using grbda::Model;
using grbda::Status;
using grbda::Workspace;

constexpr double kExact = 1e-9;        // relative to the largest
constexpr double kDifferences = 1e-5;  // of differences

/// All results in one column.
VectorXd all_of(const ConstraintForces& x) {
    VectorXd column(2 * (x.loops.size() + x.joints.size()) + x.multipliers.size() + x.tree.size());
    column << x.loops.reshaped(), x.loops_world.reshaped(), x.joints.reshaped(), x.joints_world.reshaped(),
        x.multipliers, x.tree;
    return column;
}

/// Their derivatives, row by row.
MatrixXd all_of(const DualConstraintForces& x) {
    const auto parts = {&x.loops, &x.loops_world, &x.joints, &x.joints_world, &x.multipliers, &x.tree};
    Eigen::Index rows = 0;
    for (const MatrixXd* part : parts) rows += part->rows();
    MatrixXd result(rows, x.tree.cols());
    rows = 0;
    for (const MatrixXd* part : parts) {
        result.middleRows(rows, part->rows()) = *part;
        rows += part->rows();
    }
    return result;
}

}  // namespace

TEST_CASE("derivatives of constraint forces are their changes") {
    std::size_t states = 0, followed = 0;
    const auto& robots = derivative_reference::robots();
    at_random_states(robots, 1, 341, [&](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        if (model.nv == 0 || model.nv > 20) return;  // no columns to compare; takes its time
        Workspace<double> data(model);
        ConstraintForces forces(model);
        const auto carried = [&](const State& x) {
            must(grbda::constraint_forces<double>(model, data, x.q, x.yd, x.ydd, x.wrenches, forces));
            return all_of(forces);
        };
        DualConstraintForces found(model);
        must(grbda::constraint_force_derivatives(model, data, state.q, state.yd, state.ydd, state.wrenches,
                                                 found));
        const MatrixXd all = all_of(found);
        const int n = model.nv;
        CHECK(error(all.middleCols(n, n), differences::over_unit_steps(state, &State::yd, carried)) < kExact);
        CHECK(error(all.rightCols(n), differences::over_unit_steps(state, &State::ydd, carried)) < kExact);
        MatrixXd expected;
        ++states;
        if (!differences::along_configurations(model, state, carried, expected)) return;
        ++followed;
        CHECK(error(all.leftCols(n), expected) < kDifferences);
    });
    CHECK(10 * followed > 9 * states);
}

TEST_CASE("derivatives of the forces of the cut tree are those of tau, through G") {
    at_random_states(
        derivative_reference::robots(), 1, 342, [](const Robot& robot, const State& state, Random&) {
            const Model& model = robot.model;
            if (model.nv == 0) return;  // no columns to compare
            const int n = model.nv;
            Workspace<double> data(model);
            DualConstraintForces found(model);
            MatrixXd y(n, n), yd = y, M = y;
            must(grbda::rnea_derivatives<double>(model, data, state.q, state.yd, state.ydd, y, yd, M));
            must(grbda::constraint_force_derivatives(model, data, state.q, state.yd, state.ydd, found));
            const MatrixXd G = grbda::explicit_jacobian<double>(model, data);
            CHECK(error(G.transpose() * found.tree.middleCols(n, n), yd) < kExact);
            CHECK(error(G.transpose() * found.tree.rightCols(n), M) < kExact);
        });
}

TEST_CASE("derivatives of constraint forces at singular configurations are NaN") {
    const Model& model = named("four_bar").model;
    Workspace<double> data(model);
    DualConstraintForces found(model);
    const VectorXd one = VectorXd::Ones(model.nv);
    VectorXd q = VectorXd::Zero(model.nq);  // flat: K loses rank
    grbda::Result result = grbda::constraint_force_derivatives(model, data, q, one, one, found);
    CHECK(result.status == Status::singular_constraint);
    CHECK(all_of(found).array().isNaN().all());
    q[0] = std::numeric_limits<double>::infinity();
    result = grbda::constraint_force_derivatives(model, data, q, one, one, found);
    CHECK(result.status == Status::not_finite);
    CHECK(all_of(found).array().isNaN().all());
    const VectorXd more = VectorXd::Ones(model.nv + 1);
    CHECK_THROWS_AS(grbda::constraint_force_derivatives(model, data, q, more, one, found),
                    std::invalid_argument);
    DualConstraintForces others(named("six_bar").model);
    CHECK_THROWS_AS(grbda::constraint_force_derivatives(model, data, q, one, one, others),
                    std::invalid_argument);
}
