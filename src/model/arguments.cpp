#include "model/arguments.hpp"

#include <stdexcept>
#include <string>

namespace grbda {
namespace {

void require_index(const char* kind, int given, std::size_t count, const char* finder) {
    if (given >= 0 && static_cast<std::size_t>(given) < count) return;
    throw std::invalid_argument(std::string(kind) + " " + std::to_string(given) + " of a model whose " +
                                kind + " indices go from 0 to " + std::to_string(count - 1) + "; " + finder +
                                " finds one by its name");
}

}  // namespace

void refuse_size(const char* argument, long given, long expected) {
    throw std::invalid_argument(std::string(argument) + " has size " + std::to_string(given) + ", expected " +
                                std::to_string(expected));
}

void refuse_workspace(const char* workspace, const Model& model, std::size_t bodies) {
    require_whole(model);
    const std::string name = workspace;
    if (bodies == 0 && !model.bodies.empty())
        throw std::invalid_argument(name +
                                    " is empty: it was moved from, or made for a model without bodies");
    if (bodies != model.bodies.size())
        throw std::invalid_argument(name + " was made for another model: it has " + std::to_string(bodies) +
                                    " bodies, expected " + std::to_string(model.bodies.size()));
    throw std::invalid_argument(name +
                                " was made for another model: its clusters, rotors or constraints differ");
}

void refuse_chart(const Chart& chart) {
    throw std::invalid_argument(chart.independent.empty()
                                    ? "Chart is empty: it was moved from"
                                    : "Chart was made for another model: its clusters or constraints differ");
}

void refuse_factors(Factors needed) {
    throw std::invalid_argument(needed == Factors::motion
                                    ? "Data holds no factors of a motion: call factor() with yd first"
                                    : "Data holds no factors: call factor() or aba() first");
}

void refuse_kinematics(Kinematics present, Kinematics needed) {
    throw std::invalid_argument(
        needed == Kinematics::derivatives
            ? "Data holds no derivatives of kinematics: call forward_kinematics_derivatives() first"
        : present == Kinematics::poses
            ? "Data holds poses alone: the independent coordinates were singular in forward_kinematics(), or "
              "have changed since. choose_coordinates() finds others; then call forward_kinematics() again"
            : "Data holds no kinematics: call forward_kinematics() first");
}

void refuse_embedding() {
    throw std::invalid_argument("Data holds no constraint matrices: call constraint_embedding() first");
}

void require_frame(const Model& model, int frame) {
    require_index("frame", frame, model.frames.size(), "model.frame(name)");
}

void require_body(const Model& model, int body) {
    require_index("body", body, model.bodies.size(), "model.joint(name)");
}

void require_velocity(const Model& model, int v) {
    require_index("velocity", v, model.v_index.size(), "model.joint(name)");
}

}  // namespace grbda
