#pragma once

#include <string>
#include <vector>

#include "grbda/mechanism.hpp"
#include "grbda/table.hpp"
#include "io/text/xml_text.hpp"
#include "io/write/findings.hpp"
#include "io/write/layout.hpp"

// The parts of write_sdf.

namespace grbda::to_sdf {

inline constexpr double full_turn = 2 * 3.14159265358979323846;

struct Mimic {
    int leader = world;
    double multiplier = 0, offset = 0;
};

struct Robot {
    const Mechanism& mechanism;
    writing::Findings& findings;
    writing::FreeNames names = {};          ///< of links, joints and frames
    std::string root = {};                  ///< link that is fixed in the world; empty if not needed
    Table<std::string> links = {};          ///< of each body
    Table<std::string> joints = {};         ///< of each body; empty: it floats, without a joint
    Table<std::vector<Mimic>> mimics = {};  ///< at most one for each body
    Table<Pose> in_world = {};              ///< of each body at q = 0

    std::string link_of(int body) const {
        return body != world ? links[body] : root.empty() ? "world" : root;
    }
    Pose pose_of(int body) const { return body == world ? Pose() : in_world[body]; }
    /// A name valid in SDF: without "::", and not reserved.
    std::string name_for(const std::string& kind, const std::string& wanted);
};

/// Decides names of links and joints, and which couplings are mimics.
void plan(Robot& robot);
void write_links(Robot& robot, xml::Text& text);
void write_frames(Robot& robot, xml::Text& text);
void write_joints(Robot& robot, xml::Text& text);
void write_loops(Robot& robot, xml::Text& text);

/// "x y z".
std::string numbers(const Eigen::Vector3d& vector);
void write_number(const char* element, double value, xml::Text& text);
/// Writes no numbers for the identity, only the frame to which it is relative.
void write_pose(const Pose& pose, const std::string& relative_to, xml::Text& text);
void write_axis(const char* element, const Eigen::Vector3d& axis, xml::Text& text);

}  // namespace grbda::to_sdf
