#include <algorithm>

#include "elements.hpp"

// Forces of MJCF without a control: springs, dampers, dry friction and gravity
// compensation are kept; forces that a description cannot represent give a warning.

namespace grbda::mjcf {

namespace {

/// Later versions have more coefficients after the linear one.
constexpr std::size_t most_coefficients = 10;

/// Returns the linear coefficient; other nonzero ones cannot be represented.
double read_linear(Context& context, const Element& element, const char* attribute, const std::string& name) {
    const auto values = context.some_numbers(element, attribute, most_coefficients);
    if (!values || values->empty()) return 0;
    const bool is_linear =
        std::all_of(values->begin() + 1, values->end(), [](double value) { return value == 0; });
    if (!is_linear) context.summary.nonlinear.add(element.node, name);
    return values->front();
}

/// True if MuJoCo computes stiffness and damping from these two, with the inertia at the reference pose.
bool is_tuned(Context& context, const Element& element, const std::string& name) {
    const auto values = context.some_numbers(element, "springdamper", 2);
    const bool tuned = values && values->size() == 2 && (*values)[0] > 0 && (*values)[1] > 0;
    if (tuned) context.summary.tuned.add(element.node, name);
    return tuned;
}

void report(xml::Document& document, const Finding& finding, const char* expected, const std::string& what,
            const char* hint) {
    if (finding.names.empty()) return;
    document.report_left_out(finding.first, expected, what + " " + listed(finding.names), hint);
}

}  // namespace

void read_joint_forces(Context& context, const Element& element, JointDescription& joint, Joint& reference) {
    const Compiler& compiler = context.compiler;
    const std::string name = joint.name.empty() ? "joint" : joint.name;
    const double stiffness = read_linear(context, element, "stiffness", name);
    const double damping = read_linear(context, element, "damping", name);
    const double friction = context.number(element, "frictionloss").value_or(0);
    const bool turns = joint.type == JointType::revolute;
    const double unit = turns ? context.compiler_of(element.node).angle_unit : 1;
    reference.spring = context.number(element, "springref").value_or(0) * unit;
    if (compiler.has_friction) joint.friction = friction;
    if (is_tuned(context, element, name)) return;
    if (compiler.has_dampers) joint.damping = damping;
    if (!compiler.has_springs || stiffness == 0) return;
    joint.stiffness = stiffness;
    // The springs of other joint types are slack at the reference pose; springref is ignored.
    if (joint.type == JointType::floating) joint.rest = reference.reference;
    if (reference.reference.size() == 1) joint.rest = {reference.spring};
}

void add_tendon_forces(Context& context, const Tree& tree, const std::string& name, const Tendon& tendon,
                       RobotDescription& robot) {
    const Compiler& compiler = context.compiler;
    const Element element = context.element(tendon.element, "tendon");
    TendonDescription result;
    result.name = name;
    result.stiffness = read_linear(context, element, "stiffness", name);
    result.damping = read_linear(context, element, "damping", name);
    result.friction = context.number(element, "frictionloss").value_or(0);
    if (!compiler.has_springs) result.stiffness = 0;
    if (!compiler.has_dampers) result.damping = 0;
    if (!compiler.has_friction) result.friction = 0;
    if (result.stiffness == 0 && result.damping == 0 && result.friction == 0) return;
    if (!tendon.fixed) return context.summary.spatial.add(tendon.element, name);
    std::map<std::string, double> coefficients;
    for (const LinearTerm& term : tendon.terms) coefficients[term.joint] += term.coefficient;
    double slack = 0;
    for (const Joint& joint : tree.joints) {
        const auto entry = coefficients.find(robot.joints[joint.index].name);
        if (entry == coefficients.end() || entry->second == 0) continue;
        result.terms.push_back({entry->first, entry->second, context.document.where(tendon.element)});
        slack += entry->second * joint.spring;
    }
    if (result.terms.empty()) return;  // its length is constant
    // One number sets both lengths, and −1 the length at the joints' springref.
    const Element own{context.source(element, "springlength")};
    const auto lengths = context.some_numbers(own, "springlength", 2).value_or(std::vector<double>());
    result.rest_lower = lengths.empty() ? -1 : lengths.front();
    result.rest_upper = lengths.empty() ? -1 : lengths.back();
    if (result.rest_lower == -1 && result.rest_upper == -1) result.rest_lower = result.rest_upper = slack;
    result.where = context.document.where(tendon.element);
    robot.tendons.push_back(std::move(result));
}

void add_gravity_compensation(const Context& context, RobotDescription& robot) {
    for (const auto& [index, share] : context.compensated) {
        LinkDescription& link = robot.links[index];
        if (!link.inertial || !context.compiler.has_compensation) continue;
        link.gravity_compensation.push_back({share * link.inertial->mass, link.inertial->com});
    }
}

void report_left_out_forces(Context& context) {
    xml::Document& document = context.document;
    const Summary& summary = context.summary;
    report(document, summary.nonlinear, "stiffness and damping of one number", "further coefficients on",
           "the first one is used: springs and dampers are linear here");
    report(document, summary.tuned, "stiffness and damping as numbers", "springdamper on",
           "its spring and damper are left out: MuJoCo finds them with the robot's inertia");
    report(document, summary.spatial, "springs, dampers and friction on joints and fixed tendons",
           "some on spatial tendons", "they are left out: their length is not linear in the joints");
    report(document, summary.acting, "servos of hinges and slides, or no force at zero control",
           "actuators that act otherwise:", "their forces are left out");
    if (!summary.filtered.names.empty())
        document.report(Severity::note, Code::ignored, summary.filtered.first,
                        "targets of servos follow their controls at once",
                        "activation dynamics of " + listed(summary.filtered.names));
    report(document, summary.plugins, "forces that the file tells", "plugins in bodies",
           "what forces they have is left out");
    report(document, summary.flexes, "rigid bodies", "<flex>", "what forces it has is left out");
}

}  // namespace grbda::mjcf
