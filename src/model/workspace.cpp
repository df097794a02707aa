#include "model/workspace.hpp"

namespace grbda {

const int abi::GRBDA_EIGEN_ALIGNMENT = EIGEN_MAX_ALIGN_BYTES;

template struct Workspace<double>;

}  // namespace grbda
