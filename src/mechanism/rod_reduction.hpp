#pragma once

#include <string>

#include "grbda/mechanism.hpp"

namespace grbda::mechanism {

/// As grbda::reduce_rods(), but links named in `stay` remain.
Mechanism reduce_rods_except(const Mechanism& mechanism, const Table<std::string>& stay);

}  // namespace grbda::mechanism
