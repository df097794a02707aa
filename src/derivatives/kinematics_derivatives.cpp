#include "derivatives/kinematics_derivatives.hpp"

#include <algorithm>
#include <limits>

#include "kernels/cluster/outcome.hpp"
#include "moving_frame.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
void forget(Table<Motion<S>>& motions) {
    const S nan = static_cast<S>(std::numeric_limits<double>::quiet_NaN());
    const Vector3<S> none{nan, nan, nan};
    std::fill(motions.begin(), motions.end(), Motion<S>{none, none});
}

template <class S>
bool finite(const Table<Motion<S>>& motions) {
    S sum(0);
    for (const Motion<S>& x : motions)
        sum += (x.linear.x + x.linear.y + x.linear.z + x.angular.x + x.angular.y + x.angular.z) * S(0);
    return sum == S(0);
}

/// accelerated: accelerations are requested; ydd null: ÿ = 0, as for a robot that cannot move.
template <class S>
Result run(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, const S* ydd,
           bool accelerated) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    kernels::derivatives::vary_motions<S>(model, data, q.data(), yd.data(), ydd);
    Directions<S>& d = data.directions;
    Result result = kernels::constraint_outcome(model, data);
    if (!kernels::usable_in_dynamics<S>(model, q.data(), yd.data(), ydd, nullptr))
        result = {Status::not_finite};
    if (result.ok())
        for (const Table<Motion<S>>* x : {&data.v, &data.a, &d.e, &d.eta, &d.eta_rate})
            if (!finite(*x)) result = {Status::not_finite};
    if (!result.ok() || !accelerated) {
        forget(data.a);
        forget(d.eta);
    }
    if (!result.ok())
        for (Table<Motion<S>>* x : {&d.e, &d.eta_rate}) forget(*x);
    else
        data.kinematics = Kinematics::derivatives;
    return result;
}

template <class S>
MovingFrame<S> moving_frame(const Model& model, const Workspace<S>& data, int frame) {
    require_frame(model, frame);
    return moving_frame(model, data, model.frames[frame], Kinematics::derivatives);
}

/// The matrix with NaN nowhere and zeros where no direction moves the frame.
template <class S>
void prepare(const char* name, const Model& model, MatrixOut<S>& matrix) {
    require_size(name, matrix.rows(), 6);
    require_size(name, matrix.cols(), model.nv);
    matrix.setZero();
}

template <class S>
class Columns {
public:
    Columns(const MovingFrame<S>& frame, ReferenceFrame axes) : frame_(frame), axes_(axes) {}

    /// Writes the change due to a displacement x, as seen from the frame; `value` is what changes.
    void put(MatrixOut<S>& matrix, int column, Motion<S> change, const Motion<S>& value,
             const Motion<S>& x) const {
        if (axes_ == ReferenceFrame::world_aligned) {
            change.linear += cross(x.angular, value.linear);
            change.angular += cross(x.angular, value.angular);
        }
        put(matrix, column, change);
    }
    /// One that leaves the frame where it is.
    void put(MatrixOut<S>& matrix, int column, const Motion<S>& change) const {
        matrix.col(column) = in_axes(frame_.place, axes_, change.linear, change.angular);
    }

private:
    const MovingFrame<S>& frame_;
    ReferenceFrame axes_;
};

}  // namespace

template <class S>
Result forward_kinematics_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                      ConstVector<S> yd) {
    return run<S>(model, data, q, yd, nullptr, false);
}

template <class S>
Result forward_kinematics_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                      ConstVector<S> yd, ConstVector<S> ydd) {
    require_size("ydd", ydd.size(), model.nv);
    return run<S>(model, data, q, yd, ydd.data(), true);
}

template <class S>
void frame_velocity_derivatives(const Model& model, const Workspace<S>& data, int frame, ReferenceFrame axes,
                                MatrixOut<S> dv_dy, MatrixOut<S> dv_dyd) {
    const MovingFrame<S> f = moving_frame(model, data, frame);
    prepare<S>("dv_dy", model, dv_dy);
    prepare<S>("dv_dyd", model, dv_dyd);
    const Columns<S> columns(f, axes);
    kernels::derivatives::each_direction(model, data, f.body, [&](int column, const auto& d) {
        columns.put(dv_dy, column, at_point(d.e, f.place.p), f.velocity, d.x);
        columns.put(dv_dyd, column, at_point(d.x, f.place.p));
    });
}

