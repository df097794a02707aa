#include "laws/derivative_reference.hpp"

#include <limits>

#include <Eigen/Geometry>

#include "constraints/embedding.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/rnea.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "laws/strained_mechanism.hpp"
#include "support/require_ok.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/rnea.hpp"

namespace derivative_reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Chart;
using grbda::Model;
using grbda::Workspace;
using test_robots::Robot;
using Wrenches = grbda::Matrix6X<double>;

#if defined(GRBDA_SANITIZED)
constexpr int kStrained = 20;
#else
constexpr int kStrained = 60;
#endif

Numbers along_axis(const VectorXd& x, Eigen::Index k) { return changing(x, VectorXd::Unit(x.size(), k)); }

/// run(data, q, ẏ, given, result), where one of its arguments moves at a time.
template <class Run>
Derivatives differentiate(const Model& model, const Chart& chart, const VectorXd& q, const VectorXd& yd,
                          const VectorXd& given, const Run& run) {
    const MatrixXd G = tangents(model, chart, q);
    Workspace<Number> data(model);
    data.chart = chart;
    const int nv = model.nv;
    const Numbers q0 = still(q), yd0 = still(yd), given0 = still(given);
    Numbers result(static_cast<std::size_t>(nv));
    run(data, q0, yd0, given0, result);
    Derivatives all{values(result), MatrixXd(nv, nv), MatrixXd(nv, nv), MatrixXd(nv, nv)};
    for (Eigen::Index k = 0; k < nv; ++k) {
        run(data, moving(model, q, G.col(k)), yd0, given0, result);
        all.y.col(k) = slopes(result);
        run(data, q0, along_axis(yd, k), given0, result);
        all.yd.col(k) = slopes(result);
        run(data, q0, yd0, along_axis(given, k), result);
        all.given.col(k) = slopes(result);
    }
    return all;
}

Robot built(grbda::RobotDescription description, const std::string& name, const grbda::LoadOptions& options) {
    Robot robot{name, std::move(description), options, {}};
    robot.model = grbda::build_model(robot.description, robot.options);
    return robot;
}

std::vector<Robot> additional() {
    std::vector<Robot> result;
    grbda::LoadOptions with_rotors;
    with_rotors.rotor_reduction = false;
    for (const char* name : {"mini_cheetah", "mit_humanoid", "tello"})
        result.push_back(
            built(test_robots::named(name).description, std::string(name) + " with its rotors", with_rotors));
    for (int seed = 1; seed <= kStrained; ++seed) {
        const grbda::RobotDescription strained =
            random_mechanism::strained_mechanism(static_cast<std::uint64_t>(seed));
        try {
            result.push_back(built(strained, strained.name, {}));
        } catch (const grbda::LoadError&) {  // figures rounded so that it locks
        }
    }
    return result;
}

}  // namespace

Numbers moving(const Model& model, const VectorXd& q, const VectorXd& qd) {
    Numbers result = still(q);
    for (const grbda::Body& body : model.bodies) {
        const auto set = [&](int at, double slope) { result[static_cast<std::size_t>(at)].slope = slope; };
        const bool floats = body.joint == grbda::JointType::floating;
        if (!floats && body.joint != grbda::JointType::spherical) {
            for (int j = 0; j < grbda::velocity_size(body.joint); ++j) set(body.q + j, qd[body.v + j]);
            continue;
        }
        const int first = body.q + (floats ? 3 : 0);
        const Eigen::Vector3d w = qd.segment<3>(body.v + (floats ? 3 : 0));
        const Eigen::Quaterniond now(q[first + 3], q[first], q[first + 1], q[first + 2]);
        const Eigen::Quaterniond rate = now * Eigen::Quaterniond(0, w.x() / 2, w.y() / 2, w.z() / 2);
        for (int j = 0; j < 4; ++j) set(first + j, rate.coeffs()[j]);
        if (!floats) continue;
        const Eigen::Vector3d slide = now * Eigen::Vector3d(qd.segment<3>(body.v));
        for (int j = 0; j < 3; ++j) set(body.q + j, slide[j]);
    }
    return result;
}

Numbers still(const VectorXd& x) { return changing(x, VectorXd::Zero(x.size())); }

