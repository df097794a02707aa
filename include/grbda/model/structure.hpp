#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/joint_types.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/table.hpp"
#include "grbda/spatial/vector3.hpp"

// Connectivity and indices. A body, a loop or a coupling is one record that also contains its own numbers,
// since passes read both at once. There are three numberings. Bodies (and the tree joints that move them)
// are in pass order: parents before children, clusters contiguous, the reduced rotors of a cluster last.
// `dof` counts spanning velocities in that same order. The user's order is depth-first as in the file: q,
// q̇ (`Body::q`, `Body::v`) and y, its independent part; joints that a side file lists take their places
// in y in the order of that list.

namespace grbda {

/// Rotation axis of a joint: a coordinate axis of a joint frame that is parallel
/// to the parent's frame, as for most joints of most robots, or a general one.
enum class Turn { general, about_x, about_y, about_z };

/// Form of a body's inertia in the passes of C-ABA. In a tree cluster it includes the bodies further out.
enum class InertiaKind : unsigned char {
    none,         ///< no inertia, no rotor on it, and no cluster or body attached
    rigid,        ///< no cluster attached, and its own is direct, general or a tree: 10 numbers
    articulated,  ///< 21 numbers
    about_joint   ///< 21 numbers about the joint, of light bodies far out, which lose digits elsewhere
};

/// The file's statement on whether a joint's velocity is independent.
enum class Mark : unsigned char { none, independent, dependent };

/// A moving body and the tree joint that moves it.
struct Body {
    JointType joint = JointType::revolute;
    bool rotor = false;  ///< reduced to a gyrostat of its carrier: no kinematics in the passes
    int parent = world;
    int cluster = 0;
    int q = 0;    ///< first position in q
    int v = 0;    ///< first velocity in q̇
    int dof = 0;  ///< first velocity in pass order
    int y = -1;   ///< of a joint cluster: index of its velocity in Structure::independent

    Turn turn = Turn::general;
    double turn_sign = 1;      ///< of the axis, if the rotation is about a coordinate axis
    int angle = -1;            ///< of the rotation, in Structure::angles; −1: none, or a reduced rotor's
    Vector3<double> position;  ///< joint origin in the parent body
    Matrix3<double> rotation;  ///< joint frame in the parent body: T
    Matrix3<double> turn_cos;  ///< rotation by θ about the axis: T + (cos θ − 1) turn_cos + sin θ turn_sin
    Matrix3<double> turn_sin;
    Vector3<double> axis;   ///< in the parent body; planar: the normal
    Vector3<double> axis2;  ///< universal: in the child body; in the parent body: planar: direction of x,
                            ///< helical: displacement along the axis per radian
    Vector3<double> axis3;  ///< planar: direction of y in the parent body

    // including the rotors on the body; inertia about the centre of mass = inertia · 1 + middle
    // middleᵀ + largest largestᵀ: excess of the other two principal moments, along their axes
    double mass = 0;
    Vector3<double> com;  ///< in the body frame
    double inertia = 0;   ///< smallest principal moment
    Vector3<double> middle, largest;
    InertiaKind inertia_kind = InertiaKind::articulated;
    bool bears = false;  ///< a cluster is attached to it, or to its descendants in its own cluster
    /// It and its descendants in its cluster have no mass, and none of them carries a rotor.
    bool massless = false;
};

/// The spin of a reduced rotor, whose mass and inertia are otherwise merged into its carrier.
struct Rotor {
    int body = 0;  ///< its own index among the bodies
    int carrier = world;
    bool carrier_in_cluster = false;
    int dof = 0;
    double axial_inertia = 0;
    Vector3<double> axis;  ///< in the carrier
};

/// A link between two ball joints, or a ball joint and a universal or revolute joint at A, symmetric about
/// the line through them: its ends A and B, which are P and Q of its loop, determine its motion. Parts of its
/// mass are merged into the bodies of its ends; the rest of its kinetic energy is −½ coupling |v_B − v_A|²,
/// and unless A is a ball ½ axial ω_s² of its spin about the line, which the bodies at its ends determine.
struct Rod {
    int loop = 0;  ///< in Structure::loops
    int cluster = 0;
    double coupling = 0;               ///< m_AB, kg
    double mass = 0, length = 0;       ///< kg, m
    double center = 0;                 ///< fraction of the length from A to the centre of mass
    double transverse = 0, axial = 0;  ///< moments of inertia about the centre, across and along the line
    double spin_momentum = 0;          ///< I_s ω_s between two balls, kg·m²/s: a constant of every motion
    Vector3<double> line;              ///< from A to B at zero of its joints, unit, in the body of A
    Matrix3<double> rotation;          ///< its axes at that configuration, in the body of A
    RodJoint joint = RodJoint::ball;   ///< at A; at B is a ball
    Vector3<double> axis;              ///< of this joint, unit, fixed in the body of A; of a ball any
    int strut = -1;                    ///< in Structure::struts; −1: its length is constant
    Range terms;                       ///< in Structure::rod_terms
    int source = 0;                    ///< index in Mechanism::rods

