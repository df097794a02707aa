#include <limits>

#include "derivatives/kinematics_derivatives.hpp"
#include "support/charts.hpp"
#include "support/motion.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Derivatives of the motion of frames against differences, along integrate() for y and exact ones for ẏ and
// ÿ: velocities are linear in ẏ, accelerations quadratic in ẏ and affine in ÿ.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Acceleration;
using grbda::Model;
using grbda::ReferenceFrame;
using grbda::Workspace;

constexpr double kRounding = 1e-10;
constexpr double kDifferences = 1e-6;  // of accelerations: once more the derivatives of motion::kDifferences
constexpr ReferenceFrame kAxes[] = {ReferenceFrame::local, ReferenceFrame::world_aligned};
constexpr Acceleration kKinds[] = {Acceleration::classical, Acceleration::spatial};
constexpr int kBlocks = 6;  // of six numbers for each frame

/// ω × v of a twist.
Eigen::Matrix<double, 6, 1> carried(const Eigen::Matrix<double, 6, 1>& twist) {
    Eigen::Matrix<double, 6, 1> out = Eigen::Matrix<double, 6, 1>::Zero();
    const Eigen::Vector3d v = twist.head<3>(), omega = twist.tail<3>();
    out.head<3>() = omega.cross(v);
    return out;
}

/// Velocity, classical and spatial acceleration of every frame in both axes.
VectorXd motions(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& yd,
                 const VectorXd& ydd) {
    must(grbda::forward_kinematics<double>(model, data, q, yd, ydd));
    const int frames = static_cast<int>(model.frames.size());
    VectorXd out(6 * kBlocks * frames);
    int at = 0;
    const auto put = [&](const Eigen::Matrix<double, 6, 1>& x) {
        out.segment<6>(at) = x;
        at += 6;
    };
    for (int f = 0; f < frames; ++f)
        for (const ReferenceFrame axes : kAxes) {
            const auto v = grbda::frame_velocity(model, data, f, axes);
            const auto a = grbda::frame_acceleration(model, data, f, axes);
            put(v);
            put(a);
            put(a - carried(v));
        }
    return out;
}

struct Derivatives {
    MatrixXd y, yd, ydd;  ///< rows as motions()
};

/// Derivatives by the functions of frames, which do not change data.
Derivatives found(const Model& model, Workspace<double>& data, const State& state) {
    must(grbda::forward_kinematics_derivatives<double>(model, data, state.q, state.yd, state.ydd));
    const int frames = static_cast<int>(model.frames.size()), rows = 6 * kBlocks * frames;
    Derivatives out{MatrixXd(rows, model.nv), MatrixXd(rows, model.nv), MatrixXd::Zero(rows, model.nv)};
    MatrixXd y(6, model.nv), yd = y, ydd = y;
    int at = 0;
    for (int f = 0; f < frames; ++f)
        for (const ReferenceFrame axes : kAxes) {
            grbda::frame_velocity_derivatives<double>(model, data, f, axes, y, yd);
            out.y.middleRows<6>(at) = y;
            out.yd.middleRows<6>(at) = yd;
            at += 6;
            for (const Acceleration kind : kKinds) {
                grbda::frame_acceleration_derivatives<double>(model, data, f, axes, kind, y, yd, ydd);
                out.y.middleRows<6>(at) = y;
                out.yd.middleRows<6>(at) = yd;
                out.ydd.middleRows<6>(at) = ydd;
                at += 6;
            }
        }
    return out;
}

/// Differences; `data` has the coordinates.
Derivatives differences(const Model& model, Workspace<double>& data, const State& state) {
    const Eigen::Index rows = 6 * kBlocks * static_cast<Eigen::Index>(model.frames.size());
    Derivatives out{MatrixXd(rows, model.nv), MatrixXd(rows, model.nv), MatrixXd(rows, model.nv)};
    const auto at_rates = [&](const VectorXd& yd, const VectorXd& ydd) {
        return motions(model, data, state.q, yd, ydd);
    };
    for (int k = 0; k < model.nv; ++k) {
        const VectorXd unit = VectorXd::Unit(model.nv, k);
        out.y.col(k) = motion::derivative([&](double t) {
            VectorXd q(model.nq);
            must(grbda::integrate<double>(model, data, state.q, t * unit, q));
            return motions(model, data, q, state.yd, state.ydd);
        });
        out.yd.col(k) = (at_rates(state.yd + unit, state.ydd) - at_rates(state.yd - unit, state.ydd)) / 2;
        out.ydd.col(k) = (at_rates(state.yd, state.ydd + unit) - at_rates(state.yd, state.ydd - unit)) / 2;
    }
    return out;
}

