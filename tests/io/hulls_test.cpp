#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>

#include "grbda/compile/build.hpp"
#include "grbda/compose.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/io/file.hpp"
#include "grbda/io/hulls.hpp"
#include "kinematics/configuration.hpp"
#include "io/folder_fixture.hpp"

// Convex hulls of the meshes that a robot's files name.

using namespace folder_test;
using Eigen::Vector3d;

namespace {

/// Corners and faces of a box from the origin to (1, 2, 3).
const std::vector<Vector3d>& corners() {
    static const std::vector<Vector3d> points = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 2, 0},
                                                 {0, 0, 3}, {1, 0, 3}, {0, 2, 3}, {1, 2, 3}};
    return points;
}
constexpr std::size_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                     {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

/// With one more point that no face uses.
std::string obj() {
    std::ostringstream text;
    text << "v 9 9 9\n";
    for (const Vector3d& p : corners()) text << "v " << p.transpose() << "\n";
    for (const auto& face : faces) {
        text << "f";
        for (const std::size_t i : face) text << " " << i + 2;
        text << "\n";
    }
    return text.str();
}

void append_word(std::string& text, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
}
void append_point(std::string& text, const Vector3d& point) {
    for (const double x : point) {
        const auto coordinate = static_cast<float>(x);
        std::uint32_t bits;
        std::memcpy(&bits, &coordinate, sizeof bits);
        append_word(text, bits);
    }
}

std::string stl(std::uint32_t stated = 12) {
    std::string text(80, ' ');
    append_word(text, stated);
    for (const auto& face : faces)
        for (const std::size_t i : {1U, 2U}) {
            append_point(text, {0, 0, 0});
            for (const std::size_t k : {face[0], face[i], face[i + 1]}) append_point(text, corners()[k]);
            text += std::string(2, '\0');
        }
    return text;
}

std::string msh(std::uint32_t points = 8, std::uint32_t last = 7) {
    std::string text;
    for (const std::uint32_t count : {points, 0U, 0U, 12U}) append_word(text, count);
    for (const Vector3d& p : corners()) append_point(text, p);
    for (const auto& face : faces)
        for (const std::size_t i : {1U, 2U})
            for (const std::size_t k : {face[0], face[i], face[i + 1]})
                append_word(text, k == 7 ? last : static_cast<std::uint32_t>(k));
    return text;
}

std::string mesh(const std::string& address, const std::string& scale = "1 1 1") {
    return "<geometry><mesh filename=\"" + address + "\" scale=\"" + scale + "\"/></geometry>";
}

/// A base and an arm with these elements.
std::string robot(const std::string& base, const std::string& arm = "", const std::string& name = "r") {
    return "<robot name=\"" + name + "\"><link name=\"base\">" + base +
           "</link><link name=\"arm\"><inertial><mass value=\"1\"/>"
           "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>" +
           arm +
           "</link><joint name=\"turn\" type=\"continuous\"><parent link=\"base\"/><child "
           "link=\"arm\"/></joint>"
           "</robot>";
}
std::string collision(const std::string& address, const std::string& scale = "1 1 1") {
    return "<collision>" + mesh(address, scale) + "</collision>";
}

grbda::Model with_hulls(const std::string& file, const std::vector<std::string>& paths = {}) {
    grbda::LoadOptions options;
    options.hulls = true;
    options.paths = paths;
    return grbda::load(file, options);
}

Vector3d centre_of(const grbda::BodyShape& shape) {
    REQUIRE(shape.shape.hull);
    const auto& centre = shape.shape.hull->centre;
    return {centre.x, centre.y, centre.z};
}

bool is_box(const grbda::BodyShape& shape) {
    return shape.shape.hull && shape.shape.hull->vertices.size() == 8 &&
           shape.shape.hull->faces.size() == 6 && std::abs(shape.shape.hull->volume - 6) < 1e-6 &&
           (centre_of(shape) - Vector3d(0.5, 1, 1.5)).norm() < 1e-6;
}

}  // namespace

