#include "grbda/io/side_files.hpp"

#include <optional>
#include <utility>

#include "io/text/number.hpp"
#include "io/readers.hpp"
#include "sections.hpp"

namespace grbda {

namespace xrdf {

bool Context::is_place(const yaml::Node& node, const std::string& name) {
    if (index.places.find(name) >= 0) return true;
    const bool is_pruned = pruned.places.count(name) != 0;
    document.error(Code::unknown_name, node, "a known link or frame",
                   quoted(name) + (is_pruned ? ", which is not below the base " + quoted(pruned.base) : ""),
                   is_pruned ? "" : index.places.hint(name));
    return false;
}

int Context::free_joint(const yaml::Node& node, const std::string& name) {
    const int position = index.joints.find(name);
    if (position < 0) {
        const bool is_pruned = pruned.joints.count(name) != 0;
        document.error(
            Code::unknown_name, node, "a known joint",
            quoted(name) + (is_pruned ? ", which is not below the base " + quoted(pruned.base) : ""),
            is_pruned ? "" : index.joints.hint(name));
        return -1;
    }
    const JointType type = robot.joints[static_cast<std::size_t>(position)].type;
    if (velocity_size(type) != 1) {
        document.error(Code::wrong_kind, node, "a joint of one degree of freedom",
                       quoted(name) + ", which is " + to_string(type));
        return -1;
    }
    if (index.followers.count(name) == 0) return position;
    document.error(Code::wrong_kind, node, "a joint that moves by itself",
                   quoted(name) + ", which mimics another");
    return -1;
}

namespace {

void check_format(yaml::Document& document) {
    if (const yaml::Node* format = document.required(document.root(), "format")) {
        const std::optional<std::string> word = document.text(*format);
        if (word && *word != "xrdf") document.error(Code::unknown_format, *format, "'xrdf'", quoted(*word));
    }
    const yaml::Node* version = document.required(document.root(), "format_version");
    const std::optional<std::string> text = version != nullptr ? document.text(*version) : std::nullopt;
    if (!text) return;
    const std::optional<double> number = parse_number(*text);
    if (number == 1.0 || number == 2.0) return;
    document.report(number ? Severity::warning : Severity::error, Code::unknown_format, *version,
                    "format_version 1.0 or 2.0", quoted(*text), number ? "it is read as if it were 2.0" : "");
}

}  // namespace

}  // namespace xrdf

void apply_xrdf(const std::string& text, const std::string& file, RobotDescription& robot,
                Diagnostics& diagnostics) {
    yaml::Document document(text, file, diagnostics);
    if (document.root().kind != yaml::Kind::null) apply_xrdf(document, robot);
}

void apply_xrdf(yaml::Document& document, RobotDescription& robot) {
    if (!document.is_mapping(document.root())) return;
    xrdf::check_format(document);
    xrdf::Pruned pruned = xrdf::apply_modifiers(document, robot);
    xrdf::Context context{document, robot, std::move(pruned), RobotIndex(robot)};
    xrdf::read_geometry(context);
    xrdf::read_collisions(context);
    xrdf::read_default_positions(context);
    xrdf::read_cspace(context);
    xrdf::read_tool_frames(context);
    document.ignore_keys_except(
        document.root(), {"format", "format_version", "modifiers", "geometry", "collision", "world_collision",
                          "self_collision", "default_joint_positions", "cspace", "tool_frames"});
    document.report_ignored();
}

}  // namespace grbda
