#include "grbda/io/density.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "grbda/io/file.hpp"
#include "grbda/io/hulls.hpp"
#include "io/solids/mesh_solid.hpp"
#include "io/solids/solid.hpp"
#include "io/solids/triangle_mesh.hpp"

namespace grbda {
namespace {

std::string rounded(double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", x);
    return text.data();
}

class MassOfShapes {
public:
    MassOfShapes(const RobotDescription& robot, double density, Diagnostics& diagnostics,
                 const std::vector<std::string>& paths)
        : robot_file_(robot.where.file), density_(density), diagnostics_(diagnostics), paths_(paths) {}

    void add(LinkDescription& link) {
        if (link.inertial && link.inertial->mass != 0) return;
        for (const bool collision : {true, false}) {
            std::vector<Inertial> parts;
            for (const ShapeDescription& shape : link.shapes) {
                if (!(collision ? shape.collision : shape.visual)) continue;
                const std::optional<Inertial> solid = solid_in(link, shape);
                if (solid && solid->mass > 0)
                    parts.push_back(placed_at(shape.origin, times_as_dense(*solid, density_)));
            }
            if (parts.empty()) continue;
            link.inertial = joined(parts);
            diagnostics_.push_back({Severity::note, Code::assumed, link.where, Subject::of("link", link.name),
                                    rounded(link.inertial->mass) + " kg, from its " +
                                        (collision ? "collision" : "visual") + " shapes at " +
                                        rounded(density_) + " kg/m³",
                                    "a link without mass"});
            return;
        }
    }

private:
    /// The solid of density 1; nothing, with a warning, for a mesh without one.
    std::optional<Inertial> solid_in(const LinkDescription& link, const ShapeDescription& shape) const {
        if (shape.shape.kind != ShapeKind::mesh) return solid_of(shape.shape);
        std::string found;
        std::optional<Inertial> solid = solid_of_mesh(shape, found);
        if (solid) return solid;
        diagnostics_.push_back(
            {Severity::warning,
             Code::unreadable,
             shape.where,
             {"shape", shape.name, "mesh " + quoted(shape.shape.mesh) + " of link " + quoted(link.name)},
             "a mesh in STL, OBJ or MSH that encloses a volume",
             found,
             "it adds no mass to the link; correct its address, or give the link an inertial"});
        return std::nullopt;
    }

    std::optional<Inertial> solid_of_mesh(const ShapeDescription& shape, std::string& found) const {
        std::string file = find_mesh_file(shape.shape.mesh, shape.where.file, paths_);
        if (file.empty()) file = find_mesh_file(shape.shape.mesh, robot_file_);
        if (file.empty()) {
            found = "no file at this address";
            return std::nullopt;
        }
        const std::optional<std::string> text = read_file(file, largest_mesh_file, found);
        if (!text) return std::nullopt;
        std::optional<TriangleMesh> mesh = read_triangle_mesh(*text, file, found);
        if (!mesh) return std::nullopt;
        for (Eigen::Vector3d& point : mesh->points) point = point.cwiseProduct(shape.shape.size);
        const bool is_closed = !mesh->triangles.empty() && !surface_faults(*mesh).has_gaps;
        return inertial_of_mesh(*std::move(mesh), is_closed ? MeshMass::exact : MeshMass::convex, found);
    }

    std::string robot_file_;
    double density_;
    Diagnostics& diagnostics_;
    const std::vector<std::string>& paths_;
};

}  // namespace

void add_inertials(RobotDescription& robot, double density, Diagnostics& diagnostics,
                   const std::vector<std::string>& paths) {
    if (!(density > 0 && std::isfinite(density)))
        throw std::invalid_argument("density: expected a finite number above zero, kg/m³, found " +
                                    rounded(density));
    MassOfShapes mass(robot, density, diagnostics, paths);
    for (LinkDescription& link : robot.links) mass.add(link);
}

}  // namespace grbda
