#include "mesh_places.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "grbda/io/file.hpp"
#include "grbda/io/hulls.hpp"
#include "io/solids/mesh_solid.hpp"

namespace grbda {

namespace {

namespace fs = std::filesystem;

bool has_scheme(const std::string& address) { return address.find("://") != std::string::npos; }

fs::path folder_of(const std::string& file) { return fs::path(file).parent_path(); }

fs::path resolved(const fs::path& path) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(path.empty() ? fs::path(".") : path, failed);
    const fs::path result = fs::weakly_canonical(absolute, failed);
    return failed ? absolute.lexically_normal() : result;
}

/// The reason why MuJoCo does not read the STL file; empty if it does.
std::string fault_of_stl(const std::string& text) {
    constexpr std::size_t header = 80, start = 84, triangle = 50, most = 200000;
    if (text.size() < start) return "no binary STL";
    std::size_t count = 0;
    for (std::size_t i = 4; i-- > 0;) count = count << 8 | static_cast<unsigned char>(text[header + i]);
    if (text.size() != start + triangle * count)
        return text.starts_with("solid") ? "STL as text, of which MuJoCo reads the binary form alone"
                                         : "a binary STL of the wrong length";
    return count > most ? std::to_string(count) + " triangles, of which MuJoCo reads at most 200000" : "";
}

/// The reason why MuJoCo does not read the mesh in a file that exists.
std::string fault_of_file(const fs::path& file, const Eigen::Vector3d& scale) {
    std::string found, ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending != ".stl" && ending != ".obj" && ending != ".msh")
        return "another format than STL, OBJ and MSH";
    const std::optional<std::string> text = read_file(file.string(), largest_mesh_file, found);
    if (!text) return found;
    if (ending == ".stl")
        if (std::string fault = fault_of_stl(*text); !fault.empty()) return fault;
    std::optional<TriangleMesh> mesh = read_triangle_mesh(*text, file.string(), found);
    if (!mesh) return found;
    constexpr double largest = 1 << 30, least_volume = 1e-15;
    for (Eigen::Vector3d& point : mesh->points) {
        if (!(point.cwiseAbs().maxCoeff() <= largest)) return "coordinates beyond 2^30";
        point = point.cwiseProduct(scale);
    }
    const std::optional<Inertial> solid = inertial_of_mesh(*std::move(mesh), MeshMass::legacy, found);
    if (!solid) return found;
    return solid->mass > least_volume ? "" : "a flat mesh, or a volume below 1e-15 m³";
}

/// Addresses as seen from the output's folder.
class Places {
public:
    Places(Format format, const std::string& folder, const std::string& robot,
           const std::vector<std::string>& paths)
        : is_mjcf_(format == Format::mjcf), folder_(resolved(folder)), robot_(robot), paths_(paths) {}

    /// Returns the reason why the shape is left out, or empty.
    std::string place(ShapeDescription& shape) {
        std::string& address = shape.shape.mesh;
        const fs::path given = address;
        const fs::path beside = resolved(folder_of(shape.where.file.empty() ? robot_ : shape.where.file));
        fs::path file = find_mesh_file(address, shape.where.file, paths_);
        if (file.empty()) file = find_mesh_file(address, robot_, paths_);
        std::error_code failed;  // a robot from standard input has no file
        if (file.empty() && fs::is_regular_file(beside / given, failed)) file = resolved(beside / given);
        if (is_mjcf_) {
            if (file.empty()) return "no file at this address";
            const std::string fault = fault_of_file(file, shape.shape.size);
            if (!fault.empty()) return fault;
        } else if (has_scheme(address)) {
            return "";
        }
        if (given.is_absolute()) return "";
        if (!has_scheme(address) && beside == folder_ && (file.empty() || file == resolved(beside / given)))
            return "";
        if (file.empty()) file = resolved(beside / given);
        const fs::path relative = file.lexically_relative(folder_);
        address = (relative.empty() ? file : relative).generic_string();
        return "";
    }

private:
    bool is_mjcf_;
    fs::path folder_;
    std::string robot_;
    const std::vector<std::string>& paths_;
};

}  // namespace

void place_meshes(Mechanism& mechanism, Format format, const std::string& folder, const std::string& robot,
                  const std::vector<std::string>& paths, Diagnostics& diagnostics) {
    Places places(format, folder, robot, paths);
    std::erase_if(mechanism.shapes, [&](MechanismShape& placed) {
        ShapeDescription& shape = placed.shape;
        if (shape.shape.kind != ShapeKind::mesh) return false;
        const std::string address = shape.shape.mesh;
        const std::string found = places.place(shape);
        if (found.empty()) return false;
        diagnostics.push_back({Severity::warning,
                               Code::left_out,
                               shape.where,
                               {"shape", shape.name,
                                "mesh " + grbda::quoted(address) + " of link " + grbda::quoted(placed.link)},
                               "a mesh that MuJoCo reads",
                               found,
                               "the shape is left out",
                               true});
        return true;
    });
}

}  // namespace grbda
