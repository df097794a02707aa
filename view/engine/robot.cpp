#include "robot.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "describe/describe.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"

namespace grbda::view {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(n); }

void write(float* out, const Eigen::Vector3d& x) {
    for (int i = 0; i < 3; ++i) out[i] = static_cast<float>(x[i]);
}

}  // namespace

Robot::Robot(Model loaded)
    : model(std::move(loaded)),
      data(model),
      order(describe::bodies_in_user_order(model)),
      place(order.size()),
      locked(order.size()),
      q(neutral_configuration(model)),
      shown(q),
      last_motion(VectorX<double>::Zero(model.nv_tree)),
      target(q),
      qd(VectorX<double>::Zero(model.nv_tree)),
      controls(VectorX<double>::Zero(model.nv_tree)),
      wrenches(Matrix6X<double>::Zero(6, model.body_count())) {
    for (std::size_t i = 0; i < order.size(); ++i) place[size(order[i])] = static_cast<int>(i);
    poses.resize(12 * order.size());
    loop_ends.resize(6 * model.loops.size());
    condition.resize(3 * model.clusters.size());
    loop_forces.resize(7 * model.loops.size());
    joint_forces.resize(7 * order.size());
    motor_forces.resize(motor_coordinates(model).size());
    stops.resize(order.size());
    figures.resize(figure_count);
    describe_layout();
    publish();
}

void Robot::describe_layout() {
    const auto put = [&](ViewBuffer buffer, const void* address, std::size_t length) {
        layout[2 * static_cast<std::size_t>(buffer)] =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address));
        layout[2 * static_cast<std::size_t>(buffer) + 1] = static_cast<unsigned>(length);
    };
    put(ViewBuffer::q, q.data(), size(model.nq));
    put(ViewBuffer::poses, poses.data(), poses.size());
    put(ViewBuffer::loop_ends, loop_ends.data(), loop_ends.size());
    put(ViewBuffer::condition, condition.data(), condition.size());
    put(ViewBuffer::loop_forces, loop_forces.data(), loop_forces.size());
    put(ViewBuffer::joint_forces, joint_forces.data(), joint_forces.size());
    put(ViewBuffer::motor_forces, motor_forces.data(), motor_forces.size());
    put(ViewBuffer::figures, figures.data(), figures.size());
    put(ViewBuffer::qd, qd.data(), size(model.nv_tree));
    put(ViewBuffer::controls, controls.data(), size(model.nv_tree));
    put(ViewBuffer::wrenches, wrenches.data(), 6 * order.size());
    put(ViewBuffer::stops, stops.data(), stops.size());
    put(ViewBuffer::target, target.data(), size(model.nq));
    put(ViewBuffer::contact_points, contact_points.data(), contact_points.size());
}

Pose pose_of(const Robot& robot, int body) {
    if (body == world) return {};
    const int frame = robot.model.body_frame[body];
    const Frame& fixed = robot.model.frames[frame];
    Pose pose;
    pose.rotation = frame_orientation(robot.model, robot.data, frame) * matrix(fixed.rotation).transpose();
    pose.translation =
        frame_position(robot.model, robot.data, frame) - pose.rotation * vector(fixed.position);
    return pose;
}

PointMotion point_motion(const Robot& robot, int body, const Eigen::Vector3d& point) {
    const Model& model = robot.model;
    const Pose pose = pose_of(robot, body);
    PointMotion out{pose.rotation * point + pose.translation, Matrix6X<double>(6, model.nv)};
    body_jacobian(model, robot.data, body, ReferenceFrame::world_aligned, out.jacobian);
    const Eigen::Vector3d arm = out.position - frame_position(model, robot.data, model.body_frame[body]);
    for (Eigen::Index k = 0; k < out.jacobian.cols(); ++k)
        out.jacobian.col(k).head<3>() += Eigen::Vector3d(out.jacobian.col(k).tail<3>()).cross(arm);
    return out;
}

void Robot::publish() {
    shown = q;
    const auto conditions = [&](int column) {
        for (std::size_t k = 0; k < model.clusters.size(); ++k) {
            const bool closes = model.clusters[k].embedding == Embedding::implicit;
            condition[3 * k + size(column)] = conditioning(model, data, static_cast<int>(k));
            condition[3 * k + 2] = closes ? 1 : 0;
        }
    };
    figures[residual] = closure_residual(model, data, q).residual;
    restore_coordinates(model, data);
    (void)forward_kinematics(model, data, q);
    conditions(0);
    (void)choose_coordinates(model, data, q, Marks::ignored);
    (void)forward_kinematics(model, data, q);
    conditions(1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Pose pose = pose_of(*this, order[i]);
        for (int axis = 0; axis < 3; ++axis) write(&poses[12 * i + 3 * size(axis)], pose.rotation.col(axis));
        write(&poses[12 * i + 9], pose.translation);
    }
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const Loop& loop = model.loops[l];
        float* out = &loop_ends[6 * l];
        for (const LoopEnd* end : {&loop.predecessor, &loop.successor}) {
            const Pose pose = pose_of(*this, end->body);
            write(out, pose.rotation * vector(end->position) + pose.translation);
            out += 3;
        }
    }
}

}  // namespace grbda::view
