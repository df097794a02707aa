#include "elements.hpp"

namespace grbda::urdf {

namespace {

/// Inertia about the centre of mass, in the inertial frame.
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

GravityCompensation read_gravity_compensation(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    document.ignore_children_except(element, {});
    note_unused_attributes(context, element, {"mass", "xyz"});
    GravityCompensation carried;
    carried.mass = document.required_number(element, "mass").value_or(0);
    const auto xyz = document.numbers(element, "xyz", 3);
    if (xyz) carried.point = Eigen::Vector3d(xyz->data());
    return carried;
}

}  // namespace

Inertial read_inertial(Context& context, pugi::xml_node element, FigurePlaces& places) {
    xml::Document& document = context.document;
    document.ignore_children_except(element, {"origin", "mass", "inertia"});
    Inertial inertial;
    const Pose frame = read_origin(context, element);
    inertial.com = frame.translation;
    if (const pugi::xml_node mass = document.required_child(element, "mass")) {
        inertial.mass = document.required_number(mass, "value").value_or(0);
        places[Figure::mass] = document.where(mass);
    }
    if (const pugi::xml_node moments = document.child(element, "inertia"); !moments) {
        document.report(Severity::warning, Code::inertia, element, "an element <inertia>", "none",
                        "read as a point mass");
    } else {
        places[Figure::inertia] = document.where(moments);
        const Eigen::Matrix3d inertia = read_inertia(context, moments);
        const Eigen::Matrix3d turned = frame.rotation * inertia * frame.rotation.transpose();
        inertial.inertia = (turned + turned.transpose()) / 2;
    }
    return inertial;
}

LinkDescription read_link(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    LinkDescription link;
    link.where = document.where(element);
    link.name = document.required_text(element, "name").value_or("");
    document.ignore_children_except(element,
                                    {"inertial", "visual", "collision", "shape", "gravity_compensation"});
    for (const pugi::xml_node carried : element.children("gravity_compensation")) {
        link.gravity_compensation.push_back(read_gravity_compensation(context, carried));
    }
    read_shapes(context, element, link.shapes);
    const pugi::xml_node inertial = document.child(element, "inertial");
    if (!inertial) return link;
    const bool is_root = context.children.count(link.name) == 0;
    if (is_root) document.mark_not_needed(inertial);  // the mass of a floating base is checked later
    const int spared = document.spared();
    const Inertial given = read_inertial(context, inertial, link.places);
    if (document.spared() == spared) link.inertial = given;
    return link;
}

}  // namespace grbda::urdf
