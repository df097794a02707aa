#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "grbda/io/file.hpp"
#include "json_text.hpp"
#include "output.hpp"

// Writes the viewer's page of a robot: a template, which scripts/view.sh builds, and in its slot the robot's
// files.

namespace grbda::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* slot = "/*ROBOT*/";

/// Finds the template beside this program: in an installed tree, or in that of a build. Throws InputError.
std::string template_path(const std::string& wanted) {
    if (!wanted.empty()) return wanted;
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (!failed) {
        const fs::path folder = program.parent_path();
        for (const fs::path& place :
             {folder / "../share/grbda/view/template.html", folder / "../../view/template.html"})
            if (fs::exists(place, failed)) return place.lexically_normal().string();
    }
    throw InputError(
        "grbda: the viewer's page was not built with this program: there is no "
        "share/grbda/view/template.html. "
        "scripts/view.sh builds build/view/template.html; give its place by --template");
}

std::string content(const std::string& path) {
    std::string found;
    std::optional<std::string> text = read_file(path, largest_states_file, found);
    if (!text) throw InputError(path + ": expected a file, found " + found);
    return *std::move(text);
}

/// The folder that all files are below.
fs::path common_folder(const std::vector<fs::path>& files) {
    fs::path common = files.front().parent_path();
    for (const fs::path& file : files)
        while (common.has_relative_path() && file.lexically_relative(common).begin()->string() == "..")
            common = common.parent_path();
    return common;
}

std::string base64(const std::string& bytes) {
    constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        const std::size_t whole = std::min<std::size_t>(bytes.size() - i, 3) + 1;
        for (std::size_t k = 0; k < 4; ++k) out += k < whole ? digits[word >> (18 - 6 * k) & 63U] : '=';
    }
    return out;
}

/// The file of a mesh, if it is found: beside the robot's file, or below a folder above it, as packages lie.
/// Empty otherwise.
fs::path mesh_file(const std::string& mesh, const fs::path& robot) {
    const std::size_t scheme = mesh.find("://");
    const fs::path path = scheme == std::string::npos ? mesh : mesh.substr(scheme + 3);
    fs::path inside;  // without the package's name
    for (auto part = path.begin(); part != path.end(); ++part)
        if (part != path.begin()) inside /= *part;
    std::error_code failed;
    for (fs::path folder = robot.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        for (const fs::path& place : {folder / path, folder / inside})
            if (fs::is_regular_file(place, failed)) return fs::weakly_canonical(place);
        if (scheme == std::string::npos) break;
    }
    return {};
}

fs::path whole_path(const std::string& file) { return fs::weakly_canonical(file); }

/// The robot's files with paths below one folder, and how they are loaded.
OrderedJson robot_json(const ViewArguments& arguments, const Model& model) {
    std::vector<fs::path> files, main;
    for (const std::string& file : arguments.model.files) main.push_back(whole_path(file));
    files = main;
    for (const std::string& file : model.files) {
        const fs::path path = whole_path(file);
        if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
    }
    for (const BodyShape& shape : model.shapes) {
        if (shape.shape.kind != ShapeKind::mesh) continue;
        const fs::path path = mesh_file(shape.shape.mesh, main.front());
        if (!path.empty() && std::find(files.begin(), files.end(), path) == files.end())
            files.push_back(path);
    }
    const fs::path folder = common_folder(files);
    OrderedJson out;
    for (const fs::path& file : files)
        out["files"].push_back({{"path", file.lexically_relative(folder).generic_string()},
                                {"base64", base64(content(file.string()))}});
    for (const fs::path& file : main) out["main"].push_back(file.lexically_relative(folder).generic_string());
    const ModelArguments& loaded = arguments.model;
    out["options"] = {{"spherical", loaded.spherical_joints || arguments.record.empty()},
                      {"floating", loaded.floating_base},
                      {"adjust", loaded.adjust},
                      {"rotors", loaded.no_rotor_reduction},
                      {"ratio", loaded.coupling_ratio}};
    if (!arguments.record.empty()) out["record"] = content(arguments.record);
    return out;
}

/// JSON that cannot end the element of the page that holds it.
std::string for_page(const OrderedJson& json) {
    std::string out;
    for (const char c : json.dump()) out += c == '<' ? "\\u003c" : std::string(1, c);
    return out;
}

}  // namespace

int view(const ViewArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    const std::string path = template_path(arguments.page);
    const Model model = load_model(arguments.model);
    std::string page = content(path);
    const std::size_t at = page.find(slot);
    if (at == std::string::npos) throw InputError(path + ": expected a template of scripts/view.sh");
    page.replace(at, std::string(slot).size(), for_page(robot_json(arguments, model)));
    write_output(page, arguments.output);
    return Exit::success;
}

}  // namespace grbda::tool
