#include "kinematics/kinematics.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "frame_placement.hpp"
#include "kernels/cluster/outcome.hpp"
#include "kernels/cluster/rotor_motion.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
S sum(const Vector3<S>& a) {
    return a.x + a.y + a.z;
}
template <class S>
S sum(const Motion<S>& a) {
    return sum(a.linear) + sum(a.angular);
}

template <class S>
void place_all(const Model& model, Workspace<S>& data, ConstVector<S> q) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    kernels::positions<S>(model, data, q.data());
    kernels::place_rotors<S>(model, data, q.data());
    kernels::place_rods<S>(model, data);
}

template <class S>
void move_all(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    kernels::move_all_bodies<S>(model, data, q.data(), yd.data());
}

/// Σ 0·x over what frames are read from: of every body its placement and, where asked for, v and a.
template <class S>
S zeros_of_bodies(const Model& model, const Workspace<S>& data, bool moving, bool accelerated) {
    S result(0);
    for (int i = 0; i < model.carrier_count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Matrix3<S>& R = data.R[at];
        S body = sum(R.x) + sum(R.y) + sum(R.z) + sum(data.p[at]);
        if (moving) body += sum(data.v[at]);
        if (accelerated) body += sum(data.a[at]);
        result += body * S(0);
    }
    return result;
}

template <class S>
S unknown() {
    return static_cast<S>(std::numeric_limits<double>::quiet_NaN());
}
/// Clears motions of another state.
template <class S>
void forget(std::vector<Motion<S>>& motions) {
    const Vector3<S> none{unknown<S>(), unknown<S>(), unknown<S>()};
    std::fill(motions.begin(), motions.end(), Motion<S>{none, none});
}

/// yd, ydd null: not asked for. Poses do not depend on the independent coordinates, which may be singular.
template <class S>
Result kinematics_outcome(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd) {
    if (!kernels::usable(model, q, yd, ydd)) return {Status::not_finite};
    const Result constraint = kernels::constraint_outcome(model, data);
    const bool regular = constraint.ok();
    if (!(value_of(zeros_of_bodies(model, data, regular && yd, regular && ydd)) == 0))
        return regular ? Result{Status::not_finite} : constraint;
    data.kinematics = regular ? Kinematics::motion : Kinematics::poses;
    return constraint;
}

/// Adds a force at the point r of a body, and a moment, both in the common frame.
template <class S>
void add_to_body(const Workspace<S>& data, int body, const Vector3<S>& r, const Vector3<S>& force,
                 const Vector3<S>& moment, Eigen::Ref<Matrix6X<S>>& wrenches) {
    if (body == world) return;
    const Matrix3<S>& R = data.R[body];
    wrenches.col(body).template head<3>() += eigen(transpose_times(R, force));
    wrenches.col(body).template tail<3>() +=
        eigen(transpose_times(R, moment + cross(r - data.p[body], force)));
}

/// The same on the cylinder or piston of a strut: the force at its end, and the moment about it as a couple
/// and a pair.
template <class S>
void add_to_strut(const Model& model, const Workspace<S>& data, int link, const Vector3<S>& r,
                  const Vector3<S>& force, const Vector3<S>& moment, Eigen::Ref<Matrix6X<S>>& wrenches) {
    const Rod& rod = model.rod(link);
    const kernels::RodEnds<S> ends = kernels::ends_of(model, data, rod);
    const bool piston = model.is_piston(link);
    const Vector3<S> none{S(0), S(0), S(0)}, about = moment + cross(r - (piston ? ends.B : ends.A), force);
    const kernels::EndLoads<S> at =
        kernels::end_loads(kernels::strut_line(model, data, rod, ends),
                           kernels::StrutLoad<S>{piston ? none : force, piston ? force : none, about});
    add_to_body(data, ends.a, ends.A, at.a, at.couple, wrenches);
    add_to_body(data, ends.b, ends.B, at.b, none, wrenches);
}

/// The same on a rod, by forces at its ends: shares of the force as a scale would weigh it, and a pair. The
/// moment about the line acts on the bodies that determine its spin, and on none if it is free.
template <class S>
void add_to_ends(const Model& model, const Workspace<S>& data, const Rod& rod, const Vector3<S>& r,
                 const Vector3<S>& force, const Vector3<S>& moment, Eigen::Ref<Matrix6X<S>>& wrenches) {
    const kernels::RodEnds<S> ends = kernels::ends_of(model, data, rod);
    const Vector3<S> d = ends.d(), lever = r - ends.A;
    const S per_square = S(1) / dot(d, d), share = dot(d, lever) * per_square;
    const Vector3<S> turning = moment + cross(lever - d * share, force);
    Vector3<S> pair = cross(turning, d) * per_square, couple{S(0), S(0), S(0)};
    if (rod.guided()) {
        const kernels::SpinRow<S> row = kernels::spin_row(data, rod, ends);
        const S about_line = dot(row.n, turning);
        pair -= row.Y * about_line;
        couple = row.X * about_line;
    }
    add_to_body(data, ends.a, ends.A, force * (S(1) - share) - pair, couple, wrenches);
    add_to_body(data, ends.b, ends.B, force * share + pair, {}, wrenches);
}

}  // namespace

