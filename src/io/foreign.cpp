#include "foreign.hpp"

#include <algorithm>
#include <array>

namespace grbda {

std::string_view foreign_name(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
}

bool is_foreign_constraint(std::string_view name) {
    constexpr std::array<std::string_view, 10> constraints = {"joint",
                                                              "loop_joint",
                                                              "mimic",
                                                              "ball_constraint",
                                                              "weld_constraint",
                                                              "gear",
                                                              "gearbox",
                                                              "tendon_constraint",
                                                              "distance_constraint",
                                                              "linear_bushing_rpy"};
    return std::find(constraints.begin(), constraints.end(), foreign_name(name)) != constraints.end();
}

bool is_rotor_inertia(std::string_view name) {
    return foreign_name(name) == "rotor_inertia" || name == "motorInertia" || name == "rotorInertia";
}

}  // namespace grbda
