#include "derivatives/constraint_force_derivatives.hpp"

#include <algorithm>

#include "constraints/carried_forces.hpp"
#include "constraints/embedding.hpp"
#include "moving_state.hpp"
#include "model/workspaces.hpp"

namespace grbda {

template struct ConstraintForcesOf<DualConstraintForces::Number>;

namespace {

using Number = DualConstraintForces::Number;

/// Each kind of results with its derivatives.
template <class Each>
void each_kind(DualConstraintForces& x, const Each& each) {
    each(x.forces.loops, x.loops);
    each(x.forces.loops_world, x.loops_world);
    each(x.forces.joints, x.joints);
    each(x.forces.joints_world, x.joints_world);
    each(x.forces.multipliers, x.multipliers);
    each(x.forces.tree, x.tree);
}

/// Columns [first, first + Number::directions) of all derivatives, from where the state was set off.
Result carry(const Model& model, DualConstraintForces& x, int first, const Number* wrenches) {
    const Result result =
        cut_loops<Number>(model, x.moving, x.q.data(), x.yd.data(), x.ydd.data(), wrenches, x.forces);
    if (!result.ok()) return result;
    tie_loops<Number>(model, x.moving, x.q.data(), x.forces);
    each_kind(x, [&](const auto& forces, MatrixX<double>& out) {
        const int columns = std::min<int>(Number::directions, static_cast<int>(out.cols()) - first);
        for (Eigen::Index i = 0; i < forces.size(); ++i)
            for (int l = 0; l < columns; ++l) out(i, first + l) = forces.data()[i].slope[l];
    });
    return result;
}

/// wrenches null: none.
Result run(const Model& model, Workspace<double>& data, ConstVector<double> q, ConstVector<double> yd,
           ConstVector<double> ydd, const double* wrenches, DualConstraintForces& x) {
    require_workspace(model, data);
    require_fit("Data", model, x.moving.I.size(), x.moving.layout);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("ydd", ydd.size(), model.nv);
    Result result{Status::not_finite};
    if (kernels::usable_in_dynamics<double>(model, q.data(), yd.data(), ydd.data(), wrenches))
        result = constraint_embedding<double>(model, data, q, yd);
    x.moving.chart = data.chart;
    for (std::size_t i = 0; wrenches && i < x.wrenches.size(); ++i) x.wrenches[i] = Number(wrenches[i]);
    for (int first = 0; result.ok() && first < 3 * model.nv; first += Number::directions) {
        set_off(model, data, first, q.data(), yd.data(), ydd.data(), x.q.data(), x.yd.data(), x.ydd.data());
        result = carry(model, x, first, wrenches ? x.wrenches.data() : nullptr);
    }
    return kernels::delivered_matrices<double, MatrixX<double>>(
        result, {&x.loops, &x.loops_world, &x.joints, &x.joints_world, &x.multipliers, &x.tree});
}

}  // namespace

DualConstraintForces::DualConstraintForces(const Model& model) : moving(model), forces(model) {
    q.resize(at(model.nq));
    for (Table<Number>* x : {&yd, &ydd}) x->resize(at(model.nv));
    wrenches.resize(at(6 * model.body_count()));
    each_kind(*this,
              [&](const auto& result, MatrixX<double>& out) { out.setZero(result.size(), 3 * model.nv); });
}

Result constraint_force_derivatives(const Model& model, Workspace<double>& data, ConstVector<double> q,
                                    ConstVector<double> yd, ConstVector<double> ydd,
                                    DualConstraintForces& derivatives) {
    return run(model, data, q, yd, ydd, nullptr, derivatives);
}

Result constraint_force_derivatives(const Model& model, Workspace<double>& data, ConstVector<double> q,
                                    ConstVector<double> yd, ConstVector<double> ydd,
                                    Wrenches<double> wrenches, DualConstraintForces& derivatives) {
    return run(model, data, q, yd, ydd, wrenches_on<double>(model, wrenches), derivatives);
}

namespace {

/// Calls compute(workspace, results), and delivers the results to the program.
template <class Compute>
Result delivered(const Model& model, Data& data, const Compute& compute) {
    Workspaces& work = data.workspaces();
    auto& forces = work.extra<DualConstraintForces>(Extra::constraint_forces, model);
    const Result result = compute(work.general, forces);
    data.constraint_force_derivatives = static_cast<const ConstraintForceDerivatives&>(forces);
    return result;
}

}  // namespace

Result constraint_force_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                    ConstVectorRef ydd) {
    return delivered(model, data, [&](Workspace<double>& work, DualConstraintForces& forces) {
        return constraint_force_derivatives(model, work, q, yd, ydd, forces);
    });
}
Result constraint_force_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                    ConstVectorRef ydd, ConstWrenchesRef wrenches) {
    return delivered(model, data, [&](Workspace<double>& work, DualConstraintForces& forces) {
        return constraint_force_derivatives(model, work, q, yd, ydd, wrenches, forces);
    });
}

}  // namespace grbda
