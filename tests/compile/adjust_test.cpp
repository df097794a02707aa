#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Geometry>

#include <catch2/catch.hpp>

#include "compile/model_diagnostics_fixture.hpp"
#include "grbda/compile/build.hpp"
#include "constraints/closure.hpp"
#include "dynamics/crba.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"
#include "model/workspace.hpp"

using namespace model_diagnostics;

namespace {

/// A robot as given, and with its loops adjusted.
struct Adjusted {
    explicit Adjusted(const std::string& text) {
        const RobotDescription description = read_urdf(text, "robot.urdf", findings);
        LoadOptions options;
        options.adjust = true;
        given = make_mechanism(description, options, findings);
        mechanism = given;
        adjust_loops(options, mechanism, findings);
        model = build_model(mechanism, options, findings);
        for (const Diagnostic& finding : findings) all += to_string(finding) + "\n";
    }
    /// Distance and angle by which the frame of loop l in the successor moved.
    double way(int l) const {
        return (mechanism.loops[l].successor_placement.translation -
                given.loops[l].successor_placement.translation)
            .norm();
    }
    double turn(int l) const {
        const Eigen::Matrix3d R = mechanism.loops[l].successor_placement.rotation *
                                  given.loops[l].successor_placement.rotation.transpose();
        return std::acos(std::clamp((R.trace() - 1) / 2, -1., 1.));
    }

    Diagnostics findings;
    Mechanism given, mechanism;
    Model model;
    std::string all;
};

/// The four-bar linkage of the fixture with its closure off its plane by `height`, and tilted.
std::string four_bar_off_plane(const std::string& height, const std::string& rpy) {
    return robot(two_arms() + joint({"b", "crank", "coupler", "0 1 0", "type=\"continuous\""}) +
                 link("coupler") +
                 loop("closure", "coupler", "2 0 0", "rocker", "-0.5 1 " + height + "\" rpy=\"" + rpy));
}

Eigen::MatrixXd mass_matrix(const Model& model) {
    Workspace<double> data(model);
    Eigen::MatrixXd M(model.nv, model.nv);
    REQUIRE(crba<double>(model, data, neutral_configuration(model), M).ok());
    return M;
}

void check_reads_back(const Mechanism& mechanism, const Model& model) {
    const Loaded again = load_text(write_urdf(mechanism));
    INFO(again.findings());
    CHECK(again.count(Severity::error) == 0);
    REQUIRE(again.model.nv == model.nv);
    CHECK(mass_matrix(again.model).isApprox(mass_matrix(model), 1e-9));
}

}  // namespace

TEST_CASE("a displacement in a linkage is found, and undone only by --adjust") {
    const std::string text = four_bar_off_plane("0.02", "0.01 0.02 0");
    check_error(load_text(text), "loop", "closure", {"left open by 0.02 m and 0.0224 rad", "--adjust"});

    const Adjusted adjusted(text);
    INFO(adjusted.all);
    // joints about z move the ends of the loop in planes, so that no configuration needs less
    CHECK(adjusted.way(0) == Approx(0.02).epsilon(1e-9));
    CHECK(adjusted.turn(0) == Approx(std::acos(std::cos(0.01) * std::cos(0.02))).epsilon(1e-9));
    CHECK(adjusted.all.find("moved by 0.02 m and 0.0224 rad") != std::string::npos);
    const Model whole = load_text(robot(four_bar())).model;
    REQUIRE(adjusted.model.nv == whole.nv);
    CHECK(mass_matrix(adjusted.model).isApprox(mass_matrix(whole), 1e-9));
    check_reads_back(adjusted.mechanism, adjusted.model);
}

TEST_CASE("loops that close are not adjusted") {
    const Adjusted adjusted(robot(four_bar()));
    CHECK(adjusted.way(0) == 0);
    CHECK(adjusted.mechanism.start.empty());
    CHECK(adjusted.all.find("moved by") == std::string::npos);
}

TEST_CASE("no displacement smaller than that of --adjust closes a loop") {
    // ends of two arms about skew axes, on circles in space that do not meet
    const std::string arms = empty_link("base") + joint({"a", "base", "crank"}) + link("crank") +
                             joint({"c", "base", "rocker", "1.5 0.1 0.2", "type=\"continuous\"", "1 0.3 0"}) +
                             link("rocker");
    const Adjusted adjusted(
        robot(arms + loop("closure", "crank", "0.6 0 0.1", "rocker", "0 0 0.7", "spherical", "")));
    INFO(adjusted.all);
    const Eigen::Vector3d axis = Eigen::Vector3d(1, 0.3, 0).normalized(), center(1.5, 0.1, 0.2);
    const auto gap = [&](double a, double c) {
        const Eigen::Vector3d first(0.6 * std::cos(a), 0.6 * std::sin(a), 0.1);
        return (first - center - Eigen::AngleAxisd(c, axis) * Eigen::Vector3d(0, 0, 0.7)).norm();
    };
    double least = 10, at_a = 0, at_c = 0;
    for (double step : {0.02, 0.001, 0.00002}) {  // each grid around the best point of the one before
        const double a = at_a, c = at_c, reach = least == 10 ? 3.15 : 30 * step;
        for (double da = -reach; da <= reach; da += step)
            for (double dc = -reach; dc <= reach; dc += step)
                if (const double next = gap(a + da, c + dc); next < least) {
                    least = next;
                    at_a = a + da;
                    at_c = c + dc;
                }
    }
    CHECK(adjusted.way(0) == Approx(least).epsilon(1e-7));
}

TEST_CASE("a rod that is too long is adjusted where the robot can still move") {
    const std::string text = robot(
        two_arms() + loop("rod", "crank", "1 0 0", "rocker", "1 0 0", "distance", "<length value=\"4.6\"/>"));
    const Adjusted adjusted(text);  // arms of 1 m on bearings 2.5 m apart reach 4.5 m
    INFO(adjusted.all);
    CHECK(adjusted.way(0) >= 0.1);
    CHECK(adjusted.way(0) <= 0.12);
    REQUIRE(adjusted.model.nv == 1);
    check_reads_back(adjusted.mechanism, adjusted.model);
    Workspace<double> data(adjusted.model);
    for (const double step : {-0.01, 0.01}) {
        Eigen::VectorXd q = neutral_configuration(adjusted.model);
        CHECK(integrate<double>(adjusted.model, data, q, Eigen::VectorXd::Constant(1, step), q).ok());
        CHECK(closure_residual<double>(adjusted.model, data, q).ok());
    }
}
