#include "grbda/compile/build.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "compile.hpp"

namespace grbda {
namespace {

// Dense factors, of which assembly makes many, grow with the cube: the largest cluster loads in seconds.
constexpr int largest_cluster = 300;  ///< joint coordinates
constexpr int most_rows = 3000;       ///< of its loops and couplings

topology::ConnectivityGraph connectivity(const Mechanism& mechanism) {
    topology::ConnectivityGraph graph;
    for (const MechanismBody& body : mechanism.bodies) graph.parent.push_back(body.parent);
    for (const MechanismLoop& loop : mechanism.loops)
        graph.loops.push_back({loop.predecessor, loop.successor});
    for (const MechanismCoupling& coupling : mechanism.couplings) {
        std::vector<int> bodies;
        for (const MechanismTerm& term : coupling.terms) bodies.push_back(term.body);
        graph.couplings.push_back(bodies);
    }
    return graph;
}

/// Rows that loops and couplings are written with, by cluster.
std::vector<int> rows_by_cluster(const Mechanism& mechanism, const Model& model,
                                 const compile::Numbering& numbering) {
    std::vector<int> rows(model.clusters.size(), 0);
    const auto add = [&](int body, int count) {
        if (body != world) rows[at(model.bodies[at(numbering.body_of[at(body)])].cluster)] += count;
    };
    for (const MechanismLoop& loop : mechanism.loops)  // the later body is never the ancestor of the other
        add(std::max(loop.predecessor, loop.successor), constraint_size(loop.type));
    for (const MechanismCoupling& coupling : mechanism.couplings) add(coupling.terms.front().body, 1);
    return rows;
}

bool too_large(const Model& model, const Mechanism& mechanism, const compile::Numbering& numbering,
               Diagnostics& diagnostics) {
    const std::vector<int> rows = rows_by_cluster(mechanism, model, numbering);
    bool found = false;
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[at(k)];
        if (c.dofs <= largest_cluster && rows[at(k)] <= most_rows) continue;
        found = true;
        const bool many_rows = c.dofs <= largest_cluster;
        diagnostics.push_back(
            {Severity::error, Code::too_large,
             mechanism.bodies[at(numbering.mechanism_of[at(c.body_begin)])].where,
             compile::cluster_subject(model, k),
             "at most " + std::to_string(many_rows ? most_rows : largest_cluster) +
                 (many_rows ? " constraint rows" : " joint coordinates") + " in one cluster",
             many_rows ? std::to_string(rows[at(k)]) + " of its loops and couplings"
                       : std::to_string(c.dofs) + " that its loops and couplings tie together",
             many_rows ? "leave out what repeats other loops" : "split the long loop or coupling"});
    }
    return found;
}

std::vector<int> all_dofs(const Cluster& c) {
    std::vector<int> dofs(at(c.dofs));
    for (int j = 0; j < c.dofs; ++j) dofs[at(j)] = j;
    return dofs;
}

constexpr std::size_t most_states = 32;  ///< that assembly starts from

/// The model's own start, then the saved states, with the own start where they say nothing.
std::vector<compile::Start> starts_of(const Mechanism& mechanism, const Model& model,
                                      const compile::Numbering& numbering) {
    std::vector<compile::Start> starts{{"", model.neutral}};
    for (const MechanismState& state : mechanism.states) {
        if (starts.size() > most_states) break;
        auto positions = mechanism.start;
        for (const auto& [joint, values] : state.positions) positions[joint] = values;
        starts.push_back({state.name, compile::configuration(mechanism, model, numbering, positions)});
    }
    return starts;
}

/// Assembles every cluster, and chooses its independents.
std::vector<std::vector<int>> assemble_all(const Mechanism& mechanism, const compile::Numbering& numbering,
                                           Model& model, Diagnostics& diagnostics) {
    Data<double> data(model);
    const std::vector<compile::Start> starts = starts_of(mechanism, model, numbering);
    std::vector<std::vector<int>> independents;
    for (int k = 0; k < model.cluster_count(); ++k) {
        compile::report_opposed_axes(model, mechanism, data, model.clusters[at(k)], diagnostics);
        if (model.clusters[at(k)].rows == 0) {
            independents.push_back(all_dofs(model.clusters[at(k)]));
            model.reports[at(k)].reasons.assign(at(model.clusters[at(k)].dofs), "free joint");
            continue;
        }
        compile::Assembly assembly = compile::assemble(model, data, k, starts);
        compile::drop_misfits(mechanism, k, model, data, assembly, diagnostics);
        const Cluster& c = model.clusters[at(k)];
        ClusterReport& report = model.reports[at(k)];
        const compile::ClosedState start =
            compile::constraint_state(model, data, c, compile::joints_of(model, c, model.neutral));
        report.open_at_zero = start.residual;
        report.singular_at_zero = compile::numerical_rank(start.K) < assembly.rank;
        report.rank = assembly.rank;
        report.start = assembly.start;
        const auto before = static_cast<std::ptrdiff_t>(diagnostics.size());
        if (assembly.closed)
            independents.push_back(
                compile::choose_independents(model, mechanism, numbering, k, assembly, report, diagnostics));
        else
            independents.push_back({});
        if (std::none_of(diagnostics.begin() + before, diagnostics.end(),
                         [](const Diagnostic& d) { return d.severity == Severity::error; })) {
            report.idle = compile::idle_bodies(model, data, c, assembly);
            compile::report_cluster(model, mechanism, numbering, k, assembly, diagnostics);
        }
        compile::put_joints(model, c, assembly.neutral.q, model.neutral);
    }
    return independents;
}

void warn_about_limits(const Model& model, const Mechanism& mechanism, const compile::Numbering& numbering,
                       Diagnostics& diagnostics) {
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[at(i)];
        const JointLimits& limits = model.limits[at(i)];
        const double position = model.neutral[at(body.q)];
        const bool assembled = model.clusters[at(body.cluster)].rows > 0 && position_size(body.joint) == 1;
        if (!assembled || (position >= limits.lower && position <= limits.upper)) continue;
        char found[32];
        std::snprintf(found, sizeof found, "%.6g", position);
        diagnostics.push_back(
            {Severity::warning, Code::out_of_range, mechanism.bodies[at(numbering.mechanism_of[at(i)])].where,
             Subject::of("joint", model.names.joints[at(i)]), "the assembled position within its limits",
             found, "move the limits, or the placements that the loop closes with"});
    }
}

}  // namespace

