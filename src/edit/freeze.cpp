#include "grbda/edit/edit.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "grbda/compile/build.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "grbda/mechanism.hpp"
#include "kernels/body/configuration.hpp"
#include "linear/dense.hpp"
#include "model_of_mechanism.hpp"

namespace grbda {
namespace {

/// A saved position that differs by less from the frozen one is equal except for printing.
constexpr double same_position = 1e-6;

class Freezer {
public:
    Freezer(const Mechanism& mechanism, const Model& model, const VectorX<double>& q,
            Diagnostics& diagnostics)
        : mechanism_(mechanism),
          model_(model),
          q_(q),
          diagnostics_(diagnostics),
          bodies_(editing::model_bodies(mechanism, model)),
          frozen_(mechanism.bodies.size(), 0),
          touched_(model.clusters.size(), 0) {}

    /// Returns false after an error if there is no such joint.
    bool name(const std::string& joint) {
        for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i) {
            if (mechanism_.bodies[i].joint != joint) continue;
            hold(static_cast<int>(i));
            return true;
        }
        diagnostics_.push_back({Severity::error,
                                Code::unknown_name,
                                {},
                                Subject::of("robot", mechanism_.name),
                                "a joint that moves a body, to freeze",
                                quoted(joint),
                                nearest_name_hint(joint, model_.names.joints)});
        return false;
    }

    /// Returns false after an error if the joints remove fewer freedoms, to first order,
    /// here than elsewhere: the frozen robot would then move although its loops lock it.
    bool takes_freedom() {
        std::mt19937_64 generator(1);
        const int here = freedom_taken(q_);
        for (int i = 0; i < 3 && here >= 0; ++i) {
            if (freedom_taken(random_configuration(model_, generator)) <= here) continue;
            diagnostics_.push_back({Severity::error,
                                    Code::state,
                                    {},
                                    Subject::of("robot", mechanism_.name),
                                    "joints to freeze that are at no dead centre",
                                    "one that cannot move in this configuration, but can in others",
                                    "freeze it at another configuration"});
            return false;
        }
        return true;
    }

    Mechanism run() {
        follow_couplings();
        while (follow_loops()) follow_couplings();
        drop_states();
        Mechanism result = edited();
        if (!result.states.empty()) editing::settle(result, diagnostics_);
        return result;
    }

private:
    void hold(int body) {
        frozen_[body] = 1;
        touched_[static_cast<std::size_t>(model_.bodies[bodies_[body]].cluster)] = 1;
    }
    void hold_too(int body, const std::string& by) {
        hold(body);
        diagnostics_.push_back({Severity::note, Code::locked, mechanism_.bodies[body].where,
                                Subject::of("joint", mechanism_.bodies[body].joint),
                                "frozen too: it has no freedom left", by, ""});
    }
    double position(int body, int component) const { return q_[model_.bodies[bodies_[body]].q + component]; }

    /// Rank of the rows of G of frozen joints; −1 if it cannot be computed.
    int freedom_taken(const VectorX<double>& q) const {
        constexpr double still = 1e-5;  // relative to the fastest joint: slower ones move by rounding only
        Workspace<double> data(model_);
        const VectorX<double> rest = VectorX<double>::Zero(model_.nv);
        if (model_.nv == 0 || !choose_coordinates<double>(model_, data, q, Marks::ignored) ||
            !constraint_embedding<double>(model_, data, q, rest))
            return -1;
        const MatrixX<double> G = explicit_jacobian(model_, data);
        std::vector<int> rows;
        for (std::size_t i = 0; i < frozen_.size(); ++i) {
            const Body& body = model_.bodies[bodies_[i]];
            for (int j = 0; frozen_[i] != 0 && j < velocity_size(body.joint); ++j) rows.push_back(body.v + j);
        }
        if (rows.empty()) return 0;
        const double least = still * G.cwiseAbs().maxCoeff();
        return static_cast<int>((linear::pivots(G(rows, Eigen::all)).array() > least).count());
    }

