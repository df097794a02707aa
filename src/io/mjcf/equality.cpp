#include <Eigen/Core>
#include <Eigen/Geometry>

#include "elements.hpp"

namespace grbda::mjcf {

namespace {

/// One end of a connect or weld.
struct End {
    int body = 0;
    Pose origin;
};

class EqualityReader {
public:
    EqualityReader(Context& context, const Tree& tree, const Tendons& tendons, RobotDescription& robot)
        : context_(context), document_(context.document), tree_(tree), tendons_(tendons), robot_(robot) {}

    void read() {
        for (const pugi::xml_node section : document_.root().children("equality")) {
            for (const pugi::xml_node node : section.children()) names_.declare(document_, node);
        }
        for (const pugi::xml_node section : document_.root().children("equality")) {
            for (const pugi::xml_node node : section.children()) {
                if (node.type() == pugi::node_element) read_equality(node);
            }
        }
        if (scaled_ > 0) {
            document_.report(Severity::note, Code::ignored, first_scaled_,
                             "a weld holds all six directions as rigidly",
                             "torquescale other than 0 and 1 on " + std::to_string(scaled_) +
                                 (scaled_ == 1 ? " of them" : " of them, this one first"));
        }
        if (soft_ == 0) return;
        document_.report(Severity::note, Code::ignored, first_soft_, "equality constraints are rigid here",
                         "solref or solimp on " + std::to_string(soft_) +
                             (soft_ == 1 ? " of them" : " of them, this one first"));
    }

private:
    void read_equality(pugi::xml_node node) {
        const int number = count_++;
        const Element element = context_.element(node, "equality");
        const std::string kind = node.name();
        if (!context_.compiler.equalities || !context_.flag(element, "active", true)) {
            document_.report(Severity::note, Code::ignored, node, "left out",
                             context_.compiler.equalities ? "active=\"false\"" : "equalities are disabled");
            return;
        }
        if (kind.starts_with("flex")) {
            document_.report_left_out(node, "an equality of rigid bodies", "<" + kind + ">",
                                      "it is left out: grbda has no deformable bodies");
            return document_.mark_not_needed(node);
        }
        name_ = node.attribute("name").value();
        if (name_.empty()) name_ = names_.unused(kind + "_" + std::to_string(number));
        if (kind == "connect") {
            read_connect(node);
        } else if (kind == "weld") {
            read_weld(node);
        } else if (kind == "joint") {
            read_joint_equality(node);
        } else if (kind == "tendon") {
            read_tendon_equality(node);
        } else {
            document_.error(Code::unsupported, node, "an equality of connect, weld, joint and tendon",
                            "<" + kind + ">",
                            "active=\"false\" leaves it out, and the robot can move as if it were not there");
            return;
        }
        const bool soft = context_.has(element, "solref") || context_.has(element, "solimp");
        if (soft && soft_++ == 0) first_soft_ = node;
    }

    void add_loop(pugi::xml_node node, LoopType type, const End& predecessor, const End& successor) {
        LoopDescription loop;
        loop.name = name_;
        loop.type = type;
        loop.predecessor = tree_.bodies[at(predecessor.body)].link;
        loop.successor = tree_.bodies[at(successor.body)].link;
        loop.predecessor_origin = predecessor.origin;
        loop.successor_origin = successor.origin;
        loop.is_mocap =
            tree_.bodies[at(predecessor.body)].is_mocap || tree_.bodies[at(successor.body)].is_mocap;
        loop.where = document_.where(node);
        robot_.loops.push_back(std::move(loop));
    }

    /// Reads body1 and body2; the world if the latter is left out. Returns false after an error.
    bool read_bodies(pugi::xml_node node, End& first, End& second) {
        document_.expect(node, "body2");
        const std::optional<int> body1 = tree_.body_names.find(document_, node, "body1");
        const bool has_second = !node.attribute("body2").empty();
        const std::optional<int> body2 =
            has_second ? tree_.body_names.find(document_, node, "body2") : std::optional<int>(0);
        if (!body1 || !body2) return false;
        first.body = *body1;
        second.body = *body2;
        return true;
    }

    static bool names_sites(pugi::xml_node node) {
        return node.attribute("site1") || node.attribute("site2");
    }

    void read_sites(pugi::xml_node node, LoopType type) {
        for (const char* attribute : {"body1", "body2", "anchor", "relpose"}) {
            if (!node.attribute(attribute)) continue;
            document_.error(Code::conflict, node, "two sites, or bodies",
                            std::string(attribute) + " besides sites");
        }
        const std::optional<int> site1 = tree_.site_names.find(document_, node, "site1");
        const std::optional<int> site2 = tree_.site_names.find(document_, node, "site2");
        if (!site1 || !site2) return;
        const Site& first = tree_.sites[at(*site1)];
        const Site& second = tree_.sites[at(*site2)];
        add_loop(node, type, {first.body, first.in_body}, {second.body, second.in_body});
    }

