#include "grbda/model/data.hpp"

namespace grbda {

const int abi::GRBDA_EIGEN_ALIGNMENT = EIGEN_MAX_ALIGN_BYTES;

template struct Workspace<double>;
template struct Data<double>;

}  // namespace grbda
