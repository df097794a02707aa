#include "grbda/viewer/page.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "text.hpp"

namespace grbda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view slot = "/*ROBOT*/";
constexpr std::string_view no_requests = "default-src 'none'";

bool is_file(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed);
}

/// The template in a folder above this library or program, or in those that all programs share.
std::string find_template() {
    std::vector<fs::path> above;
    Dl_info here;
    std::error_code failed;
    if (::dladdr(reinterpret_cast<const void*>(&is_file), &here) != 0 && here.dli_fname != nullptr) {
        const fs::path name = here.dli_fname, self = "/proc/self/exe";
        const fs::path file = fs::canonical(is_file(name) ? name : self, failed);
        for (fs::path at = file.parent_path(); at.has_relative_path(); at = at.parent_path())
            above.push_back(at);
    }
    above.insert(above.end(), {"/usr/local", "/usr"});
    for (const fs::path& folder : above)
        for (const char* place : {"share/grbda/view/template.html", "build/view/template.html"})
            if (is_file(folder / place)) return (folder / place).string();
    return {};
}

std::string list(const std::vector<std::string>& entries) {
    std::string out = "[";
    for (const std::string& entry : entries) (out += out.size() > 1 ? "," : "") += entry;
    return out + "]";
}

std::string to_json(const LoadOptions& options) {
    const auto flag = [](const char* name, bool on) {
        return viewer::json_string(name) + ":" + (on ? "true" : "false") + ",";
    };
    const char* ratio = !options.coupling_ratio ? ""
                        : *options.coupling_ratio == CouplingRatio::predecessor_over_successor
                            ? "predecessor/successor"
                            : "successor/predecessor";
    return "{" + flag("spherical", options.spherical_joints) + flag("floating", options.floating_base) +
           flag("adjust", options.adjust) + flag("rotors", !options.rotor_reduction) +
           "\"ratio\":" + viewer::json_string(ratio) + "}";
}

/// Members of the object that the page reads.
std::string members(const ViewerRobot& robot) {
    std::vector<std::string> files, described, coordinates;
    for (const std::string& name : robot.coordinates) coordinates.push_back(viewer::json_string(name));
    for (const ViewerFile& file : robot.files) {
        const std::string path = viewer::json_string(file.path);
        if (files.size() < robot.described) described.push_back(path);
        std::string entry = "{\"path\":" + path + ",\"base64\":\"";
        viewer::append_base64(file.content, entry);
        files.push_back(entry + "\"}");
    }
    std::string out = "\"files\":" + list(files) + ",\"main\":" + list(described) +
                      ",\"coordinates\":" + list(coordinates) + ",\"options\":" + to_json(robot.options);
    if (!robot.record.empty()) out += ",\"record\":" + viewer::json_string(robot.record);
    if (!robot.q.empty()) {
        out += ",\"q\":\"";
        viewer::append_base64(robot.q, out);
        out += '"';
    }
    return out;
}

void replace(std::string& text, std::string_view old, const std::string& by, const std::string& path) {
    const std::size_t at = text.find(old);
    if (at == std::string::npos)
        throw std::runtime_error(path + ": expected a template of scripts/view.sh, which contains " +
                                 std::string(old));
    text.replace(at, old.size(), by);
}

}  // namespace

std::string viewer_template(const std::string& wanted) {
    if (!wanted.empty()) return wanted;
    const char* given = std::getenv("GRBDA_VIEW_TEMPLATE");
    std::string path = given != nullptr ? given : "";
    if (path.empty()) path = find_template();
    if (!path.empty()) return path;
    throw std::runtime_error(
        "the viewer's page is not built: there is no share/grbda/view/template.html. Run scripts/view.sh in "
        "grbda's source tree, which writes build/view/template.html, and name that file by the environment "
        "variable GRBDA_VIEW_TEMPLATE or by the option for the template");
}

std::string viewer_page(const ViewerRobot& robot, const std::string& from) {
    const std::string path = viewer_template(from);
    std::string page = viewer::content_of(path);
    replace(page, slot, "{" + members(robot) + "}", path);
    return page;
}

std::string viewer::live_page(const ViewerRobot& robot, const std::string& from,
                              const std::vector<std::string>& values) {
    const std::string path = viewer_template(from);
    std::string page = viewer::content_of(path);
    std::vector<std::string> names;
    for (const std::string& name : values) names.push_back(json_string(name));
    replace(page, no_requests, std::string(no_requests) + "; connect-src 'self'", path);
    replace(page, slot, "{" + members(robot) + ",\"feed\":{\"values\":" + list(names) + "}}", path);
    return page;
}

}  // namespace grbda
