#include "derivatives/contact_dynamics.hpp"

#include <stdexcept>

#include "contact_rows.hpp"
#include "contact_system.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "derivatives/kinematics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/factor.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

using contacts::each_active;

void require_state(const Model& model, const Workspace<double>& data, const ContactDynamics& work,
                   const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                   const VectorOut<double>& motion, const VectorOut<double>& forces) {
    require_workspace(model, data);
    contacts::require_contacts(model, work, phase);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("ydd or yd_after", motion.size(), model.nv);
    require_size("f or impulses", forces.size(), work.rows);
}

/// All of them as they came out, or NaN; data holds no results of one state.
template <class... Outputs>
Result delivered_together(Workspace<double>& data, Result result, Outputs&... outputs) {
    clear_results(data);
    const auto finite = [](const auto& x) {
        return kernels::matrix_finite(x.data(), static_cast<int>(x.rows()), static_cast<int>(x.cols()),
                                      static_cast<int>(x.outerStride()));
    };
    if (result.ok() && !(finite(outputs) && ...)) result = {Status::not_finite};
    if (!result.ok()) (kernels::clear<double>(outputs), ...);
    return result;
}

/// Rows of active contacts to the places of all contacts, zero elsewhere.
template <class Rows, class All>
void spread(const ContactDynamics& work, const Rows& rows, All& all) {
    all.setZero();
    each_active(work, [&](int c, int first, int count) {
        all.middleRows(work.begin[c], count) = rows.middleRows(first, count);
    });
}

/// work.ydd and work.force.
Result accelerate_contacts(const Model& model, Workspace<double>& data, ContactDynamics& work,
                           const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                           ConstVector<double> tau) {
    Result result = forward_kinematics<double>(model, data, q, yd, work.zero);
    if (!result.ok()) return result;
    contacts::find_rows(model, data, phase, work);
    result = aba<double>(model, data, q, yd, tau);
    work.ydd = data.ydd;
    if (result.ok()) result = contacts::factor_rows(model, data, work);
    if (!result.ok()) return result;
    const int r = work.active_rows;
    auto b = work.right.head(r);
    b = -work.drift.head(r) - phase.velocity_gain * work.v.head(r);
    if (phase.position_gain != 0) b -= phase.position_gain * work.e.head(r);
    b.noalias() -= work.J.topRows(r).lazyProduct(work.ydd);
    contacts::solve_forces(work);
    work.ydd.noalias() += work.W.leftCols(r).lazyProduct(work.force.head(r));
    return result;
}

/// Derivatives of work.ydd at constant forces into ydd_by, then both.
Result differentiate_contacts(const Model& model, Workspace<double>& data, ContactDynamics& work,
                              const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                              ConstVector<double> tau, MatrixOut<double> ydd_by, MatrixOut<double> right) {
    const int n = model.nv, r = work.active_rows;
    contacts::set_wrenches(work.force, work);
    Result result = aba_derivatives<double>(model, data, q, yd, tau, work.wrenches, ydd_by.leftCols(n),
                                            ydd_by.middleCols(n, n), ydd_by.rightCols(n));
    if (result.ok()) result = forward_kinematics_derivatives<double>(model, data, q, yd, work.ydd);
    if (!result.ok()) return result;
    contacts::accelerations_along(model, data, phase, work, right.leftCols(n), right.middleCols(n, n));
    right.rightCols(n).setZero();
    right.noalias() += work.J.topRows(r).lazyProduct(ydd_by);
    right *= -1;
    result = contacts::solve_derivatives(model, data, work, q, right);
    if (result.ok()) ydd_by.noalias() += work.W.leftCols(r).lazyProduct(right);
    return result;
}

/// work.force, and the change of ẏ, work.change.
Result stop_contacts(const Model& model, Workspace<double>& data, ContactDynamics& work,
                     const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd) {
    Result result = forward_kinematics<double>(model, data, q, yd, work.zero);
    if (!result.ok()) return result;
    contacts::find_rows(model, data, phase, work);
    result = factor<double>(model, data, q);
    if (result.ok()) result = contacts::factor_rows(model, data, work);
    if (!result.ok()) return result;
    const int r = work.active_rows;
    work.right.head(r) = -work.v.head(r);
    contacts::solve_forces(work);
    work.change.noalias() = work.W.leftCols(r).lazyProduct(work.force.head(r));
    return result;
}

