#pragma once

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "grbda/adapters/state_space.hpp"
#include "grbda/constraints/actuation.hpp"
#include "grbda/derivatives/contact_dynamics.hpp"
#include "grbda/derivatives/kinematics_derivatives.hpp"
#include "grbda/derivatives/solver_step.hpp"

// The dynamics of a node of an optimal control problem, with its contacts and inputs. The adapters for
// Crocoddyl and Aligator share this header, which includes neither.

namespace grbda::adapters {

/// Dynamics of a node.
struct NodeOptions {
    SolverOptions solver;          ///< inputs and passive forces
    Table<ContactFrame> contacts;  ///< of all phases; sizes never change
    ContactPhase phase;            ///< those that are closed, and gains; read if there are contacts
    /// Without named motors u is τ. False: without the six entries of a floating base, which no motor drives.
    bool base_wrench = false;
};

/// Entries of the u of SolverStep that are inputs: all of them, or those that do not push a floating base.
inline std::vector<int> driven_inputs(const Model& model, const SolverStep& work, bool base_wrench) {
    std::vector<int> chosen;
    const std::vector<Coordinate> independent = independent_coordinates(model);
    for (int i = 0; i < work.nu; ++i) {
        if (!work.has_motors && !base_wrench) {
            const int body = independent[static_cast<std::size_t>(i)].body;
            if (model.bodies[body].joint == JointType::floating && model.bodies[body].parent == world)
                continue;
        }
        chosen.push_back(i);
    }
    return chosen;
}

/// Workspace and results of a node: one for each thread. States are x = (q, ẏ) [nq + nv]; derivatives by x
/// are along displacements (δy, δẏ) [2 nv].
class Node {
public:
    /// Throws std::invalid_argument as SolverStep and ContactDynamics do, and for a phase of another number
    /// of contacts.
    Node(const Model& model, const NodeOptions& options)
        : robot(model),
          work(model, options.solver),
          contacts(model, options.contacts),
          phase(options.phase),
          model_(&model),
          chosen_(driven_inputs(model, work, options.base_wrench)),
          full_(Eigen::VectorXd::Zero(work.nu)) {
        const int n = model.nv, rows = contacts.rows;
        nu = static_cast<int>(chosen_.size());
        ydd.setZero(n);
        ydd_x.setZero(n, 2 * n);
        ydd_u.setZero(n, nu);
        f.setZero(rows);
        f_x.setZero(rows, 2 * n);
        f_u.setZero(rows, nu);
        tau_x_.setZero(n, 2 * n);
        if (phase.active.empty()) phase.active.assign(contacts.contacts.size(), 1);
        if (!has_contacts()) return;
        const auto count = static_cast<long>(contacts.contacts.size());
        require_size("phase.active", static_cast<long>(phase.active.size()), count);
        if (phase.position_gain != 0 || !phase.references.empty())
            require_size("phase.references", static_cast<long>(phase.references.size()), count);
    }

    Data robot;
    SolverStep work;
    ContactDynamics contacts;
    ContactPhase phase;
    int nu = 0;
    Eigen::VectorXd ydd;                 ///< [nv]: accelerate(), differentiate()
    Eigen::MatrixXd ydd_x, ydd_u;        ///< [nv × 2 nv], [nv × nu]: differentiate()
    Eigen::VectorXd f;                   ///< [rows], in the axes of the contacts: as ydd
    Eigen::MatrixXd f_x, f_u;            ///< [rows × 2 nv], [rows × nu]: differentiate()
    Eigen::VectorXd yd_after, impulses;  ///< [nv], [rows]: strike()
    Eigen::MatrixXd yd_x, impulses_x;    ///< [nv × 2 nv], [rows × 2 nv]: strike() with derivatives

    const Model& model() const { return *model_; }
    bool has_contacts() const { return !contacts.contacts.empty(); }

    /// u of SolverStep [work.nu] from the inputs u [nu].
    const Eigen::VectorXd& all_inputs(ConstVectorRef u) {
        require_size("u", u.size(), nu);
        for (int i = 0; i < nu; ++i) full_[chosen_[static_cast<std::size_t>(i)]] = u[i];
        return full_;
    }
    /// The columns of `full` [any × work.nu] that belong to the inputs.
    void select(ConstMatrixRef full, MatrixRef columns) const {
        for (int i = 0; i < nu; ++i) columns.col(i) = full.col(chosen_[static_cast<std::size_t>(i)]);
    }

    /// Computes ydd, and f with contacts; NaN on error.
    Result accelerate(ConstVectorRef x, ConstVectorRef u) {
        const auto q = x.head(model_->nq), yd = x.tail(model_->nv);
        Result result;
        if (!has_contacts()) {
            result = solver_acceleration(*model_, robot, work, q, yd, all_inputs(u));
            ydd = robot.ydd;
        } else {
            result = solver_forces(*model_, robot, work, q, yd, all_inputs(u));
            if (result.ok()) {
                result = contact_dynamics(*model_, robot, contacts, phase, q, yd, work.tau);
                ydd = contacts.ydd;
                f = contacts.f;
            }
        }
        if (!result.ok()) clear();
        return result;
    }

