#include "split.hpp"

#include <Eigen/Geometry>

#include "description/rules.hpp"

namespace grbda::writing {

namespace {

using Kind = Part::Kind;

std::vector<Part> named(const MechanismBody& body, std::vector<Part> parts, FreeNames& names) {
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].name = parts.size() == 1 ? body.joint : names.free(body.joint + "_" + std::to_string(i + 1));
    return parts;
}

std::vector<Part> parts_of(const MechanismBody& body) {
    const Eigen::Vector3d a = body.axis.stableNormalized(), b = body.axis2.stableNormalized();
    const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
    switch (body.type) {
        case JointType::fixed: break;
        case JointType::revolute:
        case JointType::continuous: return {{Kind::hinge, {}, a, 0}};
        case JointType::prismatic: return {{Kind::slide, {}, a, 0}};
        case JointType::helical: return {{Kind::hinge, {}, a, 0}, {Kind::slide, {}, a, 0, body.pitch}};
        case JointType::cylindrical: return {{Kind::hinge, {}, a, 0}, {Kind::slide, {}, a, 1}};
        case JointType::universal: return {{Kind::hinge, {}, a, 0}, {Kind::hinge, {}, b, 1}};
        case JointType::planar: {
            const Eigen::Vector3d x = plane_direction(a);
            return {{Kind::slide, {}, x, 0}, {Kind::slide, {}, a.cross(x), 1}, {Kind::hinge, {}, a, 2}};
        }
        case JointType::spherical: return {{Kind::ball, {}, zero, 0}};
        case JointType::floating: return {{Kind::free, {}, zero, 0}};
    }
    return {};
}

}  // namespace

std::vector<Part> split(const MechanismBody& body, FreeNames& names) {
    return named(body, parts_of(body), names);
}

std::vector<Part> split_floating(const MechanismBody& body, FreeNames& names) {
    std::vector<Part> parts;
    for (int i = 0; i < 3; ++i) parts.push_back({Kind::slide, {}, Eigen::Vector3d::Unit(i), i});
    parts.push_back({Kind::ball, {}, Eigen::Vector3d::Zero(), 3});
    return named(body, std::move(parts), names);
}

bool is_uniform(const PerCoordinate& figures, int first, int count) {
    for (int i = 1; i < count; ++i)
        if (figures[first + i] != figures[first]) return false;
    return true;
}

std::vector<double> part_position(const MechanismBody& body, const Part& part,
                                  const std::vector<double>& position) {
    switch (part.kind) {
        case Kind::hinge:
        case Kind::slide: {
            const double q = position[static_cast<std::size_t>(part.component)];
            return {part.ratio == 0 ? q : part.ratio * q};
        }
        case Kind::ball: return {position.end() - 4, position.end()};
        case Kind::free: return position;
    }
    return std::vector<double>(static_cast<std::size_t>(position_size(body.type)), 0);
}

std::vector<double> position_in(const Mechanism& mechanism, const MechanismBody& body,
                                const std::map<std::string, std::vector<double>>& positions) {
    for (const auto* said : {&positions, &mechanism.start})
        if (const auto found = said->find(body.joint); found != said->end()) return found->second;
    std::vector<double> zero(static_cast<std::size_t>(position_size(body.type)), 0);
    if (has_quaternion(body.type)) zero.back() = 1;
    return zero;
}

}  // namespace grbda::writing
