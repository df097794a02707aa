#include <algorithm>
#include <cmath>
#include <sstream>

#include <Eigen/Geometry>

#include "io/text/number.hpp"
#include "elements.hpp"

// Mass of bodies whose geoms are meshes, by the rules of MuJoCo.

namespace grbda::mjcf {

namespace {

using Eigen::Vector3d;

const xml::Keywords<MeshMass> mesh_masses = {{"exact", MeshMass::exact},
                                             {"legacy", MeshMass::legacy},
                                             {"convex", MeshMass::convex},
                                             {"shell", MeshMass::shell}};

MeshMass read_kind(Context& context, const Geom& geom, const Element& mesh) {
    if (context.flag(geom.element, "shellinertia", false)) return MeshMass::shell;
    const MeshMass otherwise =
        context.compiler_of(mesh.node).exact_meshes ? MeshMass::exact : MeshMass::legacy;
    return context.keyword(mesh, "inertia", mesh_masses).value_or(otherwise);
}

/// The triangles that the attributes vertex and face list.
std::optional<TriangleMesh> read_listed(Context& context, const Element& mesh, std::string& found) {
    const auto read = [&](const char* attribute) {
        return parse_numbers(context.document.text(mesh.node, attribute).value_or(""))
            .value_or(std::vector<double>());
    };
    const std::vector<double> numbers = read("vertex"), corners = read("face");
    found = "a mesh without a file, whose vertex and face are not numbers in threes";
    if (numbers.empty()) found = "a mesh without a file and a vertex";
    if (numbers.empty() || numbers.size() % 3 != 0 || corners.size() % 3 != 0) return std::nullopt;
    TriangleMesh result;
    for (std::size_t i = 0; i < numbers.size(); i += 3) result.points.emplace_back(&numbers[i]);
    const auto count = static_cast<double>(result.points.size());
    const auto index = [](double corner) { return static_cast<std::uint32_t>(corner); };
    for (std::size_t i = 0; i < corners.size(); i += 3) {
        for (std::size_t k = i; k < i + 3; ++k)
            if (!(corners[k] >= 0 && corners[k] < count)) return std::nullopt;
        result.triangles.push_back({index(corners[i]), index(corners[i + 1]), index(corners[i + 2])});
    }
    return result;
}

std::optional<TriangleMesh> read_triangles(Context& context, const Element& mesh, const std::string& address,
                                           std::string& found) {
    found = "a mesh that is in no file";
    if (context.includes == nullptr) return std::nullopt;
    const std::vector<std::string> beside = {context.document.file_name(mesh.node),
                                             context.includes->first().path};
    const auto text = read_mesh_text(*context.includes, address, beside, found);
    if (!text) return std::nullopt;
    std::optional<TriangleMesh> result = read_triangle_mesh(*text, address, found);
    found = quoted(address) + ": " + found;
    if (result && result->first_object > 0) {
        context.document.report(Severity::warning, Code::inertia, mesh.node, "a mesh of one object",
                                quoted(address) + " with several", "the first has mass, as in MuJoCo");
        result->triangles.resize(result->first_object);
    }
    return result;
}

/// Places the points as MuJoCo does, which reads them in single precision.
void place_points(Context& context, const Element& mesh, TriangleMesh& triangles) {
    const MeshPlacement placement = read_placement(context, mesh);
    const Pose back = inverse(placement.reference);
    for (Vector3d& point : triangles.points) {
        const Vector3d single = point.cast<float>().cast<double>();
        point = placement.scale.cwiseProduct(back.rotation * single + back.translation);
    }
}

std::string figures(const Inertial& inertial) {
    std::ostringstream text;
    const Vector3d moments = principal_inertia(inertial.inertia).moments;
    text << inertial.mass << " kg at (" << inertial.com.x() << ", " << inertial.com.y() << ", "
         << inertial.com.z() << ") m with the moments " << moments.x() << ", " << moments.y() << " and "
         << moments.z() << " kg·m²";
    return text.str();
}

/// True if masses, centres or moments deviate by more than a percent.
bool deviate(const Inertial& a, const Inertial& b) {
    constexpr double percent = 0.01;
    const double radius = std::sqrt(b.inertia.trace() / (2 * b.mass));
    return std::abs(a.mass - b.mass) > percent * b.mass || (a.com - b.com).norm() > percent * radius ||
           (a.inertia / a.mass - b.inertia / b.mass).norm() > percent * (b.inertia / b.mass).norm();
}

void report_faults(Context& context, pugi::xml_node geom, const std::string& name,
                   const SurfaceFaults& faults) {
    if (!faults.turned.empty())
        context.document.report(
            Severity::warning, Code::inertia, geom, "a mesh whose faces all face outwards",
            name + ", in which " + faults.turned_list() + " face the other way than their neighbours",
            "they count as if they faced outwards, by inertia=\"legacy\" of its <mesh>");
    if (faults.has_gaps)
        context.document.report(Severity::warning, Code::inertia, geom, "a mesh without gaps",
                                name + " with gaps in its surface",
                                "the mass that follows from it is not exact");
}

KnownMesh read_known_mesh(Context& context, const Geom& geom, const Element& mesh, MeshMass kind) {
    KnownMesh known;
    const std::string address = mesh_address(context, mesh);
    known.name = address.empty() ? "mesh " + quoted(mesh_name(mesh.node)) : quoted(address);
    std::optional<TriangleMesh> triangles = address.empty()
                                                ? read_listed(context, mesh, known.found)
                                                : read_triangles(context, mesh, address, known.found);
    if (!triangles) return known;
    place_points(context, mesh, *triangles);
    SurfaceFaults faults;
    if (kind == MeshMass::exact || kind == MeshMass::legacy) faults = surface_faults(*triangles);
    if (kind == MeshMass::exact && !faults.turned.empty()) {
        known.found = known.name + ", in which " + faults.turned_list() +
                      " face the other way than their neighbours: turn them, or use inertia=\"legacy\"";
        return known;
    }
    const double most = context.number(mesh, "maxhullvert").value_or(0);
    const int most_vertices = static_cast<int>(std::clamp(most, 0.0, 1e9));
    known.inertial = inertial_of_mesh(*triangles, kind, known.found, most_vertices);
    known.found = known.name + ": " + known.found;
    if (!known.inertial) return known;
    report_faults(context, geom.element.node, known.name, faults);
    if (kind != MeshMass::legacy || !faults.turned.empty()) return known;
    std::string unused;
    known.exact = inertial_of_mesh(*std::move(triangles), MeshMass::exact, unused);
    if (known.exact && !deviate(*known.inertial, *known.exact)) known.exact.reset();
    return known;
}

}  // namespace

std::optional<Inertial> read_mesh_mass(Context& context, const Geom& geom, std::string& found) {
    found = "a shape that MuJoCo fits to a mesh";
    if (geom.kind != ShapeKind::mesh) return std::nullopt;
    const std::string name = context.document.text(context.source(geom.element, "mesh"), "mesh").value_or("");
    const auto asset = context.assets.meshes.find(name);
    found = "a mesh that is in no file";
    if (asset == context.assets.meshes.end()) return std::nullopt;
    const MeshMass kind = read_kind(context, geom, asset->second);
    const auto [entry, is_new] = context.known_meshes.try_emplace({name, kind});
    KnownMesh& known = entry->second;
    if (is_new) known = read_known_mesh(context, geom, asset->second, kind);
    found = known.found;
    if (!known.inertial) return std::nullopt;
    const double measure = known.inertial->mass, mass = read_geom_mass(context, geom.element, measure);
    const Inertial body = times_as_dense(*known.inertial, mass / measure);
    if (known.exact && mass > 0) {
        const double exact_mass = read_geom_mass(context, geom.element, known.exact->mass);
        const Inertial exact = times_as_dense(*known.exact, exact_mass / known.exact->mass);
        context.document.report(Severity::note, Code::inertia, geom.element.node,
                                "MuJoCo's inertia=\"legacy\" of " + known.name + " is " + figures(body),
                                "inertia=\"exact\" is " + figures(exact));
        known.exact.reset();  // one note for each mesh
    }
    return placed_at(geom.pose, body);
}

}  // namespace grbda::mjcf
