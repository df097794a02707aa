#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "coupling.hpp"

namespace grbda::mechanism {

namespace {

/// Rows are equal if their coefficients agree to this after scaling: the same numbers, typed twice.
constexpr double same_row_tolerance = 1e-9;

/// True if the joints can be added coordinate by coordinate: angles to angles, lengths to lengths.
bool has_same_units(JointType a, JointType b) {
    const auto is_length = [](Freedom kind) { return kind == Freedom::slide; };
    const auto& first = facts(a).freedoms;
    const auto& second = facts(b).freedoms;
    return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                      [&](Freedom x, Freedom y) { return is_length(x) == is_length(y); });
}

std::string described(const MechanismBody& body) {
    return std::string(to_string(body.type)) + " joint " + quoted(body.joint);
}

class CouplingBuilder {
public:
    CouplingBuilder(const Context& context, const Fusion& fusion, Mechanism& mechanism)
        : context_(context), fusion_(fusion), mechanism_(mechanism) {}

    /// Adds them in their order; one reading of the ratio applies to all of them.
    void add(const std::vector<CouplingDescription>& couplings) {
        std::vector<GearedPaths> geared;
        for (const CouplingDescription& coupling : couplings) {
            const auto* const gear = coupling.as<GearRelation>();
            if (gear == nullptr) continue;
            if (std::optional<GearedPaths> paths = geared_paths(coupling, *gear))
                geared.push_back(std::move(*paths));
        }
        const std::optional<CouplingRatio> reading = ratio_reading(context_, mechanism_, geared);
        auto paths = geared.begin();
        for (const CouplingDescription& coupling : couplings) {
            const Subject owner = subject_of(coupling);
            if (const auto* const linear = coupling.as<LinearRelation>()) {
                add(coupling, *linear, owner);
            } else if (const auto* const polynomial = coupling.as<PolynomialRelation>()) {
                add(coupling, *polynomial, owner);
            } else if (paths != geared.end() && paths->coupling == &coupling) {
                add(*paths++, reading, owner);
            }
        }
    }

private:
    void add(const GearedPaths& paths, const std::optional<CouplingRatio>& reading, const Subject& owner) {
        if (contradicts_another(paths, owner) || !reading) return;
        for (std::size_t i = 0; i < paths.components; ++i) {
            MechanismCoupling row = geared_row(paths, *reading, static_cast<int>(i));
            if (paths.components > 1) row.name += "[" + std::to_string(i) + "]";
            add_row(std::move(row), owner);
        }
    }

    void add(const CouplingDescription& coupling, const LinearRelation& said, const Subject& owner) {
        const LinearRelation linear = said.mimic ? without_still_joints(coupling, said, owner) : said;
        MechanismCoupling row;
        row.name = coupling.name;
        row.offset = linear.offset;
        row.where = coupling.where;
        if (row.name.empty() && !linear.terms.empty()) row.name = linear.terms.front().joint;
        for (const LinearTerm& term : linear.terms) {
            const SourceLocation& where = term.where.line > 0 ? term.where : coupling.where;
            const std::optional<int> body = moved_body(context_, fusion_, term.joint, where, owner);
            if (!body || term.coefficient == 0 || !std::isfinite(term.coefficient)) continue;
            const bool is_new = std::none_of(row.terms.begin(), row.terms.end(),
                                             [&](const MechanismTerm& other) { return other.body == *body; });
            if (is_new) row.terms.push_back({*body, 0, term.coefficient});
        }
        // Otherwise an error about a term has been reported.
        if (!row.terms.empty() && row.terms.size() == linear.terms.size()) add_row(std::move(row), owner);
    }

    /// A polynomial of degree one or less is a linear row; of degree zero, the row has no leader.
    void add(const CouplingDescription& coupling, const PolynomialRelation& polynomial,
             const Subject& owner) {
        const std::optional<int> follower =
            moved_body(context_, fusion_, polynomial.follower, coupling.where, owner);
        const std::optional<int> leader =
            moved_body(context_, fusion_, polynomial.leader, coupling.where, owner);
        if (!follower || !leader || !is_sound(polynomial)) return;
        const std::vector<double>& c = polynomial.coefficients;
        const int degree = mechanism::degree(c);
        MechanismCoupling row;
        row.name = coupling.name;
        row.where = coupling.where;
        row.terms.push_back({*follower, 0, 1});
        if (degree > 1) {
            row.terms.push_back({*leader, 0, -1});
            row.polynomial.assign(c.begin(), c.begin() + degree + 1);
            row.polynomial.front() += polynomial.follower_reference;
            row.reference = polynomial.leader_reference;
        } else {
            row.offset = -c.front() - polynomial.follower_reference;
            if (degree == 1) {
                row.terms.push_back({*leader, 0, -c[1]});
                row.offset += c[1] * polynomial.leader_reference;
            }
        }
        add_row(std::move(row), owner);
    }

