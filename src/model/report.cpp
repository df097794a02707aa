#include <algorithm>
#include <cmath>
#include <cstdio>

#include "compile.hpp"
#include "grbda/kernels/closure.hpp"

namespace grbda::compile {
namespace {

std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", x);
    return text;
}

/// Residual of each loop of a cluster as it was left.
void report_open_loops(const Model& model, const Mechanism& mechanism, const Cluster& c,
                       const Assembly& assembly, Diagnostics& diagnostics) {
    Data<double> data(model);
    const auto base = kernels::place_alone(model, data, c, assembly.neutral.q.data());
    kernels::constraint_rows(model, data, c, base, assembly.neutral.q.data());
    const auto residual = [&](int row, int rows) {
        double largest = 0;
        for (int r = row; r < row + rows; ++r) largest = std::max(largest, std::abs(data.phi[at(r)]));
        return largest;
    };
    const auto report = [&](const SourceLocation& where, const std::string& element, double left,
                            const char* hint) {
        diagnostics.push_back({Severity::error, where, element,
                               "a configuration that closes all loops of its cluster",
                               "left open by " + number(left) + " (m or rad) at the best one found", hint});
    };
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[at(l)];
        double left = residual(loop.row, loop.rows);
        if (loop.type == LoopType::distance) {  // φ = (d² − L²) / 2L
            const double L = loop.constant;
            left = std::abs(std::sqrt(std::max(0., L * L + 2 * L * data.phi[at(loop.row)])) - L);
        }
        const auto frames = kernels::loop_frames(loop, kernels::placement_of(data, c, base, loop.predecessor),
                                                 kernels::placement_of(data, c, base, loop.successor));
        const bool wrong = !kernels::right_root(loop, frames);
        if (left > 1e-10 || wrong)
            report(mechanism.loops[at(loop.source)].where,
                   "loop '" + model.names.loops[at(loop.source)] + "'", left,
                   wrong ? "its axes point against each other: check the signs of the axes and the loop's rpy"
                         : "check lengths, origins and axes around the loop");
    }
    for (int l = c.couplings_begin; l < c.couplings_end; ++l) {
        const Coupling& coupling = model.couplings[at(l)];
        const double left = residual(coupling.row, 1);
        if (left > 1e-10)
            report(mechanism.couplings[at(coupling.source)].where,
                   "coupling '" + model.names.couplings[at(coupling.source)] + "'", left,
                   "couplings of the same joints contradict each other, or a loop does");
    }
}

}  // namespace

std::string joint_list(const Model& model, const std::vector<int>& bodies) {
    constexpr std::size_t most = 12;
    std::string list;
    for (std::size_t i = 0; i < std::min(most, bodies.size()); ++i)
        list += (i ? ", '" : "'") + model.names.joints[at(bodies[i])] + "'";
    if (bodies.size() > most) list += " and " + std::to_string(bodies.size() - most) + " more";
    return list;
}

std::string cluster_name(const Model& model, int cluster) {
    const Cluster& c = model.clusters[at(cluster)];
    std::vector<int> bodies;
    for (int i = c.body_begin; i < c.body_end; ++i) bodies.push_back(i);
    return "cluster of joints " + joint_list(model, bodies);
}

void report_cluster(const Model& model, const Mechanism& mechanism, const Numbering& numbering, int cluster,
                    const Assembly& assembly, Diagnostics& diagnostics) {
    const Cluster& c = model.clusters[at(cluster)];
    if (!assembly.closed) {
        report_open_loops(model, mechanism, c, assembly, diagnostics);
        return;
    }
    const ClusterReport& report = model.reports[at(cluster)];
    const SourceLocation where = mechanism.bodies[at(numbering.mechanism_of[at(c.body_begin)])].where;
    const auto add = [&](Severity severity, const std::string& expected, const std::string& found,
                         const std::string& hint) {
        diagnostics.push_back({severity, where, cluster_name(model, cluster), expected, found, hint});
    };
    const int m = c.dofs - assembly.rank;
    int motors = 0;
    bool wanted = false;
    for (int i = c.body_begin; i < c.body_end; ++i) {
        motors += model.actuated[at(i)] ? velocity_size(model.bodies[at(i)].joint) : 0;
        wanted = wanted || model.actuated[at(i)] ||
                 mechanism.bodies[at(numbering.mechanism_of[at(i)])].independent.value_or(false);
    }
    if (report.open_at_zero > 1e-10)
        add(Severity::note, "assembled: its loops are open at q = 0",
            "by " + number(report.open_at_zero) + " of its size", "");
    if (report.singular_at_zero)
        add(Severity::note, "its constraints are singular at q = 0",
            "the neutral configuration is another one", "");
    if (c.rows > assembly.rank)
        add(Severity::note, "redundant but consistent rows",
            std::to_string(c.rows) + " rows of rank " + std::to_string(assembly.rank), "");
    if (m == 0)
        add(wanted ? Severity::error : Severity::warning,
            wanted ? "some freedom: the cluster has independent or actuated joints"
                   : "some freedom in the cluster",
            "a locked structure: " + std::to_string(c.dofs) + " joint coordinates, constraint rank " +
                std::to_string(assembly.rank),
            wanted ? "a loop or coupling too many, or one of a type that blocks too much" : "");
    if (motors > 0 && m > motors)
        add(Severity::note, "more mobility than motors",
            std::to_string(m) + " against " + std::to_string(motors), "");
}

}  // namespace grbda::compile