Numbers changing(const VectorXd& x, const VectorXd& rates) {
    Numbers result;
    for (Eigen::Index i = 0; i < x.size(); ++i) result.emplace_back(x[i], rates[i]);
    return result;
}

VectorXd values(const Numbers& x) {
    VectorXd result(static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) result[static_cast<Eigen::Index>(i)] = x[i].value;
    return result;
}

VectorXd slopes(const Numbers& x) {
    VectorXd result(static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) result[static_cast<Eigen::Index>(i)] = x[i].slope;
    return result;
}

MatrixXd tangents(const Model& model, const Chart& chart, const VectorXd& q) {
    Workspace<double> data(model);
    data.chart = chart;
    must(grbda::constraint_embedding<double>(model, data, q, VectorXd::Zero(model.nv)));
    return grbda::explicit_jacobian(model, data);
}

Derivatives of_inverse(const Model& model, const Chart& chart, const VectorXd& q, const VectorXd& yd,
                       const VectorXd& ydd, const Wrenches& wrenches) {
    const Numbers f = still(wrenches.reshaped());
    return differentiate(model, chart, q, yd, ydd,
                         [&](Workspace<Number>& data, const Numbers& at, const Numbers& rate,
                             const Numbers& acceleration, Numbers& tau) {
                             grbda::kernels::rnea<Number>(model, data, at.data(), rate.data(),
                                                          acceleration.data(), f.empty() ? nullptr : f.data(),
                                                          tau.data());
                         });
}

Derivatives of_forward(const Model& model, const Chart& chart, const VectorXd& q, const VectorXd& yd,
                       const VectorXd& tau, const Wrenches& wrenches) {
    const Numbers f = still(wrenches.reshaped());
    return differentiate(model, chart, q, yd, tau,
                         [&](Workspace<Number>& data, const Numbers& at, const Numbers& rate,
                             const Numbers& force, Numbers& ydd) {
                             grbda::kernels::aba<Number>(model, data, at.data(), rate.data(), force.data(),
                                                         f.empty() ? nullptr : f.data(), ydd.data());
                         });
}

VectorXd mixed_second_of_inverse(const Model& model, const test_robots::State& state, const VectorXd& dy,
                                 const VectorXd& dyd) {
    using Twice = dual::Dual<Number>;
    const auto lifted = [](const Numbers& x, const VectorXd& rates) {
        std::vector<Twice> result;
        for (std::size_t i = 0; i < x.size(); ++i)
            result.emplace_back(x[i], Number(rates[static_cast<Eigen::Index>(i)]));
        return result;
    };
    Workspace<Twice> data(model);
    const VectorXd qd = tangents(model, data.chart, state.q) * dy;
    const std::vector<Twice> q = lifted(moving(model, state.q, qd), VectorXd::Zero(model.nq)),
                             yd = lifted(still(state.yd), dyd),
                             ydd = lifted(still(state.ydd), VectorXd::Zero(model.nv));
    std::vector<Twice> tau(static_cast<std::size_t>(model.nv));
    grbda::kernels::rnea<Twice>(model, data, q.data(), yd.data(), ydd.data(), nullptr, tau.data());
    VectorXd result(model.nv);
    for (int i = 0; i < model.nv; ++i) result[i] = tau[static_cast<std::size_t>(i)].slope.slope;
    return result;
}

const std::vector<const Robot*>& robots() {
    static const std::vector<Robot> more = additional();
    static const std::vector<const Robot*> robots = [] {
        std::vector<const Robot*> result = test_robots::all();
        for (const Robot& robot : more) result.push_back(&robot);
        return result;
    }();
    return robots;
}

double error(const MatrixXd& found, const MatrixXd& expected) {
    if (!found.allFinite() || !expected.allFinite()) return std::numeric_limits<double>::infinity();
    if (found.size() == 0) return 0;
    return (found - expected).cwiseAbs().maxCoeff() / (1 + expected.cwiseAbs().maxCoeff());
}

double error_as_forces(const MatrixXd& M, const MatrixXd& found, const MatrixXd& expected) {
    const MatrixXd scaled = M.diagonal().cwiseSqrt().cwiseInverse().asDiagonal() * M;
    return error(scaled * found, scaled * expected);
}

}  // namespace derivative_reference
