#pragma once

#include <cstddef>
#include <variant>

#include "grbda/description.hpp"

/// What a robot's coupling of this place in the list says. errors  std::bad_variant_access: it is of another
/// kind
template <class Relation, class Robot>
auto& relation_of(Robot& robot, std::size_t index = 0) {
    return std::get<Relation>(robot.couplings.at(index).relation);
}