    /// Fixes the joint of a coupling with one remaining term. A joint with all coordinates fixed is frozen.
    void follow_couplings() {
        for (bool more = true; more;) {
            more = false;
            std::set<std::pair<int, int>> held;
            for (const MechanismCoupling& coupling : mechanism_.couplings) {
                const MechanismTerm* left = nullptr;
                int count = 0;
                for (const MechanismTerm& term : coupling.terms) {
                    if (frozen_[term.body] != 0) continue;
                    left = &term;
                    ++count;
                }
                if (count != 1) continue;
                held.insert({left->body, left->component});
                const int size = velocity_size(mechanism_.bodies[left->body].type);
                const auto first = held.lower_bound({left->body, 0}),
                           last = held.lower_bound({left->body, size});
                if (std::distance(first, last) < size) continue;
                hold_too(left->body, "coupling " + quoted(coupling.name) + " holds it");
                more = true;
            }
        }
    }

    /// Finds joints of clusters without remaining freedom, by building the model. Returns false if none.
    bool follow_loops() {
        Mechanism trial = edited();
        for (std::size_t i = 0, left = 0; i < frozen_.size(); ++i) {
            if (frozen_[i] != 0) continue;
            if (is_touched(static_cast<int>(i))) trial.bodies[left].actuated = false;
            ++left;
        }
        if (trial.bodies.empty()) return false;
        Diagnostics unheard;
        const Model model = build_model(trial, {}, unheard);
        if (has_errors(unheard)) return false;  // the next build reports them
        bool found = false;
        for (int i = 0; i < static_cast<int>(frozen_.size()); ++i) {
            if (frozen_[i] != 0 || !is_touched(i)) continue;
            const std::string& joint = mechanism_.bodies[i].joint;
            const auto place = std::find(model.names.joints.begin(), model.names.joints.end(), joint);
            if (place == model.names.joints.end()) continue;  // of a rod, whose spin is free
            const auto body = static_cast<int>(place - model.names.joints.begin());
            if (model.clusters[model.bodies[body].cluster].m > 0) continue;
            hold_too(i, "its loops hold it");
            found = true;
        }
        return found;
    }
    bool is_touched(int body) const {
        return touched_[static_cast<std::size_t>(model_.bodies[bodies_[body]].cluster)] != 0;
    }

    /// Drops saved states with another position of a frozen joint.
    void drop_states() {
        for (const MechanismState& state : mechanism_.states) {
            std::string elsewhere;
            for (int i = 0; i < static_cast<int>(frozen_.size()) && elsewhere.empty(); ++i) {
                const auto said = state.positions.find(mechanism_.bodies[i].joint);
                if (frozen_[i] == 0 || said == state.positions.end()) continue;
                const Body& body = model_.bodies[bodies_[i]];
                if (!(kernels::joint_distance(body.joint, q_.data() + body.q, said->second.data()) <=
                      same_position))
                    elsewhere = said->first;
            }
            if (elsewhere.empty()) continue;
            dropped_.insert(state.name);
            diagnostics_.push_back({Severity::warning, Code::state, state.where,
                                    Subject::of("state", state.name), "frozen joints where they are",
                                    "joint " + quoted(elsewhere) + " elsewhere: left out", ""});
        }
    }

    Mechanism edited() const {
        Mechanism result = mechanism_;
        const int count = static_cast<int>(mechanism_.bodies.size());
        Table<int> became(mechanism_.bodies.size(), world);
        Table<Pose> pose(mechanism_.bodies.size());  // of the old body in the body that contains it now
        result.bodies.clear();
        for (int i = 0; i < count; ++i) {
            MechanismBody body = mechanism_.bodies[i];
            const Pose above = body.parent == world ? Pose() : pose[body.parent];
            const int parent = body.parent == world ? world : became[body.parent];
            if (frozen_[i] == 0) {
                body.parent = parent;
                body.placement = above * body.placement;
                if (is_touched(i)) {  // combined coordinates may now outnumber the freedoms
                    body.independent.reset();
                    body.combined = false;
                }
                became[i] = static_cast<int>(result.bodies.size());
                result.bodies.push_back(std::move(body));
                continue;
            }
            became[i] = parent;
            pose[i] = above * editing::placement(model_, bodies_[i], q_);
            if (parent != world) merge(body, pose[i], result.bodies[parent]);
        }
        carry_over(became, pose, result);
        return result;
    }

