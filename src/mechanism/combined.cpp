#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "steps.hpp"

namespace grbda::mechanism {

Subject subject_of(const CombinedCoordinate& coordinate) {
    return Subject::of("coordinate", coordinate.name);
}

namespace {

/// The bodies whose subtrees contain all of the terms' joints: from the nearest one to the world.
std::vector<int> ancestors_of(const Mechanism& mechanism, const std::vector<MechanismTerm>& terms) {
    std::vector<int> common;
    for (const MechanismTerm& term : terms) {
        std::vector<int> above;
        for (int body = mechanism.bodies[at(term.body)].parent; body != world;
             body = mechanism.bodies[at(body)].parent)
            above.push_back(body);
        if (&term == &terms.front()) common = above;
        std::erase_if(common,
                      [&](int body) { return std::find(above.begin(), above.end(), body) == above.end(); });
    }
    common.push_back(world);
    return common;
}

bool all_slide(const Mechanism& mechanism, const std::vector<MechanismTerm>& terms) {
    return std::all_of(terms.begin(), terms.end(), [&](const MechanismTerm& term) {
        return mechanism.bodies[at(term.body)].type == JointType::prismatic;
    });
}

using Positions = std::map<std::string, std::vector<double>>;

/// Value of the coordinate if all of its joints have positions, from the first of two sources that has them.
std::optional<double> position_of(const CombinedCoordinate& coordinate, const Positions& positions,
                                  const Positions& otherwise) {
    double value = coordinate.offset;
    for (const LinearTerm& term : coordinate.terms) {
        const Positions& said = positions.count(term.joint) > 0 ? positions : otherwise;
        const auto found = said.find(term.joint);
        if (found == said.end() || found->second.size() != 1) return std::nullopt;
        value += term.coefficient * found->second.front();
    }
    return value;
}

}  // namespace

void check_combined(const Context& context) {
    for (const CombinedCoordinate& coordinate : context.description.combined) {
        check_terms(context, coordinate.terms, coordinate.where, subject_of(coordinate));
        if (std::isfinite(coordinate.offset)) continue;
        context.error(Code::bad_number, coordinate.where, subject_of(coordinate), "a finite offset",
                      number(coordinate.offset));
    }
}

void add_combined(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    for (const CombinedCoordinate& coordinate : context.description.combined) {
        MechanismCoupling row;
        row.name = coordinate.name;
        row.offset = coordinate.offset;
        row.where = coordinate.where;
        row.terms = moved_terms(context, fusion, coordinate.terms, coordinate.where, subject_of(coordinate));
        if (row.terms.empty() || row.terms.size() != coordinate.terms.size()) continue;  // already reported
        MechanismBody body;
        body.name = body.joint = coordinate.name;
        body.parent = ancestors_of(mechanism, row.terms).front();
        body.type = all_slide(mechanism, row.terms) ? JointType::prismatic : JointType::revolute;
        body.bounded = false;
        body.independent = true;
        body.combined = true;
        body.where = coordinate.where;
        const int index = static_cast<int>(mechanism.bodies.size());
        row.terms.insert(row.terms.begin(), {index, 0, -1});
        mechanism.bodies.push_back(body);
        mechanism.frames.push_back({coordinate.name, index, {}});
        mechanism.couplings.push_back(std::move(row));
        for (MechanismState& state : mechanism.states)
            if (const auto position = position_of(coordinate, state.positions, mechanism.start))
                state.positions[coordinate.name] = {*position};
        if (const auto position = position_of(coordinate, mechanism.start, {}))
            mechanism.start[coordinate.name] = {*position};
    }
}

}  // namespace grbda::mechanism
