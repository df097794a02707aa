#pragma once

#include "kernels/rod/rods.hpp"

// Derivatives of the Lagrangian L = T − V of a robot whose loops are cut, at any position and velocity of its
// joints, by one outward and one inward pass. They share no code with inverse dynamics, which they test. H is
// the momentum that passes through a joint, v the velocity of the bodies that it moves: ∂L/∂q̇ = sᵀ H and
// ∂L/∂q = Hᵀ (v × s) + sᵀ F with the weight F that the joint carries.

namespace grbda::test {

class Lagrangian {
public:
    /// carries  forces that carry weight (Model::passive) act too
    Lagrangian(const Model& model, bool carries);

    /// in      q [nq], whether or not it closes the loops; qd [nv_tree]
    /// out     momentum ∂L/∂q̇, slope ∂L/∂q [nv_tree]; of joints with a quaternion by twists of the child
    /// cost    O(bodies); no allocation
    void differentiate(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                       const VectorX<double>& qd, VectorX<double>& momentum, VectorX<double>& slope);

private:
    void spread(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                const VectorX<double>& qd);
    void add_spin(const Workspace<double>& data, const Rod& rod, const kernels::RodEnds<double>& ends);
    void add_strut(const Model& model, const Workspace<double>& data, const Rod& rod,
                   const kernels::RodEnds<double>& ends);

    Table<Force<double>> momenta_, weights_;  ///< per body, with all that is further out
    bool carries_;
};

}  // namespace grbda::test
