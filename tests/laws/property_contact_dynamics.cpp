#include <atomic>
#include <limits>
#include <thread>

#include "constraints/coordinates.hpp"
#include "laws/contact_differences.hpp"
#include "support/charts.hpp"

// Dynamics with contacts solve the dense equations of the mass matrix and the bodies' frames; their
// derivatives are differences; redundant contacts move as fewer do.

namespace {

using namespace contact_differences;
using grbda::ContactDynamics;
using grbda::Status;

Call dynamics_of(const Model& model, Workspace<double>& data, ContactDynamics& work,
                 const ContactPhase& phase, int rank) {
    return [&, rank](const State& state, Motion& x) {
        x = {VectorXd(model.nv), VectorXd(work.rows)};
        return grbda::contact_dynamics(model, data, work, phase, state.q, state.yd, state.tau, x.motion,
                                       x.forces)
                   .ok() &&
               work.rank == rank;
    };
}

/// The equations, and that forces and what remains of accelerations are the shortest.
void check_dynamics(const Equations& dense, const State& state, const Motion& found, int rank,
                    double residual) {
    const VectorXd f = dense.active(found.forces);
    CHECK(f.norm() == Approx(found.forces.norm()).margin(0));  // zero for open contacts
    const VectorXd free = dense::solve_symmetric(dense.M, state.tau - dense.bias),
                   pushed = dense::solve_symmetric(dense.M, dense.J.transpose() * f),
                   weights = dense.M.diagonal().cwiseSqrt();
    const auto weighted = [&](const VectorXd& x) { return weights.cwiseProduct(x).norm(); };
    CHECK(weighted(found.motion - free - pushed) <= kSame * (weighted(free) + weighted(pushed)));
    const VectorXd rest = dense.J * found.motion + dense.drift;
    const double size = dense.drift.norm() + dense.J.norm() * (found.motion.norm() + free.norm()),
                 rounding = kSame * size + 1e-12;  // also of rows that nothing moves
    if (rest.size() > 0) CHECK(std::abs(rest.cwiseAbs().maxCoeff() - residual) <= rounding);
    if (rank == f.size()) CHECK(residual <= rounding);
    CHECK((dense.J.transpose() * rest).norm() <= (1 + dense.J.norm()) * rounding);
    if (f.size() == 0) return;
    const MatrixXd nothing = dense::null_space(dense.J.transpose(), 1e-7);
    if (nothing.cols() == f.size() - rank) CHECK((nothing.transpose() * f).norm() < 1e-6 * f.norm() + 1e-12);
}

void check_contacts(const Model& model, const std::vector<ContactFrame>& contacts, const ContactPhase& phase,
                    const State& state, Count& count) {
    Workspace<double> data(model);
    ContactDynamics work(model, contacts);
    const int n = model.nv;
    Motion found{VectorXd(n), VectorXd(work.rows)}, again = found;
    MatrixXd motion_by(n, 3 * n), forces_by(work.rows, 3 * n);
    ++count.states;
    must(grbda::contact_dynamics(model, data, work, phase, state.q, state.yd, state.tau, found.motion,
                                 found.forces));
    const int rank = work.rank;
    if (rank < work.active_rows) ++count.redundant;
    check_dynamics(equations(model, contacts, phase, state), state, found, rank, work.residual);
    must(grbda::contact_dynamics_derivatives(model, data, work, phase, state.q, state.yd, state.tau,
                                             again.motion, again.forces, motion_by, forces_by));
    CHECK(again.motion == found.motion);
    CHECK(again.forces == found.forces);
    Derivatives expected;
    if (!differentiate(model, state, 3, dynamics_of(model, data, work, phase, rank), expected) ||
        expected.error > kDifferences / 3)
        return;
    ++count.compared;
    CHECK(relative(motion_by, expected.motion) < kDifferences);
    CHECK(relative(forces_by, expected.forces) < kDifferences);
}

}  // namespace

TEST_CASE("contact dynamics solve the dense equations, and their derivatives are differences") {
    Count count;
    at_random_states(robots_with_loops(), 1, 801,
                     [&](const Robot& robot, const State& state, Random& random) {
                         if (!can_touch(robot.model, random)) return;
                         const auto contacts = random_contacts(robot.model, random, kKinds);
                         std::size_t next = 0;
                         for (const grbda::Table<char>& mask : kMasks) {
                             INFO("mask " << next++);
                             ContactPhase phase{mask, 0, 0, {}};
                             if (next % 2 == 0) set_gains(robot.model, state, contacts, random, phase);
                             check_contacts(robot.model, contacts, phase, state, count);
                         }
                     });
    INFO(count.compared << " compared, " << count.redundant << " redundant, of " << count.states);
    CHECK(10 * count.compared > 6 * count.states);
    CHECK(count.redundant > 20);
}

