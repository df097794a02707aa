#pragma once

#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "decompositions.hpp"
#include "grbda/index.hpp"
#include "grbda/model/data.hpp"
#include "grbda/model/model.hpp"
#include "grbda/topology/cluster_tree.hpp"

// Stages of build_model(), each filling its part of the model.

namespace grbda::compile {

inline Vector3<double> vector(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }

/// Which body of the mechanism became which body of the model, and back.
struct Numbering {
    std::vector<int> body_of;       ///< mechanism → model
    std::vector<int> mechanism_of;  ///< model → mechanism
    std::vector<char> named;        ///< of the mechanism: listed among its coordinates
};

/// Bodies, joints, rotors and empty clusters in sweep order.
Numbering compile_bodies(const Mechanism& mechanism, const LoadOptions& options,
                         const topology::ClusterTree& tree, Model& model);

/// Loops and couplings by cluster, with structurally zero rows dropped, and the scales of rows and columns.
void compile_constraints(const Mechanism& mechanism, const Numbering& numbering, Model& model);

/// The longest arm on a body: where the robot stands in the world does not count.
double longest_length(const Model& model);

/// Erases the rows of loops whose entry in `kept` [rows] is zero, with their scales, and numbers the others.
/// Couplings stay.
void drop_rows(Model& model, const std::vector<char>& kept);

/// Offsets of the flat per-cluster arrays; called again once the sizes m are known.
void lay_out(Model& model);

/// Zero, identities, and what `positions` gives for joints by name.
std::vector<double> configuration(const Mechanism& mechanism, const Model& model, const Numbering& numbering,
                                  const std::map<std::string, std::vector<double>>& positions);

/// Positions of a cluster's joints alone, in sweep order: what is computed for a cluster does not copy the
/// robot.
using JointPositions = std::vector<double>;
JointPositions joints_of(const Model& model, const Cluster& c, const std::vector<double>& q);
void put_joints(const Model& model, const Cluster& c, const JointPositions& joints, std::vector<double>& q);

/// A whole configuration that assembly may start from.
struct Start {
    std::string name;  ///< empty: of the model's own start
    std::vector<double> q;
};

/// K and φ at one configuration, rows and columns dimensionless.
struct ClosedState {
    JointPositions q;
    Eigen::MatrixXd K;  ///< rows × dofs
    Eigen::VectorXd phi;
    double residual = 0;
};

/// What assembly found out about a cluster.
struct Assembly {
    bool closed = false;
    ClosedState neutral;
    std::vector<ClosedState> generic;  ///< closed configurations around it
    int rank = 0;
    std::string start;  ///< name of the start that led there
};

/// Springs, dampers, dry friction, tendons and gravity compensation, in the user's order.
void compile_passive_forces(const Mechanism& mechanism, const Numbering& numbering, Model& model);

/// Residuals at or below this, relative to the cluster's size, count as closed.
inline constexpr double closed_residual = 1e-10;

/// Pivots of the dimensionless K below this leave no cluster that the algorithms would not call singular.
inline constexpr double negligible_pivot = 3e-4;

/// Scaled K and φ at the joints of a cluster. data.trial is overwritten.
ClosedState constraint_state(const Model& model, Data<double>& data, const Cluster& c,
                             const JointPositions& q);

/// Damped Gauss–Newton from q: the best state reached. Joint velocities with an entry in `held` [dofs] that
/// is not zero stay; none if empty.
ClosedState close_from(const Model& model, Data<double>& data, const Cluster& c, const JointPositions& q,
                       const std::vector<char>& held = {});

/// Closed configurations around one, as far away as closing to `residual` succeeds.
std::vector<ClosedState> states_around(const Model& model, Data<double>& data, const Cluster& c,
                                       const ClosedState& from, double residual = closed_residual);

/// Finds a closed, regular configuration: from each start in turn, from small steps around what they led to,
/// and from a fixed sequence of far ones.
Assembly assemble(const Model& model, Data<double>& data, int cluster, const std::vector<Start>& starts);

/// Rows that repeat others but for rounded figures can neither all be closed nor counted as constraints. If
/// `assembly` suffers from such, they are dropped, the cluster is assembled without them and what they are
/// left open by becomes a warning. Rows are then numbered anew, and `data` made anew.
void drop_misfits(const Mechanism& mechanism, int cluster, Model& model, Data<double>& data,
                  Assembly& assembly, Diagnostics& diagnostics);

/// Independent dofs of a cluster by marks and preference; findings are appended. Fills the report, and moves
/// the neutral configuration if the choice is singular there.
std::vector<int> choose_independents(const Model& model, const Mechanism& mechanism,
                                     const Numbering& numbering, int cluster, Assembly& assembly,
                                     ClusterReport& report, Diagnostics& diagnostics);

/// Groups of bodies that can turn about an axis of their own while the rest of the cluster stands still: rods
/// between ball joints. Bodies without mass and inertia are not looked at.
std::vector<std::vector<int>> idle_bodies(const Model& model, Data<double>& data, const Cluster& c,
                                          const Assembly& assembly);

/// Errors about loops of a cluster without rows that nevertheless hold in no pose: their axes are opposed.
void report_opposed_axes(const Model& model, const Mechanism& mechanism, Data<double>& data, const Cluster& c,
                         Diagnostics& diagnostics);

/// Notes and errors about open, redundant, locked or unreachable clusters.
void report_cluster(const Model& model, const Mechanism& mechanism, const Numbering& numbering, int cluster,
                    const Assembly& assembly, Diagnostics& diagnostics);

/// Numbers y and lays out. The independents of `coordinates` (bodies of the mechanism) take the places in y
/// that they occupy together in their order.
void number_independents(Model& model, const std::vector<std::vector<int>>& independents,
                         const std::vector<int>& coordinates, const Numbering& numbering);

/// Folds what is constant: G of couplings, rotors, armature; finds which clusters and bodies take short
/// paths.
void fold_constants(Model& model);

/// Pivots of D that count as zero; massless bodies that can move are an error that names them.
void find_inertia_floors(const Mechanism& mechanism, const Numbering& numbering, Model& model,
                         Diagnostics& diagnostics);

/// Saved states moved onto the loops, with notes of the way; those that cannot be are left out with a
/// warning.
void project_states(const Mechanism& mechanism, const Numbering& numbering, Model& model,
                    Diagnostics& diagnostics);

/// "joint 'a', joint 'b' and 3 more" of the bodies of a cluster.
std::string joint_list(const Model& model, const std::vector<int>& bodies);
std::string cluster_name(const Model& model, int cluster);
/// Its name is that of its first joint.
Subject cluster_subject(const Model& model, int cluster);
/// A number as findings print it.
std::string short_number(double x);

}  // namespace grbda::compile
