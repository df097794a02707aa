#include <cmath>
#include <utility>

#include "description/rules.hpp"
#include "elements.hpp"

namespace grbda::sdf {

namespace {

/// Cosine of the largest angle between a gearbox's axis and that of its joint.
constexpr double parallel_cosine = 1 - 1e-6;

class GearboxReader {
public:
    GearboxReader(Context& context, const Graph& graph, const Joints& joints)
        : context_(context), graph_(graph), joints_(joints) {}

    /// θ₂ + ratio θ₁ = 0, both relative to the reference body: θ₁ of the parent, θ₂ of the child.
    std::optional<CouplingDescription> read(const Frame& frame) {
        const JointDescription ends = read_ends(context_, graph_, frame);
        const std::string reference = read_reference(frame);
        CouplingDescription gearbox{frame.name, {}, ends.where};
        const double ratio = read_ratio(frame.element, gearbox.places);
        if (ends.parent.empty() || ends.child.empty() || reference.empty()) return std::nullopt;
        if (ends.parent == ends.child) {  // the checks report it
            gearbox.relation = GearRelation{ends.parent, ends.child, ratio};
            return gearbox;
        }
        const std::optional<LinearTerm> first = find(frame, "axis", reference, ends.parent);
        const std::optional<LinearTerm> second = find(frame, "axis2", reference, ends.child);
        if (!first || !second) return std::nullopt;
        LinearRelation relation;
        relation.terms = {*second, *first};
        relation.terms[1].coefficient *= ratio;
        gearbox.relation = std::move(relation);
        return gearbox;
    }

private:
    /// Returns the link; empty after an error without one.
    std::string read_reference(const Frame& frame) {
        const pugi::xml_node element =
            context_.document.required_child(frame.element, "gearbox_reference_body");
        if (!element) return {};
        const std::optional<std::string> name = read_text(context_, frame.element, "gearbox_reference_body");
        const int found = name ? graph_.find(context_, frame.scope, *name, element, "reference body") : -1;
        if (found < 0) return {};
        const int body = graph_.at(found).body;
        if (body < 0) context_.error(Code::wrong_kind, element, "a frame that a link carries", quoted(*name));
        return body < 0 ? std::string() : graph_.at(body).name;
    }

    double read_ratio(pugi::xml_node gearbox, FigurePlaces& places) {
        const pugi::xml_node given = gearbox.child("gearbox_ratio");
        if (!given) {
            context_.report(Severity::note, Code::assumed, gearbox, "ratio 1, the default",
                            "no <gearbox_ratio>");
            return 1;
        }
        places[Figure::ratio] = context_.document.where(given);
        return read_number(context_, gearbox, "gearbox_ratio").value_or(1);
    }

    /// The revolute joint between two links, in either direction; −1 without one.
    int joint_between(const std::string& a, const std::string& b) const {
        for (const auto& [parent, child] : {std::pair(&a, &b), std::pair(&b, &a)}) {
            const auto above = joints_.above.find(*child);
            if (above == joints_.above.end()) continue;
            for (const int joint : above->second) {
                const JointDescription& candidate = joints_.moving[static_cast<std::size_t>(joint)];
                const bool turns =
                    candidate.type == JointType::revolute || candidate.type == JointType::continuous;
                if (turns && candidate.parent == *parent) return joint;
            }
        }
        return -1;
    }

    /// The angle from the reference to a link as ± a joint's position:
    /// about the gearbox's axis, or, if it has none, about the joint's.
    std::optional<LinearTerm> find(const Frame& frame, const char* axis, const std::string& reference,
                                   const std::string& link) {
        const int index = joint_between(reference, link);
        if (index < 0) {
            context_.error(Code::missing, frame.element,
                           "a revolute joint between the reference body and " + quoted(link),
                           "none between " + quoted(reference) + " and " + quoted(link),
                           "a gearbox relates two joints; it holds no link itself");
            return std::nullopt;
        }
        const JointDescription& joint = joints_.moving[static_cast<std::size_t>(index)];
        double sign = joint.parent == reference ? 1 : -1;
        const auto given = read_axis(context_, graph_, frame, axis, Pose());
        if (given && is_axis(joint.axis)) {  // the checks report an invalid axis of the joint
            const Frame& held = graph_.at(joints_.frames[static_cast<std::size_t>(index)]);
            const double cosine = given->dot(held.in_world.rotation * joint.axis);
            if (!(std::abs(cosine) >= parallel_cosine)) {
                const pugi::xml_node xyz = frame.element.child(axis).child("xyz");
                context_.error(Code::unsupported, frame.element.child(axis),
                               "an axis parallel to that of joint " + quoted(joint.name),
                               xyz ? quoted(text_of(xyz)) : "0 0 1, the default");
                return std::nullopt;
            }
            if (cosine < 0) sign = -sign;
        }
        return LinearTerm{joint.name, sign, context_.document.where(frame.element)};
    }

    Context& context_;
    const Graph& graph_;
    const Joints& joints_;
};

}  // namespace

void read_mimics(Context& context, const Graph& graph, const Frame& joint, RobotDescription& robot) {
    xml::Document& document = context.document;
    const pugi::xml_node second = joint.element.child("axis2").child("mimic");
    if (second)
        context.error(Code::unsupported, second, "a mimic of a joint with one axis", "<mimic> in <axis2>");
    const pugi::xml_node mimic = document.child(joint.element.child("axis"), "mimic");
    if (!mimic) return;
    document.ignore_children_except(mimic, {"multiplier", "offset", "reference"});
    const xml::Keywords<int> axes = {{"axis", 0}, {"axis2", 1}};
    if (document.keyword(mimic, "axis", axes).value_or(0) > 0) {
        context.error(Code::unsupported, mimic, "a leader with one axis", "axis=\"axis2\"");
    }
    const std::optional<std::string> name = document.required_text(mimic, "joint");
    const int leader = name ? graph.find(context, joint.scope, *name, mimic, "joint") : -1;
    if (leader < 0) return;
    if (graph.at(leader).kind != Kind::joint) {
        context.error(Code::unknown_name, mimic, "the name of a joint", quoted(*name) + ", which is none");
        return;
    }
    const double multiplier = read_number(context, mimic, "multiplier").value_or(1);
    const double reference = read_number(context, mimic, "reference").value_or(0);
    const SourceLocation where = document.where(mimic);
    LinearRelation following;
    following.terms = {{joint.name, 1, where}, {graph.at(leader).name, -multiplier, where}};
    following.offset = multiplier * reference - read_number(context, mimic, "offset").value_or(0);
    following.mimic = true;
    robot.couplings.push_back({"mimic of " + joint.name, std::move(following), where});
}

void add_gearboxes(Context& context, const Graph& graph, const Joints& joints, RobotDescription& robot) {
    GearboxReader reader(context, graph, joints);
    for (const int gearbox : joints.gearboxes) {
        if (auto coupling = reader.read(graph.at(gearbox))) robot.couplings.push_back(*coupling);
    }
}

}  // namespace grbda::sdf
