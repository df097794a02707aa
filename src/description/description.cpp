#include "grbda/description.hpp"

#include <algorithm>

#include "linear/dense.hpp"

namespace grbda {

namespace {

std::vector<std::string> joints_of(const std::vector<LinearTerm>& terms) {
    std::vector<std::string> joints;
    for (const LinearTerm& term : terms) joints.push_back(term.joint);
    return joints;
}

}  // namespace

double PerCoordinate::operator[](int coordinate) const {
    const auto at = static_cast<std::size_t>(coordinate);
    if (values_.size() == 1) return values_.front();
    return at < values_.size() ? values_[at] : 0;
}

bool PerCoordinate::is_zero() const {
    return std::all_of(values_.begin(), values_.end(), [](double value) { return value == 0; });
}

PrincipalInertia principal_inertia(const Eigen::Matrix3d& inertia) {
    const linear::Eigensystem system = linear::eigensystem(inertia);
    return {system.values, system.vectors};
}

Pose operator*(const Pose& a, const Pose& b) {
    return {a.rotation * b.rotation, a.translation + a.rotation * b.translation};
}

Pose inverse(const Pose& pose) {
    return {pose.rotation.transpose(), -(pose.rotation.transpose() * pose.translation)};
}

bool is_mimic(const CouplingDescription& coupling) {
    const auto* const linear = coupling.as<LinearRelation>();
    return linear != nullptr && linear->mimic;
}

std::vector<std::string> joints_of(const CouplingDescription& coupling) {
    if (const auto* const linear = coupling.as<LinearRelation>()) return joints_of(linear->terms);
    if (const auto* const polynomial = coupling.as<PolynomialRelation>())
        return {polynomial->follower, polynomial->leader};
    return {};
}

std::vector<std::string> joints_of(const TendonDescription& tendon) { return joints_of(tendon.terms); }

std::vector<std::string> joints_of(const CombinedCoordinate& coordinate) {
    return joints_of(coordinate.terms);
}

std::string follower_of(const CouplingDescription& coupling) {
    if (const auto* const polynomial = coupling.as<PolynomialRelation>()) return polynomial->follower;
    if (!is_mimic(coupling)) return {};
    const std::vector<LinearTerm>& terms = coupling.as<LinearRelation>()->terms;
    return terms.empty() ? std::string() : terms.front().joint;
}

}  // namespace grbda
