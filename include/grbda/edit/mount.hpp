#pragma once

#include <optional>
#include <string>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// A frame of the robot on a place in the world, by a loop of any type.
struct Mount {
    std::string frame;  ///< link or frame; frame Q of the loop
    LoopType type = LoopType::fixed;
    std::string name;           ///< of the loop; empty: "<frame>_mount"
    std::optional<Pose> place;  ///< frame P, in the world; none: where the frame is at q
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< as in LoopDescription
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< as in LoopDescription
    double pitch = 0;                                  ///< helical: m/rad
    std::optional<double> length;                      ///< distance: from place to frame; none: as at q
};

/// The robot with one more loop, from the world to a frame: a humanoid that stands on a foot. Joints of the
/// clusters between the world and the frame, a floating base among them, become one cluster, which chooses
/// its independents anew. It starts where assembly from q leads, and so do its saved states; those that had
/// to move, or cannot be closed, are warnings.
///
/// in      mechanism, what make_mechanism returned without errors; model, built of it; q [nq] closing it
/// errors  std::invalid_argument on a wrong size, or if the model is of another mechanism; errors among
///         `diagnostics` for an unknown frame, one fixed in the world, a name that is taken, axes, pitches
///         and lengths that mean nothing, and a q that leaves loops open
GRBDA_EXPORT Mechanism mount(const Mechanism& mechanism, const Model& model, ConstVector<double> q,
                             const Mount& mount, Diagnostics& diagnostics);

}  // namespace grbda
