#include "derivatives/kinematics_derivatives.hpp"
#include "kinematics/kinematics.hpp"

#include "arguments.hpp"
#include "components.hpp"
#include "values.hpp"

namespace grbda::python {
namespace {

using namespace arguments;  // NOLINT

void bind_frames(py::module_& m) {
    algorithm<Workspace>(
        m, "forward_kinematics",
        "Kinematics of every body, for the functions of frames. Results of omitted arguments are NaN.",
        [](const Model& model, Workspaces& data, const VectorView& q, const VectorView& yd,
           const VectorView& ydd) {
            if (yd.data() == nullptr) return forward_kinematics<double>(model, data.kinematics, q);
            if (ydd.data() == nullptr) return forward_kinematics<double>(model, data.kinematics, q, yd);
            return forward_kinematics<double>(model, data.kinematics, q, yd, ydd);
        },
        q, perhaps(yd), perhaps(ydd));
    algorithm<Workspace>(m, "frame_orientation",
                         "Axes of a frame in the world [3, 3]; after `forward_kinematics`.",
                         GRBDA_CALL_KINEMATICS(frame_orientation), frame);
    algorithm<Workspace>(m, "frame_position",
                         "Origin of a frame in the world [3], m; after `forward_kinematics`.",
                         GRBDA_CALL_KINEMATICS(frame_position), frame);
    algorithm<Workspace>(
        m, "frame_velocity",
        "Twist of a frame [6], linear first, m/s and rad/s; after `forward_kinematics` with yd.",
        GRBDA_CALL_KINEMATICS(frame_velocity), frame, axes);
    algorithm<Workspace>(
        m, "frame_acceleration",
        "Classical acceleration of a frame's origin and angular acceleration [6], m/s² and rad/s²; after "
        "`forward_kinematics` with ydd.",
        GRBDA_CALL_KINEMATICS(frame_acceleration), frame, axes);
    algorithm<Workspace>(m, "frame_jacobian",
                         "Jacobian of a frame's twist with yd, linear first; after `forward_kinematics`.",
                         GRBDA_CALL_KINEMATICS(frame_jacobian), frame, axes, twists_out("J"));
    algorithm<Workspace>(
        m, "body_jacobian", "The same of the topmost link of a body.", GRBDA_CALL_KINEMATICS(body_jacobian),
        Named{"body", "index in `Model.bodies`, or the name of its joint", &arguments::joint_called}, axes,
        twists_out("J"));
    algorithm<Workspace>(
        m, "frame_wrench",
        "A wrench on a frame as the `wrenches` that `aba` and others take: on a rod, the equivalent forces "
        "at its ends. After `forward_kinematics`.",
        [](const Model& model, Workspaces& data, int frame, ReferenceFrame axes, const VectorView& wrench,
           Eigen::Map<Matrix6X<double>>& wrenches) {
            wrenches.setZero();
            add_frame_wrench<double>(model, data.kinematics, frame, axes, wrench, wrenches);
        },
        frame, axes, vector("wrench", six, "[force; moment] about the frame's origin, N, N·m"),
        Out<Matrix6X<double>>{"wrenches", six, bodies});
}

void bind_frame_derivatives(py::module_& m) {
    algorithm<Workspace>(
        m, "forward_kinematics_derivatives",
        "`forward_kinematics`, and how the motions of all bodies change with y, for the functions below it.",
        [](const Model& model, Workspaces& data, const VectorView& q, const VectorView& yd,
           const VectorView& ydd) {
            if (ydd.data() == nullptr)
                return forward_kinematics_derivatives<double>(model, data.kinematics, q, yd);
            return forward_kinematics_derivatives<double>(model, data.kinematics, q, yd, ydd);
        },
        q, yd, perhaps(ydd));
    algorithm<Workspace>(
        m, "frame_velocity_derivatives",
        "Derivatives of `frame_velocity` with y and yd; after `forward_kinematics_derivatives`.",
        GRBDA_CALL_KINEMATICS(frame_velocity_derivatives), frame, axes, twists_out("dv_dy"),
        twists_out("dv_dyd"));
    algorithm<Workspace>(
        m, "frame_acceleration_derivatives",
        "Derivatives of a frame's acceleration with y, yd and ydd; after `forward_kinematics_derivatives`.",
        GRBDA_CALL_KINEMATICS(frame_acceleration_derivatives), frame, axes,
        Value<Acceleration>{"kind", "Acceleration", "classical or spatial"}, twists_out("da_dy"),
        twists_out("da_dyd"), twists_out("da_dydd"));
    algorithm<Workspace>(
        m, "frame_jacobian_rate",
        "Rate of `frame_jacobian`, number by number; after `forward_kinematics_derivatives`.",
        GRBDA_CALL_KINEMATICS(frame_jacobian_rate), frame, axes, twists_out("J_rate"));
}

using Distances = std::vector<GroupDistance>;

}  // namespace

template <>
inline constexpr const char* type_name<Distances> = "list[GroupDistance]";

void bind_kinematics(py::module_& m) {
    bind_frames(m);
    bind_frame_derivatives(m);
    py::class_<GroupDistance> distance(m, "GroupDistance",
                                       "Smallest distance between two groups of spheres.");
    bind_numbers(distance);
    distance
        .def_readonly("distance", &GroupDistance::distance,
                      "float: m, less both buffers; below zero: too near")
        .def_readonly("a", &GroupDistance::a, "int: the sphere of the first group")
        .def_readonly("b", &GroupDistance::b, "int: the sphere of the second group");
    algorithm<Workspace>(
        m, "self_distances",
        "Distance of each pair of `Model.self_collision`, by the spheres of side files; after "
        "`forward_kinematics`.",
        [](const Model& model, Workspaces& data) {
            Distances distances(model.self_collision.pairs.size());
            self_distances<double>(model, data.kinematics, distances);
            return distances;
        });
}

}  // namespace grbda::python
