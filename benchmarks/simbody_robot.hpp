#pragma once

#include <array>
#include <memory>
#include <vector>

// A robot in Simbody, by a plain interface: Simbody's headers are C++17, and those of the engine C++20.

namespace grbda::benchmarks {

using Three = std::array<double, 3>;

struct SimbodyPlacement {
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< row by row
    Three translation{};
};

enum class SimbodyJoint { pin, slider, universal, ball, free };

struct SimbodyBody {
    int parent;  ///< −1: the world
    SimbodyJoint type;
    SimbodyPlacement placement;  ///< of the joint in the parent
    Three axis, axis2;           ///< in the joint's frame; those of a universal joint are perpendicular
    double mass;
    Three com;
    std::array<double, 6> inertia;  ///< about the body's origin: xx, yy, zz, xy, xz, yz
};

enum class SimbodyLoop { fixed, revolute, spherical, universal, distance, prismatic, point_on_line };

struct SimbodyLoopJoint {
    SimbodyLoop type;
    int predecessor, successor;  ///< −1: the world
    SimbodyPlacement p, s;       ///< in these bodies
    Three axis, axis2;           ///< in p; universal: axis2 in s
    double value;                ///< distance: length; universal: angle between the axes
};

/// Σ coefficient · q + offset = 0
struct SimbodyCoupling {
    std::vector<int> bodies, components;
    std::vector<double> coefficients;
    double offset;
};

/// Positions, velocities and forces are arrays in Simbody's order.
class SimbodyRobot {
public:
    /// Loops and couplings are exact constraints.
    SimbodyRobot(const Three& gravity, const std::vector<SimbodyBody>& bodies,
                 const std::vector<SimbodyLoopJoint>& loops, const std::vector<SimbodyCoupling>& couplings);
    ~SimbodyRobot();

    int first_position(int body) const;
    int first_velocity(int body) const;

    void compute_acceleration(const double* q, const double* v, const double* tau);
    void compute_force(const double* q, const double* v, const double* a);  ///< loops and couplings ignored
    void compute_mass_matrix(const double* q);

    double acceleration(int i) const;
    double force(int i) const;
    double mass_matrix(int i, int j) const;

private:
    struct System;
    std::unique_ptr<System> system_;
};

}  // namespace grbda::benchmarks
