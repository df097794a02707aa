#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "constraints/closure.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "laws/long_chain.hpp"
#include "support/require_ok.hpp"

// Loops of many joints: forward dynamics with row elimination keeps its accuracy, and its cost is linear in
// the number of joints.

namespace {

using namespace long_chain;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Workspace;
using Random = std::mt19937_64;

/// Errors in the norm of M, of chains whose M has a condition of up to 1e10.
constexpr double kError = 1e-10;
constexpr double kRounding = 1e-13;  ///< of τ, relative to the terms that it is the difference of

Model model_of(int joints, Tie tie, grbda::Form form) {
    grbda::LoadOptions options;
    options.form = form;
    options.rod_reduction = false;  // the last link of a chain on a ball is like a rod, and rows know no rods
    return grbda::build_model(chain(joints, tie), options);
}

struct State {
    VectorXd q, yd, tau;
};

VectorXd random_vector(Random& random, int size) {
    std::uniform_real_distribution<double> unit(-1, 1);
    return VectorXd::NullaryExpr(size, [&](Eigen::Index) { return unit(random); });
}

/// Closed, near neutral, away from folds.
State random_state(const Model& model, Random& random) {
    Workspace<double> data(model);
    State state{VectorXd(model.nq), random_vector(random, model.nv), random_vector(random, model.nv)};
    const VectorXd neutral = grbda::neutral_configuration(model);
    for (double size = 0.02;; size /= 2) {
        REQUIRE(size > 1e-6);
        const VectorXd step = size * random_vector(random, model.nv);
        if (grbda::integrate<double>(model, data, neutral, step, state.q).ok()) return state;
    }
}

/// ÿ by Jacobians in long double.
VectorXd exact(const Model& model, const State& state) {
    using Real = long double;
    Workspace<Real> data(model);
    const auto of = [](const VectorXd& x) { return std::vector<Real>(x.begin(), x.end()); };
    const std::vector<Real> q = of(state.q), yd = of(state.yd), tau = of(state.tau);
    std::vector<Real> ydd(yd.size());
    const Real* none = nullptr;
    grbda::kernels::aba<Real>(model, data, q.data(), yd.data(), tau.data(), none, ydd.data());
    return Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(ydd.data(), model.nv).cast<double>();
}

double size_in(const Eigen::MatrixXd& M, const VectorXd& x) { return std::sqrt(x.dot(M * x)); }

}  // namespace

TEST_CASE("rows that are passed on through long loops keep their digits") {
    for (const Tie tie : ties)
        for (const int joints : {10, 20, 40, 80, 160}) {
            INFO(name_of(tie) << ", " << joints << " joints");
            const Model rows = model_of(joints, tie, grbda::Form::rows),
                        jacobians = model_of(joints, tie, grbda::Form::jacobians);
            REQUIRE(form_of(rows.clusters[0]) == grbda::Form::rows);
            Random random(5);
            Workspace<double> data(rows);
            const State state = random_state(rows, random);
            must(grbda::aba<double>(rows, data, state.q, state.yd, state.tau));
            const VectorXd expected = exact(jacobians, state), found = data.ydd;
            Eigen::MatrixXd M(rows.nv, rows.nv);
            must(grbda::crba<double>(rows, data, state.q, M));
            CHECK(size_in(M, found - expected) <= kError * size_in(M, expected));
            must(grbda::rnea<double>(rows, data, state.q, state.yd, found));
            CHECK((data.tau - state.tau).norm() <= kRounding * M.norm() * found.norm());
        }
}

TEST_CASE("a workspace for a long loop has no memory for square matrices until it is requested") {
    const Model model = model_of(400, Tie::revolute, grbda::Form::rows);
    Workspace<double> data(model);
    Random random(6);
    const State state = random_state(model, random);
    must(grbda::aba<double>(model, data, state.q, state.yd, state.tau));
    must(grbda::rnea<double>(model, data, state.q, state.yd, state.tau));
    CHECK(data.G.size() + data.J.size() + data.D.size() == 0);
    CHECK(data.scratch.size() < 100 * 400);
    Eigen::MatrixXd M(model.nv, model.nv);
    must(grbda::crba<double>(model, data, state.q, M));
    CHECK(data.D.size() == static_cast<std::size_t>(model.nv * model.nv));
}
