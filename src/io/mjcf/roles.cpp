#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "description/rules.hpp"
#include "elements.hpp"

namespace grbda::mjcf {

namespace {

/// Adds the inertia of an actuator, reflected through its gear, to the joint.
void add_armature(Context& context, const Element& actuator, const Joint* joint, RobotDescription& robot) {
    const double armature = context.number(actuator, "armature").value_or(0);
    if (armature == 0) return;
    if (joint == nullptr || joint->reference.size() != 1) {
        context.error(Code::wrong_kind, actuator, "armature",
                      "an armature on the actuator of a hinge or slide joint only",
                      "give the joints an armature instead");
        return;
    }
    const auto gear = context.some_numbers(actuator, "gear", 6);
    const double ratio = gear && !gear->empty() ? gear->front() : 1;
    robot.joints[joint->index].armature += ratio * ratio * armature;
}

const Joint* find_joint(Context& context, const Tree& tree, pugi::xml_node actuator) {
    for (const char* attribute : {"joint", "jointinparent"}) {
        if (!actuator.attribute(attribute)) continue;
        const std::optional<int> index = tree.joint_names.find(context.document, actuator, attribute);
        if (index) return &tree.joints[at(*index)];
    }
    return nullptr;
}

/// The largest force of an actuator on its joint; infinity without a limit.
double largest_force(Context& context, const Element& actuator, bool is_scalar) {
    constexpr double none = std::numeric_limits<double>::infinity();
    enum class Limited { no, yes, automatic };
    const xml::Keywords<Limited> words = {
        {"false", Limited::no}, {"true", Limited::yes}, {"auto", Limited::automatic}};
    const Limited limited = context.keyword(actuator, "forcelimited", words).value_or(Limited::automatic);
    const auto range = context.numbers(actuator, "forcerange", 2);
    const bool is_automatic = context.compiler_of(actuator.node).automatic_limits;
    if (!range || limited == Limited::no || (limited == Limited::automatic && !is_automatic)) return none;
    if (!((*range)[0] < (*range)[1])) return none;
    std::vector<double> gear = context.some_numbers(actuator, "gear", 6).value_or(std::vector<double>());
    if (gear.empty()) gear.push_back(1);
    if (is_scalar) gear.resize(1);
    double squares = 0;
    for (const double ratio : gear) squares += ratio * ratio;
    return std::sqrt(squares) * std::max(std::abs((*range)[0]), std::abs((*range)[1]));
}

/// The gear of the first actuator of a hinge or slide becomes the reduction of its motor.
void set_reduction(Context& context, const Element& actuator, JointDescription& joint) {
    const auto gear = context.some_numbers(actuator, "gear", 6);
    if (!gear || gear->empty()) return;
    if (gear->front() != 0) {
        joint.reduction = gear->front();
        return;
    }
    context.document.report(Severity::note, Code::ignored, actuator.node,
                            "a gear other than zero as the reduction of its joint's motor", "zero");
}

/// Adds the efforts of motors on one hinge or slide; those of a ball joint act about separate axes.
void add_effort(double force, bool adds_up, double& effort) {
    effort = adds_up ? effort + force : std::max(effort, force);
}

bool names_joint(pugi::xml_node actuator) {
    return actuator.attribute("joint") || actuator.attribute("jointinparent");
}

class KeyReader {
public:
    KeyReader(Context& context, const Tree& tree, RobotDescription& robot)
        : document_(context.document), tree_(tree), robot_(robot) {}

    void read() {
        Names names("key");
        for (const pugi::xml_node section : document_.root().children("keyframe")) {
            for (const pugi::xml_node key : section.children("key")) names.declare(document_, key);
        }
        int number = 0;
        for (const pugi::xml_node section : document_.root().children("keyframe")) {
            for (const pugi::xml_node key : section.children("key")) {
                std::string name = key.attribute("name").value();
                if (name.empty()) name = names.unused("key_" + std::to_string(number));
                ++number;
                read_key(key, std::move(name));
            }
        }
    }

private:
    /// A key without qpos is the reference pose.
    void read_key(pugi::xml_node key, std::string name) {
        std::size_t size = 0;
        for (const Joint& joint : tree_.joints) size += joint.reference.size();
        StateDescription state;
        state.name = std::move(name);
        state.where = document_.where(key);
        for (const char* other : {"time", "qvel", "act", "ctrl", "mpos", "mquat"})
            document_.expect(key, other);
        const auto qpos = document_.numbers(key, "qpos", size);
        if (key.attribute("qpos") && !qpos) return;
        std::size_t next = 0;
        for (const Joint& joint : tree_.joints) {
            std::vector<double> position = joint.reference;
            for (std::size_t i = 0; qpos && i < position.size(); ++i) position[i] = (*qpos)[next++];
            // w x y z at the end becomes x y z w.
            if (qpos && position.size() >= 4) {
                std::rotate(position.end() - 4, position.end() - 3, position.end());
                replace_zero_quaternion(key, position);
            }
            state.positions[robot_.joints[joint.index].name] = std::move(position);
        }
        robot_.states.push_back(std::move(state));
    }

    /// The quaternion is last. For MuJoCo a zero quaternion means no rotation.
    void replace_zero_quaternion(pugi::xml_node key, std::vector<double>& position) {
        const Eigen::Map<const Eigen::Vector4d> quaternion(position.data() + position.size() - 4);
        if (quaternion.stableNorm() >= smallest_axis) return;
        std::fill(position.end() - 4, position.end() - 1, 0);
        position.back() = 1;
        document_.report(Severity::note, Code::assumed, key, "no rotation", "a quaternion of length zero");
    }

    xml::Document& document_;
    const Tree& tree_;
    RobotDescription& robot_;
};

}  // namespace

void read_actuators(Context& context, const Tree& tree, RobotDescription& robot) {
    xml::Document& document = context.document;
    std::set<std::string> known;
    std::map<std::size_t, double> efforts;
    std::vector<std::string> others;
    pugi::xml_node first_other;
    for (const pugi::xml_node section : document.root().children("actuator")) {
        for (const pugi::xml_node node : section.children()) {
            if (node.type() != pugi::node_element) continue;
            const Joint* joint = find_joint(context, tree, node);
            add_armature(context, context.element(node, "general"), joint, robot);
            look_at_actuator(context, context.element(node, "general"));
            if (joint != nullptr) {
                const std::string& name = robot.joints[joint->index].name;
                const bool is_scalar = joint->reference.size() == 1;
                if (known.insert(name).second) {
                    robot.actuated.push_back(name);
                    if (is_scalar)
                        set_reduction(context, context.element(node, "general"), robot.joints[joint->index]);
                }
                add_effort(largest_force(context, context.element(node, "general"), is_scalar), is_scalar,
                           efforts[joint->index]);
            } else if (!names_joint(node)) {
                if (others.empty()) first_other = node;
                const std::string name = node.attribute("name").value();
                others.push_back(name.empty() ? node.name() : name);
            }
        }
    }
    for (const auto& [joint, effort] : efforts)
        if (std::isinf(robot.joints[joint].limits.effort)) robot.joints[joint].limits.effort = effort;
    if (others.empty()) return;
    document.report(Severity::note, Code::assumed, first_other, "only actuators of joints are read as motors",
                    "others: " + listed(others));
}

void read_keyframes(Context& context, const Tree& tree, RobotDescription& robot) {
    KeyReader(context, tree, robot).read();
}

}  // namespace grbda::mjcf
