#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "closing/closure_tolerance.hpp"
#include "support/baselines_fixture.hpp"
#include "support/dense.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// integrate() ends where many small steps end, and close_loops() where Newton's flow from the guess ends;
// otherwise they report failure. The reference shares no path following with them: it solves the differential
// equations of both with fixed small steps.

namespace {

using namespace test_robots;

/// Largest distance of two configurations, joint by joint.
double distance(const grbda::Model& model, const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    double largest = 0;
    for (const grbda::Body& body : model.bodies) {
        const int size = grbda::position_size(body.joint);
        const int plain = size == grbda::velocity_size(body.joint) ? size : size - 4;
        if (plain > 0)
            largest = std::max(largest,
                               (a.segment(body.q, plain) - b.segment(body.q, plain)).cwiseAbs().maxCoeff());
        if (plain < size)
            largest = std::max(largest, motion::turn(motion::quaternion(a, body.q + plain),
                                                     motion::quaternion(b, body.q + plain))
                                            .norm());
    }
    return largest;
}

/// True if a joint has independent and dependent components and its positions are no vector space. Its final
/// position is no function of the independent coordinates and depends on the path.
bool mixed(const grbda::Model& model) {
    std::vector<int> independents(model.bodies.size(), 0);
    for (const grbda::Coordinate& y : grbda::independent_coordinates(model))
        ++independents[static_cast<std::size_t>(y.body)];
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const grbda::JointType joint = model.bodies[i].joint;
        if (grbda::position_size(joint) != grbda::velocity_size(joint) && independents[i] > 0 &&
            independents[i] < grbda::velocity_size(joint))
            return true;
    }
    return false;
}

/// q moved by spanning velocities over unit time, every joint by itself.
Eigen::VectorXd moved(const grbda::Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& qd) {
    Eigen::VectorXd next(model.nq);
    for (const grbda::Body& body : model.bodies)
        grbda::kernels::joint_integrate(body.joint, q.data() + body.q, qd.data() + body.v,
                                        next.data() + body.q);
    return next;
}

/// Solution of q̇ = G(q) δy from q after unit time, by the midpoint rule on every joint.
struct Flow {
    Eigen::VectorXd q;
    double conditioning = 1;  ///< the smallest along the path
};
Flow flow(const grbda::Model& model, const Eigen::VectorXd& start, const Eigen::VectorXd& delta, int steps) {
    grbda::Workspace<double> data(model);
    Flow result{start, 1};
    const auto velocity = [&](const Eigen::VectorXd& q) -> Eigen::VectorXd {
        if (!grbda::spanning_velocity<double>(model, data, q, delta)) result.conditioning = 0;
        result.conditioning = std::min(result.conditioning, conditioning(model, data));
        return data.qd / steps;
    };
    for (int i = 0; i < steps && result.conditioning > 0; ++i) {
        const Eigen::VectorXd half = 0.5 * velocity(result.q);
        result.q = moved(model, result.q, velocity(moved(model, result.q, half)));
    }
    return result;
}

/// The same, extrapolated where positions are plain numbers: error h⁴.
Flow extrapolated_flow(const grbda::Model& model, const Eigen::VectorXd& start,
                       const Eigen::VectorXd& delta) {
    constexpr int steps = 100;
    Flow coarse = flow(model, start, delta, steps), fine = flow(model, start, delta, 2 * steps);
    fine.conditioning = std::min(fine.conditioning, coarse.conditioning);
    if (fine.conditioning == 0) return fine;
    for (const grbda::Body& body : model.bodies) {
        const int size = grbda::position_size(body.joint);
        if (size == grbda::velocity_size(body.joint))
            fine.q.segment(body.q, size) +=
                (fine.q.segment(body.q, size) - coarse.q.segment(body.q, size)) / 3;
    }
    return fine;
}

// The flow's own error at comfortable states, of whom the next assembly mode is tenths of a radian away
constexpr double kComfortable = 0.02, kFlow = 0.01, kMixedFlow = 0.3;
constexpr double kBack = 1e-6;  // rounding over rcond, there and back

