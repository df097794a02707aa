#include "report.hpp"

#include "statements.hpp"

namespace grbda::generated {
namespace {

/// GCC 12 with AVX2: bytes of code for each node on six robots. Times from the run of docs/generated.md: how
/// fast code is run through, and how long the library takes for what was recorded.
constexpr double bytes_of_node = 8.8, bytes_a_nanosecond = 31, products_a_nanosecond = 10;
constexpr double step_of_joints = 0.29, step_of_loops = 0.47, step_of_linkages = 0.16;  // nanoseconds

double library_step(const Model& model) {
    double step = step_of_joints;
    for (const Cluster& c : model.clusters) {
        if (c.kind == ClusterKind::planar) step = step_of_linkages;
        if (c.has_cut_tree() && c.kind != ClusterKind::planar) return step_of_loops;
    }
    return step;
}

/// First joints of the clusters side by side: "left_hip | right_hip; left_knee | right_knee".
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
    const double bytes = bytes_of_node * result.operations;
    result.bytes = static_cast<int>(bytes);
    result.nanoseconds = bytes / bytes_a_nanosecond;
    for (const Product& product : function.recording.products) {
        result.recorded += static_cast<int>(product.steps);
        for (const Range& block : product.blocks) {
            const double n = block.size();
            result.nanoseconds += n * n * n / products_a_nanosecond;
        }
    }
    result.library_nanoseconds = result.recorded * library_step(model);
    return result;
}

}  // namespace grbda::generated
