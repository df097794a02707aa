#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// Returns the robot with the given joints fixed at their positions in q: fewer bodies, the same frames
/// and, if those joints do not move, the same dynamics. "root_joint" is the joint of a floating base.
///
/// Joints that couplings or loops lock as a result become fixed too, with a note for each. Inertias are
/// merged; loops and frames are kept; frozen terms of couplings and tendons become an offset; couplings and
/// tendons without terms are removed. Assembly starts at q. Clusters that lost a joint get new
/// independent coordinates. A saved state with another position of a frozen joint is removed, and one that
/// leaves loops open is corrected; each is a warning.
///
/// in      mechanism, from make_mechanism() without errors; model, built from it; q [nq] closing the loops
/// out     a mechanism for build_model() or write_urdf()
/// errors  std::invalid_argument on a wrong size, or if the model belongs to another mechanism; an error in
///         `diagnostics` for unknown joints, joints at their dead centre and a q that leaves loops open; the
///         result is invalid then
/// cost    that of building the resulting model
GRBDA_EXPORT Mechanism freeze(const Mechanism& mechanism, const Model& model, ConstVectorRef q,
                              const std::vector<std::string>& joints, Diagnostics& diagnostics);

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
GRBDA_EXPORT Mechanism mount(const Mechanism& mechanism, const Model& model, ConstVectorRef q,
                             const Mount& mount, Diagnostics& diagnostics);

/// Closes the loops by moving only the joints of these bodies. Use it for the joints that a model with rods
/// does not have. Starts at q, then at other positions, which are the same in each call.
/// in/out  q [nq]; unchanged if the result is false
/// returns whether closing positions were found
/// errors  std::invalid_argument on a wrong size
GRBDA_EXPORT bool close_joints(const Model& model, const std::vector<int>& bodies, Eigen::VectorXd& q);

}  // namespace grbda
