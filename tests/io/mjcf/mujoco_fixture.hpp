#pragma once

#include <filesystem>
#include <fstream>
#include <memory>

#include <mujoco/mujoco.h>
#include <unistd.h>

#include "support/written_joints.hpp"

// Robots in MuJoCo, as write_mjcf() writes them, without contacts, limits and dry friction.

namespace mujoco_fixture {

struct Simulated {
    std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model{nullptr, mj_deleteModel};
    std::unique_ptr<mjData, decltype(&mj_deleteData)> data{nullptr, mj_deleteData};
    std::string error;
};

inline Simulated load(const std::string& text) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("grbda_" + std::to_string(::getpid()) + ".xml");
    std::ofstream(path) << text;
    char error[1000] = "";
    Simulated result;
    result.model.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof error));
    result.error = error;
    std::filesystem::remove(path);
    if (!result.model) return result;
    result.model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    result.model->opt.jacobian = mjJAC_DENSE;
    result.data.reset(mj_makeData(result.model.get()));
    return result;
}

inline int id_of(const mjModel& model, mjtObj kind, const std::string& name) {
    return mj_name2id(&model, kind, name.c_str());
}

/// Positions and S with MuJoCo's velocities = S q̇, of one mechanism at q.
class Mapping {
public:
    Mapping(const grbda::Mechanism& mechanism, const grbda::Model& model, const Eigen::VectorXd& q,
            const mjModel& other)
        : model_(model),
          q_(q),
          other_(other),
          qpos(Eigen::Map<const Eigen::VectorXd>(other.qpos0, other.nq)),
          S(Eigen::MatrixXd::Zero(other.nv, model.nv_tree)) {
        for (const grbda::MechanismBody& body : mechanism.bodies)
            if (!body.combined) add(body);
    }

private:
    void add(const grbda::MechanismBody& body) {
        const grbda::Body& from =
            model_.bodies[static_cast<std::size_t>(written_joints::body_of(model_, body.joint))];
        const int whole = id_of(other_, mjOBJ_JOINT, body.joint);
        const bool is_floating = body.type == grbda::JointType::floating;
        if (whole >= 0 && is_floating) return add_free(body, from, whole);
        if (whole >= 0 && body.type == grbda::JointType::spherical) return add_ball(from.q, from.v, whole);
        if (whole >= 0) return add_scalar(from.q, from.v, 1, whole);
        const bool is_screw = body.type == grbda::JointType::helical;
        const int count = is_screw ? 2 : is_floating ? 3 : velocity_size(body.type);
        const Eigen::Matrix3d R =
            is_floating ? written_joints::rotation(q_.segment(from.q + 3, 4)) : Eigen::Matrix3d();
        for (int i = 0; i < count; ++i) {
            const int joint = id_of(other_, mjOBJ_JOINT, body.joint + "_" + std::to_string(i + 1));
            REQUIRE(joint >= 0);
            const int k = is_screw ? 0 : i;
            add_scalar(from.q + k, from.v + k, is_screw && i == 1 ? body.pitch : 1, joint);
            if (is_floating) S.block(other_.jnt_dofadr[joint], from.v, 1, 3) = R.row(i);
        }
        if (is_floating) add_ball(from.q + 3, from.v + 3, id_of(other_, mjOBJ_JOINT, body.joint + "_4"));
    }

    void add_scalar(int q, int v, double ratio, int joint) {
        qpos[other_.jnt_qposadr[joint]] = ratio * q_[q];
        S(other_.jnt_dofadr[joint], v) = ratio;
    }

    void add_ball(int q, int v, int joint) {
        REQUIRE(joint >= 0);
        qpos.segment(other_.jnt_qposadr[joint], 4) << q_[q + 3], q_[q], q_[q + 1], q_[q + 2];
        S.block(other_.jnt_dofadr[joint], v, 3, 3).setIdentity();
    }

    /// MuJoCo's linear velocity is along the world's axes.
    void add_free(const grbda::MechanismBody& body, const grbda::Body& from, int joint) {
        const grbda::Pose pose =
            body.placement *
            grbda::Pose{written_joints::rotation(q_.segment(from.q + 3, 4)), q_.segment(from.q, 3)};
        const Eigen::Quaterniond turn(pose.rotation);
        const Eigen::Vector3d& p = pose.translation;
        qpos.segment(other_.jnt_qposadr[joint], 7) << p.x(), p.y(), p.z(), turn.w(), turn.x(), turn.y(),
            turn.z();
        const int v = other_.jnt_dofadr[joint];
        S.block(v, from.v, 3, 3) = pose.rotation;
        S.block(v + 3, from.v + 3, 3, 3).setIdentity();
    }

    const grbda::Model& model_;
    const Eigen::VectorXd& q_;
    const mjModel& other_;

public:
    Eigen::VectorXd qpos;
    Eigen::MatrixXd S;
};

inline void set_state(Simulated& simulated, const Mapping& mapping, const Eigen::VectorXd& qd) {
    mjModel& model = *simulated.model;
    mjData& data = *simulated.data;
    Eigen::Map<Eigen::VectorXd>(data.qpos, model.nq) = mapping.qpos;
    Eigen::Map<Eigen::VectorXd>(data.qvel, model.nv) = mapping.S * qd;
    mj_forward(&model, &data);
}

}  // namespace mujoco_fixture
