#pragma once

#include <Eigen/Dense>

#include "grbda/model/data.hpp"
#include "grbda/model/model.hpp"

// A robot with loops as an optimiser needs it: time steps on the closed manifold, their derivatives, and
// costs. A state is (q, ẏ). The difference of two states is δx = (δy, δẏ), δy = difference(q, q'). It has
// 2 nv entries whatever the loops are, and integrate() alone keeps the loops closed.

namespace mpc {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct State {
    Vector q;   ///< [nq] closes the loops
    Vector yd;  ///< [nv]
};

enum class Derivatives {
    exact,       ///< aba_derivatives()
    differences  ///< central differences through aba(), along the loops by integrate()
};

/// Cost of one time step: ½ Σ weight · (value − goal)². At the last state τ costs nothing.
struct Cost {
    State goal;       ///< q for the difference in y, which counts whole turns
    Vector tau_goal;  ///< N·m
    Vector y_weight, yd_weight, tau_weight;
    int frame = -1;  ///< frame whose origin has the goal `point`; −1: none
    Eigen::Vector3d point = Eigen::Vector3d::Zero();
    double point_weight = 0;
};

/// δx⁺ = A δx + B δτ, and the cost to second order (Gauss-Newton): xᵀ δx + ½ δxᵀ xx δx, likewise for τ.
struct Expansion {
    Matrix A, B;
    Vector x, u;
    Matrix xx;
    Vector uu;  ///< diagonal
};

/// Workspace of one thread. All calls return false, or an infinite cost, if the loops or the inertia are
/// singular or the assembly mode ends.
class Dynamics {
public:
    /// Throws std::invalid_argument if y has coordinates of spherical or floating joints, whose integrate()
    /// has a derivative other than 1, or passive forces other than springs and dampers on independent joints.
    Dynamics(const grbda::Model& model, Derivatives how);

    /// Semi-implicit Euler: ẏ⁺ = ẏ + h ÿ, q⁺ = integrate(q, h ẏ⁺), with ÿ from τ and the robot's springs and
    /// dampers.
    bool step(const State& from, const Vector& tau, double h, State& to);
    bool difference(const State& from, const State& to, Vector& dx);
    double cost(const Cost& cost, const State& at, const Vector* tau);

    /// Computes the derivatives of step() in A and B.
    bool linearise(const State& at, const Vector& tau, double h, Expansion& out);
    /// Computes the derivatives of cost() in the other members.
    bool expand(const Cost& cost, const State& at, const Vector* tau, Expansion& out);

    double engine_seconds = 0;  ///< spent in calls of grbda

private:
    template <class Call>
    bool engine(const Call& call);
    bool applied_forces(const State& at, const Vector& tau);
    bool exact_derivatives(const State& at);
    bool difference_derivatives(const State& at);
    bool acceleration(const Vector& q, const Vector& yd, const Vector& tau, Vector& ydd);
    bool column(const State& at, int i, double change, Matrix& by_y, Matrix& by_yd, Matrix& by_tau);

    const grbda::Model& model_;
    Derivatives how_;
    bool passive_ = false;
    Vector stiffness_, damping_;  ///< of independent joints
    grbda::Data data_;
    Vector tau_, delta_, q_, ydd_;
    Matrix by_y_, by_yd_, by_tau_;  ///< ∂ÿ
    grbda::Matrix6X<double> J_;
};

}  // namespace mpc