    /// Pose of body 2 in body 1 at the reference pose.
    Pose relative(const End& first, const End& second) const {
        return inverse(tree_.bodies[at(first.body)].in_world) * tree_.bodies[at(second.body)].in_world;
    }

    /// The anchor is in body 1; the loop fixes the point of body 2 that is there at the reference pose.
    void read_connect(pugi::xml_node node) {
        if (names_sites(node)) return read_sites(node, LoopType::spherical);
        End first, second;
        const auto anchor = document_.numbers(node, "anchor", 3);
        if (!node.attribute("anchor")) document_.error(Code::missing, node, "attribute 'anchor'", "none");
        if (!read_bodies(node, first, second) || !anchor) return;
        first.origin.translation = Eigen::Vector3d(anchor->data());
        second.origin.translation = (inverse(relative(first, second)) * first.origin).translation;
        add_point(node, first, second);
    }

    /// Connects two points.
    void add_point(pugi::xml_node node, const End& first, const End& second) {
        const Body& body1 = tree_.bodies[at(first.body)];
        const Body& body2 = tree_.bodies[at(second.body)];
        if (body1.carrier == body2.carrier && first.body != second.body) {
            document_.report(Severity::warning, Code::fixed_together, node,
                             "bodies that move relative to each other",
                             "'" + body1.link + "' and '" + body2.link + "', fixed to each other",
                             "left out: their points stay together without it");
            return;
        }
        add_loop(node, LoopType::spherical, first, second);
    }

    /// torquescale weights rotations relative to translations; with zero, only translations are constrained.
    LoopType weld_type(pugi::xml_node node) {
        const double scale = document_.number(node, "torquescale").value_or(1);
        if (scale == 0) return LoopType::spherical;
        if (scale != 1 && scaled_++ == 0) first_scaled_ = node;
        return LoopType::fixed;
    }

    /// The anchor is in body 2. relpose has its position in body 1 and the orientation of body 2 in body 1.
    void read_weld(pugi::xml_node node) {
        const LoopType type = weld_type(node);
        if (names_sites(node)) return read_sites(node, type);
        End first, second;
        const bool good = read_bodies(node, first, second);
        const auto anchor = document_.numbers(node, "anchor", 3);
        if (anchor) second.origin.translation = Eigen::Vector3d(anchor->data());
        const auto pose = document_.numbers(node, "relpose", 7);
        if (!good) return;
        first.origin = relative(first, second) * second.origin;
        if (pose) {
            const std::vector<double>& given = *pose;
            const Eigen::Vector4d quaternion(given[4], given[5], given[6], given[3]);
            // Zero selects the reference pose; the three numbers before it are then ignored.
            if (!quaternion.isZero(0)) {
                first.origin.rotation = Eigen::Quaterniond(quaternion.stableNormalized()).toRotationMatrix();
                first.origin.translation = Eigen::Vector3d(given.data());
            }
        }
        if (type == LoopType::spherical && !pose) return add_point(node, first, second);
        add_loop(node, type, first, second);
    }

    /// Reads five numbers; missing ones are those of 0 1 0 0 0, as in MuJoCo.
    std::vector<double> read_polynomial(pugi::xml_node node) {
        std::vector<double> given =
            context_.some_numbers({node}, "polycoef", 5).value_or(std::vector<double>());
        const std::vector<double> identity = {0, 1, 0, 0, 0};
        for (std::size_t i = given.size(); i < identity.size(); ++i) given.push_back(identity[i]);
        while (given.size() > 1 && given.back() == 0) given.pop_back();
        return given;
    }

    template <class Relation>
    void add(pugi::xml_node node, Relation relation) {
        robot_.couplings.push_back({name_, std::move(relation), document_.where(node)});
    }

    LinearTerm term(const Joint& joint, double coefficient, pugi::xml_node node) const {
        return {robot_.joints[joint.index].name, coefficient, document_.where(node)};
    }

    /// y − y₀ = Σ aᵢ (x − x₀)ⁱ, y = joint1, x = joint2; x₀ and y₀ are the reference positions.
    void read_joint_equality(pugi::xml_node node) {
        const Joint* follower = find_scalar_joint(context_, tree_, robot_, node, "joint1");
        document_.expect(node, "joint2");
        const bool has_leader = !node.attribute("joint2").empty();
        const Joint* leader =
            has_leader ? find_scalar_joint(context_, tree_, robot_, node, "joint2") : nullptr;
        std::vector<double> polynomial = read_polynomial(node);
        if (follower == nullptr || (has_leader && leader == nullptr)) return;
        if (!has_leader) polynomial.resize(1);
        // A joint that is its own leader remains a polynomial, whose checks report it.
        if (polynomial.size() <= 2 && follower != leader)
            return add_linear(node, *follower, leader, polynomial);
        add(node, PolynomialRelation{robot_.joints[follower->index].name, robot_.joints[leader->index].name,
                                     polynomial, follower->reference.front(), leader->reference.front()});
    }

