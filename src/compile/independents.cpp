#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "hold.hpp"
#include "kernels/constraint/embedding.hpp"
#include "selection.hpp"

// Choice of independent coordinates: marks in the file are binding, the other
// joints are tried in the order of preference. The rows N_I of an orthonormal
// basis N of the motions (K N = 0) show whether a set I of m coordinates is
// independent: G = N N_I⁻¹, so N_I must be well conditioned. With fewer
// constraints than motions, the row space of K gives the same numbers.

namespace grbda::compile {
namespace {

constexpr double wanted_rcond = 1e-3;   ///< of K_d at all generic configurations
constexpr double leading_rcond = 3e-4;  ///< enough to keep joints that the user named, without better ones
constexpr double usable_rcond = 1e-4;   ///< just above what the algorithms call singular

/// Smallest pivot of K_d over max(1, |K|) and over the states: the engine's rcond, up to its norm.
double conditioning(const std::vector<ClosedState>& states, const std::vector<int>& independent, int dofs,
                    int rank) {
    Table<char> kept(at(dofs), 1);
    for (const int j : independent) kept[j] = 0;
    double worst = 1;
    for (const ClosedState& state : states) {
        Eigen::MatrixXd K_d(state.K.rows(), dofs - static_cast<int>(independent.size()));
        Eigen::Index column = 0;
        for (int j = 0; j < dofs; ++j)
            if (kept[j]) K_d.col(column++) = state.K.col(j);
        if (K_d.cols() == 0) continue;
        worst = std::min(worst, linear::smallest_pivot(K_d, rank) / std::max(1., state.K.norm()));
    }
    return worst;
}

/// Closed states away from singular poses, into which assembly sometimes slides: a pose
/// near a flat linkage has full rank, but does not show which joints can be independent.
std::vector<ClosedState> regular_states(const Assembly& assembly) {
    constexpr double comparable = 0.1;
    std::vector<ClosedState> states = assembly.generic;
    states.push_back(assembly.neutral);
    double best = 0;
    for (const ClosedState& state : states)
        best = std::max(best, linear::smallest_pivot(state.K, assembly.rank));
    std::erase_if(states, [&](const ClosedState& state) {
        return linear::smallest_pivot(state.K, assembly.rank) < comparable * best;
    });
    return states;
}

struct Candidate {
    int dof = 0;  ///< in the cluster
    std::optional<bool> mark;
    bool wanted = false;  ///< listed, or a motor
    std::array<int, 6> preference{};
    const char* reason = "";
};

/// A set of independent coordinates of a cluster, empty at first.
struct Choice {
    std::vector<int> dofs;
    double rcond = -1;  ///< of K_d, the smallest over the states examined
    int wanted = 0;     ///< of them: listed, or motors

    /// Better conditioned; joints that the user named are only replaced if they are badly conditioned.
    bool improves(const Choice& other) const {
        return rcond > other.rcond && (wanted >= other.wanted || other.rcond < leading_rcond);
    }
};

std::vector<Candidate> candidates(const Probe& probe) {
    const Model& model = probe.model;
    const Cluster& c = probe.c;
    Table<int> depth(at(c.joints.size()), 0);
    Table<char> has_child(depth.size(), 0);
    for (const int i : c.joints) {
        const int parent = model.bodies[i].parent;
        if (parent == c.parent_body) continue;
        depth[i - c.bodies.first] = depth[parent - c.bodies.first] + 1;
        has_child[parent - c.bodies.first] = 1;
    }
    Table<char> follows(at(c.dofs), 0);  // a polynomial's follower: solving for the leader has dead centres
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        if (!coupling.linear()) follows[kernels::follower_of(model, coupling).dof - c.dof_begin] = 1;
    }
    std::vector<Candidate> all;
    for (int j = 0; j < c.dofs; ++j) {
        const int i = model.dof_body[c.dof_begin + j];
        const MechanismBody& from = probe.draft.source(i);
        const bool rotor = from.type == JointType::revolute && !has_child[i - c.bodies.first] &&
                           is_axisymmetric(from.inertia, from.axis) && !c.couplings.empty();
        const bool named = probe.draft.named[i] != 0;
        const char* reason = from.independent ? "marked independent"
                             : named          ? "listed among the coordinates"
                             : from.actuated  ? "named as a motor"
                             : rotor
                                 ? "chosen automatically among the rotors"
                                 : "chosen automatically: no rotor, closest to the base, first in the file";
        all.push_back({j,
                       from.independent,
                       named || from.actuated,
                       {named ? 0 : 1, from.actuated ? 0 : 1, follows[j], rotor ? 1 : 0,
                        depth[i - c.bodies.first], probe.draft.mechanism_of[i]},
                       reason});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.preference < b.preference; });
    return all;
}

