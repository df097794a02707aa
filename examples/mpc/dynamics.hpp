#pragma once

#include <Eigen/Dense>

#include "grbda/model/data.hpp"
#include "grbda/model/model.hpp"

// A robot with loops as an optimiser sees it: steps of time on the closed manifold, their derivatives, and
// costs. A state is (q, ẏ); what lies between two of them is δx = (δy, δẏ), δy = difference(q, q'). So δx has
// 2 nv entries whatever the loops are, and nothing holds them together but integrate().

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

/// What a knot costs: ½ Σ weight · (what it is − what it should be)². At the last knot τ costs nothing.
struct Cost {
    State goal;       ///< q for the difference in y, which counts whole turns
    Vector tau_goal;  ///< N·m
    Vector y_weight, yd_weight, tau_weight;
    int frame = -1;  ///< whose origin is wanted at `point`; −1: none
    Eigen::Vector3d point = Eigen::Vector3d::Zero();
    double point_weight = 0;
};

/// δx⁺ = A δx + B δτ, and the cost to second order (Gauss and Newton): xᵀ δx + ½ δxᵀ xx δx, and so for τ.
struct Expansion {
    Matrix A, B;
    Vector x, u;
    Matrix xx;
    Vector uu;  ///< diagonal
};

/// One thread's workspace. All calls return false, or an infinite cost, where the loops or the inertia are
/// singular or the assembly mode ends.
class Dynamics {
public:
    /// Throws std::invalid_argument if y has coordinates of spherical or floating joints, whose integrate()
    /// has another derivative than 1, or passive forces other than springs and dampers on independent joints.
    Dynamics(const grbda::Model& model, Derivatives how);

    /// Semi-implicit Euler: ẏ⁺ = ẏ + h ÿ, q⁺ = integrate(q, h ẏ⁺); ÿ by τ with the robot's springs and
    /// dampers.
    bool step(const State& from, const Vector& tau, double h, State& to);
    bool difference(const State& from, const State& to, Vector& dx);
    double cost(const Cost& cost, const State& at, const Vector* tau);

    /// Derivatives of step(), into A and B.
    bool linearise(const State& at, const Vector& tau, double h, Expansion& out);
    /// Derivatives of cost(), into the rest.
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
    grbda::Data<double> data_;
    Vector tau_, delta_, q_, ydd_;
    Matrix by_y_, by_yd_, by_tau_;  ///< ∂ÿ
    grbda::Matrix6X<double> J_;
};

}  // namespace mpc
