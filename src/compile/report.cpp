#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "compile.hpp"
#include "closing/closure.hpp"
#include "kernels/constraint/gap.hpp"
#include "loop_geometry.hpp"

namespace grbda::compile {
namespace {

constexpr double open_length = 1e-10;  ///< m or rad: a loop that is open by more is named in an open cluster

constexpr const char* opposed_axes =
    "its axes point against each other: check the signs of the axes and the loop's rpy";

std::string text_of(const LoopGap& gap) {
    constexpr double worth_naming = 1e-6;  // relative to the other: smaller ones depend on the search
    const double open = std::min(open_length, std::max(gap.length, gap.angle) / 2);
    const bool length = gap.length > open && gap.length > worth_naming * gap.angle;
    const bool angle = gap.angle > open && gap.angle > worth_naming * gap.length;
    std::string text = "left open by ";
    if (length || !angle) text += short_number(gap.length) + " m";
    if (length && angle) text += " and ";
    if (angle) text += short_number(gap.angle) + " rad";
    return text + " at the best configuration found";
}

/// The loops of a cluster, in the mechanism.
std::vector<int> sources_of(const Probe& probe) {
    std::vector<int> sources;
    for (const int l : probe.c.loops) sources.push_back(probe.model.loops[l].source);
    return sources;
}

/// A loop or coupling that a cluster leaves open.
struct Opening {
    double size = 0;  ///< m or rad
    Diagnostic finding;
};

/// Names the axes that keep a cluster from closing, beside the worst opening. Returns false if none does.
bool report_open_axes(const Probe& probe, const std::vector<Opening>& openings) {
    const auto worst = std::max_element(openings.begin(), openings.end(),
                                        [](const Opening& a, const Opening& b) { return a.size < b.size; });
    const std::vector<AxisFault> faults = axis_faults(probe.draft.mechanism, sources_of(probe));
    for (const AxisFault& fault : faults)
        probe.draft.diagnostics.push_back(
            {Severity::error, Code::not_closed, fault.where, fault.subject, fault.expected,
             fault.found + "; " + worst->finding.subject.text + " is " + worst->finding.found,
             fault.hint + (fault.is_small ? "; --adjust (LoadOptions::adjust) moves the loop's frame" : "")});
    return !faults.empty();
}

/// Reports every loop and coupling that a cluster leaves open; at least the
/// worst one, since a gap too small to be named may be large in a small cluster.
void report_open_loops(const Probe& probe, const Assembly& assembly) {
    const Draft& draft = probe.draft;
    const Model& model = probe.model;
    Workspace<double>& data = probe.data;
    const Cluster& c = probe.c;
    std::vector<double> q = model.neutral;
    put_joints(probe, assembly.neutral.q, q);
    const auto base = kernels::place_alone(model, data, c, q.data());
    kernels::constraint_rows<double, true>(model, data, c, base, q.data());
    std::vector<Opening> openings;
    const auto add = [&](const SourceLocation& where, const Subject& subject, const LoopGap& gap,
                         const std::string& lengths, const char* hint) {
        openings.push_back({std::max(gap.length, gap.angle),
                            Diagnostic{Severity::error, Code::not_closed, where, subject,
                                       "a configuration that closes all loops of its cluster",
                                       text_of(gap) + (lengths.empty() ? "" : "; " + lengths), hint}});
    };
    constexpr double of_rounding = 3e-3;
    const char* const geometry =
        assembly.neutral.residual < of_rounding
            ? "check lengths, origins and axes around the loop: figures rounded too far, as 1.57 for π/2, "
              "leave such gaps; --adjust (LoadOptions::adjust) moves the loop's frame"
            : "check lengths, origins and axes around the loop; --adjust (LoadOptions::adjust) moves its "
              "frame";
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        const bool right = kernels::right_root(data, c, base, loop);
        const LoopGap gap = kernels::loop_gap(model, data, loop, !right);
        add(draft.mechanism.loops[loop.source].where,
            Subject::of("loop", draft.catalogue.names.loops[loop.source]), gap,
            unmet_lengths(draft.mechanism, loop.source), gap.opposed ? opposed_axes : geometry);
    }
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        add(draft.mechanism.couplings[coupling.source].where,
            Subject::of("coupling", draft.catalogue.names.couplings[coupling.source]),
            kernels::coupling_gap(model, data, coupling), "",
            "couplings of the same joints contradict each other, or a loop does");
    }
    if (report_open_axes(probe, openings)) return;
    double worst = 0;
    for (const Opening& opening : openings) worst = std::max(worst, opening.size);
    for (Opening& opening : openings)
        if (!(opening.size < std::min(worst, open_length)))
            draft.diagnostics.push_back(std::move(opening.finding));
}

