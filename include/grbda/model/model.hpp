#pragma once

#include "grbda/model/catalogue.hpp"
#include "grbda/model/constants.hpp"
#include "grbda/model/structure.hpp"

// The compiled robot: shared between threads, all numbers in double. A function takes the part that it reads.

namespace grbda {

struct Model : Structure, Constants, Catalogue {};

}  // namespace grbda
