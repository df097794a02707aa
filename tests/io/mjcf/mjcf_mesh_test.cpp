#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <sstream>

#include <Eigen/Geometry>

#include "io/folder_fixture.hpp"

// Bodies of MJCF whose mass follows from a mesh have the inertia of the volume that the mesh encloses.

using namespace folder_test;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

struct Mesh {
    std::vector<Vector3d> points;
    std::vector<std::vector<std::size_t>> faces;  ///< seen from outside, counterclockwise
};

/// A box with these lengths, one corner at the origin.
Mesh box(double x, double y, double z) {
    Mesh mesh;
    for (const int corner : {0, 1, 2, 3, 4, 5, 6, 7})
        mesh.points.emplace_back(corner & 1 ? x : 0, corner & 2 ? y : 0, corner & 4 ? z : 0);
    mesh.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    return mesh;
}

std::string obj(const Mesh& mesh) {
    std::ostringstream text;
    text << "# a box\no thing\n";
    for (const Vector3d& point : mesh.points) text << "v " << point.transpose() << "\nvn 0 0 1\n";
    for (const auto& face : mesh.faces) {
        text << "f";
        for (const std::size_t corner : face) text << " " << corner + 1 << "//" << corner + 1;
        text << "\n";
    }
    return text.str();
}

/// Calls use(a, b, c) for each triangle.
void for_triangles(const Mesh& mesh, const std::function<void(Vector3d, Vector3d, Vector3d)>& use) {
    for (const auto& face : mesh.faces)
        for (std::size_t i = 2; i < face.size(); ++i)
            use(mesh.points[face[0]], mesh.points[face[i - 1]], mesh.points[face[i]]);
}

std::string ascii_stl(const Mesh& mesh) {
    std::ostringstream text;
    text << "solid thing\n";
    for_triangles(mesh, [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
        text << " facet normal 0 0 0\n  outer loop\n";
        for (const Vector3d& point : {a, b, c}) text << "   vertex " << point.transpose() << "\n";
        text << "  endloop\n endfacet\n";
    });
    return text.str() + "endsolid thing\n";
}

/// Tests run on machines that are little-endian, as the format is.
std::string binary_stl(const Mesh& mesh) {
    std::string bytes;
    std::uint32_t count = 0;
    for_triangles(mesh, [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
        ++count;
        bytes.append(12, '\0');
        for (const Vector3d& point : {a, b, c}) {
            for (const double coordinate : point) {
                const float number = static_cast<float>(coordinate);
                bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
            }
        }
        bytes.append(2, '\0');
    });
    return "solid of another kind" + std::string(80 - 21, ' ') +
           std::string(reinterpret_cast<const char*>(&count), sizeof count) + bytes;
}

std::string mesh_robot(const std::string& mesh, const std::string& geom = "",
                       const std::string& compiler = "") {
    return "<mujoco><compiler meshdir=\"meshes\" " + compiler + "/><asset><mesh name=\"m\" " + mesh +
           "/></asset><worldbody><body name=\"b\"><joint/>\n<geom type=\"mesh\" mesh=\"m\" " + geom +
           "/></body></worldbody></mujoco>";
}

struct ReadBody {
    std::optional<grbda::Inertial> inertial;
    std::string words;
};

ReadBody read_body(const Folder& folder, const std::string& text) {
    grbda::Diagnostics findings;
    const auto description = grbda::read_description({folder.write("robot.xml", text)}, findings);
    return {description.links.back().inertial, in_words(findings, folder)};
}

void check_box(const ReadBody& read, double density, const Vector3d& size, const Vector3d& centre) {
    INFO(read.words);
    REQUIRE(read.inertial);
    const double mass = density * size.prod();
    const Vector3d squares = size.cwiseAbs2();
    const Vector3d moments =
        mass / 12 * Vector3d(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y());
    constexpr double rounding = 1e-6;  // numbers of single precision
    CHECK(read.inertial->mass == Approx(mass).epsilon(rounding));
    CHECK((read.inertial->com - centre).norm() < rounding * centre.norm());
    CHECK((read.inertial->inertia - Matrix3d(moments.asDiagonal())).norm() < rounding * moments.norm());
    CHECK(read.words.empty());
}

}  // namespace

