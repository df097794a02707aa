#pragma once

#include "recorder.hpp"

// Recordings of the functions.

namespace grbda::generated {

/// Records ÿ [nv], forward dynamics, on which its derivatives build.
Table<Traced> record_forces(Recorder& recorder, const Traced* q, const Traced* yd, const Traced* tau,
                            const Traced* wrenches);

void record_aba(Recorder& recorder);
void record_rnea(Recorder& recorder, bool accelerated);
void record_crba(Recorder& recorder);

void record_poses(Recorder& recorder);
void record_twists(Recorder& recorder);
void record_jacobians(Recorder& recorder);

/// Records a step of Newton's method that closes loops.
void record_closing(Recorder& recorder);

void record_inverse_derivatives(Recorder& recorder);
void record_forward_derivatives(Recorder& recorder);

}  // namespace grbda::generated