/// The least gain of a row that is accepted.
struct Least {
    double wanted = 0, other = 0;
};

/// The data of a choice.
struct Ballot {
    const std::vector<Candidate>& all;  ///< in the order of preference
    const std::vector<ClosedState>& states;
    int rank = 0;
    int dofs = 0;
    bool obey_marks = true;
};

/// Takes marked joints if they add anything, then unmarked ones by preference, each if it adds enough at
/// all states. If the result has fewer coordinates than there are motions, too many added too little.
template <class Selection>
std::vector<int> select(const Ballot& ballot, std::vector<Selection> states, const Least& least) {
    const auto m = at(ballot.dofs - ballot.rank);
    int refused = 0;
    std::vector<int> chosen;
    const auto consider = [&](const Candidate& candidate, double least_gain) {
        if (chosen.size() == m || refused > ballot.rank) return;
        const bool adds = std::all_of(states.begin(), states.end(), [&](const Selection& state) {
            return state.gain(candidate.dof) > least_gain;
        });
        if (!adds) {
            ++refused;
            return;
        }
        for (Selection& state : states) state.take(candidate.dof);
        chosen.push_back(candidate.dof);
    };
    if (ballot.obey_marks)
        for (const Candidate& candidate : ballot.all)
            if (candidate.mark == true) consider(candidate, usable_rcond);
    for (const Candidate& candidate : ballot.all)
        if (!ballot.obey_marks || !candidate.mark)
            consider(candidate, candidate.wanted ? least.wanted : least.other);
    return chosen;
}

Choice choice_of(const Ballot& ballot, std::vector<int> dofs) {
    Choice choice;
    choice.rcond = conditioning(ballot.states, dofs, ballot.dofs, ballot.rank);
    Table<char> taken(at(ballot.dofs), 0);
    for (const int j : dofs) taken[j] = 1;
    for (const Candidate& candidate : ballot.all)
        choice.wanted += candidate.wanted && taken[candidate.dof] ? 1 : 0;
    choice.dofs = std::move(dofs);
    return choice;
}

/// The first set in the order of preference that is well conditioned, else the best one found.
/// Joints that the user did not name are replaced by better ones before those that the user named.
template <class Selection>
Choice first_set(const Ballot& ballot, const std::vector<Selection>& states) {
    constexpr std::array trials{1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.2, 0.3, 1e-5, 1e-7};
    std::vector<Least> leasts;
    for (const double least : trials) leasts.push_back({trials.front(), least});
    for (const double least : trials) leasts.push_back({least, least});
    Choice best;
    for (const Least& least : leasts) {
        std::vector<int> dofs = select(ballot, states, least);
        if (static_cast<int>(dofs.size()) < ballot.dofs - ballot.rank) continue;
        Choice next = choice_of(ballot, std::move(dofs));
        if (next.improves(best)) best = std::move(next);
        if (best.rcond > wanted_rcond) break;
    }
    return best;
}

