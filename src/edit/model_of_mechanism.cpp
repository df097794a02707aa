#include "model_of_mechanism.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "grbda/compile/build.hpp"
#include "constraints/closure.hpp"
#include "grbda/edit/edit.hpp"
#include "kinematics/configuration.hpp"
#include "kernels/body/joint.hpp"

namespace grbda::editing {

namespace {

Eigen::Vector3d as_eigen(const Vector3<double>& a) { return {a.x, a.y, a.z}; }

}  // namespace

Table<int> model_bodies(const Mechanism& mechanism, const Model& model) {
    require_whole(model);
    std::unordered_map<std::string, int> index;
    for (int i = 0; i < model.body_count(); ++i) index.emplace(model.names.joints[i], i);
    Table<int> bodies;
    for (const MechanismBody& body : mechanism.bodies) {
        const auto found = index.find(body.joint);
        if (found != index.end() && model.bodies[found->second].joint == body.type)
            bodies.push_back(found->second);
    }
    if (bodies.size() != mechanism.bodies.size() || bodies.size() != model.bodies.size())
        throw std::invalid_argument("a model built of another mechanism: it has " +
                                    std::to_string(model.bodies.size()) + " bodies, of which " +
                                    std::to_string(bodies.size()) + " are of the mechanism's " +
                                    std::to_string(mechanism.bodies.size()));
    return bodies;
}

Model full_model(const Mechanism& mechanism, Diagnostics& diagnostics) {
    LoadOptions options;
    options.rod_reduction = false;
    return build_model(mechanism, options, diagnostics);
}

VectorX<double> full_configuration(const Model& full, const Model& model, const VectorX<double>& q) {
    VectorX<double> result = neutral_configuration(full);
    std::vector<int> of_rods;
    for (int i = 0; i < full.body_count(); ++i) {
        const auto joint =
            std::find(model.names.joints.begin(), model.names.joints.end(), full.names.joints[i]);
        if (joint == model.names.joints.end()) {
            of_rods.push_back(i);
            continue;
        }
        const Body& body = model.bodies[static_cast<int>(joint - model.names.joints.begin())];
        const int size = position_size(body.joint);
        result.segment(full.bodies[i].q, size) = q.segment(body.q, size);
    }
    static_cast<void>(close_joints(full, of_rods, result));  // whoever asks finds out whether it is closed
    return result;
}

std::vector<double> position_of(const Model& model, int body, const VectorX<double>& q) {
    const Body& b = model.bodies[body];
    return {q.data() + b.q, q.data() + b.q + position_size(b.joint)};
}

Pose placement(const Model& model, int body, const VectorX<double>& q) {
    const Body& b = model.bodies[body];
    const double* const at = q.data() + b.q;
    const Matrix3<double> R =
        kernels::joint_rotation(b, Matrix3<double>::identity(), kernels::turned_by(b, at), at);
    Pose pose;
    pose.rotation << as_eigen(R.x), as_eigen(R.y), as_eigen(R.z);
    pose.translation = as_eigen(kernels::joint_displacement(b, at));
    return pose;
}

void start_at(const VectorX<double>& q, const Model& model, Mechanism& mechanism) {
    mechanism.start.clear();
    for (const MechanismBody& body : mechanism.bodies)
        mechanism.start[body.joint] = position_of(model, model.joint(body.joint).index, q);
}

void settle(Mechanism& mechanism, Diagnostics& diagnostics) {
    Diagnostics found;
    const Model model = full_model(mechanism, found);
    if (has_errors(found)) return;  // the next build reports them
    start_at(neutral_configuration(model), model, mechanism);
    std::vector<MechanismState> states;
    for (const SavedState& saved : model.states) {
        const auto state = std::find_if(mechanism.states.begin(), mechanism.states.end(),
                                        [&](const MechanismState& each) { return each.name == saved.name; });
        states.push_back(*state);
        if (saved.moved == 0) continue;
        const VectorX<double> q = Eigen::Map<const VectorX<double>>(saved.q.data(), model.nq);
        for (const MechanismBody& body : mechanism.bodies)
            states.back().positions[body.joint] = position_of(model, model.joint(body.joint).index, q);
    }
    mechanism.states = std::move(states);
    for (const Diagnostic& each : found)
        if (each.code == Code::state && each.subject.kind == "state") diagnostics.push_back(each);
}

bool is_closed(const Model& model, const VectorX<double>& q, Diagnostics& diagnostics) {
    Workspace<double> data(model);
    const Result result = closure_residual<double>(model, data, q);
    if (result.ok()) return true;
    char residual[32];
    std::snprintf(residual, sizeof residual, "%.3g", result.residual);
    diagnostics.push_back(
        {Severity::error,
         Code::not_closed,
         {},
         Subject::of("robot", model.names.robot),
         "a configuration that closes the loops",
         result.status == Status::not_finite
             ? "numbers that are not finite"
             : std::string("one that leaves them open by ") + residual + " of the size of their cluster",
         "close_loops() closes it"});
    return false;
}

void clear_marks(const Model& model, const std::vector<char>& clusters, Mechanism& mechanism) {
    for (MechanismBody& body : mechanism.bodies) {
        const int cluster = model.joint(body.joint).cluster;
        if (clusters[static_cast<std::size_t>(cluster)] != 0) body.independent.reset();
    }
}

}  // namespace grbda::editing
