#include <algorithm>
#include <functional>

#include "grbda/io/urdf.hpp"
#include "kinematics/kinematics.hpp"
#include "mechanism/rods_fixture.hpp"

// Which links are rods, and why others stay bodies.

namespace {

using namespace rods_fixture;

/// A robot with one whole rod between its arms, and the names of its parts.
grbda::RobotDescription one_rod() {
    Builder builder(3);
    builder.add_rod(2, 5, false);
    return builder.robot;
}

/// The reason why the link like a rod of a robot stays a body; empty: it is a rod.
std::string reason(grbda::RobotDescription robot,
                   const std::function<void(grbda::RobotDescription&)>& spoil) {
    spoil(robot);
    const Model model = built(robot, true);
    if (!model.rods.empty()) return {};
    REQUIRE(model.near_rods.size() == 1);
    CHECK(model.near_rods.front().name == "rod0");
    return model.near_rods.front().reason;
}

grbda::LinkDescription& rod_of(grbda::RobotDescription& robot) {
    for (grbda::LinkDescription& link : robot.links)
        if (link.name == "rod0") return link;
    throw std::logic_error("no rod");
}
JointDescription& rod_joint_of(grbda::RobotDescription& robot) {
    for (JointDescription& joint : robot.joints)
        if (joint.child == "rod0") return joint;
    throw std::logic_error("no rod");
}

/// The same robot with a distance loop that has the inertial in place of its rod.
grbda::RobotDescription as_loop(grbda::RobotDescription robot) {
    grbda::Diagnostics findings;
    const grbda::Mechanism reduced = grbda::reduce_rods(grbda::make_mechanism(robot, {}, findings));
    const grbda::MechanismRod& rod = reduced.rods.at(0);
    const grbda::MechanismLoop& from = reduced.loops[rod.loop];
    std::erase_if(robot.links, [&](const auto& link) {
        return std::count(rod.links.begin(), rod.links.end(), link.name) > 0;
    });
    std::erase_if(robot.joints, [&](const auto& joint) {
        return std::count(rod.joints.begin(), rod.joints.end(), joint.name) > 0;
    });
    LoopDescription loop;
    loop.name = from.name;
    loop.type = LoopType::distance;
    loop.predecessor = reduced.bodies[from.predecessor].name;
    loop.successor = reduced.bodies[from.successor].name;
    loop.predecessor_origin = from.predecessor_placement;
    loop.successor_origin = from.successor_placement;
    loop.length = from.length;
    loop.inertial = grbda::Inertial{rod.mass,
                                    {0, 0, rod.center * from.length},
                                    Vector3d(rod.transverse, rod.transverse, rod.axial).asDiagonal()};
    robot.loops = {loop};
    return robot;
}

grbda::Mechanism mechanism_of(const grbda::RobotDescription& robot) {
    grbda::Diagnostics findings;
    grbda::Mechanism mechanism = grbda::make_mechanism(robot, {}, findings);
    REQUIRE(!has_errors(findings));
    return mechanism;
}

/// M, and forces at a motion.
std::pair<MatrixXd, VectorXd> dynamics(const Model& model, const State& s) {
    grbda::Workspace<double> data(model);
    MatrixXd M(model.nv, model.nv);
    REQUIRE(grbda::crba<double>(model, data, s.q, M).ok());
    REQUIRE(grbda::rnea<double>(model, data, s.q, s.yd, s.ydd).ok());
    return {M, data.tau};
}

}  // namespace

TEST_CASE("a distance loop with an inertial is the rod that a link would be", "[rods]") {
    for (const std::uint64_t seed : {3u, 4u, 5u, 6u}) {
        Builder builder(seed);
        builder.add_rod(2, 5, seed % 2 == 0);
        const grbda::RobotDescription described = as_loop(builder.robot);
        const std::string text = grbda::write_urdf(mechanism_of(described));
        CHECK_THAT(text, Catch::Contains("<inertial>"));
        grbda::Diagnostics findings;
        const grbda::RobotDescription read = grbda::read_urdf(text, "text", findings);
        REQUIRE(!has_errors(findings));
        CHECK(grbda::write_urdf(mechanism_of(read)) == text);
        const Model link = built(builder.robot, true);
        Random random(seed);
        State s;
        REQUIRE(random_state(link, random, s));
        const auto [M, tau] = dynamics(link, s);
        for (const Model& loop : {built(described, true), built(described, false), built(read, true)}) {
            REQUIRE(loop.rods.size() == 1);
            CHECK(loop.names.joints == link.names.joints);
            CHECK(loop.independent == link.independent);
            const auto [M_loop, tau_loop] = dynamics(loop, s);
            CHECK(relative(M_loop, M) < 1e-12);
            CHECK(relative(tau_loop, tau) < 1e-12);
        }
    }
}

