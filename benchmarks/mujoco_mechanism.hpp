#pragma once

#include <memory>
#include <optional>

#include <mujoco/mujoco.h>

#include "peer.hpp"

// A mechanism in MuJoCo: the same bodies and joints, with loops and couplings as equality constraints.
// Bodies, positions and velocities have the order of the mechanism.

namespace grbda::benchmarks {

struct MujocoDeleter {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
};
using MujocoModel = std::unique_ptr<mjModel, MujocoDeleter>;
using MujocoData = std::unique_ptr<mjData, MujocoDeleter>;

/// Properties of a simulation besides the mechanism: step length, s, and a ground plane for its shapes.
struct MujocoGround {
    double step = 1e-3;
    double height = 0;  ///< m
};

/// Newton solver, default softness, elliptic cones. `model`, compiled from the mechanism, determines the
/// nonzero rows of a loop: a hinge in a planar mechanism takes one <connect>, elsewhere two along
/// its axis.
MujocoModel make_mujoco_model(const Mechanism& mechanism, const Model& model,
                              const std::optional<MujocoGround>& ground = {});

/// MuJoCo's index of the joint of a body of the mechanism, which must have one coordinate.
int mujoco_joint(const mjModel& model, int body);

/// Quaternions have w first; a floating joint's velocity and force have the linear part in world axes.
PeerState to_mujoco(const Mechanism& mechanism, const State& state);
void set_state(const mjModel& model, mjData& data, const PeerState& state);

}  // namespace grbda::benchmarks