    /// The direction in the body of A that its turn about the line refers to.
    const Vector3<double>& reference() const { return guided() ? axis : line; }
    /// True if the bodies at its ends determine its spin.
    bool guided() const { return joint != RodJoint::ball; }
};

/// Two links on a slide along the line of a rod, the cylinder at A and the piston at B. Their masses are
/// merged into the bodies of these ends; `coupling` and `center` of the rod do not count. Numbers are in axes
/// along the line, across it and the axis of the joint at A, and across both.
struct Strut {
    int rod = 0;  ///< in Structure::rods
    bool symmetric =
        false;          ///< about the line: only first components and two moments of inertia are not zero
    double misfit = 0;  ///< of the symmetry, relative
    Vector3<double> h_a, h_b;  ///< first moments of the cylinder about A and of the piston about B
    Symmetric3<double> theta;  ///< sum of their inertias about A and B
};

/// A velocity of a rod's cluster that moves one or both of its ends.
struct RodTerm {
    int dof = 0;
    bool moves_a = false, moves_b = false;
};

/// One signed column of a loop: the joint `dof` moves Q (+1) or P (−1).
struct LoopTerm {
    int dof = 0;
    double sign = 1;
};

/// An end of a loop: a frame fixed in a body. Its x axis is the loop's.
struct LoopEnd {
    int body = world;
    Vector3<double> position;  ///< in the body
    Matrix3<double> rotation;
    int slot = -1;  ///< first slot of its rows that are passed on; −1: in the world
};

/// Loop joint with its rows.
struct Loop {
    LoopType type = LoopType::revolute;
    LoopEnd predecessor, successor;  ///< frames P and Q
    double constant = 0;             ///< distance: length; screw: pitch; angle: cosine of the axes
    int rows_begin = 0;              ///< in Structure::loop_rows
    int rows = 0;                    ///< rows that are kept; structurally zero ones are dropped
    int lengths = 0;                 ///< number of rows that measure a length: they come first
    int row = 0;                     ///< first row in K
    Range terms;
    int source = 0;       ///< index in Catalogue::names.loops
    bool across = false;  ///< distance: as MechanismLoop::across
    int slide = -1;       ///< distance: dof of a slide that adds to the length; −1: none
    int slide_q = -1;     ///< and its place in q
    double slide_sign = 1;

