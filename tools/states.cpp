#include "states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <unordered_map>

#include "describe/describe.hpp"

namespace grbda::tool {

using describe::InputError;
using describe::Json;
namespace {

constexpr double smallest_quaternion = 1e-6;  ///< a shorter one has no usable direction
constexpr std::size_t most_problems = 20;     ///< shown; a wrong name usually occurs in every state

std::string kind(const Json& json) {
    return std::string(json.is_array()     ? "a list"
                       : json.is_object()  ? "an object"
                       : json.is_null()    ? "null"
                       : json.is_string()  ? "a string"
                       : json.is_boolean() ? "true or false"
                                           : "a number");
}

bool is_zero(const Json& json) {
    if (!json.is_array()) return json.is_number() && json.get<double>() == 0;
    return std::all_of(json.begin(), json.end(), [](const Json& x) { return is_zero(x); });
}

std::string counted(std::size_t count) {
    return count == 1 ? "a number" : "a list of " + std::to_string(count) + " numbers";
}

/// Parser of one file. It collects problems; invalid values leave the previous ones unchanged.
class Matcher {
public:
    Matcher(const Model& model, const std::string& file, const VectorX<double>& start)
        : model_(model), file_(file), start_(start), parts_(describe::independent_parts(model)) {
        for (int i = 0; i < model.body_count(); ++i) joints_.emplace(model.names.joints[i], i);
        for (std::size_t i = 0; i < model.frames.size(); ++i) {
            frames_.emplace(model.frames[i].name, static_cast<int>(i));
            frame_names_.push_back(model.frames[i].name);
        }
        for (const int i : describe::bodies_in_user_order(model))
            if (!parts_[at(i)].y.empty()) independent_joints_.push_back(model.names.joints[i]);
        for (const RodNames& rod : model.names.rods) rod_joints_.insert(rod.joints.begin(), rod.joints.end());
    }

    StatesInput read(const Json& json);

private:
    StateInput read_state(const Json& json, const std::string& where);
    void read_positions(const Json& json, const std::string& where, StateInput& state);
    void read_wrenches(const Json& json, const std::string& where, StateInput& state);
    /// Reads numbers of spanning joints into x [nv_tree]; returns per body whether it was named.
    std::vector<char> read_spanning(const Json& json, const std::string& where, VectorX<double>& x);
    void read_forces(const Json& json, const std::string& where, VectorX<double>& tau);
    void read_independent(const Json& json, const std::string& where, VectorX<double>& y);
    void neutral_positions(StateInput& state) const;
    void default_positions(StateInput& state) const;
    template <class Place>
    void combine(std::vector<char>& named, double of_offset, const Place& place, VectorX<double>& x) const;

    int joint(const std::string& name, const std::string& where);
    bool is_object(const Json& json, const std::string& where);
    std::vector<double> numbers(const Json& json, std::size_t size, const std::string& where);
    void only(const Json& json, const std::vector<std::string>& keys, const std::string& where);
    void problem(const std::string& where, const std::string& what) {
        if (problem_count_++ < most_problems) problems_ += file_ + ": " + where + ": " + what + "\n";
    }