TEST_CASE("four points of a sole move it as its frame does, with the shortest forces") {
    Count count;
    for (const char* name : {"tello", "mini_cheetah", "digit_leg", "six_bar", "ur10e"})
        at_random_states({&named(name)}, 3, 802, [&](const Robot& robot, const State& state, Random& random) {
            const Model& model = robot.model;
            const int body = random_body(model, random);
            const Vector3d centre = random_vector(random, 3, 0.2);
            const auto corners = sole(model, body, centre);
            ContactPhase four{{1, 1, 1, 1}, 5, 0, {}};
            check_contacts(model, corners, four, state, count);
            const std::vector<ContactFrame> whole{
                grbda::contact_on_body(model, body, plain(centre), ContactKind::frame)};
            Workspace<double> data(model);
            ContactDynamics points(model, corners), frame(model, whole);
            Motion of_points{VectorXd(model.nv), VectorXd(12)}, of_frame{VectorXd(model.nv), VectorXd(6)};
            must(grbda::contact_dynamics(model, data, points, four, state.q, state.yd, state.tau,
                                         of_points.motion, of_points.forces));
            must(grbda::contact_dynamics(model, data, frame, {{1}, 5, 0, {}}, state.q, state.yd, state.tau,
                                         of_frame.motion, of_frame.forces));
            if (frame.rank < 6) return;  // the arm holds the sole in fewer directions
            CHECK(points.rank == 6);
            CHECK(points.residual < kSame * (1 + of_points.motion.norm()));
            CHECK(relative(of_points.motion, of_frame.motion) < 1e-8);
            MatrixXd sum(6, 12);  // of forces to the wrench about the centre
            for (int i = 0; i < 4; ++i) {
                const Vector3d arm = eigen(corners[static_cast<std::size_t>(i)].frame.position) - centre;
                for (int k = 0; k < 3; ++k)
                    sum.col(3 * i + k) << Vector3d::Unit(k), arm.cross(Vector3d::Unit(k));
            }
            const VectorXd shortest = dense::least_norm(sum, of_frame.forces, 1e-10);
            CHECK(relative(of_points.forces, shortest) < 1e-7);
        });
    CHECK(count.compared > 8);
}

TEST_CASE("references that contradict one another leave the least, and its derivatives are differences") {
    Count count;
    for (const char* name : {"tello", "digit_leg", "ur10e"})
        at_random_states({&named(name)}, 2, 803, [&](const Robot& robot, const State& state, Random& random) {
            const Model& model = robot.model;
            const auto corners = sole(model, random_body(model, random), random_vector(random, 3, 0.2));
            ContactPhase phase{{1, 1, 1, 1}, 0, 0, {}};
            set_gains(model, state, corners, random, phase);
            check_contacts(model, corners, phase, state, count);
        });
    CHECK(count.compared > 3);
}

TEST_CASE("contact dynamics are the same in any coordinates") {
    int compared = 0;
    for (const char* name : {"tello", "six_bar", "digit_leg"})
        at_random_states({&named(name)}, 2, 804, [&](const Robot& robot, const State& state, Random& random) {
            const Model& model = robot.model;
            const auto contacts = random_contacts(model, random, kKinds);
            for (const charts::Kind kind : {charts::Kind::chosen, charts::Kind::tangent}) {
                Workspace<double> data(model), own(model);
                if (!charts::take(kind, model, data, state.q, random)) continue;
                MatrixXd T(model.nv, model.nv);
                must(grbda::coordinate_change<double>(model, own, data, state.q, T));
                ContactDynamics work(model, contacts);
                Motion here{VectorXd(model.nv), VectorXd(work.rows)}, there = here;
                const ContactPhase phase{{1, 1, 0}, 0, 0, {}};
                const VectorXd rest = VectorXd::Zero(model.nv);
                must(grbda::contact_dynamics(model, own, work, phase, state.q, rest, state.tau, here.motion,
                                             here.forces));
                must(grbda::contact_dynamics(model, data, work, phase, state.q, rest,
                                             T.transpose() * state.tau, there.motion, there.forces));
                CHECK(relative(here.forces, there.forces) < 1e-7);
                CHECK(relative(T * there.motion, here.motion) < 1e-7);
                ++compared;
            }
        });
    CHECK(compared > 4);
}

TEST_CASE("two threads compute the same contact dynamics to the last bit") {
    const Model& model = named("tello").model;
    Random random(808);
    State state;
    REQUIRE(random_state(model, random, state));
    const auto contacts = random_contacts(model, random, kKinds);
    const int n = model.nv;
    const ContactPhase phase{{1, 1, 1}, 1, 0, {}};
    std::atomic<int> failures = 0;
    const auto results = [&] {
        Workspace<double> data(model);
        ContactDynamics work(model, contacts);
        VectorXd ydd(n), f(work.rows);
        MatrixXd by(n, 3 * n), f_by(work.rows, 3 * n);
        MatrixXd all(n + work.rows, 3 * n + 1);
        for (int i = 0; i < 20; ++i) {
            failures += grbda::contact_dynamics_derivatives(model, data, work, phase, state.q, state.yd,
                                                            state.tau, ydd, f, by, f_by)
                                .ok()
                            ? 0
                            : 1;
            all << ydd, by, f, f_by;
        }
        return all;
    };
    MatrixXd first, second;
    std::thread other([&] { first = results(); });
    second = results();
    other.join();
    CHECK(failures == 0);
    CHECK(first == second);
    CHECK(first == results());
}