    /// Returns nothing if an error has been reported.
    std::optional<GearedPaths> geared_paths(const CouplingDescription& coupling,
                                            const GearRelation& gear) const {
        const int predecessor = context_.links.find(gear.predecessor);
        const int successor = context_.links.find(gear.successor);
        const bool is_reported = predecessor < 0 || successor < 0 || predecessor == successor ||
                                 gear.ratio == 0 || !std::isfinite(gear.ratio);
        if (is_reported) return std::nullopt;
        GearedPaths paths{
            &coupling, &gear,
            subchains(mechanism_, fusion_.link_body[at(predecessor)], fusion_.link_body[at(successor)]), 0};
        const std::optional<std::size_t> components = common_components(paths, subject_of(coupling));
        if (!components) return std::nullopt;
        paths.components = *components;
        return paths;
    }

    bool is_fixed(const std::string& joint) const {
        const int position = context_.joints.find(joint);
        return position >= 0 && fusion_.joint_body[at(position)] == no_body;
    }

    /// A mimic with fixed joints at 0: a fixed follower needs no row; a leader
    /// that is fixed or has coefficient zero leaves the follower at the offset.
    LinearRelation without_still_joints(const CouplingDescription& coupling, const LinearRelation& mimic,
                                        const Subject& owner) const {
        LinearRelation rest = mimic;
        if (mimic.terms.size() != 2) return rest;
        const LinearTerm& leader = mimic.terms.back();
        if (is_fixed(mimic.terms.front().joint)) {
            context_.report(Severity::note, Code::ignored, coupling.where, owner,
                            "dropped: a fixed joint follows no other", "");
            rest.terms.clear();
        } else if (is_fixed(leader.joint) || leader.coefficient == 0) {
            context_.report(Severity::note, Code::rewritten, coupling.where, owner,
                            "held at " + number(-mimic.offset / mimic.terms.front().coefficient),
                            leader.coefficient == 0 ? "the multiplier is 0"
                                                    : "joint " + quoted(leader.joint) + " is fixed");
            rest.terms.pop_back();
        }
        return rest;
    }

    /// Two links have one ratio, whichever of them is called the predecessor. If each
    /// has one joint on its path, add_row reports the contradiction in terms of these.
    bool contradicts_another(const GearedPaths& paths, const Subject& owner) {
        if (paths.chains.predecessor.size() <= 1 && paths.chains.successor.size() <= 1) return false;
        const GearRelation& gear = *paths.gear;
        const bool swapped = gear.successor < gear.predecessor;
        const auto links = std::minmax(gear.predecessor, gear.successor);
        const double ratio = swapped ? 1 / gear.ratio : gear.ratio;
        const auto [entry, is_new] = ratios_.try_emplace({links.first, links.second}, ratio, owner);
        const auto& [other, other_owner] = entry->second;
        if (is_new || std::abs(ratio - other) <= same_row_tolerance * std::abs(other)) return false;
        context_.error(Code::conflict, paths.coupling->where, owner, "one ratio between two links",
                       "ratio " + number(gear.ratio) + " beside " + number(swapped ? 1 / other : other) +
                           " of " + other_owner.text,
                       "both hold only where each path adds up to zero");
        return true;
    }

    /// Number of rows: the coordinates that all joints of both subchains have in common.
    std::optional<std::size_t> common_components(const GearedPaths& paths, const Subject& owner) const {
        const SourceLocation& where = paths.coupling->where;
        std::vector<int> all = paths.chains.predecessor;
        all.insert(all.end(), paths.chains.successor.begin(), paths.chains.successor.end());
        if (all.empty()) {
            context_.error(Code::fixed_together, where, owner, "links that move relative to each other",
                           "only fixed joints between " + quoted(paths.gear->predecessor) + " and " +
                               quoted(paths.gear->successor));
            return std::nullopt;
        }
        const MechanismBody& first = mechanism_.bodies[at(all.front())];
        for (const int index : all) {
            const MechanismBody& body = mechanism_.bodies[at(index)];
            if (has_quaternion(body.type)) {
                context_.error(Code::wrong_kind, where, owner,
                               "joints whose positions can be added up on its paths", described(body));
                return std::nullopt;
            }
            if (has_same_units(body.type, first.type)) continue;
            context_.error(Code::wrong_kind, where, owner,
                           velocity_size(body.type) != velocity_size(first.type)
                               ? "joints with the same number of degrees of freedom"
                               : "rotations only or translations only on its paths",
                           described(first) + " and " + described(body),
                           "a coupling of type=\"linear\" names its joints one by one and may mix kinds");
            return std::nullopt;
        }
        return at(velocity_size(first.type));
    }

