#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grbda/mechanism.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/serial/serial.hpp"

// Roles of joints in a serial approximation: those of the tree, and their coordinates.

namespace grbda::serial {

struct ClusterRoles {
    int cluster = 0;
    std::vector<Coordinate> coordinates;  ///< [m] serial coordinates, from the root outwards
    std::vector<Coordinate> driven;       ///< other coordinates of load-carrying joints
    std::vector<Coordinate> motors;
    std::vector<int> y;  ///< [m] their indices in y, ascending
};

struct Roles {
    std::vector<char> kept;               ///< per body of the model: it is a body of the tree
    std::vector<Coordinate> coordinates;  ///< [nv] serial coordinates of the whole robot
    std::vector<ClusterRoles> clusters;   ///< clusters with loops or couplings
    Chart chart;                          ///< in which serial coordinates are independent where possible
    MatrixX<double> to_full;              ///< [nv × nv], see SerialRobot
};

/// "joint", or "joint[1]" for a joint of several coordinates.
std::string name_of(const Model& model, const Coordinate& coordinate);
int position_of(const Model& model, const Coordinate& coordinate);  ///< index in q
int velocity_of(const Model& model, const Coordinate& coordinate);  ///< index in q̇

/// Adds an error about the serial approximation.
void refuse(const Model& model, Code code, std::string expected, std::string found, std::string hint,
            Diagnostics& diagnostics);

/// "joints 'hip', 'knee'": names of the joints of a cluster.
std::string joints_of(const Model& model, int cluster);

/// Empty after an error.
std::optional<Roles> find_roles(const Mechanism& mechanism, const Model& model, const VectorX<double>& q,
                                const SerialOptions& options, Diagnostics& diagnostics);

}  // namespace grbda::serial
