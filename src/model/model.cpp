#include "grbda/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "inertias.hpp"

namespace grbda {

void require_whole(const Structure& structure) {
    if (is_whole(structure)) return;
    throw std::invalid_argument("the model was moved from: it has no bodies left for its " +
                                std::to_string(structure.nq) + " positions");
}

Model with_gravity(Model model, const Vector3<double>& gravity) {
    model.gravity = gravity;
    return model;
}

namespace {

/// Joint velocity `dof` can have this armature.
void require_armature(const Model& model, int dof, double armature) {
    if (!(armature >= 0 && armature < std::numeric_limits<double>::infinity()))
        throw std::invalid_argument("armature to be added is not above zero and finite");
    if (armature > 0 && model.bodies[model.dof_body[dof]].joint == JointType::floating)
        throw std::invalid_argument("joint '" + model.names.joints[model.dof_body[dof]] +
                                    "' is floating: no armature can be added");
}

}  // namespace

void mark_massless_branches(const Table<int>& clusters, Model& model) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (double& floor : model.inertia_floor)
        if (floor >= unreachable_floor) floor = 0;
    if (clusters.empty()) return;
    model.inertia_floor.front() = unreachable_floor;
    for (const int k : clusters) model.inertia_floor[model.clusters[k].y_begin] = infinity;
}

Table<int> massless_branches(const Model& model) {
    Table<int> branches;
    for (const Cluster& c : model.clusters)
        if (c.m > 0 && std::isinf(model.inertia_floor[c.y_begin])) branches.push_back(c.index);
    return branches;
}

Model with_armature(Model model, const Table<double>& added) {
    require_whole(model);
    if (added.size() != model.v_index.size())
        throw std::invalid_argument("armature is given for " + std::to_string(added.size()) +
                                    " velocities, and the model has " + std::to_string(model.nv_tree));
    for (int dof = 0; dof < model.nv_tree; ++dof) require_armature(model, dof, added[model.v_index[dof]]);
    model::add_armature(added, model);
    return model;
}

bool is_ignored(const SelfCollision& robot, int a, int b) {
    return std::binary_search(robot.ignored.begin(), robot.ignored.end(),
                              std::pair(std::min(a, b), std::max(a, b)));
}

namespace {

Coordinate coordinate(const Structure& structure, int dof) {
    const int body = structure.dof_body[dof];
    return {body, dof - structure.bodies[body].dof};
}

}  // namespace

std::vector<Coordinate> spanning_coordinates(const Structure& structure) {
    std::vector<Coordinate> out(structure.v_index.size());
    for (std::size_t dof = 0; dof < structure.v_index.size(); ++dof)
        out[static_cast<std::size_t>(structure.v_index[dof])] = coordinate(structure, static_cast<int>(dof));
    return out;
}

std::vector<Coordinate> independent_coordinates(const Structure& structure) {
    std::vector<Coordinate> out(structure.independent.size());
    for (std::size_t i = 0; i < structure.independent.size(); ++i)
        out[static_cast<std::size_t>(structure.y_index[i])] = coordinate(structure, structure.independent[i]);
    return out;
}

}  // namespace grbda
