#include <stdexcept>
#include <string>

#include "call.hpp"
#include "grbda/kinematics/kinematics.hpp"

namespace grbda::c {

namespace {

ReferenceFrame reference_frame(grbda_axes axes) {
    if (axes == GRBDA_LOCAL) return ReferenceFrame::local;
    if (axes == GRBDA_WORLD_ALIGNED) return ReferenceFrame::world_aligned;
    throw std::invalid_argument("axes is " + std::to_string(static_cast<int>(axes)) +
                                "; expected GRBDA_LOCAL (0) or GRBDA_WORLD_ALIGNED (1)");
}

}  // namespace

}  // namespace grbda::c

using namespace grbda::c;

extern "C" {

grbda_status grbda_forward_kinematics(const grbda_model* model, grbda_data* data, const double* q,
                                      const double* yd, const double* ydd) {
    return run_algorithm(
        "grbda_forward_kinematics", model, data, [&](const grbda::Model& robot, grbda_data& work) {
            const ConstVectorMap at = input("q", q, robot.nq);
            if (!yd && ydd) refuse_null_array("yd", robot.nv);
            if (!yd) return grbda::forward_kinematics(robot, work.data, at);
            const ConstVectorMap velocity = input("yd", yd, robot.nv);
            if (!ydd) return grbda::forward_kinematics(robot, work.data, at, velocity);
            return grbda::forward_kinematics(robot, work.data, at, velocity, input("ydd", ydd, robot.nv));
        });
}

grbda_status grbda_frame_pose(const grbda_model* model, const grbda_data* data, int frame, double* rotation,
                              double* position) {
    return read_results("grbda_frame_pose", model, data, [&](const grbda::Model& robot, const auto& results) {
        if (rotation) output("rotation", rotation, 3, 3) = grbda::frame_orientation(robot, results, frame);
        if (position) output("position", position, 3) = grbda::frame_position(robot, results, frame);
    });
}

grbda_status grbda_frame_velocity(const grbda_model* model, const grbda_data* data, int frame,
                                  grbda_axes axes, double* twist) {
    return read_results(
        "grbda_frame_velocity", model, data, [&](const grbda::Model& robot, const auto& results) {
            output("twist", twist, 6) = grbda::frame_velocity(robot, results, frame, reference_frame(axes));
        });
}

grbda_status grbda_frame_acceleration(const grbda_model* model, const grbda_data* data, int frame,
                                      grbda_axes axes, double* acceleration) {
    return read_results("grbda_frame_acceleration", model, data,
                        [&](const grbda::Model& robot, const auto& results) {
                            output("acceleration", acceleration, 6) =
                                grbda::frame_acceleration(robot, results, frame, reference_frame(axes));
                        });
}

grbda_status grbda_frame_jacobian(const grbda_model* model, const grbda_data* data, int frame,
                                  grbda_axes axes, double* J) {
    return read_results("grbda_frame_jacobian", model, data,
                        [&](const grbda::Model& robot, const auto& results) {
                            grbda::frame_jacobian(robot, results, frame, reference_frame(axes),
                                                  SixRows(array("J", J, 6L * robot.nv), 6, robot.nv));
                        });
}

grbda_status grbda_add_frame_wrench(const grbda_model* model, const grbda_data* data, int frame,
                                    grbda_axes axes, const double* wrench, double* wrenches) {
    return read_results(
        "grbda_add_frame_wrench", model, data, [&](const grbda::Model& robot, const auto& results) {
            const int bodies = robot.body_count();
            grbda::add_frame_wrench(robot, results, frame, reference_frame(axes), input("wrench", wrench, 6),
                                    SixRows(array("wrenches", wrenches, 6L * bodies), 6, bodies));
        });
}

}  // extern "C"
