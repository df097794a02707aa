#include "grbda/io/sdf.hpp"

#include <algorithm>

#include "parts.hpp"

namespace grbda {

namespace {

void refuse_tendons(const Mechanism& mechanism, writing::Findings& findings) {
    for (const MechanismTendon& tendon : mechanism.tendons)
        findings.error(tendon.where, "tendon", tendon.name, "springs and dampers of joints",
                       "some along several", "SDF has no tendons");
}

void leave_out_states(const Mechanism& mechanism, writing::Findings& findings) {
    for (const MechanismState& state : mechanism.states) findings.leave_out("saved states", state.name);
    for (const MechanismBody& body : mechanism.bodies)
        if (body.servo) findings.leave_out("servos", body.joint);
    for (const auto& [joint, position] : mechanism.start) findings.leave_out("where assembly starts", joint);
    for (const auto& [a, b] : mechanism.self_collision.ignored)
        findings.leave_out("pairs of links that do not touch",
                           mechanism.frames[a].name + " and " + mechanism.frames[b].name);
    writing::leave_out_roles(mechanism, findings);
}

bool has_rotors(const Mechanism& mechanism) {
    return std::any_of(mechanism.bodies.begin(), mechanism.bodies.end(), [](const MechanismBody& body) {
        return !body.combined && facts(body.type).axes == 1 && (body.armature != 0 || body.actuated);
    });
}

}  // namespace

std::string write_sdf(const Mechanism& mechanism, Diagnostics& diagnostics) {
    Diagnostics found;
    writing::Findings findings("SDF", mechanism, found);
    to_sdf::Robot robot{mechanism, findings};
    to_sdf::plan(robot);
    refuse_tendons(mechanism, findings);
    leave_out_states(mechanism, findings);
    xml::Text text;
    text.open("sdf").attribute("version", "1.11");
    if (has_rotors(mechanism)) text.attribute("xmlns:drake", "http://drake.mit.edu");
    if (mechanism.gravity)
        text.open("world").attribute("name", "default").leaf("gravity", to_sdf::numbers(*mechanism.gravity));
    text.open("model").attribute("name", mechanism.name.empty() ? "robot" : mechanism.name);
    to_sdf::write_links(robot, text);
    to_sdf::write_joints(robot, text);
    to_sdf::write_loops(robot, text);
    to_sdf::write_frames(robot, text);
    text.close();
    if (mechanism.gravity) text.close();
    text.close();
    findings.report();
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    return has_errors(found) ? std::string() : text.str();
}

}  // namespace grbda
