#include <cmath>

#include <Eigen/Dense>

#include "constraints/actuation.hpp"
#include "constraints/constraint_forces.hpp"
#include "constraints/coordinates.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/rnea.hpp"
#include "support/baselines_fixture.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Robots whose frames and centres of mass all lie in one point: no length of theirs is one between frames,
// and their joint forces at rest are rounding. Forces of a motion balance there as anywhere, and others do
// not.

namespace {

using namespace test_robots;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Status;

constexpr double kEarth = 9.81;
constexpr double kMissed = 1e-4;  // of the largest force, 100 times the tolerance

/// A tree with every frame in one point, of bodies of 1 g to 100 kg and 1 mm to 1 m.
grbda::RobotDescription tree_in_a_point(Random& random) {
    using grbda::JointType;
    const JointType types[] = {JointType::revolute, JointType::prismatic, JointType::spherical,
                               JointType::floating, JointType::universal, JointType::revolute};
    grbda::RobotDescription robot = baselines_fixture::empty_robot("in a point");
    const int bodies = std::uniform_int_distribution<int>(1, 6)(random);
    for (int i = 0; i < bodies; ++i) {
        const int parent = std::uniform_int_distribution<int>(0, i)(random);
        const auto type = static_cast<std::size_t>(std::uniform_int_distribution<int>(0, 5)(random));
        baselines_fixture::add_body(robot, random, types[type], parent);
        grbda::Inertial& inertial = *robot.links.back().inertial;
        const double mass = std::pow(10, baselines_fixture::uniform(random, -3, 2)),
                     length = std::pow(10, baselines_fixture::uniform(random, -3, 0));
        inertial.inertia *= mass / inertial.mass * length * length;
        inertial.mass = mass;
        inertial.com.setZero();
        robot.joints.back().origin.translation.setZero();
        robot.joints.back().armature = 0;
    }
    return robot;
}

/// Scale of errors of the balance of forces: weight times radius of gyration, or times a metre with slides.
double scale_of(const Model& model) {
    double mass = 0, moments = 0, length = 0;
    for (int i = 0; i < model.body_count(); ++i) {
        mass += model.inertials[i].mass;
        moments += model.inertials[i].inertia.trace() / 2;
        for (int j = 0; j < grbda::velocity_size(model.bodies[i].joint); ++j)
            if (grbda::is_freedom(model.bodies[i].joint, j, grbda::Freedom::slide)) length = 1;
    }
    return kEarth * mass * std::max(length, std::sqrt(moments / mass));
}

struct Tried {
    int balanced = 0, missed = 0;
};

/// The motion that tau brings about, and tau with one entry that is wrong.
void check_balance(const Model& model, const State& state, const VectorXd& tau,
                   const grbda::Matrix6X<double>& wrenches, Random& random, Tried& tried) {
    grbda::Workspace<double> data(model);
    grbda::ConstraintForces forces(model);
    must(grbda::aba<double>(model, data, state.q, state.yd, tau, wrenches));
    const VectorXd ydd = data.ydd;
    VectorXd applied(model.nv_tree);
    grbda::spanning_force<double>(model, data, tau, applied);
    const auto run = [&] {
        return grbda::constraint_forces<double>(model, data, state.q, state.yd, ydd, wrenches, applied,
                                                forces);
    };
    CHECK(run().status == Status::ok);
    ++tried.balanced;
    must(grbda::constraint_forces<double>(model, data, state.q, state.yd, ydd, wrenches, forces));
    const double largest =
        std::max({forces.tree.cwiseAbs().maxCoeff(), applied.cwiseAbs().maxCoeff(), scale_of(model)});
    const int wrong = std::uniform_int_distribution<int>(0, model.nv_tree - 1)(random);
    applied[wrong] += kMissed * largest;
    const grbda::Result result = run();
    CHECK(result.status == Status::unbalanced);
    CHECK(result.cluster >= 0);
    ++tried.missed;
}

void check_motors(const Model& model, const State& state, const VectorXd& ydd) {
    grbda::Workspace<double> data(model);
    grbda::Actuation<double> actuation(model);
    must(grbda::actuation_jacobian<double>(model, data, state.q, actuation));
    must(grbda::rnea<double>(model, data, state.q, state.yd, ydd));
    VectorXd motors(actuation.J.rows());
    CHECK(grbda::motor_forces<double>(model, actuation, data.tau, motors).status == Status::ok);
    if (actuation.undriven == 0) return;
    VectorXd tau = data.tau;
    const VectorXd undriven = VectorXd::Ones(model.nv) - actuation.J.colwise().norm().transpose().cwiseMin(1);
    tau += undriven * kMissed * std::max(scale_of(model), tau.cwiseAbs().maxCoeff());
    CHECK(grbda::motor_forces<double>(model, actuation, tau, motors).status == Status::unbalanced);
}

}  // namespace

TEST_CASE("forces of robots in one point balance at rest, in motion and falling, and no others do") {
    Random random(711);
    Tried tried;
    for (int i = 0; i < 300; ++i) {
        const grbda::RobotDescription description = tree_in_a_point(random);
        const Model model = grbda::build_model(description, grbda::LoadOptions{});
        INFO("tree " << i);
        State state;
        if (!random_state(model, random, state)) continue;
        const VectorXd rest = VectorXd::Zero(model.nv);
        const grbda::Matrix6X<double> no_wrenches(6, 0);
        State still = state;
        still.yd = rest;
        check_balance(model, still, rest, no_wrenches, random, tried);
        check_balance(model, state, rest, no_wrenches, random, tried);
        check_balance(model, state, state.tau, no_wrenches, random, tried);
        check_balance(model, state, state.tau, state.wrenches, random, tried);
    }
    CHECK(tried.balanced > 800);
    CHECK(tried.missed == tried.balanced);
}

TEST_CASE("motors of robots in one point apply the forces of a fall, except those that no motor can") {
    Random random(712);
    int tried = 0;
    for (int i = 0; i < 100; ++i) {
        grbda::RobotDescription description = tree_in_a_point(random);
        for (const grbda::JointDescription& joint : description.joints)
            if (joint.type == grbda::JointType::revolute) description.actuated.push_back(joint.name);
        const Model model = grbda::build_model(description, grbda::LoadOptions{});
        INFO("tree " << i);
        State state;
        if (!random_state(model, random, state)) continue;
        grbda::Workspace<double> data(model);
        const VectorXd rest = VectorXd::Zero(model.nv);
        must(grbda::aba<double>(model, data, state.q, state.yd, rest));
        check_motors(model, state, data.ydd);
        ++tried;
    }
    CHECK(tried > 60);
}
