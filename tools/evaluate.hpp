#pragma once

#include <optional>
#include <string>

#include "grbda/baselines/baselines.hpp"
#include "grbda/constraints/constraint_forces.hpp"
#include "states.hpp"

namespace grbda::tool {

using describe::OrderedJson;

/// A frame in the world: twists at its origin in the axes of the world, linear part first.
struct FrameState {
    int index = 0;  ///< in Model::frames
    Eigen::Vector3d position;
    Eigen::Vector4d orientation;  ///< x y z w
    Eigen::Matrix<double, 6, 1> velocity;
    std::optional<Eigen::Matrix<double, 6, 1>> acceleration;  ///< if ydd was given
    Matrix6X<double> J;
};

/// Derivatives of inverse dynamics at the given ydd, of forward dynamics at the given τ, fixed as Gᵀ τ.
struct Derivatives {
    MatrixX<double> tau_y, tau_yd, ydd_y, ydd_yd, ydd_tau;
};

/// All results of `grbda compute` for one state, in the user's order.
struct Evaluation {
    std::string status = "ok";
    bool complete = false;         ///< all numbers exist; if "unbalanced", except the forces that failed
    bool kinematics_only = false;  ///< the robot has a branch without mass: no forces, no ÿ
    std::string message;           ///< why it is not ok, or uses other coordinates
    std::vector<Coordinate> coordinates;      ///< of y, if they are not the model's
    std::optional<double> closure_residual;   ///< relative to the robot's size
    OrderedJson residuals;                    ///< of loops and couplings by name; otherwise null
    std::optional<double> velocity_residual;  ///< of K q̇ = 0, relative to the robot's q̇; if qd was given
    VectorX<double> q, qd, qdd;               ///< spanning
    VectorX<double> bias, tau, ydd;           ///< independent
    std::optional<VectorX<double>> joint_forces;  ///< independent; if requested
    MatrixX<double> M;
    double kinetic = 0, potential = 0;
    std::optional<ConstraintForces> inverse_forces, forward_forces;  ///< at given ydd, at computed ÿ
    Determinacy determinacy;
    std::vector<FrameState> frames;    ///< if requested
    std::optional<MatrixX<double>> K;  ///< if constraints were requested, with k, G, g
    MatrixX<double> G;
    VectorX<double> k, g;
    std::optional<Derivatives> derivatives;  ///< if requested
};

/// Quantities to compute, and the method.
struct EvaluationOptions {
    std::optional<baselines::Method> method;  ///< none: the cluster-tree algorithms
    bool joint_forces = false;                ///< motors supply the rest of the required forces
    std::vector<int> frames;                  ///< in Model::frames
    bool constraints = false;
    bool derivatives = false;
};

/// Evaluates states one by one with one workspace.
class Evaluator {
public:
    Evaluator(const Model& model, const EvaluationOptions& options);
    Evaluation evaluate(const StateInput& state);

private:
    bool lead(const StateInput& state, Evaluation& out);
    bool close(const StateInput& state, Evaluation& out);
    bool embed(const StateInput& state, Evaluation& out);
    bool find_velocity(const StateInput& state, Evaluation& out);
    bool find_wrenches(const StateInput& state, Evaluation& out);
    bool find_joint_forces(Evaluation& out);
    bool by_clusters(const StateInput& state, Evaluation& out);
    bool by_baseline(const StateInput& state, Evaluation& out);
    bool find_constraint_forces(const StateInput& state, Evaluation& out);
    bool balance(const char* step, const VectorX<double>& ydd, const VectorX<double>& joint_forces,
                 std::optional<ConstraintForces>& forces, Evaluation& out);
    void find_kinematics(const StateInput& state, Evaluation& out);
    bool find_frames(const StateInput& state, Evaluation& out);
    bool find_derivatives(const StateInput& state, Evaluation& out);
    bool passed(const Result& result, const char* step, Evaluation& out);

    const Model& model_;
    EvaluationOptions options_;
    Data data_;
    std::optional<baselines::Workspace> work_;
    VectorX<double> yd_;
    // joint forces as τ, and their parts on joints, and on bodies in
    // addition to the given wrenches; zero if they were not requested
    VectorX<double> passive_, on_joints_;
    Matrix6X<double> wrenches_;
    Matrix6X<double> given_;  ///< wrenches as given, on bodies
    MatrixX<double> G_;
};

}  // namespace grbda::tool
