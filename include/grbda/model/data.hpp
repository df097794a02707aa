#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/model/chart.hpp"
#include "grbda/model/model.hpp"
#include "grbda/model/results.hpp"

namespace grbda {

class Workspaces;

/// Owns the memory of Data; a copy owns a copy of it.
class GRBDA_EXPORT WorkspacesPointer {
public:
    explicit WorkspacesPointer(const Model& model);
    WorkspacesPointer(const WorkspacesPointer& other);
    WorkspacesPointer(WorkspacesPointer&&) noexcept;
    WorkspacesPointer& operator=(const WorkspacesPointer& other);
    WorkspacesPointer& operator=(WorkspacesPointer&&) noexcept;
    ~WorkspacesPointer();

    /// Null after a move.
    Workspaces* get() const { return all_.get(); }

private:
    std::unique_ptr<Workspaces> all_;
};

/// Results of the functions on one model, and the memory that they work with: use one for each thread.
///
/// A quantity that has one value at a state is a member; it keeps its value until a function that computes it
/// is called again. After a status that is not ok it is NaN, except where a docstring says otherwise. Results
/// that depend on more, such as a frame or several right-hand sides, are returned or written to the last
/// arguments.
///
/// Kinematics, factors and constraint matrices are kept apart: forward_kinematics() at one state stays
/// readable by frame_position() and others after aba(), rnea() or crba(), and so do the factors of factor()
/// and aba(). The constructor allocates vectors and workspaces; a matrix is allocated by the first function
/// that computes it.
///
/// Vectors with nv entries are in the order of y, those with nv_tree entries in the order of q̇.
class GRBDA_EXPORT Data {
public:
    /// Throws std::invalid_argument if the model was moved from.
    explicit Data(const Model& model);
    Data(const Data& other);
    Data(Data&& other) noexcept;
    Data& operator=(const Data& other);
    Data& operator=(Data&& other) noexcept;
    ~Data();

    /// Coordinates of ẏ, ÿ and τ: choose_coordinates() and others change them.
    const Chart& chart() const;
    /// Takes the coordinates of another Data of the same model. Results of functions that use coordinates
    /// become invalid. Throws std::invalid_argument if they belong to another model.
    void set_chart(const Chart& chart);

    // motion and forces
    /// ÿ [nv], rad/s², m/s²: aba(), free_motion(), aba_derivatives(), solver_acceleration()
    Eigen::VectorXd ydd;
    Eigen::VectorXd tau;       ///< τ [nv], N·m, N: rnea(), bias_force(), joint_forces()
    Eigen::VectorXd tau_tree;  ///< τ_s of all joints [nv_tree], N·m, N: joint_forces()
    Eigen::VectorXd qd;        ///< q̇ [nv_tree], rad/s, m/s: spanning_velocity(), spanning_acceleration()
    Eigen::VectorXd qdd;       ///< q̈ [nv_tree], rad/s², m/s²: spanning_acceleration()

    // inertia and its factors
    Eigen::MatrixXd M;          ///< mass matrix [nv × nv]: crba(), rnea_derivatives()
    Eigen::MatrixXd M_inverse;  ///< M⁻¹ = ∂ÿ/∂τ [nv × nv]: inverse_mass_matrix(), aba_derivatives()

    // constraints, by constraint_embedding()
    Eigen::MatrixXd G;  ///< [nv_tree × nv], q̇ = G ẏ
    Eigen::VectorXd g;  ///< [nv_tree], q̈ = G ÿ + g
    Eigen::MatrixXd K;  ///< [rows × nv_tree], K q̇ = 0
    Eigen::VectorXd k;  ///< [rows], K q̈ = k
    /// Forces in loops, couplings and bearings: constraint_forces().
    ConstraintForces constraint_forces;
    /// Their derivatives along [y ẏ ÿ]: constraint_force_derivatives().
    ConstraintForceDerivatives constraint_force_derivatives;

    // motors, by actuation_jacobian() and motor_forces()
    Eigen::MatrixXd J_motors;    ///< [motors × nv], q̇_motor = J ẏ and τ = Jᵀ τ_motor
    int undriven_freedoms = 0;   ///< nv − rank of J_motors: freedoms that no motor moves
    int redundant_motors = 0;    ///< motors − rank of J_motors: combinations of motor forces that cancel
    Eigen::VectorXd tau_motors;  ///< [motors], N·m, N: motor_forces()

    // energies, centre of mass and momentum in world axes
    MechanicalState mechanics;  ///< mechanical_state()
    Matrix6Xd A;                ///< [6 × nv], momentum h = A ẏ: momentum_matrix(), momentum_derivatives()
    Matrix6Xd A_rate;           ///< [6 × nv], ḣ = A ÿ + A_rate ẏ: momentum_matrix() with yd
    Matrix6Xd dh_dy;            ///< [6 × nv]: momentum_derivatives()
    Matrix6Xd dhd_dy, dhd_dyd;  ///< [6 × nv], of ḣ: momentum_derivatives()
    Matrix3Xd J_com;            ///< [3 × nv]: com_jacobian(), com_derivatives()
    Matrix3Xd dvcom_dy;         ///< [3 × nv]: com_derivatives()
    Matrix3Xd dacom_dy, dacom_dyd;  ///< [3 × nv], of the acceleration: com_derivatives()

    // derivatives of the dynamics: entry (i, j) is that of component i along direction j
    Eigen::MatrixXd dtau_dy, dtau_dyd;  ///< [nv × nv]: rnea_derivatives()
    Eigen::MatrixXd dydd_dy, dydd_dyd;  ///< [nv × nv]: aba_derivatives()
    Eigen::MatrixXd tau_hessian;        ///< [3 nv × 3 nv], λᵀ ∂²τ: rnea_second_derivatives()
    Eigen::MatrixXd ydd_hessian;        ///< [3 nv × 3 nv], λᵀ ∂²ÿ: aba_second_derivatives()

    // derivatives of displacements and steps
    Eigen::MatrixXd dout_dq, dout_ddelta;    ///< [nv × nv]: integrate_derivatives()
    Eigen::MatrixXd ddelta_dq0, ddelta_dq1;  ///< [nv × nv]: difference_derivatives()
    Eigen::VectorXd q_next, yd_next;         ///< [nq], [nv]: step_derivatives()
    Eigen::MatrixXd dnext_dx, dnext_dtau;    ///< [2 nv × 2 nv], [2 nv × nv]: step_derivatives()
    Eigen::VectorXd dnext_dh;                ///< [2 nv]: step_derivatives()

    // regressors
    Eigen::MatrixXd Y;                       ///< [nv × 10 (bodies + rods)]: torque_regressor()
    Eigen::MatrixXd Y_joints;                ///< [nv × 3 nv_tree]: joint_regressor()
    Eigen::VectorXd Y_kinetic, Y_potential;  ///< [10 (bodies + rods)]: energy_regressors()

    // searches
    /// [nv_tree] Displacement from the initial to the final q of a search, per joint. Rotations are rotation
    /// vectors; a floating joint lists its translation first. Both are in the axes of the child at the
    /// initial q.
    Eigen::VectorXd moved;
    std::vector<Gap> gaps;  ///< of each target: inverse_kinematics()

    Workspaces& workspaces();  ///< for the library itself
    const Workspaces& workspaces() const;

private:
    WorkspacesPointer memory_;
};

}  // namespace grbda
