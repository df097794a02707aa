#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grbda/mechanism.hpp"
#include "grbda/table.hpp"

// Which links a file of any format has, and how they are called.

namespace grbda::writing {

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

/// `reserved`: names that the format keeps for itself; a body of such a name gets another one.
Layout make_layout(const Mechanism& mechanism, const std::unordered_set<std::string>& reserved = {});

/// Whether a link of this name is written.
bool has_link(const Layout& layout, const std::string& name);

struct PlacedShape {
    const ShapeDescription* shape;
    Pose origin;  ///< in the link
};
using ShapesByLink = std::unordered_map<std::string, std::vector<PlacedShape>>;

/// Each in the link that it was said of.
ShapesByLink shapes_by_link(const Mechanism& mechanism, const Layout& layout);

}  // namespace grbda::writing
