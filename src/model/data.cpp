#include "grbda/model/data.hpp"

namespace grbda {

template struct Data<double>;
template struct Data<float>;

}  // namespace grbda