struct Count {
    long steps = 0, followed = 0, refused = 0;
};

void steps_end_where_small_ones_do(const std::vector<const Robot*>& robots, int states, double amplitude,
                                   std::uint64_t seed, Count& count) {
    for (const Robot* robot : robots) {
        const grbda::Model& model = robot->model;
        const double tolerance = mixed(model) ? kMixedFlow : kFlow;
        grbda::Workspace<double> data(model);
        Random random(seed);
        for (int i = 0; i < states; ++i) {
            INFO(robot->name << ", seed " << seed << ", state " << i << ", amplitude " << amplitude);
            const Eigen::VectorXd q = grbda::random_configuration(model, random);
            const Eigen::VectorXd step = random_vector(random, model.nv, amplitude);
            Eigen::VectorXd end(model.nq), back(model.nq);
            const grbda::Result result = grbda::integrate<double>(model, data, q, step, end);
            const Flow expected = extrapolated_flow(model, q, step);
            ++count.steps;
            if (!result.ok()) {
                ++count.refused;
                INFO(grbda::to_string(result.status));
                if (!mixed(model)) CHECK(expected.conditioning < kComfortable);  // not without need
                continue;
            }
            ++count.followed;
            CHECK(grbda::closure_residual<double>(model, data, end).ok());
            if (expected.conditioning > kComfortable) CHECK(distance(model, end, expected.q) < tolerance);
            const grbda::Result returned = grbda::integrate<double>(model, data, end, -step, back);
            if (mixed(model)) continue;  // it comes back on another way
            INFO(grbda::to_string(returned.status) << ", conditioning " << expected.conditioning);
            CHECK(returned.ok());
            if (!returned.ok()) continue;
            CHECK(distance(model, back, q) < kBack);
        }
    }
}

/// K and φ of one cluster at q, dimensionless; K of the dependents alone.
struct Linearized {
    Eigen::MatrixXd K;
    Eigen::VectorXd phi;
};
Linearized linearize(const grbda::Model& model, grbda::Workspace<double>& data, const grbda::Cluster& c,
                     const Eigen::VectorXd& q) {
    const auto base = grbda::kernels::place_alone<double>(model, data, c, q.data());
    grbda::closing::cluster_residual<double>(model, data, c, base, q.data());
    Linearized result{Eigen::MatrixXd(c.rows, c.dependents()), Eigen::VectorXd(c.rows)};
    for (int r = 0; r < c.rows; ++r) {
        const double scale = model.row_scale[c.row_begin + r];
        result.phi[r] = scale * data.phi[c.row_begin + r];
        for (int d = 0; d < c.dependents(); ++d) {
            const int dof = model.dependent[c.dependent_begin + d];
            result.K(r, d) =
                scale * model.column_scale[dof] * data.K[c.K_begin + r * c.dofs + dof - c.dof_begin];
        }
    }
    return result;
}

/// Moves the dependents of a cluster by a portion of Newton's step at `at`, from `from`; the step's size.
double newton_step(const grbda::Model& model, grbda::Workspace<double>& data, const grbda::Cluster& c,
                   const Eigen::VectorXd& at, double portion, Eigen::VectorXd& from, double& smallest) {
    const Linearized linear = linearize(model, data, c, at);
    smallest = std::min(smallest, dense::singular_values(linear.K).minCoeff());
    const Eigen::VectorXd newton = -dense::least_norm(linear.K, linear.phi);
    std::vector<double> step(static_cast<std::size_t>(c.dofs), 0.);
    for (int d = 0; d < c.dependents(); ++d) {
        const int dof = model.dependent[c.dependent_begin + d];
        step[static_cast<std::size_t>(dof - c.dof_begin)] = newton[d] * model.column_scale[dof];
    }
    grbda::kernels::move_cluster<double>(model, c, from.data(), step.data(), portion, from.data());
    return newton.cwiseAbs().sum();
}