TEST_CASE("mjcf bodies have the mass of the mesh that a geom names, from STL and OBJ") {
    const Folder folder;
    const Vector3d size(0.1, 0.2, 0.3);
    const Mesh mesh = box(0.1, 0.2, 0.3);
    folder.write("meshes/a.obj", obj(mesh));
    folder.write("meshes/a.stl", ascii_stl(mesh));
    folder.write("meshes/b.STL", binary_stl(mesh));
    for (const char* name : {"a.obj", "a.stl", "b.STL"}) {
        INFO(name);
        const std::string file = std::string("file=\"") + name + "\" ";
        check_box(read_body(folder, mesh_robot(file)), 1000, size, size / 2);
        check_box(read_body(folder, mesh_robot(file + "scale=\"2 1 1\"", "density=\"10\"")), 10,
                  {0.2, 0.2, 0.3}, {0.1, 0.1, 0.15});
        check_box(read_body(folder, mesh_robot(file + "scale=\"-1 1 1\"", "mass=\"0.006\" pos=\"1 0 0\"")), 1,
                  size, {0.95, 0.1, 0.15});
        check_box(read_body(folder, mesh_robot(file + "refpos=\"0.05 0.1 0.15\"", "pos=\"0 0 2\"")), 1000,
                  size, {0, 0, 2});
    }
}

TEST_CASE("the inertia from a mesh does not depend on its triangulation or its origin") {
    const Folder folder;
    Mesh hollow = box(1, 1, 1);  // with a hole of half its lengths inside
    const Mesh hole = box(0.5, 0.5, 0.5);
    for (const Vector3d& point : hole.points) hollow.points.push_back(point + Vector3d::Constant(0.25));
    for (std::vector<std::size_t> face : hole.faces) {
        for (std::size_t& corner : face) corner += 8;
        hollow.faces.emplace_back(face.rbegin(), face.rend());
    }
    folder.write("meshes/a.obj", obj(hollow));
    const ReadBody found = read_body(folder, mesh_robot("file=\"a.obj\" inertia=\"exact\"", "density=\"6\""));
    REQUIRE(found.inertial);
    CHECK(found.words.empty());
    CHECK(found.inertial->mass == Approx(6 - 6. / 8));
    CHECK((found.inertial->com - Vector3d::Constant(0.5)).norm() < 1e-14);
    CHECK((found.inertial->inertia - (1 - 1. / 32) * Matrix3d::Identity()).norm() < 1e-14);
}

