#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grbda/mechanism.hpp"
#include "grbda/table.hpp"

// The links of a file of any format, and their names.

namespace grbda::writing {

/// One namespace of the file.
class FreeNames {
public:
    bool is_taken(const std::string& name) const { return taken_.count(name) != 0; }
    void take(const std::string& name) { taken_.insert(name); }
    /// Returns `wanted`, with a number appended if it is in use, and reserves it.
    std::string free(const std::string& wanted);

private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, int> numbers_;  ///< the last number used for each name
};

/// A link to be written: a body's, the root, or a frame on a fixed joint.
struct LinkEntry {
    std::string name;
    int body = world;      ///< the body whose inertia it has, if any
    int fixed_frame = -1;  ///< index of the frame attached by a fixed joint, if any
};

/// The links of a file. Their order is that of the mechanism's frames, which reading preserves.
struct Layout {
    std::vector<LinkEntry> links;
    std::string root;                     ///< link that represents the world
    std::vector<std::string> body_links;  ///< link in each body's own frame

    const std::string& link_of(int body) const {
        return body == world ? root : body_links[static_cast<std::size_t>(body)];
    }
};

/// `reserved`: names reserved by the format; a body with such a name is renamed.
Layout make_layout(const Mechanism& mechanism, const std::unordered_set<std::string>& reserved = {});

/// True if a link of this name is written.
bool has_link(const Layout& layout, const std::string& name);

struct PlacedShape {
    const ShapeDescription* shape;
    Pose origin;  ///< in the link
};
using ShapesByLink = std::unordered_map<std::string, std::vector<PlacedShape>>;

/// Each shape in the link to which it belongs.
ShapesByLink shapes_by_link(const Mechanism& mechanism, const Layout& layout);

}  // namespace grbda::writing
