#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "batch/batch_states.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "support/require_ok.hpp"

// Many states in one call give the results of one call for each state, with every instruction set that runs
// here. A state's result is bitwise independent of the other states and of the number of threads.

namespace {

using batch_states::same_bits;

using namespace batch_states;
using grbda::Status;

constexpr double kForces =
    1e-11;  // rounding by other use of fused multiply-adds; G amplifies it by 1/rcond(K_d)
constexpr double kAccelerations = 1e-9;  // and the condition of M scaled, at most 1e5 at these states

struct Answers {
    MatrixXd ydd, tau, M;
    std::vector<Status> forward, inverse, mass;
    grbda::BatchResult result;  ///< of the forward dynamics

    Answers(const grbda::Model& model, Eigen::Index n) {
        for (MatrixXd* x : {&ydd, &tau}) x->setConstant(model.nv, n, 7);
        M.setConstant(model.nv * model.nv, n, 7);
        for (std::vector<Status>* x : {&forward, &inverse, &mass})
            x->assign(static_cast<std::size_t>(n), Status::undefined);
    }
};

Answers one_by_one(const grbda::Model& model, const Columns& x) {
    Answers answers(model, x.q.cols());
    grbda::Workspace<double> data(model);
    for (Eigen::Index i = 0; i < x.q.cols(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const grbda::Matrix6X<double> wrenches = x.wrenches.col(i).reshaped(6, model.body_count());
        answers.forward[at] =
            grbda::aba<double>(model, data, x.q.col(i), x.yd.col(i), x.tau.col(i), wrenches).status;
        answers.ydd.col(i) = data.ydd;
        answers.inverse[at] =
            grbda::rnea<double>(model, data, x.q.col(i), x.yd.col(i), x.ydd.col(i), wrenches).status;
        answers.tau.col(i) = data.tau;
        MatrixXd M(model.nv, model.nv);
        answers.mass[at] = grbda::crba<double>(model, data, x.q.col(i), M).status;
        answers.M.col(i) = M.reshaped();
    }
    return answers;
}

Answers together(const grbda::Model& model, const Columns& x, Simd simd, int threads) {
    Answers answers(model, x.q.cols());
    grbda::BatchData batch(model, threads, simd);
    answers.result = grbda::aba(model, batch, x.q, x.yd, x.tau, x.wrenches, answers.ydd, answers.forward);
    static_cast<void>(grbda::rnea(model, batch, x.q, x.yd, x.ydd, x.wrenches, answers.tau, answers.inverse));
    static_cast<void>(grbda::crba(model, batch, x.q, answers.M, answers.mass));
    return answers;
}

bool same_bits(const Answers& a, const Answers& b) {
    return same_bits(a.ydd, b.ydd) && same_bits(a.tau, b.tau) && same_bits(a.M, b.M);
}

/// Compares statuses, and numbers to rounding; NaN where single calls give NaN.
void check_same(const grbda::Model& model, const Answers& found, const Answers& expected) {
    CHECK(found.forward == expected.forward);
    CHECK(found.inverse == expected.inverse);
    CHECK(found.mass == expected.mass);
    for (Eigen::Index i = 0; i < expected.ydd.cols(); ++i) {
        INFO("state " << i);
        const auto check = [](const auto& a, const auto& b, double difference, double bound) {
            CHECK((a.array().isNaN() == b.array().isNaN()).all());
            CHECK((b.hasNaN() || difference < bound));
        };
        const MatrixXd M = expected.M.col(i).reshaped(model.nv, model.nv);
        check(found.ydd.col(i), expected.ydd.col(i),
              relative_by_inertia(M, found.ydd.col(i), expected.ydd.col(i)), kAccelerations);
        check(found.tau.col(i), expected.tau.col(i), relative(found.tau.col(i), expected.tau.col(i)),
              kForces);
        check(found.M.col(i), expected.M.col(i), relative(found.M.col(i), expected.M.col(i)), kForces);
    }
}

}  // namespace

TEST_CASE("a batch agrees with one call for each state on every robot") {
    on_every_robot(91, [](const grbda::Model& model, const Columns& columns, Random&) {
        const Answers expected = one_by_one(model, columns);
        for (const Simd simd : instruction_sets()) {
            INFO(grbda::to_string(simd));
            const Answers whole = together(model, columns, simd, 1);
            CHECK(whole.result.ok());
            check_same(model, whole, expected);
            CHECK(same_bits(whole, together(model, columns, simd, 2)));
            for (const Eigen::Index n : {0, 1, 3, 8}) {
                const Answers part = together(model, columns.first(n), simd, 1);
                CHECK(same_bits(part.ydd, whole.ydd.leftCols(n)));
                CHECK(same_bits(part.tau, whole.tau.leftCols(n)));
                CHECK(same_bits(part.M, whole.M.leftCols(n)));
            }
        }
    });
}

TEST_CASE("results of many states are bitwise independent of the number of threads") {
    constexpr int copies = 50, calls = 5;
    for (const Robot& robot : published()) {
        Random random(96);
        Columns columns;
        INFO(robot.name);
        if (!draw(robot.model, random, columns)) continue;
        columns.replicate(copies, random);
        const Answers alone = together(robot.model, columns, grbda::widest_simd(), 1);
        for (int call = 0; call < calls; ++call)
            CHECK(same_bits(together(robot.model, columns, grbda::widest_simd(), 2 + call % 3), alone));
    }
}

TEST_CASE("a state that is not ok is reported and does not change its neighbours") {
    std::map<Status, int> seen;
    on_every_robot(92, [&](const grbda::Model& model, const Columns& columns, Random&) {
        const Columns bad = spoilt(model, columns);
        const Answers expected = one_by_one(model, bad);
        for (const Status status : expected.forward) ++seen[status];
        for (const Simd simd : instruction_sets()) {
            INFO(grbda::to_string(simd));
            const Answers found = together(model, bad, simd, 1), healthy = together(model, columns, simd, 1);
            CHECK(found.forward == expected.forward);
            CHECK(found.inverse == expected.inverse);
            CHECK(found.mass == expected.mass);
            const auto failed = [](Status status) { return status != Status::ok; };
            const auto first = std::find_if(found.forward.begin(), found.forward.end(), failed);
            CHECK(found.result.failures == std::count_if(found.forward.begin(), found.forward.end(), failed));
            CHECK(found.result.state == (found.result.ok() ? -1 : first - found.forward.begin()));
            CHECK(found.result.status == (found.result.ok() ? Status::ok : *first));
            for (const Eigen::Index i : {0, 2, 3, 5, 9, 11, 16, 18})
                CHECK((same_bits(found.ydd.col(i), healthy.ydd.col(i)) &&
                       same_bits(found.tau.col(i), healthy.tau.col(i)) &&
                       same_bits(found.M.col(i), healthy.M.col(i))));
            for (Eigen::Index i = 0; i < kStates && model.nv > 0; ++i)
                if (failed(found.forward[static_cast<std::size_t>(i)]))
                    CHECK(found.ydd.col(i).array().isNaN().all());
            const Answers threaded = together(model, bad, simd, 2);
            CHECK(threaded.forward == found.forward);
            CHECK(threaded.result.failures == found.result.failures);
            CHECK(threaded.result.state == found.result.state);
            CHECK(threaded.result.cluster == found.result.cluster);
        }
    });
    CHECK(seen[Status::ok] > 0);
    CHECK(seen[Status::singular_constraint] > 0);
}

TEST_CASE("a singular inertia of some states is reported for these states") {
    std::size_t mixed = 0;
    on_every_robot(93, [&](const grbda::Model& model, const Columns& columns, Random&) {
        grbda::Workspace<double> data(model);
        MatrixXd margins(model.cluster_count(), kStates);
        for (Eigen::Index i = 0; i < kStates; ++i) {
            must(grbda::aba<double>(model, data, columns.q.col(i), columns.yd.col(i), columns.tau.col(i)));
            for (int c = 0; c < model.cluster_count(); ++c) margins(c, i) = data.margin[c];
        }
        // a floor half-way between the smallest and the largest margin of a cluster with one of them
        for (int c = 0; c < model.cluster_count(); ++c) {
            const grbda::Cluster& cluster = model.clusters[c];
            const double low = margins.row(c).minCoeff(), high = margins.row(c).maxCoeff();
            if (cluster.m != 1 || !(high > 1.1 * low)) continue;
            grbda::Model raised = model;
            raised.inertia_floor[static_cast<std::size_t>(cluster.y_begin)] += (low + high) / 2;
            const Answers expected = one_by_one(raised, columns);
            for (const Simd simd : instruction_sets()) {
                INFO(grbda::to_string(simd));
                const Answers found = together(raised, columns, simd, 1);
                check_same(raised, found, expected);
                CHECK(found.result.status == Status::singular_inertia);
                CHECK(found.result.cluster == c);
            }
            ++mixed;
            return;
        }
    });
    CHECK(mixed > all().size() / 4);
}

TEST_CASE("blocks of larger matrices are accepted, and wrenches are optional") {
    on_every_robot(94, [](const grbda::Model& model, const Columns& columns, Random&) {
        constexpr Eigen::Index n = 5, before = 2;
        MatrixXd ydd = MatrixXd::Constant(model.nv + 3, kStates, 7), plain(model.nv, n);
        MatrixXd without(model.nv, n), zero = MatrixXd::Zero(6 * model.body_count(), n);
        for (const Simd simd : instruction_sets()) {
            grbda::BatchData batch(model, 1, simd);
            const auto part = [&](const MatrixXd& x) { return x.middleCols(before, n); };
            const MatrixXd q = part(columns.q), yd = part(columns.yd), tau = part(columns.tau);
            must(grbda::aba(model, batch, part(columns.q), part(columns.yd), part(columns.tau),
                            ydd.block(1, before, model.nv, n)));
            must(grbda::aba(model, batch, q, yd, tau, plain));
            CHECK(same_bits(ydd.block(1, before, model.nv, n), plain));
            CHECK((ydd.topRows(1).array() == 7).all());
            CHECK((ydd.bottomRows(2).array() == 7).all());
            CHECK((ydd.leftCols(before).array() == 7).all());
            CHECK((ydd.rightCols(kStates - before - n).array() == 7).all());
            must(grbda::rnea(model, batch, q, yd, plain, without));
            must(grbda::rnea(model, batch, q, yd, plain, zero, plain));
            // with wrenches a linkage is no longer moved in its plane
            CHECK((model.linkages.empty() ? without == plain
                                          : (without - plain).norm() <= 1e-12 * plain.norm()));
        }
    });
}

TEST_CASE("a batch of another size or model, or for a machine that is not here, is refused") {
    const grbda::Model& model = published().front().model;
    const grbda::Model& other = published().back().model;
    Random random(95);
    Columns columns;
    REQUIRE(draw(model, random, columns));
    grbda::BatchData batch(model);
    CHECK(batch.simd() == grbda::widest_simd());
    CHECK(batch.threads() == 1);
    MatrixXd output(model.nv, kStates), narrow(model.nv, kStates - 1), M(model.nv * model.nv, kStates);
    std::vector<Status> statuses(kStates - 1);
    const auto refuses = [](auto&& call) { CHECK_THROWS_AS(call(), std::invalid_argument); };
    refuses([&] { must(grbda::aba(model, batch, columns.q.topRows(0), columns.yd, columns.tau, output)); });
    refuses([&] { must(grbda::aba(model, batch, columns.q, columns.yd.leftCols(1), columns.tau, output)); });
    refuses([&] { must(grbda::aba(model, batch, columns.q, columns.yd, columns.tau, narrow)); });
    refuses([&] { must(grbda::aba(model, batch, columns.q, columns.yd, columns.tau, narrow, output)); });
    refuses([&] { must(grbda::aba(model, batch, columns.q, columns.yd, columns.tau, output, statuses)); });
    refuses([&] { must(grbda::crba(model, batch, columns.q, M.topRows(1))); });
    refuses([&] { must(grbda::crba(other, batch, columns.q, M)); });
    refuses([&] { grbda::BatchData(model, 0); });
    for (const Simd simd : {Simd::avx2, Simd::avx512})
        if (!grbda::runs_here(simd)) refuses([&] { grbda::BatchData(model, 1, simd); });
}

namespace {

/// A floating base with `branches` chains of `depth` revolute joints, at random.
grbda::Model tree(Random& random, int branches, int depth) {
    grbda::RobotDescription robot;
    robot.name = "tree";
    robot.links.push_back({"world", std::nullopt, {}});
    const auto add = [&](const std::string& name, const std::string& parent, grbda::JointType type) {
        const Eigen::Vector3d size = random_vector(random, 3).array().abs() + 0.1;
        robot.links.push_back({name, grbda::Inertial{1, 0.1 * size, size.cwiseInverse().asDiagonal()}, {}});
        grbda::JointDescription joint;
        joint.name = name + "_joint";
        joint.type = type;
        joint.parent = parent;
        joint.child = name;
        joint.origin.translation = random_vector(random, 3);
        joint.axis = random_vector(random, 3).normalized();
        robot.joints.push_back(joint);
    };
    add("base", "world", grbda::JointType::floating);
    for (int i = 0; i < branches; ++i) {
        std::string parent = "base";
        for (int j = 0; j < depth; ++j) {
            const std::string name = "link" + std::to_string(i) + "_" + std::to_string(j);
            add(name, parent, grbda::JointType::revolute);
            parent = name;
        }
    }
    return grbda::build_model(robot);
}

}  // namespace

TEST_CASE("batches compute mass matrices of any size completely") {
    Random random(17);
    const std::pair<int, int> sizes[] = {{1, 1},  {2, 6}, {1, 13}, {1, 14}, {3, 5},
                                         {2, 10}, {6, 4}, {7, 5},  {9, 9}};
    for (const auto& [branches, depth] : sizes) {
        const grbda::Model model = tree(random, branches, depth);
        INFO(model.nv << " coordinates");
        Columns columns;
        REQUIRE(draw(model, random, columns));
        const Answers expected = one_by_one(model, columns);
        for (const Simd simd : instruction_sets()) {
            INFO(grbda::to_string(simd));
            check_same(model, together(model, columns, simd, 1), expected);
        }
    }
}

TEST_CASE("a batch's mass matrices do not depend on its earlier calls") {
    Random random(18);
    for (const Robot& robot : published()) {
        INFO(robot.name);
        Columns columns;
        if (!draw(robot.model, random, columns)) continue;
        for (const Simd simd : instruction_sets()) {
            grbda::BatchData fresh(robot.model, 1, simd), used(robot.model, 1, simd);
            MatrixXd M(robot.model.nv * robot.model.nv, kStates), again = M, dy = M, dyd = M;
            must(grbda::crba(robot.model, fresh, columns.q, M));
            must(grbda::rnea_derivatives(robot.model, used, columns.q, columns.yd, columns.ydd, dy, dyd));
            must(grbda::crba(robot.model, used, columns.q, again));
            CHECK(batch_states::same_bits(M, again));
        }
    }
}
