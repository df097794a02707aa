#include "grbda/description.hpp"

#include <algorithm>

#include <Eigen/Eigenvalues>

namespace grbda {

double PerCoordinate::operator[](int coordinate) const {
    const auto at = static_cast<std::size_t>(coordinate);
    if (values_.size() == 1) return values_.front();
    return at < values_.size() ? values_[at] : 0;
}

bool PerCoordinate::is_zero() const {
    return std::all_of(values_.begin(), values_.end(), [](double value) { return value == 0; });
}

PrincipalInertia principal_inertia(const Eigen::Matrix3d& inertia) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

Pose operator*(const Pose& a, const Pose& b) {
    return {a.rotation * b.rotation, a.translation + a.rotation * b.translation};
}

Pose inverse(const Pose& pose) {
    return {pose.rotation.transpose(), -(pose.rotation.transpose() * pose.translation)};
}

}  // namespace grbda