/// Chooses the dependents that determine the others best, one by one. Among nearly equal ones it
/// takes the last in the order of preference, and joints that the user named only if they are much
/// better. Neighbours in a long chain hardly differ: the last ones alone would be badly conditioned.
Choice spread_set(const Ballot& ballot) {
    constexpr double near = 0.8, asked_for = 0.1;
    std::vector<Eigen::MatrixXd> rest;  // columns of K without their components along dependents
    for (const ClosedState& state : ballot.states) rest.push_back(state.K);
    Table<char> dependent(at(ballot.dofs), 0);
    const auto may = [&](const Candidate& candidate, bool marked) {
        if (dependent[candidate.dof]) return false;
        return !ballot.obey_marks || candidate.mark == (marked ? std::optional(false) : std::nullopt);
    };
    const auto gain = [&](const Candidate& candidate) {
        double least = std::numeric_limits<double>::infinity();
        for (const Eigen::MatrixXd& K : rest) least = std::min(least, K.col(candidate.dof).norm());
        return candidate.wanted ? asked_for * least : least;
    };
    const auto last_of_best = [&](bool marked) {
        double most = 0;
        for (const Candidate& candidate : ballot.all)
            if (may(candidate, marked)) most = std::max(most, gain(candidate));
        int last = -1;
        for (const Candidate& candidate : ballot.all)
            if (may(candidate, marked) && gain(candidate) > near * most) last = candidate.dof;
        return last;
    };
    for (int d = 0; d < ballot.rank; ++d) {
        const int marked = last_of_best(true), next = marked < 0 ? last_of_best(false) : marked;
        if (next < 0) return {};
        dependent[next] = 1;
        for (Eigen::MatrixXd& K : rest) {
            const Eigen::VectorXd unit = K.col(next).normalized();
            K -= unit * (unit.transpose() * K);
        }
    }
    std::vector<int> independents;
    for (const Candidate& candidate : ballot.all)
        if (!dependent[candidate.dof]) independents.push_back(candidate.dof);
    return choice_of(ballot, std::move(independents));
}

Choice best_set(const Ballot& ballot) {
    const auto factored = [&](auto factor) {
        std::vector<decltype(factor(ballot.states.front()))> states;
        for (const ClosedState& state : ballot.states) states.push_back(factor(state));
        return states;
    };
    if (ballot.dofs - ballot.rank <= ballot.rank)
        return first_set(ballot, factored([&](const ClosedState& state) {
                             return MotionSelection(linear::motions(state.K, ballot.rank));
                         }));
    Choice best = first_set(ballot, factored([&](const ClosedState& state) {
                                return BlockedSelection(linear::row_space(state.K, ballot.rank));
                            }));
    if (best.rcond > wanted_rcond) return best;
    Choice spread = spread_set(ballot);
    if (spread.improves(best)) best = std::move(spread);
    return best;
}

std::string dof_list(const Probe& probe, const std::vector<int>& dofs) {
    std::vector<int> bodies;
    for (const int j : dofs) {
        const int body = probe.model.dof_body[probe.c.dof_begin + j];
        if (std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
    }
    return bodies.empty() ? "none" : joint_list(probe.draft, bodies);
}

/// Finds a configuration near `from` where the given positions of independent joints hold;
/// if given positions contradict each other, the independent ones determine the others.
std::optional<ClosedState> with_independents_held(const Probe& probe, const Said& said,
                                                  const std::vector<int>& chosen, const ClosedState& from) {
    if (!said.any() || holds(probe, said, from.q)) return std::nullopt;
    const Said own = independent_part(probe, said, chosen);
    if (!own.any()) return std::nullopt;
    std::optional<ClosedState> state = Holding(probe, own, {from}).next();
    if (state) state = least_change(probe, said, std::move(*state), own.held);
    return state;
}

/// Reports joints listed among the coordinates of y that are dependent, wholly or in part.
void report_dependent_names(const Probe& probe, const std::vector<int>& chosen, int rank) {
    const Draft& draft = probe.draft;
    const Cluster& c = probe.c;
    std::vector<int> bodies;
    for (int j = 0; j < c.dofs; ++j) {
        const int body = probe.model.dof_body[c.dof_begin + j];
        if (!draft.named[body] || (!bodies.empty() && bodies.back() == body)) continue;
        if (std::find(chosen.begin(), chosen.end(), j) == chosen.end()) bodies.push_back(body);
    }
    if (bodies.empty()) return;
    const bool one = bodies.size() == 1;
    draft.diagnostics.push_back(
        {Severity::warning,
         Code::independents,
         draft.source(bodies.front()).where,
         {"joint", draft.catalogue.names.joints[bodies.front()],
          (one ? "joint " : "joints ") + joint_list(draft, bodies)},
         std::string(one ? "an independent coordinate" : "independent coordinates") + ", as listed",
         std::to_string(c.dofs) + " joint coordinates and constraint rank " + std::to_string(rank) +
             " leave " + std::to_string(c.dofs - rank) + " in the cluster, taken by " +
             dof_list(probe, chosen),
         "its loops determine " + std::string(one ? "it: leave it" : "them: leave them") +
             " out of the list"});
}

}  // namespace