/// Newton's flow of every cluster in q by the midpoint rule; the least singular value of K_d on its path.
double newton_flow(const grbda::Model& model, grbda::Workspace<double>& data, Eigen::VectorXd& q) {
    constexpr double portion = 0.02;  // of the whole path in time e⁻¹
    constexpr double near = 0.01;     // radians: whole steps then end where the flow does
    constexpr int most_steps = 600;
    double smallest = 1;
    for (const grbda::Cluster& c : model.clusters) {
        if (c.rows == 0 || c.dependents() == 0) continue;
        for (int i = 0; i < most_steps; ++i) {
            Eigen::VectorXd half = q;
            if (newton_step(model, data, c, q, portion / 2, half, smallest) < near) break;
            newton_step(model, data, c, half, portion, q, smallest);
        }
        for (int i = 0; i < 6; ++i) newton_step(model, data, c, Eigen::VectorXd(q), 1, q, smallest);
    }
    return smallest;
}

/// Tangent moves of dependent coordinates only.
Eigen::VectorXd disturbed(const grbda::Model& model, const Eigen::VectorXd& q, Random& random, double size) {
    Eigen::VectorXd x = random_vector(random, model.nv_tree, size), dofs(model.nv_tree);
    for (const grbda::Coordinate& y : grbda::independent_coordinates(model))
        x[model.bodies[y.body].v + y.component] = 0;
    return moved(model, q, x);
}

void guesses_end_where_the_flow_does(const std::vector<const Robot*>& robots, int states, double amplitude,
                                     std::uint64_t seed, Count& count) {
    for (const Robot* robot : robots) {
        const grbda::Model& model = robot->model;
        grbda::Workspace<double> data(model);
        Random random(seed);
        for (int i = 0; i < states; ++i) {
            INFO(robot->name << ", seed " << seed << ", state " << i);
            const Eigen::VectorXd guess =
                disturbed(model, grbda::random_configuration(model, random), random, amplitude);
            Eigen::VectorXd q = guess, expected = guess;
            const grbda::Result result = grbda::close_loops<double>(model, data, q);
            const double smallest = newton_flow(model, data, expected);
            ++count.steps;
            CHECK_FALSE(result.from_neutral);
            if (!result.ok()) {
                ++count.refused;
                INFO(grbda::to_string(result.status) << ", residual " << result.residual);
                const bool opposed = result.residual >= 1;  // axes against each other: the flow's false root
                CHECK((opposed || smallest < kComfortable));
                continue;
            }
            ++count.followed;
            if (smallest > kComfortable)
                CHECK(distance(model, q, expected) < (mixed(model) ? kMixedFlow : kFlow));
        }
    }
}

// The flows take their time under the sanitizers
#if defined(GRBDA_SANITIZED)
constexpr int kSteps = 1, kGuesses = 1, kOneOf = 5;
#else
constexpr int kSteps = 3, kGuesses = 2, kOneOf = 1;
#endif

/// One robot of every kOneOf.
std::vector<const Robot*> some() {
    std::vector<const Robot*> result;
    for (std::size_t i = 0; i < all().size(); i += kOneOf) result.push_back(all()[i]);
    return result;
}

}  // namespace

TEST_CASE("integrate ends where many small steps end, and comes back") {
    Count count;
    steps_end_where_small_ones_do(some(), kSteps, 0.3, 601, count);
    CHECK(10 * count.followed > 7 * count.steps);
}

TEST_CASE("integrate ends where many small steps end, on a hundred thousand steps", "[.long]") {
    Count count;
    for (const double amplitude : {0.03, 0.1, 0.3, 1.})
        steps_end_where_small_ones_do(all(), 80, amplitude, 602, count);
    WARN(count.steps << " steps, " << count.followed << " followed, " << count.refused << " refused");
}

TEST_CASE("close_loops ends where Newton's flow from the guess ends") {
    Count count;
    guesses_end_where_the_flow_does(some(), kGuesses, 0.2, 603, count);
    CHECK(10 * count.followed > 7 * count.steps);
}

