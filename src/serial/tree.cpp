#include "tree.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "grbda/compile/build.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/kinematics/configuration.hpp"

namespace grbda::serial {
namespace {

/// Saved states of the kept joints, closed as in the model.
std::vector<MechanismState> states_of_tree(const Mechanism& mechanism, const Model& model,
                                           const std::set<std::string>& kept) {
    std::vector<MechanismState> result;
    for (const SavedState& saved : model.states) {
        const auto state = std::find_if(mechanism.states.begin(), mechanism.states.end(),
                                        [&](const MechanismState& each) { return each.name == saved.name; });
        if (state == mechanism.states.end()) continue;
        result.push_back(*state);
        result.back().positions.clear();
        const VectorX<double> q = Eigen::Map<const VectorX<double>>(saved.q.data(), model.nq);
        for (const std::string& joint : kept) {
            const Range range = model.joint(joint).q;
            const double* const first = q.data() + range.first;
            result.back().positions[joint] = {first, first + range.size()};
        }
    }
    return result;
}

/// Removes what makes loops: loops, couplings, and tendons that dropped joints stretch.
Mechanism opened(const Mechanism& mechanism, const Model& model, const std::set<std::string>& kept) {
    Mechanism open = mechanism;
    open.loops.clear();
    open.couplings.clear();
    open.coordinates.clear();
    open.near_rods.clear();
    for (MechanismBody& body : open.bodies) {
        body.independent.reset();
        body.combined = false;
    }
    std::erase_if(open.tendons, [&](const MechanismTendon& tendon) {
        return std::any_of(tendon.terms.begin(), tendon.terms.end(), [&](const MechanismTerm& term) {
            return kept.count(open.bodies[term.body].joint) == 0;
        });
    });
    open.states = states_of_tree(mechanism, model, kept);
    return open;
}

/// Builds the model in which rods are bodies as all others, so that each joint of the mechanism has
/// coordinates.
Model full_model(const Mechanism& mechanism, Diagnostics& diagnostics) {
    LoadOptions options;
    options.rod_reduction = false;
    return build_model(mechanism, options, diagnostics);
}

/// Copies the positions of joints that both models have. Returns the bodies of `to` with other joints.
std::vector<int> copy_positions(const Model& from, const VectorX<double>& q, const Model& to,
                                VectorX<double>& result) {
    std::vector<int> others;
    for (int i = 0; i < to.body_count(); ++i) {
        const auto joint = std::find(from.names.joints.begin(), from.names.joints.end(), to.names.joints[i]);
        if (joint == from.names.joints.end()) {
            others.push_back(i);
            continue;
        }
        const Body& body = from.bodies[static_cast<int>(joint - from.names.joints.begin())];
        const int size = position_size(body.joint);
        result.segment(to.bodies[i].q, size) = q.segment(body.q, size);
    }
    return others;
}

/// q of the open mechanism's model, with the joints of rods where they close the loops.
VectorX<double> open_configuration(const Mechanism& mechanism, const Model& model, const VectorX<double>& q,
                                   const Model& open) {
    Diagnostics unheard;  // those of `model`
    const Model full = full_model(mechanism, unheard);
    VectorX<double> closed = neutral_configuration(full);
    const std::vector<int> joints_of_rods = copy_positions(model, q, full, closed);
    static_cast<void>(
        close_joints(full, joints_of_rods, closed));  // without success the rods' joints are free
    VectorX<double> result = neutral_configuration(open);
    copy_positions(full, closed, open, result);
    return result;
}

/// Erases the entries whose place in the original list is on a dropped body.
template <class List>
void erase_of(const List& original, const std::vector<char>& dropped, List& list) {
    List left;
    for (std::size_t i = 0; i < original.size(); ++i)
        if (original[i].body == world || dropped[at(original[i].body)] == 0) left.push_back(list[i]);
    list = std::move(left);
}

/// Erases what is fixed in dropped bodies. Frames have indices, which change.
void erase_parts(const Mechanism& original, const std::vector<char>& dropped, Mechanism& tree) {
    erase_of(original.shapes, dropped, tree.shapes);
    erase_of(original.sensors, dropped, tree.sensors);
    std::vector<int> became;
    int count = 0;
    for (const MechanismFrame& frame : original.frames)
        became.push_back(frame.body == world || dropped[at(frame.body)] == 0 ? count++ : -1);
    erase_of(original.frames, dropped, tree.frames);
    const auto is_gone = [&](int frame) { return became[at(frame)] < 0; };
    std::erase_if(tree.tool_frames, [&](const std::string& name) {
        return std::none_of(tree.frames.begin(), tree.frames.end(),
                            [&](const MechanismFrame& frame) { return frame.name == name; });
    });
    std::erase_if(tree.self_collision.groups,
                  [&](const MechanismSpheres& group) { return is_gone(group.frame); });
    for (MechanismSpheres& group : tree.self_collision.groups) group.frame = became[at(group.frame)];
    std::erase_if(tree.self_collision.ignored, [&](const std::pair<int, int>& pair) {
        return is_gone(pair.first) || is_gone(pair.second);
    });
    for (auto& [a, b] : tree.self_collision.ignored) {
        a = became[at(a)];
        b = became[at(b)];
    }
}

}  // namespace

std::optional<Mechanism> make_tree(const Mechanism& mechanism, const Model& model, const VectorX<double>& q,
                                   const std::vector<char>& kept, Diagnostics& diagnostics) {
    std::set<std::string> kept_joints;
    for (int i = 0; i < model.body_count(); ++i)
        if (kept[at(i)] != 0) kept_joints.insert(model.names.joints[i]);
    std::vector<std::string> joints;
    std::vector<char> dropped;
    for (const MechanismBody& body : mechanism.bodies) {
        dropped.push_back(kept_joints.count(body.joint) == 0 ? 1 : 0);
        if (dropped.back() != 0) joints.push_back(body.joint);
    }
    const Mechanism open = opened(mechanism, model, kept_joints);
    Diagnostics found;
    const Model loose = full_model(open, found);
    if (!has_errors(found)) {
        const VectorX<double> start = open_configuration(mechanism, model, q, loose);
        Mechanism tree = freeze(open, loose, start, joints, found);
        if (!has_errors(found)) {
            erase_parts(mechanism, dropped, tree);
            return tree;
        }
    }
    for (const Diagnostic& each : found)
        if (each.severity == Severity::error) diagnostics.push_back(each);
    return {};
}

}  // namespace grbda::serial
