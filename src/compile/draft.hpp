#pragma once

#include <optional>
#include <vector>

#include "model/workspace.hpp"
#include "grbda/model/model.hpp"

namespace grbda::compile {

/// The decisions about a mechanism, stage by stage: each stage runs
/// kernels on the model of the decisions so far and writes its own here.
struct Draft {
    Draft(const Mechanism& from, Diagnostics& findings) : mechanism(from), diagnostics(findings) {}

    const Mechanism& mechanism;
    Diagnostics& diagnostics;  ///< findings so far
    std::optional<Form> form;  ///< the user's choice

    // content of the mechanism
    Table<int> body_of;       ///< mechanism → model
    Table<int> mechanism_of;  ///< model → mechanism
    Table<int> rod_of;        ///< mechanism → model
    Table<char> named;        ///< of the model: listed among the mechanism's coordinates
    Table<char> is_rotor;     ///< of the model: a rotor, reduced or not
    Structure structure;      ///< bodies, loops and couplings in pass order; rows and y are numbered later
    Constants constants;      ///< armature, polynomials, passive forces, inertials
    Catalogue catalogue;      ///< all of it, with the reports and states found so far

    // decisions, besides Cluster::embedding, constants.neutral and constants.inertia_floor
    Table<std::vector<LoopRow>> rows;      ///< of each loop: those that are kept
    Table<double> sizes;                   ///< of each cluster, m: the unit of its lengths
    Table<char> rows_stay;                 ///< of each cluster: its rows are never passed on; empty: none so
    Table<char> closed;                    ///< of each cluster: a configuration closes its loops
    Table<char> doubtful;                  ///< of each cluster: its rank depends on what counts as rounded
    Table<std::vector<int>> independents;  ///< of each cluster: its dofs, from the first; empty until chosen

    /// The source of body i of the model.
    const MechanismBody& source(int i) const { return mechanism.bodies[mechanism_of[i]]; }
    /// Index in the model of a body, a rod or a piston; rods come after bodies, and pistons after rods.
    int body(int of_mechanism) const {
        const int bodies = static_cast<int>(body_of.size());
        if (of_mechanism >= bodies + static_cast<int>(rod_of.size())) return of_mechanism;
        if (of_mechanism >= bodies) return bodies + rod_of[of_mechanism - bodies];
        return of_mechanism == world ? world : body_of[of_mechanism];
    }
    bool is_free() const { return structure.loops.empty() && structure.couplings.empty(); }
};

/// Up to this many joint coordinates, a cluster's bodies have Jacobians while it is compiled.
inline constexpr int short_cluster = 300;

/// Model of the decisions so far with all data that kernels read; the catalogue
/// remains in the draft. Clusters use their bodies' Jacobians, which some stages
/// read, except long clusters: their rows are passed from joint to joint if possible.
Model make_model(const Draft& draft);
/// The same in the given form; without one, in the cheapest.
Model make_model(const Draft& draft, std::optional<Form> form);

/// The same with the catalogue.
Model finished_model(Draft&& draft);

/// Erases the rows of loops whose entry in `kept` [rows of the model] is zero. Couplings are unchanged.
void drop_rows(const Structure& model, const std::vector<char>& kept, Draft& draft);

// Steps of make_model(), in this order

/// Sets y of each cluster, indices in y, and the order of dependent velocities that fills K_d least.
void number_independents(const Draft& draft, Structure& model);

/// Rows of a cluster, from its first, by place: its bodies and rotors, and last the body that carries it.
struct Ways {
    std::vector<std::vector<int>> ended;    ///< rows whose ends meet there
    std::vector<std::vector<int>> carried;  ///< rows that pass its joint
};
Ways ways_of_rows(const Structure& model, const Cluster& c);

/// Creates the slots of the rows of a cluster that are passed from joint to joint.
void pass_rows_on(Cluster& c, Structure& model);

/// Decides which clusters and bodies take short paths. Clusters with loops and
/// couplings get the given form, long ones their own given form, or the cheapest.
void find_kinds(const Draft& draft, std::optional<Form> form, std::optional<Form> form_of_long,
                Structure& model);

/// Adds a linkage to the model if the cluster is one; the numbers of bodies that carry others must be known.
bool find_linkage(Cluster& c, Structure& model);

/// True if the joints of a cluster can be eliminated one by one: each moves mass by itself.
bool has_sound_joints(const Structure& model, const Cluster& c);

/// Counts operations of forward dynamics on a numbered cluster with
/// its bodies, in each form, without those that all forms share.
FormCosts form_costs(const Structure& model, const Cluster& c);

/// Sets offsets of the flat per-cluster arrays and their sizes, for everything numbered so far.
void lay_out(Structure& model);

/// Folds constant quantities: G of couplings, rotors, armature.
void fold_constants(Model& model);

/// Scales of rows and columns of K: they make lengths relative to the size of their cluster.
struct Scales {
    Table<double> row, column;
};
Scales scales_of(const Structure& model, const Table<double>& sizes);

}  // namespace grbda::compile