/// Motors of a cluster, and whether any of its joints is marked as independent.
struct Wanted {
    int motors = 0;
    bool freedom = false;
};

Wanted wanted_of(const Draft& draft, const Cluster& c) {
    Wanted wanted;
    for (const int i : c.joints) {
        const MechanismBody& from = draft.source(i);
        wanted.motors += from.actuated ? velocity_size(from.type) : 0;
        wanted.freedom = wanted.freedom || from.independent.value_or(false);
    }
    return wanted;
}

std::string locked_structure(const Probe& probe) {
    const ClusterReport& report = probe.draft.catalogue.reports[probe.index];
    const std::string misfit =
        report.misfit > 0 ? "; a row that nearly repeats others contradicts them by up to " +
                                short_number(report.misfit) + " (rad, or relative to the cluster's size)"
                          : "";
    return "a locked structure: " + std::to_string(probe.c.dofs) + " joint coordinates, constraint rank " +
           std::to_string(report.rank) + misfit;
}

Severity severity_of_locking(const Wanted& wanted) {
    return wanted.freedom ? Severity::error : Severity::warning;
}

/// Reports a cluster without freedom whose axes do not explain that.
void report_locked(const Probe& probe, const Wanted& wanted) {
    constexpr const char* too_many = "a loop or coupling too many, or one of a type that blocks too much";
    const Draft& draft = probe.draft;
    const bool nearly_moves = draft.catalogue.reports[probe.index].misfit > 0;
    draft.diagnostics.push_back(
        {severity_of_locking(wanted), Code::locked, draft.source(probe.c.bodies.first).where,
         cluster_subject(draft, probe.index),
         wanted.freedom ? "some freedom: the cluster has independent joints" : "some freedom in the cluster",
         locked_structure(probe),
         nearly_moves ? "misaligned axes? give angles all their digits, as 1.5707963267948966 for π/2, or "
                        "take a type of loop with fewer rows; a contradiction up to " +
                            short_number(negligible_misfit) + " is left out"
         : wanted.freedom        ? too_many
         : wanted.motors == 0    ? ""
         : probe.c.loops.empty() ? "its motors move nothing"  // couplings lock a joint on purpose
                                 : "its motors move nothing: " + std::string(too_many)});
}

/// "'rod_1'; 'motor', 'piston' together; and 3 more"
std::string idle_text(const Draft& draft, const std::vector<std::vector<int>>& idle) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, idle.size()); ++i) {
        const char* before = i ? "; '" : "'";
        for (const int body : idle[i]) {
            text += before + draft.catalogue.names.bodies[body] + "'";
            before = ", '";
        }
        if (idle[i].size() > 1) text += " together";
    }
    if (idle.size() > most) text += "; and " + std::to_string(idle.size() - most) + " more";
    return text;
}

}  // namespace

std::string short_number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", x);
    return text;
}

std::string joint_list(const Draft& draft, const std::vector<int>& bodies) {
    constexpr std::size_t most = 12;
    std::string list;
    for (std::size_t i = 0; i < std::min(most, bodies.size()); ++i)
        list += (i ? ", '" : "'") + draft.catalogue.names.joints[bodies[i]] + "'";
    if (bodies.size() > most) list += " and " + std::to_string(bodies.size() - most) + " more";
    return list;
}

std::string cluster_name(const Draft& draft, int cluster) {
    const Cluster& c = draft.structure.clusters[cluster];
    std::vector<int> bodies;
    for (const int i : c.joints) bodies.push_back(i);
    return "cluster of joints " + joint_list(draft, bodies);
}

