#pragma once

#include <string>

#include "kinematics/kinematics.hpp"
#include "grbda/table.hpp"

// Distances of a robot to itself at its default configuration, from the spheres of its side files.

namespace grbda::describe {

struct SelfDistances {
    Table<GroupDistance> all;  ///< of each pair; empty if the configuration is singular
    int nearest = -1;

    bool is_known(const Model& model) const { return all.size() == model.self_collision.pairs.size(); }
    bool is_free() const { return nearest < 0 || !(all[nearest].distance < 0); }
};
SelfDistances default_self_distances(const Model& model);

/// Name of the link or frame in which a group of spheres is fixed.
const std::string& place_name(const Model& model, int group);

}  // namespace grbda::describe
