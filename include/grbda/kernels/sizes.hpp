#pragma once

#include <type_traits>

namespace grbda::kernels {

/// Calls `kernel` with the number of independent velocities as a compile-time constant where a
/// fixed-size path exists (1, 2, 3, 4, 6), and with 0 otherwise: then the run-time size counts.
template <class Kernel>
void with_size(int m, Kernel&& kernel) {
    switch (m) {
        case 1: kernel(std::integral_constant<int, 1>{}); return;
        case 2: kernel(std::integral_constant<int, 2>{}); return;
        case 3: kernel(std::integral_constant<int, 3>{}); return;
        case 4: kernel(std::integral_constant<int, 4>{}); return;
        case 6: kernel(std::integral_constant<int, 6>{}); return;
        default: kernel(std::integral_constant<int, 0>{}); return;
    }
}

}  // namespace grbda::kernels