template <class S>
void frame_acceleration_derivatives(const Model& model, const Workspace<S>& data, int frame,
                                    ReferenceFrame axes, Acceleration kind, MatrixOut<S> da_dy,
                                    MatrixOut<S> da_dyd, MatrixOut<S> da_dydd) {
    const MovingFrame<S> f = moving_frame(model, data, frame);
    prepare<S>("da_dy", model, da_dy);
    prepare<S>("da_dyd", model, da_dyd);
    prepare<S>("da_dydd", model, da_dydd);
    const Columns<S> columns(f, axes);
    const Motion<S>& v = f.velocity;
    const bool classical = kind == Acceleration::classical;
    Motion<S> a = f.acceleration;
    if (classical) a.linear += cross(v.angular, v.linear);
    // with the change of ω × v, where e is that of the velocity at the point
    const auto change = [&](Motion<S> sum, const Motion<S>& e) {
        if (classical) sum.linear += cross(e.angular, v.linear) + cross(v.angular, e.linear);
        return sum;
    };
    kernels::derivatives::each_direction(model, data, f.body, [&](int column, const auto& d) {
        const Motion<S> x = at_point(d.x, f.place.p);
        columns.put(da_dy, column, change(acceleration_along_y(f, d), at_point(d.e, f.place.p)), a, d.x);
        columns.put(da_dyd, column, change(acceleration_along_yd(f, d), x));
        columns.put(da_dydd, column, x);
    });
}

template <class S>
void frame_jacobian_rate(const Model& model, const Workspace<S>& data, int frame, ReferenceFrame axes,
                         MatrixOut<S> J_rate) {
    const MovingFrame<S> f = moving_frame(model, data, frame);
    prepare<S>("J_rate", model, J_rate);
    const Columns<S> columns(f, axes);
    const Motion<S>& v = f.velocity;
    kernels::derivatives::each_direction(model, data, f.body, [&](int column, const auto& d) {
        const Motion<S> x = at_point(d.x, f.place.p);
        Motion<S> rate = at_point(d.eta_rate - d.e, f.place.p);
        rate.linear += cross(x.angular, v.linear);
        if (axes == ReferenceFrame::local) {
            rate.linear -= cross(v.angular, x.linear);
            rate.angular -= cross(v.angular, x.angular);
        }
        columns.put(J_rate, column, rate);
    });
}

#define GRBDA_INSTANTIATE(S)                                                                                 \
    template Result forward_kinematics_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>,           \
                                                      ConstVector<S>);                                       \
    template Result forward_kinematics_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>,           \
                                                      ConstVector<S>, ConstVector<S>);                       \
    template void frame_velocity_derivatives<S>(const Model&, const Workspace<S>&, int, ReferenceFrame,      \
                                                MatrixOut<S>, MatrixOut<S>);                                 \
    template void frame_acceleration_derivatives<S>(const Model&, const Workspace<S>&, int, ReferenceFrame,  \
                                                    Acceleration, MatrixOut<S>, MatrixOut<S>, MatrixOut<S>); \
    template void frame_jacobian_rate<S>(const Model&, const Workspace<S>&, int, ReferenceFrame,             \
                                         MatrixOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result forward_kinematics_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    return forward_kinematics_derivatives<double>(model, data.workspaces().kinematics, q, yd);
}
Result forward_kinematics_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                      ConstVectorRef ydd) {
    return forward_kinematics_derivatives<double>(model, data.workspaces().kinematics, q, yd, ydd);
}

void frame_velocity_derivatives(const Model& model, const Data& data, int frame, ReferenceFrame axes,
                                MatrixRef dv_dy, MatrixRef dv_dyd) {
    frame_velocity_derivatives<double>(model, data.workspaces().kinematics, frame, axes, dv_dy, dv_dyd);
}
void frame_jacobian_rate(const Model& model, const Data& data, int frame, ReferenceFrame axes,
                         MatrixRef J_rate) {
    frame_jacobian_rate<double>(model, data.workspaces().kinematics, frame, axes, J_rate);
}

void frame_acceleration_derivatives(const Model& model, const Data& data, int frame, ReferenceFrame axes,
                                    Acceleration kind, AccelerationDerivatives& out) {
    frame_acceleration_derivatives<double>(model, data.workspaces().kinematics, frame, axes, kind,
                                           sized(out.by_y, 6, model.nv), sized(out.by_yd, 6, model.nv),
                                           sized(out.by_ydd, 6, model.nv));
}

}  // namespace grbda
