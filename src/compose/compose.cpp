#include "grbda/compose.hpp"

#include <algorithm>

#include "composition.hpp"

namespace grbda {

namespace composing {

Subject Composition::subject_of(std::size_t part) const {
    const std::string& prefix = given[part].prefix;
    const std::string& robot = given[part].robot.name;
    Subject subject{"part", std::to_string(part + 1), "part " + std::to_string(part + 1)};
    if (!prefix.empty())
        subject.text += " (prefix " + quoted(prefix) + ")";
    else if (!robot.empty())
        subject.text += " (" + quoted(robot) + ")";
    return subject;
}

void Composition::report(Severity severity, Code code, std::size_t part, std::string expected,
                         std::string found, std::string hint) {
    diagnostics.push_back({severity, code, given[part].robot.where, subject_of(part), std::move(expected),
                           std::move(found), std::move(hint)});
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
        list += (i > 0 ? ", " : "") + quoted(names[i]);
    }
    if (names.size() > most) list += " and " + std::to_string(names.size() - most) + " more";
    return list;
}

}  // namespace composing

namespace {

template <class Entry>
void append(std::vector<Entry>& to, const std::vector<Entry>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

void append(RobotDescription& whole, const RobotDescription& robot) {
    append(whole.links, robot.links);
    append(whole.joints, robot.joints);
    append(whole.loops, robot.loops);
    append(whole.couplings, robot.couplings);
    append(whole.combined, robot.combined);
    append(whole.tendons, robot.tendons);
    append(whole.frames, robot.frames);
    append(whole.actuated, robot.actuated);
    append(whole.passive, robot.passive);
    append(whole.coordinates, robot.coordinates);
    append(whole.states, robot.states);
    append(whole.tool_frames, robot.tool_frames);
    append(whole.groups, robot.groups);
    append(whole.geometries, robot.geometries);
    whole.start.insert(robot.start.begin(), robot.start.end());
}

}  // namespace

RobotDescription compose(const std::string& name, const std::vector<RobotPart>& parts,
                         Diagnostics& diagnostics) {
    composing::Composition composition{parts, diagnostics, {}, {}};
    RobotDescription& whole = composition.whole;
    whole.name = name;
    if (parts.empty()) {
        diagnostics.push_back({Severity::error,
                               Code::missing,
                               {},
                               Subject::of("robot", name),
                               "at least one part",
                               "none",
                               ""});
    }
    for (const RobotPart& part : parts) {
        composition.robots.push_back(part.robot);
        composing::rename(composition.robots.back(), part.prefix);
        composing::rename_world(composition.robots.back());
    }
    composing::check_names(composition);
    composing::attach_parts(composition);
    composing::unify_ratios(composition);
    composing::unify_motors(composition);
    composing::unify_gravity(composition);
    for (const RobotDescription& robot : composition.robots) append(whole, robot);
    composing::join_collisions(composition);
    return std::move(whole);
}

}  // namespace grbda
