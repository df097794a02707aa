#include <algorithm>
#include <cmath>
#include <string>

#include "coupling.hpp"

namespace grbda::mechanism {

namespace {

constexpr CouplingRatio paper = CouplingRatio::predecessor_over_successor;
constexpr CouplingRatio parser = CouplingRatio::successor_over_predecessor;

const char* written(CouplingRatio reading) {
    return reading == paper ? "predecessor/successor" : "successor/predecessor";
}

/// Decides the reading if neither the file nor the user states it. Gears drive a
/// joint by a faster rotor, so each coupling with a rotor at only one end votes for
/// the reading in which this rotor is the faster side. All votes agree: their
/// reading, also for couplings without a rotor, with one warning. Two votes disagree:
/// an error that names both. No votes: the paper's reading, with a warning for each
/// coupling whose readings differ. Strictness turns the warnings into errors.
class RatioVote {
public:
    RatioVote(const Context& context, const Mechanism& mechanism, const std::vector<GearedPaths>& couplings)
        : context_(context), mechanism_(mechanism), is_free_leaf_(mechanism.bodies.size(), true) {
        for (const MechanismBody& body : mechanism.bodies) exclude(body.parent);
        for (const MechanismLoop& loop : mechanism.loops) {
            exclude(loop.predecessor);
            exclude(loop.successor);
        }
        for (const GearedPaths& paths : couplings) {
            if (is_undecided(paths)) undecided_.push_back(&paths);
        }
    }

    std::optional<CouplingRatio> reading() const {
        if (undecided_.empty()) return paper;
        std::vector<const GearedPaths*> speaking;
        for (const GearedPaths* paths : undecided_) {
            if (spoken_for(*paths)) speaking.push_back(paths);
        }
        if (speaking.empty()) return unspoken();
        const CouplingRatio first = *spoken_for(*speaking.front());
        const auto dissent = std::find_if(speaking.begin(), speaking.end(), [&](const GearedPaths* paths) {
            return *spoken_for(*paths) != first;
        });
        if (dissent == speaking.end()) return agreed(*speaking.front(), speaking.size());
        report(Severity::error, **dissent,
               "; only " + position(*spoken_for(**dissent)) + " makes the rotor the faster side, but in " +
                   "coupling " + quoted(speaking.front()->coupling->name) + " only " + position(first) +
                   " does",
               statements("or"));
        return std::nullopt;
    }

private:
    void exclude(int body) {
        if (body != world) is_free_leaf_[at(body)] = false;
    }

    /// With a ratio of ±1, or with one side empty, both readings give the same equation.
    static bool is_undecided(const GearedPaths& paths) {
        return std::abs(paths.gear->ratio) != 1 && !paths.chains.predecessor.empty() &&
               !paths.chains.successor.empty();
    }

    /// True for a leaf on a revolute joint, alone on its side,
    /// with an inertia symmetric about its axis and without loops.
    bool is_rotor(const std::vector<int>& chain) const {
        if (chain.size() != 1 || !is_free_leaf_[at(chain.front())]) return false;
        const MechanismBody& body = mechanism_.bodies[at(chain.front())];
        return body.type == JointType::revolute && !body.inertia.inertia.isZero(0) &&
               is_axisymmetric(body.inertia, body.axis);
    }

    /// In the paper's reading, q_predecessor = ratio · q_successor: the predecessor is faster if |ratio| > 1.
    std::optional<CouplingRatio> spoken_for(const GearedPaths& paths) const {
        const bool at_predecessor = is_rotor(paths.chains.predecessor);
        if (at_predecessor == is_rotor(paths.chains.successor)) return std::nullopt;
        const bool faster_predecessor = std::abs(paths.gear->ratio) > 1;
        return faster_predecessor == at_predecessor ? paper : parser;
    }

    std::optional<CouplingRatio> unspoken() const {
        for (const GearedPaths* paths : undecided_) {
            report(severity(), *paths, "",
                   (context_.options.strict ? "" : "the first is taken; ") + statements("or"));
        }
        return granted(paper);
    }

