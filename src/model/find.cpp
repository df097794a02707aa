#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "grbda/model/arguments.hpp"
#include "grbda/model/model.hpp"

// Finds joints, links and frames by name, and says why one is not found.

namespace grbda {

namespace {

/// Lists the nearest names; if none is near, the first ones.
std::string unknown(const char* kind, const std::string& name, const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string text = std::string("no ") + kind + " is called '" + name + "'";
    const std::string hint = nearest_name_hint(name, names);
    if (!hint.empty()) return text + ": " + hint;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        text += (i == 0 ? "; there are '" : ", '") + names[i] + "'";
    return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Says why a joint of the files is not among those that move bodies.
std::string missing_joint(const Names& names, const std::string& joint) {
    if (contains(names.loops, joint))
        return "joint '" + joint + "' closes a loop and has no coordinates: names.loops lists it";
    for (const RodNames& rod : names.rods)
        if (contains(rod.joints, joint))
            return "joint '" + joint + "' has no coordinates: it is an end of the rod '" + rod.name +
                   "'; LoadOptions::rod_reduction = false keeps it";
    return unknown("joint that moves a body", joint, names.joints);
}

Rod& find_rod(Model& model, const std::string& name) {
    std::vector<std::string> names;
    for (std::size_t r = 0; r < model.rods.size(); ++r) {
        names.push_back(model.names.rods[r].name);
        if (names.back() == name) return model.rods[r];
    }
    throw std::invalid_argument(unknown("rod", name, names));
}

int find_joint(const Names& names, const std::string& joint) {
    const auto found = std::find(names.joints.begin(), names.joints.end(), joint);
    if (found == names.joints.end()) throw std::invalid_argument(missing_joint(names, joint));
    return static_cast<int>(found - names.joints.begin());
}

/// Index of a frame, or only of a link.
int find_frame(const Catalogue& catalogue, const std::string& name, bool links_only = false) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < catalogue.frames.size(); ++i) {
        const Frame& frame = catalogue.frames[i];
        if (links_only && !frame.is_link) continue;
        if (frame.name == name) return static_cast<int>(i);
        names.push_back(frame.name);
    }
    throw std::invalid_argument(unknown(links_only ? "link" : "frame", name, names));
}

CoordinateRanges ranges_of(const Structure& model, int body) {
    const Body& moved = model.bodies[body];
    const Cluster& cluster = model.clusters[moved.cluster];
    const int size = velocity_size(moved.joint);
    CoordinateRanges ranges{{moved.q, moved.q + position_size(moved.joint)}, {moved.v, moved.v + size}, {}};
    for (int i = cluster.y_begin; i < cluster.y_begin + cluster.m; ++i) {
        if (model.dof_body[model.independent[i]] != body) continue;
        const Range place{model.y_index[i], model.y_index[i] + 1};
        ranges.y = ranges.y.empty() ? place : hull(ranges.y, place);
    }
    return ranges;
}

/// Topmost link of a body; in the world the root link, unless it floats.
std::string link_of(const Model& model, int body) {
    if (body != world) return model.names.bodies[body];
    return contains(model.names.bodies, model.names.root) ? "" : model.names.root;
}

NamedFrame frame_at(const Model& model, int index) {
    const Frame& frame = model.frames[index];
    NamedFrame found{{}, frame.name, index, frame.body, world, {}};
    if (frame.body == world) return found;
    found.cluster = model.cluster_of(frame.body);
    if (model.is_rod(frame.body)) return found;
    static_cast<CoordinateRanges&>(found) = ranges_of(model, frame.body);
    found.joint = model.names.joints[frame.body];
    return found;
}

}  // namespace

Model with_spin_momentum(Model model, const std::string& rod, double momentum) {
    Rod& spinning = find_rod(model, rod);
    if (spinning.guided())
        throw std::invalid_argument("the joint at end A of rod '" + rod + "' determines its spin");
    if (spinning.axial <= 0)
        throw std::invalid_argument("rod '" + rod + "' has no moment of inertia about its line");
    if (!std::isfinite(momentum)) throw std::invalid_argument("momentum must be finite");
    spinning.spin_momentum = momentum;
    return model;
}

NamedJoint Model::joint(const std::string& name) const {
    require_whole(*this);
    const int index = find_joint(names, name);
    const Body& body = bodies[index];
    return {ranges_of(*this, index),
            name,
            body.joint,
            index,
            body.parent,
            body.cluster,
            link_of(*this, body.parent),
            names.bodies[index]};
}

NamedFrame Model::link(const std::string& name) const {
    require_whole(*this);
    return frame_at(*this, find_frame(*this, name, true));
}

NamedFrame Model::frame(const std::string& name) const {
    require_whole(*this);
    return frame_at(*this, find_frame(*this, name));
}

std::vector<NamedJoint> Model::joints() const {
    require_whole(*this);
    std::vector<NamedJoint> all;
    for (const std::string& name : names.joints) all.push_back(joint(name));
    std::sort(all.begin(), all.end(),
              [](const NamedJoint& a, const NamedJoint& b) { return a.q.first < b.q.first; });
    return all;
}

Eigen::Ref<Eigen::VectorXd> positions(const Model& model, Eigen::Ref<Eigen::VectorXd> q,
                                      const std::string& joint) {
    require_size("q", q.size(), model.nq);
    const Range range = model.joint(joint).q;
    return q.segment(range.first, range.size());
}

Eigen::Ref<Eigen::VectorXd> velocities(const Model& model, Eigen::Ref<Eigen::VectorXd> qd,
                                       const std::string& joint) {
    require_size("qd", qd.size(), model.nv_tree);
    const Range range = model.joint(joint).v;
    return qd.segment(range.first, range.size());
}

}  // namespace grbda
