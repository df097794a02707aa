#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "grbda/model/model.hpp"
#include "grbda/spatial/spatial.hpp"

// Eigen allocates by its alignment, which follows -march: memory that the library allocated must not be
// freed by a program that Eigen aligns otherwise. Such a program does not link: the name of this constant
// holds both settings. Build the library with GRBDA_ANY_MARCH then.
#define GRBDA_JOIN_EXPANDED(a, b, c, d) a##b##c##d
#define GRBDA_JOIN(a, b, c, d) GRBDA_JOIN_EXPANDED(a, b, c, d)
#define GRBDA_EIGEN_ALIGNMENT \
    GRBDA_JOIN(eigen_aligns_to_, EIGEN_MAX_ALIGN_BYTES, _malloc_, EIGEN_MALLOC_ALREADY_ALIGNED)

#if !defined(GRBDA_NO_EIGEN_VECTORS)  // for objects that neither allocate nor free any
namespace grbda::abi {
extern const int GRBDA_EIGEN_ALIGNMENT;
[[gnu::used]] static const int* const alignment_of_this_program = &GRBDA_EIGEN_ALIGNMENT;
}  // namespace grbda::abi
#endif

namespace grbda {

/// Frames P and Q of a loop joint in the common frame: their axes, and their origins p and r. Columns that no
/// row shares with another are left out.
template <class S>
struct LoopFrames {
    Matrix3<S> P, Q;
    Vector3<S> p, r;
};

template <class S>
using VectorX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using MatrixX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using Matrix6X = Eigen::Matrix<S, 6, Eigen::Dynamic>;

/// What a workspace holds of the dynamics at a state.
enum class Factors {
    none,
    mass,   ///< M⁻¹, for inverse_mass_times()
    motion  ///< and in data.ydd the acceleration at τ = 0, for solve()
};

/// Workspace of one evaluation, sized once from the model: one for each thread.
/// It carries nothing from one call to the next but what a docstring says: below the results stands what a
/// sweep of any cluster may use; short paths leave out what they do not need.
/// Motions, forces and inertias are in the branch's common frame: world-aligned,
/// origin at `origin`, the first moving body of the branch.
template <class S>
struct Data {
    /// Throws std::invalid_argument if the model was moved from.
    explicit Data(const Model& model);

    std::size_t layout;               ///< of the model that it was made for
    Factors factors = Factors::none;  ///< what the last algorithm left

    // results, in the user's order; empty for scalars that need wider alignment than Eigen may give
    VectorX<S> ydd;  ///< forward dynamics
    VectorX<S> tau;  ///< inverse dynamics; joint forces
    VectorX<S> qd;   ///< spanning velocities
    VectorX<S> qdd;  ///< spanning accelerations; joint forces on the joints themselves

    // per angle
    std::vector<S> angle, sine, cosine;

    // per body
    std::vector<Matrix3<S>> R;              ///< orientation in the world
    std::vector<Vector3<S>> p;              ///< position in the common frame
    std::vector<Motion<S>> v;               ///< velocity
    std::vector<Motion<S>> c;               ///< joint biases v × s q̇ summed from the cluster's parent
    std::vector<Motion<S>> b;               ///< acceleration relative to the cluster's parent at ÿ = 0
    std::vector<Motion<S>> a0;              ///< acceleration at ÿ = 0, minus gravity
    std::vector<Motion<S>> a;               ///< acceleration, minus gravity; in ABA what ÿ adds to a0
    std::vector<RigidInertia<S>> I;         ///< in CRBA composite; in C-ABA of leaves
    std::vector<ArticulatedInertia<S>> IA;  ///< articulated
    std::vector<Force<S>> pA;               ///< force at ÿ = 0; in RNEA the force through the body

    // per spanning velocity, sweep order
    std::vector<Motion<S>> s;  ///< columns of the joint motion subspaces
    std::vector<S> rate;       ///< q̇
    std::vector<S> g;          ///< q̈ = G ÿ + g
    std::vector<S> way;        ///< closing: what the independents are to move by
    std::vector<S> tangent;    ///< closing: where q goes from where it is

    std::vector<LoopFrames<S>> loop_frames;  ///< per loop

    // per row of K
    std::vector<Force<S>> Psi;  ///< blocked wrench of a loop row
    std::vector<S> k;           ///< K q̈ = k
    std::vector<S> phi;         ///< closure error
    std::vector<S> wanted;      ///< closing: what a step is to leave of φ

