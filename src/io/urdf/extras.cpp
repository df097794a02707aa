#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "description/name_index.hpp"
#include "description/rules.hpp"
#include "grbda/table.hpp"
#include "io/foreign.hpp"
#include "io/text/number.hpp"
#include "io/text/rpy.hpp"
#include "elements.hpp"

namespace grbda::urdf {

namespace {

class RoleReader {
public:
    RoleReader(Context& context, RobotDescription& robot)
        : context_(context), document_(context.document), robot_(robot) {
        for (const JointDescription& joint : robot.joints) joints_.add(joint.name);
        for (const LinkDescription& link : robot.links) {
            links_.add(link.name);
            frames_.add(link.name);
        }
        for (const FrameDescription& frame : robot.frames) frames_.add(frame.name);
    }

    void read() {
        const pugi::xml_node root = document_.root();
        for (const pugi::xml_node element : root.children("transmission")) {
            if (is_role(element)) read_transmission(element);
        }
        report_reductions();
        if (const pugi::xml_node start = document_.child(root, "start")) {
            note_unused_attributes(context_, start, {});
            robot_.start = read_positions(start);
        }
        for (const pugi::xml_node state : root.children("state")) read_state(state);
        if (const pugi::xml_node order = document_.child(root, "coordinates")) read_coordinates(order);
        for (const pugi::xml_node group : root.children("group")) read_group(group);
        for (const pugi::xml_node gazebo : root.children("gazebo")) read_sensors(gazebo);
        for (const pugi::xml_node tool : root.children("tool_frame")) read_tool_frame(tool);
        if (const pugi::xml_node gravity = document_.child(root, "gravity")) read_gravity(gravity);
    }

private:
    /// nullptr if the file has no joint of this name.
    const JointDescription* find_joint(const std::string& name) const {
        const int index = joints_.find(name);
        return index < 0 ? nullptr : &robot_.joints[static_cast<std::size_t>(index)];
    }

    LinkDescription* find_link(const std::string& name) {
        const auto link = std::find_if(robot_.links.begin(), robot_.links.end(),
                                       [&](const LinkDescription& each) { return each.name == name; });
        return link == robot_.links.end() ? nullptr : &*link;
    }

    /// The joint that an element names; empty after an error if it does not exist.
    std::string read_joint_name(pugi::xml_node element) {
        const std::string name = document_.required_text(element, "name").value_or("");
        if (name.empty() || name == root_joint_name || joints_.find(name) >= 0) return name;
        document_.error(Code::unknown_name, element, "a known joint", "'" + name + "'", joints_.hint(name));
        return {};
    }

    /// The same for a transmission, which is read even if the joint does not exist.
    std::string read_driven_name(pugi::xml_node element) {
        const std::string name = document_.required_text(element, "name").value_or("");
        if (name.empty() || name == root_joint_name || joints_.find(name) >= 0) return name;
        const std::string hint = joints_.hint(name);
        document_.report(Severity::warning, Code::unknown_name, element, "a known joint", "'" + name + "'",
                         "its motor is left out" + (hint.empty() ? "" : "; " + hint));
        return {};
    }

    /// Finds joints under an element, each once; calls `add` with element and name.
    template <class Add>
    void read_joints(pugi::xml_node owner, Add&& add) {
        document_.ignore_children_except(owner, {"joint"});
        std::set<std::string> names;
        for (const pugi::xml_node element : owner.children("joint")) {
            document_.ignore_children_except(element, {});
            const std::string name = read_joint_name(element);
            if (name.empty()) continue;
            if (names.insert(name).second) {
                add(element, name);
            } else {
                document_.error(Code::repeated, element, "each joint once", "it twice");
            }
        }
    }

    /// `targets` of servos are read if it is not null.
    std::map<std::string, std::vector<double>> read_positions(
        pugi::xml_node owner, std::map<std::string, double>* targets = nullptr) {
        std::map<std::string, std::vector<double>> positions;
        read_joints(owner, [&](pugi::xml_node element, const std::string& name) {
            note_unused_attributes(context_, element, {"name", "value", targets ? "target" : "value"});
            if (targets && element.attribute("target"))
                if (const auto target = document_.number(element, "target")) targets->emplace(name, *target);
            std::vector<double> values = read_numbers(context_, element, "value");
            if (!values.empty() && fits(element, name, values.size())) positions[name] = std::move(values);
        });
        return positions;
    }

    bool fits(pugi::xml_node element, const std::string& name, std::size_t size) {
        const JointDescription* const joint = find_joint(name);
        const JointType type = joint == nullptr ? JointType::floating : joint->type;
        if (type == JointType::fixed) {
            document_.report(Severity::warning, Code::wrong_kind, element, "a joint that moves",
                             "a fixed one", "its position is not used");
            return false;
        }
        const std::size_t expected = static_cast<std::size_t>(position_size(type));
        if (size == expected) return true;
        const std::string noun = expected == 1 ? " number for a " : " numbers for a ";
        document_.error(Code::wrong_shape, element,
                        std::to_string(expected) + noun + to_string(type) + " joint", std::to_string(size));
        return false;
    }

