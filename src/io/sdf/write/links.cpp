#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "io/text/rpy.hpp"
#include "parts.hpp"

// Links with their inertia and shapes, and frames.

namespace grbda::to_sdf {

namespace {

void write_inertial(const MechanismBody& body, Robot& robot, xml::Text& text) {
    const Inertial& inertial = body.inertia;
    const Eigen::Matrix3d& I = inertial.inertia;
    if (!(inertial.mass > 0))
        robot.findings.warn("has links with mass alone for most of its readers, who refuse others",
                            body.name);
    text.open("inertial");
    write_pose({Eigen::Matrix3d::Identity(), inertial.com}, "", text);
    write_number("mass", inertial.mass, text);
    text.open("inertia");
    write_number("ixx", I(0, 0), text);
    write_number("ixy", I(0, 1), text);
    write_number("ixz", I(0, 2), text);
    write_number("iyy", I(1, 1), text);
    write_number("iyz", I(1, 2), text);
    write_number("izz", I(2, 2), text);
    text.close().close();
}

void write_geometry(const Shape& shape, xml::Text& text) {
    text.open("geometry").open(to_string(shape.kind));
    switch (shape.kind) {
        case ShapeKind::sphere: write_number("radius", shape.size.x(), text); break;
        case ShapeKind::capsule:
        case ShapeKind::cylinder:
            write_number("radius", shape.size.x(), text);
            write_number("length", shape.size.y(), text);
            break;
        case ShapeKind::box: text.leaf("size", numbers(shape.size)); break;
        case ShapeKind::ellipsoid: text.leaf("radii", numbers(shape.size)); break;
        case ShapeKind::plane: text.leaf("normal", "0 0 1").leaf("size", "1 1"); break;
        case ShapeKind::mesh:
            text.leaf("uri", shape.mesh);
            if (shape.size != Eigen::Vector3d::Ones()) text.leaf("scale", numbers(shape.size));
            break;
    }
    text.close().close();
}

void write_surface(const Surface& surface, xml::Text& text) {
    text.open("surface").open("friction").open("ode");
    write_number("mu", surface.friction, text);
    write_number("mu2", surface.friction, text);
    text.close().close().close();
}

void write_color(const Eigen::Vector4d& color, xml::Text& text) {
    std::string rgba;
    for (const double part : color) rgba += (rgba.empty() ? "" : " ") + xml::exact(part);
    text.open("material").leaf("ambient", rgba).leaf("diffuse", rgba).close();
}

void write_shape(const char* kind, const MechanismShape& placed, writing::FreeNames& names, xml::Text& text) {
    const ShapeDescription& shape = placed.shape;
    const bool is_visual = std::string(kind) == "visual";
    text.open(kind).attribute("name", names.free(shape.name.empty() ? kind : shape.name));
    write_pose(placed.placement, "", text);
    write_geometry(shape.shape, text);
    if (is_visual && shape.color) write_color(*shape.color, text);
    if (!is_visual && shape.surface) write_surface(*shape.surface, text);
    text.close();
}

void write_shapes(int body, Robot& robot, xml::Text& text) {
    writing::FreeNames visuals, collisions;
    for (const MechanismShape& placed : robot.mechanism.shapes) {
        if (placed.body != body) continue;
        const ShapeDescription& shape = placed.shape;
        const TouchMask usual;
        if (shape.visual) write_shape("visual", placed, visuals, text);
        if (shape.collision) write_shape("collision", placed, collisions, text);
        if (!shape.visual && !shape.collision)
            robot.findings.leave_out("shapes neither to be seen nor touched, of links", placed.link);
        if (shape.mask.type != usual.type || shape.mask.affinity != usual.affinity)
            robot.findings.leave_out("which shapes touch which, of links", placed.link);
    }
}

/// SDF has a list of types; another program's type is written in the form that Gazebo's plugins expect.
void write_sensor_type(const std::string& type, xml::Text& text) {
    constexpr std::string_view known[] = {"air_pressure",
                                          "air_speed",
                                          "altimeter",
                                          "boundingbox_camera",
                                          "camera",
                                          "contact",
                                          "custom",
                                          "depth",
                                          "depth_camera",
                                          "force_torque",
                                          "gps",
                                          "gpu_lidar",
                                          "gpu_ray",
                                          "imu",
                                          "lidar",
                                          "logical_camera",
                                          "magnetometer",
                                          "multicamera",
                                          "navsat",
                                          "none",
                                          "ray",
                                          "rfid",
                                          "rfidtag",
                                          "rgbd",
                                          "rgbd_camera",
                                          "segmentation_camera",
                                          "sonar",
                                          "thermal",
                                          "thermal_camera",
                                          "wideanglecamera",
                                          "wide_angle_camera",
                                          "wireless_receiver",
                                          "wireless_transmitter"};
    const bool is_known = std::find(std::begin(known), std::end(known), type) != std::end(known);
    text.attribute("type", is_known ? type : "custom");
    if (!is_known) text.attribute("gz:type", type);
}

void write_sensors(int body, Robot& robot, xml::Text& text) {
    writing::FreeNames names;
    for (const MechanismSensor& placed : robot.mechanism.sensors) {
        if (placed.body != body) continue;
        text.open("sensor").attribute("name", names.free(placed.sensor.name));
        write_sensor_type(placed.sensor.type, text);
        write_pose(placed.placement, "", text);
        text.close();
    }
}

}  // namespace

std::string numbers(const Eigen::Vector3d& vector) {
    return xml::exact(vector.x()) + " " + xml::exact(vector.y()) + " " + xml::exact(vector.z());
}

void write_number(const char* element, double value, xml::Text& text) {
    text.leaf(element, xml::exact(value));
}

void write_pose(const Pose& pose, const std::string& relative_to, xml::Text& text) {
    const bool turned = pose.rotation != Eigen::Matrix3d::Identity();
    if (!turned && pose.translation.isZero(0) && relative_to.empty()) return;
    const Eigen::Vector3d rpy = turned ? rpy_from_rotation(pose.rotation) : Eigen::Vector3d::Zero();
    text.open("pose");
    if (!relative_to.empty()) text.attribute("relative_to", relative_to);
    text.close(numbers(pose.translation) + " " + numbers(rpy));
}

void write_links(Robot& robot, xml::Text& text) {
    if (!robot.root.empty()) {
        text.open("link").attribute("name", robot.root);
        write_shapes(world, robot, text);
        write_sensors(world, robot, text);
        text.close();
    }
    for (int i = 0; i < static_cast<int>(robot.mechanism.bodies.size()); ++i) {
        const MechanismBody& body = robot.mechanism.bodies[i];
        if (body.combined) continue;
        text.open("link").attribute("name", robot.links[i]);
        write_pose(body.placement, body.parent == world ? "" : robot.links[body.parent], text);
        write_inertial(body, robot, text);
        const double share = writing::carried_share(body, robot.findings);
        if (share == 1) text.leaf("gravity", "false");
        if (share != 0 && share != 1)
            robot.findings.error(body.where, "link", body.name, "no weight carried, or all of it",
                                 xml::exact(share) + " of it");
        write_shapes(i, robot, text);
        write_sensors(i, robot, text);
        text.close();
    }
}

void write_frames(Robot& robot, xml::Text& text) {
    for (const MechanismFrame& frame : robot.mechanism.frames) {
        const std::string& name = frame.name;
        const bool is_link =
            frame.body == world ? name == robot.root || name == "world" : name == robot.links[frame.body];
        if (is_link || (frame.body != world && robot.mechanism.bodies[frame.body].combined)) continue;
        text.open("frame").attribute("name", robot.name_for("frame", name));
        text.attribute("attached_to", robot.link_of(frame.body));
        write_pose(frame.placement, "", text);
        text.close();
    }
}

}  // namespace grbda::to_sdf
