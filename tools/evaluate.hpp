#pragma once

#include <optional>
#include <string>

#include "grbda/baselines/baselines.hpp"
#include "states.hpp"

namespace grbda::tool {

/// Everything that `grbda compute` knows of one state, in the user's order. Where the status is not "ok",
/// the vectors are of no meaning.
struct Evaluation {
    std::string status = "ok";
    std::string message;                     ///< why it is not ok
    std::optional<double> closure_residual;  ///< relative to the robot's size
    std::optional<double> velocity_residual;  ///< of K q̇ = 0, relative to the robot's q̇; where qd was given
    VectorX<double> q, qd, qdd;               ///< spanning
    VectorX<double> bias, tau, ydd;           ///< independent
    std::optional<VectorX<double>> joint_forces;  ///< independent; where they were asked for
    MatrixX<double> M;
    double kinetic = 0, potential = 0;
};

/// Evaluates one state after the other with one workspace. No method: the cluster-tree algorithms. With joint
/// forces, motors bring what these leave to be brought.
class Evaluator {
public:
    Evaluator(const Model& model, std::optional<baselines::Method> method, bool with_joint_forces);
    Evaluation evaluate(const StateInput& state);

private:
    bool lead(const StateInput& state, Evaluation& out);
    bool close(const StateInput& state, Evaluation& out);
    bool find_velocity(const StateInput& state, Evaluation& out);
    bool find_joint_forces(Evaluation& out);
    bool by_clusters(const StateInput& state, Evaluation& out);
    bool by_baseline(const StateInput& state, Evaluation& out);
    bool passed(const Result& result, const char* step, Evaluation& out);

    const Model& model_;
    std::optional<baselines::Method> method_;
    bool with_joint_forces_;
    Data<double> data_;
    std::optional<baselines::Workspace> work_;
    VectorX<double> yd_;
    VectorX<double> passive_;  ///< joint forces; zero where they were not asked for
    MatrixX<double> G_;
};

}  // namespace grbda::tool
