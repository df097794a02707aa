#pragma once

#include <limits>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"
#include "grbda/spatial/spatial.hpp"
#include "grbda/table.hpp"

namespace grbda {

/// Change of the force v ×* I v + I a of a rigid body by a change e of its velocity, with which it all turns
/// and moves: B e, 12 numbers, for only the turning of e counts. Adds over bodies as inertias do.
///   B e = [2 e_ω × p; Γ e_ω], p the linear momentum, Γ = 2 (tr N · 1 − N), N = v hᵀ + ω× Σ,
///   Σ = ½ tr(J) · 1 − J the second moment about the frame's origin
template <class S>
struct Coriolis {
    Vector3<S> p;
    Matrix3<S> gamma;

    Coriolis& operator+=(const Coriolis& b) {
        p += b.p;
        gamma += b.gamma;
        return *this;
    }
};

template <class S>
[[gnu::always_inline]] inline Coriolis<S> coriolis(const RigidInertia<S>& I, const Motion<S>& v) {
    const Vector3<S>& omega = v.angular;
    const Symmetric3<S>& J = I.angular;
    const S half = (J.xx + J.yy + J.zz) * S(0.5);
    const Vector3<S> x = v.linear * I.h.x + cross(omega, Vector3<S>{half - J.xx, -J.xy, -J.xz});
    const Vector3<S> y = v.linear * I.h.y + cross(omega, Vector3<S>{-J.xy, half - J.yy, -J.yz});
    const Vector3<S> z = v.linear * I.h.z + cross(omega, Vector3<S>{-J.xz, -J.yz, half - J.zz});
    const S two(2);
    return {v.linear * I.mass + cross(omega, I.h),
            {{(y.y + z.z) * two, x.y * -two, x.z * -two},
             {y.x * -two, (x.x + z.z) * two, y.z * -two},
             {z.x * -two, z.y * -two, (x.x + y.y) * two}}};
}

/// B e of a change of velocity.
template <class S>
[[gnu::always_inline]] inline Force<S> operator*(const Coriolis<S>& B, const Motion<S>& e) {
    return {cross(e.angular, B.p) * S(2), B.gamma * e.angular};
}

/// Bᵀ x, of which only the angular part is not zero.
template <class S>
[[gnu::always_inline]] inline Vector3<S> transpose_times(const Coriolis<S>& B, const Motion<S>& x) {
    return cross(B.p, x.linear) * S(2) + transpose_times(B.gamma, x.angular);
}

/// Derivatives along each direction y_k of a cluster: δq = G_k at fixed ẏ, ÿ. A displacement
/// x = J_k of a body moves all bodies attached to it; their velocity changes by x × v + e
/// and their acceleration by x × a + η + e × v, with the e and η of the body. Along ẏ_k, x =
/// 0, and J_k replaces e, η' replaces η. Motions and forces are in the common frame of Data.
template <class S>
struct Directions {
    Directions() = default;
    explicit Directions(const Model& model);

    // per body and direction of its cluster, laid out by Cluster::e_begin
    Table<Motion<S>> e, eta, eta_rate;

    // per spanning velocity, in pass order
    Table<Motion<S>> s_rate, s_acceleration;  ///< time derivatives of the columns s
    Table<S> qdd;
    Table<S> force;  ///< of its joint, with loops cut

    // per cluster with loops or polynomials, as laid out by Cluster::G_begin, by columns: change of q̇ and q̈
    Table<S> rate, acceleration;

    Table<S> turn;             ///< per cluster, as laid out by D: (q̇ × G_k) of the independent velocities
    Table<S> multiplier;       ///< per row: λ; Kᵀλ is the force that joints of dependent velocities lack
    Table<Force<S>> cut;       ///< per body: force through its joint, minus the wrenches of loops
    Table<Coriolis<S>> B;      ///< per body: composite
    Table<Vector3<S>> Z;       ///< per independent velocity: Σ Bᵀ J
    Table<Force<S>> force_y;   ///< per independent velocity: derivative of the force through the cluster by y
    Table<Force<S>> force_yd;  ///< the same by ẏ