TEST_CASE("meshes for collision have hulls if these are wanted, from STL, OBJ and MSH alike") {
    const Folder folder;
    folder.write("a.stl", stl());
    folder.write("b.OBJ", obj());
    folder.write("c.msh", msh());
    const std::string file =
        folder.write("r.urdf", robot(collision("a.stl") + collision("b.OBJ") + collision("c.msh") +
                                     "<visual>" + mesh("gone.stl") + "</visual>"));
    const grbda::Model model = with_hulls(file);
    REQUIRE(model.shapes.size() == 4);
    for (int i = 0; i < 3; ++i) CHECK(is_box(model.shapes[i]));
    CHECK_FALSE(model.shapes[3].shape.hull);
    CHECK(model.diagnostics.empty());
    for (const grbda::BodyShape& shape : grbda::load(file).shapes) CHECK_FALSE(shape.shape.hull);
}

TEST_CASE("a program finds the meshes that a robot's file names, as load_hulls() does") {
    const Folder folder;
    const std::string mesh = folder.write("meshes/a.stl", stl());
    const std::string file = folder.write("robots/r.urdf", robot(collision("../meshes/a.stl")));
    CHECK(grbda::find_mesh_file("../meshes/a.stl", file) == mesh);
    CHECK(grbda::find_mesh_file("package://r_description/meshes/a.stl", file) == mesh);
    CHECK(grbda::find_mesh_file("a.stl", file).empty());
    CHECK(grbda::find_mesh_file("a.stl", file, {folder.at("meshes")}) == mesh);
    CHECK(grbda::find_mesh_file("a.stl", "", {folder.at("meshes")}) == mesh);
    CHECK(grbda::find_mesh_file("meshes", file, {folder.at("")}).empty());
}

TEST_CASE("a scale applies to the points of a mesh, and equal meshes share a hull") {
    const Folder folder;
    folder.write("a.obj", obj());
    const std::string file = folder.write(
        "r.urdf", robot(collision("a.obj") + collision("a.obj", "2 1 0.5") + collision("a.obj", "-1 1 1"),
                        collision("a.obj")));
    const grbda::Model model = with_hulls(file);
    REQUIRE(model.shapes.size() == 4);
    CHECK(model.shapes[0].shape.hull == model.shapes[3].shape.hull);
    CHECK((centre_of(model.shapes[1]) - Vector3d(1, 1, 0.75)).norm() < 1e-12);
    CHECK((centre_of(model.shapes[2]) - Vector3d(-0.5, 1, 1.5)).norm() < 1e-12);
    for (const auto& face : model.shapes[2].shape.hull->faces) CHECK(face.offset > 0.4);  // outwards
}

TEST_CASE("a mesh is found beside its robot, in packages above it and in given folders") {
    const Folder folder;
    folder.write("arm_description/meshes/a.obj", obj());
    folder.write("elsewhere/b.obj", obj());
    const std::string file =
        folder.write("arm_description/urdf/r.urdf",
                     robot(collision("package://arm_description/meshes/a.obj") +
                           collision("package://renamed/meshes/a.obj") + collision("../meshes/a.obj") +
                           collision("b.obj") + collision("file://" + folder.at("elsewhere/b.obj"))));
    const grbda::Model model = with_hulls(file, {folder.at("elsewhere")});
    REQUIRE(model.shapes.size() == 5);
    for (const grbda::BodyShape& shape : model.shapes) CHECK(is_box(shape));
}

TEST_CASE("each robot of a world has the meshes beside its own file") {
    const Folder folder;
    folder.write("one/a.obj", obj());
    folder.write("two/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n");
    folder.write("one/r.urdf", robot(collision("a.obj"), "", "one"));
    folder.write("two/r.urdf", robot(collision("a.obj"), "", "two"));
    const grbda::Model model = with_hulls(folder.write(
        "world.yaml", "robots:\n  - {files: one/r.urdf, prefix: a_}\n  - {files: two/r.urdf, prefix: b_}\n"));
    REQUIRE(model.shapes.size() == 2);
    CHECK(is_box(model.shapes[0]));
    REQUIRE(model.shapes[1].shape.hull);
    CHECK(model.shapes[1].shape.hull->vertices.size() == 4);
}

