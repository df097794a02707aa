#include "grbda/search/sweep.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "constraints/closure.hpp"
#include "kinematics/configuration.hpp"
#include "laws/planar_linkages.hpp"
#include "support/described.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Workspaces whose assembly modes and ranges are known, and what holds for any.

using namespace grbda;
using namespace planar_linkages;
using test_robots::Random;
using test_robots::Robot;
using test_robots::State;

namespace {

constexpr double kClosed = 1e-9;  // of lengths around 1
constexpr double kFold = 2e-6;    // folds end where rcond is 5e-5: less than its square away
constexpr int kRandomGuesses = 10000;

double position(const Model& model, const Eigen::VectorXd& q, const std::string& joint) {
    return described::position(model, q, joint)[0];
}

double turn(double angle) { return std::remainder(angle, 2 * M_PI); }

/// Angles of the rocker at an angle of the crank: none, or two.
std::vector<double> rocker_angles(double a, double b, double c, double d, double crank) {
    const double x = a * std::cos(crank) - d, y = a * std::sin(crank), r = std::hypot(x, y);
    const double cosine = (c * c + r * r - b * b) / (2 * c * r);
    if (std::abs(cosine) > 1) return {};
    const double along = std::atan2(y, x), beside = std::acos(cosine);
    return {turn(along + beside), turn(along - beside)};
}

std::vector<const SweepPoint*> points_at(const Sweep& sweep, int step) {
    std::vector<const SweepPoint*> points;
    for (const SweepBranch& branch : sweep.branches)
        for (const SweepPoint& point : branch.points)
            if (point.step == step) points.push_back(&point);
    return points;
}

/// By how much joints of the swept one's cluster differ at most; whole turns and signs of quaternions left
/// out.
double distance(const Model& model, int cluster, const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    double largest = 0;
    for (const Body& body : model.bodies) {
        if (body.cluster != cluster) continue;
        const int size = position_size(body.joint), plain = size - (has_quaternion(body.joint) ? 4 : 0);
        for (int j = 0; j < plain; ++j) {
            const double difference = a[body.q + j] - b[body.q + j];
            const bool turns = is_freedom(body.joint, j, Freedom::turn);
            largest = std::max(largest, std::abs(turns ? turn(difference) : difference));
        }
        if (plain == size) continue;
        const Eigen::Vector4d p = a.segment<4>(body.q + plain), r = b.segment<4>(body.q + plain);
        largest = std::max(largest, std::min((p - r).norm(), (p + r).norm()));
    }
    return largest;
}

/// From random guesses at values of the sweep: the modes that it does not have.
int missing(const Model& model, const Sweep& sweep, int guesses, std::uint64_t seed) {
    Random random(seed);
    Workspace<double> data(model);
    const int swept = model.bodies[sweep.body].q, cluster = model.bodies[sweep.body].cluster;
    int found = 0, lacking = 0;
    for (int i = 0; i < guesses; ++i) {
        const int step = static_cast<int>(random() % sweep.values.size());
        Eigen::VectorXd q = sweep.branches.front().points.front().q;
        for (const Body& body : model.bodies)
            if (body.cluster == cluster && position_size(body.joint) == 1) {
                const bool turns = is_freedom(body.joint, 0, Freedom::turn);
                q[body.q] = test_robots::random_vector(random, 1, turns ? M_PI : 1)[0];
            }
        for (const Coordinate& each : independent_coordinates(model)) {
            const Body& body = model.bodies[each.body];
            if (body.cluster == cluster && position_size(body.joint) == 1)
                q[body.q] = sweep.branches.front().points.front().q[body.q];
        }
        q[swept] = sweep.values[static_cast<std::size_t>(step)];
        if (!close_loops<double>(model, data, q).ok() || data.rcond[static_cast<std::size_t>(cluster)] < 1e-3)
            continue;
        ++found;
        const auto points = points_at(sweep, step);
        lacking += std::none_of(
                       points.begin(), points.end(),
                       [&](const SweepPoint* point) { return distance(model, cluster, point->q, q) < 1e-6; })
                       ? 1
                       : 0;
    }
    CHECK(found > guesses / 50);
    return lacking;
}

/// Every point closes at its value, and no two of one step are one.
void check_points(const Model& model, const Sweep& sweep, const Eigen::VectorXd& q, bool leads = true) {
    Workspace<double> data(model);
    const Body& body = model.bodies[sweep.body];
    double worst_closure = 0, worst_value = 0, worst_kept = 0, nearest = 1;
    std::vector<char> kept(static_cast<std::size_t>(model.nq), 1);
    for (const Body& each : model.bodies)
        if (each.cluster == body.cluster)
            for (int j = 0; j < position_size(each.joint); ++j)
                kept[static_cast<std::size_t>(each.q + j)] = 0;
    for (const Coordinate& each : independent_coordinates(model)) {
        const Body& joint = model.bodies[each.body];
        if (leads && each.body != sweep.body && !has_quaternion(joint.joint))
            kept[static_cast<std::size_t>(joint.q + each.component)] = 1;
    }
    for (const SweepBranch& branch : sweep.branches) {
        REQUIRE_FALSE(branch.points.empty());
        int step = -1;
        for (const SweepPoint& point : branch.points) {
            worst_closure = std::max(worst_closure, closure_residual<double>(model, data, point.q).residual);
            if (point.step >= 0) {
                CHECK((step < 0 || point.step == step + 1));
                step = point.step;
                worst_value = std::max(worst_value,
                                       std::abs(point.value - sweep.values[static_cast<std::size_t>(step)]));
            }
            worst_value = std::max(worst_value, std::abs(point.value - point.q[body.q]));
            for (int i = 0; i < model.nq; ++i)
                if (kept[static_cast<std::size_t>(i)] != 0)
                    worst_kept = std::max(worst_kept, std::abs(point.q[i] - q[i]));
        }
    }
    for (int step = 0; step < static_cast<int>(sweep.values.size()); ++step) {
        const auto points = points_at(sweep, step);
        for (std::size_t i = 0; i < points.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                nearest = std::min(nearest, distance(model, body.cluster, points[i]->q, points[j]->q));
    }
    CHECK(worst_closure < 1e-8);
    CHECK(worst_value < 1e-12);
    CHECK(worst_kept < 1e-12);
    CHECK(nearest > 1e-7);
}

Sweep swept(const Model& model, const std::string& joint, const SweepOptions& options) {
    return sweep(model, neutral_configuration(model), model.joint(joint).index, options);
}

}  // namespace

TEST_CASE("a crank that turns all around has two modes that never meet") {
    const double a = 0.3, b = 0.8, c = 0.7, d = 0.9;
    const Model model = four_bar(a, b, c, d);
    const Sweep result = swept(model, "crank", {-M_PI, M_PI, 72});
    REQUIRE(result.branches.size() == 2);
    check_points(model, result, neutral_configuration(model));
    for (const SweepBranch& branch : result.branches) {
        CHECK(branch.begins == BranchEnd::bound);
        CHECK(branch.ends == BranchEnd::bound);
        CHECK(branch.begins_with == -1);
        REQUIRE(branch.points.size() == 73);
        for (const SweepPoint& point : branch.points) {
            const double rocker = position(model, point.q, "rocker");
            double nearest = 1;
            for (const double angle : rocker_angles(a, b, c, d, point.value))
                nearest = std::min(nearest, std::abs(turn(angle - rocker)));
            CHECK(nearest < kClosed);
            CHECK(point.rcond > 0.05);
        }
    }
    CHECK(missing(model, result, kRandomGuesses, 91) == 0);
}

TEST_CASE("the rocker of a crank and rocker swings between folds, of two modes on each side") {
    const double a = 0.3, b = 0.8, c = 0.7, d = 0.9;
    // where crank and coupler are in line
    const auto angle_at = [&](double reach) {
        return std::acos((c * c + d * d - reach * reach) / (2 * c * d));
    };
    const double least = M_PI - angle_at(b + a), most = M_PI - angle_at(b - a);
    const Sweep result =
        swept(four_bar(c, b, a, d), "crank", {-M_PI, M_PI, 72});  // turned about: now it is the rocker
    REQUIRE(result.branches.size() == 4);
    for (const SweepBranch& branch : result.branches) {
        CHECK(branch.begins == BranchEnd::fold);
        CHECK(branch.ends == BranchEnd::fold);
        CHECK(branch.begins_with == branch.ends_with);
        REQUIRE(branch.begins_with >= 0);
        CHECK(result.branches[static_cast<std::size_t>(branch.begins_with)].begins_with ==
              &branch - result.branches.data());
        const double lower =
            std::min(std::abs(branch.points.front().value), std::abs(branch.points.back().value));
        const double upper =
            std::max(std::abs(branch.points.front().value), std::abs(branch.points.back().value));
        CHECK(lower == Approx(M_PI - most).margin(kFold));
        CHECK(upper == Approx(M_PI - least).margin(kFold));
    }
}

TEST_CASE("a triple rocker's two modes are one circuit") {
    const double a = 0.6, b = 0.5, c = 0.5, d = 1.2;  // shortest and longest are longer than the others
    const Model model = four_bar(a, b, c, d);
    const double most = std::acos((a * a + d * d - (b + c) * (b + c)) / (2 * a * d));
    const Sweep result = swept(model, "crank", {M_PI, -M_PI, 60});  // downwards
    check_points(model, result, neutral_configuration(model));
    REQUIRE(result.branches.size() == 2);
    for (int i = 0; i < 2; ++i) {
        const SweepBranch& branch = result.branches[static_cast<std::size_t>(i)];
        CHECK(branch.points.front().value == Approx(most).margin(kFold));
        CHECK(branch.points.back().value == Approx(-most).margin(kFold));
        CHECK(branch.points.front().step == -1);
        CHECK(branch.begins == BranchEnd::fold);
        CHECK(branch.ends == BranchEnd::fold);
        CHECK(branch.begins_with == 1 - i);
        CHECK(branch.ends_with == 1 - i);
    }
    for (int step = 0; step <= 60; ++step)
        CHECK(points_at(result, step).size() ==
              rocker_angles(a, b, c, d, result.values[static_cast<std::size_t>(step)]).size());
    CHECK(missing(model, result, kRandomGuesses, 92) == 0);
}

TEST_CASE("a slider-crank has two modes by the crank, and two by the slider between its dead centres") {
    const Robot& robot = test_robots::named("slider_crank");
    const double r = 0.1, l = 0.3;
    const Sweep by_crank = swept(robot.model, "crank_joint", {-M_PI, M_PI, 40});
    check_points(robot.model, by_crank, neutral_configuration(robot.model));
    REQUIRE(by_crank.branches.size() == 2);
    for (const SweepPoint* point : points_at(by_crank, 13)) {
        const double slide =
            position(robot.model, point->q, "slider_joint") + r + l - r * std::cos(point->value);
        CHECK(std::abs(slide) == Approx(std::sqrt(l * l - std::pow(r * std::sin(point->value), 2))));
    }
    CHECK(missing(robot.model, by_crank, kRandomGuesses, 93) == 0);

    // the neutral configuration is a dead centre of the slider
    const Sweep by_slider = swept(robot.model, "slider_joint", {-0.25, 0.05, 30});
    REQUIRE(by_slider.branches.size() == 2);
    for (const SweepBranch& branch : by_slider.branches) {
        CHECK(branch.points.front().value == Approx(-2 * r).margin(kFold));
        CHECK(branch.points.back().value == Approx(0).margin(kFold));
        CHECK(branch.begins_with == 1 - (&branch - by_slider.branches.data()));
    }
}

TEST_CASE("a rod that can turn about itself makes no modes of its own, and keeps its turn") {
    const Model& model = test_robots::full("spatial_four_bar").model;
    const Eigen::VectorXd q = neutral_configuration(model);
    const int coupler = model.joint("crank_to_coupler").q.first;
    // rocker angles where the pins are as far apart as the coupler is long, from the robot's README
    const auto open_by = [](double crank, double rocker) {
        const Eigen::Vector3d a(0.1 * std::cos(crank), 0.1 * std::sin(crank), 0),
            b(0.3 + 0.2 * std::sin(rocker), 0.1, 0.2 * std::cos(rocker));
        return (b - a).norm() - 0.3;
    };
    const Sweep result = swept(model, "crank_joint", {-1, 1, 20});
    check_points(model, result, q);
    REQUIRE(result.branches.size() == 2);
    for (int step = 0; step <= 20; ++step) {
        const auto points = points_at(result, step);
        REQUIRE(points.size() == 2);
        double rocker[2] = {};
        for (std::size_t i = 0; i < 2; ++i) {
            rocker[i] = position(model, points[i]->q, "rocker_joint");
            CHECK(open_by(points[i]->value, rocker[i]) == Approx(0).margin(kClosed));
            const auto rotation = [&](const Eigen::VectorXd& at) {
                return Eigen::Quaterniond(Eigen::Vector4d(at.segment<4>(coupler)));
            };
            const Eigen::Quaterniond from_neutral = rotation(q).conjugate() * rotation(points[i]->q);
            CHECK(from_neutral.x() == Approx(0).margin(1e-9));  // x is along the rod
            CHECK(std::abs(from_neutral.w()) > 0.1);
        }
        CHECK(std::abs(turn(rocker[0] - rocker[1])) > 0.1);
    }
}

TEST_CASE("rotors and locked joints lead nothing") {
    const Model& chain = test_robots::named("revolute_rotor_chain").model;
    CHECK_THROWS_WITH(swept(chain, "joint1r", {-1, 1, 4}),
                      Catch::Contains("follows others by its couplings"));
    const Sweep by_hip = swept(chain, "joint1", {-1, 1, 4});
    REQUIRE(by_hip.branches.size() == 1);
    CHECK(position(chain, by_hip.branches[0].points.back().q, "joint1r") == Approx(6));
    CHECK(by_hip.guesses == 0);
}

TEST_CASE("the change point of a parallelogram is no mode, and no way past it") {
    const Robot& robot = test_robots::named("four_bar");
    const Sweep result = swept(robot.model, "joint1", {-1, 1, 20});  // 0 among them
    check_points(robot.model, result, neutral_configuration(robot.model));
    CHECK(result.branches.size() == 4);
    CHECK(points_at(result, 10).empty());
    for (const SweepBranch& branch : result.branches)
        CHECK((branch.begins == BranchEnd::fold) != (branch.ends == BranchEnd::fold));
}

TEST_CASE("on every robot each point of a sweep closes, and no two are one") {
    int independents = 0, dependents = 0, refused = 0, branches = 0;
    test_robots::at_random_states(
        test_robots::all(), 2, 94, [&](const Robot& robot, const State& state, Random& random) {
            const Model& model = robot.model;
            std::vector<int> bodies;
            for (int i = 0; i < model.body_count(); ++i)
                if (position_size(model.bodies[i].joint) == 1) bodies.push_back(i);
            if (bodies.empty()) return;
            const int body = bodies[random() % bodies.size()];
            INFO("joint " << model.names.joints[body]);
            const auto coordinates = independent_coordinates(model);
            const bool leads = std::any_of(coordinates.begin(), coordinates.end(),
                                           [&](const Coordinate& each) { return each.body == body; });
            const double at = state.q[model.bodies[body].q];
            Sweep result;
            try {
                result = sweep(model, state.q, body, {at - 0.5, at + 0.5, 4, 3, random()});
            } catch (const std::invalid_argument&) {
                REQUIRE_FALSE(leads);
                ++refused;
                return;
            }
            ++(leads ? independents : dependents);
            branches += static_cast<int>(result.branches.size());
            check_points(model, result, state.q, leads);
            if (!leads)
                return;  // others are chosen where it leads well: the given state may be none of theirs
            const auto middle = points_at(result, 2);
            CHECK(std::any_of(middle.begin(), middle.end(), [&](const SweepPoint* point) {
                return distance(model, model.bodies[body].cluster, point->q, state.q) < 1e-6;
            }));
        });
    INFO(independents << " independent joints, " << dependents << " dependent ones, " << refused
                      << " refused, " << branches << " branches");
    CHECK(independents > sample_size::least(50));
    CHECK(dependents > sample_size::least(50));
    CHECK(branches > independents + dependents);
    CHECK(refused < dependents);
}

TEST_CASE("sweeping finds the modes of a leg with three rods") {
    const Robot& robot = test_robots::full("digit_leg");
    const Sweep result = swept(robot.model, "motor_knee", {-0.3, 0, 6, 64});
    check_points(robot.model, result, neutral_configuration(robot.model));
    CHECK(result.branches.size() == 8);
    CHECK(missing(robot.model, result, 500, 95) == 0);
}

TEST_CASE("modes of loops that share a crank are found in all their combinations") {
    for (const int count : {2, 4, 5}) {
        INFO(count << " loops");
        const Model model = many_rockers(count);
        SweepOptions options{-M_PI, M_PI, 20};
        const Sweep result = swept(model, "crank", options);
        check_points(model, result, neutral_configuration(model));
        CHECK(result.branches.size() == std::size_t{1} << count);
        options.watched = {model.joint("rocker0").index};
        CHECK(swept(model, "crank", options).branches.size() == 2);
    }
}

TEST_CASE("a sweep without a way to go says what it needs") {
    const Robot& robot = test_robots::named("slider_crank");
    const Eigen::VectorXd q = neutral_configuration(robot.model);
    const int crank = robot.model.joint("crank_joint").index;
    const auto refused = [&](const Model& model, int body, const SweepOptions& options) {
        try {
            static_cast<void>(sweep(model, neutral_configuration(model), body, options));
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    using Catch::Contains;
    CHECK(refused(robot.model, crank, {-1, 1, 3, 0}).empty());
    CHECK_THAT(refused(robot.model, crank, {-1, 1, 0}), Contains("steps of at least 1"));
    CHECK_THAT(refused(robot.model, crank, {-1, 1, 3, -1}), Contains("guesses of at least 0"));
    CHECK_THAT(refused(robot.model, crank, {-1, NAN, 3}), Contains("finite bounds"));
    CHECK_THAT(refused(robot.model, 7, {-1, 1, 3}), Contains("7"));
    const Model& cheetah = test_robots::named("mini_cheetah").model;
    CHECK_THAT(refused(cheetah, 0, {-1, 1, 3}), Contains("a joint of one coordinate"));
    const int hip = cheetah.joint("FR_abad_to_hip_j").index, abad = cheetah.bodies[hip].parent;
    CHECK_THAT(refused(cheetah, hip, {-1, 1, 3, 0, 1, {abad}}), Contains("is in another"));
    CHECK_THROWS_AS(sweep(robot.model, Eigen::VectorXd::Zero(9), crank, {-1, 1, 3}), std::invalid_argument);
    CHECK_THROWS_AS(sweep(robot.model, q * NAN, crank, {-1, 1, 3}), std::invalid_argument);
}