TEST_CASE("contact dynamics that fail give NaN and their reason") {
    const Model& model = named("four_bar").model;
    Workspace<double> data(model);
    ContactDynamics work(model, {grbda::contact_on_body(model, 0, {0.1, 0, 0})});
    const ContactPhase phase{{1}, 0, 0, {}};
    const int n = model.nv;
    VectorXd q = grbda::neutral_configuration(model), rest = VectorXd::Zero(n), ydd(n), f(3);
    MatrixXd by(n, 3 * n), f_by(3, 3 * n), impact_by(n, 2 * n), impulses_by(3, 2 * n);
    const auto all_nan = [](const auto& x) { return x.array().isNaN().all(); };
    const auto fails = [&](const VectorXd& at, const VectorXd& yd, Status status) {
        CHECK(grbda::contact_dynamics(model, data, work, phase, at, yd, rest, ydd, f).status == status);
        CHECK((all_nan(ydd) && all_nan(f)));
        CHECK(grbda::contact_dynamics_derivatives(model, data, work, phase, at, yd, rest, ydd, f, by, f_by)
                  .status == status);
        CHECK((all_nan(by) && all_nan(f_by)));
        CHECK(grbda::contact_impact(model, data, work, phase, at, yd, ydd, f).status == status);
        CHECK(grbda::contact_impact_derivatives(model, data, work, phase, at, yd, ydd, f, impact_by,
                                                impulses_by)
                  .status == status);
        CHECK((all_nan(ydd) && all_nan(f) && all_nan(impact_by) && all_nan(impulses_by)));
    };
    fails(VectorXd::Zero(model.nq), rest, Status::singular_constraint);
    fails(q, VectorXd::Constant(n, std::numeric_limits<double>::infinity()), Status::not_finite);
    ContactPhase unknown{{1}, 0, 1, {{{std::nan(""), 0, 0}, grbda::Matrix3<double>::identity()}}};
    CHECK(grbda::contact_dynamics(model, data, work, unknown, q, rest, rest, ydd, f).status ==
          Status::not_finite);
    CHECK(all_nan(f));
}

TEST_CASE("contacts that do not fit are refused with the reason") {
    const Model& model = named("four_bar").model;
    Workspace<double> data(model);
    ContactDynamics work(model, {grbda::contact_at(model, "link3")});
    const VectorXd q = grbda::neutral_configuration(model), rest = VectorXd::Zero(model.nv);
    VectorXd ydd(model.nv), f(3);
    const auto call = [&](const ContactPhase& phase, VectorXd& forces) {
        return grbda::contact_dynamics(model, data, work, phase, q, rest, rest, ydd, forces);
    };
    must(call({{1}, 0, 0, {}}, f));
    CHECK_THROWS_WITH(call({{1, 1}, 0, 0, {}}, f), Catch::Contains("active has size 2, expected 1"));
    CHECK_THROWS_WITH(call({{1}, 0, 1, {}}, f), Catch::Contains("references has size 0, expected 1"));
    VectorXd more(4);
    CHECK_THROWS_WITH(call({{1}, 0, 0, {}}, more), Catch::Contains("f or impulses has size 4, expected 3"));
    CHECK_THROWS_WITH(grbda::contact_at(model, "hand"), Catch::Contains("hand"));
    CHECK_THROWS_WITH(grbda::contact_on_body(model, 99, {}), Catch::Contains("body 99"));
    ContactFrame fixed = grbda::contact_on_body(model, 0, {});
    fixed.frame.body = grbda::world;
    CHECK_THROWS_WITH(ContactDynamics(model, {fixed}), Catch::Contains("fixed to the world"));
    const Model& geared = named("tello").model;
    for (int i = 0; i < geared.body_count(); ++i)
        if (geared.bodies[i].rotor)
            CHECK_THROWS_WITH(ContactDynamics(geared, {grbda::contact_on_body(geared, i, {})}),
                              Catch::Contains("keep rotors as bodies"));
    const Model& rods = named("delta").model;
    REQUIRE(!rods.rods.empty());
    fixed.frame.body = rods.body_count();
    CHECK_THROWS_WITH(ContactDynamics(rods, {fixed}), Catch::Contains("rod_reduction"));
    CHECK_THROWS_AS(grbda::contact_dynamics(geared, data, work, {{1}, 0, 0, {}}, q, rest, rest, ydd, f),
                    std::invalid_argument);
}