    static void merge(const MechanismBody& from, const Pose& pose, MechanismBody& to) {
        to.inertia = merged(to.inertia, placed(from.inertia, pose));
        for (const GravityCompensation& carried : from.gravity_compensation)
            to.gravity_compensation.push_back(
                {carried.mass, pose.translation + pose.rotation * carried.point});
    }

    void carry_over(const Table<int>& became, const Table<Pose>& pose, Mechanism& result) const {
        const auto move = [&](int& body, Pose& placement) {
            if (body == world) return;
            placement = pose[body] * placement;
            body = became[body];
        };
        for (MechanismFrame& frame : result.frames) move(frame.body, frame.placement);
        for (MechanismShape& shape : result.shapes) move(shape.body, shape.placement);
        for (MechanismSensor& sensor : result.sensors) move(sensor.body, sensor.placement);
        for (GroupDescription& group : result.groups)
            for (std::size_t i = 0; i < frozen_.size(); ++i)
                if (frozen_[i] != 0) std::erase(group.joints, mechanism_.bodies[i].joint);
        for (MechanismLoop& loop : result.loops) {
            move(loop.predecessor, loop.predecessor_placement);
            move(loop.successor, loop.successor_placement);
        }
        std::erase_if(result.loops,
                      [](const MechanismLoop& loop) { return loop.predecessor == loop.successor; });
        for (MechanismCoupling& coupling : result.couplings)
            coupling.offset += take_terms(became, coupling.terms);
        for (MechanismTendon& tendon : result.tendons) {
            const double length = take_terms(became, tendon.terms);
            tendon.rest_lower -= length;
            tendon.rest_upper -= length;
        }
        std::erase_if(result.couplings, [](const MechanismCoupling& c) { return c.terms.empty(); });
        std::erase_if(result.tendons, [](const MechanismTendon& t) { return t.terms.empty(); });
        std::erase_if(result.coordinates, [&](int body) { return frozen_[body] != 0; });
        for (int& body : result.coordinates) body = became[body];
        std::erase_if(result.states, [&](const MechanismState& s) { return dropped_.count(s.name) > 0; });
        for (MechanismState& state : result.states)
            for (std::size_t i = 0; i < frozen_.size(); ++i)
                if (frozen_[i] != 0) {
                    state.positions.erase(mechanism_.bodies[i].joint);
                    state.targets.erase(mechanism_.bodies[i].joint);
                }
        std::erase_if(result.states, [](const MechanismState& state) { return state.positions.empty(); });
        editing::start_at(q_, model_, result);
    }

    /// Removes frozen terms and returns their sum.
    double take_terms(const Table<int>& became, std::vector<MechanismTerm>& terms) const {
        double sum = 0;
        for (const MechanismTerm& term : terms)
            if (frozen_[term.body] != 0) sum += term.coefficient * position(term.body, term.component);
        std::erase_if(terms, [&](const MechanismTerm& term) { return frozen_[term.body] != 0; });
        for (MechanismTerm& term : terms) term.body = became[term.body];
        return sum;
    }

    const Mechanism& mechanism_;
    const Model& model_;
    const VectorX<double>& q_;
    Diagnostics& diagnostics_;
    const Table<int> bodies_;        ///< mechanism → model
    Table<char> frozen_;             ///< per body of the mechanism
    std::vector<char> touched_;      ///< per cluster of the model: one of its joints is frozen
    std::set<std::string> dropped_;  ///< states
};

}  // namespace

Mechanism freeze(const Mechanism& mechanism, const Model& model, ConstVector<double> q,
                 const std::vector<std::string>& joints, Diagnostics& diagnostics) {
    require_size("q", q.size(), model.nq);
    const VectorX<double> at_q = q;
    if (editing::lacks_joints(model, mechanism)) {
        Diagnostics unheard;  // as of `model`
        const Model full = editing::full_model(mechanism, unheard);
        return freeze(mechanism, full, editing::full_configuration(full, model, at_q), joints, diagnostics);
    }
    Freezer freezer(mechanism, model, at_q, diagnostics);
    bool good = editing::is_closed(model, at_q, diagnostics);
    for (const std::string& joint : joints) good = freezer.name(joint) && good;
    good = good && freezer.takes_freedom();
    return good ? freezer.run() : mechanism;
}

}  // namespace grbda
