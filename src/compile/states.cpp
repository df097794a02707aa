#include <algorithm>
#include <cmath>

#include "grbda/compile/build.hpp"
#include "hold.hpp"
#include "closing/closure.hpp"

// Saved states, projected onto the loops cluster by cluster: the state
// is kept if it closes; else the given positions are kept while the
// other joints move; else only those of independent joints, if the loops
// contradict the rest; else all joints move as little as possible.

namespace grbda::compile {
namespace {

class Projection {
public:
    Projection(const Probe& probe, const std::map<std::string, std::vector<double>>& positions,
               std::vector<double>& q)
        : probe_(probe), c_(probe.c), q_(q), said_(said_of(probe, positions, joints_of(probe, q))) {
        for (int i = c_.y_begin; i < c_.y_begin + c_.m; ++i)
            independents_.push_back(probe.model.independent[i] - c_.dof_begin);
    }

    /// Returns false if no closed configuration is found; q is then unchanged.
    bool run() {
        if (constraint_state(probe_, said_.q).residual <= closed_residual) return true;
        if (says_what_is_independent() && drive_independents()) return true;
        const ClosedState neutral = constraint_state(probe_, joints_of(probe_, probe_.model.neutral));
        if (put(Holding(probe_, said_, {neutral}).next())) return true;
        const ClosedState near = close_from(probe_, said_.q);
        const Said part = independent_part(probe_, said_, independents_);
        if (part.any())
            if (auto state = Holding(probe_, part, {near, neutral}).next())
                return put(least_change(probe_, said_, std::move(*state), part.held));
        return put(least_change(probe_, said_, near)) || drive_independents();
    }

private:
    bool put(const std::optional<ClosedState>& state) {
        if (!state || !(state->residual <= closed_residual)) return false;
        put_joints(probe_, state->q, q_);
        return true;
    }
    bool says_what_is_independent() const {
        Table<char> independent(said_.held.size(), 0);
        for (const int j : independents_) independent[j] = 1;
        return said_.held == independent;
    }
    /// Moves the independent joints to their given positions, in the assembly mode of the neutral one.
    bool drive_independents() {
        if (c_.embedding == Embedding::constant) {
            closing::close_couplings(probe_.model, c_, q_.data());
            return true;
        }
        if (!closing::continue_from_neutral(probe_.model, probe_.data, probe_.index, q_.data()).ok())
            return false;
        // led quaternions are exact except for rounding
        if (says_what_is_independent())
            put(lead(probe_, constraint_state(probe_, joints_of(probe_, q_)), said_));
        return true;
    }

