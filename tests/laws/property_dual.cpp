#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/crba.hpp"
#include "kernels/pass/rnea.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "laws/derivative_reference.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// The kernels on numbers with derivatives: values are those of double, slopes those of differences along
// closed motions.

namespace {

using namespace test_robots;
using derivative_reference::Number;
using derivative_reference::Numbers;
using derivative_reference::slopes;
using derivative_reference::values;

constexpr int kStates = 1;
constexpr double kSame = 1e-10;   // closing the loops once more moves q by rounding over the condition of K_d
constexpr double kSlopes = 1e-6;  // of differences, times the condition of M

}  // namespace

TEST_CASE("kernels on dual numbers give the derivatives of aba, rnea and crba") {
    at_random_states(all(), kStates, 97, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        grbda::Workspace<Number> moving(model);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
        const Numbers q = derivative_reference::moving(model, state.q, data.qd);
        const Numbers yd = derivative_reference::changing(state.yd, state.ydd);
        const Numbers tau = derivative_reference::changing(state.tau, state.yd),
                      ydd = derivative_reference::changing(state.ydd, state.yd);
        const Numbers wrenches = derivative_reference::still(state.wrenches.reshaped());
        const auto n = static_cast<std::size_t>(model.nv);
        Numbers forward(n), inverse(n), M(n * n);
        grbda::kernels::aba<Number>(model, moving, q.data(), yd.data(), tau.data(), wrenches.data(),
                                    forward.data());
        grbda::kernels::rnea<Number>(model, moving, q.data(), yd.data(), ydd.data(), wrenches.data(),
                                     inverse.data());
        grbda::kernels::crba<Number>(model, moving, q.data(), M.data(), model.nv);

        const auto at = [&](double t) {
            const motion::Instant now = motion::along(model, data, state, t);
            REQUIRE(grbda::aba<double>(model, data, now.q, now.yd, state.tau + t * state.yd, state.wrenches)
                        .ok());
            Eigen::VectorXd result(2 * model.nv + model.nv * model.nv);
            result.head(model.nv) = data.ydd;
            REQUIRE(grbda::rnea<double>(model, data, now.q, now.yd, state.ydd + t * state.yd, state.wrenches)
                        .ok());
            result.segment(model.nv, model.nv) = data.tau;
            Eigen::MatrixXd mass(model.nv, model.nv);
            REQUIRE(grbda::crba<double>(model, data, now.q, mass).ok());
            result.tail(mass.size()) = mass.reshaped();
            return result;
        };
        const Eigen::VectorXd here = at(0), rates = motion::derivative(at);
        const int nv = model.nv;
        CHECK(relative(values(forward), here.head(nv)) < kSame);
        CHECK(relative(values(inverse), here.segment(nv, nv)) < kSame);
        CHECK(relative(values(M), here.tail(nv * nv)) < kSame);
        const double size = 1 + here.norm();
        CHECK((slopes(forward) - rates.head(nv)).norm() < kSlopes * (size + rates.head(nv).norm()));
        CHECK((slopes(inverse) - rates.segment(nv, nv)).norm() <
              kSlopes * (size + rates.segment(nv, nv).norm()));
        CHECK((slopes(M) - rates.tail(nv * nv)).norm() < kSlopes * (size + rates.tail(nv * nv).norm()));
    });
}