TEST_CASE("mjcf names meshes that do not determine a body's mass, and those with gaps as approximate") {
    const Folder folder;
    Mesh open = box(1, 1, 1);
    open.faces.pop_back();
    folder.write("meshes/open.obj", obj(open));
    folder.write("meshes/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("meshes/bad.obj", "v 0 0 0\nf 1 2 3\n");
    folder.write("meshes/short.stl", "solid\nvertex 0 0 0\n");
    folder.write("meshes/a.msh", "x");
    folder.write("meshes/a.ply", "x");
    folder.write("meshes/a.obj", obj(box(1, 1, 1)));
    const auto words = [&](const std::string& file, const std::string& more = "") {
        return read_body(folder, mesh_robot("file=\"" + file + "\" " + more)).words;
    };
    CHECK(contains(words("open.obj"),
                   "warning: <geom> of body 'b': expected a mesh without gaps, found "
                   "'meshes/open.obj' with gaps"));
    const auto refused = [&](const std::string& found, const std::string& reason) {
        INFO(found);
        CHECK(contains(found, "error: body 'b': expected an <inertial>"));
        CHECK(contains(found, "takes its mass from " + reason));
    };
    refused(words("flat.obj"), "'meshes/flat.obj': a surface that encloses nothing");
    refused(words("bad.obj"), "'meshes/bad.obj': a file that cannot be read");
    refused(words("short.stl"), "'meshes/short.stl': a file that cannot be read");
    refused(words("a.msh"), "'meshes/a.msh': a file that cannot be read");
    refused(words("a.ply"), "'meshes/a.ply': neither STL, OBJ nor MSH");
    refused(words("gone.obj"), "'meshes/gone.obj', which is not there");
    refused(words("../../gone.obj"), "");
    Mesh turned = box(1, 1, 1);
    for (const std::size_t face : {1u, 3u})
        std::reverse(turned.faces[face].begin(), turned.faces[face].end());
    folder.write("meshes/turned.obj", obj(turned));
    const std::string triangles = "'meshes/turned.obj', in which triangles 3, 4, 7 and 8 face the other way";
    CHECK(contains(words("turned.obj"),
                   "warning: <geom> of body 'b': expected a mesh whose faces all face "
                   "outwards, found " +
                       triangles));
    refused(words("turned.obj", "inertia=\"exact\""), triangles);
    for (const char* kind : {"convex", "shell"})
        CHECK(words("turned.obj", std::string("inertia=\"") + kind + "\"").empty());
}

namespace {

/// An angle of 0.1 m thickness, with arms of 0.3 m.
Mesh angle() {
    Mesh mesh;
    for (const double z : {0., 0.1})
        for (const auto& [x, y] :
             {std::pair(0., 0.), {0.3, 0.}, {0.3, 0.1}, {0.1, 0.1}, {0.1, 0.3}, {0., 0.3}})
            mesh.points.emplace_back(x, y, z);
    mesh.faces = {{5, 4, 3, 2, 1, 0}, {6, 7, 8, 9, 10, 11}};
    for (std::size_t i = 0; i < 6; ++i) mesh.faces.push_back({i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6});
    return mesh;
}

}  // namespace

TEST_CASE(
    "the mass of a mesh follows the rule that its inertia attribute names, without one MuJoCo's legacy") {
    const Folder folder;
    folder.write("meshes/angle.obj", obj(angle()));
    struct Rule {
        const char* mesh;
        const char* compiler;
        double mass, centre, moment;  // kg, m along x, and kg m² about z
    };
    // exact: three cubes of 1 kg at 0.05 and 0.25, and their two gaps; convex: less than a square by a
    // triangle; legacy: MuJoCo 3.17.0
    const Rule rules[] = {
        {"", "", 5.322547967570202, 0.11209554, 0.0745461},
        {"inertia=\"legacy\"", "", 5.322547967570202, 0.11209554, 0.0745461},
        {"inertia=\"exact\"", "", 5, 0.11, 0.0723333333},
        {"", "exactmeshinertia=\"true\"", 5, 0.11, 0.0723333333},
        {"inertia=\"legacy\"", "exactmeshinertia=\"true\"", 5.322547967570202, 0.11209554, 0.0745461},
        {"inertia=\"convex\"", "", 7, 0.1261904762, 0.0903968254},
        {"inertia=\"shell\"", "", 220, 0.1136363636, 3.9848484848}};
    for (const Rule& rule : rules) {
        INFO(rule.mesh << " " << rule.compiler);
        const ReadBody read =
            read_body(folder, mesh_robot(std::string("file=\"angle.obj\" ") + rule.mesh, "", rule.compiler));
        INFO(read.words);
        REQUIRE(read.inertial);
        constexpr double rounding = 1e-6;  // numbers of single precision
        CHECK(read.inertial->mass == Approx(rule.mass).epsilon(rounding));
        CHECK((read.inertial->com - Vector3d(rule.centre, rule.centre, 0.05)).norm() < rounding);
        CHECK(read.inertial->inertia(2, 2) == Approx(rule.moment).epsilon(rounding));
        const bool is_legacy = rule.mass > 5.3 && rule.mass < 5.4;
        CHECK(contains(read.words, "is 5.32255 kg at") == is_legacy);
        CHECK(contains(read.words, "inertia=\"exact\" is 5 kg at") == is_legacy);
    }
    const std::string listed = "vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\"";
    for (const char* face : {"", " face=\"0 2 1 0 1 3 0 3 2 1 2 3\" inertia=\"exact\""}) {
        const ReadBody read = read_body(folder, mesh_robot(listed + face, "density=\"6\""));
        REQUIRE(read.inertial);
        CHECK(read.inertial->mass == Approx(1));
        CHECK((read.inertial->com - Vector3d::Constant(0.25)).norm() < 1e-12);
    }
}

TEST_CASE("the mass of an open mesh does not depend on the order of its triangles, and a warning names it") {
    const Folder folder;
    Mesh tube = box(0.1, 0.1, 0.1);
    tube.faces.resize(4);  // open at both ends of x, whose area vectors cancel
    for (int turn = 0; turn < 4; ++turn) {
        for (auto& face : tube.faces) std::rotate(face.begin(), face.begin() + turn % 2 + 1, face.end());
        std::rotate(tube.faces.begin(), tube.faces.begin() + 1, tube.faces.end());
        folder.write("meshes/tube.obj", obj(tube));
        const ReadBody read = read_body(folder, mesh_robot("file=\"tube.obj\""));
        REQUIRE(read.inertial);
        CHECK(contains(read.words, "'meshes/tube.obj' with gaps"));
        CHECK(read.inertial->mass ==
              Approx(1000 * 0.1 * 0.1 * 0.1 * 4 / 6).epsilon(1e-6));  // of six pyramids
        CHECK((read.inertial->com - Vector3d::Constant(0.05)).norm() < 1e-8);
    }
    // narrow cracks, of rounded numbers, are no gaps
    Mesh cracked = box(1, 1, 1);
    const auto last = cracked.faces.size() - 1;
    for (std::size_t& corner : cracked.faces[last]) {
        cracked.points.push_back(cracked.points[corner] + Vector3d(0, 2e-7, 0));
        corner = cracked.points.size() - 1;
    }
    folder.write("meshes/cracked.obj", obj(cracked));
    CHECK(read_body(folder, mesh_robot("file=\"cracked.obj\"")).words.empty());
}

TEST_CASE("a primitive with shellinertia has the mass of its surface") {
    const Folder folder;
    const auto inertial = [&](const std::string& geom) {
        const ReadBody read = read_body(folder,
                                        "<mujoco><worldbody><body name=\"b\"><joint/><geom density=\"3\" "
                                        "shellinertia=\"true\" " +
                                            geom + "/></body></worldbody></mujoco>");
        INFO(read.words);
        REQUIRE(read.inertial);
        return *read.inertial;
    };
    constexpr double pi = 3.14159265358979323846;
    const grbda::Inertial ball = inertial("size=\"0.2\"");
    CHECK(ball.mass == Approx(3 * 4 * pi * 0.04));
    CHECK(ball.inertia(0, 0) == Approx(ball.mass * 0.04 * 2 / 3));
    const grbda::Inertial cube = inertial("type=\"box\" size=\"0.5 0.5 0.5\"");
    CHECK(cube.mass == Approx(18));
    CHECK(cube.inertia(2, 2) == Approx(18 * 5. / 18));
    // MuJoCo 3.17.0
    const auto check = [&](const std::string& geom, double mass, const Vector3d& moments) {
        const grbda::Inertial read = inertial(geom);
        CHECK(read.mass == Approx(mass).epsilon(1e-12));
        CHECK((read.inertia.diagonal() - moments).norm() < 1e-12);
    };
    check("type=\"capsule\" size=\"0.1 0.3\"", 1.5079644737231008,
          {0.08733627576979625, 0.08733627576979625, 0.013823007675795093});
    check("type=\"cylinder\" size=\"0.1 0.3\"", 1.319468914507713,
          {0.05701990666265474, 0.05701990666265474, 0.012252211349000192});
    check("type=\"box\" size=\"0.1 0.2 0.3\"", 2.64, {0.1624, 0.1264, 0.0728});
    const grbda::Inertial egg = inertial("type=\"ellipsoid\" size=\"0.1 0.2 0.3\"");
    CHECK(egg.mass == Approx(1.4691580000115194).epsilon(1e-12));
    CHECK((egg.inertia.diagonal() - Vector3d(0.05422552464733599, 0.04220509972878972, 0.024308042810389452))
              .norm() < 1e-10);
}
