#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "internal.hpp"

namespace grbda::detail {

namespace {

/// Of a polynomial: products with powers of angles and lengths must not overflow.
constexpr double largest_number = 1e50;

/// False for NaN too.
bool is_usable(double value) { return std::abs(value) <= largest_number; }

void check_coupling(const Context& context, const CouplingDescription& coupling) {
    const Subject owner = Subject::of("coupling", coupling.name);
    const bool known = check_link_name(context, coupling.predecessor, "predecessor", coupling.where, owner);
    check_link_name(context, coupling.successor, "successor", coupling.where, owner);
    if (known && coupling.predecessor == coupling.successor) {
        context.error(Code::same_ends, coupling.where, owner, "two different links",
                      quoted(coupling.predecessor) + " as both");
    }
    if (!std::isfinite(coupling.ratio) || coupling.ratio == 0) {
        context.error(Code::out_of_range, coupling.where, owner, "a finite ratio other than zero",
                      number(coupling.ratio));
    }
}

/// The leader of a mimic may have none: the follower stands still then.
void check_term(const Context& context, const LinearCouplingDescription& coupling, const LinearTerm& term,
                const Subject& owner) {
    const SourceLocation& where = term.where.line > 0 ? term.where : coupling.where;
    if (!check_joint_name(context, term.joint, where, owner)) return;
    const bool may_vanish = coupling.mimic && &term != &coupling.terms.front();
    if (!std::isfinite(term.coefficient) || (term.coefficient == 0 && !may_vanish)) {
        context.error(Code::out_of_range, where, owner, "a finite coefficient other than zero",
                      number(term.coefficient) + " for joint " + quoted(term.joint));
    }
    check_one_freedom(context, term.joint, where, owner);
}

void check_linear_coupling(const Context& context, const LinearCouplingDescription& coupling) {
    const Subject owner = subject_of(coupling);
    if (coupling.terms.empty())
        context.error(Code::missing, coupling.where, owner, "at least one term", "none");
    if (!std::isfinite(coupling.offset)) {
        context.error(Code::bad_number, coupling.where, owner, "a finite offset", number(coupling.offset));
    }
    std::unordered_map<std::string, int> uses;
    for (const LinearTerm& term : coupling.terms) {
        check_term(context, coupling, term, owner);
        if (++uses[term.joint] != 2) continue;
        context.error(coupling.mimic ? Code::same_ends : Code::repeated, coupling.where, owner,
                      coupling.mimic ? "a mimic of another joint" : "each joint in one term only",
                      coupling.mimic ? "a mimic of itself" : quoted(term.joint) + " twice");
    }
}

void check_polynomial(const Context& context, const PolynomialCouplingDescription& coupling) {
    const Subject owner = Subject::of("coupling", coupling.name);
    for (const std::string* joint : {&coupling.follower, &coupling.leader}) {
        if (check_joint_name(context, *joint, coupling.where, owner)) {
            check_one_freedom(context, *joint, coupling.where, owner);
        }
        if (coupling.follower == coupling.leader) break;
    }
    if (coupling.follower == coupling.leader) {
        context.error(Code::same_ends, coupling.where, owner, "a follower and a leader that differ",
                      quoted(coupling.leader) + " as both");
    }
    if (coupling.coefficients.empty()) {
        context.error(Code::missing, coupling.where, owner, "at least one coefficient", "none");
    }
    if (degree(coupling.coefficients) > largest_degree) {
        context.error(Code::out_of_range, coupling.where, owner,
                      "a polynomial of degree " + number(largest_degree) + " or less",
                      "degree " + std::to_string(degree(coupling.coefficients)));
    }
    const auto check_size = [&](double value, const std::string& what) {
        if (is_usable(value)) return true;
        context.error(Code::out_of_range, coupling.where, owner,
                      "finite numbers up to " + number(largest_number), number(value) + " as " + what);
        return false;
    };
    for (std::size_t i = 0; i < coupling.coefficients.size(); ++i) {
        if (!check_size(coupling.coefficients[i], "coefficient " + std::to_string(i))) break;
    }
    check_size(coupling.follower_reference, "reference of joint " + quoted(coupling.follower));
    check_size(coupling.leader_reference, "reference of joint " + quoted(coupling.leader));
}

/// Mimics as a graph with at most one edge out of each joint: follow them until one comes back.
void check_mimic_cycles(const Context& context) {
    std::unordered_map<std::string, const LinearCouplingDescription*> leader;
    for (const LinearCouplingDescription& coupling : context.description.linear_couplings) {
        const bool is_proper = coupling.mimic && coupling.terms.size() == 2 &&
                               coupling.terms[0].joint != coupling.terms[1].joint;
        if (is_proper) leader.emplace(coupling.terms[0].joint, &coupling);
    }
    std::unordered_map<std::string, std::size_t> visited;  // joint → the walk that came through first
    for (std::size_t walk = 0; walk < context.description.linear_couplings.size(); ++walk) {
        const LinearCouplingDescription& coupling = context.description.linear_couplings[walk];
        if (!coupling.mimic || coupling.terms.empty()) continue;
        std::vector<std::string> path;
        std::string joint = coupling.terms[0].joint;
        while (leader.count(joint) > 0 && visited.emplace(joint, walk).second) {
            path.push_back(joint);
            joint = leader[joint]->terms[1].joint;
        }
        const auto end = visited.find(joint);
        const bool is_cycle = end != visited.end() && end->second == walk && !path.empty();
        if (!is_cycle) continue;
        std::vector<std::string> cycle(std::find(path.begin(), path.end(), joint), path.end());
        cycle.push_back(joint);
        const LinearCouplingDescription& first = *leader[joint];
        context.error(Code::cycle, first.where, subject_of(first),
                      "mimics that end at a joint that mimics no other", "the cycle " + listed(cycle, " → "));
    }
}

}  // namespace

Subject subject_of(const LinearCouplingDescription& coupling) {
    if (coupling.mimic && !coupling.terms.empty()) {
        const std::string& follower = coupling.terms[0].joint;
        return {"joint", follower, "joint " + quoted(follower) + " (mimic)"};
    }
    return Subject::of("coupling", coupling.name);
}

void check_one_freedom(const Context& context, const std::string& joint, const SourceLocation& where,
                       const Subject& owner) {
    const int position = context.joints.find(joint);
    if (position < 0) {
        context.error(Code::wrong_kind, where, owner, "joints with one degree of freedom",
                      "the floating joint " + quoted(joint));
        return;
    }
    const JointType type = context.description.joints[static_cast<std::size_t>(position)].type;
    if (type != JointType::fixed && velocity_size(type) != 1) {  // a fixed joint is reported as fused away
        context.error(Code::wrong_kind, where, owner, "joints with one degree of freedom",
                      std::string(to_string(type)) + " joint " + quoted(joint) + " with " +
                          std::to_string(velocity_size(type)));
    }
}

void check_couplings(const Context& context) {
    for (const CouplingDescription& coupling : context.description.couplings) {
        check_coupling(context, coupling);
    }
    for (const LinearCouplingDescription& coupling : context.description.linear_couplings) {
        check_linear_coupling(context, coupling);
    }
    for (const PolynomialCouplingDescription& coupling : context.description.polynomial_couplings) {
        check_polynomial(context, coupling);
    }
    check_mimic_cycles(context);
}

bool is_sound(const PolynomialCouplingDescription& coupling) {
    return coupling.follower != coupling.leader && !coupling.coefficients.empty() &&
           degree(coupling.coefficients) <= largest_degree && is_usable(coupling.follower_reference) &&
           is_usable(coupling.leader_reference) &&
           std::all_of(coupling.coefficients.begin(), coupling.coefficients.end(), is_usable);
}

int degree(const std::vector<double>& coefficients) {
    auto top = static_cast<int>(coefficients.size()) - 1;
    while (top > 0 && coefficients[static_cast<std::size_t>(top)] == 0) --top;
    return std::max(top, 0);
}

}  // namespace grbda::detail
