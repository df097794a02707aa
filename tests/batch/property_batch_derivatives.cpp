#include <algorithm>
#include <map>

#include "batch/batch_states.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "support/require_ok.hpp"

// Derivatives of many states in one call equal those of one call for each state, with every instruction set
// that runs here. They are bitwise independent of the other states.

namespace {

using batch_states::same_bits;

using namespace batch_states;
using grbda::Status;

constexpr double kForces =
    1e-10;  // G and its derivative amplify rounding by 1/rcond(K_d), at least 0.01, each
constexpr double kAccelerations = 1e-8;  // and the condition of M scaled, at most 1e5 at these states

struct Answers {
    MatrixXd dtau_dy, dtau_dyd, M, dydd_dy, dydd_dyd, dydd_dtau, ydd;
    std::vector<Status> inverse, forward;
    grbda::BatchResult inverse_result, forward_result;

    Answers(const grbda::Model& model, Eigen::Index n) {
        for (MatrixXd* x : squares()) x->setConstant(model.nv * model.nv, n, 7);
        ydd.setConstant(model.nv, n, 7);
        for (std::vector<Status>* x : {&inverse, &forward})
            x->assign(static_cast<std::size_t>(n), Status::undefined);
    }
    std::vector<MatrixXd*> squares() { return {&dtau_dy, &dtau_dyd, &M, &dydd_dy, &dydd_dyd, &dydd_dtau}; }
    std::vector<const MatrixXd*> of_inverse() const { return {&dtau_dy, &dtau_dyd, &M}; }
    std::vector<const MatrixXd*> of_forward() const { return {&dydd_dy, &dydd_dyd, &dydd_dtau, &ydd}; }
};

Answers one_by_one(const grbda::Model& model, const Columns& x) {
    Answers answers(model, x.q.cols());
    grbda::Workspace<double> data(model);
    MatrixXd first(model.nv, model.nv), second = first, third = first;
    for (Eigen::Index i = 0; i < x.q.cols(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const grbda::Matrix6X<double> wrenches = x.wrenches.col(i).reshaped(6, model.body_count());
        answers.inverse[at] = grbda::rnea_derivatives<double>(model, data, x.q.col(i), x.yd.col(i),
                                                              x.ydd.col(i), wrenches, first, second, third)
                                  .status;
        answers.dtau_dy.col(i) = first.reshaped();
        answers.dtau_dyd.col(i) = second.reshaped();
        answers.M.col(i) = third.reshaped();
        answers.forward[at] = grbda::aba_derivatives<double>(model, data, x.q.col(i), x.yd.col(i),
                                                             x.tau.col(i), wrenches, first, second, third)
                                  .status;
        answers.dydd_dy.col(i) = first.reshaped();
        answers.dydd_dyd.col(i) = second.reshaped();
        answers.dydd_dtau.col(i) = third.reshaped();
        answers.ydd.col(i) = data.ydd;
    }
    return answers;
}

Answers together(const grbda::Model& model, const Columns& x, Simd simd, int threads) {
    Answers a(model, x.q.cols());
    grbda::BatchData batch(model, threads, simd);
    a.inverse_result = grbda::rnea_derivatives(model, batch, x.q, x.yd, x.ydd, x.wrenches, a.dtau_dy,
                                               a.dtau_dyd, a.M, a.inverse);
    a.forward_result = grbda::aba_derivatives(model, batch, x.q, x.yd, x.tau, x.wrenches, a.dydd_dy,
                                              a.dydd_dyd, a.dydd_dtau, a.ydd, a.forward);
    return a;
}

/// The first n states of b are those of a.
bool same_bits(const Answers& a, const Answers& b, Eigen::Index n) {
    const auto same = [n](const std::vector<const MatrixXd*>& x, const std::vector<const MatrixXd*>& y) {
        return std::equal(x.begin(), x.end(), y.begin(), [n](const MatrixXd* p, const MatrixXd* q) {
            return batch_states::same_bits(*p, q->leftCols(n));
        });
    };
    return same(a.of_inverse(), b.of_inverse()) && same(a.of_forward(), b.of_forward());
}

bool same_bits_of_state(const Answers& a, const Answers& b, Eigen::Index state) {
    const auto same = [state](const std::vector<const MatrixXd*>& x, const std::vector<const MatrixXd*>& y) {
        return std::equal(x.begin(), x.end(), y.begin(), [state](const MatrixXd* p, const MatrixXd* q) {
            return batch_states::same_bits(p->col(state), q->col(state));
        });
    };
    return same(a.of_inverse(), b.of_inverse()) && same(a.of_forward(), b.of_forward());
}

void check_same(const grbda::Model& model, const Answers& found, const Answers& expected) {
    CHECK(found.inverse == expected.inverse);
    CHECK(found.forward == expected.forward);
    for (Eigen::Index i = 0; i < expected.ydd.cols(); ++i) {
        INFO("state " << i);
        const auto matrix = [&](const MatrixXd& x) -> MatrixXd {
            return x.col(i).reshaped(model.nv, model.nv);
        };
        const auto check = [](const MatrixXd& a, const MatrixXd& b, double difference, double bound) {
            CHECK((a.array().isNaN() == b.array().isNaN()).all());
            CHECK((b.hasNaN() || b.size() == 0 || difference < bound));
        };
        for (std::size_t k = 0; k < expected.of_inverse().size(); ++k) {
            const MatrixXd a = matrix(*found.of_inverse()[k]), b = matrix(*expected.of_inverse()[k]);
            check(a, b, relative(a, b), kForces);
        }
        // rows weighed by the roots of M's diagonal, beside what a unit force does
        const Eigen::VectorXd weights = matrix(expected.M).diagonal().cwiseSqrt();
        const auto weighed = [&](const MatrixXd& x) { return MatrixXd(weights.asDiagonal() * x).norm(); };
        const double unit = weighed(matrix(expected.dydd_dtau));
        for (std::size_t k = 0; k < 3; ++k) {
            const MatrixXd a = matrix(*found.of_forward()[k]), b = matrix(*expected.of_forward()[k]);
            check(a, b, weighed(a - b) / (unit + weighed(b)), kAccelerations);
        }
        const MatrixXd a = found.ydd.col(i), b = expected.ydd.col(i);
        check(a, b, weighed(a - b) / (unit + weighed(b)), kAccelerations);
    }
}

bool failed(Status status) { return status != Status::ok; }

void check_result(const grbda::BatchResult& result, const std::vector<Status>& statuses) {
    const auto first = std::find_if(statuses.begin(), statuses.end(), failed);
    CHECK(result.failures == std::count_if(statuses.begin(), statuses.end(), failed));
    CHECK(result.state == (result.ok() ? -1 : first - statuses.begin()));
    CHECK(result.status == (result.ok() ? Status::ok : *first));
}

void check_nan(const std::vector<const MatrixXd*>& matrices, const std::vector<Status>& statuses) {
    for (std::size_t i = 0; i < statuses.size(); ++i)
        if (failed(statuses[i]))
            for (const MatrixXd* x : matrices)
                CHECK(x->col(static_cast<Eigen::Index>(i)).array().isNaN().all());
}

}  // namespace

TEST_CASE("derivatives of a batch agree with one call for each state on every robot") {
    on_every_robot(191, [](const grbda::Model& model, const Columns& columns, Random&) {
        const Answers expected = one_by_one(model, columns);
        for (const Simd simd : instruction_sets()) {
            INFO(grbda::to_string(simd));
            const Answers whole = together(model, columns, simd, 1);
            CHECK(whole.inverse_result.ok());
            CHECK(whole.forward_result.ok());
            check_same(model, whole, expected);
            CHECK(same_bits(together(model, columns, simd, 2), whole, kStates));
            for (const Eigen::Index n : {0, 1, 3, 8})
                CHECK(same_bits(together(model, columns.first(n), simd, 1), whole, n));
        }
    });
}

TEST_CASE("derivatives of many states are bitwise independent of the number of threads") {
    constexpr int copies = 20, calls = 5;
    for (const Robot& robot : published()) {
        Random random(196);
        Columns columns;
        INFO(robot.name);
        if (!draw(robot.model, random, columns)) continue;
        columns.replicate(copies, random);
        const Answers alone = together(robot.model, columns, grbda::widest_simd(), 1);
        for (int call = 0; call < calls; ++call)
            CHECK(same_bits(together(robot.model, columns, grbda::widest_simd(), 2 + call % 3), alone,
                            columns.q.cols()));
    }
}

TEST_CASE("a state without derivatives is reported and does not change its neighbours") {
    std::map<Status, int> seen;
    on_every_robot(192, [&](const grbda::Model& model, const Columns& columns, Random&) {
        const Columns bad = spoilt(model, columns);
        const Answers expected = one_by_one(model, bad);
        for (const Status status : expected.forward) ++seen[status];
        for (const Simd simd : instruction_sets()) {
            INFO(grbda::to_string(simd));
            const Answers found = together(model, bad, simd, 1), healthy = together(model, columns, simd, 1);
            CHECK(found.forward == expected.forward);
            CHECK(found.inverse == expected.inverse);
            check_result(found.forward_result, found.forward);
            check_result(found.inverse_result, found.inverse);
            for (const Eigen::Index i : {0, 2, 3, 5, 9, 11, 16, 18})
                CHECK(same_bits_of_state(found, healthy, i));
            if (model.nv > 0) {
                check_nan(found.of_forward(), found.forward);
                check_nan(found.of_inverse(), found.inverse);
            }
            const Answers threaded = together(model, bad, simd, 2);
            CHECK(threaded.forward == found.forward);
            CHECK(threaded.forward_result.failures == found.forward_result.failures);
            CHECK(threaded.forward_result.state == found.forward_result.state);
        }
    });
    CHECK(seen[Status::ok] > 0);
    CHECK(seen[Status::not_finite] > 0);
    CHECK(seen[Status::singular_constraint] > 0);
}

TEST_CASE("a singular inertia has no derivatives of forward dynamics, and all of inverse dynamics") {
    std::size_t raised = 0;
    on_every_robot(193, [&](const grbda::Model& model, const Columns& columns, Random&) {
        if (model.nv == 0) return;
        grbda::Model heavy = model;
        heavy.inertia_floor.back() = heavy.joint_floor[heavy.independent.back()] = 1e9;
        for (const Simd simd : instruction_sets()) {
            INFO(grbda::to_string(simd));
            const Answers found = together(heavy, columns, simd, 1), expected = one_by_one(heavy, columns);
            check_same(heavy, found, expected);
            CHECK(found.forward_result.status == Status::singular_inertia);
            CHECK(found.forward_result.failures == kStates);
            CHECK(found.inverse_result.ok());
        }
        ++raised;
    });
    CHECK(raised > all().size() / 4);
}

TEST_CASE("blocks of larger matrices accept derivatives, and M and wrenches are optional") {
    on_every_robot(194, [](const grbda::Model& model, const Columns& columns, Random&) {
        constexpr Eigen::Index n = 5;
        const Eigen::Index square = static_cast<Eigen::Index>(model.nv) * model.nv;
        const Columns x = columns.first(n);
        const MatrixXd none(0, 0), zero = MatrixXd::Zero(6 * model.body_count(), n);
        for (const Simd simd : instruction_sets()) {
            grbda::BatchData batch(model, 1, simd);
            Answers a(model, n), b(model, n), c(model, n);
            MatrixXd large = MatrixXd::Constant(square + 3, n + 2, 7);
            must(grbda::rnea_derivatives(model, batch, x.q, x.yd, x.ydd, none, a.dtau_dy, a.dtau_dyd, a.M));
            must(grbda::rnea_derivatives(model, batch, x.q, x.yd, x.ydd, large.block(1, 1, square, n),
                                         b.dtau_dyd));
            must(grbda::rnea_derivatives(model, batch, x.q, x.yd, x.ydd, c.dtau_dy, c.dtau_dyd, c.M));
            CHECK(same_bits(large.block(1, 1, square, n), a.dtau_dy));
            CHECK(same_bits(b.dtau_dyd, a.dtau_dyd));
            CHECK(same_bits(c.dtau_dy, a.dtau_dy));
            CHECK(same_bits(c.M, a.M));
            must(grbda::rnea_derivatives(model, batch, x.q, x.yd, x.ydd, zero, c.dtau_dy, c.dtau_dyd, c.M));
            CHECK(c.dtau_dy == a.dtau_dy);
            CHECK((large.topRows(1).array() == 7).all());
            CHECK((large.bottomRows(2).array() == 7).all());
            CHECK((large.leftCols(1).array() == 7).all());
            CHECK((large.rightCols(1).array() == 7).all());
            must(grbda::aba_derivatives(model, batch, x.q, x.yd, x.tau, a.dydd_dy, a.dydd_dyd, a.dydd_dtau,
                                        a.ydd));
            must(grbda::aba_derivatives(model, batch, x.q, x.yd, x.tau, zero, b.dydd_dy, b.dydd_dyd,
                                        b.dydd_dtau, b.ydd));
            CHECK(a.dydd_dy == b.dydd_dy);
            CHECK(a.ydd == b.ydd);
        }
    });
}

TEST_CASE("derivatives of a batch into matrices of another size are refused") {
    const grbda::Model& model = published().front().model;
    Random random(195);
    Columns x;
    REQUIRE(draw(model, random, x));
    grbda::BatchData batch(model);
    Answers a(model, kStates);
    std::vector<Status> statuses(kStates - 1);
    MatrixXd narrow(model.nv * model.nv, kStates - 1), flat(model.nv * model.nv + 1, kStates);
    const auto refuses = [](auto&& call) { CHECK_THROWS_AS(call(), std::invalid_argument); };
    const auto inverse = [&](MatrixXd& dy, MatrixXd& dyd, MatrixXd& M) {
        must(grbda::rnea_derivatives(model, batch, x.q, x.yd, x.ydd, x.wrenches, dy, dyd, M));
    };
    const auto forward = [&](MatrixXd& dy, MatrixXd& dyd, MatrixXd& dtau, MatrixXd& ydd) {
        must(grbda::aba_derivatives(model, batch, x.q, x.yd, x.tau, dy, dyd, dtau, ydd));
    };
    inverse(a.dtau_dy, a.dtau_dyd, a.M);
    forward(a.dydd_dy, a.dydd_dyd, a.dydd_dtau, a.ydd);
    refuses([&] { inverse(narrow, a.dtau_dyd, a.M); });
    refuses([&] { inverse(a.dtau_dy, flat, a.M); });
    refuses([&] { inverse(a.dtau_dy, a.dtau_dyd, narrow); });
    refuses([&] { forward(flat, a.dydd_dyd, a.dydd_dtau, a.ydd); });
    refuses([&] { forward(a.dydd_dy, narrow, a.dydd_dtau, a.ydd); });
    refuses([&] { forward(a.dydd_dy, a.dydd_dyd, flat, a.ydd); });
    refuses([&] { forward(a.dydd_dy, a.dydd_dyd, a.dydd_dtau, narrow); });
    refuses([&] {
        must(grbda::rnea_derivatives(model, batch, x.q, x.yd, x.ydd, a.dtau_dy, a.dtau_dyd, statuses));
    });
    refuses([&] {
        must(grbda::rnea_derivatives(model, batch, x.q, x.yd, x.ydd.topRows(0), a.dtau_dy, a.dtau_dyd));
    });
}
