#include "grbda/io/urdf.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/text/number.hpp"
#include "io/text/rpy.hpp"
#include "io/write/settle.hpp"
#include "parts.hpp"

namespace grbda {

namespace urdf {

void write_inertial(const Inertial& inertial, xml::Text& text) {
    const Eigen::Matrix3d& inertia = inertial.inertia;
    if (inertial.mass == 0 && inertia.isZero(0)) return;
    text.open("inertial");
    write_origin({Eigen::Matrix3d::Identity(), inertial.com}, text);
    text.open("mass").attribute("value", inertial.mass).close();
    text.open("inertia")
        .attribute("ixx", inertia(0, 0))
        .attribute("ixy", inertia(0, 1))
        .attribute("ixz", inertia(0, 2))
        .attribute("iyy", inertia(1, 1))
        .attribute("iyz", inertia(1, 2))
        .attribute("izz", inertia(2, 2))
        .close();
    text.close();
}

namespace {

void write_mass(const MechanismBody& body, xml::Text& text) {
    write_inertial(body.inertia, text);
    for (const GravityCompensation& carried : body.gravity_compensation) {
        text.open("gravity_compensation").attribute("mass", carried.mass);
        text.attribute("xyz", carried.point).close();
    }
}

void write_links(const Mechanism& mechanism, const Layout& layout, xml::Text& text) {
    const writing::ShapesByLink shapes = writing::shapes_by_link(mechanism, layout);
    for (const LinkEntry& link : layout.links) {
        text.open("link").attribute("name", link.name);
        if (link.body != world) write_mass(mechanism.bodies[at(link.body)], text);
        const auto own = shapes.find(link.name);
        if (own != shapes.end()) write_shapes(own->second, text);
        text.close();
    }
}

/// Uses Gazebo's format.
void write_sensors(const Mechanism& mechanism, const Layout& layout, xml::Text& text) {
    const auto numbers = [](const Eigen::Vector3d& v) {
        return xml::exact(v.x()) + " " + xml::exact(v.y()) + " " + xml::exact(v.z());
    };
    for (const MechanismSensor& placed : mechanism.sensors) {
        const bool is_written = writing::has_link(layout, placed.link);
        const Pose& origin = is_written ? placed.sensor.origin : placed.placement;
        text.open("gazebo").attribute("reference", is_written ? placed.link : layout.link_of(placed.body));
        text.open("sensor").attribute("name", placed.sensor.name).attribute("type", placed.sensor.type);
        text.leaf("pose", numbers(origin.translation) + " " + numbers(rpy_from_rotation(origin.rotation)));
        text.close().close();
    }
}

/// Other readers of URDF require all four numbers for a joint with a range, and finite ones.
void write_limits(const MechanismBody& body, xml::Text& text) {
    const JointLimits& limits = body.limits;
    const bool has_range = facts(body.type).has_range && body.bounded;
    const auto finite = {limits.effort, limits.velocity, limits.acceleration, limits.jerk};
    if (!has_range && std::none_of(finite.begin(), finite.end(), [](double x) { return std::isfinite(x); }))
        return;
    const auto number = [](double limit) { return std::clamp(limit, -no_limit, no_limit); };
    text.open("limit");
    if (has_range) text.attribute("lower", number(limits.lower)).attribute("upper", number(limits.upper));
    text.attribute("effort", number(limits.effort)).attribute("velocity", number(limits.velocity));
    if (std::isfinite(limits.acceleration)) text.attribute("acceleration", limits.acceleration);
    if (std::isfinite(limits.jerk)) text.attribute("jerk", limits.jerk);
    text.close();
}

void write_dynamics(const MechanismBody& body, xml::Text& text) {
    const auto forces = {std::pair("damping", &body.damping), std::pair("friction", &body.friction),
                         std::pair("stiffness", &body.stiffness)};
    const bool has_forces =
        std::any_of(forces.begin(), forces.end(), [](const auto& entry) { return !entry.second->is_zero(); });
    if (!has_forces && body.armature == 0) return;
    text.open("dynamics");
    for (const auto& [name, figures] : forces) {
        if (!figures->is_zero()) text.attribute(name, figures->values());
    }
    const bool is_plain = !body.damping.is_zero() || !body.friction.is_zero();
    if (!is_plain) text.attribute("damping", 0.0);  // other readers require one of the two
    if (!body.rest.empty() && !body.stiffness.is_zero())
        text.attribute("rest_position", settled_position(body.rest));
    if (body.armature != 0) text.attribute("armature", body.armature);
    text.close();
}

void write_servo(const MechanismBody& body, xml::Text& text) {
    if (!body.servo) return;
    const ServoDescription& servo = *body.servo;
    text.open("servo").attribute("stiffness", servo.stiffness).attribute("damping", servo.damping);
    if (servo.target != 0) text.attribute("target", servo.target);
    if (std::isfinite(servo.lower)) text.attribute("lower", servo.lower);
    if (std::isfinite(servo.upper)) text.attribute("upper", servo.upper);
    text.close();
}

void write_mimic(const Mechanism& mechanism, const MechanismCoupling& coupling, xml::Text& text) {
    const MechanismTerm& leader = coupling.terms[1];
    text.open("mimic")
        .attribute("joint", mechanism.bodies[at(leader.body)].joint)
        .attribute("multiplier", -leader.coefficient);
    if (coupling.offset != 0) text.attribute("offset", -coupling.offset);
    text.close();
}

void open_joint(const std::string& name, const char* type, const std::string& parent,
                const std::string& child, const Pose& origin, const std::optional<bool>& independent,
                xml::Text& text) {
    text.open("joint").attribute("name", name).attribute("type", type);
    if (independent) text.attribute("independent", *independent ? "true" : "false");
    text.open("parent").attribute("link", parent).close();
    text.open("child").attribute("link", child).close();
    write_origin(origin, text);
}

/// Writes the joints of the bodies in order, each followed by the fixed joints of frames on its body.
class JointWriter {
public:
    JointWriter(const Mechanism& mechanism, const Layout& layout, std::size_t mimics, xml::Text& text)
        : mechanism_(mechanism), layout_(layout), text_(text), fixed_(mechanism.bodies.size() + 1) {
        for (const MechanismBody& body : mechanism.bodies) names_.take(body.joint);
        for (const LinkEntry& link : layout.links) {
            if (link.fixed_frame < 0) continue;
            fixed_[at(frame_of(link).body + 1)].push_back(&link);
        }
        for (std::size_t i = 0; i < mimics; ++i) {
            mimic_of_[mechanism.couplings[i].terms[0].body] = &mechanism.couplings[i];
        }
    }

