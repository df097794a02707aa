#pragma once

#include <string>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Dynamics with contacts that neither separate nor slip, as phases of optimal control problems have them,
// with exact derivatives:
//   [ M  Jᵀ ] [  ÿ ]   [ τ − bias                            ]
//   [ J  0  ] [ −f ] = [ −J̇ ẏ − velocity gain v − position gain e ]
// J maps ẏ to the velocities v of the contacts in the axes of their frames, which turn with the bodies. See
// docs/solvers.md.

namespace grbda {

/// Motion that a contact prevents: of a point, or of a whole frame.
enum class ContactKind {
    point,  ///< three rows: velocity of the origin; f is a force, N
    frame   ///< six rows: linear and angular velocity; f is a force and a moment about the origin, N and N·m
};
constexpr int rows_of(ContactKind kind) { return kind == ContactKind::point ? 3 : 6; }

/// A place on a body that touches the world. Rows and forces are in the axes of `frame`.
struct ContactFrame {
    Frame frame;  ///< its name serves messages only
    ContactKind kind = ContactKind::point;
};

/// Returns the contact at a named frame, or at a point in its axes, m.
/// errors  std::invalid_argument with the nearest names
GRBDA_EXPORT ContactFrame contact_at(const Model& model, const std::string& frame,
                                     ContactKind kind = ContactKind::point,
                                     const Vector3<double>& point = {});
/// Returns the contact at a point of a body, m, in the body's axes.
/// errors  std::invalid_argument for an index out of range
GRBDA_EXPORT ContactFrame contact_on_body(const Model& model, int body, const Vector3<double>& point,
                                          ContactKind kind = ContactKind::point);

/// Required pose of a contact, in the world.
struct ContactReference {
    Vector3<double> position;                                ///< m
    Matrix3<double> rotation = Matrix3<double>::identity();  ///< read for ContactKind::frame only
};

/// Selects the contacts that are closed, and the rates at which their errors decay.
struct ContactPhase {
    Table<char> active;                  ///< [contacts], 0: open, its f is zero
    double velocity_gain = 0;            ///< 1/s
    double position_gain = 0;            ///< 1/s²
    Table<ContactReference> references;  ///< [contacts], or empty if position_gain is 0
};

/// Solves A x = b for symmetric positive semidefinite A: x = A⁺ b, the shortest of those with the smallest
/// |A x − b|. Cholesky factors of the rows that are linearly independent; no allocation after construction.
class GRBDA_EXPORT SemidefiniteSolver {
public:
    explicit SemidefiniteSolver(int most_rows = 0);

    /// Factors A [n × n]. A row depends on others if 1e-10 of its diagonal entry, or less, remains of that,
    /// or if the entry is below 1e-16 `scale` [n].
    void factor(const Eigen::Ref<const Eigen::MatrixXd>& A, const double* scale);
    int rank() const { return rank_; }
    /// x ← A⁺ x, column by column.
    void solve(Eigen::Ref<Eigen::MatrixXd> x);
    /// x ← (1 − A⁺ A) x, column by column: the part on which A has no effect.
    void keep_null_part(Eigen::Ref<Eigen::MatrixXd> x);

private:
    void choose_pivots(const double* scale);
    void combine_dependent_rows();
    void load(const double* x);
    double combined(int i) const;

    int n_ = 0, rank_ = 0;
    Table<int> order_;   // rows of A, independent ones first
    Eigen::MatrixXd L_;  // [n × n]: factor of the independent rows; below it C, rows from independent ones
    Eigen::MatrixXd Q_;  // [rank × rank]: factor of 1 + Cᵀ C
    Eigen::VectorXd column_;  // one right side in the order of the pivots
    Table<double> floor_;     // pivots up to these are zero
};

/// Contacts of a robot, and the workspace of their dynamics, sized once: one for each thread.
struct GRBDA_EXPORT ContactDynamics {
    /// Throws std::invalid_argument if the model was moved from, and for a contact on the world, on a rod, or
    /// on a reduced rotor.
    ContactDynamics(const Model& model, const Table<ContactFrame>& contacts);

    Table<ContactFrame> contacts;
    Table<int> begin;  ///< per contact: its first entry in f
    int rows;          ///< length of f: three for each point, six for each frame

    // results of the last call
    Eigen::VectorXd ydd, f;              ///< [nv], [rows]: contact_dynamics()
    Eigen::MatrixXd ydd_by, f_by;        ///< [nv × 3 nv], [rows × 3 nv]: contact_dynamics_derivatives()
    Eigen::VectorXd yd_after, impulses;  ///< [nv], [rows]: contact_impact()
    Eigen::MatrixXd yd_by, impulses_by;  ///< [nv × 2 nv], [rows × 2 nv]: contact_impact_derivatives()
    int rank = 0;  ///< of the active rows; less than their number if contacts are redundant
    /// Largest acceleration, or velocity of an impact, by which active contacts miss their targets because
    /// they contradict one another, m/s² and rad/s²; rounding if they do not.
    double residual = 0;
    int active_rows = 0;          ///< number of rows of active contacts: the first ones in the matrices below
    Table<int> first_row;         ///< per contact: its first row there; −1: open
    Table<Matrix3<double>> axes;  ///< per contact: orientation of its frame in the world
    Eigen::MatrixXd J;            ///< [rows × nv]
    Eigen::MatrixXd angular;      ///< [3 contacts × nv]: angular velocities, in the axes of the frames
    Eigen::MatrixXd W;            ///< [nv × rows]: M⁻¹ Jᵀ
    Eigen::VectorXd v, e, drift;  ///< [rows]: velocities; e, if there are references; J̇ ẏ