void choose_independents(const Probe& probe, Assembly& assembly) {
    Draft& draft = probe.draft;
    const Cluster& c = probe.c;
    const int m = c.dofs - assembly.rank;
    const std::vector<ClosedState> regular = regular_states(assembly);

    const std::vector<Candidate> all = candidates(probe);
    Choice choice = best_set({all, regular, assembly.rank, c.dofs, true});
    for (const ClosedState& state : regular) {  // one of them may be at a dead centre of a marked joint
        if (choice.rcond > wanted_rcond) break;
        const std::vector<ClosedState> only{state};
        Choice alone = best_set({all, only, assembly.rank, c.dofs, true});
        if (alone.improves(choice)) choice = std::move(alone);
    }
    std::vector<int>& chosen = choice.dofs;
    std::vector<int> marked, free;
    for (const Candidate& candidate : all) {
        if (candidate.mark == true)
            marked.push_back(candidate.dof);
        else if (!candidate.mark)
            free.push_back(candidate.dof);
    }
    const int given = static_cast<int>(marked.size()), possible = given + static_cast<int>(free.size());
    const bool wrong_number = given > m || possible < m;
    const bool all_marks_kept = std::all_of(marked.begin(), marked.end(), [&](int dof) {
        return std::find(chosen.begin(), chosen.end(), dof) != chosen.end();
    });
    if (wrong_number || static_cast<int>(chosen.size()) != m || !all_marks_kept ||
        choice.rcond < usable_rcond) {
        Choice works = best_set({all, regular, assembly.rank, c.dofs, false});
        Diagnostic d(Severity::error, Code::independents, draft.source(c.bodies.first).where,
                     cluster_subject(draft, probe.index));
        const std::string counts = std::to_string(c.dofs) + " joint coordinates and constraint rank " +
                                   std::to_string(assembly.rank) + " leave " + std::to_string(m);
        if (wrong_number) {
            d.expected =
                std::to_string(m) + " independent coordinate" + (m == 1 ? "" : "s") + " (" + counts + ")";
            d.found = given > m ? std::to_string(given) + " are marked: " + dof_list(probe, marked)
                                : "only " + std::to_string(possible) +
                                      " may be independent: the others are marked independent=\"false\"";
        } else {
            d.expected = "independent coordinates that determine all others (" + counts + ")";
            d.found = "marked " + dof_list(probe, marked) +
                      ", with which the loops cannot be solved at the assembled configuration";
        }
        d.hint = "a set that works: " + dof_list(probe, works.dofs);
        if (!wrong_number && works.rcond < usable_rcond) {  // whichever joints are marked
            d.found = "all but singular constraints, of rcond " + short_number(works.rcond);
            d.hint = "its loops nearly repeat each other: leave one out, or move it";
        }
        draft.diagnostics.push_back(d);
        choice = std::move(works);
    }
    std::sort(chosen.begin(), chosen.end(), [&](int a, int b) {
        const Table<int>& v_index = probe.model.v_index;
        return v_index[c.dof_begin + a] < v_index[c.dof_begin + b];
    });
    ClusterReport& report = draft.catalogue.reports[probe.index];
    report.rank = assembly.rank;
    report.conditioning = choice.rcond;
    const auto quality = [&](const ClosedState& state) {
        return conditioning({state}, chosen, c.dofs, assembly.rank);
    };
    const Said said = said_of(probe, draft.mechanism.start, joints_of(probe, draft.constants.neutral));
    if (auto state = with_independents_held(probe, said, chosen, assembly.neutral);
        state && quality(*state) >= std::min(wanted_rcond, quality(assembly.neutral)))
        assembly.neutral = std::move(*state);
    // assembly ended at a dead centre of this choice
    const double least = said.any() ? usable_rcond : std::clamp(choice.rcond, leading_rcond, wanted_rcond);
    if (quality(assembly.neutral) < least)
        assembly.neutral =
            *std::max_element(regular.begin(), regular.end(),
                              [&](const auto& a, const auto& b) { return quality(a) < quality(b); });
    report.neutral_conditioning = quality(assembly.neutral);
    report_dependent_names(probe, chosen, assembly.rank);
    Table<const char*> reasons(at(c.dofs), "");
    for (const Candidate& candidate : all) reasons[candidate.dof] = candidate.reason;
    for (const int dof : chosen) report.reasons.emplace_back(reasons[dof]);
    draft.independents[probe.index] = std::move(chosen);
}

}  // namespace grbda::compile