    /// Computes the same with ydd_x, ydd_u, f_x and f_u.
    Result differentiate(ConstVectorRef x, ConstVectorRef u) {
        const int n = model_->nv;
        const auto q = x.head(model_->nq), yd = x.tail(n);
        Result result;
        if (!has_contacts()) {
            result = solver_acceleration_derivatives(*model_, robot, work, q, yd, all_inputs(u));
            ydd = robot.ydd;
            ydd_x << work.dydd_dy, work.dydd_dyd;
            select(work.dydd_du, ydd_u);
        } else {
            result = solver_forces(*model_, robot, work, q, yd, all_inputs(u));
            if (result.ok()) {
                tau_x_ << work.tau_y, work.tau_yd;
                tau_u_ = work.tau_u;
                result = contact_dynamics_derivatives(*model_, robot, contacts, phase, q, yd, work.tau);
                ydd = contacts.ydd;
                f = contacts.f;
                chain(contacts.ydd_by, ydd_x, ydd_u);
                chain(contacts.f_by, f_x, f_u);
            }
        }
        if (!result.ok()) clear();
        return result;
    }

    /// Computes yd_after and impulses of an impact on the active contacts, and on demand their derivatives.
    Result strike(ConstVectorRef x, bool derivatives) {
        const auto q = x.head(model_->nq), yd = x.tail(model_->nv);
        const Result result = derivatives ? contact_impact_derivatives(*model_, robot, contacts, phase, q, yd)
                                          : contact_impact(*model_, robot, contacts, phase, q, yd);
        yd_after = contacts.yd_after;
        impulses = contacts.impulses;
        if (derivatives) {
            yd_x = contacts.yd_by;
            impulses_x = contacts.impulses_by;
        }
        return result;
    }

    /// Computes the kinematics at x, and on demand derivatives of velocities, unless they are there already.
    Result place(ConstVectorRef x, bool derivatives = false) {
        if (placed_ok_ && placed_derivatives_ >= derivatives && placed_.size() == x.size() && placed_ == x)
            return {};
        placed_ = x;
        placed_derivatives_ = derivatives;
        const auto q = x.head(model_->nq), yd = x.tail(model_->nv);
        const Result result = derivatives ? forward_kinematics_derivatives(*model_, robot, q, yd)
                                          : forward_kinematics(*model_, robot, q, yd);
        placed_ok_ = result.ok();
        return result;
    }

private:
    void chain(const Eigen::MatrixXd& by, Eigen::MatrixXd& by_x, Eigen::MatrixXd& by_u) {
        const int n = model_->nv;
        by_x = by.leftCols(2 * n);
        by_x.noalias() += by.rightCols(n) * tau_x_;
        product_.noalias() = by.rightCols(n) * tau_u_;
        select(product_, by_u);
    }
    void clear() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        ydd.setConstant(nan);
        f.setConstant(nan);
        for (Eigen::MatrixXd* M : {&ydd_x, &ydd_u, &f_x, &f_u}) M->setConstant(nan);
    }

    const Model* model_;
    std::vector<int> chosen_;
    Eigen::VectorXd full_, placed_;
    Eigen::MatrixXd tau_x_, tau_u_, product_;
    bool placed_ok_ = false, placed_derivatives_ = false;
};

/// Bounds of the inputs of a node [nu]: efforts of motors by their reductions; infinite without.
inline Eigen::VectorXd input_bounds(const Model& model, const NodeOptions& options) {
    const SolverStep work(model, options.solver);
    const std::vector<int> chosen = driven_inputs(model, work, options.base_wrench);
    const std::vector<Coordinate> driven =
        work.has_motors ? motor_coordinates(model) : independent_coordinates(model);
    Eigen::VectorXd bounds(static_cast<Eigen::Index>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const int body = driven[static_cast<std::size_t>(chosen[i])].body;
        const double reduction = work.has_motors ? std::abs(model.reduction[body]) : 1;
        bounds[static_cast<Eigen::Index>(i)] = model.limits[body].effort / reduction;
    }
    return bounds;
}

/// Computes inputs that hold a robot at rest at x: those with the smallest ÿ, and of these the shortest. ÿ is
/// linear in u, so that one least-squares problem suffices. A floating base without contacts falls. On error
/// u is NaN.
inline Result quasi_static(Node& node, ConstVectorRef x, VectorRef u) {
    Eigen::VectorXd at = x;
    at.tail(node.model().nv).setZero();
    u.setZero();
    const Result result = node.differentiate(at, u);
    if (!result.ok()) {
        u.setConstant(std::numeric_limits<double>::quiet_NaN());
    } else if (node.nu > 0) {
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> by_u;
        by_u.setThreshold(1e-10);
        by_u.compute(node.ydd_u);
        u = by_u.solve(-node.ydd);
    }
    return result;
}

}  // namespace grbda::adapters