double size(const VectorXd& values) { return 1 + (values.size() ? values.cwiseAbs().maxCoeff() : 0); }

double worst(const MatrixXd& found, const MatrixXd& expected, double scale) {
    const MatrixXd miss = found - expected;
    if (miss.isZero(0)) return 0;
    return miss.cwiseAbs().maxCoeff() / (scale + expected.cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("derivatives of the motion of frames are their differences on every robot") {
    for (const charts::Kind kind : {charts::Kind::own, charts::Kind::chosen, charts::Kind::tangent})
        at_random_states(all(), 1, 201, [&](const Robot& robot, const State& state, Random& random) {
            if (robot.model.nv == 0) return;  // Eigen cuts no rows out of nothing
            const Model& model = robot.model;
            Workspace<double> data(model);
            if (!charts::take(kind, model, data, state.q, random)) return;
            const Derivatives expected = differences(model, data, state);
            const double scale = size(motions(model, data, state.q, state.yd, state.ydd));
            const Derivatives is = found(model, data, state);
            CHECK(worst(is.y, expected.y, scale) < kDifferences);
            CHECK(worst(is.yd, expected.yd, scale) < kRounding);
            CHECK(worst(is.ydd, expected.ydd, scale) < kRounding);
        });
}

TEST_CASE("derivatives of frames leave the same motions in data as forward kinematics on every robot") {
    at_random_states(all(), 2, 202, [](const Robot& robot, const State& state, Random&) {
        if (robot.model.nv == 0) return;  // Eigen cuts no rows out of nothing
        const Model& model = robot.model;
        Workspace<double> data(model), other(model);
        must(grbda::forward_kinematics<double>(model, data, state.q, state.yd, state.ydd));
        must(grbda::forward_kinematics_derivatives<double>(model, other, state.q, state.yd, state.ydd));
        MatrixXd y(6, model.nv), yd = y, ydd = y;
        grbda::Matrix6X<double> J(6, model.nv);
        for (int f = 0; f < static_cast<int>(model.frames.size()); ++f)
            for (const ReferenceFrame axes : kAxes) {
                CHECK(grbda::frame_position(model, other, f) == grbda::frame_position(model, data, f));
                CHECK(grbda::frame_velocity(model, other, f, axes) ==
                      grbda::frame_velocity(model, data, f, axes));
                CHECK(relative(grbda::frame_acceleration(model, other, f, axes),
                               grbda::frame_acceleration(model, data, f, axes)) < kRounding);
                grbda::frame_jacobian<double>(model, data, f, axes, J);
                grbda::frame_velocity_derivatives<double>(model, other, f, axes, y, yd);
                CHECK(relative(yd, J) < kRounding);
                grbda::frame_acceleration_derivatives<double>(model, other, f, axes, Acceleration::classical,
                                                              y, yd, ydd);
                CHECK(relative(ydd, J) < kRounding);
            }
    });
}

TEST_CASE("a frame's Jacobian changes at its rate on every robot") {
    at_random_states(all(), 2, 203, [](const Robot& robot, const State& state, Random&) {
        if (robot.model.nv == 0) return;  // Eigen cuts no rows out of nothing
        const Model& model = robot.model;
        Workspace<double> data(model), moved(model);
        must(grbda::forward_kinematics_derivatives<double>(model, data, state.q, state.yd));
        const int frames = static_cast<int>(model.frames.size());
        grbda::Matrix6X<double> J(6, model.nv), rate = J;
        const VectorXd rates = motion::derivative([&](double t) {
            VectorXd q(model.nq), values(12 * frames * model.nv);
            must(grbda::integrate<double>(model, moved, state.q, t * state.yd, q));
            must(grbda::forward_kinematics<double>(model, moved, q));
            for (int i = 0; i < 2 * frames; ++i) {
                grbda::frame_jacobian<double>(model, moved, i / 2, kAxes[i % 2], J);
                values.segment(6 * model.nv * i, 6 * model.nv) = J.reshaped();
            }
            return values;
        });
        must(grbda::forward_kinematics<double>(model, moved, state.q, state.yd, state.ydd));
        const double scale = size(rates);
        for (int i = 0; i < 2 * frames; ++i) {
            const int f = i / 2;
            const ReferenceFrame axes = kAxes[i % 2];
            grbda::frame_jacobian_rate<double>(model, data, f, axes, rate);
            CHECK(worst(rate.reshaped(), rates.segment(6 * model.nv * i, 6 * model.nv), scale) <
                  motion::kDifferences);
            grbda::frame_jacobian<double>(model, moved, f, axes, J);
            Eigen::Matrix<double, 6, 1> expected = grbda::frame_acceleration(model, moved, f, axes);
            if (axes == ReferenceFrame::local)
                expected -= carried(grbda::frame_velocity(model, moved, f, axes));
            const VectorXd sum = J * state.ydd + rate * state.yd;
            CHECK((sum - expected).norm() < kRounding * (1 + expected.norm() + state.ydd.norm()));
        }
    });
}

TEST_CASE("derivatives that were not requested are NaN, those that could not be found are refused") {
    const Robot& robot = named("four_bar");
    const Model& model = robot.model;
    Workspace<double> data(model);
    Random random(204);
    State state;
    REQUIRE(random_state(model, random, state));
    const int frame = model.body_frame.back();
    MatrixXd y(6, model.nv), yd = y, ydd = y;
    const auto read = [&] {
        grbda::frame_velocity_derivatives<double>(model, data, frame, ReferenceFrame::local, y, yd);
    };
    const auto read_acceleration = [&] {
        grbda::frame_acceleration_derivatives<double>(model, data, frame, ReferenceFrame::world_aligned,
                                                      Acceleration::classical, y, yd, ydd);
    };
    CHECK_THROWS_WITH(read(), Catch::Contains("forward_kinematics"));
    REQUIRE(grbda::forward_kinematics_derivatives<double>(model, data, state.q, state.yd).ok());
    read();
    CHECK((y.allFinite() && yd.allFinite()));
    read_acceleration();
    CHECK(y.array().isNaN().any());
    REQUIRE(grbda::forward_kinematics_derivatives<double>(model, data, state.q, state.yd, state.ydd).ok());
    read_acceleration();
    CHECK((y.allFinite() && yd.allFinite() && ydd.allFinite()));
    const VectorXd nan = VectorXd::Constant(model.nv, std::numeric_limits<double>::quiet_NaN());
    CHECK(grbda::forward_kinematics_derivatives<double>(model, data, state.q, state.yd, nan).status ==
          grbda::Status::not_finite);
    const VectorXd flat = VectorXd::Zero(model.nq);
    CHECK(grbda::forward_kinematics_derivatives<double>(model, data, flat, state.yd).status ==
          grbda::Status::singular_constraint);
    CHECK_THROWS_WITH(read(), Catch::Contains("holds no derivatives"));
    CHECK_THROWS_WITH(grbda::frame_jacobian_rate<double>(model, data, frame, ReferenceFrame::local, y),
                      Catch::Contains("holds no derivatives"));
    MatrixXd narrow(6, model.nv + 1), low(5, model.nv);
    CHECK_THROWS_AS(
        grbda::frame_velocity_derivatives<double>(model, data, frame, ReferenceFrame::local, y, narrow),
        std::invalid_argument);
    CHECK_THROWS_AS(grbda::frame_jacobian_rate<double>(model, data, frame, ReferenceFrame::local, low),
                    std::invalid_argument);
    CHECK_THROWS_AS(grbda::frame_jacobian_rate<double>(model, data, -1, ReferenceFrame::local, y),
                    std::invalid_argument);
    CHECK_THROWS_AS(grbda::forward_kinematics_derivatives<double>(model, data, state.q, state.yd, state.q),
                    std::invalid_argument);
}
