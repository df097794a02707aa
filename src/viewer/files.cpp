#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "grbda/io/file.hpp"
#include "grbda/viewer/page.hpp"
#include "text.hpp"

namespace grbda {
namespace {

namespace fs = std::filesystem;

/// The folder that all files are below.
fs::path common_folder(const std::vector<fs::path>& files) {
    fs::path common = files.front().parent_path();
    for (const fs::path& file : files)
        while (common.has_relative_path() && file.lexically_relative(common).begin()->string() == "..")
            common = common.parent_path();
    return common;
}

/// True for the formats that the page reads: no other file that a robot names gets into a page.
bool is_mesh(const fs::path& file) {
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending == ".stl" || ending == ".obj" || ending == ".dae" || ending == ".glb";
}

void add_once(std::vector<fs::path>& files, const fs::path& file) {
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
}

void add_meshes(const Model& model, const fs::path& robot, std::vector<fs::path>& files) {
    for (const BodyShape& shape : model.shapes)
        if (shape.shape.kind == ShapeKind::mesh && is_mesh(shape.shape.mesh))
            add_once(files, find_mesh_file(shape.shape.mesh, robot.string()));
}

void read_below(const fs::path& folder, const std::vector<fs::path>& files, ViewerRobot& robot) {
    for (const fs::path& file : files)
        robot.files.push_back(
            {file.lexically_relative(folder).generic_string(), viewer::content_of(file.string())});
}

std::vector<std::string> coordinates_of(const Model& model) {
    std::vector<std::string> names(static_cast<std::size_t>(model.nq));
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        const int size = position_size(body.joint);
        for (int k = 0; k < size; ++k)
            names[static_cast<std::size_t>(body.q + k)] =
                model.names.joints[i] + (size == 1 ? "" : "[" + std::to_string(k) + "]");
    }
    return names;
}

}  // namespace

ViewerRobot viewer_robot(const std::vector<std::string>& names, const LoadOptions& options,
                         const Model& model) {
    if (names.empty()) throw std::invalid_argument("viewer_robot: expected at least one file, found none");
    std::vector<fs::path> files;
    for (const std::string& name : names) add_once(files, fs::weakly_canonical(name));
    ViewerRobot robot;
    robot.coordinates = coordinates_of(model);
    robot.described = files.size();
    robot.options = options;
    for (const std::string& name : model.files) add_once(files, fs::weakly_canonical(name));
    const fs::path first = files.front();
    add_meshes(model, first, files);
    read_below(common_folder(files), files, robot);
    return robot;
}

ViewerRobot viewer_robot(const std::string& urdf, const Model& model) {
    ViewerRobot robot;
    robot.coordinates = coordinates_of(model);
    robot.files.push_back({"robot.urdf", urdf});
    if (model.files.empty()) return robot;
    std::vector<fs::path> meshes;
    add_meshes(model, fs::weakly_canonical(model.files.front()), meshes);
    if (!meshes.empty()) read_below(common_folder(meshes).parent_path(), meshes, robot);
    return robot;
}

}  // namespace grbda
