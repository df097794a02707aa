#include "by_joint.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grbda/constraints/closure.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

/// Keeps the larger of two gaps with one name; a NaN is kept.
void widen(LoopGap& gap, const LoopGap& other) {
    const auto larger = [](double a, double b) { return a >= b || std::isnan(a) ? a : b; };
    gap = {larger(gap.length, other.length), larger(gap.angle, other.angle), gap.opposed || other.opposed};
}

OrderedJson gap_json(const LoopGap& gap) {
    OrderedJson out = {{"length", gap.length}, {"angle", gap.angle}};
    if (gap.opposed) out["opposed_axes"] = true;
    return out;
}

template <class Kind>
OrderedJson gaps_json(const std::vector<Kind>& kinds, const std::vector<LoopGap>& gaps,
                      const std::vector<std::string>& names) {
    std::vector<LoopGap> worst(names.size());
    std::vector<char> present(names.size(), 0);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const auto source = static_cast<std::size_t>(kinds[i].source);
        widen(worst[source], gaps[i]);
        present[source] = 1;
    }
    OrderedJson out = OrderedJson::object();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (present[i] != 0) append(out, names[i], gap_json(worst[i]));
    return out;
}

}  // namespace

OrderedJson values(const VectorX<double>& x, Eigen::Index begin, Eigen::Index size) {
    if (size == 1) return x[begin];
    OrderedJson list = OrderedJson::array();
    for (Eigen::Index i = begin; i < begin + size; ++i) list.push_back(x[i]);
    return list;
}

void append(OrderedJson& object, const std::string& key, OrderedJson value) {
    object.get_ref<OrderedJson::object_t&>().emplace_back(key, std::move(value));
}

OrderedJson positions_by_joint(const Model& model, const std::vector<int>& bodies, const VectorX<double>& q) {
    OrderedJson out = OrderedJson::object();
    for (const int i : bodies) {
        const Body& body = model.bodies[i];
        append(out, model.names.joints[i], values(q, body.q, position_size(body.joint)));
    }
    return out;
}

OrderedJson velocities_by_joint(const Model& model, const std::vector<int>& bodies,
                                const VectorX<double>& x) {
    OrderedJson out = OrderedJson::object();
    for (const int i : bodies) {
        const Body& body = model.bodies[i];
        append(out, model.names.joints[i], values(x, body.v, velocity_size(body.joint)));
    }
    return out;
}

OrderedJson residuals_by_name(const Model& model, Data& data, const VectorX<double>& q) {
    std::vector<LoopGap> loops(model.loops.size()), couplings(model.couplings.size());
    OrderedJson out;
    if (!loop_residuals(model, data, q, loops, couplings).ok()) return out;
    if (!loops.empty()) out["loops"] = gaps_json(model.loops, loops, model.names.loops);
    if (!couplings.empty()) out["couplings"] = gaps_json(model.couplings, couplings, model.names.couplings);
    return out;
}

}  // namespace grbda::tool
