#include "laws/workspace_calls.hpp"

#include "constraints/actuation.hpp"
#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/contact_inertia.hpp"
#include "derivatives/constraint_force_derivatives.hpp"
#include "derivatives/contact_dynamics.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "derivatives/kinematics_derivatives.hpp"
#include "derivatives/second_derivatives.hpp"
#include "derivatives/solver_step.hpp"
#include "derivatives/step_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/factor.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "search/search.hpp"
#include "support/require_ok.hpp"

namespace workspace_calls {
namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::SolverWorkspace;

/// For steps for solvers: states are displacements, inputs are τ.
const grbda::SolverOptions from_reference{grbda::Integrator::semi_implicit_euler, false, false, true};

VectorXd spanning(const Model& model, double value) { return VectorXd::Constant(model.nv_tree, value); }

std::map<std::string, Algorithm> dynamics() {
    return {
        {"aba",
         [](auto& m, auto& d, auto& x) { must(grbda::aba<double>(m, d, x.q, x.yd, x.tau, x.wrenches)); }},
        {"free_motion", [](auto& m, auto& d,
                           auto& x) { must(grbda::free_motion<double>(m, d, x.q, x.yd, spanning(m, 1))); }},
        {"rnea", [](auto& m, auto& d, auto& x) { must(grbda::rnea<double>(m, d, x.q, x.yd, x.ydd)); }},
        {"bias_force", [](auto& m, auto& d, auto& x) { must(grbda::bias_force<double>(m, d, x.q, x.yd)); }},
        {"crba",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::crba<double>(m, d, x.q, o.A));
         }},
        {"factor", [](auto& m, auto& d, auto& x) { must(grbda::factor<double>(m, d, x.q, x.yd)); }},
        {"inverse_mass_matrix",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::inverse_mass_matrix<double>(m, d, x.q, o.A));
         }},
        {"rnea_derivatives",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::rnea_derivatives<double>(m, d, x.q, x.yd, x.ydd, o.A, o.B));
         }},
        {"aba_derivatives",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::aba_derivatives<double>(m, d, x.q, x.yd, x.tau, o.A, o.B, o.C));
         }},
        {"rnea_second_derivatives",
         [](auto& m, auto& d, auto& x) {
             grbda::SecondDerivatives work(m);
             MatrixXd H(3 * m.nv, 3 * m.nv);
             must(grbda::rnea_second_derivatives(m, d, work, x.q, x.yd, x.ydd, x.tau, H));
         }},
        {"aba_second_derivatives",
         [](auto& m, auto& d, auto& x) {
             grbda::SecondDerivatives work(m);
             MatrixXd H(3 * m.nv, 3 * m.nv);
             must(grbda::aba_second_derivatives(m, d, work, x.q, x.yd, x.tau, x.ydd, H));
         }},
        {"constraint_forces",
         [](auto& m, auto& d, auto& x) {
             grbda::ConstraintForces forces(m);
             must(grbda::constraint_forces<double>(m, d, x.q, x.yd, x.ydd, forces));
         }},
        {"constraint_force_derivatives",
         [](auto& m, auto& d, auto& x) {
             grbda::DualConstraintForces derivatives(m);
             must(grbda::constraint_force_derivatives(m, d, x.q, x.yd, x.ydd, derivatives));
         }},
        {"static_determinacy",
         [](auto& m, auto& d, auto& x) {
             grbda::Determinacy determinacy;
             must(grbda::static_determinacy<double>(m, d, x.q, determinacy));
         }},
        {"actuation_jacobian",
         [](auto& m, auto& d, auto& x) {
             grbda::Actuation<double> actuation(m);
             must(grbda::actuation_jacobian<double>(m, d, x.q, actuation));
         }},
        {"joint_forces",
         [](auto& m, auto& d, auto& x) { must(grbda::joint_forces<double>(m, d, x.q, spanning(m, 0.1))); }},
        {"torque_regressor",
         [](auto& m, auto& d, auto& x) {
             MatrixXd Y(m.nv, grbda::parameters_per_body * m.carrier_count());
             must(grbda::torque_regressor<double>(m, d, x.q, x.yd, x.ydd, Y));
         }},
        {"energy_regressors",
         [](auto& m, auto& d, auto& x) {
             VectorXd kinetic(grbda::parameters_per_body * m.carrier_count()), potential = kinetic;
             must(grbda::energy_regressors<double>(m, d, x.q, x.yd, kinetic, potential));
         }},
        {"joint_regressor",
         [](auto& m, auto& d, auto& x) {
             MatrixXd Y(m.nv, 3 * m.nv_tree);
             must(grbda::joint_regressor<double>(m, d, x.q, x.yd, x.ydd, Y));
         }},
    };
}

