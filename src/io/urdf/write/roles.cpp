#include <algorithm>
#include <cmath>

#include "io/write/settle.hpp"
#include "parts.hpp"

namespace grbda::urdf {

namespace {

/// Normalizes the quaternion at the end of a spherical or floating joint's position so that reading keeps it.
std::vector<double> with_unit_quaternion(std::vector<double> position) {
    double squares = 0;
    for (auto entry = position.end() - 4; entry != position.end(); ++entry) squares += *entry * *entry;
    const double length = std::sqrt(squares);
    for (auto entry = position.end() - 4; entry != position.end(); ++entry) *entry /= length;
    return position;
}

using Positions = std::map<std::string, std::vector<double>>;

/// Positions of combined coordinates follow from the joints'.
void write_positions(const Mechanism& mechanism, const Positions& positions, xml::Text& text,
                     const std::map<std::string, double>& targets = {}) {
    const auto is_combined = [&](const std::string& name) {
        return std::any_of(mechanism.bodies.begin(), mechanism.bodies.end(),
                           [&](const MechanismBody& body) { return body.combined && body.joint == name; });
    };
    for (const auto& [joint, values] : positions) {
        if (is_combined(joint)) continue;
        text.open("joint").attribute("name", joint);
        text.attribute("value", settled_position(values));
        if (const auto target = targets.find(joint); target != targets.end())
            text.attribute("target", target->second);
        text.close();
    }
}

/// Uses the elements that other readers of URDF expect.
void write_transmission(const std::string& joint, double reduction, xml::Text& text) {
    text.open("transmission").attribute("name", joint);
    text.leaf("type", "transmission_interface/SimpleTransmission");
    text.open("joint").attribute("name", joint);
    text.leaf("hardwareInterface", "hardware_interface/EffortJointInterface");
    text.close();
    text.open("actuator").attribute("name", joint).leaf("mechanicalReduction", xml::exact(reduction)).close();
    text.close();
}

}  // namespace

std::vector<double> settled_position(const std::vector<double>& position) {
    return position.size() < 4 ? position : settled_unit(position, with_unit_quaternion);
}

void write_roles(const Mechanism& mechanism, xml::Text& text) {
    for (const MechanismBody& body : mechanism.bodies) {
        if (body.actuated) write_transmission(body.joint, body.reduction, text);
    }
    if (!mechanism.start.empty()) {
        text.open("start");
        write_positions(mechanism, mechanism.start, text);
        text.close();
    }
    for (const MechanismState& state : mechanism.states) {
        text.open("state").attribute("name", state.name);
        write_positions(mechanism, state.positions, text, state.targets);
        text.close();
    }
    if (!mechanism.coordinates.empty()) {
        text.open("coordinates");
        for (const int body : mechanism.coordinates) {
            text.open("joint")
                .attribute("name", mechanism.bodies[static_cast<std::size_t>(body)].joint)
                .close();
        }
        text.close();
    }
    for (const GroupDescription& group : mechanism.groups) {
        text.open("group").attribute("name", group.name);
        for (const std::string& link : group.links) text.open("link").attribute("name", link).close();
        for (const std::string& joint : group.joints) text.open("joint").attribute("name", joint).close();
        text.close();
    }
    for (const std::string& frame : mechanism.tool_frames) {
        text.open("tool_frame").attribute("name", frame).close();
    }
    if (mechanism.gravity) text.open("gravity").attribute("xyz", *mechanism.gravity).close();
}

}  // namespace grbda::urdf
