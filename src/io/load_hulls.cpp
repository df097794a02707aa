#include <filesystem>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "grbda/io/file.hpp"
#include "grbda/io/hulls.hpp"
#include "io/solids/triangle_mesh.hpp"

namespace grbda {
namespace {

namespace fs = std::filesystem;
using HullPointer = std::shared_ptr<const ConvexHull>;

struct LoadedHull {
    HullPointer hull;
    std::string found;  ///< the problem, if there is no hull
};

/// Limit on the total size of the files that one call reads, bytes. A file that is read twice counts twice.
constexpr std::size_t largest_total = std::size_t{512} << 20;

LoadedHull hull_of_file(const fs::path& file, const Eigen::Vector3d& scale, std::size_t& total) {
    LoadedHull result;
    if (total > largest_total) {
        result.found = "meshes of more than 512 MiB before it";
        return result;
    }
    const std::optional<std::string> text = read_file(file.string(), largest_mesh_file, result.found);
    if (!text) return result;
    total += text->size();
    const std::optional<TriangleMesh> mesh = read_triangle_mesh(*text, file.string(), result.found);
    if (!mesh) return result;
    std::vector<bool> is_used(mesh->points.size(), mesh->triangles.empty());
    for (const auto& triangle : mesh->triangles)
        for (const std::uint32_t i : triangle) is_used[i] = true;
    std::vector<Eigen::Vector3d> points;
    for (std::size_t i = 0; i < is_used.size(); ++i)
        if (is_used[i]) points.push_back(mesh->points[i].cwiseProduct(scale));
    if (points.empty()) {
        result.found = "no points";
        return result;
    }
    if (std::optional<ConvexHull> hull = convex_hull(points, result.found))
        result.hull = std::make_shared<const ConvexHull>(*std::move(hull));
    return result;
}

class HullLoader {
public:
    HullLoader(const RobotDescription& robot, Diagnostics& diagnostics, const std::vector<std::string>& paths)
        : robot_file_(robot.where.file), diagnostics_(diagnostics), paths_(paths) {}

    void load(const LinkDescription& link, ShapeDescription& shape) {
        if (shape.shape.kind != ShapeKind::mesh || !shape.collision) return;
        fs::path file = find_mesh_file(shape.shape.mesh, shape.where.file, paths_);
        if (file.empty()) file = find_mesh_file(shape.shape.mesh, robot_file_);
        const Eigen::Vector3d& scale = shape.shape.size;
        const std::string name = file.empty() ? shape.shape.mesh : file.string();
        const auto [entry, is_new] = known_.try_emplace({name, scale.x(), scale.y(), scale.z()});
        LoadedHull& loaded = entry->second;
        if (is_new && !file.empty()) loaded = hull_of_file(file, scale, total_);
        shape.shape.hull = loaded.hull;
        if (!is_new || loaded.hull) return;
        const std::string found = file.empty() ? "no file at this address" : loaded.found;
        diagnostics_.push_back(
            {Severity::warning,
             Code::unreadable,
             shape.where,
             {"shape", shape.name,
              "mesh " + grbda::quoted(shape.shape.mesh) + " of link " + grbda::quoted(link.name)},
             "a mesh in STL, OBJ or MSH that encloses a volume",
             found,
             "it touches nothing; " + advice(file),
             true});
    }

private:
    static std::string advice(const fs::path& file) {
        if (file.empty()) return "correct its address, or add a folder in which it lies";
        return "replace " + file.string() + ", or use a simple shape";
    }

    std::string robot_file_;
    std::size_t total_ = 0;  ///< bytes that were read
    Diagnostics& diagnostics_;
    const std::vector<std::string>& paths_;
    std::map<std::tuple<std::string, double, double, double>, LoadedHull> known_;
};

}  // namespace

void load_hulls(RobotDescription& robot, Diagnostics& diagnostics, const std::vector<std::string>& paths) {
    HullLoader loader(robot, diagnostics, paths);
    for (LinkDescription& link : robot.links)
        for (ShapeDescription& shape : link.shapes) loader.load(link, shape);
}

}  // namespace grbda
