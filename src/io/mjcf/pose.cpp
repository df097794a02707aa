#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "description/rules.hpp"
#include "elements.hpp"

namespace grbda::mjcf {

namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::array<const char*, 5> orientation_attributes = {"quat", "axisangle", "euler", "xyaxes",
                                                               "zaxis"};

constexpr const char* one_orientation = "one of quat, axisangle, euler, xyaxes and zaxis";

/// The attribute that gives the orientation; nullptr without one. If a class
/// gives it by another attribute than quat, MuJoCo ignores the quat of an element.
const char* orientation_attribute(Context& context, const Element& element) {
    const char *own = nullptr, *of_class = nullptr;
    const char* const quat = orientation_attributes[0];
    int own_count = 0, class_count = 0;
    for (const char* attribute : orientation_attributes) {
        if (!context.has(element, attribute)) continue;
        const bool is_own = !element.node.attribute(attribute).empty();
        (is_own ? own_count : class_count) += is_own || attribute != quat ? 1 : 0;
        if (is_own) own = attribute;
        if (!is_own && (of_class == nullptr || of_class == quat)) of_class = attribute;
    }
    if (own_count > 1) context.document.error(Code::conflict, element.node, one_orientation, "several");
    if (own != nullptr && own != quat) return own;
    if (class_count > 1) {
        context.document.error(Code::conflict, element.node, one_orientation,
                               "several in its default classes",
                               "versions of MuJoCo differ here: delete all but one");
    } else if (own == quat && class_count == 1) {
        context.document.report(Severity::warning, Code::conflict, element.node, one_orientation,
                                std::string("quat, and ") + of_class + " in its default class",
                                "quat is not used, as in MuJoCo: write the orientation as the class does");
    }
    return class_count > 0 || own == nullptr ? of_class : own;
}

bool is_direction(Context& context, const Element& element, const char* attribute, const Vector3d& vector) {
    if (is_axis(vector)) return true;
    context.error(Code::out_of_range, element, attribute, "a direction that is not zero");
    return false;
}

Matrix3d from_quaternion(Context& context, const Element& element, const std::vector<double>& wxyz) {
    const Eigen::Vector4d coefficients(wxyz[1], wxyz[2], wxyz[3], wxyz[0]);
    const double length = coefficients.stableNorm();
    if (length >= smallest_axis) return Eigen::Quaterniond(coefficients / length).toRotationMatrix();
    context.error(Code::out_of_range, element, "quat", "a quaternion other than zero");
    return Matrix3d::Identity();
}

Matrix3d from_axis_angle(Context& context, const Element& element, const std::vector<double>& values) {
    const Vector3d axis(values.data());
    if (!is_direction(context, element, "axisangle", axis)) return Matrix3d::Identity();
    const double unit = context.compiler_of(element.node).angle_unit;
    return AngleAxisd(values[3] * unit, axis.stableNormalized()).toRotationMatrix();
}

/// x as given, y made perpendicular to it.
Matrix3d from_axes(Context& context, const Element& element, const std::vector<double>& values) {
    const Vector3d x(values.data());
    const Vector3d y(values.data() + 3);
    Matrix3d rotation = Matrix3d::Identity();
    if (!is_direction(context, element, "xyaxes", x)) return rotation;
    rotation.col(0) = x.stableNormalized();
    const Vector3d unit = y.stableNormalized();
    const Vector3d across = unit - rotation.col(0) * rotation.col(0).dot(unit);
    if (!is_direction(context, element, "xyaxes", across)) return Matrix3d::Identity();
    rotation.col(1) = across.normalized();
    rotation.col(2) = rotation.col(0).cross(rotation.col(1));
    return rotation;
}

}  // namespace

/// Lower-case axes rotate with the frame, upper-case axes are fixed.
Matrix3d from_euler(const Compiler& compiler, const Vector3d& angles) {
    Matrix3d rotation = Matrix3d::Identity();
    for (int i = 0; i < 3; ++i) {
        const char axis = compiler.euler_sequence[static_cast<std::size_t>(i)];
        const bool turns_along = axis >= 'x';
        const Vector3d unit = Vector3d::Unit(axis - (turns_along ? 'x' : 'X'));
        const Matrix3d turn = AngleAxisd(angles[i] * compiler.angle_unit, unit).toRotationMatrix();
        rotation = turns_along ? Matrix3d(rotation * turn) : Matrix3d(turn * rotation);
    }
    return rotation;
}

Matrix3d read_rotation(Context& context, const Element& element) {
    const char* attribute = orientation_attribute(context, element);
    if (attribute == nullptr) return Matrix3d::Identity();
    constexpr std::array<std::size_t, 5> counts = {4, 4, 3, 6, 3};
    std::size_t kind = 0;
    while (orientation_attributes[kind] != attribute) ++kind;
    const auto values = context.numbers(element, attribute, counts[kind]);
    if (!values) return Matrix3d::Identity();
    switch (kind) {
        case 0: return from_quaternion(context, element, *values);
        case 1: return from_axis_angle(context, element, *values);
        case 2: return from_euler(context.compiler_of(element.node), Vector3d(values->data()));
        case 3: return from_axes(context, element, *values);
        default: break;
    }
    const Vector3d z(values->data());
    return is_direction(context, element, attribute, z) ? rotation_of_z(z) : Matrix3d::Identity();
}

Pose read_pose(Context& context, const Element& element) {
    Pose pose;
    if (const auto position = context.numbers(element, "pos", 3))
        pose.translation = Vector3d(position->data());
    pose.rotation = read_rotation(context, element);
    return pose;
}

std::optional<Pose> read_fromto(Context& context, const Element& element, double& half_length) {
    const auto ends = context.numbers(element, "fromto", 6);
    if (!ends) return std::nullopt;
    const Vector3d from(ends->data());
    const Vector3d to(ends->data() + 3);
    if (!is_direction(context, element, "fromto", from - to)) return std::nullopt;
    half_length = (from - to).stableNorm() / 2;
    return Pose{rotation_of_z(from - to), (from + to) / 2};
}

}  // namespace grbda::mjcf
