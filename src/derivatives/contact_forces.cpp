#include <cmath>
#include <stdexcept>

#include <Eigen/Geometry>

#include "contact_rows.hpp"

// Contact forces in the axes of the world, and pyramids in place of friction cones.

namespace grbda {
namespace {

Eigen::Matrix3d eigen_axes(const Matrix3<double>& R) {
    Eigen::Matrix3d result;
    result << R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z;
    return result;
}

}  // namespace

void forces_in_world(const ContactDynamics& work, ConstVector<double> f, ConstMatrix<double> f_by,
                     VectorOut<double> turned, MatrixOut<double> turned_by) {
    const Eigen::Index n = work.J.cols();
    require_size("f", f.size(), work.rows);
    require_size("turned", turned.size(), work.rows);
    require_size("f_by (rows)", f_by.rows(), work.rows);
    require_size("f_by (columns)", f_by.cols(), f_by.cols() == 2 * n ? 2 * n : 3 * n);
    require_size("turned_by (rows)", turned_by.rows(), work.rows);
    require_size("turned_by (columns)", turned_by.cols(), f_by.cols());
    turned.setZero();
    turned_by.setZero();
    contacts::each_active(work, [&](int c, int, int rows) {
        const Eigen::Matrix3d R = eigen_axes(work.axes[c]);
        for (int row = work.begin[c]; row < work.begin[c] + rows; row += 3) {
            const Eigen::Vector3d part = f.segment<3>(row);
            turned.segment<3>(row) = R * part;
            for (Eigen::Index j = 0; j < f_by.cols(); ++j) {
                Eigen::Vector3d change = f_by.col(j).segment<3>(row);
                if (j < n) change += work.angular.col(j).segment<3>(3 * c).cross(part);
                turned_by.col(j).segment<3>(row) = R * change;
            }
        }
    });
}

void friction_pyramid(double friction, const Vector3<double>& normal, bool inside, MatrixOut<double> rows) {
    const Eigen::Index facets = rows.rows();
    Eigen::Vector3d n(normal.x, normal.y, normal.z);
    if (facets < 3)
        throw std::invalid_argument("rows has " + std::to_string(facets) + " rows, expected 3 or more");
    require_size("rows (columns)", rows.cols(), 3);
    if (!(n.norm() > 0) || !(friction >= 0))
        throw std::invalid_argument("friction_pyramid: the normal is zero, or friction is negative");
    n.normalize();
    const Eigen::Vector3d along = std::abs(n[0]) < 0.9 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
    const Eigen::Vector3d first = (along - along.dot(n) * n).normalized(), second = n.cross(first);
    const double step = 2 * M_PI / static_cast<double>(facets);
    const double slope = inside ? friction * std::cos(step / 2) : friction;
    for (Eigen::Index k = 0; k < facets; ++k) {
        const double angle = step * static_cast<double>(k);
        rows.row(k) = slope * n - std::cos(angle) * first - std::sin(angle) * second;
    }
}

}  // namespace grbda
