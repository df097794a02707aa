#pragma once

#include <optional>

#include "grbda/mechanism/form.hpp"
#include "grbda/table.hpp"

// Clusters (aggregate links) of a compiled robot.

namespace grbda {

/// Multipliers of the rows passed on from joint to joint: at the joint of a body or of
/// a rotor, or at the body to which their cluster is attached. Each has a slot there.
struct PassedRows {
    int cluster = 0;
    Range ended;           ///< slots: all ends of the row meet at this body
    Range carried;         ///< slots: the row passes the joint to the parent body; rows of loops first
    int couplings = 0;     ///< first entry in `carried` that is a coupling's
    int e_begin = 0;       ///< in Workspace::e: velocities × carried
    int factor_begin = 0;  ///< in Workspace::row_factors: ended × ended, and ended × carried
};

/// Dependence of a cluster's velocities on its independent ones.
enum class Embedding {
    none,      ///< one body on a free joint: q̇ = ẏ
    constant,  ///< linear couplings only: G constant, g = 0
    implicit   ///< loops or polynomials: G and g from K and k at each configuration
};

/// Kind of a cluster. It selects the implementation of the passes, in src/kernels/pass/kinds.
enum class ClusterKind : unsigned char {
    joint,          ///< one revolute joint on a moving body, with rate ẏ; its rotors are in D0
    joints,         ///< several revolute joints on a moving body; rotors as for `joint`
    floating_base,  ///< one floating joint on the world, whose columns s are the axes of its body
    direct,         ///< any other single joint with rates ẏ: J = s
    general,        ///< loops, couplings, or bodies without these in one cluster; ABA uses J = Σ s G
    planar,         ///< one loop in a plane, see Linkage
    tree,           ///< as `general`, but ABA uses sums along the spanning tree instead of J
    rows            ///< as `general`, but ABA eliminates joint by joint and passes rows to the parent
};

/// Effect of a cluster's rotors and armature on D, W and u.
/// All but `moving` are folded: constants, in Constants::D0.
enum class RotorKind : unsigned char {
    still,    ///< no rotors, or rotors on the world: no momentum
    coaxial,  ///< momentum along the one joint's axis: Cluster::momentum
    carried,  ///< momentum fixed in the parent body: Constants::momentum
    moving    ///< rotors on bodies of the cluster, or G is not constant
};

/// Sums along rows are taken in blocks of this many columns, which compilers keep in one register each.
inline constexpr int row_block = 4;

/// Length of a row in whole blocks; the additional columns are zero.
constexpr int padded(int columns) { return (columns + row_block - 1) / row_block * row_block; }

/// Aggregate link: the bodies of one strongly connected component.
struct Cluster {
    Embedding embedding = Embedding::none;
    ClusterKind kind = ClusterKind::general;
    RotorKind rotor_kind = RotorKind::moving;
    int index = 0;  ///< its own index
    int parent_body = world;
    int parent_cluster = world;
    int branch = 0;               ///< index of its common frame
    Range bodies;                 ///< those with kinematics
    Range joints;                 ///< of all bodies, the reduced rotors last
    Range rotors;                 ///< in Structure::rotors
    int dof_begin = 0, dofs = 0;  ///< spanning velocities
    int m = 0;                    ///< independent velocities
    Range angles;                 ///< in Structure::angles
    int y_begin = 0;              ///< in Structure::independent and y_index
    int dependent_begin = 0;      ///< in Structure::dependent
    Range blocks;                 ///< storage in Structure::blocks
    Range block_lists;            ///< storage in Structure::block_lists
    Range loops;
    Range couplings;
    Range rods;                     ///< in Structure::rods
    int row_begin = 0, rows = 0;    ///< rows of K
    int G_begin = 0;                ///< dofs × m, row-major
    int K_begin = 0;                ///< rows × dofs, row-major
    int J_begin = 0;                ///< kinematic bodies × m motions; none if is_direct()
    int e_begin = 0;                ///< kinematic bodies × m changes of motion
    int W_begin = 0;                ///< m forces
    int D_begin = 0;                ///< m × m, row-major
    int inverse_begin = 0;          ///< pseudo-inverse of K_d: dependents × padded rows
    int basis_begin = 0;            ///< dofs × dofs, row-major; for clusters that can change coordinates
    int linkage = -1;               ///< in Structure::linkages
    PassedRows base;                ///< of rows passed on: those that end at the body to which it is attached
    Range slots;                    ///< of its passed_rows
    int Q_begin = 0;                ///< rows × rows, of rows passed on
    int after = 0;                  ///< first cluster after it and all clusters attached to it
    Range subtree;                  ///< hull of the indices in y of the cluster and all clusters on it
    bool armature = false;          ///< one of its joints has armature
    bool turning_armature = false;  ///< a floating joint has armature: momentum along rotating axes
    bool reflected = false;         ///< D0 is not zero
    double momentum = 0;            ///< coaxial rotors': Σ J w
    Range reduced() const { return {bodies.last, joints.last}; }  ///< rotors without kinematics
    int dependents() const { return dofs - m; }
    /// True if other velocities can be independent instead of those that the model chose.
    bool has_choice() const { return embedding == Embedding::implicit && m > 0 && m < dofs; }
    /// True for one body with kinematics whose joint rates are ẏ.
    bool is_direct() const {
        return kind == ClusterKind::joint || kind == ClusterKind::floating_base ||
               kind == ClusterKind::direct;
    }
    /// True if the passes use the cut tree of the cluster: its forces include those of rotors.
    bool has_cut_tree() const {
        return kind == ClusterKind::general || kind == ClusterKind::planar || kind == ClusterKind::tree ||
               kind == ClusterKind::rows;
    }
    bool is_spinning() const { return rotor_kind == RotorKind::coaxial || rotor_kind == RotorKind::carried; }
};

/// The form of forward dynamics for a cluster; none if its joints need no choice.
constexpr std::optional<Form> form_of(const Cluster& c) {
    if (c.kind == ClusterKind::general || c.kind == ClusterKind::planar) return Form::jacobians;
    if (c.kind == ClusterKind::tree) return Form::tree;
    if (c.kind == ClusterKind::rows) return Form::rows;
    return std::nullopt;
}

}  // namespace grbda
