#include "laws/contact_differences.hpp"

// Impacts stop the contacts and lose the energy that impulses take. Forces in the world's axes, and pyramids
// in place of friction cones.

namespace {

using namespace contact_differences;
using grbda::ContactDynamics;

double kinetic(const MatrixXd& M, const VectorXd& yd) { return yd.dot(M * yd) / 2; }

void check_impact(const Model& model, const std::vector<ContactFrame>& contacts, const ContactPhase& phase,
                  const State& state, Count& count) {
    Workspace<double> data(model);
    ContactDynamics work(model, contacts);
    const int n = model.nv;
    Motion found{VectorXd(n), VectorXd(work.rows)}, again = found;
    MatrixXd motion_by(n, 2 * n), forces_by(work.rows, 2 * n);
    ++count.states;
    must(grbda::contact_impact(model, data, work, phase, state.q, state.yd, found.motion, found.forces));
    const Equations dense = equations(model, contacts, phase, state);
    const VectorXd impulses = dense.active(found.forces);
    const double size = dense.J.norm() * state.yd.norm(), before = kinetic(dense.M, state.yd);
    CHECK((dense.J * found.motion).norm() <= kSame * size + 1e-12);
    const VectorXd change = dense::solve_symmetric(dense.M, dense.J.transpose() * impulses);
    CHECK(kinetic(dense.M, found.motion - state.yd - change) <= kSame * kSame * before);
    const double lost = before - kinetic(dense.M, found.motion);
    CHECK(lost >= -kSame * before);
    CHECK(std::abs(lost - kinetic(dense.M, found.motion - state.yd)) < kSame * before);
    CHECK(std::abs(lost + impulses.dot(dense.J * state.yd) / 2) < kSame * before);
    must(grbda::contact_impact_derivatives(model, data, work, phase, state.q, state.yd, again.motion,
                                           again.forces, motion_by, forces_by));
    CHECK(again.motion == found.motion);
    Derivatives expected;
    const int rank = work.rank;
    const Call call = [&](const State& x, Motion& y) {
        y = {VectorXd(n), VectorXd(work.rows)};
        return grbda::contact_impact(model, data, work, phase, x.q, x.yd, y.motion, y.forces).ok() &&
               work.rank == rank;
    };
    if (!differentiate(model, state, 2, call, expected) || expected.error > kDifferences / 3) return;
    ++count.compared;
    CHECK(relative(motion_by, expected.motion) < kDifferences);
    CHECK(relative(forces_by, expected.forces) < kDifferences);
}

}  // namespace

TEST_CASE(
    "impacts stop contacts and take the energy of their impulses, and their derivatives are differences") {
    Count count;
    at_random_states(
        robots_with_loops(), 1, 805, [&](const Robot& robot, const State& state, Random& random) {
            if (!can_touch(robot.model, random)) return;
            const auto contacts = random_contacts(robot.model, random, kKinds);
            for (const grbda::Table<char>& mask : {kMasks[0], kMasks[3]})
                check_impact(robot.model, contacts, {mask, 0, 0, {}}, state, count);
            check_impact(robot.model,
                         sole(robot.model, random_body(robot.model, random), Vector3d(0.1, 0, 0.1)),
                         {{1, 1, 0, 1}, 0, 0, {}}, state, count);
        });
    INFO(count.compared << " compared of " << count.states);
    CHECK(10 * count.compared > 6 * count.states);
}

TEST_CASE("forces in the world's axes turn with the contacts") {
    int compared = 0;
    for (const char* name : {"tello", "digit_leg"})
        at_random_states({&named(name)}, 2, 806, [&](const Robot& robot, const State& state, Random& random) {
            const Model& model = robot.model;
            Workspace<double> data(model);
            const auto contacts = random_contacts(model, random, kKinds);
            ContactDynamics work(model, contacts);
            const ContactPhase phase{{1, 1, 0}, 0, 0, {}};
            const int n = model.nv;
            VectorXd ydd(n), f(work.rows), world(work.rows), rates(work.rows);
            MatrixXd ydd_by(n, 3 * n), f_by(work.rows, 3 * n), world_by = f_by, none = f_by;
            must(grbda::contact_dynamics_derivatives(model, data, work, phase, state.q, state.yd, state.tau,
                                                     ydd, f, ydd_by, f_by));
            const int rank = work.rank;
            grbda::forces_in_world(work, f, f_by, world, world_by);
            for (int row = 0; row < work.rows; row += 3)
                CHECK(world.segment(row, 3).norm() == Approx(f.segment(row, 3).norm()));
            CHECK((world.tail(3).array() == 0).all());
            const Call call = [&](const State& x, Motion& y) {
                y = {VectorXd(n), VectorXd(work.rows)};
                VectorXd local(work.rows);
                const bool ok =
                    grbda::contact_dynamics(model, data, work, phase, x.q, x.yd, x.tau, y.motion, local).ok();
                grbda::forces_in_world(work, local, f_by, y.forces, none);
                return ok && work.rank == rank;
            };
            Derivatives expected;
            if (!differentiate(model, state, 3, call, expected) || expected.error > kDifferences / 3) return;
            CHECK(relative(world_by, expected.forces) < kDifferences);
            ++compared;
        });
    CHECK(compared > 1);
}

TEST_CASE("a friction pyramid is in the cone or around it") {
    Random random(807);
    for (const int facets : {3, 4, 8})
        for (int i = 0; i < 200; ++i) {
            const double friction = std::uniform_real_distribution<double>(0, 1.5)(random);
            const Vector3d normal = random_vector(random, 3), f = random_vector(random, 3);
            MatrixXd inner(facets, 3), outer(facets, 3);
            grbda::friction_pyramid(friction, plain(normal), true, inner);
            grbda::friction_pyramid(friction, plain(normal), false, outer);
            const double along = f.dot(normal.normalized()),
                         across = (f - along * normal.normalized()).norm();
            const bool in_cone = across <= friction * along, is_inner = (inner * f).minCoeff() >= 0,
                       is_outer = (outer * f).minCoeff() >= 0;
            CHECK((!is_inner || in_cone));
            CHECK((!in_cone || is_outer));
        }
    MatrixXd rows(4, 3);
    grbda::friction_pyramid(0.5, {0, 0, 2}, false, rows);
    MatrixXd expected(4, 3);
    expected << -1, 0, 0.5, 0, -1, 0.5, 1, 0, 0.5, 0, 1, 0.5;
    CHECK((rows - expected).norm() < 1e-15);
    CHECK_THROWS_AS(grbda::friction_pyramid(0.5, {0, 0, 0}, false, rows), std::invalid_argument);
    CHECK_THROWS_AS(grbda::friction_pyramid(-1, {0, 0, 1}, false, rows), std::invalid_argument);
    MatrixXd few(2, 3);
    CHECK_THROWS_AS(grbda::friction_pyramid(1, {0, 0, 1}, false, few), std::invalid_argument);
}
