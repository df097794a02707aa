#include "grbda/compile/build.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "compile.hpp"
#include "grbda/model/model.hpp"
#include "mechanism/rod_reduction.hpp"

namespace grbda {
namespace {

using compile::Draft;

// Limits that let the largest cluster load in about ten seconds. K, which assembly factors
// many times, costs rows × coordinates × the smaller of both. If rows cannot be passed
// from joint to joint, the workspace stores numbers for each pair of joint coordinates.
constexpr int most_coordinates = 4000;
constexpr int most_in_pairs = 1000;
constexpr double most_work = 2.7e8;

double work_of(double rows, double coordinates) { return rows * coordinates * std::min(rows, coordinates); }

/// The largest number of constraint rows for a cluster with this many joint coordinates.
int most_rows(double coordinates) {
    const double long_one = std::sqrt(most_work / coordinates);
    return static_cast<int>(long_one < coordinates ? long_one : most_work / (coordinates * coordinates));
}

topology::ConnectivityGraph connectivity(const Mechanism& mechanism) {
    topology::ConnectivityGraph graph;
    for (const MechanismBody& body : mechanism.bodies) graph.parent.push_back(body.parent);
    for (const MechanismLoop& loop : mechanism.loops) {
        if (loop.slide < 0) {
            graph.loops.push_back({loop.predecessor, loop.successor});
            continue;
        }
        // a slide hangs on the body at one end, and is in the loop
        const bool on_successor = mechanism.bodies[loop.slide].parent == loop.successor;
        graph.loops.push_back({loop.slide, on_successor ? loop.predecessor : loop.successor});
    }
    for (const MechanismCoupling& coupling : mechanism.couplings) {
        std::vector<int> bodies;
        for (const MechanismTerm& term : coupling.terms) bodies.push_back(term.body);
        graph.couplings.push_back(bodies);
    }
    return graph;
}

/// Number of rows of loops and couplings, by cluster.
Table<int> rows_by_cluster(const Draft& draft) {
    Table<int> rows(draft.structure.clusters.size(), 0);
    const auto add = [&](int body, int count) {
        if (body != world) rows[draft.structure.bodies[draft.body(body)].cluster] += count;
    };
    for (const MechanismLoop& loop :
         draft.mechanism.loops)  // the later body is never an ancestor of the other
        add(std::max(loop.predecessor, loop.successor), constraint_size(loop.type) + (loop.across ? 1 : 0));
    for (const MechanismCoupling& coupling : draft.mechanism.couplings) add(coupling.terms.front().body, 1);
    return rows;
}

bool too_large(const Draft& draft) {
    const Table<int> rows = rows_by_cluster(draft);
    bool found = false;
    for (int k = 0; k < draft.structure.cluster_count(); ++k) {
        const Cluster& c = draft.structure.clusters[k];
        const bool too_long = c.dofs > most_coordinates;
        if (!too_long && work_of(rows[k], c.dofs) <= most_work) continue;
        found = true;
        const std::string coordinates = std::to_string(c.dofs);
        Diagnostic d(Severity::error, Code::too_large, draft.source(c.bodies.first).where,
                     compile::cluster_subject(draft, k));
        d.expected = "at most ";
        if (too_long) {
            d.expected += std::to_string(most_coordinates) + " joint coordinates in one cluster";
            d.found = coordinates + " that its loops and couplings tie together";
            d.hint = "split the long loop or coupling";
        } else {
            d.expected += std::to_string(most_rows(c.dofs)) + " constraint rows in one cluster of " +
                          coordinates + " joint coordinates";
            d.found = std::to_string(rows[k]) + " of its loops and couplings";
            d.hint = "leave out what repeats other loops";
        }
        draft.diagnostics.push_back(std::move(d));
    }
    return found;
}

/// Makes all velocities of a cluster without constraints independent. Joints to which the description gives
/// no start are at zero, or at the limit nearest to it.
void set_free(int cluster, Draft& draft) {
    const Cluster& c = draft.structure.clusters[cluster];
    for (int j = 0; j < c.dofs; ++j) draft.independents[cluster].push_back(j);
    draft.catalogue.reports[cluster].reasons.assign(at(c.dofs), "free joint");
    for (const int i : c.joints) {
        const Body& body = draft.structure.bodies[i];
        const JointLimits& limits = draft.catalogue.limits[i];
        const bool is_given = draft.mechanism.start.count(draft.catalogue.names.joints[i]) > 0;
        if (position_size(body.joint) != 1 || is_given || !(limits.lower <= limits.upper)) continue;
        double& position = draft.constants.neutral[body.q];
        position = std::clamp(position, limits.lower, limits.upper);
    }
}

/// Closes a cluster, and chooses its independent velocities.
void assemble_cluster(int k, const std::vector<compile::Start>& starts, Draft& draft, compile::Bench& bench) {
    compile::Assembly assembly = compile::assemble({draft, bench, k}, starts);
    compile::drop_misfits(k, draft, bench, assembly);
    draft.closed[k] = assembly.closed ? 1 : 0;
    draft.doubtful[k] = compile::has_doubtful_rows(draft.catalogue.reports[k], assembly) ? 1 : 0;
    const compile::Probe probe(draft, bench, k);
    const compile::ClosedState start =
        compile::constraint_state(probe, compile::joints_of(probe, draft.constants.neutral));
    ClusterReport& report = draft.catalogue.reports[k];
    report.open_at_zero = start.residual;
    report.singular_at_zero = linear::numerical_rank(start.K) < assembly.rank;
    report.rank = assembly.rank;
    report.start = assembly.start;
    const auto before = static_cast<std::ptrdiff_t>(draft.diagnostics.size());
    const auto has_new_errors = [&] {
        return std::any_of(draft.diagnostics.begin() + before, draft.diagnostics.end(),
                           [](const Diagnostic& d) { return d.severity == Severity::error; });
    };
    const bool is_locked = assembly.closed && assembly.rank == probe.c.dofs;
    const bool is_lock_reported = is_locked && compile::report_locking_axes(probe);
    if (assembly.closed && !has_new_errors()) compile::choose_within_limits(probe, assembly);
    if (!has_new_errors()) {
        report.idle = compile::idle_bodies(probe, assembly);
        compile::report_cluster(probe, assembly, is_lock_reported);
    }
    compile::put_joints(probe, assembly.neutral.q, draft.constants.neutral);
}

/// Adds an error for a cluster that is too long to store numbers for each pair
/// of its joint coordinates, which it needs because `expected` is not fulfilled.
void refuse_pairs(const Draft& draft, int k, const std::string& expected, const std::string& found,
                  const std::string& hint) {
    const Cluster& c = draft.structure.clusters[k];
    draft.diagnostics.push_back(
        {Severity::error, Code::too_large, draft.source(c.bodies.first).where,
         compile::cluster_subject(draft, k),
         "at most " + std::to_string(most_in_pairs) + " joint coordinates in one cluster, or " + expected,
         std::to_string(c.dofs) + " joint coordinates, and " + found, hint});
}

/// Checks clusters so long that their rows have to be passed from joint to joint, and cannot be.
void check_long_clusters(const Draft& draft) {
    for (const Cluster& c : draft.structure.clusters) {
        if (c.dofs <= most_in_pairs) continue;
        if (!c.rods.empty()) {
            refuse_pairs(draft, c.index, "no distance loop with an inertial", "such a loop",
                         "make the rod a link with a ball joint, and a spherical loop at its other end");
            continue;
        }
        const int rank = c.dofs - static_cast<int>(draft.independents[c.index].size());
        int rows = c.couplings.size();
        for (const int l : c.loops) rows += static_cast<int>(draft.rows[l].size());
        if (rows != rank)
            refuse_pairs(draft, c.index, "constraint rows that do not repeat each other",
                         std::to_string(rows) + " rows of rank " + std::to_string(rank),
                         "leave out what repeats other loops");
        else if (!compile::has_sound_joints(draft.structure, c))
            refuse_pairs(draft, c.index, "mass and inertia on each of its links", "links without",
                         "give them an inertial, or fix their joints");
    }
}

/// The same for clusters whose rows were found to lose digits.
void check_rows_that_stay(const Draft& draft) {
    for (const Cluster& c : draft.structure.clusters)
        if (c.dofs > most_in_pairs && draft.rows_stay[c.index])
            refuse_pairs(draft, c.index, "joints with comparable inertia behind each of them",
                         "some with almost none", "give their links an inertial, or fix their joints");
}

double excess(const JointLimits& limits, double position) {
    return std::max({limits.lower - position, position - limits.upper, 0.});
}

/// Adds a warning for each cluster with joints outside their limits, at the one that misses them most.
void warn_about_limits(const Draft& draft, const Structure& model) {
    for (const Cluster& c : model.clusters) {
        int worst = -1;
        double most = 0;
        std::string others;
        for (const int i : c.joints) {
            const Body& body = model.bodies[i];
            if (position_size(body.joint) != 1) continue;
            const double missed = excess(draft.catalogue.limits[i], draft.constants.neutral[body.q]);
            if (!(missed > 0)) continue;
            const int other = missed > most ? worst : i;
            if (missed > most) {
                most = missed;
                worst = i;
            }
            if (other >= 0)
                others += (others.empty() ? "" : ", ") + quoted(draft.catalogue.names.joints[other]);
        }
        if (worst < 0) continue;
        std::array<char, 32> found{};
        std::snprintf(found.data(), found.size(), "%.6g", draft.constants.neutral[model.bodies[worst].q]);
        const std::string besides = others.empty() ? "" : "; joints " + others + " miss theirs too";
        draft.diagnostics.push_back(
            {Severity::warning, Code::out_of_range, draft.source(worst).where,
             Subject::of("joint", draft.catalogue.names.joints[worst]),
             c.rows == 0 ? "a start within its limits" : "the assembled position within its limits",
             found.data() + besides,
             c.rows == 0
                 ? ""
                 : "no configuration within all limits of its cluster was found: grbda project --limits "
                   "--starts "
                   "1000 looks further; else move the limits, or the placements that the loop closes with"});
    }
}

/// Analyses the assembled configuration.
void look_at_neutral(Draft& draft) {
    compile::Bench bench(draft);
    if (compile::add_end_armature(draft, bench.model)) bench = compile::Bench(draft);
    compile::report_massless_branches(draft, bench.model);
    compile::find_inertia_floors(draft, bench);
    compile::report_start(draft);
    warn_about_limits(draft, bench.model);
    if (!has_errors(draft.diagnostics)) compile::project_states(draft, bench);
}

}  // namespace

namespace compile {

void write_down(const LoadOptions& options, Draft& draft) {
    const topology::ClusterTree tree = topology::make_cluster_tree(connectivity(draft.mechanism));
    add_bodies(tree, options.rotor_reduction, draft);
    add_passive_forces(draft);
    if (!too_large(draft)) add_constraints(draft);
}

constexpr std::size_t most_states = 32;  ///< as starts of assembly

std::vector<Start> starts_of(const Draft& draft) {
    std::vector<Start> starts{{"", draft.constants.neutral}};
    for (const MechanismState& state : draft.mechanism.states) {
        if (starts.size() > most_states) break;
        auto positions = draft.mechanism.start;
        for (const auto& [joint, values] : state.positions) positions[joint] = values;
        starts.push_back({state.name, configuration(draft, positions)});
    }
    return starts;
}

void assemble_all(Draft& draft) {
    const int clusters = draft.structure.cluster_count();
    draft.closed.assign(at(clusters), 1);
    draft.doubtful.assign(at(clusters), 0);
    if (draft.is_free()) {
        for (int k = 0; k < clusters; ++k) set_free(k, draft);
        return;
    }
    Bench bench(draft);
    const std::vector<Start> starts = starts_of(draft);
    for (int k = 0; k < clusters; ++k) {
        report_opposed_axes({draft, bench, k});
        if (bench.model.clusters[k].rows == 0)
            set_free(k, draft);
        else
            assemble_cluster(k, starts, draft, bench);
    }
}

}  // namespace compile

namespace {

/// Adds a note of the rods that replaced coordinates.
void report_rods(const Mechanism& reduced, Diagnostics& diagnostics) {
    std::size_t rods = 0, struts = 0, joints = 0;
    for (const MechanismRod& rod : reduced.rods) {
        if (rod.strut)
            ++struts;
        else
            rods += rod.joints.empty() ? 0 : 1;
        joints += rod.joints.size();
    }
    if (joints == 0) return;
    std::string what;
    if (rods > 0) what = rods == 1 ? "1 link is a rod" : std::to_string(rods) + " links are rods";
    if (struts > 0)
        what +=
            (rods > 0 ? ", " : "") + (struts == 1 ? std::string("1 pair of links is a strut")
                                                  : std::to_string(struts) + " pairs of links are struts");
    diagnostics.push_back({Severity::note, Code::rewritten, reduced.rods.back().where,
                           Subject::of("robot", reduced.name),
                           what + ": " + std::to_string(joints) +
                               (joints == 1 ? " joint has" : " joints have") + " no coordinates",
                           "", ""});
}

/// Returns true if a rod is in a cluster of more than `most_in_pairs` joint coordinates.
bool has_rod_in_long_cluster(const Mechanism& reduced) {
    const topology::ClusterTree tree = topology::make_cluster_tree(connectivity(reduced));
    for (const MechanismRod& rod : reduced.rods) {
        const MechanismLoop& loop = reduced.loops[rod.loop];
        const int end = std::max(loop.predecessor, loop.successor);
        int coordinates = 0;
        for (const int body : tree.clusters[at(tree.cluster_of[at(end)])].bodies)
            coordinates += velocity_size(reduced.bodies[body].type);
        if (coordinates > most_in_pairs) return true;
    }
    return false;
}

/// Returns the mechanism with rods: loops that are rods, and links that are, unless they are to stay, or one
/// of them is in a cluster that is too long for rods.
Mechanism with_rods(const Mechanism& mechanism, const LoadOptions& options, const Table<std::string>& stay) {
    if (!mechanism.rods.empty()) return mechanism;
    if (options.rod_reduction) {
        Mechanism reduced = mechanism::reduce_rods_except(mechanism, stay);
        if (!has_rod_in_long_cluster(reduced)) return reduced;
    }
    return reduce_rods(mechanism, false);
}

/// Compiles a mechanism with rods in place of links, except those that are to stay.
Model build_with_rods(const Mechanism& full, const LoadOptions& options, Table<std::string> stay,
                      Diagnostics& diagnostics) {
    const Mechanism mechanism = with_rods(full, options, stay);
    const std::ptrdiff_t findings = std::ssize(diagnostics);
    report_rods(mechanism, diagnostics);
    Draft draft(mechanism, diagnostics);
    draft.form = options.form;
    compile::write_down(options, draft);
    if (!has_errors(diagnostics)) compile::keep_rows(draft);
    if (!has_errors(diagnostics)) {
        compile::assemble_all(draft);
        const Table<std::string> more = compile::rods_that_change_freedoms(draft, full, options);
        if (full.rods.empty() && !more.empty()) {
            diagnostics.erase(diagnostics.begin() + findings, diagnostics.end());
            stay.insert(stay.end(), more.begin(), more.end());
            return build_with_rods(full, options, std::move(stay), diagnostics);
        }
    }
    if (!has_errors(diagnostics)) check_long_clusters(draft);
    if (!has_errors(diagnostics)) look_at_neutral(draft);
    if (!has_errors(diagnostics)) compile::find_rows_that_stay(draft);
    if (!has_errors(diagnostics)) check_rows_that_stay(draft);
    if (has_errors(diagnostics)) return {};
    Model model = compile::finished_model(std::move(draft));
    mark_massless_branches(compile::branches_without_mass(model), model);
    compile::report_self_collision(mechanism, model, diagnostics);
    return model;
}

}  // namespace

Model build_model(const Mechanism& full, const LoadOptions& options, Diagnostics& diagnostics) {
    return build_with_rods(full, options, {}, diagnostics);
}

Model build_model(const RobotDescription& description, const LoadOptions& options) {
    Diagnostics diagnostics;
    Mechanism mechanism = make_mechanism(description, options, diagnostics);
    adjust_loops(options, mechanism, diagnostics);
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
    Model model = build_model(mechanism, options, diagnostics);
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
    model.diagnostics = std::move(diagnostics);
    return model;
}

}  // namespace grbda
