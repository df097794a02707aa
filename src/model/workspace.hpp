#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/chart.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/model/model.hpp"
#include "model/directions.hpp"
#include "grbda/spatial/spatial.hpp"
#include "grbda/table.hpp"

namespace grbda {

/// Scratch space, sized for the function that takes most. Functions take numbers of it by a ScratchScope.
template <class S>
class Scratch : public Table<S> {
public:
    std::size_t used = 0;
};

/// Takes numbers of the scratch space, and gives them back when the scope ends. They do not overlap those of
/// the scopes around it.
template <class S>
class ScratchScope {
public:
    [[gnu::always_inline]] explicit ScratchScope(Scratch<S>& scratch)
        : scratch_(scratch), begin_(scratch.used) {}
    [[gnu::always_inline]] ~ScratchScope() { scratch_.used = begin_; }
    ScratchScope(const ScratchScope&) = delete;
    ScratchScope& operator=(const ScratchScope&) = delete;

    /// Returns n numbers of any value. Their total over all open scopes is at most Sizes::scratch.
    [[gnu::always_inline]] S* take(int n) {
        S* const numbers = scratch_.data() + scratch_.used;
        scratch_.used += at(n);
        assert(scratch_.used <= scratch_.size());
        return numbers;
    }

private:
    Scratch<S>& scratch_;
    std::size_t begin_;
};

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
constexpr bool includes(Factors present, Factors needed) {
    switch (needed) {
        case Factors::none: return true;
        case Factors::mass: return present != Factors::none;
        case Factors::motion: break;
    }
    return present == Factors::motion;
}

/// Kinematics of every body, in a workspace.
enum class Kinematics : unsigned char {
    none,
    poses,       ///< poses alone: the coordinates are singular there
    motion,      ///< and Jacobians, velocities and accelerations
    derivatives  ///< and derivatives of velocities and accelerations
};
constexpr bool includes(Kinematics present, Kinematics needed) {
    switch (needed) {
        case Kinematics::none: return true;
        case Kinematics::poses: return present != Kinematics::none;
        case Kinematics::motion: return present == Kinematics::motion || present == Kinematics::derivatives;
        case Kinematics::derivatives: break;
    }
    return present == Kinematics::derivatives;
}

/// Memory of the algorithms for one model: their results in the user's order, the factors and kinematics that
/// they leave for functions which read them, and scratch space. Only `chart` persists between calls. Motions,
/// forces and inertias are in the branch's common frame: world-aligned, with its origin at `origin`, the
/// first moving body of the branch. The constructor allocates; with long loops, so does the first function
/// that needs make_room().
template <class S>
struct GRBDA_EXPORT Workspace {
    /// Throws std::invalid_argument if the model was moved from.
    explicit Workspace(const Model& model);

    /// Allocates what grows with the square of a cluster, G, J and D, and what derivatives need.
    /// The constructor calls it; for a model with long loops the first function that needs it does.
    void make_room(const Model& model);
    void make_directions(const Model& model);

    std::size_t layout;  ///< of the model that it belongs to
    Chart chart;         ///< coordinates of ẏ, ÿ and τ: choose_coordinates() and others change them

    // results in the user's order; empty for scalars that need wider alignment than Eigen guarantees
    VectorX<S> ydd;       ///< ÿ [nv], rad/s², m/s²
    VectorX<S> tau;       ///< τ [nv], N·m, N
    VectorX<S> qd, qdd;   ///< q̇, q̈ [nv_tree], rad/s, m/s, and their rates
    VectorX<S> tau_tree;  ///< τ_s [nv_tree], forces of all joints, N·m, N

    // left by the last algorithm for functions that read it; the next algorithm clears it
    Factors factors = Factors::none;
    Kinematics kinematics = Kinematics::none;
    bool every_body = false;      ///< with the factors: the motion of every body is valid
    bool embedding = false;       ///< K, k, G and g of every cluster are valid
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
    Table<Motion<S>> a;               ///< acceleration, minus gravity; in ABA in addition to a0
    Table<RigidInertia<S>> I;         ///< composite in CRBA; of leaves in C-ABA
    Table<ArticulatedInertia<S>> IA;  ///< articulated
    Table<Force<S>> pA;               ///< force at ÿ = 0; in RNEA the force transmitted through the body

    // per spanning velocity, in pass order
    Table<Motion<S>> s;     ///< columns of the joint motion subspaces
    Table<S> rate;          ///< q̇
    Table<S> rate_change;   ///< q̈; in ABA the contribution of ÿ to g; of clusters with a cut tree
    Table<S> force;         ///< of the joints with loops cut; of the same clusters
    Table<Force<S>> U;      ///< IA s, for bodies with all bodies further out in their cluster; of the same
    Table<S> g;             ///< q̈ = G ÿ + g
    Table<S> displacement;  ///< closing: required displacement of the independents
    Table<S> tangent;       ///< closing: direction of q from its present value

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
    Table<S> D;  ///< m × m: in ABA L and 1/d of D = L d Lᵀ, in CRBA the lower triangle of M_cc; of a floating
                 ///< base in the axes of the common frame
    Table<S> u;  ///< m: applied force of the cluster; after factoring L⁻¹ u, except for a floating base
    Table<S> y_rate;          ///< m: ẏ of the cluster
    Table<S> y_acceleration;  ///< m: ÿ of the cluster; for a floating base only in `a`
    Table<S> rcond;           ///< of K_d when it was last inverted; 1 unless the embedding is implicit
    Table<S> margin;          ///< smallest pivot of D minus its floor

    Table<Vector3<S>> origin;             ///< per branch: of the common frame, in the world
    Table<S> trial, path, goal, reached;  ///< scratch configurations for closing loops and for differences
    Scratch<S> scratch;                   ///< for the dense factors of the largest cluster
    Table<int> chosen;                    ///< scratch for two sets of independent velocities, and blocks

    Directions<S> directions;  ///< derivatives
};

template <class S>
Workspace<S>::Workspace(const Model& model) : layout(model.layout), chart(model) {
    if constexpr (alignof(S) <= alignof(std::max_align_t)) {
        for (VectorX<S>* x : {&ydd, &tau}) x->setZero(model.nv);
        for (VectorX<S>* x : {&qd, &qdd, &tau_tree}) x->setZero(model.nv_tree);
    }
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
    displacement.resize(n(model.nv_tree));
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
    chart.make_room(model);
    has_room = true;
}

template <class S>
void Workspace<S>::make_directions(const Model& model) {
    directions = Directions<S>(model);
    has_directions = true;
}

/// Allocates what algorithms on G, J or D need, or also what derivatives need, if that is missing.
template <class S>
[[gnu::always_inline]] inline void ensure_room(const Model& model, Workspace<S>& data) {
    if (!data.has_room) [[unlikely]]
        data.make_room(model);
}
template <class S>
[[gnu::always_inline]] inline void ensure_directions(const Model& model, Workspace<S>& data) {
    ensure_room(model, data);
    if (!data.has_directions) [[unlikely]]
        data.make_directions(model);
}

extern template struct Workspace<double>;

}  // namespace grbda
