#include "lanes.hpp"

namespace grbda {

constinit const batch::Engine batch::avx2_engine = lanes::engine<4>();

}  // namespace grbda