    void add_linear(pugi::xml_node node, const Joint& follower, const Joint* leader,
                    const std::vector<double>& polynomial) {
        LinearRelation linear;
        linear.terms = {term(follower, 1, node)};
        linear.offset = -follower.reference.front() - polynomial[0];
        if (leader != nullptr && polynomial.size() == 2) {
            linear.terms.push_back(term(*leader, -polynomial[1], node));
            linear.offset += polynomial[1] * leader->reference.front();
        }
        add(node, std::move(linear));
    }

    const Tendon* find_fixed_tendon(pugi::xml_node node, const char* attribute) {
        const std::optional<int> index = tendons_.names.find(document_, node, attribute);
        if (!index) return nullptr;
        const Tendon& tendon = tendons_.entries[at(*index)];
        if (tendon.fixed) return &tendon;
        document_.error(Code::unsupported, node,
                        std::string("a <fixed> tendon, or one between two sites, in ") + attribute,
                        "a <spatial> one",
                        "active=\"false\" leaves it out, and the robot can move as if it were not there");
        return nullptr;
    }

    /// Finds a spatial tendon along a straight line between two sites, with a constraint on its length.
    const Tendon* find_straight_tendon(pugi::xml_node node) const {
        const std::string name = node.attribute("tendon1").value();
        if (!node.attribute("tendon2").empty() || !tendons_.names.contains(name)) return nullptr;
        const std::optional<int> index = tendons_.names.find(document_, node, "tendon1");
        const Tendon* const tendon = index ? &tendons_.entries[at(*index)] : nullptr;
        return tendon != nullptr && !tendon->sites.empty() ? tendon : nullptr;
    }

    void add_distance(pugi::xml_node node, const Tendon& tendon) {
        document_.expect(node, "tendon2");
        const auto end = [&](std::size_t i) {
            const Site& site = tree_.sites[at(tendon.sites[i])];
            return End{site.body, site.in_body};
        };
        add_loop(node, LoopType::distance, end(0), end(1));
        robot_.loops.back().length = tendon.reference + read_polynomial(node).front();
    }

    /// As for joints, with lengths of tendons instead of positions.
    void read_tendon_equality(pugi::xml_node node) {
        if (const Tendon* const straight = find_straight_tendon(node)) return add_distance(node, *straight);
        const Tendon* follower = find_fixed_tendon(node, "tendon1");
        document_.expect(node, "tendon2");
        const bool has_leader = !node.attribute("tendon2").empty();
        const Tendon* leader = has_leader ? find_fixed_tendon(node, "tendon2") : nullptr;
        std::vector<double> polynomial = read_polynomial(node);
        if (follower == nullptr || (has_leader && leader == nullptr)) return;
        if (!has_leader) polynomial.resize(1);
        if (polynomial.size() > 2) {
            document_.error(Code::unsupported, node, "a polycoef of two numbers for tendons",
                            "a higher power", "couple joints instead");
            return;
        }
        polynomial.resize(2, 0);
        LinearRelation linear;
        linear.offset = -follower->reference - polynomial[0];
        std::map<std::string, double> coefficients;
        for (const LinearTerm& each : follower->terms) coefficients[each.joint] += each.coefficient;
        if (leader != nullptr) {
            linear.offset += polynomial[1] * leader->reference;
            for (const LinearTerm& each : leader->terms) {
                coefficients[each.joint] -= polynomial[1] * each.coefficient;
            }
        }
        for (const auto& [joint, coefficient] : coefficients) {
            if (coefficient != 0) linear.terms.push_back({joint, coefficient, document_.where(node)});
        }
        add(node, std::move(linear));
    }

    Context& context_;
    xml::Document& document_;
    const Tree& tree_;
    const Tendons& tendons_;
    RobotDescription& robot_;
    Names names_{"equality"};
    std::string name_;
    int count_ = 0;
    int soft_ = 0, scaled_ = 0;
    pugi::xml_node first_soft_, first_scaled_;
};

}  // namespace

void read_equalities(Context& context, const Tree& tree, const Tendons& tendons, RobotDescription& robot) {
    EqualityReader(context, tree, tendons, robot).read();
}

}  // namespace grbda::mjcf