/// Derivatives of ẏ⁺ into yd_by; `right` [active_rows × 2 nv] becomes those of the impulses.
///   M ∂ẏ⁺ = −∂(M Δẏ − Jᵀ Λ) + Jᵀ ∂Λ,   J ∂ẏ⁺ = −∂J ẏ⁺
Result differentiate_impact(const Model& model, Workspace<double>& data, ContactDynamics& work,
                            ConstVector<double> q, ConstVector<double> yd_after, MatrixOut<double> yd_by,
                            MatrixOut<double> right) {
    const int n = model.nv, r = work.active_rows;
    Result result = contacts::force_along_y(model, data, work, q, work.change, work.force);
    work.by_y *= -1;
    if (result.ok()) result = factor<double>(model, data, q);
    if (result.ok()) result = inverse_mass_times<double>(model, data, work.by_y, yd_by.leftCols(n));
    if (result.ok()) result = forward_kinematics_derivatives<double>(model, data, q, yd_after);
    if (!result.ok()) return result;
    yd_by.rightCols(n).setIdentity();
    contacts::velocities_along_y(model, data, work, right.leftCols(n));
    right.rightCols(n).setZero();
    right.noalias() += work.J.topRows(r).lazyProduct(yd_by);
    right *= -1;
    result = contacts::solve_derivatives(model, data, work, q, right);
    if (result.ok()) yd_by.noalias() += work.W.leftCols(r).lazyProduct(right);
    return result;
}

void require_place(const Model& model, const ContactFrame& contact) {
    const int body = contact.frame.body;
    const std::string name = "contact '" + contact.frame.name + "'";
    if (body == world) throw std::invalid_argument(name + " is fixed to the world, where nothing moves");
    if (model.is_rod(body))
        throw std::invalid_argument(name +
                                    " is on a rod; keep rods as bodies "
                                    "(LoadOptions::rod_reduction, --no-rod-reduction)");
    require_body(model, body);
    if (model.is_rod(model.frames[model.body_frame[body]].body))
        throw std::invalid_argument(name +
                                    " is on the slide of a strut, which moves nothing; keep rods as bodies "
                                    "(LoadOptions::rod_reduction, --no-rod-reduction)");
    if (model.bodies[body].rotor)
        throw std::invalid_argument(name + " is on '" + model.names.bodies[body] +
                                    "', a reduced rotor; keep rotors as bodies "
                                    "(LoadOptions::rotor_reduction, --no-rotor-reduction)");
}

}  // namespace

ContactFrame contact_at(const Model& model, const std::string& frame, ContactKind kind,
                        const Vector3<double>& point) {
    ContactFrame contact{model.frames[model.frame(frame).index], kind};
    contact.frame.position += contact.frame.rotation * point;
    return contact;
}

ContactFrame contact_on_body(const Model& model, int body, const Vector3<double>& point, ContactKind kind) {
    require_body(model, body);
    Frame frame;
    frame.name = model.names.bodies[body];
    frame.body = body;
    frame.position = point;
    frame.rotation = Matrix3<double>::identity();
    return {frame, kind};
}

ContactDynamics::ContactDynamics(const Model& model, const Table<ContactFrame>& given)
    : contacts(given), rows(0), bodies(model.bodies.size()), layout(model.layout) {
    require_whole(model);
    for (const ContactFrame& contact : contacts) {
        require_place(model, contact);
        begin.push_back(rows);
        rows += rows_of(contact.kind);
    }
    const int n = model.nv, count = static_cast<int>(contacts.size());
    solver = SemidefiniteSolver(rows);
    first_row.assign(contacts.size(), -1);
    axes.assign(contacts.size(), Matrix3<double>::identity());
    scale.resize(at(rows));
    for (VectorX<double>* x : {&v, &e, &drift, &right, &force, &rest}) x->setZero(rows);
    for (VectorX<double>* x : {&zero, &ydd, &change}) x->setZero(n);
    for (MatrixX<double>* x : {&J, &null_by}) x->setZero(rows, n);
    for (MatrixX<double>* x : {&by_y, &by_yd, &by_ydd, &at_rest}) x->setZero(n, n);
    angular.setZero(3 * count, n);
    W.setZero(n, rows);
    A.setZero(rows, rows);
    right_by.setZero(rows, 3 * n);
    wrenches.setZero(6, model.body_count());
}

Result contact_dynamics(const Model& model, Workspace<double>& data, ContactDynamics& work,
                        const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                        ConstVector<double> tau, VectorOut<double> ydd, VectorOut<double> f) {
    require_state(model, data, work, phase, q, yd, ydd, f);
    require_size("tau", tau.size(), model.nv);
    contacts::require_references(work, phase);
    const Result result = accelerate_contacts(model, data, work, phase, q, yd, tau);
    ydd = work.ydd;
    spread(work, work.force, f);
    return delivered_together(data, result, ydd, f);
}

