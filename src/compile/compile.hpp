#pragma once

#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "linear/dense.hpp"
#include "draft.hpp"
#include "kernels/constraint/loop.hpp"
#include "topology/cluster_tree.hpp"

// Stages of build_model(): first the content of the mechanism, then decisions;
// each uses samples of the model that results from the previous ones.

namespace grbda::kernels {

// which the algorithms compile, at their own level of optimisation
extern template bool right_root(const Loop&, const PlacementView<double>&, const PlacementView<double>&);

}  // namespace grbda::kernels

namespace grbda::compile {

inline Vector3<double> vector(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }

// Content of the mechanism

/// Writes the content of the mechanism, with all rows of its loops; without rows if it is too large.
void write_down(const LoadOptions& options, Draft& draft);

/// Adds bodies, joints, rotors and empty clusters in pass order, and frames.
void add_bodies(const topology::ClusterTree& tree, bool rotor_reduction, Draft& draft);

/// Orders rods by cluster, after bodies are numbered.
void number_rods(Draft& draft);
/// Adds rods without their loops, and adds the parts of their masses to the inertias of bodies.
void add_rods(Table<Inertial>& inertias, Draft& draft);
/// Sets loops and terms of the rods, after loops are added.
void tie_rods(Draft& draft);

/// Adds springs, dampers, dry friction, tendons and gravity compensation, in the user's order.
void add_passive_forces(Draft& draft);

/// Adds loops with all rows of their types, and couplings, by cluster.
void add_constraints(Draft& draft);

/// Returns zeros and identities, with the values that `positions` gives for joints by name.
std::vector<double> configuration(const Draft& draft,
                                  const std::map<std::string, std::vector<double>>& positions);

/// Returns the longest arm on a body, independent of the robot's position in the world.
double longest_length(const Draft& draft);

// Analysis of the model of the decisions so far

/// The model of the decisions so far, and a workspace.
struct Bench {
    explicit Bench(const Draft& draft) : model(make_model(draft)), data(model) {}
    Model model;
    Workspace<double> data;
};

/// One cluster of a bench.
struct Probe {
    Probe(Draft& its_draft, Bench& bench, int cluster)
        : draft(its_draft),
          model(bench.model),
          data(bench.data),
          index(cluster),
          c(model.clusters[cluster]) {}
    Draft& draft;
    const Model& model;
    Workspace<double>& data;
    int index;
    const Cluster& c;
};

/// Positions of the joints of one cluster, in pass order:
/// computations for one cluster do not copy the whole robot.
using JointPositions = std::vector<double>;
JointPositions joints_of(const Probe& probe, const std::vector<double>& q);
void put_joints(const Probe& probe, const JointPositions& joints, std::vector<double>& q);

/// Velocities of the cluster, from its first, in the order of q̇.
Table<int> in_user_order(const Probe& probe);

/// Draws a number for each velocity of the cluster [dofs]. The order of drawing is that of q̇: the same
/// numbers move the same joints, whether rotors are reduced or not.
template <class Draw>
Eigen::VectorXd drawn(const Probe& probe, const Draw& draw) {
    Eigen::VectorXd numbers(probe.c.dofs);
    for (const int j : in_user_order(probe)) numbers[j] = draw();
    return numbers;
}

/// K and φ at one configuration, rows and columns dimensionless.
struct ClosedState {
    JointPositions q;
    Eigen::MatrixXd K;  ///< rows × dofs
    Eigen::VectorXd phi;
    double residual = 0;
};

/// Residuals up to this bound, relative to the cluster's size, count as closed.
inline constexpr double closed_residual = 1e-10;

/// A dimensionless K with pivots below this bound belongs to a cluster that algorithms call singular.
inline constexpr double negligible_pivot = 3e-4;

/// Rounded input may leave rows open by this, rad or relative to the cluster's size.
inline constexpr double negligible_misfit = 1e-3;

/// Scaled K and φ at the joints of a cluster. Overwrites data.trial. If loops
/// are open there, K differs from the derivative of φ unless `open` is set.
ClosedState constraint_state(const Probe& probe, const JointPositions& q, bool open = false);

/// Marks the velocities of a cluster [dofs] that occur in loops or polynomials: their rows are nonlinear.
Table<char> turning_dofs(const Probe& probe);

/// Returns q after a dimensionless step [dofs]; joints that do not move keep every bit.
JointPositions moved(const Probe& probe, const JointPositions& q, const Eigen::VectorXd& step);

/// Damped Gauss–Newton from q; returns the best state reached. Joint velocities
/// with a nonzero entry in `held` [dofs] are fixed; none if it is empty.
ClosedState close_from(const Probe& probe, const JointPositions& q, const std::vector<char>& held = {});

/// Closed configurations around one, as far away as closing to `residual` succeeds.
std::vector<ClosedState> states_around(const Probe& probe, const ClosedState& from,
                                       double residual = closed_residual);

// Decisions

/// Decides the length unit of each cluster and its rows (rows that vanish in
/// every pose are dropped), and how its velocities then depend on each other.
void keep_rows(Draft& draft);

/// A whole configuration that assembly may start from.
struct Start {
    std::string name;  ///< empty: the model's own start
    std::vector<double> q;
};

/// Returns the model's own start, then the saved states, completed by the own start.
std::vector<Start> starts_of(const Draft& draft);

/// Result of assembling a cluster.
struct Assembly {
    bool closed = false;
    ClosedState neutral;
    std::vector<ClosedState> generic;  ///< closed configurations around it
    int rank = 0;
    std::string start;  ///< name of the start that led to it
};

/// Finds a closed, regular configuration. Joints keep the position in the robot's start; if the loops
/// do not allow that, these joints move as little as possible. Otherwise, and for the other joints,
/// it tries each start in turn, small steps around the results, and a fixed sequence of far starts.
Assembly assemble(const Probe& probe, const std::vector<Start>& starts);

/// Rows that repeat others except for rounded input can neither all be closed nor counted as
/// constraints. If `assembly` has such rows, they are dropped, the cluster is assembled without
/// them and their residual becomes a warning. `bench` is then a new one, without those rows.
/// For a locked cluster, it measures the residual of the rows that prevent the motion.
void drop_misfits(int cluster, Draft& draft, Bench& bench, Assembly& assembly);

/// True if the number of constraints of an assembled cluster depends on what counts as rounded input.
bool has_doubtful_rows(const ClusterReport& report, const Assembly& assembly);

/// Assembles all clusters and chooses their independent velocities.
void assemble_all(Draft& draft);

/// Names of rods of doubtful clusters whose freedoms are not those of the mechanism with all links, `full`.
Table<std::string> rods_that_change_freedoms(const Draft& draft, const Mechanism& full,
                                             const LoadOptions& options);

/// Chooses the independent dofs of a cluster by marks and preference. Fills the report. Moves the
/// neutral configuration if the choice is singular there, or to keep positions from the robot's start.
void choose_independents(const Probe& probe, Assembly& assembly);

/// Chooses the independent dofs. If the neutral configuration is outside the joint limits, another one inside
/// replaces it, if one is found from a bounded number of starts, the same each time.
void choose_within_limits(const Probe& probe, Assembly& assembly);

/// Finds groups of bodies that can spin freely about an axis of their own while the rest of
/// the cluster is at rest: rods between ball joints. Ignores bodies without mass and inertia.
std::vector<std::vector<int>> idle_bodies(const Probe& probe, const Assembly& assembly);

/// Warning that independent velocity j of a cluster moves no mass, because `links` lack inertia.
Diagnostic moves_nothing(const Draft& draft, const Structure& model, int cluster, int j,
                         const std::string& links, const std::string& consequence);

/// Adds armature to joints that move no mass, if they are attached to a body that
/// has mass or moves mass, and warns of them. Returns true if there are such joints.
bool add_end_armature(Draft& draft, const Model& model);

/// First clusters that move of branches without any mass, and a warning of each.
Table<int> branches_without_mass(const Model& model);
void report_massless_branches(Draft& draft, const Model& model);

/// Finds the pivots of D that count as zero. Warns of joints that move no mass at the neutral configuration.
void find_inertia_floors(Draft& draft, Bench& bench);

/// The bound below which such a pivot, or a joint's own, counts as zero, relative to its terms.
inline constexpr double floor_fraction = 1e-14;

/// Finds the pivots of single joints that count as zero, after positions() at neutral.
void find_joint_floors(Draft& draft, const Model& model, const Workspace<double>& data);

/// Finds clusters whose rows lose digits if they are passed from joint to joint.
void find_rows_that_stay(Draft& draft);

/// Projects saved states onto the loops, with warnings of joints that could not keep
/// their positions; states that cannot be projected are left out with a warning.
void project_states(Draft& draft, Bench& bench);

/// Warns of joints that are not at the robot's start in the neutral configuration.
void report_start(Draft& draft);

// Findings

/// Reports errors for loops without rows that hold in no pose: their axes are opposed.
void report_opposed_axes(const Probe& probe);

/// Reports the axes that lock a cluster without freedom. Returns false if no axis does.
bool report_locking_axes(const Probe& probe);

/// Reports notes and errors about open, redundant, locked or unreachable clusters.
void report_cluster(const Probe& probe, const Assembly& assembly, bool is_lock_reported);

/// Warns of spheres that overlap at the neutral configuration, and names the deepest pair of links.
void report_self_collision(const Mechanism& mechanism, const Model& model, Diagnostics& diagnostics);

/// "joint 'a', joint 'b' and 3 more" for some bodies.
std::string joint_list(const Draft& draft, const std::vector<int>& bodies);
std::string cluster_name(const Draft& draft, int cluster);
/// The subject of a cluster has the name of its first joint.
Subject cluster_subject(const Draft& draft, int cluster);
/// A number as findings print it.
std::string short_number(double x);

}  // namespace grbda::compile