TEST_CASE("edits of a robot keep its hulls") {
    const Folder folder;
    folder.write("a.obj", obj());
    const std::string file = folder.write("r.urdf", robot(collision("a.obj"), collision("a.obj")));
    grbda::Diagnostics findings;
    grbda::RobotDescription description = grbda::read_description({file}, findings);
    grbda::load_hulls(description, findings);
    CHECK(findings.empty());
    const grbda::Mechanism mechanism = grbda::make_mechanism(description, {}, findings);
    const grbda::Model model = grbda::build_model(mechanism, {}, findings);
    const grbda::Model frozen = grbda::build_model(
        grbda::freeze(mechanism, model, grbda::neutral_configuration(model), {"turn"}, findings), {},
        findings);
    for (const grbda::Model& each : {model, frozen}) {
        REQUIRE(each.shapes.size() == 2);
        for (const grbda::BodyShape& shape : each.shapes) CHECK(is_box(shape));
    }
}

TEST_CASE("a mesh without a hull is a warning that names the file and the reason, once") {
    const Folder folder;
    const std::string nan(4, '\xff');
    std::string not_finite = stl();
    not_finite.replace(84 + 12, 4, nan);
    folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("empty.obj", "");
    folder.write("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
    folder.write("index.obj", "v 0 0 0\nf 1 2 3\n");
    folder.write("text.obj", "v a b c\n");
    folder.write("nan.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\n");
    folder.write("nan.stl", not_finite);
    folder.write("short.stl", stl().substr(0, 500));
    folder.write("header.stl", std::string(84, '\0'));
    folder.write("many.stl", stl(0xFFFFFFFF));
    folder.write("many.msh", msh(0xFFFFFFFF));
    folder.write("index.msh", msh(8, 8));
    folder.write("negative.msh", msh(8, 0xFFFFFFFF));
    folder.write("short.msh", msh().substr(0, 100));
    folder.write("scene.dae", "<COLLADA/>");
    folder.write("folder.stl/x", "");
    const std::string cannot = "a file that cannot be read",
                      flat = "points that lie in one plane, or nearly so";
    const std::string infinite = "a point with a coordinate that is not a finite number";
    const std::pair<std::string, std::string> meshes[] = {{"flat.obj", flat},
                                                          {"empty.obj", "no points"},
                                                          {"index.obj", cannot},
                                                          {"text.obj", cannot},
                                                          {"nan.obj", infinite},
                                                          {"nan.stl", infinite},
                                                          {"short.stl", cannot},
                                                          {"header.stl", "no points"},
                                                          {"many.stl", cannot},
                                                          {"many.msh", cannot},
                                                          {"index.msh", cannot},
                                                          {"negative.msh", cannot},
                                                          {"short.msh", cannot},
                                                          {"scene.dae", "neither STL, OBJ nor MSH"},
                                                          {"folder.stl", "no file at this address"},
                                                          {"gone.stl", "no file at this address"}};
    for (const auto& [name, reason] : meshes) {
        INFO(name);
        const std::string file = folder.write("r.urdf", robot("\n" + collision(name) + collision(name)));
        const grbda::Model model = with_hulls(file);
        REQUIRE(model.shapes.size() == 2);
        CHECK_FALSE(model.shapes[0].shape.hull);
        REQUIRE(model.diagnostics.size() == 1);
        const std::string words = in_words(model.diagnostics, folder);
        INFO(words);
        CHECK(contains(words, "r.urdf:2:"));
        CHECK(contains(words, "warning: mesh '" + name + "' of link 'base': expected "));
        CHECK(contains(words, "found " + reason + " ("));
        grbda::LoadOptions options;
        options.hulls = options.strict = true;
        CHECK_THROWS_AS(grbda::load(file, options), grbda::LoadError);
    }
}

TEST_CASE("a mesh file that is too large is not read") {
    const Folder folder;
    const std::string large = folder.write("large.stl", "");
    std::filesystem::resize_file(large, grbda::largest_mesh_file + 1);
    const grbda::Model model = with_hulls(folder.write("r.urdf", robot(collision("large.stl"))));
    CHECK_FALSE(model.shapes.at(0).shape.hull);
    CHECK(contains(in_words(model.diagnostics, folder), "one of more than 64 MiB"));
}
