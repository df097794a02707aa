#include "constraints/closure.hpp"

#include "crossing.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "closing/closure.hpp"
#include "kernels/body/configuration.hpp"

// A step that is too long for its curvature to cross a change point is parted.

namespace grbda {
namespace {

/// Number of divisions of a step, and their place: not in halves, so that ends of round steps do not
/// meet a change point that lies in their middle.
constexpr int most_parts = 8;
constexpr double parted_at = 0.45;

/// The motion of one cluster: δy of the others is 0.
class Crossing {
public:
    Crossing(const Model& model, Workspace<double>& data, int cluster, VectorX<double>& q)
        : model_(model), data_(data), cluster_(cluster), q_(q), straight_(q), closed_(q) {}

    /// Moves q by δy; if it fails, as far as it goes.
    Result pass(const VectorX<double>& delta, int parts) {
        closed_ = q_;
        const Result result = integrate<double>(model_, data_, q_, delta, closed_);
        if (result.status == Status::fold && leap(delta)) return {};
        if (result.status != Status::fold || parts == 0) {
            q_ = closed_;
            return result;
        }
        const Result first = pass(delta * parted_at, parts - 1);
        return first.ok() ? pass(delta * (1 - parted_at), parts - 1) : first;
    }

private:
    /// One step straight on into q_. False: it does not count, and q_ is as it was.
    bool leap(const VectorX<double>& delta) {
        if (!spanning_velocity<double>(model_, data_, q_, delta).ok()) return false;
        const VectorX<double> way = data_.qd;
        straight_ = q_;
        for (const Body& body : model_.bodies)
            if (body.cluster == cluster_)
                kernels::joint_integrate(body.joint, q_.data() + body.q, way.data() + body.v,
                                         straight_.data() + body.q);
        VectorX<double> end;
        if (!close_behind(model_, data_, cluster_, straight_, delta, way, 1, end).ok()) return false;
        q_ = end;
        return true;
    }

    const Model& model_;
    Workspace<double>& data_;
    int cluster_;
    VectorX<double>& q_;
    VectorX<double> straight_, closed_;
};

Result pass_by_clusters(const Model& model, Workspace<double>& data, const VectorX<double>& delta,
                        VectorX<double>& q) {
    Result worst;
    for (const Cluster& c : model.clusters) {
        VectorX<double> own = VectorX<double>::Zero(model.nv);
        for (int i = c.y_begin; i < c.y_begin + c.m; ++i) own[model.y_index[i]] = delta[model.y_index[i]];
        closing::add_result(Crossing(model, data, c.index, q).pass(own, most_parts), worst);
    }
    clear_results(data);
    return worst;
}

}  // namespace

template <class S>
Result pass_change_points(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> delta,
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
    const Result passed = pass_by_clusters(model, data, delta, end);
    out = end;
    return passed;
}

#define GRBDA_INSTANTIATE(S)                                                                           \
    template Result pass_change_points<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                          VectorOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