template <class S>
Result forward_kinematics(const Model& model, Workspace<S>& data, ConstVector<S> q) {
    place_all<S>(model, data, q);
    forget(data.v);
    forget(data.a);
    for (Table<S>* x : {&data.rate, &data.y_rate}) std::fill(x->begin(), x->end(), unknown<S>());
    return kinematics_outcome<S>(model, data, q.data(), nullptr, nullptr);
}

template <class S>
Result forward_kinematics(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    move_all<S>(model, data, q, yd);
    forget(data.a);
    return kinematics_outcome<S>(model, data, q.data(), yd.data(), nullptr);
}

template <class S>
Result forward_kinematics(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                          ConstVector<S> ydd) {
    require_size("ydd", ydd.size(), model.nv);
    move_all<S>(model, data, q, yd);
    kernels::accelerate_bodies<S>(model, data, ydd.data(), Motion<S>{});
    return kinematics_outcome<S>(model, data, q.data(), yd.data(), ydd.data());
}

template <class S>
Eigen::Matrix<S, 3, 3> frame_orientation(const Model& model, const Workspace<S>& data, int frame) {
    const FramePlacement<S> f = placement(model, data, frame, Kinematics::poses);
    Eigen::Matrix<S, 3, 3> R;
    R << eigen(f.R.x), eigen(f.R.y), eigen(f.R.z);
    return R;
}

template <class S>
Eigen::Matrix<S, 3, 1> frame_position(const Model& model, const Workspace<S>& data, int frame) {
    const FramePlacement<S> f = placement(model, data, frame, Kinematics::poses);
    return eigen(f.p + f.origin);
}

template <class S>
Eigen::Matrix<S, 6, 1> frame_velocity(const Model& model, const Workspace<S>& data, int frame,
                                      ReferenceFrame axes) {
    const FramePlacement<S> f = placement(model, data, frame, Kinematics::motion);
    const Motion<S> v = kernels::velocity_of(data, model.frames[frame].body);
    return in_axes(f, axes, point_velocity(v, f.p), v.angular);
}

template <class S>
Eigen::Matrix<S, 6, 1> frame_acceleration(const Model& model, const Workspace<S>& data, int frame,
                                          ReferenceFrame axes) {
    const FramePlacement<S> f = placement(model, data, frame, Kinematics::motion);
    const int body = model.frames[frame].body;
    if (body == world) return Eigen::Matrix<S, 6, 1>::Zero();
    const Motion<S>& v = data.v[body];
    const Motion<S>& a = data.a[body];
    return in_axes(f, axes, point_velocity(a, f.p) + cross(v.angular, point_velocity(v, f.p)), a.angular);
}

template <class S>
void frame_jacobian(const Model& model, const Workspace<S>& data, int frame, ReferenceFrame axes,
                    std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J) {
    require_size("J (columns)", J.cols(), model.nv);
    const FramePlacement<S> f = placement(model, data, frame, Kinematics::motion);
    J.setZero();
    kernels::each_jacobian_column(model, data, model.frames[frame].body, [&](int y, const Motion<S>& column) {
        J.col(y) = in_axes(f, axes, point_velocity(column, f.p), column.angular);
    });
}

template <class S>
void body_jacobian(const Model& model, const Workspace<S>& data, int body, ReferenceFrame axes,
                   std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J) {
    require_body(model, body);
    frame_jacobian<S>(model, data, model.body_frame[body], axes, J);
}

template <class S>
void add_frame_wrench(const Model& model, const Workspace<S>& data, int frame, ReferenceFrame axes,
                      ConstVector<S> wrench, std::type_identity_t<Eigen::Ref<Matrix6X<S>>> wrenches) {
    require_size("wrench", wrench.size(), 6);
    require_size("wrenches (columns)", wrenches.cols(), model.body_count());
    const FramePlacement<S> f = placement(model, data, frame, Kinematics::poses);
    Vector3<S> force{wrench[0], wrench[1], wrench[2]}, moment{wrench[3], wrench[4], wrench[5]};
    if (axes == ReferenceFrame::local) {
        force = f.R * force;
        moment = f.R * moment;
    }
    const int body = model.frames[frame].body;
    if (body != world && model.is_rod(body) && model.rod(body).strut >= 0)
        add_to_strut<S>(model, data, body, f.p, force, moment, wrenches);
    else if (body != world && model.is_rod(body))
        add_to_ends<S>(model, data, model.rod(body), f.p, force, moment, wrenches);
    else
        add_to_body<S>(data, body, f.p, force, moment, wrenches);
}

