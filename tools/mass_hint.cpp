#include "mass_hint.hpp"

#include <algorithm>

#include "describe/describe.hpp"

namespace grbda::tool {

std::string mass_hint(const Model& model) {
    std::vector<std::string> massless;
    bool has_shapes = false;
    for (const int i : describe::bodies_without_mass(model)) {
        massless.push_back(model.names.bodies[i]);
        has_shapes = has_shapes || std::any_of(model.shapes.begin(), model.shapes.end(),
                                               [&](const BodyShape& shape) { return shape.body == i; });
    }
    if (massless.empty()) return {};
    return "no mass: " + describe::some_of(massless) +
           ". Kinematics works: info, convert, ik, project, view, workspace. Dynamics fails with "
           "singular_inertia: compute, simulate, generate\n" +
           (has_shapes
                ? "--density 1000 gives links without mass that of their shapes, kg/m3; otherwise add "
                  "<inertial> to them\n"
                : "add <inertial> to these links; they have no shapes from which --density could compute "
                  "it\n");
}

}  // namespace grbda::tool
