#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grbda/table.hpp"
#include "grbda/mechanism.hpp"
#include "io/text/xml_text.hpp"

// The parts of write_urdf. What a reader does to numbers (angles to matrices, axes to unit length) is done
// beforehand until it changes nothing, so that writing what was read gives the same text.

namespace grbda::urdf {

/// One namespace of the file.
class FreeNames {
public:
    bool is_taken(const std::string& name) const { return taken_.count(name) != 0; }
    void take(const std::string& name) { taken_.insert(name); }
    /// `wanted`, or with the next number that makes it free; taken from now on.
    std::string free(const std::string& wanted);

private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, int> numbers_;  ///< the last one given to each name
};

/// A link to be written: a body's, the root, or a frame on a fixed joint.
struct LinkEntry {
    std::string name;
    int body = world;      ///< the body whose inertia it has, or none
    int fixed_frame = -1;  ///< index of the frame that hangs on a fixed joint, or none
};

/// Which links there are. The order is that of the mechanism's frames, which reading keeps.
struct Layout {
    std::vector<LinkEntry> links;
    std::string root;                     ///< link that stands for the world
    std::vector<std::string> body_links;  ///< link in each body's own frame

    const std::string& link_of(int body) const {
        return body == world ? root : body_links[static_cast<std::size_t>(body)];
    }
};

struct PlacedShape {
    const ShapeDescription* shape;
    Pose origin;  ///< in the link
};
using ShapesByLink = std::unordered_map<std::string, std::vector<PlacedShape>>;

/// Each in the link that it was said of.
ShapesByLink shapes_by_link(const Mechanism& mechanism, const Layout& layout);
void write_shapes(const std::vector<PlacedShape>& shapes, xml::Text& text);

void write_origin(const Pose& pose, xml::Text& text);
void write_axes(int count, const Eigen::Vector3d& axis, const Eigen::Vector3d& axis2, xml::Text& text);

/// How many of the first couplings can be written as <mimic> in their joints, without another order of rows.
std::size_t leading_mimics(const Mechanism& mechanism);

/// Loops, and the couplings from index `first` on. Throws std::invalid_argument where a coupling has no form
/// in URDF+, which make_mechanism gives none.
void write_constraints(const Mechanism& mechanism, const Layout& layout, std::size_t first, xml::Text& text);

void write_tendons(const Mechanism& mechanism, xml::Text& text);

/// A joint's position, with a quaternion that reading leaves as it is.
std::vector<double> settled_position(const std::vector<double>& position);

/// Motors, start, states, order of coordinates, tool frames, gravity.
void write_roles(const Mechanism& mechanism, xml::Text& text);

}  // namespace grbda::urdf
