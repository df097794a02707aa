#include "findings.hpp"

#include <algorithm>
#include <cmath>

namespace grbda::writing {

namespace {

constexpr std::size_t most_names = 8;

std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
        list += (i == 0 ? "" : ", ") + quoted(names[i]);
    if (names.size() > most_names) list += " and " + std::to_string(names.size() - most_names) + " more";
    return list;
}

}  // namespace

void Findings::error(const SourceLocation& where, const std::string& kind, const std::string& name,
                     std::string expected, std::string found, std::string hint) {
    diagnostics_.push_back({Severity::error, Code::unsupported, where, Subject::of(kind, name),
                            std::move(expected), std::move(found), std::move(hint)});
}

void Findings::add(Severity severity, const std::string& what, const std::string& name) {
    const auto known = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.what == what; });
    Entry& entry = known == entries_.end() ? entries_.emplace_back(Entry{severity, what, {}}) : *known;
    if (std::find(entry.names.begin(), entry.names.end(), name) == entry.names.end())
        entry.names.push_back(name);
}

void Findings::report() const {
    for (const Entry& entry : entries_) {
        diagnostics_.push_back({entry.severity,
                                Code::ignored,
                                {},
                                Subject::of("robot", mechanism_.name),
                                std::string(format_) + " " + entry.what + ": " + listed(entry.names)});
    }
}

void leave_out_roles(const Mechanism& mechanism, Findings& findings) {
    for (const MechanismBody& body : mechanism.bodies) {
        const bool has_rates = std::isfinite(body.limits.acceleration) || std::isfinite(body.limits.jerk);
        if (has_rates) findings.leave_out("limits of acceleration and jerk", body.joint);
        if (body.independent) findings.leave_out("which joints are independent", body.joint);
        if (body.combined) findings.leave_out("coordinates that are no joint's", body.joint);
    }
    for (const int body : mechanism.coordinates)
        findings.leave_out("the order of coordinates",
                           mechanism.bodies[static_cast<std::size_t>(body)].joint);
    for (const GroupDescription& group : mechanism.groups) findings.leave_out("groups", group.name);
    for (const std::string& frame : mechanism.tool_frames) findings.leave_out("tool frames", frame);
    for (const MechanismSpheres& group : mechanism.self_collision.groups)
        findings.leave_out("spheres for self-collision", mechanism.frames[group.frame].name);
}

double carried_share(const MechanismBody& body, Findings& findings) {
    constexpr double rounding = 1e-12;
    double mass = 0;
    Eigen::Vector3d moment = Eigen::Vector3d::Zero();
    for (const GravityCompensation& carried : body.gravity_compensation) {
        mass += carried.mass;
        moment += carried.mass * carried.point;
    }
    const double size = std::abs(mass) * (1 + body.inertia.com.norm());
    if ((moment - mass * body.inertia.com).norm() <= rounding * size && (mass == 0 || body.inertia.mass > 0))
        return mass == 0 ? 0 : mass / body.inertia.mass;
    findings.error(body.where, "link", body.name, "gravity compensation at the centre of mass",
                   "one that acts elsewhere");
    return 0;
}

}  // namespace grbda::writing
