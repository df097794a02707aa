#include "families.hpp"

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace grbda::benchmarks {
namespace {

using Vector = Eigen::Vector3d;

Vector axis_of_level(int level) { return Vector::Unit(level % 3); }

/// A rod from the origin to `end`, of 0.02 m radius.
Inertial rod(double mass, const Vector& end) {
    const Vector along = end.normalized();
    const double length = end.norm(), radius = 0.02;
    const double axial = mass * radius * radius / 2;
    const double across = mass * (length * length + 3 * radius * radius) / 12;
    const Eigen::Matrix3d axis = along * along.transpose();
    return {mass, end / 2, axial * axis + across * (Eigen::Matrix3d::Identity() - axis)};
}

/// A disc about its axis.
Inertial disc(const Vector& axis) {
    constexpr double axial = 1e-4;
    const Eigen::Matrix3d along = axis * axis.transpose();
    return {0.2, Vector::Zero(), axial * along + axial / 2 * (Eigen::Matrix3d::Identity() - along)};
}

/// Gives a link and its joint the same name; the root is "world".
class Builder {
public:
    explicit Builder(const std::string& name) {
        robot_.name = name;
        robot_.links.push_back({"world", std::nullopt, {}});
    }

    void add(const std::string& name, JointType type, const std::string& parent, const Vector& position,
             const Vector& axis, const Inertial& inertial) {
        robot_.links.push_back({name, inertial, {}});
        JointDescription joint;
        joint.name = name + "_joint";
        joint.type = type;
        joint.parent = parent;
        joint.child = name;
        joint.origin.translation = position;
        joint.axis = axis;
        robot_.joints.push_back(joint);
    }

    void add_base() {
        const Inertial box{8, Vector::Zero(), Vector(0.06, 0.05, 0.04).asDiagonal()};
        add("base", JointType::floating, "world", Vector::Zero(), Vector::UnitX(), box);
    }

    void add_rotor(const std::string& name, const std::string& parent, const Vector& position,
                   const Vector& axis) {
        add(name, JointType::continuous, parent, position, axis, disc(axis));
    }

    /// Adds the coupling rotor = Σ ratio · joint.
    void drive(const std::string& rotor, std::initializer_list<std::pair<std::string, double>> joints) {
        LinearRelation gear;
        gear.terms.push_back({rotor + "_joint", 1, {}});
        for (const auto& [joint, ratio] : joints) gear.terms.push_back({joint + "_joint", -ratio, {}});
        robot_.couplings.push_back({rotor + "_gear", gear, {}});
    }

    void add_loop(const std::string& predecessor, const Vector& p, const std::string& successor,
                  const Vector& s, const Vector& axis) {
        LoopDescription loop;
        loop.name = successor + "_loop";
        loop.type = LoopType::revolute;
        loop.predecessor = predecessor;
        loop.successor = successor;
        loop.predecessor_origin.translation = p;
        loop.successor_origin.translation = s;
        loop.axis = axis;
        robot_.loops.push_back(loop);
    }

    RobotDescription& robot() { return robot_; }

private:
    RobotDescription robot_;
};

/// Attachment of a level: the link and the point on it.
struct Place {
    std::string link;
    Vector position;
};

/// A revolute joint with a rod from its origin to `end`: no rotor, no loop.
Place add_plain(Builder& builder, const Place& above, const std::string& name, const Vector& axis,
                const Vector& end, double mass) {
    builder.add(name, JointType::continuous, above.link, above.position, axis, rod(mass, end));
    return {name, end};
}

struct PlainJoint {
    Vector axis, end;
    double mass;
};

using AddLevel = Place (*)(Builder&, const Place& above, const std::string& name, int level);

Place add_geared(Builder& builder, const Place& above, const std::string& name, int level) {
    const Vector end(0, 0, -0.2), axis = axis_of_level(level);
    builder.add(name, JointType::continuous, above.link, above.position, axis, rod(0.8, end));
    builder.add_rotor(name + "_rotor", above.link, above.position, axis);
    builder.drive(name + "_rotor", {{name, 6}});
    return {name, end};
}

/// Both rotors sit on the link above and turn by the sum and the difference of the two joints.
Place add_rotor_pair(Builder& builder, const Place& above, const std::string& name, int level) {
    const Vector end(0, 0, -0.2), axis = axis_of_level(level);
    const std::string first = name + "_first", second = name + "_second";
    builder.add(first, JointType::continuous, above.link, above.position, axis, rod(0.8, end));
    builder.add(second, JointType::continuous, first, end, axis, rod(0.8, end));
    for (const std::string side : {"_left", "_right"}) {
        builder.add_rotor(name + side, above.link, above.position, axis);
        builder.drive(name + side, {{first, 6}, {second, side == "_left" ? 6 : -6}});
    }
    return {second, end};
}

/// Crank 0.1, coupler 0.35, follower 0.3 and frame 0.3: the crank makes full turns.
Place add_four_bar(Builder& builder, const Place& above, const std::string& name, int level) {
    const Vector axis = level % 2 == 0 ? Vector::UnitY() : Vector::UnitX();
    const Vector across = level % 2 == 0 ? Vector::UnitX() : Vector::UnitY();
    const std::string crank = name + "_crank", coupler = name + "_coupler", follower = name + "_follower";
    const Vector down(0, 0, -1);
    builder.add(crank, JointType::continuous, above.link, above.position, axis, rod(0.3, 0.1 * down));
    builder.robot().joints.back().independent = true;
    builder.add(coupler, JointType::continuous, crank, 0.1 * down, axis, rod(0.6, 0.35 * across));
    builder.robot().joints.back().independent = false;
    builder.add(follower, JointType::continuous, above.link, above.position + 0.3 * across, axis,
                rod(0.5, 0.3 * down));
    builder.robot().joints.back().independent = false;
    builder.add_loop(coupler, 0.35 * across, follower, 0.3 * down, axis);
    return {coupler, 0.2 * across};
}

RobotDescription branched(const std::string& name, int branches, int depth, AddLevel add) {
    Builder builder(name);
    builder.add_base();
    for (int branch = 0; branch < branches; ++branch) {
        const double angle = 2 * std::numbers::pi * branch / branches;
        Place place{"base", 0.3 * Vector(std::cos(angle), std::sin(angle), 0)};
        for (int level = 0; level < depth; ++level)
            place =
                add(builder, place, "link_" + std::to_string(branch) + "_" + std::to_string(level), level);
    }
    return builder.robot();
}

RobotDescription chain(const std::string& name, int clusters, AddLevel add) {
    Builder builder(name);
    Place place{"world", Vector::Zero()};
    for (int level = 0; level < clusters; ++level)
        place = add(builder, place, "link_" + std::to_string(level), level);
    return builder.robot();
}

std::string link(const char* chain, int level) { return chain + std::to_string(level); }

const Vector link_end(0, 0, -0.3);

/// Links "a1" … and "b1" …, each 0.3 long, all axes parallel.
Builder parallel_chains(const std::string& name, int depth, const Vector& apart) {
    Builder builder(name);
    for (int level = 1; level <= depth; ++level)
        for (const char* side : {"a", "b"}) {
            const Vector start = side[0] == 'a' ? Vector(0, 0, 0) : apart;
            builder.add(link(side, level), JointType::continuous,
                        level == 1 ? "world" : link(side, level - 1), level == 1 ? start : link_end,
                        Vector::UnitY(), rod(0.5, link_end));
        }
    return builder;
}

}  // namespace

RobotDescription explicit_chain(int depth, int loop) {
    Builder builder = parallel_chains("explicit_chain", depth, Vector::Zero());
    RobotDescription& robot = builder.robot();
    robot.couplings.push_back({"gear", GearRelation{link("a", loop / 2), link("b", loop / 2), 1}, {}});
    robot.coupling_ratio = CouplingRatio::predecessor_over_successor;
    return robot;
}

RobotDescription implicit_chain(int depth, int loop) {
    const Vector apart(0.3, 0, 0);
    Builder builder = parallel_chains("implicit_chain", depth, apart);
    const int level = (loop - 1) / 2;
    builder.add("rod", JointType::continuous, link("a", level), link_end, Vector::UnitY(), rod(0.5, apart));
    builder.add_loop("rod", apart, link("b", level), link_end, Vector::UnitY());
    return builder.robot();
}

RobotDescription geared_tree(int branches, int depth) {
    return branched("geared_tree", branches, depth, add_geared);
}
RobotDescription rotor_pair_tree(int branches, int depth) {
    return branched("rotor_pair_tree", branches, depth, add_rotor_pair);
}
RobotDescription four_bar_tree(int branches, int depth) {
    return branched("four_bar_tree", branches, depth, add_four_bar);
}

RobotDescription geared_chain(int clusters) { return chain("geared_chain", clusters, add_geared); }
RobotDescription four_bar_chain(int clusters) { return chain("four_bar_chain", clusters, add_four_bar); }

RobotDescription geared_branches(int branches, int depth) {
    Builder builder("geared_branches");
    for (int branch = 0; branch < branches; ++branch) {
        Place place{"world", Vector(0.3 * branch, 0, 0)};
        for (int level = 0; level < depth; ++level)
            place = add_geared(builder, place,
                               "branch_" + std::to_string(branch) + "_link_" + std::to_string(level), level);
    }
    return builder.robot();
}

RobotDescription mass_ratio_chain(double ratio) {
    constexpr int links = 10;
    Builder builder("mass_ratio_chain");
    const Vector end(0, 0, -0.2);
    for (int level = 0; level < links; ++level)
        builder.add("link_" + std::to_string(level), JointType::continuous,
                    level == 0 ? "world" : "link_" + std::to_string(level - 1),
                    level == 0 ? Vector(0, 0, 0) : end, axis_of_level(level),
                    rod(level == links - 1 ? ratio : 1, end));
    return builder.robot();
}

RobotDescription serial_chain(int joints) {
    Builder builder("serial_chain");
    Place place{"world", Vector::Zero()};
    for (int level = 0; level < joints; ++level)
        place = add_plain(builder, place, "link_" + std::to_string(level), axis_of_level(level),
                          Vector(0, 0, -0.2), 0.8);
    return builder.robot();
}

RobotDescription binary_tree(int levels) {
    Builder builder("binary_tree");
    std::vector<Place> tips{{"world", Vector::Zero()}};
    for (int level = 0; level < levels; ++level) {
        std::vector<Place> next;
        for (const Place& above : tips)
            for (const double side : {-1.0, 1.0}) {
                if (level == 0 && side > 0) continue;  // only one body on the world
                const std::string name = "link_" + std::to_string(builder.robot().joints.size());
                next.push_back(
                    add_plain(builder, above, name, axis_of_level(level), Vector(0.05 * side, 0, -0.2), 0.8));
            }
        tips = next;
    }
    return builder.robot();
}

RobotDescription plain_humanoid() {
    const Vector x = Vector::UnitX(), y = Vector::UnitY(), z = Vector::UnitZ();
    Builder builder("plain_humanoid");
    builder.add_base();
    const auto limb = [&](const std::string& name, Place place, std::initializer_list<PlainJoint> joints) {
        int number = 0;
        for (const PlainJoint& joint : joints)
            place = add_plain(builder, place, name + "_" + std::to_string(number++), joint.axis, joint.end,
                              joint.mass);
        return place;
    };
    const Place chest = limb("waist", {"base", {0, 0, 0.1}}, {{z, {0, 0, 0.35}, 12}});
    limb("neck", chest, {{z, {0, 0, 0.08}, 0.5}, {y, {0, 0, 0.2}, 3}});
    for (const double side : {-1.0, 1.0}) {
        const std::string which = side < 0 ? "right" : "left";
        limb(which + "_arm", {chest.link, chest.position + Vector(0, 0.2 * side, 0)},
             {{y, {0, 0.08 * side, 0}, 0.8},
              {x, {0, 0, -0.05}, 0.6},
              {z, {0, 0, -0.25}, 1.8},
              {y, {0, 0, -0.05}, 0.5},
              {z, {0, 0, -0.2}, 1.2},
              {x, {0, 0, -0.03}, 0.2},
              {y, {0, 0, -0.15}, 0.5}});
        limb(which + "_leg", {"base", {0, 0.1 * side, -0.05}},
             {{z, {0, 0, -0.06}, 1},
              {x, {0.05, 0, -0.03}, 1},
              {y, {0, 0, -0.4}, 5},
              {y, {0, 0, -0.4}, 3},
              {y, {0, 0, -0.04}, 0.4},
              {x, {0.12, 0, -0.06}, 1}});
    }
    return builder.robot();
}

RobotDescription spatial_linkage() {
    struct Link {
        Vector axis, end;
    };
    const Link links[] = {{{0.1, 0.2, 1}, {0.15, 0, 0.05}},  {{1, 0.3, 0.1}, {0.35, 0.1, 0}},
                          {{0.2, 1, -0.3}, {0.1, 0.3, 0.2}}, {{0.8, -0.5, 0.4}, {-0.2, 0.25, -0.1}},
                          {{-0.3, 0.4, 1}, {-0.3, 0, 0.15}}, {{0.5, 1, 0.2}, {-0.1, -0.35, 0.1}}};
    const Vector last_axis = Vector(0.9, 0.1, -0.4).normalized();
    Builder builder("spatial_linkage");
    std::string parent = "world";
    Vector start(0, 0, 0), closed(0, 0, 0);
    for (const auto& [axis, end] : links) {
        const std::string name = "link_" + std::to_string(builder.robot().joints.size());
        builder.add(name, JointType::continuous, parent, start, axis.normalized(), rod(0.5, end));
        closed += end;
        parent = name;
        start = end;
    }
    builder.robot().joints.front().independent = true;
    builder.add_loop("world", closed, parent, start, last_axis);
    return builder.robot();
}

}  // namespace grbda::benchmarks