std::map<std::string, Algorithm> motions() {
    return {
        {"forward_kinematics",
         [](auto& m, auto& d, auto& x) { must(grbda::forward_kinematics<double>(m, d, x.q, x.yd, x.ydd)); }},
        {"forward_kinematics of poses",
         [](auto& m, auto& d, auto& x) { must(grbda::forward_kinematics<double>(m, d, x.q)); }},
        {"forward_kinematics_derivatives",
         [](auto& m, auto& d, auto& x) {
             must(grbda::forward_kinematics_derivatives<double>(m, d, x.q, x.yd, x.ydd));
         }},
        {"constraint_embedding",
         [](auto& m, auto& d, auto& x) { must(grbda::constraint_embedding<double>(m, d, x.q, x.yd)); }},
        {"spanning_velocity",
         [](auto& m, auto& d, auto& x) { must(grbda::spanning_velocity<double>(m, d, x.q, x.yd)); }},
        {"spanning_acceleration",
         [](auto& m, auto& d, auto& x) {
             must(grbda::spanning_acceleration<double>(m, d, x.q, x.yd, x.ydd));
         }},
        {"mechanical_state",
         [](auto& m, auto& d, auto& x) {
             grbda::MechanicalState out;
             must(grbda::mechanical_state<double>(m, d, x.q, x.yd, out));
         }},
        {"momentum_matrix",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::momentum_matrix<double>(m, d, x.q, x.yd, o.J, o.K));
         }},
        {"momentum_derivatives",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::momentum_derivatives<double>(m, d, x.q, x.yd, x.ydd, o.J, o.K, o.L, o.N));
         }},
        {"com_jacobian",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::com_jacobian<double>(m, d, x.q, o.c));
         }},
        {"com_derivatives",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::com_derivatives<double>(m, d, x.q, x.yd, x.ydd, o.c, o.d, o.e, o.f));
         }},
        {"close_loops", [](auto& m, auto& d, auto& x) { must(grbda::close_loops<double>(m, d, x.q)); }},
        {"closure_residual",
         [](auto& m, auto& d, auto& x) { must(grbda::closure_residual<double>(m, d, x.q)); }},
        {"loop_residuals",
         [](auto& m, auto& d, auto& x) {
             std::vector<grbda::LoopGap> loops(m.loops.size()), couplings(m.couplings.size());
             must(grbda::loop_residuals<double>(m, d, x.q, loops, couplings));
         }},
        {"integrate",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::integrate<double>(m, d, x.q, 1e-3 * x.yd, o.q));
         }},
        {"pass_change_points",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::pass_change_points<double>(m, d, x.q, 1e-3 * x.yd, o.q));
         }},
        {"difference",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::difference<double>(m, d, x.q, x.q, o.y));
         }},
        {"integrate_derivatives",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             grbda::StepDerivatives<double> work(m);
             must(grbda::integrate_derivatives<double>(m, d, work, x.q, 1e-3 * x.yd, o.A, o.B));
         }},
        {"difference_derivatives",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             grbda::StepDerivatives<double> work(m);
             must(grbda::difference_derivatives<double>(m, d, work, x.q, x.q, o.A, o.B));
         }},
        {"solver_configuration",
         [](auto& m, auto& d, auto& x) {
             SolverWorkspace work(m, from_reference);
             VectorXd q(m.nq);
             must(grbda::solver_configuration(m, d, work, 1e-3 * x.yd, x.q, q));
         }},
        {"solver_step",
         [](auto& m, auto& d, auto& x) {
             SolverWorkspace work(m, from_reference);
             VectorXd at(work.nx), next(work.nx);
             at << VectorXd::Zero(m.nv), x.yd;
             MatrixXd J(work.nx, work.nx + work.nu + 1);
             must(grbda::solver_step(m, d, work, at, x.tau, x.q, x.q, 1e-4, next, J));
         }},
        {"solver_acceleration",
         [](auto& m, auto& d, auto& x) {
             SolverWorkspace work(m, from_reference);
             must(grbda::solver_acceleration(m, d, work, x.q, x.yd, x.tau));
         }},
        {"solver_state_step",
         [](auto& m, auto& d, auto& x) {
             SolverWorkspace work(m, from_reference);
             VectorXd q(m.nq), yd(m.nv);
             MatrixXd A(work.nx, work.nx), B(work.nx, work.nu);
             must(grbda::solver_state_step(m, d, work, x.q, x.yd, x.tau, 1e-4, q, yd, A, B));
         }},
        {"solver_forces",
         [](auto& m, auto& d, auto& x) {
             SolverWorkspace work(m, from_reference);
             must(grbda::solver_forces(m, d, work, x.q, x.yd, x.tau));
         }},
    };
}

