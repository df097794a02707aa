#include "simulation/moving_ground_fixture.hpp"

// An observer who moves with the ground sees what happens on ground at rest.

using namespace simulation_test;

namespace {

/// A robot that falls on ground at rest, and the same one on ground that moves with it at V.
struct Pair {
    Pair(const Model& model, const SimulatorOptions& options, const Ground& ground, const VectorXd& q,
         const VectorXd& qd, const Vector3d& common)
        : V(common), still(model, options, ground), carried(model, options, ground) {
        carried.set_ground(ground, moving(V));
        REQUIRE(still.set_state(q, qd).ok());
        REQUIRE(carried.set_state(q, qd + rates(model, q, V)).ok());
    }
    /// Largest difference of the motions after a step, as an observer that moves at V sees them.
    double step() {
        const grbda::StepOutcome outcome = still.step();
        REQUIRE(outcome.result.ok());
        REQUIRE(carried.step().result.ok());
        most_parts = std::max(most_parts, outcome.parts);
        VectorXd q = carried.q(), qd = carried.velocity();
        q.head<3>() -= V * carried.time();
        qd -= rates(carried.model(), carried.q(), V);
        for (const grbda::ContactState& x : still.contacts()) impulse = std::max(impulse, x.impulse[2]);
        return std::max((q - still.q()).cwiseAbs().maxCoeff(), (qd - still.velocity()).cwiseAbs().maxCoeff());
    }

    Vector3d V;
    Simulator still, carried;
    int most_parts = 0;
    double impulse = 0;
};

}  // namespace

TEST_CASE("a body on ground that moves at V moves as on ground at rest, for an observer at V") {
    const Model model = cube(2, 0.2);
    const VectorXd q = pose({0.03, -0.02, 0.3}, Eigen::Vector4d(0.2, -0.3, 0.1, 0.9).normalized());
    const VectorXd qd = rates(model, q, {0.5, 0.2, -6}, {3, -2, 1});
    for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid})
        for (const Ground& ground : {Ground(Plane{}), Ground(hills()), Ground(incline(0.3))})
            for (const Vector3d& V :
                 {Vector3d(0.7, 0, 0), Vector3d(0, 0, 6.3), Vector3d(0, 0, -0.4), Vector3d(0.4, -0.9, 0.3)}) {
                INFO("V " << V.transpose() << ", ground " << ground.index());
                SimulatorOptions options;
                options.contact = contact;
                options.friction = 0.6;
                Pair pair(model, options, ground, q, qd, V);
                double off = 0;
                for (int i = 0; i < 400; ++i) off = std::max(off, pair.step());
                CHECK(off < 1e-5);  // impacts on hills amplify rounding
                CHECK(pair.impulse > 0.5);
            }
}

TEST_CASE("a robot that falls on ground that moves at V moves as on ground at rest, for an observer at V") {
    for (const auto& [name, height] : {std::pair{"mini_cheetah", -0.3}, std::pair{"mit_humanoid", -0.9}})
        for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid}) {
            INFO(name << ", model " << static_cast<int>(contact));
            const Model model = tangible(named(name).model);
            SimulatorOptions options;
            options.contact = contact;
            options.friction = 0.5;
            const VectorXd q = grbda::neutral_configuration(model);
            Pair pair(model, options, Plane{{0, 0, 1}, height}, q, VectorXd::Zero(model.nv_tree),
                      {0.6, -0.3, 0.4});
            double off = 0;
            for (int i = 0; i < 250; ++i) off = std::max(off, pair.step());
            CHECK(off < 1e-8);
            CHECK(pair.impulse > 0);
        }
}

TEST_CASE("parts of a divided step find moving ground where it is") {
    const Model model = cube(2, 0.2);
    VectorXd qd = VectorXd::Zero(6);
    qd << 0, 0, -1, 40, 5, 0;
    SimulatorOptions options;
    options.step = 0.01;
    Pair pair(model, options, Plane{}, pose({0, 0, 0.25}), qd, {0.5, 0, 2});
    double off = 0;
    for (int i = 0; i < 40; ++i) off = std::max(off, pair.step());
    // free motion of fast bodies is by Runge and Kutta's rule in axes that turn; the ground moves 1 cm in
    // half a step
    CHECK(off < 1e-4);
    CHECK(pair.impulse > 0.1);
    CHECK(pair.most_parts > 1);
}
