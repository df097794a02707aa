#include <locale>
#include <sstream>

#include <Eigen/Eigenvalues>

#include "urdf_elements.hpp"

namespace grbda::urdf {

namespace {

/// Relative to the largest principal moment: files carry about six digits, and the inertia of a thin
/// rod or disc, given in turned axes, can be on the wrong side by that much.
constexpr double inertia_tolerance = 1e-6;

std::string written(const Eigen::Vector3d& values) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << values.x() << ", " << values.y() << ", " << values.z();
    return text.str();
}

/// About the centre of mass, in the inertial frame.
Eigen::Matrix3d read_inertia(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    const double xx = document.required_number(element, "ixx").value_or(0);
    const double xy = document.number(element, "ixy").value_or(0);
    const double xz = document.number(element, "ixz").value_or(0);
    const double yy = document.required_number(element, "iyy").value_or(0);
    const double yz = document.number(element, "iyz").value_or(0);
    const double zz = document.required_number(element, "izz").value_or(0);
    Eigen::Matrix3d inertia;
    inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return inertia;
}

void check_inertia(Context& context, pugi::xml_node element, const Eigen::Matrix3d& inertia) {
    const double largest_entry = inertia.cwiseAbs().maxCoeff();
    if (largest_entry == 0) return;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia / largest_entry,
                                                                Eigen::EigenvaluesOnly);
    const Eigen::Vector3d moments = solver.eigenvalues();  // ascending
    const double tolerance = inertia_tolerance * moments.cwiseAbs().maxCoeff();
    const std::string found = "principal moments " + written(largest_entry * moments);
    if (moments[0] < -tolerance) {
        context.document.error(element, "a positive semi-definite inertia", found,
                               "check the signs and the order ixx ixy ixz iyy iyz izz");
    }
}

Inertial read_inertial(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    document.ignore_children_except(element, {"origin", "mass", "inertia"});
    Inertial inertial;
    const Pose frame = read_origin(context, element);
    inertial.com = frame.translation;
    if (const pugi::xml_node mass = document.required_child(element, "mass")) {
        inertial.mass = document.required_number(mass, "value").value_or(0);
        if (inertial.mass < 0) {
            document.error(mass, "a mass of zero or more", mass.attribute("value").value());
        }
    }
    if (const pugi::xml_node moments = document.required_child(element, "inertia")) {
        const Eigen::Matrix3d inertia = read_inertia(context, moments);
        check_inertia(context, moments, inertia);
        const Eigen::Matrix3d turned = frame.rotation * inertia * frame.rotation.transpose();
        inertial.inertia = (turned + turned.transpose()) / 2;
    }
    return inertial;
}

}  // namespace

LinkDescription read_link(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    LinkDescription link;
    link.where = document.where(element);
    link.name = document.required_text(element, "name").value_or("");
    document.ignore_children_except(element, {"inertial", "visual", "collision"});
    if (const pugi::xml_node inertial = document.child(element, "inertial")) {
        link.inertial = read_inertial(context, inertial);
    }
    return link;
}

}  // namespace grbda::urdf