    const Probe& probe_;
    const Cluster& c_;
    std::vector<double>& q_;
    Said said_;
    std::vector<int> independents_;  ///< in the cluster
};

struct Way {
    double length = 0;  ///< of the component with the largest displacement
    int body = -1;
};

/// Displacements of the joints with given positions, the longest first.
std::vector<Way> ways_of(const Draft& draft, const std::map<std::string, std::vector<double>>& positions,
                         const std::vector<double>& q) {
    const std::vector<double> said = configuration(draft, positions);
    std::vector<Way> ways;
    for (int i = 0; i < draft.structure.body_count(); ++i) {
        if (positions.count(draft.catalogue.names.joints[i]) == 0) continue;
        const Body& body = draft.structure.bodies[i];
        const Way way{kernels::joint_distance(body.joint, said.data() + body.q, q.data() + body.q), i};
        if (way.length > 0) ways.push_back(way);
    }
    std::stable_sort(ways.begin(), ways.end(),
                     [](const Way& a, const Way& b) { return a.length > b.length; });
    return ways;
}

/// "'knee' moved by 0.02, 'ankle' by 0.01 (rad or m)"; empty if all displacements are negligible.
std::string moved_text(const Draft& draft, const std::vector<Way>& ways) {
    constexpr double worth_a_finding = 1e-9;
    constexpr std::size_t most = 12;
    std::string text;
    std::size_t count = 0;
    for (const Way& way : ways) {
        if (!(way.length > worth_a_finding)) break;
        if (++count > most) continue;
        text += (count == 1 ? "" : ", ") + quoted(draft.catalogue.names.joints[way.body]) +
                (count == 1 ? " moved by " : " by ") + short_number(way.length);
    }
    if (count > most) text += " and " + std::to_string(count - most) + " more by less";
    return text.empty() ? text : text + " (rad or m)";
}

/// Returns the first cluster without a closed configuration; −1 if q is on the loops.
int project(Draft& draft, Bench& bench, const std::map<std::string, std::vector<double>>& positions,
            std::vector<double>& q) {
    for (int k = 0; k < bench.model.cluster_count(); ++k)
        if (bench.model.clusters[k].rows > 0 && !Projection({draft, bench, k}, positions, q).run()) return k;
    return -1;
}

/// Neutral, with the given positions.
std::vector<double> configuration_of(const Draft& draft, const MechanismState& state) {
    const std::vector<double> named = configuration(draft, state.positions);
    std::vector<double> q = draft.constants.neutral;
    for (int i = 0; i < draft.structure.body_count(); ++i) {
        if (state.positions.count(draft.catalogue.names.joints[i]) == 0) continue;
        const Body& body = draft.structure.bodies[i];
        std::copy_n(named.begin() + body.q, position_size(body.joint), q.begin() + body.q);
    }
    return q;
}

}  // namespace

void project_states(Draft& draft, Bench& bench) {
    for (const MechanismState& state : draft.mechanism.states) {
        std::vector<double> q = configuration_of(draft, state);
        const int open = project(draft, bench, state.positions, q);
        const Subject subject = Subject::of("state", state.name);
        if (open >= 0) {
            draft.diagnostics.push_back({Severity::warning, Code::state, state.where, subject,
                                         "a configuration near one that closes the loops",
                                         "none found for the " + cluster_name(draft, open) + ": left out",
                                         "check its joint positions"});
            continue;
        }
        const std::vector<Way> ways = ways_of(draft, state.positions, q);
        if (const std::string found = moved_text(draft, ways); !found.empty())
            draft.diagnostics.push_back(
                {Severity::warning, Code::state, state.where, subject, "joint positions that close the loops",
                 found, "give them all their digits, or leave out those that others determine"});
        draft.catalogue.states.push_back(
            {state.name, std::move(q), ways.empty() ? 0 : ways.front().length, state.targets});
    }
}

void report_start(Draft& draft) {
    const auto& start = draft.mechanism.start;
    const std::vector<Way> ways = ways_of(draft, start, draft.constants.neutral);
    const std::string found = moved_text(draft, ways);
    if (found.empty()) return;
    draft.diagnostics.push_back({Severity::warning,
                                 Code::state,
                                 draft.source(ways.front().body).where,
                                 {"start", "", "start"},
                                 "joint positions that close the loops, at no singular configuration",
                                 found,
                                 "give them all their digits, or leave out those that others determine"});
}

}  // namespace grbda::compile

namespace grbda {
namespace {

std::vector<double> position_of(const Model& model, const std::vector<double>& q, int body) {
    const auto begin = q.begin() + model.bodies[body].q;
    return {begin, begin + position_size(model.bodies[body].joint)};
}

}  // namespace

Mechanism with_closed_states(Mechanism mechanism, const Model& model) {
    if (model.bodies.size() < mechanism.bodies.size()) {  // joints of rods have positions too
        LoadOptions options;
        options.rod_reduction = false;
        Diagnostics unheard;  // as of `model`
        const Model full = build_model(mechanism, options, unheard);
        return with_closed_states(std::move(mechanism), full);
    }
    for (const Cluster& c : model.clusters)
        for (const int i : c.joints) {
            std::vector<double> closed = position_of(model, model.neutral, i);
            const bool is_zero = std::all_of(closed.begin(), closed.end(), [](double x) { return x == 0; });
            if (c.rows > 0 && !is_zero) mechanism.start[model.names.joints[i]] = std::move(closed);
        }
    for (MechanismState& state : mechanism.states)
        for (const SavedState& closed : model.states) {
            if (closed.name != state.name) continue;
            for (int i = 0; i < model.body_count(); ++i)
                state.positions[model.names.joints[i]] = position_of(model, closed.q, i);
        }
    return mechanism;
}

}  // namespace grbda