Result contact_dynamics_derivatives(const Model& model, Workspace<double>& data, ContactDynamics& work,
                                    const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                                    ConstVector<double> tau, VectorOut<double> ydd, VectorOut<double> f,
                                    MatrixOut<double> ydd_by, MatrixOut<double> f_by) {
    require_state(model, data, work, phase, q, yd, ydd, f);
    require_size("tau", tau.size(), model.nv);
    contacts::require_references(work, phase);
    require_size("ydd_by (rows)", ydd_by.rows(), model.nv);
    require_size("ydd_by (columns)", ydd_by.cols(), 3 * model.nv);
    require_size("f_by (rows)", f_by.rows(), work.rows);
    require_size("f_by (columns)", f_by.cols(), 3 * model.nv);
    Result result = accelerate_contacts(model, data, work, phase, q, yd, tau);
    auto by = work.right_by.topLeftCorner(work.active_rows, 3 * model.nv);
    if (result.ok()) result = differentiate_contacts(model, data, work, phase, q, yd, tau, ydd_by, by);
    ydd = work.ydd;
    spread(work, work.force, f);
    spread(work, by, f_by);
    return delivered_together(data, result, ydd, f, ydd_by, f_by);
}

Result contact_impact(const Model& model, Workspace<double>& data, ContactDynamics& work,
                      const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                      VectorOut<double> yd_after, VectorOut<double> impulses) {
    require_state(model, data, work, phase, q, yd, yd_after, impulses);
    const Result result = stop_contacts(model, data, work, phase, q, yd);
    yd_after = yd + work.change;
    spread(work, work.force, impulses);
    return delivered_together(data, result, yd_after, impulses);
}

Result contact_impact_derivatives(const Model& model, Workspace<double>& data, ContactDynamics& work,
                                  const ContactPhase& phase, ConstVector<double> q, ConstVector<double> yd,
                                  VectorOut<double> yd_after, VectorOut<double> impulses,
                                  MatrixOut<double> yd_by, MatrixOut<double> impulses_by) {
    require_state(model, data, work, phase, q, yd, yd_after, impulses);
    require_size("yd_by (rows)", yd_by.rows(), model.nv);
    require_size("yd_by (columns)", yd_by.cols(), 2 * model.nv);
    require_size("impulses_by (rows)", impulses_by.rows(), work.rows);
    require_size("impulses_by (columns)", impulses_by.cols(), 2 * model.nv);
    Result result = stop_contacts(model, data, work, phase, q, yd);
    yd_after = yd + work.change;
    auto by = work.right_by.topLeftCorner(work.active_rows, 2 * model.nv);
    if (result.ok()) result = differentiate_impact(model, data, work, q, yd_after, yd_by, by);
    spread(work, work.force, impulses);
    spread(work, by, impulses_by);
    return delivered_together(data, result, yd_after, impulses, yd_by, impulses_by);
}

namespace {

/// Sizes the results of the motion, or of the impact; allocates in the first call.
void size_motion(const Model& model, ContactDynamics& work) {
    const Eigen::Index n = model.nv;
    sized(work.f, work.rows, 1);
    sized(work.ydd_by, n, 3 * n);
    sized(work.f_by, work.rows, 3 * n);
}
void size_impact(const Model& model, ContactDynamics& work) {
    const Eigen::Index n = model.nv;
    sized(work.yd_after, n, 1);
    sized(work.impulses, work.rows, 1);
    sized(work.yd_by, n, 2 * n);
    sized(work.impulses_by, work.rows, 2 * n);
}

}  // namespace

Result contact_dynamics(const Model& model, Data& data, ContactDynamics& work, const ContactPhase& phase,
                        ConstVectorRef q, ConstVectorRef yd, ConstVectorRef tau) {
    size_motion(model, work);
    return contact_dynamics(model, data.workspaces().general, work, phase, q, yd, tau, work.ydd, work.f);
}

Result contact_dynamics_derivatives(const Model& model, Data& data, ContactDynamics& work,
                                    const ContactPhase& phase, ConstVectorRef q, ConstVectorRef yd,
                                    ConstVectorRef tau) {
    size_motion(model, work);
    return contact_dynamics_derivatives(model, data.workspaces().general, work, phase, q, yd, tau, work.ydd,
                                        work.f, work.ydd_by, work.f_by);
}

Result contact_impact(const Model& model, Data& data, ContactDynamics& work, const ContactPhase& phase,
                      ConstVectorRef q, ConstVectorRef yd) {
    size_impact(model, work);
    return contact_impact(model, data.workspaces().general, work, phase, q, yd, work.yd_after, work.impulses);
}

Result contact_impact_derivatives(const Model& model, Data& data, ContactDynamics& work,
                                  const ContactPhase& phase, ConstVectorRef q, ConstVectorRef yd) {
    size_impact(model, work);
    return contact_impact_derivatives(model, data.workspaces().general, work, phase, q, yd, work.yd_after,
                                      work.impulses, work.yd_by, work.impulses_by);
}

}  // namespace grbda
