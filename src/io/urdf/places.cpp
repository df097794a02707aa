#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "io/foreign.hpp"
#include "io/plugins.hpp"
#include "io/text/number.hpp"
#include "elements.hpp"

// Finds parts of the mechanism that are misplaced in URDF, or belong to
// one program only. Elements of unclear meaning are errors; elements that
// other readers of URDF also ignore are warnings, or errors under strict.

namespace grbda::urdf {

namespace {

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string tag(std::string_view name) { return "<" + std::string(name) + ">"; }

class Places {
public:
    explicit Places(Context& context) : document_(context.document) {
        for (const char* kind : {"link", "joint"})
            for (const pugi::xml_node element : document_.root().children(kind))
                names_.insert(element.attribute("name").value());
        names_.erase("");
    }

    void check() {
        const pugi::xml_node root = document_.root();
        for (pugi::xml_node element = root; element; element = xml::next_element(element, root)) {
            if (element == root) continue;
            const std::string_view parent = element.parent().name();
            if (element.parent() == root) {
                check_child_of_robot(element);
            } else if (parent == "gazebo") {
                check_child_of_gazebo(element);
            } else if (is_among(parent, {"link", "joint", "loop", "coupling", "inertial", "visual",
                                         "collision", "shape"})) {
                check_inside(element);
            }
            if (is_rotor_inertia(element.name())) count_rotor(element);
        }
        report_rotors();
    }

private:
    void check_child_of_robot(pugi::xml_node element) {
        const std::string_view name = element.name();
        if (is_foreign_constraint(name)) {
            document_.error(Code::unsupported, element, "joints and constraints as URDF+ has them", tag(name),
                            "write it as a <joint>, <loop> or <coupling>, or delete it");
        } else if (is_include(element)) {
            document_.error(Code::unsupported, element, "a URDF in one file", tag(name),
                            "put in what the other file holds");
        } else if (is_among(name, {"inertial", "mimic"})) {
            document_.report_left_out(element,
                                      tag(name) + " in a " + (name == "mimic" ? "<joint>" : "<link>"),
                                      "it in <robot>", "it is left out");
        } else if (name == "force_element") {
            document_.report_left_out(element, "joint forces as <dynamics> and <tendon> tell them", tag(name),
                                      "it is left out");
        } else if (is_among(name, {"deformable", "reduced_deformable"})) {
            document_.report_left_out(element, "rigid links", tag(name), "it is left out");
        } else if (!is_known(name)) {
            warn_about_unknown(document_, element,
                               [this](const std::string& word) { return names_.count(word) > 0; });
        }
    }

    /// Elements of <robot> that are read, or concern control, drawing or contact.
    static bool is_known(std::string_view name) {
        const bool is_foreign = name.find(':') != std::string_view::npos;
        return is_foreign || is_among(name, {"link",
                                             "joint",
                                             "loop",
                                             "coupling",
                                             "coordinate",
                                             "tendon",
                                             "frame",
                                             "material",
                                             "transmission",
                                             "start",
                                             "state",
                                             "coordinates",
                                             "tool_frame",
                                             "passive_joint",
                                             "gravity",
                                             "group",
                                             "gazebo",
                                             "ros2_control",
                                             "sensor",
                                             "mujoco",
                                             "group_state",
                                             "end_effector",
                                             "virtual_joint",
                                             "disable_collisions",
                                             "enable_collisions",
                                             "disable_default_collisions",
                                             "link_sphere_approximation"});
    }

    /// SDF that Gazebo adds to the robot; <joint:hinge> is an old form of it.
    void check_child_of_gazebo(pugi::xml_node element) {
        const std::string_view name = element.name();
        const bool is_joint = name == "joint" || name.substr(0, 6) == "joint:";
        if (!is_joint && !is_among(name, {"link", "model"})) return;
        // With a reference, <joint> contains settings of that joint.
        if (!element.attribute("name")) return;
        document_.report_left_out(element, "links, joints and loops outside of <gazebo>",
                                  tag(name) + " in it",
                                  "it is left out; a <loop> closes a loop for every program");
    }

    void check_inside(pugi::xml_node element) {
        const std::string_view name = element.name();
        const std::string_view parent = element.parent().name();
        if (is_among(name, {"link", "joint", "loop", "coupling"})) {
            document_.error(Code::misplaced, element, tag(name) + " in <robot>", "it in " + tag(parent),
                            "move it out of " + tag(parent));
        } else if (is_foreign_constraint(name)) {
            document_.error(Code::unsupported, element, "joints and constraints as URDF+ has them", tag(name),
                            "");
        } else if (name == "inertial" && parent == "loop" &&
                   trim(element.parent().attribute("type").value()) == "distance") {
            return;  // of a rod
        } else if ((name == "inertial" && parent != "link") || (name == "mimic" && parent != "joint")) {
            document_.report_left_out(element,
                                      tag(name) + " in a " + (name == "mimic" ? "<joint>" : "<link>"),
                                      "it in " + tag(parent), "it is left out");
        }
    }

    void count_rotor(pugi::xml_node element) {
        pugi::xml_node around = element.parent();
        if (std::string_view(around.name()) == "actuator") around = around.parent();
        if (std::string_view(around.name()) == "transmission" && is_simple_transmission(around)) return;
        const char* const given =
            element.attribute("value") ? element.attribute("value").value() : element.child_value();
        const std::optional<double> value = parse_number(std::string(trim(given)));
        if ((value && *value == 0) || rotors_++ > 0) return;
        first_rotor_ = element;
    }

    void report_rotors() {
        if (rotors_ == 0) return;
        document_.report_left_out(
            first_rotor_, "reflected inertia in <dynamics armature=\"…\">",
            tag(first_rotor_.name()) + (rotors_ > 1 ? ", " + std::to_string(rotors_) + " times" : ""),
            "it is left out; armature is the rotor's inertia times the square of its gear ratio");
    }

    xml::Document& document_;
    std::set<std::string> names_;  ///< of links and joints
    int rotors_ = 0;               ///< inertias that are not zero
    pugi::xml_node first_rotor_;
};

}  // namespace

bool is_include(pugi::xml_node element) { return is_among(element.name(), {"include", "xi:include"}); }

void check_places(Context& context) { Places(context).check(); }

}  // namespace grbda::urdf
