#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "description/rules.hpp"
#include "io/foreign.hpp"
#include "io/text/number.hpp"
#include "elements.hpp"

namespace grbda::sdf {

namespace {

constexpr double radians_per_revolution = 2 * 3.14159265358979323846;

enum class Type { revolute, continuous, prismatic, ball, universal, fixed, screw, gearbox };

const xml::Keywords<Type> types = {
    {"revolute", Type::revolute}, {"continuous", Type::continuous}, {"prismatic", Type::prismatic},
    {"ball", Type::ball},         {"universal", Type::universal},   {"revolute2", Type::universal},
    {"fixed", Type::fixed},       {"screw", Type::screw},           {"gearbox", Type::gearbox}};

JointType joint_type(Type type) {
    switch (type) {
        case Type::continuous: return JointType::continuous;
        case Type::prismatic: return JointType::prismatic;
        case Type::ball: return JointType::spherical;
        case Type::universal: return JointType::universal;
        case Type::fixed: return JointType::fixed;
        case Type::screw: return JointType::helical;
        case Type::revolute:
        case Type::gearbox: break;
    }
    return JointType::revolute;
}

/// Pitch of a screw: metres per radian, positive for a right-handed thread.
double read_pitch(Context& context, pugi::xml_node screw, FigurePlaces& places) {
    const std::optional<double> travel = read_number(context, screw, "screw_thread_pitch");
    const std::optional<double> winding = read_number(context, screw, "thread_pitch");
    const char* const given = screw.child("screw_thread_pitch") ? "screw_thread_pitch" : "thread_pitch";
    if (!screw.child(given)) {
        context.error(Code::missing, screw, "<screw_thread_pitch> in metres per revolution", "none",
                      "the default of 1 changed its meaning between versions of SDF");
        return 1;
    }
    places[Figure::pitch] = context.document.where(screw.child(given));
    if (travel) return *travel / radians_per_revolution;
    // <thread_pitch> is in radians per metre, left-handed; 0 means no pitch either.
    if (!winding || *winding == 0) return winding.value_or(1);
    return -1 / *winding;
}

/// The link at one end of a joint; −1 after an error if it does not exist.
int read_end(Context& context, const Graph& graph, const Frame& joint, const char* end) {
    const pugi::xml_node element = context.document.required_child(joint.element, end);
    if (!element) return -1;
    const std::optional<std::string> name = read_text(context, joint.element, end);
    if (!name) return -1;
    if (name->empty()) {
        context.error(Code::missing, element, "the name of a link", "an empty one");
        return -1;
    }
    const int frame = graph.find(context, joint.scope, *name, element, end);
    if (frame < 0) return -1;
    const int body = graph.at(frame).body;
    if (body < 0)
        context.error(Code::wrong_kind, element, "a frame that a link carries",
                      quoted(*name) + " without a link");
    return body;
}

bool moves_with_model(const Graph& graph, const Frame& joint) {
    return joint.scope > 0 && graph.is_static(joint);
}

/// `has_range`: limits apply to positions; for an unknown type they may.
void read_limits(Context& context, pugi::xml_node axis, bool has_range, JointDescription& joint) {
    const pugi::xml_node limit = context.document.child(axis, "limit");
    if (!limit) return;
    constexpr auto any = xml::Range::infinity_allowed;
    const double lower = read_number(context, limit, "lower", any).value_or(-no_limit);
    const double upper = read_number(context, limit, "upper", any).value_or(no_limit);
    const double effort = read_number(context, limit, "effort", any).value_or(-1);
    const double velocity = read_number(context, limit, "velocity", any).value_or(-1);
    context.document.ignore_children_except(limit, {"lower", "upper", "effort", "velocity"});
    if (effort >= 0) joint.limits.effort = effort;
    if (velocity >= 0) joint.limits.velocity = velocity;
    const bool bounded = lower > -no_limit || upper < no_limit;
    if (!has_range) {
        if (bounded && joint.type == JointType::universal) {
            context.report(Severity::note, Code::ignored, limit, "lower and upper not used",
                           "limits of joint " + quoted(joint.name) + " with two axes");
        }
        return;
    }
    if (lower > upper) {  // not an error here, as in every description: in SDF it has a meaning
        context.report(Severity::warning, Code::out_of_range, limit, "lower not above upper",
                       "lower " + text_of(limit.child("lower")) + ", upper " + text_of(limit.child("upper")),
                       "read as unbounded, as such limits stop nothing in Gazebo");
        return;
    }
    if (lower > -no_limit) joint.limits.lower = lower;
    if (upper < no_limit) joint.limits.upper = upper;
}

/// The content of <dynamics> for one axis.
struct AxisForces {
    double damping = 0, friction = 0, stiffness = 0, rest = 0;
};

AxisForces read_dynamics(Context& context, pugi::xml_node axis) {
    const pugi::xml_node dynamics = context.document.child(axis, "dynamics");
    if (!dynamics) return {};
    context.document.ignore_children_except(dynamics,
                                            {"damping", "friction", "spring_stiffness", "spring_reference"});
    return {read_number(context, dynamics, "damping").value_or(0),
            read_number(context, dynamics, "friction").value_or(0),
            read_number(context, dynamics, "spring_stiffness").value_or(0),
            read_number(context, dynamics, "spring_reference").value_or(0)};
}

/// Reads the forces of both axes if there are two.
void read_forces(Context& context, pugi::xml_node element, JointDescription& joint) {
    const AxisForces first = read_dynamics(context, element.child("axis"));
    const bool has_second = joint.type == JointType::universal;
    const AxisForces second = has_second ? read_dynamics(context, element.child("axis2")) : first;
    const auto both = [](double a, double b) {
        return a == b ? PerCoordinate(a) : PerCoordinate(std::vector<double>{a, b});
    };
    joint.damping = both(first.damping, second.damping);
    joint.friction = both(first.friction, second.friction);
    joint.stiffness = both(first.stiffness, second.stiffness);
    if (joint.stiffness.is_zero()) return;
    joint.rest = {first.rest};
    if (has_second) joint.rest.push_back(second.rest);
}

void note_default_axis(Context& context, pugi::xml_node element, const char* child) {
    if (element.child(child).child("xyz")) return;
    context.report(Severity::note, Code::assumed, element, "axis 0 0 1, the default",
                   "no <xyz> in <" + std::string(child) + ">");
}

/// A number of a motor in another program's format; an invalid one is dropped with a warning.
double read_motor_number(Context& context, pugi::xml_node element, bool may_be_zero, double otherwise) {
    const std::optional<double> value = parse_number(text_of(element));
    if (value && std::isfinite(*value) && (may_be_zero ? *value >= 0 : *value != 0)) return *value;
    context.document.report_left_out(element,
                                     may_be_zero ? "an inertia of zero or more" : "a ratio other than zero",
                                     quoted(text_of(element)), "it is left out");
    return otherwise;
}

/// Drake's <drake:rotor_inertia> and <drake:gear_ratio>.
struct Rotor {
    double inertia = 0, ratio = 1;
    pugi::xml_node inertia_element, ratio_element;
};

Rotor read_rotor(Context& context, pugi::xml_node joint) {
    Rotor rotor;
    for (const pugi::xml_node child : joint.children()) {
        if (is_rotor_inertia(child.name())) {
            rotor.inertia_element = child;
            rotor.inertia = read_motor_number(context, child, true, 0);
        } else if (foreign_name(child.name()) == "gear_ratio") {
            rotor.ratio_element = child;
            rotor.ratio = read_motor_number(context, child, false, 1);
        }
    }
    return rotor;
}

void leave_out_rotor(Context& context, const Rotor& rotor, const std::string& joint) {
    if (rotor.inertia == 0 && rotor.ratio == 1) return;
    context.document.report_left_out(rotor.inertia != 0 ? rotor.inertia_element : rotor.ratio_element,
                                     "a motor on a joint with one axis", quoted(joint), "it is left out");
}

/// The rotor's inertia times the square of the ratio is armature. A ratio, also one of 1, means a motor.
void add_rotor(Context& context, const Rotor& rotor, Joints& joints, JointDescription& joint) {
    const bool has_one_axis = facts(joint.type).axes == 1;
    joints.motors.push_back(has_one_axis ? rotor.ratio_element : pugi::xml_node());
    if (!has_one_axis) return leave_out_rotor(context, rotor, joint.name);
    joint.reduction = rotor.ratio;
    joint.armature = rotor.inertia * rotor.ratio * rotor.ratio;
}

bool must_close_loop(Context& context, pugi::xml_node joint) {
    return read_flag(context, joint.child("physics").child("simbody"), "must_be_loop_joint");
}

void refuse_foreign_mimic(Context& context, pugi::xml_node element) {
    const pugi::xml_node mimic = element.child("drake:mimic");
    if (!mimic) return;
    context.error(Code::unsupported, mimic, "mimics of SDF itself", "<drake:mimic>",
                  "write it as a <mimic> in <axis>");
}

void ignore_the_rest(Context& context, pugi::xml_node element) {
    context.document.ignore_children_except(
        element, {"pose", "parent", "child", "axis", "axis2", "screw_thread_pitch", "thread_pitch",
                  "gearbox_ratio", "gearbox_reference_body", "drake:rotor_inertia", "drake:gear_ratio"});
    refuse_foreign_mimic(context, element);
    for (const char* child : {"axis", "axis2"}) {
        const pugi::xml_node axis = element.child(child);
        refuse_foreign_mimic(context, axis);
        context.document.ignore_children_except(
            axis, {"xyz", "limit", "dynamics", "mimic", "use_parent_model_frame"});
    }
}

/// Static models are one body with the world: their joints carry nothing that moves.
bool is_dropped(Context& context, const Graph& graph, const Frame& frame) {
    if (!moves_with_model(graph, frame)) return false;
    context.report(Severity::note, Code::rewritten, frame.element, "dropped: its model is static", "");
    return true;
}

void read_joint(Context& context, const Graph& graph, int index, Joints& joints, RobotDescription& robot) {
    const Frame& frame = graph.at(index);
    std::optional<Type> type;
    if (context.document.required_text(frame.element, "type")) {
        type = context.document.keyword(frame.element, "type", types);
    }
    ignore_the_rest(context, frame.element);
    if (is_dropped(context, graph, frame)) return;
    if (type == Type::gearbox) {
        leave_out_rotor(context, read_rotor(context, frame.element), frame.name);
        joints.gearboxes.push_back(index);
        return;
    }
    JointDescription joint = read_ends(context, graph, frame);
    // An unknown type cannot be checked: read as fixed, it causes no more findings.
    joint.type = joint_type(type.value_or(Type::fixed));
    if (type == Type::screw) joint.pitch = read_pitch(context, frame.element, joint.places);
    if (facts(joint.type).axes > 0) {
        read_axes(context, graph, frame, joint);
        read_mimics(context, graph, frame, robot);
    } else if (!type) {
        read_limits(context, frame.element.child("axis"), true, joint);
    }
    if (joint.parent.empty() || joint.child.empty()) return joints.refused.push_back(std::move(joint));
    add_rotor(context, read_rotor(context, frame.element), joints, joint);
    joints.above[joint.child].push_back(static_cast<int>(joints.moving.size()));
    joints.frames.push_back(index);
    joints.must_close.push_back(must_close_loop(context, frame.element));
    joints.moving.push_back(std::move(joint));
}

}  // namespace

JointDescription read_ends(Context& context, const Graph& graph, const Frame& frame) {
    JointDescription joint;
    joint.name = frame.name;
    joint.where = context.document.where(frame.element);
    const auto read = [&](const char* end, std::string& link, Pose& origin) {
        const int body = read_end(context, graph, frame, end);
        if (body < 0) return;
        link = graph.at(body).name;
        origin = inverse(graph.at(body).in_world) * frame.in_world;
    };
    read("parent", joint.parent, joint.origin);
    read("child", joint.child, joint.child_origin);
    return joint;
}

std::optional<Eigen::Vector3d> read_axis(Context& context, const Graph& graph, const Frame& joint,
                                         const char* child, const Pose& into) {
    const pugi::xml_node element = context.document.child(joint.element, child);
    if (!element) return std::nullopt;
    const Eigen::Vector3d xyz = read_vector(context, element, "xyz").value_or(Eigen::Vector3d::UnitZ());
    // Up to 1.4 in the model's axes; in 1.5 and 1.6 there if it states so; since 1.7 in those of any frame.
    const bool in_model =
        context.version_of(element) < 5 || read_flag(context, element, "use_parent_model_frame");
    const std::string name = context.document.text(element.child("xyz"), "expressed_in").value_or("");
    int frame = in_model ? graph.scope(joint.scope).frame : -1;
    if (!name.empty()) {
        frame = graph.find(context, joint.scope, name, element.child("xyz"), "expressed_in");
    }
    const Eigen::Vector3d axis = with_unit_length(xyz);
    const Eigen::Matrix3d& from = frame >= 0 ? graph.at(frame).in_world.rotation : joint.in_world.rotation;
    if (frame < 0 && &into == &joint.in_world) return axis;
    return into.rotation.transpose() * (from * axis);
}

void read_axes(Context& context, const Graph& graph, const Frame& frame, JointDescription& joint) {
    const pugi::xml_node element = frame.element;
    const auto read = [&](const char* child, Figure figure, Eigen::Vector3d& axis) {
        note_default_axis(context, element, child);
        axis = read_axis(context, graph, frame, child, frame.in_world).value_or(Eigen::Vector3d::UnitZ());
        const pugi::xml_node xyz = element.child(child).child("xyz");
        if (xyz) joint.places[figure] = context.document.where(xyz);
    };
    read("axis", Figure::axis, joint.axis);
    read_limits(context, element.child("axis"), facts(joint.type).has_range, joint);
    read_forces(context, element, joint);
    if (joint.type == JointType::universal) read("axis2", Figure::axis2, joint.axis2);
}

void read_joints(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot) {
    for (std::size_t i = 0; i < graph.frames.size(); ++i) {
        if (graph.frames[i].kind != Kind::joint) continue;
        read_joint(context, graph, static_cast<int>(i), joints, robot);
    }
    add_gearboxes(context, graph, joints, robot);
}

}  // namespace grbda::sdf