/// A contact on the last body that is no rotor, with the results of a call.
struct Touching {
    explicit Touching(const Model& m)
        : work(m, {contact(m)}), ydd(m.nv), f(3), A(m.nv, 3 * m.nv), F(3, 3 * m.nv) {}

    static grbda::ContactFrame contact(const Model& m) {
        int body = m.body_count() - 1;
        while (m.bodies[body].rotor) --body;
        return grbda::contact_on_body(m, body, {0.1, 0, 0.1});
    }

    grbda::ContactDynamics work;
    grbda::ContactPhase phase{{1}, 0, 0, {}};
    VectorXd ydd, f;
    MatrixXd A, F;
};

std::map<std::string, Algorithm> contacts() {
    return {
        {"contact_dynamics",
         [](auto& m, auto& d, auto& x) {
             Touching t(m);
             must(grbda::contact_dynamics(m, d, t.work, t.phase, x.q, x.yd, x.tau, t.ydd, t.f));
         }},
        {"contact_dynamics_derivatives",
         [](auto& m, auto& d, auto& x) {
             Touching t(m);
             must(grbda::contact_dynamics_derivatives(m, d, t.work, t.phase, x.q, x.yd, x.tau, t.ydd, t.f,
                                                      t.A, t.F));
         }},
        {"contact_impact",
         [](auto& m, auto& d, auto& x) {
             Touching t(m);
             must(grbda::contact_impact(m, d, t.work, t.phase, x.q, x.yd, t.ydd, t.f));
         }},
        {"contact_impact_derivatives",
         [](auto& m, auto& d, auto& x) {
             Touching t(m);
             must(grbda::contact_impact_derivatives(m, d, t.work, t.phase, x.q, x.yd, t.ydd, t.f,
                                                    t.A.leftCols(2 * m.nv), t.F.leftCols(2 * m.nv)));
         }},
    };
}

std::map<std::string, Algorithm> searches() {
    return {
        {"choose_coordinates",
         [](auto& m, auto& d, auto& x) { must(grbda::choose_coordinates<double>(m, d, x.q)); }},
        {"prefer_coordinates",
         [](auto& m, auto& d, auto& x) { must(grbda::prefer_coordinates<double>(m, d, x.q, {})); }},
        {"take_tangents", [](auto& m, auto& d, auto& x) { must(grbda::take_tangents<double>(m, d, x.q)); }},
        {"restore_coordinates", [](auto& m, auto& d, auto&) { grbda::restore_coordinates<double>(m, d); }},
        {"independent_force",
         [](auto& m, auto& d, auto& x) {
             Outputs o(m);
             must(grbda::independent_force<double>(m, d, x.q, spanning(m, 1), o.y));
         }},
        {"coordinate_change",
         [](auto& m, auto& d, auto& x) {
             const Data from(m);
             MatrixXd T(m.nv, m.nv);
             must(grbda::coordinate_change<double>(m, from, d, x.q, T));
         }},
        {"inverse_kinematics",
         [](auto& m, auto& d, auto& x) {
             grbda::Search<double> work(m);
             grbda::FrameTarget target;
             target.frame = m.body_frame[m.body_count() - 1];
             target.position = Eigen::Vector3d(0.1, 0.2, 0.3);
             grbda::SearchOptions options;
             options.limits = false;
             options.iterations = 3;
             static_cast<void>(grbda::inverse_kinematics<double>(m, d, work, {&target, 1}, x.q, options));
             x.yd.setZero();  // not given: what is said of velocities must be NaN
             x.ydd.setZero();
         }},
        {"project_configuration",
         [](auto& m, auto& d, auto& x) {
             grbda::Search<double> work(m);
             VectorXd q = x.q;
             static_cast<void>(grbda::project_configuration<double>(m, d, work, spanning(m, 1), q));
         }},
        {"project_velocity",
         [](auto& m, auto& d, auto& x) {
             grbda::Search<double> work(m);
             VectorXd qd = spanning(m, 0.1);
             must(grbda::project_velocity<double>(m, d, work, spanning(m, 1), x.q, qd));
         }},
        {"project_acceleration",
         [](auto& m, auto& d, auto& x) {
             grbda::Search<double> work(m);
             VectorXd qdd = spanning(m, 0.1);
             must(grbda::project_acceleration<double>(m, d, work, spanning(m, 1), x.q, spanning(m, 0), qdd));
         }},
    };
}

}  // namespace

std::map<std::string, Algorithm> algorithms() {
    std::map<std::string, Algorithm> all = dynamics();
    all.merge(motions());
    all.merge(contacts());
    all.merge(searches());
    return all;
}

}  // namespace workspace_calls
