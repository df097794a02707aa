#include "report.hpp"

#include <algorithm>
#include <cmath>

#include "statements.hpp"

namespace grbda::generated {
namespace {

/// Measured with GCC 12 and AVX2: bytes of code per node, from six robots. Times are from the measurements of
/// docs/generated.md: the rates at which code runs from the first and from the second instruction cache, and
/// the time of the library for the recorded operations.
constexpr double bytes_of_node = 8.8, bytes_of_cache = 32000;
constexpr double near_bytes_a_nanosecond = 31, far_bytes_a_nanosecond = 17, products_a_nanosecond = 10;
constexpr double step_of_joints = 0.29, step_of_loops = 0.47, step_of_linkages = 0.16;  // nanoseconds
constexpr double columns_together = 0.8;  // of a step, in the library's products of matrices

double time_of_code(double bytes) {
    const double near = std::min(bytes, bytes_of_cache);
    return near / near_bytes_a_nanosecond + (bytes - near) / far_bytes_a_nanosecond;
}

double time_of_loops(const Recording& recording) {
    double products = 0;
    for (const Product& product : recording.products)
        for (const Range& block : product.blocks) products += std::pow(block.size(), 3);
    return products / products_a_nanosecond;
}

double library_step(const Model& model) {
    double step = step_of_joints;
    for (const Cluster& c : model.clusters) {
        if (c.kind == ClusterKind::planar) step = step_of_linkages;
        if (c.has_cut_tree() && c.kind != ClusterKind::planar) return step_of_loops;
    }
    return step;
}

/// Returns the first joints of the clusters side by side: "left_hip | right_hip; left_knee | right_knee".
std::string limbs_text(const Model& model, const Grouping& grouping) {
    std::string text;
    for (const Group& group : grouping.groups) {
        if (group.clusters.empty()) continue;
        text += (text.empty() ? "" : "; ");
        for (std::size_t l = 0; l < group.clusters.size(); ++l)
            text += (l > 0 ? " | " : "") + model.names.joints[model.clusters[group.clusters[l]].joints.first];
    }
    return text;
}

}  // namespace

GeneratedFunction report(const Model& model, const Function& function) {
    GeneratedFunction result;
    result.name = function.name;
    result.algorithm = function.request.algorithm;
    result.wrenches = function.request.wrenches;
    for (const Group& group : function.woven.grouping.groups)
        result.lanes = std::max(result.lanes, static_cast<int>(group.clusters.size()));
    result.limbs = limbs_text(model, function.woven.grouping);
    for (const Step& step : function.recording.tape.steps)
        result.recorded += step.op != Op::constant && step.op != Op::input;
    for (const int i : needed(function.woven))
        result.operations += !function.woven.graph.is_constant(i) && function.woven.graph[i].op != Op::input;
    const std::vector<Product>& products = function.recording.products;
    for (const Product& product : products) result.recorded += static_cast<int>(product.steps);
    const double bytes = bytes_of_node * result.operations;
    result.bytes = static_cast<int>(bytes);
    result.nanoseconds = time_of_code(bytes) + time_of_loops(function.recording);
    result.library_nanoseconds =
        result.recorded * library_step(model) * (products.empty() ? 1 : columns_together);
    return result;
}

}  // namespace grbda::generated
