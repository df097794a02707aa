#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <Eigen/Geometry>

#include "grbda/mechanism.hpp"
#include "subject.hpp"

// Other libraries on the robots of robots/: PEER/ROBOT/METHOD, beside the engine in the same program. An
// adapter builds the same bodies and joints from the mechanism; rods and rotors are bodies. Before the
// timing, all results must agree with the engine's.

namespace grbda::benchmarks {

/// The library does not support, or refuses, something in the mechanism.
struct NotExpressible : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Largest relative difference between two exact results, in the norm of all entries.
constexpr double exact_tolerance = 1e-9;

/// A robot and its spanning tree, where the loops are cut and all coordinates are independent.
struct PeerRobot {
    Mechanism mechanism;
    Subject closed;
    Subject tree;  ///< states i are the same motion: q̇ and q̈ of all joints, forces on the independent ones
};

/// The mechanism of a robot in robots/. Its rods are bodies, and no coordinates are combined.
Mechanism read_mechanism(const std::string& robot);

/// The velocities are multiplied by `speed`.
PeerRobot make_peer_robot(const std::string& name, double speed = 1);

/// A state of the tree in the coordinates of another library: its velocities are T q̇, its accelerations
/// T (q̈ + c).
struct PeerState {
    VectorX<double> q, v, a, tau;
    MatrixX<double> T;
    VectorX<double> c;
};

/// The same q, with T = 1 and c = 0. An adapter changes these, then calls transform_motion().
PeerState make_peer_state(const State& state);
void transform_motion(const State& state, PeerState& result);

/// The engine's q̈ for the accelerations of the library.
VectorX<double> engine_acceleration(const PeerState& state, const VectorX<double>& a);

/// Calls f(body, first position, first velocity) for each body.
template <class F>
void for_joints(const Mechanism& mechanism, F&& f) {
    Eigen::Index q = 0, v = 0;
    for (const MechanismBody& body : mechanism.bodies) {
        f(body, q, v);
        q += position_size(body.type);
        v += velocity_size(body.type);
    }
}

/// The orientation in q from `begin` on, of any length there.
Eigen::Quaterniond orientation(const VectorX<double>& q, Eigen::Index begin);

enum class PeerMethod {
    aba,          ///< q̈ of the tree
    rnea,         ///< τ of the tree
    crba,         ///< M of the tree
    constrained,  ///< q̈ with all loops and couplings
};

/// A robot in another library.
class Peer {
public:
    virtual ~Peer() = default;
    virtual PeerState convert(const State& state) const = 0;
    /// Sets the state and computes. This is the timed call.
    virtual void run(PeerMethod method, const PeerState& state) = 0;
    /// The last result, in the library's coordinates: q̈, τ or M.
    virtual MatrixX<double> result(PeerMethod method) const = 0;
};

struct PeerLibrary {
    std::string name;
    std::vector<PeerMethod> methods;
    std::function<std::unique_ptr<Peer>(const PeerRobot&)> make;  ///< throws NotExpressible
};

/// main() of a program that measures one library on all robots.
int run_peer(int argc, char** argv, const PeerLibrary& library);

/// |found − exact| / |exact|
double relative_error(const MatrixX<double>& found, const MatrixX<double>& exact);

/// An exception of `time` ends the benchmark with an error, which starts with "not expressible" if it is one.
void register_peer_benchmark(const std::string& name, std::function<void(benchmark::State&)> time);

}  // namespace grbda::benchmarks
