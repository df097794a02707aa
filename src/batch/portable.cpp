#include "lanes.hpp"

namespace grbda {

constinit const batch::Engine batch::portable_engine = lanes::engine<4>();

}  // namespace grbda
