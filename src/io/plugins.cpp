#include "plugins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string_view>

#include "io/text/number.hpp"

namespace grbda {

namespace {

constexpr const char* left_out = "it is left out";

/// Name and file of a plugin, in small letters and digits alone.
std::string identity(pugi::xml_node plugin) {
    std::string kept;
    for (const char* attribute : {"name", "filename"}) {
        for (const char c : std::string_view(plugin.attribute(attribute).value())) {
            if (c >= 'A' && c <= 'Z') kept += static_cast<char>(c - 'A' + 'a');
            if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) kept += c;
        }
        kept += ' ';
    }
    return kept;
}

/// True for plugins that drive, measure or publish: the mechanism is the same without them.
bool is_no_mechanism(const std::string& identity) {
    constexpr std::array<std::string_view, 23> words = {
        "control",    "publisher",     "diffdrive",       "differentialdrive",
        "skidsteer",  "mecanum",       "ackermann",       "tricycle",
        "omni",       "planarmove",    "trackedvehicle",  "odometry",
        "jointstate", "jointposition", "jointtrajectory", "jointpose",
        "sensor",     "contact",       "bumper",          "grasp",
        "vacuum",     "liftdrag",      "hydrodynamics"};
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return identity.find(word) != std::string::npos; });
}

std::string text_in(pugi::xml_node element, const char* child) {
    return std::string(trim(element.child(child).child_value()));
}

pugi::xml_node follower_in(pugi::xml_node plugin) {
    const pugi::xml_node follower = plugin.child("mimicJoint");
    return follower ? follower : plugin.child("mimic_joint");
}

/// A number in a text; one that is empty has its default. Returns nothing after a warning.
std::optional<double> number_in(xml::Document& document, pugi::xml_node element, const std::string& text,
                                double otherwise) {
    if (text.empty()) return otherwise;
    const std::optional<double> value = parse_number(text);
    if (value && std::isfinite(*value)) return value;
    document.report_left_out(element, "a finite number", quoted(text), left_out);
    return std::nullopt;
}

pugi::xml_node parameter(pugi::xml_node joint, const char* name) {
    return joint.find_child_by_attribute("param", "name", name);
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 4;
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        list += (i == 0 ? "" : ", ") + quoted(names[i]);
    return names.size() > most ? list + " and " + std::to_string(names.size() - most) + " more" : list;
}

}  // namespace

bool is_attachment(pugi::xml_node plugin) {
    return identity(plugin).find("detachablejoint") != std::string::npos;
}

std::optional<Attachment> read_attachment(xml::Document& document, pugi::xml_node plugin) {
    const Attachment attachment{text_in(plugin, "parent_link"), text_in(plugin, "child_model"),
                                text_in(plugin, "child_link")};
    if (!attachment.parent_link.empty() && !attachment.child_link.empty()) return attachment;
    document.report_left_out(plugin, "<parent_link> and <child_link>", "one of them without a name",
                             left_out);
    return std::nullopt;
}

bool is_mimic_plugin(pugi::xml_node plugin) { return plugin.child("joint") && follower_in(plugin); }

std::optional<PluginMimic> read_mimic_plugin(xml::Document& document, pugi::xml_node plugin) {
    const auto multiplier = number_in(document, plugin, text_in(plugin, "multiplier"), 1);
    const auto offset = number_in(document, plugin, text_in(plugin, "offset"), 0);
    if (!multiplier || !offset) return std::nullopt;
    return PluginMimic{text_in(plugin, "joint"), std::string(trim(follower_in(plugin).child_value())),
                       *multiplier, *offset};
}

std::vector<pugi::xml_node> mimics_in_control(pugi::xml_node control) {
    std::vector<pugi::xml_node> joints;
    for (const pugi::xml_node joint : control.children("joint"))
        if (parameter(joint, "mimic")) joints.push_back(joint);
    return joints;
}

std::optional<PluginMimic> read_control_mimic(xml::Document& document, pugi::xml_node joint) {
    const auto text = [&](const char* name) {
        return std::string(trim(parameter(joint, name).child_value()));
    };
    const auto multiplier = number_in(document, joint, text("multiplier"), 1);
    const auto offset = number_in(document, joint, text("offset"), 0);
    if (!multiplier || !offset) return std::nullopt;
    return PluginMimic{text("mimic"), joint.attribute("name").value(), *multiplier, *offset};
}

std::vector<std::string> names_in(pugi::xml_node element, const IsName& is_name) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& word) {
        if (is_name(word) && std::find(names.begin(), names.end(), word) == names.end())
            names.push_back(word);
    };
    const auto add_text = [&](std::string text) {
        add(std::string(trim(text)));
        std::replace(text.begin(), text.end(), ',', ' ');
        std::istringstream words(text);
        for (std::string word; words >> word;) add(word);
    };
    for (pugi::xml_node each = element; each; each = xml::next_element(each, element)) {
        for (const pugi::xml_attribute attribute : each.attributes()) {
            const std::string_view kind = attribute.name();
            const bool names_itself =
                each == element && (kind == "name" || kind == "filename" || kind == "type");
            if (!names_itself) add_text(attribute.value());
        }
        add_text(each.child_value());
    }
    return names;
}

void warn_about_plugin(xml::Document& document, pugi::xml_node plugin, const IsName& is_name) {
    if (is_no_mechanism(identity(plugin))) return;
    const std::vector<std::string> names = names_in(plugin, is_name);
    if (names.size() < 2) return;
    document.report_left_out(plugin, "joints and couplings as elements of the format",
                             "a plugin that names " + listed(names),
                             "if it connects them, the robot moves differently without it");
}

void warn_about_unknown(xml::Document& document, pugi::xml_node element, const IsName& is_name) {
    const std::vector<std::string> names = names_in(element, is_name);
    if (names.empty()) return;
    document.report_left_out(element, "joints, loops and couplings in elements that are read",
                             xml::tag(element.name()) + ", which names " + listed(names),
                             "if it constrains them, the robot moves differently without it");
}

void warn_about_name(xml::Document& document, pugi::xml_node element, const std::string& name,
                     const char* expected) {
    document.report_left_out(element, expected, quoted(name), left_out);
}

void add_mimic(xml::Document& document, pugi::xml_node element, const PluginMimic& mimic,
               RobotDescription& robot) {
    const SourceLocation where = document.where(element);
    LinearRelation following;
    following.terms = {{mimic.follower, 1, where}, {mimic.leader, -mimic.multiplier, where}};
    following.offset = -mimic.offset;
    following.mimic = true;
    for (const CouplingDescription& coupling : robot.couplings) {
        const auto* const other = coupling.as<LinearRelation>();
        if (other == nullptr || !other->mimic || other->terms[0].joint != mimic.follower) continue;
        const bool same = other->terms[1].joint == mimic.leader &&
                          other->terms[1].coefficient == -mimic.multiplier &&
                          other->offset == following.offset;
        if (!same)
            document.report_left_out(element, "one law by which " + quoted(mimic.follower) + " follows",
                                     "another than that of its <mimic>", left_out);
        return;
    }
    robot.couplings.push_back({"mimic of " + mimic.follower, std::move(following), where});
}

}  // namespace grbda
