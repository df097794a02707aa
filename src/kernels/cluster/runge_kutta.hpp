#pragma once

#include <array>

// The classical Runge–Kutta method of order four, of the simulator, of derivatives of steps and of generated
// code. Stage i is at the start of the step plus portions[i] h times the rate of stage i − 1. The step is h
// times the sum of the rates with the weights. source  Hairer, Nørsett, Wanner 1993, Table 1.2

namespace grbda::kernels::runge_kutta {

inline constexpr int stages = 4;
inline constexpr std::array<double, stages> portions = {0, 0.5, 0.5, 1};
inline constexpr std::array<double, stages> weights = {1. / 6, 1. / 3, 1. / 3, 1. / 6};

}  // namespace grbda::kernels::runge_kutta