    Table<S> rows;                   ///< scratch: rates of rows, sized for the largest cluster
    Table<S> own_y, own_yd, own_M;   ///< scratch: m × m
    Table<Motion<S>> between;        ///< scratch: relative motion of the frames of a loop, m
    Table<int> path;                 ///< scratch: nv
    Table<S> entries_y, entries_yd;  ///< scratch: nv
    Table<S> columns;                ///< scratch: nv × widest
};

template <class S>
Directions<S>::Directions(const Model& model)
    // constructed at full length: objects for one instruction set share no standard library function
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

/// Frames P and Q of a loop joint in the common frame: their axes, and their
/// origins p and r. Columns that only one row would use are not computed.
template <class S>
struct LoopFrames {
    Matrix3<S> P, Q;
    Vector3<S> p, r;
};

/// A motion of a strut: of its ends, and how it turns.
template <class S>
struct StrutMotion {
    Vector3<S> omega, a, b;
};

/// Factors of the dynamics at a state, in a workspace.
enum class Factors : unsigned char {
    none,
    mass,   ///< M⁻¹, for inverse_mass_times()
    motion  ///< and in data.ydd the acceleration at τ = 0, for solve()
};

/// Kinematics of every body, in a workspace.
enum class Kinematics : unsigned char {
    none,
    poses,       ///< poses alone: the coordinates are singular there
    motion,      ///< and Jacobians, velocities and accelerations
    derivatives  ///< and derivatives of velocities and accelerations
};

/// Scratch space of the algorithms, and the factors and kinematics that they leave for functions which read
/// them. No part of the stable interface (docs/stability.md): programs read the results in Data, and call
/// functions for everything else. Motions, forces and inertias are in the branch's common frame:
/// world-aligned, with its origin at `origin`, the first moving body of the branch.
template <class S>
struct GRBDA_EXPORT Workspace {
    explicit Workspace(const Model& model);

    /// Allocates what grows with the square of a cluster, G, J and D, and what derivatives need.
    /// The constructor calls it; for a model with long loops the first function that needs it does.
    void make_room(const Model& model);
    void make_directions(const Model& model);

    std::size_t layout;  ///< of the model that it belongs to
    // left by the last algorithm for functions that read it; the next algorithm clears it
    Factors factors = Factors::none;
    Kinematics kinematics = Kinematics::none;
    bool every_body = false;      ///< with the factors: the motion of every body is valid
    bool embedding = false;       ///< K, k, G and g of every cluster
    bool has_room = false;        ///< make_room() has run
    bool has_directions = false;  ///< make_directions() has run

    // per angle
    Table<S> angle, sine, cosine;

    // per body; R, p, v and a also of rods, after the bodies
    Table<Matrix3<S>> R;              ///< orientation in the world
    Table<Vector3<S>> p;              ///< position in the common frame
    Table<Motion<S>> v;               ///< velocity
    Table<Motion<S>> c;               ///< joint biases v × s q̇ summed from the cluster's parent
    Table<Motion<S>> b;               ///< acceleration relative to the cluster's parent at ÿ = 0
    Table<Motion<S>> a0;              ///< acceleration at ÿ = 0, minus gravity
    Table<Motion<S>> a;               ///< acceleration, minus gravity; in ABA the contribution of ÿ to a0
    Table<RigidInertia<S>> I;         ///< composite in CRBA; of leaves in C-ABA
    Table<ArticulatedInertia<S>> IA;  ///< articulated
    Table<Force<S>> pA;               ///< force at ÿ = 0; in RNEA the force transmitted through the body

    // per spanning velocity, in pass order
    Table<Motion<S>> s;    ///< columns of the joint motion subspaces
    Table<S> rate;         ///< q̇
    Table<S> rate_change;  ///< q̈; in ABA the contribution of ÿ to g; of clusters with a cut tree
    Table<S> force;        ///< of the joints with loops cut; of the same clusters
    Table<Force<S>> U;     ///< IA s, for bodies with all bodies further out in their cluster; of the same
    Table<S> g;            ///< q̈ = G ÿ + g
    Table<S> way;          ///< closing: required displacement of the independents
    Table<S> tangent;      ///< closing: direction of q from its present value

    Table<LoopFrames<S>> loop_frames;  ///< per loop
    Table<S> rod_spins;                ///< scratch: spin of a rod per velocity of its cluster
    Table<Vector3<S>> rod_columns;  ///< scratch: relative motion of the ends of a rod, m of largest cluster
    Table<StrutMotion<S>> strut_columns;  ///< scratch: motion of a strut, per velocity of its cluster

    // per row of K
    Table<Force<S>> Psi;  ///< blocked wrench of a loop row
    Table<S> k;           ///< K q̈ = k
    Table<S> phi;         ///< closure error
    Table<S> wanted;      ///< closing: φ that a step is to leave

    // for rows that are passed from body to body
    Table<Force<S>> F;  ///< per slot: wrench of a unit multiplier on the body, then L⁻¹ F at the row's end
    Table<S> e;         ///< per velocity and row that passes it: force of a unit multiplier
    Table<S> Q;         ///< rows × rows
    Table<S> row_factors;  ///< of the rows that end at a body: L, and L⁻¹ Q with the others
    Table<S> pivot;        ///< per spanning velocity: 1/D
    Table<S> rest;         ///< per row: z
    Table<S> multiplier;   ///< per row

