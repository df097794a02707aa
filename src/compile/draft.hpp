#pragma once

#include <optional>
#include <vector>

#include "grbda/model/data.hpp"
#include "grbda/model/model.hpp"

namespace grbda::compile {

/// What is decided about a mechanism, stage by stage: each runs kernels on the model of the decisions so far
/// and writes its own down here.
struct Draft {
    Draft(const Mechanism& from, Diagnostics& findings) : mechanism(from), diagnostics(findings) {}

    const Mechanism& mechanism;
    Diagnostics& diagnostics;  ///< findings so far
    std::optional<Form> form;  ///< asked for

    // as the mechanism says
    Table<int> body_of;       ///< mechanism → model
    Table<int> mechanism_of;  ///< model → mechanism
    Table<int> rod_of;        ///< mechanism → model
    Table<char> named;        ///< of the model: listed among the mechanism's coordinates
    Structure structure;      ///< bodies, loops and couplings in sweep order; rows and y are numbered later
    Constants constants;      ///< armature, polynomials, passive forces, inertials
    Catalogue catalogue;      ///< all of it, with the reports and states found so far

    // as decided, besides Cluster::embedding, constants.neutral and constants.inertia_floor
    Table<std::vector<LoopRow>> rows;      ///< of each loop: those kept
    Table<double> sizes;                   ///< of each cluster, m: lengths are measured in it
    Table<char> rows_stay;                 ///< of each cluster: its rows do not travel well; none: all do
    Table<std::vector<int>> independents;  ///< of each cluster: its dofs, from the first; none until chosen

    /// What body i of the model was made of.
    const MechanismBody& source(int i) const { return mechanism.bodies[mechanism_of[i]]; }
    /// Of a body, or of a rod, which stand behind them.
    int body(int of_mechanism) const {
        const int bodies = static_cast<int>(body_of.size());
        if (of_mechanism >= bodies) return bodies + rod_of[of_mechanism - bodies];
        return of_mechanism == world ? world : body_of[of_mechanism];
    }
    bool is_free() const { return structure.loops.empty() && structure.couplings.empty(); }
};

/// Up to so many joint coordinates a cluster's bodies have Jacobians while it is compiled.
inline constexpr int short_cluster = 300;

/// What follows from the decisions so far: all that kernels read. The catalogue stays with the draft.
/// Clusters go by their bodies' Jacobians, which some of the stages read, but for long ones: their rows
/// travel if they can.
Model make_model(const Draft& draft);
/// The same in the form that is asked for; none: in the cheapest.
Model make_model(const Draft& draft, std::optional<Form> form);

/// The same with the catalogue.
Model finished_model(Draft&& draft);

/// Erases the rows of loops whose entry in `kept` [rows of the model] is zero. Couplings stay.
void drop_rows(const Structure& model, const std::vector<char>& kept, Draft& draft);

// What make_model() is made of, in this order.

/// y of each cluster, places in y, and the dependent velocities in the order that fills K_d least.
void number_independents(const Draft& draft, Structure& model);

/// Rows of a cluster, from its first, by places: of its bodies and rotors, and last of the body it hangs on.
struct Ways {
    std::vector<std::vector<int>> ended;    ///< whose ends meet there
    std::vector<std::vector<int>> carried;  ///< that pass its joint
};
Ways ways_of_rows(const Structure& model, const Cluster& c);

/// Slots of the rows of a cluster that travel.
void let_rows_travel(Cluster& c, Structure& model);

/// Which clusters and bodies take short paths. Those with loops and couplings have the form asked for, long
/// ones that for them, or the one that costs least.
void find_kinds(const Draft& draft, std::optional<Form> form, std::optional<Form> form_of_long,
                Structure& model);

/// Adds a linkage to the model if the cluster is one, with numbers of bodies that are known to bear others.
bool find_linkage(Cluster& c, Structure& model);

/// True if the joints of a cluster can be taken out one by one: none of them moves nothing by itself.
bool has_sound_joints(const Structure& model, const Cluster& c);

/// Operations of forward dynamics on a numbered cluster with its bodies, in each form, besides what all forms
/// have in common.
FormCosts form_costs(const Structure& model, const Cluster& c);

/// Offsets of the flat per-cluster arrays and their sizes, for what is numbered already.
void lay_out(Structure& model);

/// Folds what is constant: G of couplings, rotors, armature.
void fold_constants(Model& model);

/// Of rows and columns of K: lengths relative to the size of their cluster.
struct Scales {
    Table<double> row, column;
};
Scales scales_of(const Structure& model, const Table<double>& sizes);

}  // namespace grbda::compile
