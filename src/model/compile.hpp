#pragma once

#include <vector>

#include <Eigen/Core>

#include "grbda/model/data.hpp"
#include "grbda/model/model.hpp"
#include "grbda/topology/cluster_tree.hpp"

// Stages of build_model(), each filling its part of the model.

namespace grbda::compile {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Which body of the mechanism became which body of the model, and back.
struct Numbering {
    std::vector<int> body_of;       ///< mechanism → model
    std::vector<int> mechanism_of;  ///< model → mechanism
};

/// Bodies, joints, rotors and empty clusters in sweep order.
Numbering compile_bodies(const Mechanism& mechanism, const LoadOptions& options,
                         const topology::ClusterTree& tree, Model& model);

/// Loops and couplings by cluster, with structurally zero rows dropped, and the scales of rows and columns.
void compile_constraints(const Mechanism& mechanism, const Numbering& numbering, Model& model);

/// Offsets of the flat per-cluster arrays; called again once the sizes m are known.
void lay_out(Model& model);

/// K at one closed configuration, rows and columns dimensionless.
struct ClosedState {
    std::vector<double> q;  ///< whole robot; only the cluster's joints count
    Eigen::MatrixXd K;      ///< rows × dofs
    double residual = 0;
};

/// What assembly found out about a cluster.
struct Assembly {
    bool closed = false;
    ClosedState neutral;
    std::vector<ClosedState> generic;  ///< closed configurations around it
    int rank = 0;
};

/// Scaled K and residual at q.
ClosedState constraint_state(const Model& model, Data<double>& data, const Cluster& c,
                             const std::vector<double>& q);

/// Finds a closed, regular configuration: damped Gauss–Newton from q and from a fixed sequence of other
/// starts.
Assembly assemble(const Model& model, Data<double>& data, int cluster, const std::vector<double>& q);

/// Pivoted QR of Kᵀ: its pivots fall like the singular values of K, whose natural size is 1.
int numerical_rank(const Eigen::MatrixXd& K);
/// The last of the first `rank` pivots; 1 for rank 0.
double smallest_pivot(const Eigen::MatrixXd& K, int rank);
/// Orthonormal basis of the motions that K allows, dofs × (dofs − rank).
Eigen::MatrixXd motions(const Eigen::MatrixXd& K, int rank);

/// Independent dofs of a cluster by marks and preference; findings are appended. Fills the report, and moves
/// the neutral configuration if the choice is singular there.
std::vector<int> choose_independents(const Model& model, const Mechanism& mechanism,
                                     const Numbering& numbering, int cluster, Assembly& assembly,
                                     ClusterReport& report, Diagnostics& diagnostics);

/// Notes and errors about open, redundant, locked or unreachable clusters.
void report_cluster(const Model& model, const Mechanism& mechanism, const Numbering& numbering, int cluster,
                    const Assembly& assembly, Diagnostics& diagnostics);

/// Numbers y and lays out; then folds what is constant: G of couplings, rotors, armature.
void number_independents(Model& model, const std::vector<std::vector<int>>& independents);
void fold_constants(Model& model);

/// Pivots of D that count as zero; massless bodies that can move are an error that names them.
void find_inertia_floors(const Mechanism& mechanism, const Numbering& numbering, Model& model,
                         Diagnostics& diagnostics);

/// "joint 'a', joint 'b' and 3 more" of the bodies of a cluster.
std::string joint_list(const Model& model, const std::vector<int>& bodies);
std::string cluster_name(const Model& model, int cluster);

}  // namespace grbda::compile