TEST_CASE("a universal or revolute joint is end A of a rod", "[rods]") {
    for (const Guide guide : {Guide::none, Guide::universal_on_tree, Guide::revolute_on_tree,
                              Guide::universal_in_loop, Guide::revolute_in_loop})
        for (const bool halves : {false, true}) {
            Builder builder(3);
            builder.add_rod(2, 5, halves, guide);
            const Model model = built(builder.robot, true);
            REQUIRE(model.rods.size() == 1);
            CHECK(model.rods.front().joint == joint_of(guide));
            const grbda::Loop& loop = model.loops.at(static_cast<std::size_t>(model.rods.front().loop));
            CHECK(loop.rows == (joint_of(guide) == grbda::RodJoint::revolute ? 2 : 1));
            const bool in_loop = guide != Guide::none && !is_on_tree(guide);
            CHECK(model.names.bodies[at(loop.predecessor.body)] == (in_loop ? "right1" : "left1"));
            CHECK(model.names.bodies[at(loop.successor.body)] == (in_loop ? "left1" : "right1"));
            CHECK(model.names.rods.front().name == "rod0");
        }
}

TEST_CASE("end A of a rod is the point of its revolute joint's axis that is nearest to its ball", "[rods]") {
    Builder builder(3);
    builder.add_rod(2, 5, false, Guide::revolute_on_tree);
    const Model model = built(builder.robot, true);
    grbda::RobotDescription moved = builder.robot;  // the same robot, the joint elsewhere on its axis
    JointDescription& joint = rod_joint_of(moved);
    const Vector3d way = 0.3 * joint.axis;
    joint.origin.translation += joint.origin.rotation * way;
    rod_of(moved).inertial->com -= way;
    moved.loops.front().predecessor_origin.translation -= way;
    const Model other = built(moved, true);
    REQUIRE(other.rods.size() == 1);
    CHECK(other.rods.front().length == Approx(model.rods.front().length));
    Random random(3);
    State s;
    REQUIRE(random_state(model, random, s));
    const auto [M, tau] = dynamics(model, s);
    const auto [M_other, tau_other] = dynamics(other, s);
    CHECK(relative(M_other, M) < 1e-12);
    CHECK(relative(tau_other, tau) < 1e-12);
    grbda::Workspace<double> data(model), other_data(other);
    REQUIRE(grbda::forward_kinematics<double>(model, data, s.q).ok());
    REQUIRE(grbda::forward_kinematics<double>(other, other_data, s.q).ok());
    const auto [frame, other_frame] = std::pair(model.frame("rod0").index, other.frame("rod0").index);
    const Eigen::Matrix3d R = grbda::frame_orientation(model, data, frame);
    CHECK((grbda::frame_orientation(other, other_data, other_frame) - R).norm() < 1e-12);
    CHECK((grbda::frame_position(other, other_data, other_frame) - grbda::frame_position(model, data, frame) -
           R * way)
              .norm() < 1e-12);
}

TEST_CASE("a symmetric link between two balls is a rod", "[rods]") {
    CHECK(reason(one_rod(), [](auto&) {}).empty());
    const Model model = built(one_rod(), true);
    CHECK(model.names.rods.front().name == "rod0");
    CHECK(model.loops.at(0).type == LoopType::distance);
    CHECK(built(one_rod(), false).rods.empty());
    CHECK(built(one_rod(), false).near_rods.empty());
}

TEST_CASE("each condition that a rod misses keeps it a body", "[rods]") {
    const auto has = [](const std::string& text) { return Catch::Contains(text); };
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_of(r).inertial->inertia(0, 0) *= 1.001; }),
               has("not symmetric"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_of(r).inertial->com.x() = 1e-4; }), has("off the line"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_of(r).inertial->com.z() = -0.1; }),
               has("beyond its ends"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_joint_of(r).damping = 0.1; }), has("damping"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_joint_of(r).friction = 0.1; }), has("friction"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_joint_of(r).stiffness = 0.1; }), has("spring"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_joint_of(r).armature = 0.1; }), has("armature"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { r.actuated.push_back(rod_joint_of(r).name); }), has("motor"));
    const auto universal = [](const Vector3d& in_rod, const Vector3d& in_carrier) {
        return [=](grbda::RobotDescription& r) {
            r.loops.front().type = LoopType::universal;
            r.loops.front().axis = in_rod.normalized();
            r.loops.front().axis2 = in_carrier.normalized();
        };
    };
    const auto X = Vector3d::UnitX(), Y = Vector3d::UnitY(), Z = Vector3d::UnitZ();
    CHECK(reason(one_rod(), universal(X, Y)).empty());
    CHECK(reason(one_rod(), universal(X, Y + 2 * Z)).empty());
    CHECK_THAT(reason(one_rod(), universal(X, Y + 1e-3 * X)), has("not at right angles"));
    CHECK_THAT(reason(one_rod(), universal(X + 1e-3 * Z, Y)), has("not at right angles"));
    CHECK_THAT(reason(one_rod(), universal(X, Z)), has("along an axis of its universal joint"));
    const auto revolute = [](const Vector3d& axis) {
        return [=](grbda::RobotDescription& r) {
            r.loops.front().type = LoopType::revolute;
            r.loops.front().axis = axis.normalized();
        };
    };
    CHECK(reason(one_rod(), revolute(X + Y)).empty());
    CHECK_THAT(reason(one_rod(), revolute(X + 1e-3 * Z)), has("off the line"));
    CHECK_THAT(reason(one_rod(), revolute(Z)), has("its ends are one point"));
    CHECK_THAT(reason(one_rod(),
                      [](auto& r) {
                          grbda::ShapeDescription shape;
                          shape.shape.size.x() = 0.01;
                          rod_of(r).shapes.push_back(shape);
                      }),
               has("to be touched"));
}