    // per cluster, as laid out by its offsets in the model
    Table<S> G;          ///< dofs × m
    Table<S> K;          ///< rows × dofs
    Table<S> inverse;    ///< dependents × padded rows: pseudo-inverse of K_d, scaled
    Table<Motion<S>> J;  ///< bodies × m: motion relative to the cluster's parent
    Table<Force<S>> W;   ///< m columns for clusters attached to a body; after factoring W L⁻ᵀ
    Table<S> D;          ///< m × m, factored L diag Lᵀ; a floating base's in the common frame's axes
    Table<S> u;  ///< m: applied force of the cluster; after factoring L⁻¹ u, except for a floating base
    Table<S> y_rate;          ///< m: ẏ of the cluster
    Table<S> y_acceleration;  ///< m: ÿ of the cluster; for a floating base only in `a`
    Table<S> rcond;           ///< of K_d when it was last inverted; 1 unless the embedding is implicit
    Table<S> margin;          ///< smallest pivot of D minus its floor

    Table<Vector3<S>> origin;             ///< per branch: of the common frame, in the world
    Table<S> trial, path, goal, reached;  ///< scratch configurations for closing loops and for differences
    Table<S> scratch;                     ///< scratch for the dense factors of the largest cluster
    Table<int> chosen;                    ///< scratch for two sets of independent velocities, and blocks

    Directions<S> directions;  ///< derivatives
};

template <class S>
Workspace<S>::Workspace(const Model& model) : layout(model.layout) {
    const auto n = [](int size) { return static_cast<std::size_t>(size); };
    const Sizes& sizes = model.swept;
    const std::size_t bodies = model.bodies.size(), clusters = model.clusters.size();
    for (std::vector<S>* x : {&angle, &sine, &cosine}) x->resize(model.angles.size());
    const std::size_t carriers = n(model.carrier_count());
    R.resize(carriers);
    p.resize(carriers);
    for (std::vector<Motion<S>>* x : {&c, &b, &a0}) x->resize(bodies);
    const S none(
        std::numeric_limits<double>::quiet_NaN());  // reading them before they are computed gives NaN
    const Motion<S> unknown{{none, none, none}, {none, none, none}};
    for (std::vector<Motion<S>>* x : {&v, &a}) x->resize(carriers, unknown);
    I.resize(bodies);
    IA.resize(bodies);
    pA.resize(bodies);
    s.resize(n(model.nv_tree));
    for (std::vector<S>* x : {&rate, &rate_change, &force}) x->resize(n(model.nv_tree));
    U.resize(n(model.nv_tree));
    g.resize(n(model.nv_tree));
    way.resize(n(model.nv_tree));
    tangent.resize(n(model.nv_tree));
    loop_frames.resize(model.loops.size());
    if (!model.rods.empty()) {
        rod_columns.resize(n(sizes.widest));
        rod_spins.resize(n(model.nv_tree));
        if (!model.struts.empty()) strut_columns.resize(n(model.nv_tree));
    }
    Psi.resize(n(model.rows));
    k.resize(n(model.rows));
    phi.resize(n(model.rows));
    wanted.resize(n(model.rows));
    F.resize(model.slot_row.size());
    e.resize(n(sizes.passing));
    Q.resize(n(sizes.Q));
    row_factors.resize(n(sizes.row_factors));
    pivot.resize(n(model.nv_tree));
    rest.resize(n(model.rows));
    multiplier.resize(n(model.rows));
    G.resize(n(sizes.G));
    K.resize(n(sizes.K));
    inverse.resize(n(sizes.inverse));
    J.resize(n(sizes.J));
    W.resize(n(sizes.W));
    D.resize(n(sizes.D));
    for (std::vector<S>* x : {&u, &y_rate, &y_acceleration}) x->resize(n(model.nv));
    rcond.resize(clusters, S(1));
    margin.resize(clusters);
    origin.resize(n(model.branches));
    for (std::vector<S>* x : {&trial, &path, &goal, &reached}) x->resize(n(model.nq));
    scratch.resize(n(sizes.scratch));
    chosen = Table<int>(n(2 * sizes.widest + sizes.planning));  // as Directions::path: not resized
    if (model.has_long_loops()) return;
    make_room(model);
    make_directions(model);
}

template <class S>
void Workspace<S>::make_room(const Model& model) {
    const auto n = [](int size) { return static_cast<std::size_t>(size); };
    const Sizes& sizes = model.sizes;
    G.resize(n(sizes.G));
    J.resize(n(sizes.J));
    D.resize(n(sizes.D));
    scratch.resize(n(sizes.scratch));
    has_room = true;
}

template <class S>
void Workspace<S>::make_directions(const Model& model) {
    directions = Directions<S>(model);
    has_directions = true;
}

extern template struct Workspace<double>;

}  // namespace grbda