std::vector<double> compile::configuration(const Mechanism& mechanism, const Model& model,
                                           const Numbering& numbering,
                                           const std::map<std::string, std::vector<double>>& positions) {
    std::vector<double> q(at(model.nq), 0);
    for (const Body& body : model.bodies)
        if (has_quaternion(body.joint)) q[at(body.q + position_size(body.joint) - 1)] = 1;
    if (positions.empty()) return q;
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
        const auto given = positions.find(mechanism.bodies[i].joint);
        if (given == positions.end()) continue;
        const Body& body = model.bodies[at(numbering.body_of[i])];
        std::copy_n(given->second.begin(), std::min(given->second.size(), at(position_size(body.joint))),
                    q.begin() + body.q);
    }
    return q;
}

Model build_model(const Mechanism& mechanism, const LoadOptions& options, Diagnostics& diagnostics) {
    Model model;
    const topology::ClusterTree tree = topology::make_cluster_tree(connectivity(mechanism));
    compile::Numbering numbering = compile::compile_bodies(mechanism, options, tree, model);
    compile::compile_passive_forces(mechanism, numbering, model);
    numbering.named.assign(mechanism.bodies.size(), 0);
    for (const int body : mechanism.coordinates) numbering.named[at(body)] = 1;
    model.neutral = compile::configuration(mechanism, model, numbering, mechanism.start);
    if (mechanism.gravity)
        model.gravity = {mechanism.gravity->x(), mechanism.gravity->y(), mechanism.gravity->z()};
    for (const std::string& name : mechanism.tool_frames)
        model.tool_frames.push_back(frame_index(model, name));
    if (too_large(model, mechanism, numbering, diagnostics)) return model;
    compile::compile_constraints(mechanism, numbering, model);

    const std::vector<std::vector<int>> independents = assemble_all(mechanism, numbering, model, diagnostics);
    if (has_errors(diagnostics)) return model;
    compile::number_independents(model, independents, mechanism.coordinates, numbering);
    compile::fold_constants(model);
    compile::find_inertia_floors(mechanism, numbering, model, diagnostics);
    warn_about_limits(model, mechanism, numbering, diagnostics);
    if (has_errors(diagnostics)) return model;
    compile::project_states(mechanism, numbering, model, diagnostics);
    return model;
}

Model build_model(const RobotDescription& description, const LoadOptions& options) {
    Diagnostics diagnostics;
    const Mechanism mechanism = make_mechanism(description, options, diagnostics);
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
    Model model = build_model(mechanism, options, diagnostics);
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
    model.diagnostics = std::move(diagnostics);
    return model;
}

}  // namespace grbda