    /// Rows as written, of which some may be dropped.
    constexpr Few<LoopRow> written_rows() const {
        const LoopRow length{slide < 0 ? RowKind::distance : RowKind::length};
        if (across) return {length, {RowKind::along, 0}};
        if (slide >= 0) return {length};
        return facts(type).rows;
    }
};

/// A term of a coupling.
struct CouplingTerm {
    int dof = 0;
    int q = 0;
    double coefficient = 1;
};

/// One row Σ coefficient · q + offset = 0. A polynomial row has two terms,
/// follower and leader, with coefficients 1 and −1; the leader's coefficient
/// multiplies Σ cᵢ (q − reference)ⁱ instead of q; the offset is in c₀.
struct Coupling {
    int row = 0;
    Range terms;
    double offset = 0;
    Range polynomial;  ///< in Constants::polynomials: c₀, c₁, …; none: linear
    double reference = 0;
    int source = 0;  ///< index in Catalogue::names.couplings
    bool linear() const { return polynomial.empty(); }
};

/// A body of a linkage, in the plane's axes x, y and n at the angle of its joint.
struct Link {
    int parent = 0;   ///< its index: 0 is the body that carries the cluster, i + 1 is body i of the cluster
    double sign = 1;  ///< of the joint's axis along n
    double loop_sign = 0;             ///< of its velocity in K: 0 if the loop does not contain its joint
    double x = 0, y = 0;              ///< its joint relative to its parent's, or to the plane's origin
    double height = 0;                ///< of its origin above the plane
    Vector3<double> com;              ///< relative to its joint, with its height above the plane
    double moment = 0;                ///< of inertia about the centre of mass, along n
    Vector3<double> middle, largest;  ///< as in Body
    Matrix3<double> rotation;         ///< of the body
};

inline constexpr int largest_linkage = 5;  ///< bodies
/// A planar cluster with up to three independent velocities: revolute joints about parallel axes, without
/// rotors, and one loop with two rows in the plane.
struct Linkage {
    Matrix3<double> axes;                ///< x, y and n of the plane in the body that carries the cluster
    Vector3<double> origin;              ///< of the plane: that of the first body
    int predecessor = 0, successor = 0;  ///< indices of the loop's end bodies
    double x = 0, y = 0;                 ///< of the origin of Q, relative to the successor's joint
    bool stands = false;                 ///< on the world, with nothing attached: all its dynamics is planar
    Link links[largest_linkage + 1];     ///< by index
};

/// Multipliers of the rows passed on from joint to joint: at the joint of a body or of
/// a rotor, or at the body to which their cluster is attached. Each has a slot there.
struct PassedRows {
    int cluster = 0;
    Range ended;           ///< slots: all ends of the row meet at this body
    Range carried;         ///< slots: the row passes the joint to the parent body; rows of loops first
    int couplings = 0;     ///< first entry in `carried` that is a coupling's
    int e_begin = 0;       ///< in Data::e: velocities × carried
    int factor_begin = 0;  ///< in Data::row_factors: ended × ended, and ended × carried
};

/// Dependence of a cluster's velocities on its independent ones.
enum class Embedding {
    none,      ///< one body on a free joint: q̇ = ẏ
    constant,  ///< linear couplings only: G constant, g = 0
    implicit   ///< loops or polynomials: G and g from K and k at each configuration
};

/// Kind of a cluster. It selects the implementation of the passes, in src/kernels/kinds.
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

/// Up to this size, a block with as many rows of K as dependents is solved by cofactors.
inline constexpr int largest_closed_form = 3;

/// Rows of K and the dependents determined by them: one step of inverting K_d. The rows belong
/// to constraints that share these dependents; other dependents in them are determined before.
struct EliminationBlock {
    Range columns;        ///< of the dependents that it determines, from the cluster's first
    Range support;        ///< columns where its columns' rows of P are not zero, in whole blocks
    int rows = 0;         ///< of K
    int normals = 0;      ///< its first rows, each equal to the `normal` row of another block
    int met = 0;          ///< dependents in its rows that later blocks of the list determine
    int list = 0;         ///< its numbers, in the cluster's of Structure::block_lists: rows of K,
                          ///< from the cluster's first; columns of K determined and met, in whole
                          ///< blocks; those met again, as dependents from the cluster's first
    bool passes = false;  ///< the remainder of its rows enters later blocks
    bool normal = false;  ///< the remainder is one row, the first of three: along its two columns' normal
};

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

/// Sums along rows are taken in blocks of this many columns, which compilers keep in one register each.
inline constexpr int row_block = 4;

/// Length of a row in whole blocks; the additional columns are zero.
constexpr int padded(int columns) { return (columns + row_block - 1) / row_block * row_block; }

/// Lengths of the flat arrays that clusters share, in the order of their
/// offsets in Cluster, and the storage that the largest cluster needs.
struct Sizes {
    int G = 0;            ///< dofs × m; not for clusters without embedding
    int K = 0;            ///< rows × dofs
    int J = 0;            ///< bodies × m; not for direct clusters
    int e = 0;            ///< bodies × m
    int W = 0;            ///< m
    int D = 0;            ///< m × m
    int inverse = 0;      ///< dependents × padded rows
    int basis = 0;        ///< dofs × dofs, of clusters with a choice
    int widest = 1;       ///< m
    int row_rates = 0;    ///< rows × m
    int Q = 0;            ///< rows × rows, of rows passed on
    int passing = 0;      ///< velocities × rows that pass them
    int row_factors = 0;  ///< of rows that end together
    int scratch = 1;      ///< numbers for inverting and closing
    int planning = 0;     ///< numbers for finding the blocks
};

/// For clusters with more velocities whose rows are passed on, Data has
/// no storage that grows with their square until an algorithm needs it.
inline constexpr int long_loop = 100;

/// The compiled robot as the passes read it: bodies, loops, couplings and clusters in pass order.
struct Structure {
    int nq = 0;        ///< spanning positions
    int nv_tree = 0;   ///< spanning velocities
    int nv = 0;        ///< degrees of freedom
    int rows = 0;      ///< of K, all clusters
    int branches = 0;  ///< number of clusters attached to the world

