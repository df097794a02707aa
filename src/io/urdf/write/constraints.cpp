#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "parts.hpp"

namespace grbda::urdf {

namespace {

void write_end(const char* end, const std::string& link, const Pose& placement, xml::Text& text) {
    text.open(end).attribute("link", link);
    write_origin(placement, text);
    text.close();
}

void write_loop(const MechanismLoop& loop, const Layout& layout, xml::Text& text) {
    text.open("loop").attribute("name", loop.name).attribute("type", to_string(loop.type));
    write_end("predecessor", layout.link_of(loop.predecessor), loop.predecessor_placement, text);
    write_end("successor", layout.link_of(loop.successor), loop.successor_placement, text);
    write_axes(facts(loop.type).axes, loop.axis, loop.axis2, text);
    if (loop.type == LoopType::helical) text.open("pitch").attribute("value", loop.pitch).close();
    if (loop.type == LoopType::distance) text.open("length").attribute("value", loop.length).close();
    if (loop.inertial) write_inertial(*loop.inertial, text);
    text.close();
}

/// Two paths from a nearest common ancestor: Σ q of the first = ratio · Σ q of the second,
/// coordinate by coordinate. Only this form supports joints of several coordinates.
struct PathCoupling {
    std::string name;
    int predecessor = world;
    int successor = world;
    double ratio = 1;
};

class CouplingWriter {
public:
    CouplingWriter(const Mechanism& mechanism, const Layout& layout, xml::Text& text)
        : mechanism_(mechanism), layout_(layout), text_(text) {
        for (const MechanismLoop& loop : mechanism.loops) names_.take(loop.name);
    }

    void write(std::size_t first) {
        std::string last_path;
        for (std::size_t i = first; i < mechanism_.couplings.size(); ++i) {
            const MechanismCoupling& coupling = mechanism_.couplings[i];
            if (mechanism_.bodies[at(coupling.terms.front().body)].combined) {
                write_coordinate(coupling);
            } else if (has_several_coordinates(coupling)) {
                const PathCoupling path = path_of(coupling);
                if (path.name != last_path) write_path(path);
                last_path = path.name;
            } else if (coupling.polynomial.empty()) {
                write_linear(coupling);
            } else {
                write_polynomial(coupling);
            }
        }
    }

private:
    const std::string& joint_of(const MechanismTerm& term) const {
        return mechanism_.bodies[at(term.body)].joint;
    }
    int parent_of(int body) const { return mechanism_.bodies[at(body)].parent; }

    bool has_several_coordinates(const MechanismCoupling& coupling) const {
        return std::any_of(coupling.terms.begin(), coupling.terms.end(), [&](const MechanismTerm& term) {
            return velocity_size(mechanism_.bodies[at(term.body)].type) != 1;
        });
    }

    PathCoupling path_of(const MechanismCoupling& row) const {
        if (const std::optional<PathCoupling> path = as_path(row)) return *path;
        throw std::invalid_argument("coupling '" + row.name +
                                    "' between joints of several coordinates is not one of two paths "
                                    "from a common ancestor: URDF+ has no form for it");
    }

    /// Returns nothing if the row does not relate two paths. In each path bodies
    /// are ordered from the top down; the path with coefficients 1 comes first.
    std::optional<PathCoupling> as_path(const MechanismCoupling& row) const {
        const std::vector<MechanismTerm>& terms = row.terms;
        if (terms.empty() || row.offset != 0 || !row.polynomial.empty()) return std::nullopt;
        const int component = terms.front().component;
        const JointType type = mechanism_.bodies[at(terms.front().body)].type;
        std::size_t turn = 1;
        while (turn < terms.size() && parent_of(terms[turn].body) == terms[turn - 1].body) ++turn;
        const int top = parent_of(terms.front().body);
        const double ratio = turn < terms.size() ? -terms[turn].coefficient : 1;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const int above = i == 0 || i == turn ? top : terms[i - 1].body;
            const bool fits = parent_of(terms[i].body) == above && terms[i].component == component &&
                              terms[i].coefficient == (i < turn ? 1 : -ratio) &&
                              velocity_size(mechanism_.bodies[at(terms[i].body)].type) == velocity_size(type);
            if (!fits) return std::nullopt;
        }
        const std::string suffix = velocity_size(type) > 1 ? "[" + std::to_string(component) + "]" : "";
        const std::size_t length = row.name.size() - std::min(row.name.size(), suffix.size());
        if (length == 0 || row.name.substr(length) != suffix) return std::nullopt;
        return PathCoupling{row.name.substr(0, length), terms[turn - 1].body,
                            turn < terms.size() ? terms.back().body : top, ratio};
    }

