#pragma once

#include "gather.hpp"

namespace grbda::collision {

void capsule_on_capsule(const Placed& a, const Placed& b, Gather& touches);
void capsule_on_box(const Placed& capsule, const Placed& box, Gather& touches);

}  // namespace grbda::collision
