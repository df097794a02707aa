#include "grbda/description.hpp"

#include <algorithm>

namespace grbda {

double PerCoordinate::operator[](int coordinate) const {
    const auto at = static_cast<std::size_t>(coordinate);
    if (values_.size() == 1) return values_.front();
    return at < values_.size() ? values_[at] : 0;
}

bool PerCoordinate::is_zero() const {
    return std::all_of(values_.begin(), values_.end(), [](double value) { return value == 0; });
}

Pose operator*(const Pose& a, const Pose& b) {
    return {a.rotation * b.rotation, a.translation + a.rotation * b.translation};
}

Pose inverse(const Pose& pose) {
    return {pose.rotation.transpose(), -(pose.rotation.transpose() * pose.translation)};
}

const char* to_string(JointType type) {
    switch (type) {
        case JointType::fixed: return "fixed";
        case JointType::revolute: return "revolute";
        case JointType::continuous: return "continuous";
        case JointType::prismatic: return "prismatic";
        case JointType::cylindrical: return "cylindrical";
        case JointType::universal: return "universal";
        case JointType::planar: return "planar";
        case JointType::spherical: return "spherical";
        case JointType::floating: return "floating";
    }
    return "unknown";
}

const char* to_string(LoopType type) {
    switch (type) {
        case LoopType::fixed: return "fixed";
        case LoopType::revolute: return "revolute";
        case LoopType::continuous: return "continuous";
        case LoopType::prismatic: return "prismatic";
        case LoopType::cylindrical: return "cylindrical";
        case LoopType::universal: return "universal";
        case LoopType::planar: return "planar";
        case LoopType::spherical: return "spherical";
        case LoopType::point_on_line: return "point_on_line";
        case LoopType::distance: return "distance";
        case LoopType::floating: return "floating";
    }
    return "unknown";
}

int position_size(JointType type) {
    // Quaternions take one number more in q than in q̇.
    const bool has_quaternion = type == JointType::spherical || type == JointType::floating;
    return velocity_size(type) + (has_quaternion ? 1 : 0);
}

int velocity_size(JointType type) {
    switch (type) {
        case JointType::fixed: return 0;
        case JointType::revolute:
        case JointType::continuous:
        case JointType::prismatic: return 1;
        case JointType::cylindrical:
        case JointType::universal: return 2;
        case JointType::planar:
        case JointType::spherical: return 3;
        case JointType::floating: return 6;
    }
    return 0;
}

}  // namespace grbda