Subject cluster_subject(const Draft& draft, int cluster) {
    const Cluster& c = draft.structure.clusters[cluster];
    return {"cluster", draft.catalogue.names.joints[c.bodies.first], cluster_name(draft, cluster)};
}

void report_opposed_axes(const Probe& probe) {
    const Model& model = probe.model;
    Workspace<double>& data = probe.data;
    const Cluster& c = probe.c;
    if (c.loops.empty()) return;
    const auto base = kernels::place_alone(model, data, c, model.neutral.data());
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows > 0) continue;  // assembly handles it
        if (kernels::right_root(data, c, base, loop)) continue;
        probe.draft.diagnostics.push_back(
            {Severity::error, Code::not_closed, probe.draft.mechanism.loops[loop.source].where,
             Subject::of("loop", probe.draft.catalogue.names.loops[loop.source]),
             "a configuration that closes it", "left open by 3.14 rad in every pose", opposed_axes});
    }
}

bool report_locking_axes(const Probe& probe) {
    const Draft& draft = probe.draft;
    const std::vector<AxisFault> faults = axis_faults(draft.mechanism, sources_of(probe));
    for (const AxisFault& fault : faults)
        draft.diagnostics.push_back({severity_of_locking(wanted_of(draft, probe.c)), Code::locked,
                                     fault.where, fault.subject, fault.expected,
                                     fault.found + "; it makes the " + cluster_name(draft, probe.index) +
                                         " " + locked_structure(probe),
                                     fault.hint});
    return !faults.empty();
}

void report_cluster(const Probe& probe, const Assembly& assembly, bool is_lock_reported) {
    const Draft& draft = probe.draft;
    const Cluster& c = probe.c;
    if (!assembly.closed) {
        report_open_loops(probe, assembly);
        return;
    }
    const ClusterReport& report = draft.catalogue.reports[probe.index];
    const SourceLocation where = draft.source(c.bodies.first).where;
    const auto add = [&](Severity severity, Code code, const std::string& expected, const std::string& found,
                         const std::string& hint) {
        draft.diagnostics.push_back(
            {severity, code, where, cluster_subject(draft, probe.index), expected, found, hint});
    };
    bool given = !report.start.empty();
    for (const int i : c.joints)
        given = given || draft.mechanism.start.count(draft.catalogue.names.joints[i]) != 0;
    const std::string at_start = given ? "where assembly starts" : "at q = 0";
    if (report.open_at_zero > closed_residual)
        add(Severity::note, Code::assembly,
            "assembled" + (report.start.empty() ? "" : " from state '" + report.start + "'") +
                ": its loops are open " + at_start,
            report.open_at_zero >= closing::false_root_residual && !c.loops.empty()
                ? "its axes point against each other there"
                : "by " + short_number(report.open_at_zero) + " (rad, or relative to its size)",
            "");
    if (report.singular_at_zero)
        add(Severity::note, Code::assembly, "its constraints are singular " + at_start,
            "the neutral configuration is another one", "");
    if (c.rows > assembly.rank)
        add(Severity::note, Code::redundant, "redundant but consistent rows",
            std::to_string(c.rows) + " rows of rank " + std::to_string(assembly.rank), "");
    const int m = c.dofs - assembly.rank;
    const Wanted wanted = wanted_of(draft, c);
    if (m == 0 && !is_lock_reported) report_locked(probe, wanted);
    if (wanted.motors > 0 && m > wanted.motors)
        add(Severity::note, Code::idle, "more mobility than motors",
            std::to_string(m) + " against " + std::to_string(wanted.motors), "");
    if (!report.idle.empty())
        add(Severity::note, Code::idle,
            std::to_string(report.idle.size()) + " of its " + std::to_string(m) + " degrees of freedom " +
                (report.idle.size() == 1 ? "is" : "are") +
                " idle: links that turn about themselves while all else stands still",
            idle_text(draft, report.idle), "");
}

}  // namespace grbda::compile
