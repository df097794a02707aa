#pragma once

#include <optional>
#include <string>

#include "grbda/algorithms/constraint_forces.hpp"
#include "grbda/baselines/baselines.hpp"
#include "states.hpp"

namespace grbda::tool {

/// A frame in the world: twists at its origin in the axes of the world, linear part first.
struct FrameState {
    int index = 0;  ///< in Model::frames
    Eigen::Vector3d position;
    Eigen::Vector4d orientation;  ///< x y z w
    Eigen::Matrix<double, 6, 1> velocity;
    std::optional<Eigen::Matrix<double, 6, 1>> acceleration;  ///< where ydd was given
    Matrix6X<double> J;
};

/// Of inverse dynamics at ydd given, of forward dynamics at τ given, which stands fixed as Gᵀ τ.
struct Derivatives {
    MatrixX<double> tau_y, tau_yd, ydd_y, ydd_yd, ydd_tau;
};

/// Everything that `grbda compute` knows of one state, in the user's order.
struct Evaluation {
    std::string status = "ok";
    bool complete = false;  ///< all numbers are there; if "unbalanced", without the forces that failed
    std::string message;    ///< why it is not ok, or computed in other coordinates
    std::vector<Coordinate> coordinates;     ///< of y, where they are not the model's
    std::optional<double> closure_residual;  ///< relative to the robot's size
    OrderedJson residuals;                   ///< of loops and couplings by name; null without any
    std::optional<double> velocity_residual;  ///< of K q̇ = 0, relative to the robot's q̇; where qd was given
    VectorX<double> q, qd, qdd;               ///< spanning
    VectorX<double> bias, tau, ydd;           ///< independent
    std::optional<VectorX<double>> joint_forces;  ///< independent; where they were asked for
    MatrixX<double> M;
    double kinetic = 0, potential = 0;
    std::optional<ConstraintForces<double>> inverse_forces, forward_forces;  ///< at ydd given, at ÿ found
    Determinacy determinacy;
    std::vector<FrameState> frames;    ///< those that were asked for
    std::optional<MatrixX<double>> K;  ///< where constraints were asked for, with k, G, g
    MatrixX<double> G;
    VectorX<double> k, g;
    std::optional<Derivatives> derivatives;  ///< where they were asked for
};

/// What to compute, and how.
struct EvaluationOptions {
    std::optional<baselines::Method> method;  ///< none: the cluster-tree algorithms
    bool joint_forces = false;                ///< motors bring what these leave to be brought
    std::vector<int> frames;                  ///< in Model::frames
    bool constraints = false;
    bool derivatives = false;
};

/// Evaluates one state after the other with one workspace.
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
                 std::optional<ConstraintForces<double>>& forces, Evaluation& out);
    bool find_frames(const StateInput& state, Evaluation& out);
    bool find_derivatives(const StateInput& state, Evaluation& out);
    bool passed(const Result& result, const char* step, Evaluation& out);

    const Model& model_;
    EvaluationOptions options_;
    Data<double> data_;
    std::optional<baselines::Workspace> work_;
    VectorX<double> yd_;
    // joint forces as τ, and of these what acts on joints, and on bodies beside the wrenches given; zero
    // where they were not asked for
    VectorX<double> passive_, on_joints_;
    Matrix6X<double> wrenches_;
    Matrix6X<double> given_;  ///< wrenches as given, on bodies
    MatrixX<double> G_;
};

}  // namespace grbda::tool
