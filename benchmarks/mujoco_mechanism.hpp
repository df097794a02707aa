#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <mujoco/mujoco.h>

#include "grbda/mechanism.hpp"
#include "grbda/model/model.hpp"
#include "subject.hpp"

// A mechanism in MuJoCo: the same bodies and joints, with loops and couplings as equality constraints.
// Bodies, positions and velocities have the order of the mechanism.

namespace grbda::benchmarks {

/// MuJoCo does not support, or refuses, something in the mechanism.
struct NotExpressible : std::runtime_error {
    using std::runtime_error::runtime_error;
};

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

/// The mechanism of a robot in robots/.
Mechanism read_mechanism(const std::string& robot);

/// Newton solver, default softness, elliptic cones. `model`, compiled from the mechanism, determines the
/// nonzero rows of a loop: a hinge in a planar mechanism takes one <connect>, elsewhere two along
/// its axis.
MujocoModel make_mujoco_model(const Mechanism& mechanism, const Model& model,
                              const std::optional<MujocoGround>& ground = {});

/// MuJoCo's index of the joint of a body of the mechanism, which must have one coordinate.
int mujoco_joint(const mjModel& model, int body);

/// A state in MuJoCo's conventions: quaternions w first, a floating joint's velocity and force with the
/// linear part in world axes. Forces are given for each spanning coordinate.
struct MujocoState {
    VectorX<double> qpos, qvel, qfrc;
};
MujocoState to_mujoco(const Mechanism& mechanism, const VectorX<double>& q, const VectorX<double>& qd,
                      const VectorX<double>& tau);
void set_state(const mjModel& model, mjData& data, const MujocoState& state);

/// The accelerations computed by mj_forward, as q̈ in the mechanism's conventions.
VectorX<double> from_mujoco(const Mechanism& mechanism, const mjData& data, const VectorX<double>& qd);

}  // namespace grbda::benchmarks