    void write() {
        write_fixed(world);
        for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i) {
            if (mechanism_.bodies[i].combined) continue;
            write_moving(static_cast<int>(i));
            write_fixed(static_cast<int>(i));
        }
    }

private:
    const MechanismFrame& frame_of(const LinkEntry& link) const {
        return mechanism_.frames[at(link.fixed_frame)];
    }

    void write_moving(int index) {
        const MechanismBody& body = mechanism_.bodies[at(index)];
        const bool unbounded = body.type == JointType::revolute && !body.bounded;
        open_joint(body.joint, to_string(unbounded ? JointType::continuous : body.type),
                   layout_.link_of(body.parent), layout_.link_of(index), body.placement, body.independent,
                   text_);
        write_axes(facts(body.type).axes, body.axis, body.axis2, text_);
        if (body.type == JointType::helical) text_.open("pitch").attribute("value", body.pitch).close();
        write_limits(body, text_);
        write_dynamics(body, text_);
        write_servo(body, text_);
        const auto mimic = mimic_of_.find(index);
        if (mimic != mimic_of_.end()) write_mimic(mechanism_, *mimic->second, text_);
        text_.close();
    }

    void write_fixed(int body) {
        for (const LinkEntry* const link : fixed_[at(body + 1)]) {
            open_joint(names_.free(link->name + "_fixed"), to_string(JointType::fixed), layout_.link_of(body),
                       link->name, frame_of(*link).placement, std::nullopt, text_);
            text_.close();
        }
    }

    const Mechanism& mechanism_;
    const Layout& layout_;
    xml::Text& text_;
    FreeNames names_;
    std::vector<std::vector<const LinkEntry*>> fixed_;  ///< on the world, then on each body
    std::unordered_map<int, const MechanismCoupling*> mimic_of_;
};

bool is_of_plain_urdf(const MechanismBody& body) {
    const bool has_lists = body.damping.values().size() > 1 || body.friction.values().size() > 1;
    switch (body.type) {
        case JointType::fixed:
        case JointType::revolute:
        case JointType::continuous:
        case JointType::prismatic: return !body.combined;
        case JointType::planar:
        case JointType::floating: return !has_lists;
        case JointType::helical:
        case JointType::cylindrical:
        case JointType::universal:
        case JointType::spherical: break;
    }
    return false;
}

/// True if every reader of URDF 1.0 reads the same mechanism: it ignores
/// unknown elements, and none of these closes a loop or couples joints.
bool is_plain(const Mechanism& mechanism, std::size_t mimics) {
    return mechanism.loops.empty() && mechanism.couplings.size() == mimics &&
           std::all_of(mechanism.bodies.begin(), mechanism.bodies.end(), is_of_plain_urdf);
}

}  // namespace

void write_origin(const Pose& pose, xml::Text& text) {
    const bool turned = pose.rotation != Eigen::Matrix3d::Identity();
    const Eigen::Vector3d rpy = turned ? rpy_from_rotation(pose.rotation) : Eigen::Vector3d::Zero();
    if (pose.translation.isZero(0) && rpy.isZero(0)) return;
    text.open("origin").attribute("xyz", pose.translation);
    if (!rpy.isZero(0)) text.attribute("rpy", rpy);
    text.close();
}

void write_axes(int count, const Eigen::Vector3d& axis, const Eigen::Vector3d& axis2, xml::Text& text) {
    const auto normalized = [](const Eigen::Vector3d& a) -> Eigen::Vector3d { return a.stableNormalized(); };
    if (count > 0) text.open("axis").attribute("xyz", settled_unit(axis, normalized)).close();
    if (count > 1) text.open("axis2").attribute("xyz", settled_unit(axis2, normalized)).close();
}

}  // namespace urdf

std::string write_urdf(const Mechanism& mechanism) {
    const urdf::Layout layout = writing::make_layout(mechanism);
    const std::size_t mimics = urdf::leading_mimics(mechanism);
    xml::Text text;
    text.open("robot").attribute("name", mechanism.name.empty() ? "robot" : mechanism.name);
    if (!urdf::is_plain(mechanism, mimics))
        text.attribute("version", "1.2").attribute("coupling_ratio", "predecessor/successor");
    urdf::write_links(mechanism, layout, text);
    urdf::JointWriter(mechanism, layout, mimics, text).write();
    urdf::write_constraints(mechanism, layout, mimics, text);
    urdf::write_tendons(mechanism, text);
    urdf::write_roles(mechanism, text);
    urdf::write_sensors(mechanism, layout, text);
    text.close();
    return text.str();
}

}  // namespace grbda
