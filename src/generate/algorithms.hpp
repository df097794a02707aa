#pragma once

#include "kernels/cluster/applied_forces.hpp"
#include "recorder.hpp"
#include "tape_derivatives.hpp"

// Records the functions.

namespace grbda::generated {

/// Records ÿ [nv], forward dynamics, from which its derivatives are built.
Table<Traced> record_forces(Recorder& recorder, const Traced* q, const Traced* yd, const Traced* tau,
                            const Traced* wrenches);
/// Records τ, inverse dynamics; null ydd is zero.
Table<Traced> record_inverse(Recorder& recorder, const Traced* q, const Traced* yd, const Traced* ydd,
                             const Traced* wrenches);

void record_aba(Recorder& recorder);
void record_rnea(Recorder& recorder, bool accelerated);
void record_crba(Recorder& recorder);

/// Records poses of the frames, after place_bodies(); twists move the bodies first.
Table<Traced> poses_of_frames(const Recorder& recorder);
Table<Traced> twists_of_frames(Recorder& recorder, const Traced* q, const Traced* yd);
/// Records the positions of all bodies, rotors and rods, and returns q.
const Traced* place_bodies(Recorder& recorder);
void record_poses(Recorder& recorder);
void record_twists(Recorder& recorder);
void record_jacobians(Recorder& recorder);

/// Records a step of Newton's method that closes loops.
void record_closing(Recorder& recorder);

/// Records the positions of all bodies, with the embedding, and returns q.
const Traced* place_robot(Recorder& recorder);
/// Records the rates of the numbers of q along each y, after place_robot().
std::vector<Rates> motions_along(Recorder& recorder, const Traced* q);
/// Records τ from the inputs of a solver, after place_robot().
Table<Traced> record_applied_forces(Recorder& recorder, const AppliedForces& applied, const Traced* q,
                                    const Traced* yd, const Traced* u);
void record_forces_of_inputs(Recorder& recorder);
void record_derivatives_of_inputs(Recorder& recorder);
void record_tangent(Recorder& recorder);
void record_motors(Recorder& recorder);

// Second derivatives, and their parts for the derivatives of frames.
void record_inverse_hessian(Recorder& recorder);
void record_hessian_of_inputs(Recorder& recorder);
void record_tangent_hessian(Recorder& recorder);
void record_frame_derivatives(Recorder& recorder);
void record_frame_hessian(Recorder& recorder);

void record_inverse_derivatives(Recorder& recorder);
void record_forward_derivatives(Recorder& recorder);

}  // namespace grbda::generated
