#include "report.hpp"

#include "statements.hpp"

namespace grbda::generated {
namespace {

/// Measured with GCC 12 on a machine with AVX-512: bytes of code for each node, how fast a function of so
/// many is run through, and how fast the library does what was recorded.
constexpr double bytes_of_node = 8.8;
constexpr double cache = 30e3, bytes_in_cache = 45, bytes_beyond = 37;  // bytes a nanosecond
constexpr double library_step = 0.12, library_loop_step = 0.19;         // nanoseconds

bool has_loops(const Model& model) {
    for (const Cluster& c : model.clusters)
        if (c.has_cut_tree()) return true;
    return false;
}

/// Joints in each lane, lanes with ×: "4 × (left_hip, …)".
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
    result.nanoseconds = bytes / (bytes < cache ? bytes_in_cache : bytes_beyond);
    result.library_nanoseconds = result.recorded * (has_loops(model) ? library_loop_step : library_step);
    return result;
}

}  // namespace grbda::generated
