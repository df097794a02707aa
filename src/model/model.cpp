#include "grbda/model/model.hpp"

#include <algorithm>
#include <stdexcept>

namespace grbda {

namespace {

/// With the nearest names; without any, with a few of those there are.
std::string unknown(const char* kind, const std::string& name, const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string text = std::string("no ") + kind + " is called '" + name + "'";
    const std::string hint = nearest_name_hint(name, names);
    if (!hint.empty()) return text + ": " + hint;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        text += (i == 0 ? "; there are '" : ", '") + names[i] + "'";
    return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

}  // namespace

void require_whole(const Model& model) {
    if (is_whole(model)) return;
    throw std::invalid_argument("the model was moved from: it has no bodies left for its " +
                                std::to_string(model.nq) + " positions");
}

int frame_index(const Model& model, const std::string& name) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.frames.size(); ++i) {
        if (model.frames[i].name == name) return static_cast<int>(i);
        names.push_back(model.frames[i].name);
    }
    throw std::invalid_argument(unknown("frame", name, names));
}

int body_index_of_joint(const Model& model, const std::string& joint) {
    for (std::size_t i = 0; i < model.names.joints.size(); ++i)
        if (model.names.joints[i] == joint) return static_cast<int>(i);
    throw std::invalid_argument(unknown("joint that moves a body", joint, model.names.joints));
}

namespace {

Coordinate coordinate(const Model& model, int dof) {
    const int body = model.dof_body[static_cast<std::size_t>(dof)];
    return {body, dof - model.bodies[static_cast<std::size_t>(body)].dof};
}

}  // namespace

std::vector<Coordinate> spanning_coordinates(const Model& model) {
    std::vector<Coordinate> out(model.v_index.size());
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof)
        out[static_cast<std::size_t>(model.v_index[dof])] = coordinate(model, static_cast<int>(dof));
    return out;
}

std::vector<Coordinate> independent_coordinates(const Model& model) {
    std::vector<Coordinate> out(model.independent.size());
    for (std::size_t i = 0; i < model.independent.size(); ++i)
        out[static_cast<std::size_t>(model.y_index[i])] = coordinate(model, model.independent[i]);
    return out;
}

}  // namespace grbda
