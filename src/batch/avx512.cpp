#include "lanes.hpp"

namespace grbda {

constinit const batch::Engine batch::avx512_engine = lanes::engine<8>();

}  // namespace grbda
