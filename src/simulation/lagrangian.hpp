#pragma once

#include "grbda/export.hpp"
#include "kernels/rods.hpp"

// L = T − V of a robot whose loops are cut, at any position and velocity of its joints: its derivatives, by
// one pass outwards and one back. All momentum that passes through a joint is H, and the velocity of what it
// moves against v: then ∂L/∂q̇ = sᵀ H, and ∂L/∂q = Hᵀ (v × s) + sᵀ F with the weight F of what the joint
// carries.

namespace grbda::simulation {

class GRBDA_EXPORT Lagrangian {
public:
    /// carries  forces that carry weight (Model::passive) act too
    Lagrangian(const Model& model, bool carries);

    /// in      q [nq], whether or not it closes the loops; qd [nv_tree]
    /// out     momentum ∂L/∂q̇, slope ∂L/∂q [nv_tree]; of joints with a quaternion by twists of the child
    /// cost    O(bodies); no allocation
    void differentiate(const Model& model, Data<double>& data, const VectorX<double>& q,
                       const VectorX<double>& qd, VectorX<double>& momentum, VectorX<double>& slope);

private:
    void spread(const Model& model, Data<double>& data, const VectorX<double>& q, const VectorX<double>& qd);
    void add_spin(const Data<double>& data, const Rod& rod, const kernels::RodEnds<double>& ends);
    void add_strut(const Model& model, const Data<double>& data, const Rod& rod,
                   const kernels::RodEnds<double>& ends);

    Table<Force<double>> momenta_, weights_;  ///< per body, with all that is further out
    bool carries_;
};

}  // namespace grbda::simulation