    /// Adds the row unless an earlier row over the same coordinates is equal. Two different
    /// rows over the same one or two coordinates lock them, or contradict each other.
    void add_row(MechanismCoupling row, const Subject& owner) {
        std::vector<MechanismTerm> sorted = row.terms;
        std::sort(sorted.begin(), sorted.end(), [](const MechanismTerm& a, const MechanismTerm& b) {
            return a.body != b.body ? a.body < b.body : a.component < b.component;
        });
        std::vector<std::pair<int, int>> coordinates;
        std::vector<double> scaled;  // coefficients and offset, with first coefficient 1
        for (const MechanismTerm& term : sorted) {
            coordinates.emplace_back(term.body, term.component);
            scaled.push_back(term.coefficient / sorted.front().coefficient);
        }
        scaled.push_back(row.offset / sorted.front().coefficient);
        Row added{mechanism_.couplings.size(), owner, std::nullopt, scaled, absolute(scaled)};
        if (!row.polynomial.empty()) {
            added.follower = row.terms.front().body;
            added.figures = expanded(row.polynomial, row.reference);
            added.sizes = expanded(absolute(row.polynomial), -std::abs(row.reference));
        }

        std::vector<Row>& others = rows_[coordinates];
        for (const Row& other : others) {
            const bool same = agree(added, other, added.figures.size());
            const bool same_coefficients = agree(added, other, added.figures.size() - 1);
            const std::string found = equation(mechanism_, row) + " beside " +
                                      equation(mechanism_, mechanism_.couplings[other.index]) + " of " +
                                      other.owner.text;
            if (same) {
                context_.report(Severity::note, Code::redundant, row.where, owner,
                                "dropped: it repeats another", found);
                return;
            }
            if (!same_coefficients && coordinates.size() > 2) continue;
            context_.error(Code::conflict, row.where, owner, "one relation between the same joints", found,
                           same_coefficients ? "both cannot hold" : "together they lock the joints");
            return;
        }
        others.push_back(std::move(added));
        mechanism_.couplings.push_back(std::move(row));
    }

    /// A row in a form in which equal rows have equal numbers.
    struct Row {
        std::size_t index;
        Subject owner;
        std::optional<int> follower;  ///< for a polynomial: the follower's body
        std::vector<double> figures;  ///< the constant last
        std::vector<double> sizes;    ///< sums of the absolute terms of each number
    };

    /// Σ cᵢ (q − reference)ⁱ in powers of q, highest first: the same however the polynomial is written.
    static std::vector<double> expanded(const std::vector<double>& coefficients, double reference) {
        std::vector<double> powers;
        for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) {  // Horner: · (q − r) + c
            powers.push_back(0);
            for (std::size_t i = powers.size() - 1; i > 0; --i) powers[i] -= reference * powers[i - 1];
            powers.back() += *c;
        }
        return powers;
    }

    static std::vector<double> absolute(std::vector<double> figures) {
        for (double& figure : figures) figure = std::abs(figure);
        return figures;
    }

    static bool agree(const Row& a, const Row& b, std::size_t count) {
        if (a.follower != b.follower || a.figures.size() != b.figures.size()) return false;
        for (std::size_t i = 0; i < count; ++i) {
            const double size = std::max({a.sizes[i], b.sizes[i], i + 1 == a.figures.size() ? 1.0 : 0.0});
            if (!(std::abs(a.figures[i] - b.figures[i]) <= same_row_tolerance * size)) return false;
        }
        return true;
    }

    const Context& context_;
    const Fusion& fusion_;
    Mechanism& mechanism_;
    std::map<std::vector<std::pair<int, int>>, std::vector<Row>> rows_;
    std::map<std::pair<std::string, std::string>, std::pair<double, Subject>> ratios_;
};

}  // namespace

void add_couplings(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    CouplingBuilder(context, fusion, mechanism).add(context.description.couplings);
}

}  // namespace grbda::mechanism