TEST_CASE("close_loops ends where Newton's flow from the guess ends, from far away", "[.long]") {
    Count count;
    for (const double amplitude : {0.1, 0.5, 1.})
        guesses_end_where_the_flow_does(all(), 10, amplitude, 604, count);
    WARN(count.steps << " guesses, " << count.followed << " followed, " << count.refused << " refused");
}

TEST_CASE("a step does not pass a gap that is out of a short rod's reach") {
    // between two folds, at 0.685 and 0.823 of the way, the rod would have to be 1e-4 m longer
    grbda::RobotDescription robot = baselines_fixture::empty_robot("short rod");
    const auto arm = [&](const char* joint, const char* parent, const char* link, double x,
                         bool independent) {
        robot.links.push_back(
            baselines_fixture::make_link(link, {1, {0.3, 0, 0}, Eigen::Matrix3d::Identity()}));
        robot.joints.push_back(baselines_fixture::make_joint(joint, grbda::JointType::revolute, parent, link,
                                                             {Eigen::Matrix3d::Identity(), {x, 0, 0}},
                                                             {0, 0, 1}));
        robot.joints.back().independent = independent;
    };
    arm("j1", "ground", "a", 0, true);
    arm("j2", "a", "b", 1, true);
    arm("j3", "ground", "c", 1.5, false);
    grbda::LoopDescription rod;
    rod.name = "rod";
    rod.type = grbda::LoopType::distance;
    rod.predecessor = "b";
    rod.successor = "c";
    rod.predecessor_origin.translation = {0.8, 0, 0};
    rod.successor_origin.translation = {1, 0, 0};
    rod.length = 0.03;
    robot.loops.push_back(rod);
    const grbda::Model model = grbda::build_model(robot);
    grbda::Workspace<double> data(model);
    const Eigen::Vector3d q(-0.55081927011653276, -0.11420608270255864, -1.5645082215295005);
    const Eigen::Vector2d way(0.16402950018315776, -0.43992996764302728);
    REQUIRE(grbda::closure_residual<double>(model, data, q).ok());
    Eigen::VectorXd end(model.nq);
    CHECK(grbda::integrate<double>(model, data, q, 0.6 * way, end).ok());
    CHECK(grbda::integrate<double>(model, data, q, way, end).status == grbda::Status::fold);
}

TEST_CASE("a wrist's loops stay in their assembly mode even if another is near") {
    // the independents go 2e-4 rad; a mode 1.7 rad away was taken for the end of the way
    const grbda::Model& model = named("lims2_wrist").model;
    grbda::Workspace<double> data(model);
    Eigen::VectorXd q = grbda::neutral_configuration(model);
    const std::vector<std::pair<const char*, Eigen::Vector2d>> state = {
        {"proximal_to_arm_1", {0.7435152859674182, 0.17870460686817394}},
        {"arm_1_to_distal", {-0.46985553884697095, 2.399823129447926}},
        {"proximal_to_arm_2", {-0.01603414054804481, -0.9408545730402383}},
        {"proximal_to_arm_3", {-0.4307462932410449, 0.6819484141530155}}};
    for (const auto& [joint, value] : state) q.segment<2>(model.joint(joint).q.first) = value;
    REQUIRE(grbda::closure_residual<double>(model, data, q).ok());
    const int first = model.joint("proximal_to_arm_1").q.first;
    Eigen::VectorXd next = q, moved_on(model.nq);
    next.segment<2>(first) = Eigen::Vector2d(0.7436345950032461, 0.1788830642335462);
    const Eigen::Vector2d step = next.segment<2>(first) - q.segment<2>(first);
    const auto same_mode = [&](const grbda::Result& result, const Eigen::VectorXd& reached) {
        if (result.ok()) return distance(model, reached, q) < 0.2;
        return result.status == grbda::Status::fold || result.status == grbda::Status::singular_constraint;
    };
    CHECK(same_mode(grbda::integrate<double>(model, data, q, step, moved_on), moved_on));
    CHECK(same_mode(grbda::close_loops<double>(model, data, next), next));
}