    // per cluster, as laid out by its offsets in the model
    std::vector<S> G;          ///< dofs × m
    std::vector<S> K;          ///< rows × dofs
    std::vector<S> inverse;    ///< dependents × padded rows: pseudo-inverse of K_d, scaled
    std::vector<Motion<S>> J;  ///< bodies × m: motion relative to the cluster's parent
    std::vector<Force<S>> W;   ///< m columns; after factoring W L⁻ᵀ
    std::vector<S> D;          ///< m × m, factored L diag Lᵀ; a floating base's in the common frame's axes
    std::vector<S> u;  ///< m: applied force of the cluster; after factoring L⁻¹ u, but for a floating base
    std::vector<S> y_rate;          ///< m: ẏ of the cluster
    std::vector<S> y_acceleration;  ///< m: ÿ of the cluster; a floating base's in `a` alone
    std::vector<S> rcond;           ///< of K_d; of clusters with implicit embedding
    std::vector<S> margin;          ///< smallest pivot of D above its floor

    std::vector<Vector3<S>> origin;             ///< per branch: of the common frame, in the world
    std::vector<Force<S>> U;                    ///< scratch for one body of the largest cluster
    std::vector<S> trial, path, goal, reached;  ///< scratch configurations of closing loops and differences
    std::vector<S> scratch;                     ///< scratch for the dense factors of the largest cluster
};

/// Sums along rows are taken in blocks of so many columns, which compilers keep in one register each.
inline constexpr int row_block = 4;

/// Length of a row in whole blocks; the columns beyond are zero.
constexpr int padded(int columns) { return (columns + row_block - 1) / row_block * row_block; }

/// Numbers of scratch that inverting the dependent columns of a rows × dofs matrix takes, and closing with
/// the inverse: two columns of K; K_d and two rows of it.
constexpr int inversion_scratch(int rows, int columns, int dofs) {
    return std::max(rows * dofs + (rows + std::max(columns, 2)) * padded(columns), 2 * rows);
}

template <class S>
Data<S>::Data(const Model& model) : layout(model.layout) {
    require_whole(model);
    const auto bodies = model.bodies.size(), clusters = model.clusters.size(), dofs = model.v_index.size();
    const auto rows = static_cast<std::size_t>(model.rows), y = model.y_index.size();
    const auto positions = static_cast<std::size_t>(model.nq);
    std::size_t G_size = 0, K_size = 0, J_size = 0, W_size = 0, D_size = 0, inverse_size = 0;
    std::size_t largest = 1, widest = 1;
    for (const Cluster& cluster : model.clusters) {
        const auto n = [](int size) { return static_cast<std::size_t>(size); };
        G_size = std::max(G_size, n(cluster.G_begin + cluster.dofs * cluster.m));
        K_size = std::max(K_size, n(cluster.K_begin + cluster.rows * cluster.dofs));
        J_size =
            std::max(J_size, n(cluster.J_begin + (cluster.rotor_begin - cluster.body_begin) * cluster.m));
        W_size = std::max(W_size, n(cluster.W_begin + cluster.m));
        D_size = std::max(D_size, n(cluster.D_begin + cluster.m * cluster.m));
        const int dependents = cluster.dependents();
        inverse_size = std::max(inverse_size, n(cluster.inverse_begin + padded(cluster.rows) * dependents));
        largest = std::max(largest, n(inversion_scratch(cluster.rows, dependents, cluster.dofs)));
        widest = std::max(widest, n(cluster.m));
    }
    if constexpr (alignof(S) <= alignof(std::max_align_t)) {
        for (VectorX<S>* x : {&ydd, &tau}) x->setZero(model.nv);
        for (VectorX<S>* x : {&qd, &qdd}) x->setZero(model.nv_tree);
    }
    for (std::vector<S>* x : {&angle, &sine, &cosine}) x->resize(model.angles.size());
    R.resize(bodies);
    p.resize(bodies);
    for (std::vector<Motion<S>>* x : {&c, &b, &a0}) x->resize(bodies);
    const S none(
        std::numeric_limits<double>::quiet_NaN());  // read before they are found, they are no numbers
    const Motion<S> unknown{{none, none, none}, {none, none, none}};
    for (std::vector<Motion<S>>* x : {&v, &a}) x->resize(bodies, unknown);
    I.resize(bodies);
    IA.resize(bodies);
    pA.resize(bodies);
    s.resize(dofs);
    rate.resize(dofs);
    g.resize(dofs);
    way.resize(dofs);
    tangent.resize(dofs);
    loop_frames.resize(model.loops.size());
    Psi.resize(rows);
    k.resize(rows);
    phi.resize(rows);
    wanted.resize(rows);
    G.resize(G_size);
    K.resize(K_size);
    inverse.resize(inverse_size);
    J.resize(J_size);
    W.resize(W_size);
    D.resize(D_size);
    for (std::vector<S>* x : {&u, &y_rate, &y_acceleration}) x->resize(y);
    rcond.resize(clusters);
    margin.resize(clusters);
    origin.resize(static_cast<std::size_t>(model.branches));
    U.resize(widest);
    for (std::vector<S>* x : {&trial, &path, &goal, &reached}) x->resize(positions);
    scratch.resize(largest);
}

extern template struct Data<double>;
extern template struct Data<float>;

}  // namespace grbda
