#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "call.hpp"
#include "grbda/diagnostics.hpp"

namespace grbda::c {

namespace {

/// Returns get(model), or `failed` with the text of an error.
template <class T, class Get>
T query(const char* function, const grbda_model* model, T failed, Get&& get) noexcept {
    T value = failed;
    (void)guarded(function, [&] {
        (void)model_of(model);  // refuses NULL
        value = get(*model);
        return GRBDA_OK;
    });
    return value;
}

/// Returns the number get(model), or −1.
template <class Get>
int number(const char* function, const grbda_model* model, Get&& get) noexcept {
    return query(function, model, -1, [&](const grbda_model& robot) { return static_cast<int>(get(robot)); });
}

/// Returns an entry of the list of texts get(model), or NULL.
template <class Get>
const char* text_at(const char* function, const char* kind, const grbda_model* model, int index,
                    Get&& get) noexcept {
    return query<const char*>(function, model, nullptr, [&](const grbda_model& robot) {
        const std::vector<std::string>& texts = get(robot);
        require_index(kind, index, static_cast<int>(texts.size()));
        return texts[at(index)].c_str();
    });
}

grbda_joint describe_joint(const Model& model, int index) {
    const NamedJoint joint = model.joint(model.names.joints[index]);
    const JointLimits& limits = model.limits[index];
    return {model.names.joints[index].c_str(),
            to_string(joint.type),
            joint.parent,
            joint.cluster,
            joint.q.first,
            joint.q.size(),
            joint.v.first,
            joint.v.size(),
            joint.y.first,
            joint.y.size(),
            model.actuated[index] != 0 ? 1 : 0,
            limits.lower,
            limits.upper,
            limits.velocity,
            limits.effort};
}

}  // namespace

}  // namespace grbda::c

grbda_model::grbda_model(grbda::Model robot)
    : model(std::move(robot)), motors(grbda::motor_coordinates(model)) {
    for (const grbda::Frame& frame : model.frames) frames.push_back(frame.name);
    for (const grbda::Loop& loop : model.loops) loops.push_back(model.names.loops[loop.source]);
    for (const grbda::Diagnostic& finding : model.diagnostics) findings.push_back(grbda::to_string(finding));
}

using namespace grbda::c;

extern "C" {

int grbda_nq(const grbda_model* model) {
    return number("grbda_nq", model, [](auto& robot) { return robot.model.nq; });
}

int grbda_nv(const grbda_model* model) {
    return number("grbda_nv", model, [](auto& robot) { return robot.model.nv; });
}

int grbda_nv_tree(const grbda_model* model) {
    return number("grbda_nv_tree", model, [](auto& robot) { return robot.model.nv_tree; });
}

int grbda_body_count(const grbda_model* model) {
    return number("grbda_body_count", model, [](auto& robot) { return robot.model.body_count(); });
}

int grbda_joint_count(const grbda_model* model) {
    return number("grbda_joint_count", model, [](auto& robot) { return robot.model.body_count(); });
}

int grbda_frame_count(const grbda_model* model) {
    return number("grbda_frame_count", model, [](auto& robot) { return robot.frames.size(); });
}

int grbda_loop_count(const grbda_model* model) {
    return number("grbda_loop_count", model, [](auto& robot) { return robot.loops.size(); });
}

int grbda_motor_count(const grbda_model* model) {
    return number("grbda_motor_count", model, [](auto& robot) { return robot.motors.size(); });
}

int grbda_finding_count(const grbda_model* model) {
    return number("grbda_finding_count", model, [](auto& robot) { return robot.findings.size(); });
}

const char* grbda_robot_name(const grbda_model* model) {
    return query<const char*>("grbda_robot_name", model, nullptr,
                              [](auto& robot) { return robot.model.names.robot.c_str(); });
}

const char* grbda_joint_name(const grbda_model* model, int joint) {
    return text_at(
        "grbda_joint_name", "joint", model, joint,
        [](auto& robot) -> auto& { return robot.model.names.joints; });
}

const char* grbda_body_name(const grbda_model* model, int body) {
    return text_at(
        "grbda_body_name", "body", model, body,
        [](auto& robot) -> auto& { return robot.model.names.bodies; });
}

const char* grbda_frame_name(const grbda_model* model, int frame) {
    return text_at(
        "grbda_frame_name", "frame", model, frame, [](auto& robot) -> auto& { return robot.frames; });
}

const char* grbda_loop_name(const grbda_model* model, int loop) {
    return text_at(
        "grbda_loop_name", "loop", model, loop, [](auto& robot) -> auto& { return robot.loops; });
}

const char* grbda_finding(const grbda_model* model, int finding) {
    return text_at(
        "grbda_finding", "finding", model, finding, [](auto& robot) -> auto& { return robot.findings; });
}

grbda_status grbda_find_joint(const grbda_model* model, const char* name, int* joint) {
    return guarded("grbda_find_joint", [&] {
        const grbda::Model& robot = model_of(model);
        int& index = required(joint, "joint", "an int that receives the index");
        index = robot.joint(&required(name, "name", "the name of a joint")).index;
        return GRBDA_OK;
    });
}

grbda_status grbda_find_frame(const grbda_model* model, const char* name, int* frame) {
    return guarded("grbda_find_frame", [&] {
        const grbda::Model& robot = model_of(model);
        int& index = required(frame, "frame", "an int that receives the index");
        index = robot.frame(&required(name, "name", "the name of a frame or link")).index;
        return GRBDA_OK;
    });
}

grbda_status grbda_get_joint(const grbda_model* model, int joint, grbda_joint* description) {
    return guarded("grbda_get_joint", [&] {
        const grbda::Model& robot = model_of(model);
        grbda_joint& out = required(description, "description", "a grbda_joint to fill");
        require_index("joint", joint, robot.body_count());
        out = describe_joint(robot, joint);
        return GRBDA_OK;
    });
}

grbda_status grbda_frame_body(const grbda_model* model, int frame, int* body) {
    return guarded("grbda_frame_body", [&] {
        const grbda::Model& robot = model_of(model);
        int& out = required(body, "body", "an int that receives the index");
        require_index("frame", frame, static_cast<int>(robot.frames.size()));
        out = robot.frames[frame].body;
        return GRBDA_OK;
    });
}

grbda_status grbda_get_motor(const grbda_model* model, int motor, int* joint, int* component) {
    return guarded("grbda_get_motor", [&] {
        (void)model_of(model);
        int& body = required(joint, "joint", "an int that receives the index");
        int& velocity = required(component, "component", "an int that receives the index");
        require_index("motor", motor, static_cast<int>(model->motors.size()));
        body = model->motors[grbda::at(motor)].body;
        velocity = model->motors[grbda::at(motor)].component;
        return GRBDA_OK;
    });
}

grbda_status grbda_gravity(const grbda_model* model, double* gravity) {
    return guarded("grbda_gravity", [&] {
        const grbda::Vector3<double>& g = model_of(model).gravity;
        Vector out = output("gravity", gravity, 3);
        out << g.x, g.y, g.z;
        return GRBDA_OK;
    });
}

grbda_status grbda_neutral(const grbda_model* model, double* q) {
    return guarded("grbda_neutral", [&] {
        const grbda::Model& robot = model_of(model);
        double* const out = array("q", q, robot.nq);
        std::copy(robot.neutral.begin(), robot.neutral.end(), out);
        return GRBDA_OK;
    });
}

}  // extern "C"
