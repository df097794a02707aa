#pragma once

#include <set>
#include <string>

#include "grbda/description.hpp"

// Which of several joints above one link belongs to the spanning tree. A joint that closes
// a loop has no coordinate, and therefore neither motor nor limits nor forces.

namespace grbda {

class GRBDA_EXPORT Equipment {
public:
    explicit Equipment(const RobotDescription& robot);

    /// True if the joint needs a coordinate: it has limits, forces or armature, or the
    /// description names it: as a motor, in a coupling, in a configuration.
    bool has(const JointDescription& joint) const;

    /// Among the joints above a link, one marked independent belongs to the tree, else one with a motor or
    /// forces, else one with limits, else the first; call it in their order. `chosen`: the best so far,
    /// nullptr at first.
    bool prefers(const JointDescription& joint, const JointDescription* chosen) const {
        return chosen == nullptr || preference(joint) > preference(*chosen);
    }
    int preference(const JointDescription& joint) const;
    static constexpr int marked = 3;  ///< the preference of a joint marked independent

private:
    int equipment(const JointDescription& joint) const;

    std::set<std::string> named_;
    /// The equation of a gear sums over a path in the tree: it must not depend on equipment.
    bool has_gears_ = false;
};

}  // namespace grbda
