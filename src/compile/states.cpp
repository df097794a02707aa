#include <algorithm>
#include <cmath>

#include "compile.hpp"
#include "grbda/kernels/closure.hpp"

// Saved states, projected onto the loops cluster by cluster: what is said stays
// if it closes; else what is said of some joints is held while the others move;
// else all move, as little as need be.

namespace grbda::compile {
namespace {

class Projection {
public:
    Projection(const Probe& probe, const Table<char>& said, std::vector<double>& q)
        : probe_(probe), c_(probe.c), q_(q) {
        for (int j = 0; j < c_.dofs; ++j) said_.push_back(said[probe.model.dof_body[c_.dof_begin + j]]);
    }

    /// False: no closed configuration found; q is left as it was.
    bool run() {
        const JointPositions given = joints_of(probe_, q_);
        if (constraint_state(probe_, given).residual <= closed_residual) return true;
        const bool some_free = std::count(said_.begin(), said_.end(), 0) > 0;
        Table<char> independent(at(c_.dofs), 0), said_independent(at(c_.dofs), 0);
        for (int i = c_.y_begin; i < c_.y_begin + c_.m; ++i)
            independent[probe_.model.independent[i] - c_.dof_begin] = 1;
        for (std::size_t j = 0; j < said_.size(); ++j) said_independent[j] = said_[j] && independent[j];
        if (said_ == independent && lead()) return true;
        if (some_free && close(given, said_)) return true;
        return close(given, said_independent) || close(given, {}) || lead();
    }

private:
    bool close(const JointPositions& from, const std::vector<char>& held) {
        const ClosedState state = close_from(probe_, from, held);
        if (!(state.residual <= closed_residual)) return false;
        put_joints(probe_, state.q, q_);
        return true;
    }
    /// In the assembly mode of the neutral configuration.
    bool lead() {
        if (c_.embedding == Embedding::constant) {
            kernels::close_couplings(probe_.model, c_, q_.data());
            return true;
        }
        return kernels::continue_from_neutral(probe_.model, probe_.data, probe_.index, q_.data()).ok();
    }

    const Probe& probe_;
    const Cluster& c_;
    std::vector<double>& q_;
    Table<char> said_;  ///< per dof of the cluster
};

struct Way {
    double length = 0;
    int body = -1;
};

/// Largest way of a joint of which something was said.
Way largest_way(const Structure& model, const Table<char>& said, const std::vector<double>& from,
                const std::vector<double>& to) {
    Way way;
    for (int i = 0; i < model.body_count(); ++i) {
        if (!said[i]) continue;
        const Body& body = model.bodies[i];
        double delta[6];
        kernels::joint_difference(body.joint, from.data() + body.q, to.data() + body.q, delta);
        for (int j = 0; j < velocity_size(body.joint); ++j)
            if (std::abs(delta[j]) > way.length) way = {std::abs(delta[j]), i};
    }
    return way;
}

void report_way(const MechanismState& state, const Way& way, const Draft& draft) {
    constexpr double worth_a_note = 1e-9;
    if (!(way.length > worth_a_note)) return;
    draft.diagnostics.push_back({Severity::note, Code::state, state.where, Subject::of("state", state.name),
                                 "moved onto the loops, which it leaves open",
                                 "by up to " + short_number(way.length) + " (rad or m), at joint '" +
                                     draft.catalogue.names.joints[way.body] + "'",
                                 ""});
}

/// The first cluster of which no closed configuration was found; −1: q is on the loops.
int project(Draft& draft, Bench& bench, const Table<char>& said, std::vector<double>& q) {
    for (int k = 0; k < bench.model.cluster_count(); ++k)
        if (bench.model.clusters[k].rows > 0 && !Projection({draft, bench, k}, said, q).run()) return k;
    return -1;
}

}  // namespace

void project_states(Draft& draft, Bench& bench) {
    const Structure& model = bench.model;
    for (const MechanismState& state : draft.mechanism.states) {
        const std::vector<double> named = configuration(draft, state.positions);
        std::vector<double> given = draft.constants.neutral;
        Table<char> said(model.bodies.size(), 0);
        for (int i = 0; i < model.body_count(); ++i) {
            if (state.positions.count(draft.catalogue.names.joints[i]) == 0) continue;
            said[i] = 1;
            const Body& body = model.bodies[i];
            std::copy_n(named.begin() + body.q, position_size(body.joint), given.begin() + body.q);
        }
        std::vector<double> q = given;
        const int open = project(draft, bench, said, q);
        if (open >= 0) {
            draft.diagnostics.push_back({Severity::warning, Code::state, state.where,
                                         Subject::of("state", state.name),
                                         "a configuration near one that closes the loops",
                                         "none found for the " + cluster_name(draft, open) + ": left out",
                                         "check its joint positions"});
            continue;
        }
        const Way way = largest_way(model, said, given, q);
        report_way(state, way, draft);
        draft.catalogue.states.push_back({state.name, std::move(q), way.length});
    }
}

}  // namespace grbda::compile
