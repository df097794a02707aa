#include "self_collision.hpp"

#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"

namespace grbda::describe {

SelfDistances default_self_distances(const Model& model) {
    SelfDistances result;
    Workspace<double> data(model);
    if (!forward_kinematics<double>(model, data, neutral_configuration(model)).ok()) return result;
    result.all.resize(model.self_collision.pairs.size());
    result.nearest = self_distances<double>(model, data, result.all);
    return result;
}

const std::string& place_name(const Model& model, int group) {
    return model.frames[model.self_collision.groups[group].frame].name;
}

}  // namespace grbda::describe
