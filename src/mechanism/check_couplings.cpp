#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <unordered_map>

#include "steps.hpp"

namespace grbda::mechanism {

namespace {

/// Limit on the numbers of a polynomial: products with powers of angles and lengths must not overflow.
constexpr double largest_number = 1e50;

/// Returns false also for NaN.
bool is_usable(double value) { return std::abs(value) <= largest_number; }

void check_ratio(const Context& context, const CouplingDescription& coupling, double ratio,
                 const Subject& owner) {
    if (std::isfinite(ratio) && ratio != 0) return;
    context.out_of_range(coupling, Figure::ratio, owner, "a finite ratio other than zero",
                         number(ratio + 0.0));  // 0, not -0
}

void check(const Context& context, const CouplingDescription& coupling, const GearRelation& gear) {
    const Subject owner = subject_of(coupling);
    const bool known = check_link_name(context, gear.predecessor, "predecessor", coupling.where, owner);
    check_link_name(context, gear.successor, "successor", coupling.where, owner);
    if (known && gear.predecessor == gear.successor) {
        context.error(Code::same_ends, coupling.where, owner, "two different links",
                      quoted(gear.predecessor) + " as both");
    }
    check_ratio(context, coupling, gear.ratio, owner);
}

/// The leader of a mimic may have coefficient zero: the follower is then at rest.
void check_term(const Context& context, const CouplingDescription& coupling, const LinearRelation& linear,
                const LinearTerm& term, const Subject& owner) {
    const SourceLocation& where = term.where.line > 0 ? term.where : coupling.where;
    if (!check_joint_name(context, term.joint, where, owner)) return;
    const bool may_vanish = linear.mimic && &term != &linear.terms.front();
    if (coupling.places.count(Figure::ratio) > 0) {  // written as a gear
        check_ratio(context, coupling, term.coefficient, owner);
    } else if (!std::isfinite(term.coefficient) || (term.coefficient == 0 && !may_vanish)) {
        context.error(Code::out_of_range, where, owner, "a finite coefficient other than zero",
                      number(term.coefficient) + " for joint " + quoted(term.joint));
    }
    check_one_freedom(context, term.joint, where, owner);
}

void check(const Context& context, const CouplingDescription& coupling, const LinearRelation& linear) {
    const Subject owner = subject_of(coupling);
    if (linear.terms.empty())
        context.error(Code::missing, coupling.where, owner, "at least one term", "none");
    if (!std::isfinite(linear.offset)) {
        context.error(Code::bad_number, coupling.where, owner, "a finite offset", number(linear.offset));
    }
    std::unordered_map<std::string, int> uses;
    for (const LinearTerm& term : linear.terms) {
        check_term(context, coupling, linear, term, owner);
        if (++uses[term.joint] != 2) continue;
        context.error(linear.mimic ? Code::same_ends : Code::repeated, coupling.where, owner,
                      linear.mimic ? "a mimic of another joint" : "each joint in one term only",
                      linear.mimic ? "a mimic of itself" : quoted(term.joint) + " twice");
    }
}

void check(const Context& context, const CouplingDescription& coupling,
           const PolynomialRelation& polynomial) {
    const Subject owner = subject_of(coupling);
    for (const std::string* joint : {&polynomial.follower, &polynomial.leader}) {
        if (check_joint_name(context, *joint, coupling.where, owner)) {
            check_one_freedom(context, *joint, coupling.where, owner);
        }
        if (polynomial.follower == polynomial.leader) break;
    }
    if (polynomial.follower == polynomial.leader) {
        context.error(Code::same_ends, coupling.where, owner, "a follower and a leader that differ",
                      quoted(polynomial.leader) + " as both");
    }
    if (polynomial.coefficients.empty()) {
        context.error(Code::missing, coupling.where, owner, "at least one coefficient", "none");
    }
    if (degree(polynomial.coefficients) > largest_degree) {
        context.error(Code::out_of_range, coupling.where, owner,
                      "a polynomial of degree " + number(largest_degree) + " or less",
                      "degree " + std::to_string(degree(polynomial.coefficients)));
    }
    const auto check_size = [&](double value, const std::string& what) {
        if (is_usable(value)) return true;
        context.error(Code::out_of_range, coupling.where, owner,
                      "finite numbers up to " + number(largest_number), number(value) + " as " + what);
        return false;
    };
    for (std::size_t i = 0; i < polynomial.coefficients.size(); ++i) {
        if (!check_size(polynomial.coefficients[i], "coefficient " + std::to_string(i))) break;
    }
    check_size(polynomial.follower_reference, "reference of joint " + quoted(polynomial.follower));
    check_size(polynomial.leader_reference, "reference of joint " + quoted(polynomial.leader));
}

/// Views mimics as a graph with at most one edge out of each joint, and follows the edges to find cycles.
void check_mimic_cycles(const Context& context) {
    struct Edge {
        const CouplingDescription* mimic;
        std::string to;
    };
    std::unordered_map<std::string, Edge> edges;
    for (const CouplingDescription& coupling : context.description.couplings) {
        if (!is_mimic(coupling)) continue;
        const std::vector<std::string> joints = joints_of(coupling);
        const bool is_proper = joints.size() == 2 && joints[0] != joints[1];
        if (is_proper) edges.try_emplace(joints[0], Edge{&coupling, joints[1]});
    }
    std::unordered_map<std::string, std::size_t> visited;  // joint → the walk that visited it first
    std::size_t walk = 0;
    for (const CouplingDescription& coupling : context.description.couplings) {
        if (!is_mimic(coupling)) continue;
        ++walk;
        std::vector<std::string> path;
        std::string joint = follower_of(coupling);
        while (edges.count(joint) > 0 && visited.emplace(joint, walk).second) {
            path.push_back(joint);
            joint = edges[joint].to;
        }
        const auto end = visited.find(joint);
        const bool is_cycle = end != visited.end() && end->second == walk && !path.empty();
        if (!is_cycle) continue;
        std::vector<std::string> cycle(std::find(path.begin(), path.end(), joint), path.end());
        cycle.push_back(joint);
        const CouplingDescription& first = *edges[joint].mimic;
        context.error(Code::cycle, first.where, subject_of(first),
                      "mimics that end at a joint that mimics no other", "the cycle " + listed(cycle, " → "));
    }
}

}  // namespace

Subject subject_of(const CouplingDescription& coupling) {
    const std::string follower = is_mimic(coupling) ? follower_of(coupling) : std::string();
    if (follower.empty()) return Subject::of("coupling", coupling.name);
    return {"joint", follower, "joint " + quoted(follower) + " (mimic)"};
}

void check_terms(const Context& context, const std::vector<LinearTerm>& terms, const SourceLocation& owns,
                 const Subject& owner) {
    if (terms.empty()) context.error(Code::missing, owns, owner, "at least one term", "none");
    std::set<std::string> joints;
    for (const LinearTerm& term : terms) {
        const SourceLocation& where = term.where.line > 0 ? term.where : owns;
        if (!check_joint_name(context, term.joint, where, owner)) continue;
        if (!joints.insert(term.joint).second) {
            context.error(Code::repeated, where, owner, "each joint in one term only",
                          quoted(term.joint) + " twice");
        }
        if (!std::isfinite(term.coefficient) || term.coefficient == 0) {
            context.error(Code::out_of_range, where, owner, "a finite coefficient other than zero",
                          number(term.coefficient) + " for joint " + quoted(term.joint));
        }
        check_one_freedom(context, term.joint, where, owner);
    }
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
    for (const CouplingDescription& coupling : context.description.couplings)
        std::visit([&](const auto& relation) { check(context, coupling, relation); }, coupling.relation);
    check_mimic_cycles(context);
}

bool is_sound(const PolynomialRelation& polynomial) {
    return polynomial.follower != polynomial.leader && !polynomial.coefficients.empty() &&
           degree(polynomial.coefficients) <= largest_degree && is_usable(polynomial.follower_reference) &&
           is_usable(polynomial.leader_reference) &&
           std::all_of(polynomial.coefficients.begin(), polynomial.coefficients.end(), is_usable);
}

int degree(const std::vector<double>& coefficients) {
    auto top = static_cast<int>(coefficients.size()) - 1;
    while (top > 0 && coefficients[static_cast<std::size_t>(top)] == 0) --top;
    return std::max(top, 0);
}

}  // namespace grbda::mechanism