    void read_state(pugi::xml_node element) {
        note_unused_attributes(context_, element, {"name", "group"});
        StateDescription state;
        state.where = document_.where(element);
        state.name = document_.required_text(element, "name").value_or("");
        state.group = document_.text(element, "group").value_or("");
        state.positions = read_positions(element, &state.targets);
        robot_.states.push_back(std::move(state));
    }

    void read_coordinates(pugi::xml_node element) {
        note_unused_attributes(context_, element, {});
        read_joints(element, [&](pugi::xml_node joint, const std::string& name) {
            note_unused_attributes(context_, joint, {"name"});
            robot_.coordinates.push_back(name);
        });
    }

    void read_tool_frame(pugi::xml_node element) {
        document_.ignore_children_except(element, {});
        note_unused_attributes(context_, element, {"name"});
        const std::string name = document_.required_text(element, "name").value_or("");
        if (name.empty()) return;
        if (frames_.find(name) >= 0) {
            robot_.tool_frames.push_back(name);
        } else {
            document_.error(Code::unknown_name, element, "a known link or frame", "'" + name + "'",
                            frames_.hint(name));
        }
    }

    void read_gravity(pugi::xml_node element) {
        document_.ignore_children_except(element, {});
        note_unused_attributes(context_, element, {"xyz"});
        if (!document_.required_text(element, "xyz")) return;
        const auto xyz = document_.numbers(element, "xyz", 3);
        if (xyz) robot_.gravity = Eigen::Vector3d(xyz->data());
    }

    void read_transmission(pugi::xml_node element) {
        document_.ignore_children_except(
            element, {"type", "joint", "actuator", "mechanicalReduction", "rotorInertia", "motorInertia"});
        Gear gear = read_gear(element);
        for (const pugi::xml_node actuator : element.children("actuator")) {
            document_.ignore_children_except(
                actuator, {"hardwareInterface", "mechanicalReduction", "rotorInertia", "motorInertia",
                           "drake:rotor_inertia", "drake:gear_ratio"});
            gear.add(read_gear(actuator));
        }
        for (const pugi::xml_node joint : element.children("joint")) {
            document_.ignore_children_except(joint, {"hardwareInterface", "mechanicalReduction"});
            gear.add(read_gear(joint));
            const std::string name = read_driven_name(joint);
            if (name.empty()) continue;
            const int index = joints_.find(name);
            if (index >= 0 && robot_.joints[at(index)].type == JointType::fixed) {
                document_.report(Severity::warning, Code::wrong_kind, joint, "a joint that moves",
                                 "a fixed one", "this part of the transmission is not used");
            } else if (motors_.insert(name).second) {
                robot_.actuated.push_back(name);
                if (index < 0 || !is_simple_transmission(element)) continue;
                if (velocity_size(robot_.joints[at(index)].type) == 1)
                    put(gear, robot_.joints[at(index)]);
                else if (gear.ratio != 1 || gear.rotor_inertia != 0)
                    document_.report(Severity::warning, Code::wrong_kind, joint,
                                     "a joint with one coordinate for a reduction or the inertia of a rotor",
                                     "'" + name + "'", "they are left out");
            } else if (gear.ratio != 1 || gear.rotor_inertia != 0) {
                document_.report_left_out(joint, "one transmission of a joint with a reduction or a rotor",
                                          "another of '" + name + "'",
                                          "its reduction and rotor are left out");
            }
        }
        if (!is_simple_transmission(element) && gear.ratio != 1 && ++reductions_ == 1)
            first_geared_ = element;
    }

    /// A transmission between one motor and one joint.
    struct Gear {
        double ratio = 1;
        double rotor_inertia = 0;                ///< on the motor's side
        std::optional<double> rotor_ratio = {};  ///< of the rotor, if it has its own ratio

        void add(const Gear& other) {
            if (other.ratio != 1) ratio = other.ratio;
            rotor_inertia += other.rotor_inertia;
            if (other.rotor_ratio) rotor_ratio = other.rotor_ratio;
        }
    };

    static void put(const Gear& gear, JointDescription& joint) {
        const double ratio = gear.rotor_ratio.value_or(gear.ratio);
        joint.reduction = gear.ratio != 1 ? gear.ratio : ratio;
        joint.armature += gear.rotor_inertia * ratio * ratio;
    }

    Gear read_gear(pugi::xml_node owner) {
        Gear gear;
        for (const pugi::xml_node element : owner.children()) {
            const std::string_view kind = element.name();
            if (kind == "mechanicalReduction") gear.ratio = read_ratio(element).value_or(1);
            if (foreign_name(kind) == "gear_ratio") gear.rotor_ratio = read_ratio(element);
            if (is_rotor_inertia(kind)) gear.rotor_inertia += read_rotor_inertia(element);
        }
        return gear;
    }

    /// The number in an element, or in its attribute `value`.
    static std::string number_in(pugi::xml_node element) {
        const pugi::xml_attribute value = element.attribute("value");
        return std::string(trim(value ? value.value() : element.child_value()));
    }

