#include "grbda/io/file.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "readers.hpp"

namespace grbda {

namespace {

void add_error(Diagnostics& diagnostics, Code code, const std::string& file, std::string expected,
               std::string found, std::string hint = {}) {
    diagnostics.push_back({Severity::error,
                           code,
                           {file, 1, 1},
                           {"file", file, "file"},
                           std::move(expected),
                           std::move(found),
                           std::move(hint)});
}

/// URDF and SRDF have the same outermost element; only in a URDF links and joints are its direct children.
Format format_of_robot_element(pugi::xml_node robot) {
    constexpr std::array<const char*, 9> of_srdf = {"group",
                                                    "group_state",
                                                    "end_effector",
                                                    "virtual_joint",
                                                    "passive_joint",
                                                    "disable_collisions",
                                                    "enable_collisions",
                                                    "disable_default_collisions",
                                                    "link_sphere_approximation"};
    if (robot.child("link") || robot.child("joint")) return Format::urdf;
    const bool found = std::any_of(of_srdf.begin(), of_srdf.end(),
                                   [&](const char* name) { return !robot.child(name).empty(); });
    return found ? Format::srdf : Format::urdf;
}

/// Parses a text only to detect its format; its errors matter only if it has none.
template <class Document>
std::optional<Format> format_of_text(const std::string& text, const std::string& file,
                                     Diagnostics& diagnostics) {
    Diagnostics findings;
    const Document document(text, file, findings);
    const std::optional<Format> format = format_of(document, findings);
    if (!format) diagnostics.insert(diagnostics.end(), findings.begin(), findings.end());
    return format;
}

}  // namespace

std::optional<Format> format_of(const xml::Document& document, Diagnostics& diagnostics) {
    const pugi::xml_node root = document.root();
    const std::string name = root.name();
    if (name == "mujoco") return Format::mjcf;
    if (name == "sdf" || name == "gazebo") return Format::sdf;  // the name up to version 1.2
    if (name == "robot") return format_of_robot_element(root);
    if (!root) return std::nullopt;
    diagnostics.push_back({Severity::error, Code::unknown_format, document.where(root),
                           document.subject_of(root),
                           "an outermost element <robot> (URDF, SRDF), <mujoco> (MJCF) or <sdf>",
                           "<" + name + ">", nearest_name_hint(name, {"robot", "mujoco", "sdf"})});
    return std::nullopt;
}

std::optional<Format> format_of(const yaml::Document& document, Diagnostics& diagnostics) {
    constexpr std::array<const char*, 4> of_xrdf = {"format", "format_version", "cspace", "tool_frames"};
    constexpr std::array<const char*, 7> of_extended_urdf = {
        "closed_loop", "name_closedloop", "closed_loop_number", "name_mot",
        "joint_name",  "joint_type",      "rotule_name"};
    const auto has = [&](const char* key) { return document.root().find(key) != nullptr; };
    if (has("robots") || has("world")) return Format::world_file;
    if (std::any_of(of_xrdf.begin(), of_xrdf.end(), has)) return Format::xrdf;
    if (std::any_of(of_extended_urdf.begin(), of_extended_urdf.end(), has)) return Format::extended_urdf;
    const std::string file = document.where(document.root()).file;
    const bool refused = std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& finding) {
        return finding.severity == Severity::error && finding.where.file == file;
    });
    if (refused) return std::nullopt;
    add_error(diagnostics, Code::unknown_format, file,
              "URDF, SRDF, MJCF or SDF, or YAML with the keys of Extended URDF, XRDF or a world file",
              document.root().kind == yaml::Kind::mapping ? "YAML with none of their keys"
                                                          : "text that is neither XML nor a YAML mapping",
              "Extended URDF has closed_loop, type and name_mot; XRDF has format: xrdf; a world has robots");
    return std::nullopt;
}

bool is_xml(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.substr(0, byte_order_mark.size()) == byte_order_mark) text.remove_prefix(byte_order_mark.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '<';
}

bool is_robot(Format format) {
    return format == Format::urdf || format == Format::mjcf || format == Format::sdf ||
           format == Format::world_file;
}

const char* to_string(Format format) {
    switch (format) {
        case Format::urdf: return "URDF";
        case Format::mjcf: return "MJCF";
        case Format::sdf: return "SDF";
        case Format::extended_urdf: return "Extended URDF's YAML";
        case Format::xrdf: return "XRDF";
        case Format::srdf: return "SRDF";
        case Format::world_file: return "a world file";
    }
    return "unknown";
}

bool has_text(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
    constexpr std::string_view blank_or_mark = " \t\r\n\xEF\xBB\xBF";
    if (text.find_first_not_of(blank_or_mark) != std::string_view::npos) return true;
    add_error(diagnostics, Code::unknown_format, file, "a robot description or a side file", "an empty file");
    return false;
}

std::optional<Format> detect_format(const std::string& text, const std::string& file,
                                    Diagnostics& diagnostics) {
    if (is_xml(text)) return format_of_text<xml::Document>(text, file, diagnostics);
    if (!has_text(text, file, diagnostics)) return std::nullopt;
    return format_of_text<yaml::Document>(text, file, diagnostics);
}

}  // namespace grbda
