#pragma once

#include <iosfwd>
#include <string>

#include "grbda/export.hpp"

namespace grbda {

enum class Status {
    ok,
    singular_constraint,  ///< a cluster's K_d is close to losing rank: rcond below 5e-5
    singular_inertia,     ///< a cluster's projected inertia is not positive: a motion moves no mass
    not_converged,        ///< loops are not closed, or a baseline needs too many iterations
    fold,                 ///< K_d loses rank on the path: the assembly mode ends, or meets another one
    not_finite,           ///< NaN, infinite or too large numbers in the input or in the results
    undefined,            ///< the method is not defined for this model or state
    unbalanced,           ///< the given forces, or the motors, do not produce the required motion
    inaccurate            ///< a simulation step creates energy or lets a body pass through another, even
                          ///< if it is divided
};

GRBDA_EXPORT const char* to_string(Status status);

/// Outcome of an algorithm. If the status is not ok, outputs are NaN; only configurations keep the value that
/// close_loops and integrate reached.
struct [[nodiscard]] Result {
    Status status = Status::ok;
    int cluster = -1;     ///< the first cluster affected
    double residual = 0;  ///< closure: relative to the cluster's size; unbalanced: to the largest force;
                          ///< inaccurate: the missing energy, J
    int iterations = 0;
    bool from_neutral = false;  ///< close_loops() had no guess for some cluster and started at neutral

    bool ok() const { return status == Status::ok; }
    explicit operator bool() const { return ok(); }
};

/// Returns the outcome for messages: "not_converged in cluster 2, residual 0.013 after 30 iterations".
GRBDA_EXPORT std::string to_string(const Result& result);
GRBDA_EXPORT std::ostream& operator<<(std::ostream& out, Status status);
GRBDA_EXPORT std::ostream& operator<<(std::ostream& out, const Result& result);

}  // namespace grbda
