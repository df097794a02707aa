#include <ostream>

#include "benchmarks/counting.hpp"
#include "benchmarks/families.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/spatial/spatial.hpp"
#include "support/robots.hpp"

// Operations that the algorithms take, counted by a scalar: what docs/performance.md tells is only worth
// something if the count is of the same calculation, and the same at every state.

namespace grbda::counting {

std::ostream& operator<<(std::ostream& out, const Operations& o) {
    return out << o.additions << " + " << o.multiplications << " * " << o.divisions << " / " << o.roots
               << " roots " << o.sincos << " sincos " << o.others << " others";
}

}  // namespace grbda::counting

namespace {

using namespace test_robots;
using grbda::counting::Count;
using grbda::counting::Counted;
using grbda::counting::Operations;

constexpr int kStates = 3;
constexpr double kSame = 1e-10;  // rounding by other use of fused multiply-adds, times the condition of M

struct Counts {
    Count aba, rnea, crba;
};

Counts count_all(const grbda::Model& model, const State& state) {
    return {grbda::counting::count_aba(model, state.q, state.yd, state.tau),
            grbda::counting::count_rnea(model, state.q, state.yd, state.ydd),
            grbda::counting::count_crba(model, state.q)};
}

/// Counts operations at the first closed state found for a chain.
Counts count_chain(const grbda::RobotDescription& chain) {
    const grbda::Model model = grbda::build_model(chain);
    Random random(98);
    State state;
    REQUIRE(random_state(model, random, state));
    return count_all(model, state);
}

template <class Run>
Operations operations_of(Run&& run) {
    const Operations before = grbda::counting::done;
    run();
    return grbda::counting::done - before;
}

}  // namespace

TEST_CASE("operations of products are those known by hand") {
    const Counted one(1);
    const grbda::Vector3<Counted> v{one, one, one};
    const grbda::Matrix3<Counted> A{v, v, v};
    CHECK(operations_of([&] { (void)dot(v, v); }) == Operations{2, 3, 0, 0, 0, 0});
    CHECK(operations_of([&] { (void)cross(v, -v); }) == Operations{3, 6, 0, 0, 0, 0});
    CHECK(operations_of([&] { (void)(A * A); }) == Operations{18, 27, 0, 0, 0, 0});
    CHECK(operations_of([&] { (void)grbda::scalar::sqrt(one / one); }) == Operations{0, 0, 1, 1, 0, 0});
    Counted s, c;
    const Operations pair = operations_of([&] { grbda::scalar::sincos(one, s, c); });
    CHECK(pair == Operations{0, 0, 0, 0, 1, 0});
    CHECK(pair.flops() == 41);
    CHECK(s.chain == 21);
    CHECK((s + one * one).chain == 22);
    CHECK((Operations{2, 3, 1, 1, 0, 0}).flops() == 7);
    CHECK((Operations{2, 3, 1, 1, 0, 0}).instructions() == 5);
    CHECK(std::abs(s.value * s.value + c.value * c.value - 1) < 1e-15);
}

TEST_CASE("counting operations does not change the results") {
    at_random_states(all(), 1, 98, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::MatrixXd M(model.nv, model.nv);
        REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau).ok());
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd).ok());
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        const Counts counts = count_all(model, state);
        CHECK(relative(counts.aba.values, data.ydd) < kSame);
        CHECK(relative(counts.rnea.values, data.tau) < kSame);
        CHECK(relative(counts.crba.values, M.reshaped()) < kSame);
    });
}

TEST_CASE("every closed state of a robot takes the same operations") {
    for (const Robot* robot : all()) {
        INFO(robot->name);
        Random random(99);
        State state;
        if (!random_state(robot->model, random, state)) continue;
        const Counts first = count_all(robot->model, state);
        CHECK(first.aba.operations.others == 0);
        for (int i = 1; i < kStates && random_state(robot->model, random, state); ++i) {
            const Counts counts = count_all(robot->model, state);
            CHECK(counts.aba.operations == first.aba.operations);
            CHECK(counts.rnea.operations == first.rnea.operations);
            CHECK(counts.crba.operations == first.crba.operations);
            CHECK(counts.aba.chain == first.aba.chain);
        }
    }
}

TEST_CASE("a longer chain takes as many more operations for each cluster") {
    using Family = grbda::RobotDescription (*)(int);
    for (const Family family : {&grbda::benchmarks::geared_chain, &grbda::benchmarks::four_bar_chain}) {
        // three more each time, so that the last joint, which has less to do, has the same direction
        const Counts a = count_chain(family(4)), b = count_chain(family(7)), c = count_chain(family(10)),
                     d = count_chain(family(13));
        CHECK(b.aba.operations - a.aba.operations == c.aba.operations - b.aba.operations);
        CHECK(b.rnea.operations - a.rnea.operations == c.rnea.operations - b.rnea.operations);
        CHECK(a.aba.chain < b.aba.chain);
        CHECK(b.aba.chain < c.aba.chain);
        // each cluster of the mass matrix meets all before it: quadratic
        const Operations first = b.crba.operations - a.crba.operations,
                         second = c.crba.operations - b.crba.operations,
                         third = d.crba.operations - c.crba.operations;
        CHECK(second - first == third - second);
        CHECK(second.flops() > first.flops());
    }
}
