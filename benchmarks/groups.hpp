#pragma once

// Functions that main() registers, one for each group of benchmarks, in the file of that name.

namespace grbda::benchmarks {

void register_robots();
void register_chains_and_trees();
void register_open_chains();
void register_scaling();
void register_growth();
void register_accuracy();
void register_accuracy_derivatives();
void register_load();
void register_operations();
void register_batch();
void register_generated();
void register_simulation();
void register_worlds();
void register_mujoco_simulation();
void register_mujoco_worlds();

}  // namespace grbda::benchmarks