    std::optional<CouplingRatio> agreed(const GearedPaths& example, std::size_t count) const {
        const CouplingRatio reading = *spoken_for(example);
        std::string found = "; only " + position(reading) + " makes the rotor the faster side";
        if (count > 1)
            found += ", as in each of " + std::to_string(count) + " couplings with a rotor at one end";
        std::string hint = position(reading) + " is taken for all couplings; to say so, ";
        if (context_.options.strict) hint = "";
        hint += "set coupling_ratio=\"" + std::string(written(reading)) +
                "\" on <robot>, or pass --coupling-ratio " + written(reading);
        report(severity(), example, found, hint);
        return granted(reading);
    }

    Severity severity() const { return context_.options.strict ? Severity::error : Severity::warning; }

    std::optional<CouplingRatio> granted(CouplingRatio reading) const {
        if (context_.options.strict) return std::nullopt;
        return reading;
    }

    static std::string position(CouplingRatio reading) {
        return reading == paper ? "the first" : "the second";
    }

    static std::string statements(const char* conjunction) {
        return std::string("set coupling_ratio=\"") + written(paper) + "\" " + conjunction + " \"" +
               written(parser) + "\" on <robot>, or pass --coupling-ratio";
    }

    /// Reports both readings as equations.
    void report(Severity severity, const GearedPaths& paths, const std::string& more,
                std::string hint) const {
        const CouplingDescription& coupling = *paths.coupling;
        context_.report(severity, Code::coupling_ratio, coupling.where,
                        Subject::of("coupling", coupling.name), "a statement of what the ratio means",
                        "ratio " + number(paths.gear->ratio) + ", which reads as " +
                            equation(mechanism_, geared_row(paths, paper, 0)) + " (" + written(paper) +
                            ") or " + equation(mechanism_, geared_row(paths, parser, 0)) + " (" +
                            written(parser) + ")" + more,
                        std::move(hint));
    }

    const Context& context_;
    const Mechanism& mechanism_;
    std::vector<bool> is_free_leaf_;  ///< of each body: it has no child and no loop
    std::vector<const GearedPaths*> undecided_;
};

}  // namespace

/// Parents have smaller numbers than their children, so the larger of two bodies is never the ancestor.
Subchains subchains(const Mechanism& mechanism, int predecessor, int successor) {
    Subchains chains;
    while (predecessor != successor) {
        int& lower = predecessor > successor ? predecessor : successor;
        (predecessor > successor ? chains.predecessor : chains.successor).push_back(lower);
        lower = mechanism.bodies[at(lower)].parent;
    }
    std::reverse(chains.predecessor.begin(), chains.predecessor.end());
    std::reverse(chains.successor.begin(), chains.successor.end());
    return chains;
}

/// Eq. 8 of the URDF+ paper, or the same with the ratio on the other side. The side
/// without ratio comes first; an empty side sets the sum of the other to zero.
MechanismCoupling geared_row(const GearedPaths& paths, CouplingRatio reading, int component) {
    const std::vector<int>& alone = reading == paper ? paths.chains.predecessor : paths.chains.successor;
    const std::vector<int>& scaled = reading == paper ? paths.chains.successor : paths.chains.predecessor;
    MechanismCoupling row;
    row.name = paths.coupling->name;
    row.where = paths.coupling->where;
    for (const int body : alone) row.terms.push_back({body, component, 1});
    const double coefficient = alone.empty() ? 1 : -paths.gear->ratio;
    for (const int body : scaled) row.terms.push_back({body, component, coefficient});
    return row;
}

std::optional<CouplingRatio> ratio_reading(const Context& context, const Mechanism& mechanism,
                                           const std::vector<GearedPaths>& couplings) {
    if (context.options.coupling_ratio) return context.options.coupling_ratio;
    if (context.description.coupling_ratio) return context.description.coupling_ratio;
    return RatioVote(context, mechanism, couplings).reading();
}

}  // namespace grbda::mechanism
