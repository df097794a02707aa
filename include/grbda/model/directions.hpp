#pragma once

#include "grbda/model/model.hpp"
#include "grbda/spatial/coriolis.hpp"
#include "grbda/table.hpp"

namespace grbda {

/// What changes along each direction y_k of a cluster: δq = G_k at fixed ẏ, ÿ. A body that is displaced by
/// x = J_k takes along all that hangs on it, whose velocity then changes by x × v + e and its acceleration by
/// x × a + η + e × v, with the e and η of the body; along ẏ_k, where x = 0, J_k stands for e and η' for η.
/// Motions and forces are in the common frame of Data.
template <class S>
struct Directions {
    Directions() = default;
    explicit Directions(const Model& model);

    // per body and direction of its cluster, laid out by Cluster::e_begin
    Table<Motion<S>> e, eta, eta_rate;

    // per spanning velocity, sweep order
    Table<Motion<S>> s_rate, s_acceleration;  ///< derivatives of the columns s with time
    Table<S> qdd;
    Table<S> force;  ///< of its joint, loops cut

    // per cluster with loops or polynomials, as laid out by Cluster::G_begin, by columns: changes of q̇ and q̈
    Table<S> rate, acceleration;

    Table<S> turn;             ///< per cluster, as laid out by D: (q̇ × G_k) of the independent velocities
    Table<S> multiplier;       ///< per row: Kᵀλ is what joints of dependent velocities do not bring
    Table<Force<S>> cut;       ///< per body: force through its joint, the loops' wrenches taken off
    Table<Coriolis<S>> B;      ///< per body: composite
    Table<Vector3<S>> Z;       ///< per independent velocity: Σ Bᵀ J
    Table<Force<S>> force_y;   ///< per independent velocity: change of the force through the cluster with y
    Table<Force<S>> force_yd;  ///< the same with ẏ

    Table<S> rows;                   ///< scratch: rates of rows, for the cluster with most
    Table<S> own_y, own_yd, own_M;   ///< scratch: m × m
    Table<Motion<S>> between;        ///< scratch: how frames of a loop move apart, m
    Table<int> path;                 ///< scratch: nv
    Table<S> entries_y, entries_yd;  ///< scratch: nv
    Table<S> columns;                ///< scratch: nv × widest
};

template <class S>
Directions<S>::Directions(const Model& model)
    // made at its length: objects for one instruction set share no function of the standard library
    : path(at(model.nv)) {
    const Sizes& sizes = model.sizes;
    for (Table<Motion<S>>* x : {&e, &eta, &eta_rate}) x->resize(at(sizes.e));
    for (Table<Motion<S>>* x : {&s_rate, &s_acceleration}) x->resize(at(model.nv_tree));
    for (Table<S>* x : {&qdd, &force}) x->resize(at(model.nv_tree));
    for (Table<S>* x : {&rate, &acceleration}) x->resize(at(sizes.G));
    turn.resize(at(sizes.D));
    multiplier.resize(at(model.rows));
    cut.resize(model.bodies.size());
    B.resize(model.bodies.size());
    Z.resize(at(model.nv));
    for (Table<Force<S>>* x : {&force_y, &force_yd}) x->resize(at(model.nv));
    rows.resize(at(sizes.row_rates));
    for (Table<S>* x : {&own_y, &own_yd, &own_M}) x->resize(at(sizes.widest * sizes.widest));
    between.resize(at(sizes.widest));
    for (Table<S>* x : {&entries_y, &entries_yd}) x->resize(at(model.nv));
    columns.resize(at(model.nv * sizes.widest));
}

}  // namespace grbda
