#pragma once

#include "grbda/simulation/options.hpp"
#include "kernels/body/exponential.hpp"

// The ground and its rigid motion with a constant twist. Its pose depends only on time, so that no state has
// to be advanced or restored.

namespace grbda::simulation {

/// A rigid displacement p ↦ rotation p + translation.
struct Displacement {
    Matrix3<double> rotation = Matrix3<double>::identity();
    Vector3<double> translation{0, 0, 0};

    Vector3<double> forward(const Vector3<double>& p) const { return rotation * p + translation; }
    Vector3<double> back(const Vector3<double>& p) const {
        return transpose_times(rotation, p - translation);
    }
};

class MovingGround {
public:
    MovingGround(const Ground& ground, const GroundMotion& motion)
        : shape(ground),
          linear_{motion.linear.x(), motion.linear.y(), motion.linear.z()},
          angular_{motion.angular.x(), motion.angular.y(), motion.angular.z()},
          since_(motion.since),
          turns_(!motion.angular.isZero(0)),
          moves_(turns_ || !motion.linear.isZero(0)) {}

    bool moves() const { return moves_; }
    bool turns() const { return turns_; }
    const Vector3<double>& angular() const { return angular_; }
    /// Returns the velocity of the ground's point at p, m/s.
    Vector3<double> velocity(const Vector3<double>& p) const { return linear_ + cross(angular_, p); }
    /// Returns the displacement over a duration: the exponential of the twist.
    ///   rotation = 1 + a w× + b w×w×      translation = (1 + b w× + c w×w×) v      w, v = twist · seconds
    Displacement over(double seconds) const {
        const Vector3<double> w = angular_ * seconds;
        const kernels::TurnFactors<double> f = kernels::turn_factors(dot(w, w));
        return {kernels::turn_series(w, f.a, f.b), kernels::turn_series(w, f.b, f.c) * (linear_ * seconds)};
    }
    /// Returns the displacement from `shape` to the pose at a time.
    Displacement at(double time) const { return over(time - since_); }

    Ground shape;

private:
    Vector3<double> linear_, angular_;
    double since_;
    bool turns_, moves_;
};

}  // namespace grbda::simulation