namespace {

/// A robot with one strut between its arms.
grbda::RobotDescription one_strut(Guide guide, bool symmetric) {
    Builder builder(3);
    builder.add_strut(2, 5, guide, symmetric);
    return builder.robot;
}

JointDescription& slide_of(grbda::RobotDescription& robot) {
    for (JointDescription& joint : robot.joints)
        if (joint.child == "rod0_b") return joint;
    throw std::logic_error("no strut");
}

}  // namespace

TEST_CASE("two links on a slide at a universal or revolute joint are a strut", "[rods]") {
    for (const Guide guide : {Guide::universal_on_tree, Guide::revolute_on_tree, Guide::universal_in_loop,
                              Guide::revolute_in_loop}) {
        const bool revolute = joint_of(guide) == grbda::RodJoint::revolute;
        for (const bool symmetric : {true, false}) {
            if (!symmetric && !revolute) continue;
            const Model model = built(one_strut(guide, symmetric), true);
            REQUIRE(model.struts.size() == 1);
            CHECK(model.struts.front().symmetric == symmetric);
            CHECK(model.rods.front().joint == joint_of(guide));
            CHECK(model.names.rods.front().name == (is_on_tree(guide) ? "rod0" : "rod0_b"));
            CHECK(model.names.rods.front().piston == (is_on_tree(guide) ? "rod0_b" : "rod0"));
            CHECK(model.names.rods.front().slide == "rod0_b_joint");
            CHECK(model.loops.at(0).rows == (revolute ? 2 : 1));
            CHECK(model.body_count() == 7);
        }
    }
}

TEST_CASE("the slide of a strut stays a joint, with all that acts on it", "[rods]") {
    grbda::RobotDescription robot = one_strut(Guide::revolute_on_tree, false);
    JointDescription& slide = slide_of(robot);
    slide.damping = 3;
    slide.armature = 0.2;
    slide.limits.lower = -0.01;
    robot.actuated.push_back(slide.name);
    const Model model = built(robot, true);
    REQUIRE(model.struts.size() == 1);
    const int body = model.joint("rod0_b_joint").index;
    CHECK(model.armature[at(model.bodies[at(body)].dof)] == 0.2);
    CHECK(model.passive.damping[at(model.bodies[at(body)].v)] == 3);
    CHECK(model.limits[at(body)].lower == -0.01);
    CHECK(model.actuated[at(body)] != 0);
}

TEST_CASE("each condition that a strut misses keeps its links bodies", "[rods]") {
    const auto has = [](const std::string& text) { return Catch::Contains(text); };
    const auto nothing = [](auto&) {};
    CHECK(reason(one_strut(Guide::universal_on_tree, true), nothing).empty());
    CHECK_THAT(reason(one_strut(Guide::none, true), nothing), has("spin free"));
    CHECK_THAT(reason(one_strut(Guide::universal_on_tree, false), nothing), has("not symmetric"));
    const auto strut = [] { return one_strut(Guide::revolute_on_tree, false); };
    CHECK_THAT(reason(strut(), [](auto& r) { slide_of(r).axis = Vector3d(1e-3, 0, 1).normalized(); }),
               has("slide is not along the line"));
    CHECK_THAT(reason(strut(), [](auto& r) { rod_joint_of(r).damping = 0.1; }), has("damping"));
    CHECK_THAT(reason(strut(),
                      [](auto& r) {
                          slide_of(r).limits.lower = -100;
                          slide_of(r).limits.upper = 100;
                      }),
               has("its ends meet"));
    CHECK_THAT(reason(strut(),
                      [](auto& r) {
                          grbda::ShapeDescription shape;
                          shape.shape.size.x() = 0.01;
                          for (auto& link : r.links)
                              if (link.name == "rod0_b") link.shapes.push_back(shape);
                      }),
               has("to be touched"));
}

TEST_CASE("a file that is written has struts as links again", "[rods]") {
    for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
        const grbda::RobotDescription robot = random_struts(seed);
        grbda::Diagnostics findings;
        const grbda::RobotDescription read =
            grbda::read_urdf(grbda::write_urdf(mechanism_of(robot)), "text", findings);
        REQUIRE(!has_errors(findings));
        const Model model = built(robot, true), again = built(read, true);
        REQUIRE(model.struts.size() == 1);
        REQUIRE(again.struts.size() == 1);
        CHECK(again.names.joints == model.names.joints);
        Random random(seed);
        State s;
        if (!random_state(model, random, s)) continue;
        const auto [M, tau] = dynamics(model, s);
        const auto [M_again, tau_again] = dynamics(again, s);
        CHECK(relative(M_again, M) < 1e-9);
        CHECK(relative(tau_again, tau) < 1e-9);
    }
}
