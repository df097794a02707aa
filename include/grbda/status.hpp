#pragma once

#include "grbda/export.hpp"

namespace grbda {

enum class Status {
    ok,
    singular_constraint,  ///< a cluster's K_d is close to losing rank: rcond below 5e-5 (float 4.9e-3)
    singular_inertia,     ///< a cluster's projected inertia is not positive: massless bodies move
    not_converged,        ///< loops not closed
    fold,                 ///< on the way there K_d loses rank: the assembly mode ends, or another begins
    not_finite,           ///< NaN, infinite or too large numbers in what is given or in what comes out
    undefined,            ///< the method is not defined for this model or state
    unbalanced,  ///< the forces given, or the motors, do not bring about the motion that is asked for
    inaccurate   ///< a step of a simulation, in however many parts, adds energy from nothing, or lets a body
                 ///< pass through another
};

GRBDA_EXPORT const char* to_string(Status status);

/// Outcome of an algorithm. Where the status is not ok, outputs are NaN; only configurations are left as
/// close_loops and integrate reached them.
struct [[nodiscard]] Result {
    Status status = Status::ok;
    int cluster = -1;     ///< the first one affected
    double residual = 0;  ///< closure: relative to the cluster's size; unbalanced: to the largest force;
                          ///< inaccurate: J that are missed
    int iterations = 0;
    bool from_neutral = false;  ///< close_loops had no guess in some cluster and started from the neutral one

    bool ok() const { return status == Status::ok; }
    explicit operator bool() const { return ok(); }
};

}  // namespace grbda
