#pragma once

#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "decompositions.hpp"
#include "draft.hpp"
#include "grbda/topology/cluster_tree.hpp"

// Stages of build_model(): first what the mechanism says, then decisions, each from samples of a model of
// those before it.

namespace grbda::compile {

inline Vector3<double> vector(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }

// What the mechanism says

/// What the mechanism says, with all rows of its loops; without them if it is too large.
void write_down(const LoadOptions& options, Draft& draft);

/// Bodies, joints, rotors and empty clusters in sweep order, and frames.
void add_bodies(const topology::ClusterTree& tree, bool rotor_reduction, Draft& draft);

/// Order of rods by cluster, once bodies are numbered.
void number_rods(Draft& draft);
/// Rods without their loops, and the bodies' inertias with the parts of their masses that they carry.
void add_rods(Table<Inertial>& inertias, Draft& draft);
/// Loops and terms of the rods, once loops are there.
void tie_rods(Draft& draft);

/// Springs, dampers, dry friction, tendons and gravity compensation, in the user's order.
void add_passive_forces(Draft& draft);

/// Loops with all rows of their types, and couplings, by cluster.
void add_constraints(Draft& draft);

/// Zero, identities, and what `positions` gives for joints by name.
std::vector<double> configuration(const Draft& draft,
                                  const std::map<std::string, std::vector<double>>& positions);

/// The longest arm on a body: where the robot stands in the world does not count.
double longest_length(const Draft& draft);

// On a model of the decisions so far

/// That model, and a workspace.
struct Bench {
    explicit Bench(const Draft& draft) : model(make_model(draft)), data(model) {}
    Model model;
    Data<double> data;
};

/// One cluster of it.
struct Probe {
    Probe(Draft& its_draft, Bench& bench, int cluster)
        : draft(its_draft),
          model(bench.model),
          data(bench.data),
          index(cluster),
          c(model.clusters[cluster]) {}
    Draft& draft;
    const Model& model;
    Data<double>& data;
    int index;
    const Cluster& c;
};

/// Positions of a cluster's joints alone, in sweep order: what is computed for a cluster does not copy the
/// robot.
using JointPositions = std::vector<double>;
JointPositions joints_of(const Probe& probe, const std::vector<double>& q);
void put_joints(const Probe& probe, const JointPositions& joints, std::vector<double>& q);

/// K and φ at one configuration, rows and columns dimensionless.
struct ClosedState {
    JointPositions q;
    Eigen::MatrixXd K;  ///< rows × dofs
    Eigen::VectorXd phi;
    double residual = 0;
};

/// Residuals at or below this, relative to the cluster's size, count as closed.
inline constexpr double closed_residual = 1e-10;

/// Pivots of the dimensionless K below this leave no cluster that the algorithms would not call singular.
inline constexpr double negligible_pivot = 3e-4;

/// Scaled K and φ at the joints of a cluster. data.trial is overwritten. If loops are `open` there, K differs
/// from the derivative of φ unless this says so.
ClosedState constraint_state(const Probe& probe, const JointPositions& q, bool open = false);

/// Marks the velocities of a cluster [dofs] that loops or polynomials see: the rows that they enter bend.
Table<char> turning_dofs(const Probe& probe);

/// q moved by a dimensionless step [dofs]; joints that do not move stay to the bit.
JointPositions moved(const Probe& probe, const JointPositions& q, const Eigen::VectorXd& step);

/// Damped Gauss–Newton from q: the best state reached. Joint velocities with an entry in `held` [dofs] that
/// is not zero stay; none if empty.
ClosedState close_from(const Probe& probe, const JointPositions& q, const std::vector<char>& held = {});

/// Closed configurations around one, as far away as closing to `residual` succeeds.
std::vector<ClosedState> states_around(const Probe& probe, const ClosedState& from,
                                       double residual = closed_residual);

// Decisions

/// What each cluster measures lengths in, its rows, of which those that vanish in every pose are dropped, and
/// how its velocities then depend on each other.
void keep_rows(Draft& draft);

/// A whole configuration that assembly may start from.
struct Start {
    std::string name;  ///< empty: of the model's own start
    std::vector<double> q;
};

/// The model's own start, then the saved states, with the own start where they say nothing.
std::vector<Start> starts_of(const Draft& draft);

/// What assembly found out about a cluster.
struct Assembly {
    bool closed = false;
    ClosedState neutral;
    std::vector<ClosedState> generic;  ///< closed configurations around it
    int rank = 0;
    std::string start;  ///< name of the start that led there
};

/// Finds a closed, regular configuration. What the robot's start says of joints holds; where the loops do not
/// allow that, these joints move as little as need be. Else, and of the other joints: from each start in
/// turn, from small steps around what they led to, and from a fixed sequence of far ones.
Assembly assemble(const Probe& probe, const std::vector<Start>& starts);

/// Rows that repeat others but for rounded figures can neither all be closed nor counted as constraints. If
/// `assembly` suffers from such, they are dropped, the cluster is assembled without them and what they are
/// left open by becomes a warning. `bench` is then a new one, without those rows.
void drop_misfits(int cluster, Draft& draft, Bench& bench, Assembly& assembly);

/// Independent dofs of a cluster by marks and preference. Fills the report, and moves the neutral
/// configuration if the choice is singular there, or for what the robot's start says of them to hold.
void choose_independents(const Probe& probe, Assembly& assembly);

/// Groups of bodies that can turn about an axis of their own while the rest of the cluster stands still: rods
/// between ball joints. Bodies without mass and inertia are not looked at.
std::vector<std::vector<int>> idle_bodies(const Probe& probe, const Assembly& assembly);

/// Warning that independent velocity j of a cluster moves no mass, for want of inertia in `links`.
Diagnostic moves_nothing(const Draft& draft, const Structure& model, int cluster, int j,
                         const std::string& links, const std::string& consequence);

/// Gives joints behind which no mass is an armature, where they hang on a body that has mass or moves mass,
/// and warns of them. True if there are such joints.
bool add_end_armature(Draft& draft, const Model& model);

/// First clusters that move of branches without any mass, and a warning of each.
Table<int> branches_without_mass(const Model& model);
void report_massless_branches(Draft& draft, const Model& model);

/// Finds the pivots of D that count as zero. Warns of joints that move no mass at the neutral configuration.
void find_inertia_floors(Draft& draft, Bench& bench);

/// Of such a pivot or of a joint's own, relative to the terms it comes from.
inline constexpr double floor_fraction = 1e-14;

/// Pivots of joints one by one that count as zero, after positions() at neutral.
void find_joint_floors(Draft& draft, const Model& model, const Data<double>& data);

/// Clusters whose rows lose digits if they travel.
void find_rows_that_stay(Draft& draft);

/// Saved states moved onto the loops, with warnings of joints that could not be held where they are said;
/// those that cannot be moved there are left out with a warning.
void project_states(Draft& draft, Bench& bench);

/// A warning of joints that the neutral configuration does not hold where the robot's start says.
void report_start(Draft& draft);

// Findings

/// Errors about loops of a cluster without rows that nevertheless hold in no pose: their axes are opposed.
void report_opposed_axes(const Probe& probe);

/// Notes and errors about open, redundant, locked or unreachable clusters.
void report_cluster(const Probe& probe, const Assembly& assembly);

/// A warning of spheres that overlap at the neutral configuration: of the pair of links that is deepest.
void report_self_collision(const Mechanism& mechanism, const Model& model, Diagnostics& diagnostics);

/// "joint 'a', joint 'b' and 3 more" of some bodies.
std::string joint_list(const Draft& draft, const std::vector<int>& bodies);
std::string cluster_name(const Draft& draft, int cluster);
/// Its name is that of its first joint.
Subject cluster_subject(const Draft& draft, int cluster);
/// A number as findings print it.
std::string short_number(double x);

}  // namespace grbda::compile
