#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <pybind11/stl.h>

#include "grbda/collision/collide.hpp"
#include "grbda/collision/height_field.hpp"
#include "grbda/io/hulls.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "values.hpp"
#include "hulls.hpp"
#include "named.hpp"

namespace grbda::python {
namespace {

/// Owns its hull.
struct PlacedShape : Placed {
    std::shared_ptr<const ConvexHull> owner;
};

using Solid = std::variant<PlacedShape, Plane, HeightField>;

PlacedShape placed_from(const py::object& kind, const py::object& size, const py::object& position,
                        const py::object& rotation, const py::object& points) {
    grbda::Shape shape;
    shape.kind = named<ShapeKind>("kind", kind);
    shape.size = vector_from({"Placed", "size"}, size, 3);
    if (!points.is_none()) {
        if (shape.kind != ShapeKind::mesh)
            throw py::value_error(
                "Placed: points: expected none, as only a mesh has points; found them for a " +
                std::string(to_string(shape.kind)));
        std::string found;
        std::optional<ConvexHull> hull = convex_hull(points_from({"Placed", "points"}, points), found);
        if (!hull)
            throw py::value_error("Placed: points: expected points that enclose a volume, found " + found);
        shape.hull = std::make_shared<const ConvexHull>(*std::move(hull));
    }
    Placed placed;
    if (!position.is_none()) placed.position = vector3_from({"Placed", "position"}, position);
    if (!rotation.is_none()) placed.rotation = matrix3_from({"Placed", "rotation"}, rotation);
    return {grbda::placed(shape, placed.position, placed.rotation), shape.hull};
}

std::vector<Touch> touches_of(const PlacedShape& a, const Solid& b, double margin) {
    std::array<Touch, most_touches> found;
    const int count = std::visit([&](const auto& other) { return collide(a, other, margin, found); }, b);
    return {found.begin(), found.begin() + count};
}

std::vector<Touch> convex_touches(const PlacedShape& a, const PlacedShape& b, double margin) {
    std::array<Touch, most_touches> found;
    const int count = collide_convex(a, b, margin, found);
    return {found.begin(), found.begin() + count};
}

/// Parameters of the first hits of rays [n × 3 each].
py::object ray_casts(const Solid& solid, const py::object& origins, const py::object& directions) {
    const Site site{"ray_cast", "origins"};
    const py::object array = numbers(site, origins.ptr());
    if (dimensions(array) != 2) refuse_shape(site, array, {.rows = 1, .columns = 3}, "[n, 3]");
    const Py_ssize_t count = extent(array, 0);
    const Eigen::MatrixXd from = matrix_from(site, array, count, 3),
                          along = matrix_from({"ray_cast", "directions"}, directions, count, 3);
    Eigen::VectorXd t(count);
    for (Py_ssize_t i = 0; i < count; ++i) {
        const Vector3<double> origin{from(i, 0), from(i, 1), from(i, 2)},
            direction{along(i, 0), along(i, 1), along(i, 2)};
        t[i] = std::visit([&](const auto& each) { return ray_cast(each, origin, direction); }, solid);
    }
    return to_python(Eigen::Ref<const Eigen::VectorXd>(t));
}

}  // namespace

void bind_collision(py::module_& m) {
    py::class_<PlacedShape> placed(m, "Placed", "A shape at a place in the world.");
    bind_copies_of_value(placed);
    placed
        .def(py::init(&placed_from), py::arg("kind"), py::arg("size"), py::arg("position") = py::none(),
             py::arg("rotation") = py::none(), py::arg("points") = py::none(),
             "__init__(self, kind: ShapeKind | str, size: ArrayLike, position: ArrayLike | None = None, "
             "rotation: "
             "ArrayLike | None = None, points: ArrayLike | None = None) -> None\n\n"
             "size [3] m as `BodyShape.size`; position [3] m of its frame; rotation [3, 3] from its axes to "
             "those of "
             "the world.\n"
             "points [n, 3] m of a mesh in its frame, such as `BodyShape.hull`: their convex hull touches.")
        .def_readonly("kind", &PlacedShape::kind, "ShapeKind: its form")
        .def_property_readonly(
            "position", [](const PlacedShape& p) { return to_python(p.position); },
            "Array: [3] m of its centre")
        .def_property_readonly(
            "rotation", [](const PlacedShape& p) { return to_python(p.rotation); }, "Array: [3, 3]");
    py::class_<Touch> touch(m, "Touch",
                            "Point at which two surfaces are closest, or at which they overlap most.");
    bind_numbers(touch);
    touch
        .def_property_readonly(
            "position", [](const Touch& t) { return to_python(t.position); },
            "Array: [3] m, midway between both surfaces, in the world")
        .def_property_readonly(
            "normal", [](const Touch& t) { return to_python(t.normal); },
            "Array: [3] unit, out of the second shape into the first")
        .def_readonly("gap", &Touch::gap, "float: m along the normal; negative where they overlap")
        .def_readonly("feature", &Touch::feature,
                      "int: corner, cap or end of the pair, the same from call to call");
    m.def("can_collide", &can_collide, py::arg("a"), py::arg("b"),
          "can_collide(a: ShapeKind, b: ShapeKind) -> bool\n\nWhether `collide` has a closed form for these "
          "kinds.");
    m.def("collide", &touches_of, py::arg("a"), py::arg("b"), py::arg("margin") = 0.0,
          "collide(a: Placed, b: Placed | Plane | HeightField, margin: float = 0.0) -> list[Touch]\n\n"
          "Touches with a gap below margin, without a search. Empty for kinds that cannot collide.");
    m.def("ray_cast", &ray_casts, py::arg("solid"), py::arg("origins"), py::arg("directions"),
          "ray_cast(solid: Placed | Plane | HeightField, origins: ArrayLike, directions: ArrayLike) -> "
          "Array\n\n"
          "Finds where rays meet a solid first, [n]: t of origin + t · direction; 0: the origin is inside, "
          "inf: no "
          "hit.\n\n"
          "    origins [n, 3]: m, in the world\n"
          "    directions [n, 3]: of any length above zero");
    m.def("collide_convex", &convex_touches, py::arg("a"), py::arg("b"), py::arg("margin") = 0.0,
          "collide_convex(a: Placed, b: Placed, margin: float = 0.0) -> list[Touch]\n\n"
          "Touches of any two convex shapes, by search.");
}

}  // namespace grbda::python
