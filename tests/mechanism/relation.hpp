#pragma once

#include <cstddef>
#include <variant>

#include "grbda/description.hpp"

/// Relation of the robot's coupling with this index. errors  std::bad_variant_access if it is of another
/// kind
template <class Relation, class Robot>
auto& relation_of(Robot& robot, std::size_t index = 0) {
    return std::get<Relation>(robot.couplings.at(index).relation);
}