    Table<Body> bodies;
    Table<Cluster> clusters;
    Table<Rotor> rotors;
    Table<Loop> loops;
    Table<LoopRow> loop_rows;  ///< of all loops, one after the other
    Table<LoopTerm> loop_terms;
    Table<Linkage> linkages;
    Table<Coupling> couplings;
    Table<CouplingTerm> coupling_terms;
    Table<Rod> rods;  ///< per cluster
    Table<RodTerm> rod_terms;
    Table<Strut> struts;
    Table<int> combined;  ///< couplings whose first joint is a combined coordinate, with coefficient −1

    Table<int> independent;  ///< per cluster: its independent dofs, in the order of q̇
    Table<int> dependent;    ///< per cluster: its dependent dofs, in the order of the blocks
    Table<EliminationBlock>
        blocks;              ///< per cluster: those in use, and storage for others in other coordinates
    Table<int> block_count;  ///< per cluster
    Table<int> block_lists;  ///< per cluster: their rows and columns
    Table<Mark> marks;       ///< per body: of its joint
    Table<int> y_index;      ///< per entry of `independent`: its place in y
    Table<int> v_index;      ///< dof → place in q̇
    Table<int> dof_body;     ///< dof → its body
    Table<PassedRows> passed_rows;  ///< per body: of rows passed on
    Table<int> slot_row;            ///< per slot: row, from its cluster's first
    Table<int> slot_up;  ///< per slot: that of the same row at the parent body; −1: ended, or the world
    Table<int> angles;   ///< in pass order: positions in q that are angles of rotation

    Sizes sizes;
    Sizes swept;  ///< excludes arrays that grow with the square of long loops: G, J, D and bases
                  ///< of clusters with more than long_loop velocities whose rows are passed on
    bool has_long_loops() const { return swept.J < sizes.J; }
    std::size_t layout = 0;  ///< hash of everything that determines the sizes in Data

    int body_count() const { return static_cast<int>(bodies.size()); }
    int cluster_count() const { return static_cast<int>(clusters.size()); }

    // Frames and shapes are fixed in bodies or in rods, of struts in the cylinder or the piston: rod r has
    // index body_count() + r, and the piston of strut s comes after all rods.
    int rod_count() const { return static_cast<int>(rods.size()); }
    int carrier_count() const { return body_count() + rod_count() + static_cast<int>(struts.size()); }
    bool is_rod(int carrier) const { return carrier >= body_count(); }
    bool is_piston(int carrier) const { return carrier >= body_count() + rod_count(); }
    int piston(int strut) const { return body_count() + rod_count() + strut; }
    const Rod& rod(int carrier) const {
        const int r = carrier - body_count();
        return rods[is_piston(carrier) ? struts[r - rod_count()].rod : r];
    }
    int cluster_of(int carrier) const {
        return is_rod(carrier) ? rod(carrier).cluster : bodies[carrier].cluster;
    }
};

/// Kept rows of a loop; the first one's row of K is Loop::row.
inline std::span<const LoopRow> rows_of(const Structure& structure, const Loop& loop) {
    return {structure.loop_rows.data() + loop.rows_begin, static_cast<std::size_t>(loop.rows)};
}

/// The form of forward dynamics for a cluster; none if its joints need no choice.
constexpr std::optional<Form> form_of(const Cluster& c) {
    if (c.kind == ClusterKind::general || c.kind == ClusterKind::planar) return Form::jacobians;
    if (c.kind == ClusterKind::tree) return Form::tree;
    if (c.kind == ClusterKind::rows) return Form::rows;
    return std::nullopt;
}

/// False for a moved-from model, which keeps its sizes but has lost its bodies.
inline bool is_whole(const Structure& structure) { return structure.bodies.empty() == (structure.nq == 0); }
/// Throws std::invalid_argument for a moved-from model.
GRBDA_EXPORT void require_whole(const Structure& structure);

}  // namespace grbda
