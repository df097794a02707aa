#include "grbda/edit/lead.hpp"

#include "internal.hpp"

namespace grbda {

Mechanism lead_by(const Mechanism& mechanism, const Model& model, const std::string& joint) {
    const Table<int> bodies = editing::model_bodies(mechanism, model);
    const int cluster = model.bodies[body_index_of_joint(model, joint)].cluster;
    std::vector<char> touched(model.clusters.size(), 0), was_independent(model.bodies.size(), 0);
    touched[static_cast<std::size_t>(cluster)] = 1;
    for (const Coordinate& each : independent_coordinates(model))
        was_independent[static_cast<std::size_t>(each.body)] = 1;
    Mechanism result = mechanism;
    editing::clear_marks(model, touched, result);
    result.coordinates.clear();
    for (int i = 0; i < static_cast<int>(bodies.size()); ++i) {
        if (mechanism.bodies[i].joint == joint) result.bodies[i].independent = true;
        if (was_independent[static_cast<std::size_t>(bodies[i])] != 0) result.coordinates.push_back(i);
    }
    return result;
}

}  // namespace grbda