    const Model& model_;
    std::string file_;
    const VectorX<double>& start_;
    std::vector<describe::IndependentPart> parts_;
    std::vector<std::string> independent_joints_, frame_names_;
    std::unordered_map<std::string, int> joints_, frames_;
    std::set<std::string> rod_joints_,
        ignored_;  ///< joints without coordinates, and those of them that are named
    std::string problems_;
    std::size_t problem_count_ = 0;
};

bool Matcher::is_object(const Json& json, const std::string& where) {
    if (json.is_object()) return true;
    problem(where, "expected an object, found " + kind(json));
    return false;
}

void Matcher::only(const Json& json, const std::vector<std::string>& keys, const std::string& where) {
    for (const auto& item : json.items())
        if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
            problem(where, describe::with_hint(
                               "unknown key '" + item.key() + "', expected one of " + describe::some_of(keys),
                               item.key(), keys));
}

int Matcher::joint(const std::string& name, const std::string& where) {
    const auto found = joints_.find(name);
    if (found != joints_.end()) return found->second;
    if (rod_joints_.count(name) > 0) {
        ignored_.insert(name);
        return -1;
    }
    problem(where, describe::with_hint("no joint of this name can move", name, model_.names.joints));
    return -1;
}

/// Returns `size` finite numbers, or none.
std::vector<double> Matcher::numbers(const Json& json, std::size_t size, const std::string& where) {
    std::vector<double> values;
    if (json.is_number() && size == 1) return {json.get<double>()};
    if (!json.is_array() || json.size() != size) {
        problem(where, "expected " + counted(size) + ", found " +
                           (json.is_array() ? "a list of " + std::to_string(json.size()) : kind(json)));
        return {};
    }
    for (std::size_t i = 0; i < size; ++i) {
        if (!json[i].is_number()) {
            problem(where + "[" + std::to_string(i) + "]", "expected a number, found " + kind(json[i]));
            return {};
        }
        values.push_back(json[i].get<double>());
    }
    return values;
}

/// Uses the start or the assembled configuration, which closes the loops.
void Matcher::neutral_positions(StateInput& state) const {
    state.q = Eigen::Map<const VectorX<double>>(model_.neutral.data(), model_.nq);
    if (start_.size() > 0) state.q = start_;
    state.complete = true;
}

/// Sets all positions to the start; without one, independent coordinates to zero and the others
/// as assembled. A joint with a quaternion and any independent component starts without rotation.
void Matcher::default_positions(StateInput& state) const {
    state.q = Eigen::Map<const VectorX<double>>(model_.neutral.data(), model_.nq);
    if (start_.size() > 0) {
        state.q = start_;
        return;
    }
    for (int i = 0; i < model_.body_count(); ++i) {
        const Body& body = model_.bodies[i];
        const int size = position_size(body.joint);
        if (parts_[at(i)].components.empty()) continue;
        if (has_quaternion(body.joint)) {
            state.q.segment(body.q, size).setZero();
            state.q[body.q + size - 1] = 1;
        } else {
            for (const int component : parts_[at(i)].components) state.q[body.q + component] = 0;
        }
    }
}

/// Combined coordinates that are not named although all their joints are.
template <class Place>
void Matcher::combine(std::vector<char>& named, double of_offset, const Place& place,
                      VectorX<double>& x) const {
    for (const int l : model_.combined) {
        const Coupling& coupling = model_.couplings[l];
        const CouplingTerm& own = model_.coupling_terms[coupling.terms.first];
        bool known = true;
        double sum = of_offset * coupling.offset;
        for (int t = coupling.terms.first + 1; t < coupling.terms.last; ++t) {
            const CouplingTerm& term = model_.coupling_terms[t];
            known = known && named[at(model_.dof_body[term.dof])] != 0;
            sum += term.coefficient * x[place(term)];
        }
        char& is_named = named[at(model_.dof_body[own.dof])];
        if (known && is_named == 0) x[place(own)] = sum;
        is_named = known || is_named != 0;
    }
}

void Matcher::read_positions(const Json& json, const std::string& where, StateInput& state) {
    if (!is_object(json, where)) return;
    std::vector<char> named(model_.bodies.size(), 0);
    bool guess = false;
    for (const auto& item : json.items()) {
        const std::string here = where + "." + item.key();
        const int i = joint(item.key(), here);
        if (i < 0) continue;
        const Body& body = model_.bodies[i];
        const int size = position_size(body.joint);
        guess = guess || std::ssize(parts_[at(i)].y) < velocity_size(body.joint);
        const std::vector<double> values = numbers(item.value(), at(size), here);
        if (values.empty()) continue;
        auto q = state.q.segment(body.q, size);
        q = Eigen::Map<const VectorX<double>>(values.data(), size);
        named[at(i)] = 1;
        if (!has_quaternion(body.joint)) continue;
        const double length = q.tail<4>().stableNorm();
        constexpr double rounding = 1e-15;  // a quaternion with this length is unchanged to the bit
        if (length < smallest_quaternion)
            problem(here, "expected a quaternion x y z w, found one of length zero");
        else if (std::abs(length - 1) > rounding)
            q.tail<4>() /= length;
    }
    combine(
        named, 1, [](const CouplingTerm& term) { return term.q; }, state.q);
    state.complete = std::find(named.begin(), named.end(), 0) == named.end();
    if (start_.size() > 0 && !guess) state.from = start_;
}

std::vector<char> Matcher::read_spanning(const Json& json, const std::string& where, VectorX<double>& x) {
    std::vector<char> named(model_.bodies.size(), 0);
    if (!is_object(json, where)) return named;
    for (const auto& item : json.items()) {
        const std::string here = where + "." + item.key();
        const int i = joint(item.key(), here);
        if (i < 0) continue;
        const int size = velocity_size(model_.bodies[i].joint);
        const std::vector<double> values = numbers(item.value(), at(size), here);
        if (values.empty()) continue;
        x.segment(model_.bodies[i].v, size) = Eigen::Map<const VectorX<double>>(values.data(), size);
        named[at(i)] = 1;
    }
    return named;
}

/// Reads forces on any joint; for a partly independent joint also those on its independent components.
void Matcher::read_forces(const Json& json, const std::string& where, VectorX<double>& tau) {
    if (!is_object(json, where)) return;
    Json whole = json;
    for (const auto& item : json.items()) {
        const auto found = joints_.find(item.key());
        if (rod_joints_.count(item.key()) > 0 && !is_zero(item.value()))
            problem(where + "." + item.key(),
                    "this joint is a rod's end, which takes no force: give --no-rod-reduction");
        if (found == joints_.end()) continue;
        const describe::IndependentPart& part = parts_[at(found->second)];
        const auto size = at(velocity_size(model_.bodies[found->second].joint));
        const std::size_t given = item.value().is_array() ? item.value().size() : 1;
        if (given != part.components.size() || given == size) continue;
        Json spread = std::vector<double>(size, 0);
        for (std::size_t k = 0; k < given; ++k)
            spread[at(part.components[k])] = item.value().is_array() ? item.value()[k] : item.value();
        whole[item.key()] = spread;
    }
    read_spanning(whole, where, tau);
}

void Matcher::read_independent(const Json& json, const std::string& where, VectorX<double>& y) {
    if (!is_object(json, where)) return;
    for (const auto& item : json.items()) {
        const std::string here = where + "." + item.key();
        const int i = joint(item.key(), here);
        if (i < 0) continue;
        const describe::IndependentPart& part = parts_[at(i)];
        if (part.y.empty()) {
            problem(here, "this joint is dependent: its value follows from the independent joints " +
                              describe::some_of(independent_joints_));
            continue;
        }
        const std::vector<double> values = numbers(item.value(), part.y.size(), here);
        for (std::size_t k = 0; k < values.size(); ++k) y[part.y[k]] = values[k];
    }
}

void Matcher::read_wrenches(const Json& json, const std::string& where, StateInput& state) {
    if (!is_object(json, where)) return;
    state.wrenches.setZero(6, model_.body_count());
    for (const auto& item : json.items()) {
        const std::string here = where + "." + item.key();
        const auto found = frames_.find(item.key());
        if (found == frames_.end()) {
            problem(here, describe::with_hint("no link of this name", item.key(), frame_names_));
            continue;
        }
        const std::vector<double> w = numbers(item.value(), 6, here);
        const Frame& frame = model_.frames[found->second];
        if (w.empty() || frame.body == world) continue;
        if (model_.is_rod(frame.body)) {
            state.rod_wrenches.push_back({found->second, Eigen::Map<const Eigen::VectorXd>(w.data(), 6)});
            continue;
        }
        // from the link's frame to its body's, with moments about the body's origin
        const Vector3<double> force = frame.rotation * Vector3<double>{w[0], w[1], w[2]};
        const Vector3<double> moment =
            frame.rotation * Vector3<double>{w[3], w[4], w[5]} + cross(frame.position, force);
        Eigen::Matrix<double, 6, 1> wrench;
        wrench << force.x, force.y, force.z, moment.x, moment.y, moment.z;
        state.wrenches.col(frame.body) += wrench;
    }
}

StateInput Matcher::read_state(const Json& json, const std::string& where) {
    StateInput state;
    state.yd.setZero(model_.nv);
    state.ydd.setZero(model_.nv);
    state.qd.setZero(model_.nv_tree);
    state.tau.setZero(model_.nv_tree);
    state.wrenches.resize(6, 0);
    default_positions(state);
    if (!is_object(json, where)) return state;
    only(json, {"q", "yd", "qd", "ydd", "tau", "wrenches"}, where);
    if (json.contains("yd") && json.contains("qd")) problem(where, "expected yd or qd, found both");
    if (json.contains("q") && !(json["q"].is_object() && json["q"].empty()))
        read_positions(json["q"], where + ".q", state);
    else
        neutral_positions(state);
    if (json.contains("yd")) read_independent(json["yd"], where + ".yd", state.yd);
    if (json.contains("ydd")) read_independent(json["ydd"], where + ".ydd", state.ydd);
    if (json.contains("tau")) read_forces(json["tau"], where + ".tau", state.tau);
    if (json.contains("wrenches")) read_wrenches(json["wrenches"], where + ".wrenches", state);
    state.has_ydd = json.contains("ydd");
    state.has_qd = json.contains("qd");
    if (!state.has_qd) return state;
    std::vector<char> named = read_spanning(json["qd"], where + ".qd", state.qd);
    combine(
        named, 0, [this](const CouplingTerm& term) { return model_.v_index[term.dof]; }, state.qd);
    state.qd_complete = std::find(named.begin(), named.end(), 0) == named.end();
    state.qd_given.assign(at(model_.nv_tree), 0);
    for (int i = 0; i < model_.body_count(); ++i) {
        const Body& body = model_.bodies[i];
        for (int j = 0; j < velocity_size(body.joint); ++j) state.qd_given[at(body.v + j)] = named[at(i)];
        for (const int component : parts_[at(i)].components) state.qd_given[at(body.v + component)] = 1;
    }
    return state;
}

StatesInput Matcher::read(const Json& json) {
    StatesInput input{model_.gravity, {}, {}};
    if (is_object(json, "file")) {
        only(json, {"gravity", "states"}, "file");
        if (json.contains("gravity")) {
            const std::vector<double> g = numbers(json["gravity"], 3, "gravity");
            if (!g.empty()) input.gravity = {g[0], g[1], g[2]};
        }
        if (json.empty()) {
            input.states.push_back(read_state(json, "file"));
        } else if (!json.contains("states") || !json["states"].is_array()) {
            problem("states", "expected a list of states, found " +
                                  (json.contains("states") ? kind(json["states"]) : "no such key") +
                                  "; {} alone is one neutral state");
        } else {
            for (std::size_t i = 0; i < json["states"].size(); ++i)
                input.states.push_back(read_state(json["states"][i], "states[" + std::to_string(i) + "]"));
        }
    }
    if (problem_count_ > most_problems)
        problems_ += file_ + ": and " + std::to_string(problem_count_ - most_problems) + " more problems\n";
    if (problem_count_ > 0) throw InputError(problems_.substr(0, problems_.size() - 1));
    input.ignored.assign(ignored_.begin(), ignored_.end());
    return input;
}

}  // namespace

StatesInput match_states(const Json& json, const std::string& file, const Model& model,
                         const VectorX<double>& start) {
    return Matcher(model, file, start).read(json);
}

void print_ignored(const StatesInput& input, const std::string& file) {
    if (input.ignored.empty()) return;
    std::fprintf(stderr, "%s: note: joints of rods have no coordinates and are left out: %s\n", file.c_str(),
                 describe::some_of(input.ignored).c_str());
}

}  // namespace grbda::tool
