#pragma once

#include <optional>
#include <string>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Loop that connects a frame of the robot to a pose in the world.
struct Mount {
    std::string frame;  ///< link or frame, which is frame Q of the loop
    LoopType type = LoopType::fixed;
    std::string name;           ///< name of the loop; empty: "<frame>_mount"
    std::optional<Pose> place;  ///< frame P, in the world; none: the pose of the frame at q
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< as in LoopDescription
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< as in LoopDescription
    double pitch = 0;                                  ///< helical: m/rad
    std::optional<double> length;                      ///< distance: from place to frame; none: that at q
};

/// Returns the robot with one more loop, from the world to a frame, for example a humanoid that stands on one
/// foot. The clusters between the world and the frame, including a floating base, become one cluster with new
/// independent coordinates. Assembly from q determines the start. Saved states are corrected so that the new
/// loop closes; a warning reports each state that moved or cannot be closed.
///
/// in      mechanism, from make_mechanism() without errors; model, built from it; q [nq] closing the loops
/// errors  std::invalid_argument on a wrong size, or if the model belongs to another mechanism; an error in
///         `diagnostics` for an unknown frame, a frame fixed in the world, a name that is in use, invalid
///         axes, pitches or lengths, and a q that leaves loops open
GRBDA_EXPORT Mechanism mount(const Mechanism& mechanism, const Model& model, ConstVector<double> q,
                             const Mount& mount, Diagnostics& diagnostics);

}  // namespace grbda
