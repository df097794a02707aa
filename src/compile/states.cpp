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
    Projection(const Model& model, Data<double>& data, int cluster, const std::vector<char>& said,
               std::vector<double>& q)
        : model_(model), data_(data), cluster_(cluster), c_(model.clusters[at(cluster)]), q_(q) {
        for (int j = 0; j < c_.dofs; ++j) said_.push_back(said[at(model.dof_body[at(c_.dof_begin + j)])]);
    }

    /// False: no closed configuration found; q is left as it was.
    bool run() {
        const JointPositions given = joints_of(model_, c_, q_);
        if (constraint_state(model_, data_, c_, given).residual <= closed_residual) return true;
        const bool some_free = std::count(said_.begin(), said_.end(), 0) > 0;
        std::vector<char> independent(at(c_.dofs), 0), said_independent(at(c_.dofs), 0);
        for (int i = c_.y_begin; i < c_.y_begin + c_.m; ++i)
            independent[at(model_.independent[at(i)] - c_.dof_begin)] = 1;
        for (std::size_t j = 0; j < said_.size(); ++j) said_independent[j] = said_[j] && independent[j];
        if (said_ == independent && lead()) return true;
        if (some_free && close(given, said_)) return true;
        return close(given, said_independent) || close(given, {}) || lead();
    }

private:
    bool close(const JointPositions& from, const std::vector<char>& held) {
        const ClosedState state = close_from(model_, data_, c_, from, held);
        if (!(state.residual <= closed_residual)) return false;
        put_joints(model_, c_, state.q, q_);
        return true;
    }
    /// In the assembly mode of the neutral configuration.
    bool lead() {
        if (c_.embedding == Embedding::constant) {
            kernels::close_couplings(model_, c_, q_.data());
            return true;
        }
        return kernels::continue_from_neutral(model_, data_, cluster_, q_.data()).ok();
    }

    const Model& model_;
    Data<double>& data_;
    int cluster_;
    const Cluster& c_;
    std::vector<double>& q_;
    std::vector<char> said_;  ///< per dof of the cluster
};

struct Way {
    double length = 0;
    int body = -1;
};

/// Largest way of a joint of which something was said.
Way largest_way(const Model& model, const std::vector<char>& said, const std::vector<double>& from,
                const std::vector<double>& to) {
    Way way;
    for (int i = 0; i < model.body_count(); ++i) {
        if (!said[at(i)]) continue;
        const Body& body = model.bodies[at(i)];
        double delta[6];
        kernels::joint_difference(body.joint, from.data() + body.q, to.data() + body.q, delta);
        for (int j = 0; j < velocity_size(body.joint); ++j)
            if (std::abs(delta[j]) > way.length) way = {std::abs(delta[j]), i};
    }
    return way;
}

void report_way(const Model& model, const MechanismState& state, const Way& way, Diagnostics& diagnostics) {
    constexpr double worth_a_note = 1e-9;
    if (!(way.length > worth_a_note)) return;
    diagnostics.push_back({Severity::note, Code::state, state.where, Subject::of("state", state.name),
                           "moved onto the loops, which it leaves open",
                           "by up to " + short_number(way.length) + " (rad or m), at joint '" +
                               model.names.joints[at(way.body)] + "'",
                           ""});
}

}  // namespace

void project_states(const Mechanism& mechanism, const Numbering& numbering, Model& model,
                    Diagnostics& diagnostics) {
    if (mechanism.states.empty()) return;
    Data<double> data(model);
    for (const MechanismState& state : mechanism.states) {
        const std::vector<double> named = configuration(mechanism, model, numbering, state.positions);
        std::vector<double> given = model.neutral;
        std::vector<char> said(model.bodies.size(), 0);
        for (int i = 0; i < model.body_count(); ++i) {
            if (state.positions.count(model.names.joints[at(i)]) == 0) continue;
            said[at(i)] = 1;
            const Body& body = model.bodies[at(i)];
            std::copy_n(named.begin() + body.q, position_size(body.joint), given.begin() + body.q);
        }
        std::vector<double> q = given;
        int open = -1;
        for (int k = 0; k < model.cluster_count() && open < 0; ++k)
            if (model.clusters[at(k)].rows > 0 && !Projection(model, data, k, said, q).run()) open = k;
        if (open >= 0) {
            diagnostics.push_back({Severity::warning, Code::state, state.where,
                                   Subject::of("state", state.name),
                                   "a configuration near one that closes the loops",
                                   "none found for the " + cluster_name(model, open) + ": left out",
                                   "check its joint positions"});
            continue;
        }
        const Way way = largest_way(model, said, given, q);
        report_way(model, state, way, diagnostics);
        model.states.push_back({state.name, std::move(q), way.length});
    }
}

}  // namespace grbda::compile