    // scratch
    SemidefiniteSolver solver;
    Table<double> scale;
    Eigen::VectorXd zero, change, right, force, rest;
    Eigen::MatrixXd A, right_by, null_by, by_y, by_yd, by_ydd, at_rest;
    Matrix6Xd wrenches;
    std::size_t bodies, layout;  ///< of the model that this belongs to
};

/// Computes forward dynamics with the active contacts closed.
///   J ÿ + J̇ ẏ + velocity_gain v + position_gain e = 0, where v = J ẏ and e = Rᵀ (p − reference); the angular
///   part of e is the axis part of E = R_refᵀ R, the rotation vector to first order. If contacts are
///   redundant, f is the shortest of all that produce ÿ; if they contradict one another, the sum of squares
///   of what remains is smallest, and work.residual is its largest entry
/// in      q [nq] closing the loops; yd, tau [nv]
/// out     work.ydd [nv]; work.f [rows], of the world on the body, N and N·m, in the axes of the contacts,
///         zero for open ones; the other results in work
/// errors  std::invalid_argument on a wrong size; those of aba(), not_finite; ydd and f are NaN then
/// cost    aba(), forward_kinematics(), inverse_mass_times() of the active rows, and O(rows² nv + rows³); no
///         allocation
GRBDA_EXPORT Result contact_dynamics(const Model& model, Data& data, ContactDynamics& work,
                                     const ContactPhase& phase, ConstVectorRef q, ConstVectorRef yd,
                                     ConstVectorRef tau);

/// Computes the same with derivatives, those of rnea_derivatives() and of the contacts' accelerations solved
/// with the same matrix:
///   [ M  Jᵀ ] [  ∂ÿ ]     [ ∂ID(y, ẏ, ÿ, f) − ∂τ ]
///   [ J  0  ] [ −∂f ] = − [ ∂(J ÿ + J̇ ẏ + gains)  ]
/// out     work.ydd_by [nv × 3 nv], work.f_by [rows × 3 nv]: by y, ẏ and τ. They are exact as long as the
///         rank of the active rows does not change along y, for redundant contacts too
/// errors  as contact_dynamics() and aba_derivatives(); all outputs are NaN then
/// cost    also aba_derivatives(), forward_kinematics_derivatives() and O(rows nv²); for redundant contacts
///         up to three more passes of derivatives; no allocation
/// source  Budhiraja et al. 2018; Mastalli et al. 2020, for robots without loops
GRBDA_EXPORT Result contact_dynamics_derivatives(const Model& model, Data& data, ContactDynamics& work,
                                                 const ContactPhase& phase, ConstVectorRef q,
                                                 ConstVectorRef yd, ConstVectorRef tau);

/// Computes the velocity after an impact without rebound or slip: M (ẏ⁺ − ẏ) = Jᵀ Λ, J ẏ⁺ = 0.
/// in      q [nq] closing the loops; yd [nv]; gains and references are not read
/// out     work.yd_after [nv]; work.impulses Λ [rows], N·s and N·m·s, axes as of f in contact_dynamics()
/// errors  std::invalid_argument on a wrong size; those of factor(), not_finite; both are NaN then
GRBDA_EXPORT Result contact_impact(const Model& model, Data& data, ContactDynamics& work,
                                   const ContactPhase& phase, ConstVectorRef q, ConstVectorRef yd);

/// Computes the same with derivatives.
/// out     work.yd_by [nv × 2 nv], work.impulses_by [rows × 2 nv]: by y and ẏ
GRBDA_EXPORT Result contact_impact_derivatives(const Model& model, Data& data, ContactDynamics& work,
                                               const ContactPhase& phase, ConstVectorRef q,
                                               ConstVectorRef yd);

/// Computes forces or impulses in the axes of the world, for friction cones: R f, and R (∂f + x_ω × f) where
/// x_ω is the rotation of the frame along y.
/// in      work after the call that gave f [rows] and f_by [rows × n], n = 2 nv or 3 nv
/// out     turned [rows], turned_by [rows × n]; zero for open contacts
/// errors  std::invalid_argument on a wrong size
GRBDA_EXPORT void forces_in_world(const ContactDynamics& work, ConstVectorRef f, ConstMatrixRef f_by,
                                  VectorRef turned, MatrixRef turned_by);

/// Computes the rows of a pyramid of 3, 4, 8 … facets about a normal: f is in it if rows · f ≥ 0.
///   row k = μ n − t_k, with t_k at equal angles in the tangent plane
/// in      friction μ ≥ 0; normal, not zero; inside: the pyramid is in the cone, with μ cos(π/facets) in
///         place of μ; otherwise it is around the cone
/// out     rows [facets × 3]; t_0 is along the x axis, or along y if the normal is close to x
/// errors  std::invalid_argument on fewer than three facets, another number of columns, a zero normal, or a
///         negative friction
GRBDA_EXPORT void friction_pyramid(double friction, const Vector3<double>& normal, bool inside,
                                   MatrixRef rows);

}  // namespace grbda
