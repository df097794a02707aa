#include "support/equivalence.hpp"
#include "support/sample_size.hpp"

// The gyrostat reduction is exact: with and without it, the same robot.

namespace {

using namespace test_robots;

constexpr int kStates = 3;

void check_unreduced(const grbda::RobotDescription& description, const grbda::Model& reduced,
                     const State& state, int& checked) {
    grbda::LoadOptions options;
    options.rotor_reduction = false;
    const grbda::Model other = grbda::build_model(description, options);
    REQUIRE(other.rotors.empty());
    Eigen::VectorXd q(other.nq);
    equivalence::copy_positions(reduced, state.q, other, q);
    checked += equivalence::check(reduced, state, other, q) ? 1 : 0;
}

grbda::LinkDescription link(const std::string& name, double mass, const Eigen::Vector3d& com,
                            const Eigen::Vector3d& moments) {
    grbda::LinkDescription result;
    result.name = name;
    result.inertial = grbda::Inertial{mass, com, moments.asDiagonal()};
    return result;
}

void add_joint(grbda::RobotDescription& robot, const std::string& name, const std::string& parent,
               const std::string& child, const Eigen::Vector3d& position, const Eigen::Vector3d& axis) {
    grbda::JointDescription joint;
    joint.name = name;
    joint.parent = parent;
    joint.child = child;
    joint.origin.translation = position;
    joint.axis = axis;
    robot.joints.push_back(joint);
}

/// A tilted arm that carries a four-bar (crank, coupler, rocker about z) and a rotor on `carrier`, geared to
/// `driven` at a constant ratio or at one that varies with the joint's position.
grbda::RobotDescription geared_four_bar(const std::string& carrier, const std::string& driven, bool varies) {
    const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), z = Eigen::Vector3d::UnitZ();
    grbda::RobotDescription robot;
    robot.name = "rotor on " + carrier + " geared to " + driven;
    robot.links.push_back({"ground", {}, {}});
    robot.links.push_back(link("arm", 2, {0.1, 0.2, -0.1}, {0.03, 0.02, 0.04}));
    robot.links.push_back(link("crank", 1, {0.2, 0.05, 0.02}, {0.01, 0.02, 0.03}));
    robot.links.push_back(link("coupler", 1.5, {0.4, 0.1, 0.05}, {0.02, 0.05, 0.06}));
    robot.links.push_back(link("rocker", 0.7, {0.1, 0.2, -0.03}, {0.02, 0.01, 0.02}));
    robot.links.push_back(link("rotor", 0.3, {0.04, 0, 0}, {2e-3, 3e-3, 3e-3}));
    add_joint(robot, "shoulder", "ground", "arm", {0, 0, 1}, {0.2, 1, 0.3});
    add_joint(robot, "turn", "arm", "crank", {0.1, 0, 0}, z);
    add_joint(robot, "elbow", "crank", "coupler", {0.4, 0, 0}, z);
    add_joint(robot, "swing", "arm", "rocker", {1.1, 0, 0}, z);
    add_joint(robot, "spin", carrier, "rotor", {0.1, 0.2, 0.3}, x);
    robot.joints[1].independent = true;
    grbda::LoopDescription pin;
    pin.name = "pin";
    pin.predecessor = "coupler";
    pin.successor = "rocker";
    pin.predecessor_origin.translation << 0.9, 0, 0;
    pin.successor_origin.translation << 0.5, 0, 0;
    pin.axis = z;
    robot.loops.push_back(pin);
    if (varies)
        robot.couplings.push_back(
            {"gear", grbda::PolynomialRelation{"spin", driven, {0.3, 7, 1.1, -0.6}, 0.2, -0.4}, {}});
    else
        robot.couplings.push_back(
            {"gear", grbda::LinearRelation{{{"spin", 1, {}}, {driven, -7, {}}}, 0.2}, {}});
    return robot;
}

/// Two discs side by side on a turning arm or on the ground, one of which follows the other.
grbda::RobotDescription discs(const std::string& carrier) {
    grbda::RobotDescription robot;
    robot.name = "discs on " + carrier;
    robot.links.push_back({"ground", {}, {}});
    robot.links.push_back(link("arm", 2, {0.1, 0.2, -0.1}, {0.03, 0.02, 0.04}));
    robot.links.push_back(link("first", 0.3, {0.04, 0, 0}, {2e-2, 3e-2, 3e-2}));
    robot.links.push_back(link("second", 0.5, {-0.1, 0, 0}, {5e-2, 4e-2, 4e-2}));
    add_joint(robot, "shoulder", "ground", "arm", {0, 0, 1}, {0.2, 1, 0.3});
    add_joint(robot, "lead", carrier, "first", {0.1, 0, 0}, Eigen::Vector3d::UnitX());
    add_joint(robot, "follow", carrier, "second", {0.1, 0, 0.4}, Eigen::Vector3d::UnitX());
    robot.couplings.push_back(
        {"cam", grbda::PolynomialRelation{"follow", "lead", {0.3, 0.8, -0.4, 0.2}, 0.1, 0.5}, {}});
    return robot;
}

}  // namespace

TEST_CASE("rotors reduced or not give the same robot") {
    int checked = 0;
    std::vector<const Robot*> geared;
    for (const Robot* robot : all())
        if (!robot->model.rotors.empty()) geared.push_back(robot);
    REQUIRE(std::ssize(geared) > sample_size::least(30));
    at_random_states(geared, kStates, 53, [&](const Robot& robot, const State& state, Random&) {
        check_unreduced(robot.description, robot.model, state, checked);
    });
    CHECK(checked > static_cast<int>(geared.size()));
}

TEST_CASE(
    "a rotor on any carrier, geared to any joint of a four-bar, is reduced exactly, wrenches on it "
    "included") {
    const bool varies = GENERATE(false, true);
    for (const char* carrier : {"ground", "arm", "crank", "coupler", "rocker"})
        for (const char* driven : {"turn", "elbow", "swing", "shoulder"}) {
            const grbda::RobotDescription description = geared_four_bar(carrier, driven, varies);
            INFO(description.name);
            const grbda::Model model = grbda::build_model(description);
            REQUIRE(model.rotors.size() == 1);
            const bool on_arm = std::string(carrier) == "arm" && std::string(driven) != "shoulder";
            CHECK((model.rotors[0].carrier == grbda::world) == (std::string(carrier) == "ground"));
            CHECK(model.rotors[0].carrier_in_cluster == (!on_arm && std::string(carrier) != "ground"));
            Random random(54);
            State state;
            int checked = 0;
            for (int i = 0; i < kStates; ++i) {
                REQUIRE(random_state(model, random, state));
                REQUIRE(state.wrenches.col(model.rotors[0].body).norm() > 0);
                check_unreduced(description, model, state, checked);
            }
            CHECK(checked == kStates);
        }
}

TEST_CASE("rotors that follow rotors are reduced exactly, on the ground and on a moving body") {
    for (const char* carrier : {"ground", "arm"}) {
        const grbda::RobotDescription description = discs(carrier);
        INFO(description.name);
        const grbda::Model model = grbda::build_model(description);
        REQUIRE(model.rotors.size() == 2);
        REQUIRE(model.nv == 2);
        Random random(55);
        State state;
        int checked = 0;
        for (int i = 0; i < kStates; ++i) {
            REQUIRE(random_state(model, random, state));
            check_unreduced(description, model, state, checked);
        }
        CHECK(checked == kStates);
    }
}
