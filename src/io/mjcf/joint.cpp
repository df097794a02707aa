#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "description/rules.hpp"
#include "elements.hpp"

namespace grbda::mjcf {

namespace {

const xml::Keywords<JointType> joint_types = {{"hinge", JointType::revolute},
                                              {"slide", JointType::prismatic},
                                              {"ball", JointType::spherical},
                                              {"free", JointType::floating}};

bool is_scalar(JointType type) { return type == JointType::revolute || type == JointType::prismatic; }

/// A range that reaches MuJoCo's largest number (mjMAXVAL) has no limit there: its range has two ends.
double as_limit(double end) {
    constexpr double largest = 1e10;
    return std::abs(end) < largest ? end : std::copysign(std::numeric_limits<double>::infinity(), end);
}

/// Uses `limited`, otherwise whether there is a range.
bool is_limited(Context& context, const Element& element, bool has_range) {
    const Limited words = context.keyword(element, "limited", limited_words).value_or(Limited::automatic);
    if (words == Limited::automatic && has_range && !context.compiler_of(element.node).automatic_limits) {
        context.document.error(Code::conflict, element.node, "limited=\"true\" or \"false\"",
                               "a range under autolimits=\"false\"",
                               "leave autolimits out, and the range says that the joint is limited");
    }
    return context.limited(element, "limited", has_range);
}

void read_range(Context& context, const Element& element, JointDescription& joint) {
    const std::vector<double> zero(2, 0);
    const std::vector<double> range = context.numbers(element, "range", 2).value_or(zero);
    if (!is_limited(context, element, range != zero)) return;
    if (joint.type == JointType::spherical) {
        context.document.report(Severity::note, Code::ignored, element.node, "range not used",
                                "limits of a ball joint");
        return;
    }
    if (!(range[0] < range[1])) {  // stricter than the checks: MuJoCo allows no range of one position
        context.error(Code::out_of_range, element, "range", "a range that begins below its end");
        return;
    }
    const double unit = joint.type == JointType::revolute ? context.compiler_of(element.node).angle_unit : 1;
    joint.limits.lower = as_limit(range[0]) * unit;
    joint.limits.upper = as_limit(range[1]) * unit;
}

void read_effort(Context& context, const Element& element, JointDescription& joint) {
    const auto range = context.numbers(element, "actuatorfrcrange", 2);
    if (range && (*range)[0] < (*range)[1] && context.limited(element, "actuatorfrclimited", true)) {
        joint.limits.effort = std::max(std::abs((*range)[0]), std::abs((*range)[1]));
    }
}

/// Computes the joint's frame in the parent at q = 0, such that the body has its pose of the file at q = ref.
void place(Context& context, const Item& item, const Element& element, const Pose& body, Joint& reference,
           JointDescription& joint) {
    Pose anchor;
    if (const auto position = context.numbers(element, "pos", 3)) {
        anchor.translation = item.frame.rotation * Eigen::Vector3d(position->data()) + item.frame.translation;
    } else {
        anchor.translation = item.frame.translation;
    }
    joint.child_origin = anchor;
    joint.origin = body * anchor;
    if (!is_scalar(joint.type)) return;
    const auto axis = context.numbers(element, "axis", 3);
    const Eigen::Vector3d given = axis ? Eigen::Vector3d(axis->data()) : Eigen::Vector3d::UnitZ();
    joint.axis = item.frame.rotation * with_unit_length(given);
    if (axis) joint.places[Figure::axis] = context.document.where(context.source(element, "axis"));
    const bool turns = joint.type == JointType::revolute;
    double& ref = reference.reference.front();
    ref = context.number(element, "ref").value_or(0) *
          (turns ? context.compiler_of(element.node).angle_unit : 1);
    Pose back;
    if (turns) back.rotation = Eigen::AngleAxisd(-ref, joint.axis).toRotationMatrix();
    if (!turns) back.translation = -ref * joint.axis;
    if (ref != 0 && is_axis(given)) joint.origin = joint.origin * back;
}

void place_floating(const Pose& body, Joint& reference) {
    const Eigen::Quaterniond turn(body.rotation);
    const Eigen::Vector3d& at = body.translation;
    reference.reference = {at.x(), at.y(), at.z(), turn.x(), turn.y(), turn.z(), turn.w()};
}

/// If MuJoCo moves the frame of a body without children to its centre of mass, qpos has another meaning.
void check_alignment(Context& context, const Element& element) {
    enum class Align { no, yes, automatic };
    const xml::Keywords<Align> words = {
        {"false", Align::no}, {"true", Align::yes}, {"auto", Align::automatic}};
    const Align align = context.keyword(element, "align", words).value_or(Align::automatic);
    const bool aligned = align == Align::yes ||
                         (align == Align::automatic && context.compiler_of(element.node).align_free_bodies);
    if (!aligned || element.node.parent().child("body")) return;
    context.document.report(Severity::warning, Code::assumed, element.node,
                            "a free joint in the frame of its body", "one aligned with the body's inertia",
                            "positions, those of keyframes too, are read as those of the body's frame");
}

}  // namespace

JointDescription read_joint(Context& context, const Item& item, const Pose& body, Joint& reference) {
    xml::Document& document = context.document;
    JointDescription joint;
    joint.where = document.where(item.node);
    joint.name = item.node.attribute("name").value();
    const bool is_free_joint = std::string_view(item.node.name()) == "freejoint";
    const Element element =
        is_free_joint ? Element{item.node} : context.element(item.node, "joint", item.childclass);
    joint.type = JointType::floating;
    if (!is_free_joint) {
        joint.type = context.keyword(element, "type", joint_types).value_or(JointType::revolute);
    }
    reference.reference.assign(1, 0);
    if (joint.type == JointType::floating) {
        place_floating(body, reference);
        check_alignment(context, element);
    } else {
        if (joint.type == JointType::spherical) reference.reference = {0, 0, 0, 1};
        place(context, item, element, body, reference, joint);
        read_range(context, element, joint);
        read_effort(context, element, joint);
    }
    if (!is_free_joint) {
        joint.armature = context.number(element, "armature").value_or(0);
        read_joint_forces(context, element, joint, reference);
    }
    const bool unbounded = std::isinf(joint.limits.upper) && std::isinf(joint.limits.lower);
    if (joint.type == JointType::revolute && unbounded) joint.type = JointType::continuous;
    document.ignore_children_except(item.node, {});
    return joint;
}

}  // namespace grbda::mjcf