#define GRBDA_INSTANTIATE(S)                                                                            \
    template Result forward_kinematics<S>(const Model&, Workspace<S>&, ConstVector<S>);                 \
    template Result forward_kinematics<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>); \
    template Result forward_kinematics<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,  \
                                          ConstVector<S>);                                              \
    template Eigen::Matrix<S, 3, 3> frame_orientation<S>(const Model&, const Workspace<S>&, int);       \
    template Eigen::Matrix<S, 3, 1> frame_position<S>(const Model&, const Workspace<S>&, int);          \
    template Eigen::Matrix<S, 6, 1> frame_velocity<S>(const Model&, const Workspace<S>&, int,           \
                                                      ReferenceFrame);                                  \
    template Eigen::Matrix<S, 6, 1> frame_acceleration<S>(const Model&, const Workspace<S>&, int,       \
                                                          ReferenceFrame);                              \
    template void frame_jacobian<S>(const Model&, const Workspace<S>&, int, ReferenceFrame,             \
                                    std::type_identity_t<Eigen::Ref<Matrix6X<S>>>);                     \
    template void body_jacobian<S>(const Model&, const Workspace<S>&, int, ReferenceFrame,              \
                                   std::type_identity_t<Eigen::Ref<Matrix6X<S>>>);                      \
    template void add_frame_wrench<S>(const Model&, const Workspace<S>&, int, ReferenceFrame,           \
                                      ConstVector<S>, std::type_identity_t<Eigen::Ref<Matrix6X<S>>>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result forward_kinematics(const Model& model, Data& data, ConstVectorRef q) {
    return forward_kinematics<double>(model, data.workspaces().kinematics, q);
}
Result forward_kinematics(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    return forward_kinematics<double>(model, data.workspaces().kinematics, q, yd);
}
Result forward_kinematics(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                          ConstVectorRef ydd) {
    return forward_kinematics<double>(model, data.workspaces().kinematics, q, yd, ydd);
}

Eigen::Matrix3d frame_orientation(const Model& model, const Data& data, int frame) {
    return frame_orientation<double>(model, data.workspaces().kinematics, frame);
}
Eigen::Vector3d frame_position(const Model& model, const Data& data, int frame) {
    return frame_position<double>(model, data.workspaces().kinematics, frame);
}
Eigen::Isometry3d frame_pose(const Model& model, const Data& data, int frame) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = frame_orientation(model, data, frame);
    pose.translation() = frame_position(model, data, frame);
    return pose;
}
Eigen::Isometry3d body_pose(const Model& model, const Data& data, int body) {
    require_body(model, body);
    Frame own;
    own.body = body;
    own.rotation = Matrix3<double>::identity();
    const FramePlacement<double> f = placement(model, data.workspaces().kinematics, own, Kinematics::poses);
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() << eigen(f.R.x), eigen(f.R.y), eigen(f.R.z);
    pose.translation() = eigen(f.p + f.origin);
    return pose;
}
Vector6d frame_velocity(const Model& model, const Data& data, int frame, ReferenceFrame axes) {
    return frame_velocity<double>(model, data.workspaces().kinematics, frame, axes);
}
Vector6d frame_acceleration(const Model& model, const Data& data, int frame, ReferenceFrame axes) {
    return frame_acceleration<double>(model, data.workspaces().kinematics, frame, axes);
}

double conditioning(const Model& model, const Data& data, int cluster) {
    const Workspace<double>& work = data.workspaces().kinematics;
    require_workspace(model, work);
    if (cluster < 0 || cluster >= model.cluster_count())
        throw std::invalid_argument("cluster " + std::to_string(cluster) + " of a model with " +
                                    std::to_string(model.cluster_count()));
    require_kinematics(work.kinematics, Kinematics::poses);
    if (model.clusters[cluster].embedding != Embedding::implicit) return 1;
    const double rcond = work.rcond[cluster];
    return rcond > 0 ? rcond : 0;  // NaN at a singular configuration
}

void frame_jacobian(const Model& model, const Data& data, int frame, ReferenceFrame axes,
                    Eigen::Ref<Matrix6Xd> J) {
    frame_jacobian<double>(model, data.workspaces().kinematics, frame, axes, J);
}
void body_jacobian(const Model& model, const Data& data, int body, ReferenceFrame axes,
                   Eigen::Ref<Matrix6Xd> J) {
    body_jacobian<double>(model, data.workspaces().kinematics, body, axes, J);
}

void add_frame_wrench(const Model& model, const Data& data, int frame, ReferenceFrame axes,
                      ConstVectorRef wrench, Eigen::Ref<Matrix6Xd> wrenches) {
    add_frame_wrench<double>(model, data.workspaces().kinematics, frame, axes, wrench, wrenches);
}

}  // namespace grbda
