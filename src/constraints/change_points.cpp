#include "grbda/constraints/closure.hpp"

#include <algorithm>
#include <cmath>

#include "grbda/constraints/embedding.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "kernels/closure.hpp"
#include "kernels/configuration.hpp"
#include "kernels/outcome.hpp"

// Before a change point the joints are extrapolated by their velocities to behind it, and the loops are
// closed there. The step counts if the loops then require nearly the same positions and velocities: two modes
// that cross at an angle differ in velocities by more. A step that is too long for its curvature is parted.

namespace grbda {
namespace {

/// Part of the fastest joint's motion by which extrapolated positions and velocities may be off.
constexpr double alike = 0.1;
/// Number of divisions of a step, and their place: not in halves, so that ends of round steps do not
/// meet a change point that lies in their middle.
constexpr int most_parts = 8;
constexpr double parted_at = 0.45;

/// The motion of one cluster: δy of the others is 0.
template <class S>
class Crossing {
public:
    Crossing(const Model& model, Data<S>& data, int cluster, VectorX<S>& q)
        : model_(model), data_(data), cluster_(cluster), q_(q), straight_(q), closed_(q) {}

    /// Moves q by δy; if it fails, as far as it goes.
    Result pass(const VectorX<S>& delta, int parts) {
        closed_ = q_;
        const Result result = integrate<S>(model_, data_, q_, delta, closed_);
        if (result.status == Status::fold && leap(delta)) return {};
        if (result.status != Status::fold || parts == 0) {
            q_ = closed_;
            return result;
        }
        const Result first = pass(delta * S(parted_at), parts - 1);
        return first.ok() ? pass(delta * S(1 - parted_at), parts - 1) : first;
    }

private:
    /// One step straight on into q_. False: it does not count, and q_ is as it was.
    bool leap(const VectorX<S>& delta) {
        if (!spanning_velocity<S>(model_, data_, q_, delta).ok()) return false;
        const VectorX<S> way = data_.qd;
        straight_ = q_;
        for (const Body& body : model_.bodies)
            if (body.cluster == cluster_)
                kernels::joint_integrate(body.joint, q_.data() + body.q, way.data() + body.v,
                                         straight_.data() + body.q);
        VectorX<S> end = straight_;
        if (!close_loops<S>(model_, data_, end).ok() ||
            !spanning_velocity<S>(model_, data_, end, delta).ok() || !goes_on(way, end))
            return false;
        q_ = end;
        return true;
    }

    /// data_.qd: the velocities at the end.
    bool goes_on(const VectorX<S>& way, const VectorX<S>& end) const {
        double largest = 0, missed = 0;
        for (const Body& body : model_.bodies) {
            if (body.cluster != cluster_ || body.rotor) continue;
            S off[6];
            kernels::joint_difference(body.joint, straight_.data() + body.q, end.data() + body.q, off);
            for (int k = 0; k < velocity_size(body.joint); ++k) {
                const double scale = model_.column_scale[body.dof + k];
                const S before = way[body.v + k], after = data_.qd[body.v + k];
                largest = std::max(largest, std::abs(value_of(before)) / scale);
                missed = std::max({missed, std::abs(value_of(off[k])) / scale,
                                   std::abs(value_of(S(after - before))) / scale});
            }
        }
        return missed <= alike * largest;
    }

    const Model& model_;
    Data<S>& data_;
    int cluster_;
    VectorX<S>& q_;
    VectorX<S> straight_, closed_;
};

template <class S>
Result pass_by_clusters(const Model& model, Data<S>& data, const VectorX<S>& delta, VectorX<S>& q) {
    Result worst;
    for (const Cluster& c : model.clusters) {
        VectorX<S> own = VectorX<S>::Zero(model.nv);
        for (int i = c.y_begin; i < c.y_begin + c.m; ++i) own[model.y_index[i]] = delta[model.y_index[i]];
        kernels::add_result(Crossing<S>(model, data, c.index, q).pass(own, most_parts), worst);
    }
    clear_results(data);
    return worst;
}

}  // namespace

template <class S>
Result pass_change_points(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> delta,
                          VectorOut<S> out) {
    require_size("data.qd", data.qd.size(), model.nv_tree);
    require_size("out", out.size(), model.nq);
    VectorX<S> end(model.nq);
    const Result result = integrate<S>(model, data, q, delta, end);
    if (result.status != Status::fold) {
        if (result.status != Status::not_finite) out = end;
        return result;
    }
    end = q;
    const Result passed = pass_by_clusters<S>(model, data, delta, end);
    out = end;
    return passed;
}

#define GRBDA_INSTANTIATE(S)                                                                      \
    template Result pass_change_points<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, \
                                          VectorOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
