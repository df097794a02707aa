#include <algorithm>

#include "actuators.hpp"
#include "description/rules.hpp"

namespace grbda::mjcf {

namespace {

class KeyReader {
public:
    KeyReader(Context& context, const Tree& tree, const std::vector<Actuator>& actuators,
              RobotDescription& robot)
        : document_(context.document), tree_(tree), actuators_(actuators), robot_(robot) {}

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
        read_targets(key, state);
        robot_.states.push_back(std::move(state));
    }

    /// Converts the controls of servos; actuators without a number have none.
    void read_targets(pugi::xml_node key, StateDescription& state) {
        if (!key.attribute("ctrl")) return;
        const auto controls = parse_numbers(key.attribute("ctrl").value());
        const bool has_servos =
            std::any_of(actuators_.begin(), actuators_.end(),
                        [](const Actuator& actuator) { return actuator.servo.has_value(); });
        if (!has_servos) return;
        if (!controls || controls->size() != actuators_.size()) {
            document_.report(Severity::warning, Code::wrong_shape, key,
                             std::to_string(actuators_.size()) + " numbers in 'ctrl'",
                             "'" + std::string(key.attribute("ctrl").value()) + "'", "they are not used");
            return;
        }
        for (const auto& [joint, target] : targets_of(actuators_, *controls))
            state.targets[robot_.joints[joint].name] = target;
        for (const Actuator& actuator : actuators_)  // their targets are no controls
            if (actuator.servo && actuator.servo->is_integrated)
                state.targets.erase(robot_.joints[actuator.servo->joint].name);
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
    const std::vector<Actuator>& actuators_;
    RobotDescription& robot_;
};

}  // namespace

void read_keyframes(Context& context, const Tree& tree, const std::vector<Actuator>& actuators,
                    RobotDescription& robot) {
    KeyReader(context, tree, actuators, robot).read();
}

}  // namespace grbda::mjcf
