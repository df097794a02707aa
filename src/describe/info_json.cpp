#include <cmath>

#include <Eigen/Geometry>

#include "describe.hpp"
#include "info_json.hpp"
#include "self_collision.hpp"

namespace grbda::describe {
namespace {

OrderedJson servo_of(const ServoDescription& servo) {
    OrderedJson out = {{"stiffness", servo.stiffness}, {"damping", servo.damping}, {"target", servo.target}};
    if (std::isfinite(servo.lower)) out["lower"] = servo.lower;
    if (std::isfinite(servo.upper)) out["upper"] = servo.upper;
    return out;
}

OrderedJson bodies_json(const Model& model) {
    const std::vector<IndependentPart> parts = independent_parts(model);
    OrderedJson list = OrderedJson::array();
    for (const int i : bodies_in_user_order(model)) {
        const Body& body = model.bodies[i];
        list.push_back({{"link", model.names.bodies[i]},
                        {"parent", body_name(model, body.parent)},
                        {"joint", model.names.joints[i]},
                        {"type", to_string(body.joint)},
                        {"cluster", body.cluster},
                        {"q_index", body.q},
                        {"qd_index", body.v},
                        {"independent_components", parts[at(i)].components},
                        {"y_indices", parts[at(i)].y},
                        {"reduced_rotor", body.rotor},
                        {"actuated", model.actuated[i] != 0},
                        {"reduction", model.reduction[i]},
                        {"mass", model.inertials[i].mass}});
        if (model.servos[i]) list.back()["servo"] = servo_of(*model.servos[i]);
    }
    return list;
}

/// x y z w, with w ≥ 0.
std::vector<double> quaternion_of(const Matrix3<double>& axes) {
    const auto& [x, y, z] = axes;
    Eigen::Matrix3d rotation;
    rotation << x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z;
    Eigen::Quaterniond orientation(rotation);
    if (orientation.w() < 0) orientation.coeffs() *= -1;
    const Eigen::Vector4d xyzw = orientation.coeffs();
    return {xyzw.begin(), xyzw.end()};
}

OrderedJson sensors_json(const Model& model) {
    OrderedJson list = OrderedJson::array();
    for (const Sensor& sensor : model.sensors)
        list.push_back({{"name", sensor.name},
                        {"type", sensor.type},
                        {"link", sensor.link},
                        {"body", body_name(model, sensor.body)},
                        {"position", {sensor.position.x, sensor.position.y, sensor.position.z}},
                        {"orientation", quaternion_of(sensor.rotation)}});
    return list;
}

OrderedJson groups_json(const Model& model) {
    OrderedJson list = OrderedJson::array();
    for (const GroupDescription& group : model.groups)
        list.push_back({{"name", group.name}, {"links", group.links}, {"joints", group.joints}});
    return list;
}

OrderedJson rods_json(const Model& model) {
    OrderedJson list = OrderedJson::array();
    for (std::size_t r = 0; r < model.rods.size(); ++r) {
        const Rod& rod = model.rods[r];
        OrderedJson entry({{"link", model.names.rods[r].name},
                           {"joints", model.names.rods[r].joints},
                           {"loop", model.names.loops[model.loops[rod.loop].source]},
                           {"end_a", to_string(rod.joint)},
                           {"length", rod.length},
                           {"mass", rod.mass}});
        if (rod.strut >= 0) {
            entry["piston"] = model.names.rods[r].piston;
            entry["slide"] = model.names.rods[r].slide;
            entry["misfit"] = model.struts[rod.strut].misfit;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

OrderedJson near_rods_json(const Model& model) {
    OrderedJson list = OrderedJson::array();
    for (const MechanismNearRod& near : model.near_rods)
        list.push_back({{"link", near.name}, {"reason", near.reason}});
    return list;
}

OrderedJson shapes_json(const Model& model) {
    OrderedJson list = OrderedJson::array();
    for (const BodyShape& shape : model.shapes) {
        const Eigen::Vector3d& size = shape.shape.size;
        list.push_back(
            {{"link", shape.link},
             {"name", shape.name},
             {"kind", to_string(shape.shape.kind)},
             {"size", std::vector<double>(size.data(), size.data() + facts(shape.shape.kind).sizes)},
             {"body", body_name(model, shape.body)},
             {"position", {shape.position.x, shape.position.y, shape.position.z}},
             {"orientation", quaternion_of(shape.rotation)},
             {"visual", shape.visual},
             {"collision", shape.collision}});
        if (shape.shape.kind == ShapeKind::mesh) list.back()["mesh"] = shape.shape.mesh;
        if (shape.surface) list.back()["friction"] = shape.surface->friction;
        if (shape.color) list.back()["color"] = std::vector<double>(shape.color->begin(), shape.color->end());
    }
    return list;
}

OrderedJson self_collision_json(const Model& model) {
    const SelfCollision& robot = model.self_collision;
    if (robot.groups.empty()) return nullptr;
    const SelfDistances found = default_self_distances(model);
    const auto item = [&](int pair) {
        const GroupPair& groups = robot.pairs[pair];
        return OrderedJson{{"links", {place_name(model, groups.a), place_name(model, groups.b)}},
                           {"distance", found.all[pair].distance}};
    };
    OrderedJson out;
    out["spheres"] = robot.spheres.size();
    out["pairs"] = robot.pairs.size();
    out["free"] = found.is_known(model) ? OrderedJson(found.is_free()) : OrderedJson(nullptr);
    out["nearest"] = found.nearest < 0 ? OrderedJson(nullptr) : item(found.nearest);
    out["overlaps"] = OrderedJson::array();
    for (int pair = 0; pair < static_cast<int>(found.all.size()); ++pair)
        if (found.all[pair].distance < 0) out["overlaps"].push_back(item(pair));
    return out;
}

OrderedJson loops_json(const Model& model, const Cluster& c) {
    OrderedJson list = OrderedJson::array();
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        list.push_back({{"name", model.names.loops[loop.source]},
                        {"type", to_string(loop.type)},
                        {"predecessor", body_name(model, loop.predecessor.body)},
                        {"successor", body_name(model, loop.successor.body)},
                        {"rows_written", loop.written_rows().size()},
                        {"rows", loop.rows},
                        {"meaning", loop_rows(model, loop)}});
    }
    return list;
}

OrderedJson couplings_json(const Model& model, const Cluster& c) {
    OrderedJson list = OrderedJson::array();
    for (const int k : c.couplings) {
        const Coupling& coupling = model.couplings[k];
        OrderedJson terms = OrderedJson::array();
        for (const int t : coupling.terms) {
            const CouplingTerm& term = model.coupling_terms[t];
            const int body = model.dof_body[term.dof];
            terms.push_back({{"joint", model.names.joints[body]},
                             {"component", term.dof - model.bodies[body].dof},
                             {"coefficient", term.coefficient}});
        }
        list.push_back({{"name", model.names.couplings[coupling.source]},
                        {"equation", model.names.equations[coupling.source]},
                        {"terms", std::move(terms)},
                        {"offset", coupling.offset}});
        if (coupling.linear()) continue;
        list.back()["polynomial"] = std::vector<double>(model.polynomials.begin() + coupling.polynomial.first,
                                                        model.polynomials.begin() + coupling.polynomial.last);
        list.back()["reference"] = coupling.reference;
    }
    return list;
}

OrderedJson cluster_json(const Model& model, int index) {
    const Cluster& c = model.clusters[index];
    const ClusterReport& report = model.reports[index];
    OrderedJson joints = OrderedJson::array(), independent = OrderedJson::array();
    for (const int i : c.joints) joints.push_back(model.names.joints[i]);
    for (int j = 0; j < c.m; ++j) {
        const int dof = model.independent[c.y_begin + j], body = model.dof_body[dof];
        independent.push_back({{"joint", model.names.joints[body]},
                               {"component", dof - model.bodies[body].dof},
                               {"y_index", model.y_index[c.y_begin + j]},
                               {"reason", at(j) < report.reasons.size() ? report.reasons[at(j)] : ""}});
    }
    OrderedJson out;
    out["index"] = index;
    out["parent_cluster"] = c.parent_cluster == world ? OrderedJson(nullptr) : OrderedJson(c.parent_cluster);
    out["parent_link"] = body_name(model, c.parent_body);
    out["joints"] = std::move(joints);
    out["coordinates"] = c.dofs;
    out["dof"] = c.m;
    out["independent"] = std::move(independent);
    out["rows_written"] = report.rows_written;
    out["rows"] = c.rows;
    out["rank"] = report.rank;
    if (const std::optional<Form> form = form_of(c)) {
        const auto cost = [](double operations) {
            return std::isfinite(operations) ? OrderedJson(operations) : OrderedJson(nullptr);
        };
        out["form"] = to_string(*form);
        out["costs"] = {{"jacobians", cost(report.costs.jacobians)},
                        {"tree", cost(report.costs.tree)},
                        {"rows", cost(report.costs.rows)}};
    }
    out["conditioning"] = report.conditioning;
    out["neutral_conditioning"] = report.neutral_conditioning;
    out["singular_at_zero"] = report.singular_at_zero;
    out["open_at_zero"] = report.open_at_zero;
    out["assembled_from"] = report.start.empty() ? OrderedJson(nullptr) : OrderedJson(report.start);
    out["misfit_rows"] = report.misfit_rows;
    out["misfit"] = report.misfit;
    out["idle"] = OrderedJson::array();
    for (const std::vector<int>& group : report.idle) {
        OrderedJson links = OrderedJson::array();
        for (const int body : group) links.push_back(model.names.bodies[body]);
        out["idle"].push_back(std::move(links));
    }
    out["couplings"] = couplings_json(model, c);
    out["loops"] = loops_json(model, c);
    return out;
}

}  // namespace

OrderedJson info_json(const Model& model) {
    OrderedJson out;
    out["robot"] = model.names.robot;
    out["root"] = model.names.root;
    out["floating_base"] = has_floating_base(model);
    out["nq"] = model.nq;
    out["nv_tree"] = model.nv_tree;
    out["dof"] = model.nv;
    out["mass"] = moving_mass(model);
    out["reduced_rotors"] = model.rotors.size();
    if (!model.rods.empty()) out["rods"] = rods_json(model);
    if (!model.near_rods.empty()) out["near_rods"] = near_rods_json(model);
    out["rows"] = model.rows;
    out["bodies"] = bodies_json(model);
    out["clusters"] = OrderedJson::array();
    for (int k = 0; k < model.cluster_count(); ++k) out["clusters"].push_back(cluster_json(model, k));
    out["gravity"] = {model.gravity.x, model.gravity.y, model.gravity.z};
    out["neutral"] = model.neutral;
    out["states"] = OrderedJson::array();
    for (const SavedState& state : model.states)
        out["states"].push_back({{"name", state.name}, {"moved", state.moved}, {"q", state.q}});
    out["tool_frames"] = OrderedJson::array();
    for (const int frame : model.tool_frames)
        out["tool_frames"].push_back(
            {{"name", model.frames[frame].name}, {"link", body_name(model, model.frames[frame].body)}});
    out["shapes"] = shapes_json(model);
    out["sensors"] = sensors_json(model);
    out["groups"] = groups_json(model);
    out["self_collision"] = self_collision_json(model);
    out["diagnostics"] = to_json(model.diagnostics);
    return out;
}

}  // namespace grbda::describe
