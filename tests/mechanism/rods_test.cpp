#include <algorithm>
#include <functional>

#include "grbda/io/urdf.hpp"
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
JointDescription& joint_of(grbda::RobotDescription& robot) {
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
    grbda::Data<double> data(model);
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

TEST_CASE("a universal joint is end A of a rod", "[rods]") {
    for (const Universal end : {Universal::none, Universal::tree, Universal::loop})
        for (const bool halves : {false, true}) {
            Builder builder(3);
            builder.add_rod(2, 5, halves, end);
            const Model model = built(builder.robot, true);
            REQUIRE(model.rods.size() == 1);
            CHECK(model.rods.front().universal == (end != Universal::none));
            const grbda::Loop& loop = model.loops.at(static_cast<std::size_t>(model.rods.front().loop));
            CHECK(model.names.bodies[at(loop.predecessor.body)] ==
                  (end == Universal::loop ? "right1" : "left1"));
            CHECK(model.names.bodies[at(loop.successor.body)] ==
                  (end == Universal::loop ? "left1" : "right1"));
            CHECK(model.names.rods.front().name == "rod0");
        }
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
    CHECK_THAT(reason(one_rod(), [](auto& r) { joint_of(r).damping = 0.1; }), has("damping"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { joint_of(r).friction = 0.1; }), has("friction"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { joint_of(r).stiffness = 0.1; }), has("spring"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { joint_of(r).armature = 0.1; }), has("armature"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { r.actuated.push_back(joint_of(r).name); }), has("motor"));
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
    CHECK_THAT(reason(one_rod(),
                      [](auto& r) {
                          grbda::ShapeDescription shape;
                          shape.shape.size.x() = 0.01;
                          rod_of(r).shapes.push_back(shape);
                      }),
               has("to be touched"));
}
