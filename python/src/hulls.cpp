#include "hulls.hpp"

#include "grbda/collision/convex_hull.hpp"

namespace grbda::python {

std::vector<Eigen::Vector3d> points_from(const Site& site, const py::object& given) {
    const py::object array = numbers(site, given.ptr());
    if (dimensions(array) != 2) refuse_shape(site, array, {.rows = 1, .columns = 3}, "[n, 3]");
    const Eigen::MatrixXd rows = matrix_from(site, array, extent(array, 0), 3);
    std::vector<Eigen::Vector3d> points;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) points.emplace_back(rows.row(i));
    return points;
}

py::object hull_points(const grbda::Shape& shape) {
    if (!shape.hull) return py::none();
    Eigen::MatrixXd rows(static_cast<Eigen::Index>(shape.hull->vertices.size()), 3);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        const Vector3<double> point = shape.hull->centre + shape.hull->vertices[i];
        rows.row(i) << point.x, point.y, point.z;
    }
    return to_python(Eigen::Ref<const Eigen::MatrixXd>(rows));
}

}  // namespace grbda::python
