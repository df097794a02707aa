#include "dual.hpp"
#include "grbda/algorithms/aba.hpp"
#include "grbda/algorithms/crba.hpp"
#include "grbda/algorithms/embedding.hpp"
#include "grbda/algorithms/rnea.hpp"
#include "grbda/kernels/aba.hpp"
#include "grbda/kernels/crba.hpp"
#include "grbda/kernels/rnea.hpp"
#include "motion.hpp"
#include "robots.hpp"

// The kernels on numbers with derivatives: values are those of double, slopes those of differences along
// closed motions.

namespace {

using namespace test_robots;
using dual::Dual;

constexpr int kStates = 1;
constexpr double kSame = 1e-10;   // closing the loops once more moves q by rounding over the condition of K_d
constexpr double kSlopes = 1e-6;  // of differences, times the condition of M

/// q and its rate as dual numbers.
std::vector<Dual> moving_configuration(const grbda::Model& model, const Eigen::VectorXd& q,
                                       const Eigen::VectorXd& qd) {
    std::vector<Dual> result;
    for (double x : q) result.emplace_back(x);
    for (const grbda::Body& body : model.bodies) {
        const auto set = [&](int at, double slope) { result[static_cast<std::size_t>(at)].slope = slope; };
        const bool floats = body.joint == grbda::JointType::floating;
        if (!floats && body.joint != grbda::JointType::spherical) {
            for (int j = 0; j < grbda::velocity_size(body.joint); ++j) set(body.q + j, qd[body.v + j]);
            continue;
        }
        const int first = body.q + (floats ? 3 : 0);
        const Eigen::Vector3d w = qd.segment<3>(body.v + (floats ? 3 : 0));
        const Eigen::Quaterniond now = motion::quaternion(q, first);
        const Eigen::Quaterniond rate = now * Eigen::Quaterniond(0, w.x() / 2, w.y() / 2, w.z() / 2);
        for (int j = 0; j < 4; ++j) set(first + j, rate.coeffs()[j]);
        if (!floats) continue;
        const Eigen::Vector3d slide = now * Eigen::Vector3d(qd.segment<3>(body.v));
        for (int j = 0; j < 3; ++j) set(body.q + j, slide[j]);
    }
    return result;
}

std::vector<Dual> with_slopes(const Eigen::VectorXd& x, const Eigen::VectorXd& slopes) {
    std::vector<Dual> result;
    for (Eigen::Index i = 0; i < x.size(); ++i) result.emplace_back(x[i], slopes[i]);
    return result;
}

Eigen::VectorXd values(const std::vector<Dual>& x) {
    Eigen::VectorXd result(static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) result[static_cast<Eigen::Index>(i)] = x[i].value;
    return result;
}
Eigen::VectorXd slopes(const std::vector<Dual>& x) {
    Eigen::VectorXd result(static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) result[static_cast<Eigen::Index>(i)] = x[i].slope;
    return result;
}

}  // namespace

TEST_CASE("kernels on dual numbers give the derivatives of aba, rnea and crba") {
    at_random_states(all(), kStates, 97, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Data<double> data(model);
        grbda::Data<Dual> moving(model);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
        const std::vector<Dual> q = moving_configuration(model, state.q, data.qd);
        const std::vector<Dual> yd = with_slopes(state.yd, state.ydd);
        const std::vector<Dual> tau = with_slopes(state.tau, state.yd),
                                ydd = with_slopes(state.ydd, state.yd);
        std::vector<Dual> wrenches;
        for (double x : state.wrenches.reshaped()) wrenches.emplace_back(x);
        const auto n = static_cast<std::size_t>(model.nv);
        std::vector<Dual> forward(n), inverse(n), M(n * n);
        grbda::kernels::aba<Dual>(model, moving, q.data(), yd.data(), tau.data(), wrenches.data(),
                                  forward.data());
        grbda::kernels::rnea<Dual>(model, moving, q.data(), yd.data(), ydd.data(), wrenches.data(),
                                   inverse.data());
        grbda::kernels::crba<Dual>(model, moving, q.data(), M.data(), model.nv);

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