    std::optional<double> read_ratio(pugi::xml_node element) {
        const std::string text = number_in(element);
        const std::optional<double> value = parse_number(text);
        if (value && std::isfinite(*value) && *value != 0) return value;
        document_.report(Severity::note, Code::ignored, element, "not used, as it is no ratio",
                         "'" + text + "'");
        return std::nullopt;
    }

    double read_rotor_inertia(pugi::xml_node element) {
        const std::string text = number_in(element);
        const std::optional<double> value = parse_number(text);
        if (value && std::isfinite(*value) && *value >= 0) return *value;
        document_.report_left_out(element, "an inertia of zero or more", "'" + text + "'", "it is left out");
        return 0;
    }

    void report_reductions() {
        if (reductions_ == 0) return;
        document_.report(Severity::note, Code::ignored, first_geared_,
                         "the reductions of a transmission with several joints or actuators are not used",
                         std::to_string(reductions_) + " of these",
                         "motors that share joints are bodies on a <coupling>");
    }

    /// Members of a group. A group does not affect motion: unknown names are dropped with a warning.
    std::vector<std::string> read_members(pugi::xml_node group, const char* kind, const NameIndex& known) {
        std::vector<std::string> members;
        for (const pugi::xml_node element : group.children(kind)) {
            std::string name = element.attribute("name").value();
            if (known.find(name) >= 0) {
                members.push_back(std::move(name));
            } else {
                document_.report(Severity::warning, Code::unknown_name, element,
                                 "a known " + std::string(kind), "'" + name + "'",
                                 "the group goes without it");
            }
        }
        return members;
    }

    void read_group(pugi::xml_node element) {
        if (!is_role(element)) return;
        document_.ignore_children_except(element, {"link", "joint"});
        note_unused_attributes(context_, element, {"name"});
        GroupDescription group;
        group.where = document_.where(element);
        group.name = element.attribute("name").value();
        if (!groups_.insert(group.name).second) {
            document_.report(Severity::warning, Code::duplicate_name, element,
                             "a group name that no other has", "'" + group.name + "' again",
                             "it is left out");
            return;
        }
        group.links = read_members(element, "link", links_);
        group.joints = read_members(element, "joint", joints_);
        robot_.groups.push_back(std::move(group));
    }

    /// Sensors of Gazebo are in the link, or at the end of the joint, that `reference` names.
    void read_sensors(pugi::xml_node gazebo) {
        if (!gazebo.child("sensor")) return;
        const std::string reference = gazebo.attribute("reference").value();
        LinkDescription* link = find_link(reference);
        const JointDescription* const joint = find_joint(reference);
        if (!link && joint) link = find_link(joint->child);
        if (!link) {
            document_.report(Severity::warning, Code::unknown_name, gazebo, "a known link or joint",
                             "'" + reference + "'", "its sensors are left out");
            return;
        }
        for (const pugi::xml_node element : gazebo.children("sensor")) {
            document_.mark_not_needed(element);
            SensorDescription sensor;
            sensor.where = document_.where(element);
            sensor.name = document_.text(element, "name").value_or("");
            sensor.type = document_.text(element, "type").value_or("");
            const std::string pose(trim(element.child("pose").child_value()));
            const auto numbers = parse_numbers(pose);
            if (numbers && numbers->size() == 6) {
                sensor.origin.translation = Eigen::Vector3d(numbers->data());
                sensor.origin.rotation = rotation_from_rpy(Eigen::Vector3d(numbers->data() + 3));
            } else if (!pose.empty()) {
                document_.report(Severity::warning, Code::bad_number, element.child("pose"), "6 numbers",
                                 "'" + pose + "'", "the sensor is left out");
                continue;
            }
            link->sensors.push_back(std::move(sensor));
        }
    }

    Context& context_;
    xml::Document& document_;
    RobotDescription& robot_;
    NameIndex joints_;
    NameIndex links_;
    NameIndex frames_;  ///< including links
    std::set<std::string> motors_;
    std::set<std::string> groups_;
    int reductions_ = 0;  ///< transmissions with unused ratios
    pugi::xml_node first_geared_;
};

}  // namespace

FrameDescription read_frame(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    note_unused_attributes(context, element, {"name", "link"});
    document.ignore_children_except(element, {"origin"});
    FrameDescription frame;
    frame.where = document.where(element);
    frame.name = document.required_text(element, "name").value_or("");
    frame.link = document.required_text(element, "link").value_or("");
    frame.origin = read_origin(context, element);
    return frame;
}

bool is_simple_transmission(pugi::xml_node element) {
    const auto count = [&](const char* kind) {
        const auto children = element.children(kind);
        return std::distance(children.begin(), children.end());
    };
    return count("joint") == 1 && count("actuator") <= 1;
}

bool is_role(pugi::xml_node element) {
    const std::string_view kind = element.name();
    if (kind == "transmission") return !element.child("joint").empty();
    if (kind == "group") return !element.attribute("name").empty();
    return kind == "start" || kind == "state" || kind == "coordinates" || kind == "tool_frame" ||
           kind == "gravity";
}

void read_roles(Context& context, RobotDescription& robot) { RoleReader(context, robot).read(); }

}  // namespace grbda::urdf
