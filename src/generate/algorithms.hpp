#pragma once

#include "recorder.hpp"

// What each function records.

namespace grbda::generated {

/// ÿ [nv]: forward dynamics, on which its derivatives go on.
Table<Traced> sweep_forces(Recorder& recorder, const Traced* q, const Traced* yd, const Traced* tau,
                           const Traced* wrenches);

void record_aba(Recorder& recorder);
void record_rnea(Recorder& recorder, bool accelerated);
void record_crba(Recorder& recorder);

void record_poses(Recorder& recorder);
void record_twists(Recorder& recorder);
void record_jacobians(Recorder& recorder);

/// A step of Newton's method towards closed loops.
void record_closing(Recorder& recorder);

void record_inverse_derivatives(Recorder& recorder);
void record_forward_derivatives(Recorder& recorder);

}  // namespace grbda::generated
