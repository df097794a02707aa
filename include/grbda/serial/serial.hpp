#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/model/chart.hpp"
#include "grbda/model/model.hpp"

// Serial approximation of a robot with loops, for programs that simulate trees: the tree of the joints that
// carry load, and for each cluster tables of the terms that the tree lacks. docs/serial.md derives them.

namespace grbda {

/// Options of serial_robot().
struct SerialOptions {
    /// Links that carry load, in addition to links that carry other clusters. Without one, the heaviest body
    /// of a cluster that carries nothing but rods, is no rod and has no motor carries load.
    std::vector<std::string> ends = {};
    int points = 0;  ///< nodes of a table per coordinate, at least 4; 0: steps of at most 0.1 rad or m, at
                     ///< least 33, 25, 9 nodes for 1, 2, 3 coordinates, otherwise 5, and 3000 in total
    /// Largest factor by which the singular values of J_m may leave those at the nominal configuration;
    /// above 1.
    double most_change = 4;
    /// Largest range per serial coordinate, by name; by default the limits of its joint, within ±π
    /// or ±1 m of the nominal configuration.
    std::map<std::string, std::array<double, 2>> ranges = {};
};

/// Terms of one cluster at one configuration, in its m serial coordinates y.
struct SerialPoint {
    Eigen::VectorXd motors;   ///< [k] positions of its motors: those of joints, times reductions
    Eigen::MatrixXd J_m;      ///< [k × m] velocities of motors = J_m ẏ
    Eigen::MatrixXd delta_M;  ///< [m × m] symmetric: M − M of the tree
    Eigen::MatrixXd gravity;  ///< [m × 3] the tree lacks the force `gravity` · g, g in the carrier's axes
    Eigen::VectorXd driven;   ///< [d] positions of driven joints
    Eigen::MatrixXd driven_jacobian;  ///< [d × m] velocities of driven joints = driven_jacobian ẏ
};

/// Error of a replacement of the full mass matrix M by M'.
struct SerialError {
    double least_ratio = 1, largest_ratio = 1;  ///< generalized eigenvalues of (M', M), over the grid
    double at_rest =
        0;  ///< largest relative error of ÿ, in the norm of M, of any torque at rest: |1/ratio − 1|
    double rms = 0;      ///< of random states, with gravity and velocities: the root mean square of the error
                         ///< of ÿ in the norm of M, relative to that of ÿ
    double largest = 0;  ///< largest error of these states, relative to the root mean square of ÿ
};

/// Replacements of the correction of a table.
struct SerialErrors {
    SerialError none;               ///< the tree alone
    SerialError constant_diagonal;  ///< SerialTable::armature
    SerialError diagonal;           ///< the diagonal of ΔM at each configuration
    SerialError full;               ///< the interpolated table
};

/// Table of one cluster over a grid of its serial coordinates.
struct SerialTable {
    int cluster = 0;                   ///< in Model::clusters
    std::string carrier;               ///< link that carries the cluster, in whose axes gravity is given
    std::vector<std::string> joints;   ///< [m] serial coordinates: the joint, or "joint[1]" of several
    std::vector<std::string> motors;   ///< [k] joints of its motors
    std::vector<std::string> driven;   ///< [d] coordinates of the tree that follow from y
    std::vector<std::string> dropped;  ///< joints that the tree does not have
    std::vector<int> y;                ///< [m] indices of the serial coordinates in SerialRobot::coordinates
    Eigen::VectorXd effort, velocity;  ///< [k] limits of the motors, infinite without a limit

    std::vector<Eigen::VectorXd> nodes;  ///< per coordinate: uniform, ascending
    std::vector<SerialPoint> points;     ///< on the grid; the last coordinate varies fastest
    Eigen::VectorXd nominal;             ///< [m] coordinates at the nominal configuration
    Eigen::VectorXd armature;            ///< [m] mean of the diagonal of ΔM over the grid, at least 0
    SerialErrors errors;                 ///< while the robot's other joints are locked as in nominal

    int size() const { return static_cast<int>(joints.size()); }
};

/// The serial approximation of a robot.
struct SerialRobot {
    /// The tree, for write_urdf(). Dropped bodies are fixed in the bodies that carry them, as at `q`. Driven
    /// joints follow by affine couplings, the best ones over the grid.
    Mechanism mechanism;
    Model tree;                            ///< the same without the couplings
    Eigen::VectorXd q;                     ///< [nq] the nominal configuration of the full robot
    std::vector<std::string> coordinates;  ///< [nv] names of the serial coordinates of the whole robot
    Eigen::MatrixXd to_full;  ///< [nv × nv] constant: ẏ of the model in `chart` = to_full ẏ_serial
    Chart chart;              ///< coordinates of the model
    std::vector<SerialTable> tables;    ///< of clusters with loops or couplings
    std::vector<double> driven_misfit;  ///< per driven joint of all tables: largest error of its
                                        ///< coupling; NaN: joints of several coordinates, not coupled
    SerialErrors errors;                ///< of the whole robot in random states
};

/// Makes the serial approximation of a robot at a nominal configuration.
///
/// A cluster's load-carrying joints are those on the paths to links that carry other clusters, or to its
/// ends. Its m serial coordinates are the first of these joints, motors before others, that determine the
/// cluster. Tables cover the largest box around the nominal configuration, up to a step of the search, in
/// which loops close along straight paths, joints are within their limits and J_m keeps its rank.
///
/// in      mechanism, from make_mechanism() without errors, with rods as bodies; model, built from it, with
/// or
///         without rods; q [nq] closing the loops
/// errors  std::invalid_argument on a wrong size, or if the model belongs to another mechanism; an error in
///         `diagnostics` for unknown links and coordinates, clusters without enough load-carrying joints, and
///         singular configurations; the result is empty then
/// cost    that of building four models, and of M at each point of the grids; allocates
GRBDA_EXPORT std::optional<SerialRobot> serial_robot(const Mechanism& mechanism, const Model& model,
                                                     ConstVectorRef q, const SerialOptions& options,
                                                     Diagnostics& diagnostics);

/// A point of a table between its nodes, with derivatives.
struct SerialValue : SerialPoint {
    std::vector<Eigen::MatrixXd> J_m_rates;      ///< [m] of [k × m]: ∂J_m/∂yᵢ
    std::vector<Eigen::MatrixXd> delta_M_rates;  ///< [m] of [m × m]: ∂ΔM/∂yᵢ
};

/// Interpolates a table by cubic polynomials through the four nearest nodes of each coordinate. Values are
/// continuous; outside the grid, they are extrapolated.
/// in      y [m] rad or m
/// errors  std::invalid_argument on a wrong size; results are NaN for numbers that are not finite
/// cost    4^m nodes; allocates
GRBDA_EXPORT SerialValue interpolate(const SerialTable& table, ConstVectorRef y);

/// Computes the force that the tree lacks at velocity ẏ: M ÿ + h = τ with M = M_tree + ΔM, h = h_tree + this.
///   Σ (∂ΔM/∂y_k ẏ_k) ẏ − ½ ẏᵀ ∂ΔM/∂y ẏ + gravity · g
/// in      yd [m]; g: gravity, m/s², in the carrier's axes
/// errors  std::invalid_argument on a wrong size
GRBDA_EXPORT Eigen::VectorXd correction_force(const SerialValue& value, ConstVectorRef yd,
                                              const Eigen::Vector3d& g);

}  // namespace grbda
