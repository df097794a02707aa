#pragma once

#include "kinematics/kinematics.hpp"

#include "call.hpp"

// The arguments that many algorithms share, in the words of the docstrings.

namespace grbda::python {

inline In<VectorView> vector(const char* name, Extent size, const char* meaning, bool optional = false) {
    return {name, size, alone, meaning, optional};
}
inline In<MatrixView> matrix(const char* name, Extent rows, Extent columns, const char* meaning) {
    return {name, rows, columns, meaning};
}
inline Out<Eigen::MatrixXd> matrix_out(const char* name, Extent rows, Extent columns) {
    return {name, rows, columns};
}
inline Out<Eigen::VectorXd> vector_out(const char* name, Extent size) { return {name, size, alone}; }
inline Out<Eigen::MatrixXd> vector_out_of_states(const char* name, Extent size) {
    return {name, size, alone};
}
inline Out<Matrix6X<double>> twists_out(const char* name) { return {name, six, nv}; }
inline Out<Eigen::MatrixXd> twists_out_of_states(const char* name) { return {name, six, nv}; }
inline Out<Eigen::MatrixXd> square_out(const char* name) { return {name, nv, nv}; }
template <class View>
InOfStates of_states(const In<View>& one) {
    return {one.name, one.rows, one.columns, one.meaning, one.optional};
}
/// The same arguments if they are optional.
template <class View>
In<View> perhaps(In<View> one) {
    one.optional = true;
    return one;
}

// Not in scope of function definitions, because their own arguments have these names.
namespace arguments {

inline const auto q = vector("q", nq, "closes the loops; rad, m, quaternions x y z w");
inline const auto yd =
    vector("yd", nv, "independent velocities, rad/s, m/s; of a floating joint its body twist, linear first");
inline const auto ydd = vector("ydd", nv, "independent accelerations, rad/s², m/s²");
inline const auto tau = vector("tau", nv, "forces on the independent coordinates, N·m, N");
inline const auto delta = vector("delta", nv, "along the independent coordinates, rad, m");
inline const auto tau_s = vector("tau_s", nv_tree, "forces of all joints, N·m, N");
inline const auto qd = vector("qd", nv_tree, "velocities of all joints that keep to the loops");
inline const In<WrenchView> wrenches{
    "wrenches", six, bodies, "[force; moment] on each body in its own frame at its origin, N, N·m", true};
inline int frame_called(const Model& model, const std::string& name) { return model.frame(name).index; }
inline int joint_called(const Model& model, const std::string& name) { return model.joint(name).index; }
inline const Named frame{"frame", "index in `Model.frames`, or name", &frame_called};
inline const Value<ReferenceFrame> axes{"axes", "ReferenceFrame",
                                        "in which the twist is expressed, at the frame\'s origin"};
inline const Kept kept_ydd{"ydd", nv, &ydd_of};
inline const Kept kept_tau{"tau", nv, &tau_of};

}  // namespace arguments

}  // namespace grbda::python
