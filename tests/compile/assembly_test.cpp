#include <catch2/catch.hpp>

#include "constraints/closure.hpp"
#include "dynamics/aba.hpp"
#include "kinematics/configuration.hpp"
#include "simulation/hard_leg.hpp"

// Legs of 11 to 24 loops on ball and universal joints, wide open at q = 0: they assemble, rank and mobility
// are those that counting gives, and the dynamics there are those of the baselines.

namespace {

using namespace hard_leg;
using grbda::baselines::Method;

constexpr unsigned kSeeds = 4;
constexpr double kOpen = 0.1;        // at q = 0, relative to the cluster's size
constexpr double kClosed = 1e-10;    // what counts as closed
constexpr double kAgreement = 1e-8;  // of ÿ, at poses of no particular condition
constexpr double kBuilt = 1e-11;     // the known configuration, by products of a dozen rotations

struct Kind {
    const char* name;
    Rig (*make)(unsigned, double);
    int loops;
    int largest;  ///< joint coordinates of the largest cluster
};
const Kind kinds[] = {{"leg", leg, 11, 32},
                      {"leg tied to the torso", tied_leg, 11, 44},
                      {"two legs on a floating torso", two_legs, 22, 32},
                      {"two legs tied into one cluster", tied_legs, 24, 95}};

/// With coordinates of all rods, of which the legs have many.
grbda::Model built(const grbda::RobotDescription& robot) {
    grbda::LoadOptions options;
    options.rod_reduction = false;
    return grbda::build_model(robot, options);
}

template <class Law>
void on_every_leg(double away, const Law& law) {
    for (const Kind& kind : kinds)
        for (unsigned seed = 1; seed <= kSeeds; ++seed) {
            INFO(kind.name << ", seed " << seed << ", joints within ±" << away);
            const Rig rig = kind.make(seed, away);
            law(kind, rig, built(rig.robot));
        }
}

/// ÿ of the engine is that of the baselines.
void check_dynamics(const grbda::Model& model, const Eigen::VectorXd& q, baselines_fixture::Random& random) {
    grbda::Workspace<double> data(model);
    grbda::baselines::Workspace work(model);
    const Eigen::VectorXd yd = baselines_fixture::random_vector(random, model.nv);
    const Eigen::VectorXd tau = baselines_fixture::random_vector(random, model.nv);
    REQUIRE(grbda::aba<double>(model, data, q, yd, tau).ok());
    for (const Method method :
         {Method::dense_kkt, Method::range_space, Method::constrained_aba, Method::projection}) {
        INFO(to_string(method));
        REQUIRE(forward_dynamics(method, model, work, q, yd, tau, Eigen::MatrixXd(6, 0)).ok());
        CHECK((work.ydd - data.ydd).norm() < kAgreement * (1 + data.ydd.norm()));
    }
}

}  // namespace

TEST_CASE("legs that are wide open at zero assemble with the mobility that counting gives") {
    for (const double away : {0.6, 1.5})
        on_every_leg(away, [](const Kind& kind, const Rig& rig, const grbda::Model& model) {
            REQUIRE(rig.loops() == kind.loops);
            grbda::Workspace<double> data(model);
            CHECK(closure_residual<double>(model, data, rig.closed_configuration(model)).residual < kBuilt);
            CHECK(closure_residual<double>(model, data, grbda::neutral_configuration(model)).residual <=
                  kClosed);
            int rank = 0, rows = 0, largest = 0;
            double open = 0;
            for (std::size_t i = 0; i < model.clusters.size(); ++i) {
                rank += model.reports[i].rank;
                rows += model.clusters[i].rows;
                open = std::max(open, model.reports[i].open_at_zero);
                largest = std::max(largest, model.clusters[i].dofs);
            }
            CHECK(open > kOpen);
            CHECK(largest == kind.largest);
            CHECK(rank == rows);
            // a ball joint takes three freedoms; an actuator's own three make up for that, so a loop of a rod
            // takes the one that is left when the rod turns about itself
            CHECK(model.nv_tree == rig.dofs);
            CHECK(model.nv == rig.dofs - 3 * rig.loops());
        });
}

TEST_CASE("of a leg's mobility, one degree of freedom for each rod is idle") {
    on_every_leg(0.6, [](const Kind&, const Rig& rig, const grbda::Model& model) {
        int idle = 0;
        for (const grbda::ClusterReport& report : model.reports)
            for (const std::vector<int>& group : report.idle) {
                ++idle;
                REQUIRE(group.size() == 1);
                const std::string& joint = model.names.joints[group.front()];
                INFO(joint);
                CHECK((joint.find("rod") != std::string::npos || joint.find("link") != std::string::npos));
            }
        CHECK(idle == rig.rods);
    });
}

TEST_CASE("assembled legs move as the baselines say") {
    on_every_leg(0.6, [](const Kind&, const Rig&, const grbda::Model& model) {
        baselines_fixture::Random random(3);
        check_dynamics(model, grbda::neutral_configuration(model), random);
        check_dynamics(model, grbda::random_configuration(model, random), random);
    });
}

TEST_CASE("a configuration given as the start or as a saved state is where a leg is assembled") {
    on_every_leg(1.5, [](const Kind&, const Rig& rig, const grbda::Model&) {
        grbda::RobotDescription robot = rig.robot;
        robot.start = rig.closed;
        const grbda::Model started = built(robot);
        const Eigen::VectorXd q = rig.closed_configuration(started);
        CHECK((grbda::neutral_configuration(started) - q).norm() < 1e-9 * (1 + q.norm()));

        grbda::StateDescription state;
        state.name = "built";
        state.positions = rig.closed;
        robot.start.clear();
        robot.states.push_back(state);
        const grbda::Model saved = built(robot);
        REQUIRE(saved.states.size() == 1);
        CHECK(saved.states[0].moved < 1e-9);
        CHECK((Eigen::Map<const Eigen::VectorXd>(saved.states[0].q.data(), saved.nq) - q).norm() <
              1e-9 * (1 + q.norm()));
    });
}
