#include "support/contact_reference.hpp"
#include "support/counted_allocations.hpp"

// Dynamics with contacts allocate nothing once their workspace is there.

using namespace test_robots;
using namespace contact_reference;

TEST_CASE("no contact dynamics allocate on any robot, redundant ones neither") {
    at_random_states(all(), 1, 96, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const int body = random_body(model, random), n = model.nv;
        if (body < 0) return;
        std::vector<ContactFrame> contacts =
            random_contacts(model, random, {ContactKind::frame, ContactKind::point});
        for (const ContactFrame& corner : sole(model, body, Vector3d::Zero())) contacts.push_back(corner);
        grbda::ContactPhase phase{{1, 0, 1, 1, 1, 1}, 0, 0, {}};
        set_gains(model, state, contacts, random, phase);
        Workspace<double> data(model);
        grbda::ContactDynamics work(model, contacts);
        VectorXd ydd(n), f(work.rows), world(work.rows);
        MatrixXd ydd_by(n, 3 * n), f_by(work.rows, 3 * n), yd_by(n, 2 * n), impulses_by(work.rows, 2 * n),
            world_by = f_by, pyramid(8, 3);
        const auto run = [&] {
            must(grbda::contact_dynamics(model, data, work, phase, state.q, state.yd, state.tau, ydd, f));
            must(grbda::contact_dynamics_derivatives(model, data, work, phase, state.q, state.yd, state.tau,
                                                     ydd, f, ydd_by, f_by));
            grbda::forces_in_world(work, f, f_by, world, world_by);
            must(grbda::contact_impact(model, data, work, phase, state.q, state.yd, ydd, f));
            must(grbda::contact_impact_derivatives(model, data, work, phase, state.q, state.yd, ydd, f, yd_by,
                                                   impulses_by));
            grbda::friction_pyramid(0.7, {0, 0, 1}, true, pyramid);
        };
        run();  // derivatives allocate in data once
        const long before = counted_allocations();
        run();
        CHECK(counted_allocations() == before);
    });
}