    void write_path(const PathCoupling& path) {
        text_.open("coupling").attribute("name", names_.free(path.name));
        text_.open("predecessor").attribute("link", layout_.link_of(path.predecessor)).close();
        text_.open("successor").attribute("link", layout_.link_of(path.successor)).close();
        text_.open("ratio").attribute("value", path.ratio).close();
        text_.close();
    }

    void open_coupling(const MechanismCoupling& coupling, const char* type) {
        text_.open("coupling")
            .attribute("name", names_.free(coupling.name.empty() ? "coupling" : coupling.name))
            .attribute("type", type);
    }

    void write_linear(const MechanismCoupling& coupling) {
        open_coupling(coupling, "linear");
        for (const MechanismTerm& term : coupling.terms) write_term(term);
        write_offset(coupling);
        text_.close();
    }

    /// The first term is the coordinate itself.
    void write_coordinate(const MechanismCoupling& coupling) {
        text_.open("coordinate").attribute("name", coupling.name);
        for (std::size_t i = 1; i < coupling.terms.size(); ++i) write_term(coupling.terms[i]);
        write_offset(coupling);
        text_.close();
    }

    void write_term(const MechanismTerm& term) {
        text_.open("term").attribute("joint", joint_of(term)).attribute("coefficient", term.coefficient);
        text_.close();
    }

    void write_offset(const MechanismCoupling& coupling) {
        if (coupling.offset != 0) text_.open("offset").attribute("value", coupling.offset).close();
    }

    void write_polynomial(const MechanismCoupling& coupling) {
        open_coupling(coupling, "polynomial");
        write_reference("follower", coupling.terms[0], -coupling.offset);
        write_reference("leader", coupling.terms[1], coupling.reference);
        text_.open("polynomial").attribute("coefficients", coupling.polynomial).close();
        text_.close();
    }

    void write_reference(const char* role, const MechanismTerm& term, double reference) {
        text_.open(role).attribute("joint", joint_of(term));
        if (reference != 0) text_.attribute("reference", reference);
        text_.close();
    }

    const Mechanism& mechanism_;
    const Layout& layout_;
    xml::Text& text_;
    FreeNames names_;
};

}  // namespace

std::size_t leading_mimics(const Mechanism& mechanism) {
    std::size_t count = 0;
    int last = world;
    for (const MechanismCoupling& coupling : mechanism.couplings) {
        if (coupling.terms.size() != 2 || !coupling.polynomial.empty()) break;
        const MechanismTerm& follower = coupling.terms[0];
        const bool is_mimic =
            follower.body > last && follower.coefficient == 1 &&
            coupling.name == "mimic of " + mechanism.bodies[at(follower.body)].joint &&
            std::all_of(coupling.terms.begin(), coupling.terms.end(), [&](const MechanismTerm& term) {
                return velocity_size(mechanism.bodies[at(term.body)].type) == 1;
            });
        if (!is_mimic) break;
        last = follower.body;
        ++count;
    }
    return count;
}

void write_tendons(const Mechanism& mechanism, xml::Text& text) {
    for (const MechanismTendon& tendon : mechanism.tendons) {
        text.open("tendon").attribute("name", tendon.name);
        if (tendon.stiffness != 0) text.attribute("stiffness", tendon.stiffness);
        if (tendon.damping != 0) text.attribute("damping", tendon.damping);
        if (tendon.friction != 0) text.attribute("friction", tendon.friction);
        if (tendon.rest_lower != tendon.rest_upper) {
            text.attribute("rest_length", std::vector<double>{tendon.rest_lower, tendon.rest_upper});
        } else if (tendon.rest_lower != 0) {
            text.attribute("rest_length", tendon.rest_lower);
        }
        for (const MechanismTerm& term : tendon.terms) {
            text.open("term")
                .attribute("joint", mechanism.bodies[at(term.body)].joint)
                .attribute("coefficient", term.coefficient)
                .close();
        }
        text.close();
    }
}

void write_constraints(const Mechanism& mechanism, const Layout& layout, std::size_t first, xml::Text& text) {
    for (const MechanismLoop& loop : mechanism.loops) write_loop(loop, layout, text);
    CouplingWriter(mechanism, layout, text).write(first);
}

}  // namespace grbda::urdf
