#include <cmath>
#include <set>
#include <tuple>

#include "grbda/baselines/baselines.hpp"
#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "laws/strained_mechanism.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Loops that keep only some of their rows, or none: wherever rows are counted, what a loop still has counts,
// not what its type had. Meant to be run with AddressSanitizer, too.

namespace {

using namespace test_robots;
using grbda::LoopType;
using grbda::Status;
using grbda::baselines::Method;

constexpr int kMechanisms = 300;  // fewer do not hold every shape
constexpr int kMany = 5000;
constexpr int kStates = 2;            // for each mechanism
constexpr double kLeastLoaded = 0.8;  // rounded figures lock more of them, or leave them open
constexpr double kAgreement = 1e-8;   // on well-conditioned states
constexpr double kProximal = 1e-6;    // of the method that stops iterating at K q̈ = k to 1e-12

/// Counts of the mechanisms of a test, the shapes that occurred, and the refusals.
struct Tally {
    int drawn = 0, loaded = 0, compared = 0;
    std::set<std::string> shapes;
    std::vector<std::string> refused;
};

/// Which rows the loops and clusters of a model kept.
void note_shapes(const grbda::Model& model, std::set<std::string>& shapes) {
    for (const grbda::Loop& loop : model.loops) {
        const int written = grbda::constraint_size(loop.type);
        shapes.insert(std::string(to_string(loop.type)) + (loop.rows == 0        ? " without rows"
                                                           : loop.rows < written ? " with some"
                                                                                 : " with all"));
    }
    for (std::size_t i = 0; i < model.clusters.size(); ++i) {
        const grbda::Cluster& c = model.clusters[i];
        const bool loops = !c.loops.empty(), couplings = !c.couplings.empty();
        if (loops && c.rows == 0) shapes.insert("cluster without rows");
        if (loops && c.rows > c.dependents()) shapes.insert("redundant rows");
        if (loops && couplings) shapes.insert("loops beside couplings");
        if (model.reports[i].misfit_rows > 0) shapes.insert("misfits");
        if (model.reports[i].misfit_rows > 0 && couplings) shapes.insert("misfits beside couplings");
    }
}

/// Every algorithm once, at any closed state: ok means finite.
void run_all(const grbda::Model& model, const State& state) {
    grbda::Workspace<double> data(model);
    Eigen::VectorXd q = state.q, moved(model.nq), back(model.nv);
    CHECK(grbda::closure_residual<double>(model, data, q).ok());
    const grbda::Result closed = grbda::close_loops<double>(model, data, q);
    CHECK((closed.ok() || closed.status == Status::singular_constraint));  // rounded figures may leave K_d so
    const Eigen::VectorXd step = 1e-3 * state.yd;
    if (grbda::integrate<double>(model, data, q, step, moved).ok()) {
        CHECK(moved.allFinite());
        if (grbda::difference<double>(model, data, q, moved, back).ok()) CHECK((back - step).norm() <= 1e-9);
    }
    Eigen::MatrixXd M(model.nv, model.nv);
    if (grbda::crba<double>(model, data, q, M).ok()) CHECK(M.allFinite());
    if (grbda::rnea<double>(model, data, q, state.yd, state.ydd, state.wrenches).ok())
        CHECK(data.tau.allFinite());
    if (grbda::aba<double>(model, data, q, state.yd, state.tau, state.wrenches).ok())
        CHECK(data.ydd.allFinite());
    grbda::MechanicalState mechanical;
    if (grbda::mechanical_state<double>(model, data, q, state.yd, mechanical).ok())
        CHECK(std::isfinite(mechanical.kinetic));
    static_cast<void>(grbda::forward_kinematics<double>(model, data, q, state.yd, state.ydd));
}

/// The engine against every baseline, at a well-conditioned state.
void compare(const grbda::Model& model, const State& state) {
    grbda::Workspace<double> data(model);
    grbda::baselines::Workspace work(model);
    REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
    const Eigen::VectorXd ydd = data.ydd;
    REQUIRE(grbda::spanning_acceleration<double>(model, data, state.q, state.yd, ydd).ok());
    const Eigen::VectorXd qdd = data.qdd;
    for (const Method method : grbda::baselines::all_methods) {
        INFO(to_string(method));
        const grbda::Result result =
            forward_dynamics(method, model, work, state.q, state.yd, state.tau, state.wrenches);
        if (method == Method::proximal && result.status == Status::not_converged) continue;
        REQUIRE(result.ok());
        const double agreement = method == Method::proximal ? kProximal : kAgreement;
        CHECK(relative(work.ydd, ydd) < agreement);
        CHECK(relative(work.qdd, qdd) < agreement);
    }
    REQUIRE(inverse_dynamics(model, work, state.q, state.yd, state.ydd, state.wrenches).ok());
    REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
    CHECK(relative(data.tau, work.tau) < kAgreement);
    Eigen::MatrixXd M(model.nv, model.nv);
    REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
    CHECK(relative(M, work.M) < kAgreement);
    REQUIRE(grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok());
    CHECK(relative(grbda::explicit_jacobian(model, data), work.G) < kAgreement);
    CHECK(relative(grbda::implicit_jacobian(model, data), work.K) < kAgreement);
    CHECK(relative(grbda::implicit_bias(model, data), work.k) < kAgreement);
}

void check_mechanism(std::uint64_t seed, Tally& tally) {
    const grbda::RobotDescription robot = random_mechanism::strained_mechanism(seed);
    ++tally.drawn;
    grbda::Model model;
    try {
        model = grbda::build_model(robot, {});
    } catch (const grbda::LoadError& error) {
        tally.refused.push_back(robot.name + ": " + error.what());
        return;
    }
    ++tally.loaded;
    note_shapes(model, tally.shapes);
    Random random(seed);
    State state;
    for (int i = 0; i < kStates; ++i) {
        INFO(robot.name << ", state " << i);
        const bool good = random_state(model, random, state);  // else the last one that was tried
        run_all(model, state);
        if (!good) continue;
        compare(model, state);
        ++tally.compared;
    }
}

Tally check_mechanisms(std::uint64_t first, int count) {
    Tally tally;
    for (int i = 0; i < count; ++i) check_mechanism(first + static_cast<std::uint64_t>(i), tally);
    return tally;
}

/// A crank of length r on the ground whose pin runs in the slot of a lever, the bearings d apart, both about
/// z.
grbda::RobotDescription quick_return(double r, double d, double crank, double lever) {
    grbda::RobotDescription robot;
    robot.name = "quick return";
    robot.links.push_back({"ground", {}, {}});
    for (const auto& [name, moment, x] : {std::tuple{"crank", crank, d}, std::tuple{"lever", lever, 0.}}) {
        grbda::LinkDescription link{name, grbda::Inertial{1, {0, 0, 0}, {}}, {}};
        link.inertial->inertia = moment * Eigen::Matrix3d::Identity();
        robot.links.push_back(link);
        grbda::JointDescription joint;
        joint.name = std::string(name) + "_joint";
        joint.parent = "ground";
        joint.child = name;
        joint.origin.translation.x() = x;
        joint.axis = Eigen::Vector3d::UnitZ();
        robot.joints.push_back(joint);
    }
    robot.joints.front().independent = true;
    grbda::LoopDescription slot;
    slot.name = "slot";
    slot.type = LoopType::point_on_line;
    slot.predecessor = "lever";
    slot.successor = "crank";
    slot.successor_origin.translation.x() = r;
    robot.loops.push_back(slot);
    return robot;
}

}  // namespace

TEST_CASE("a pin in a slot moves the lever according to its closed form") {
    constexpr double r = 0.2, d = 0.5, crank = 0.02, lever = 0.05, rounding = 1e-12;
    const grbda::Model model = grbda::build_model(quick_return(r, d, crank, lever));
    REQUIRE(model.nv == 1);
    REQUIRE(model.rows == 1);  // of two: the other is along z
    CHECK(model.loop_rows.front().kind == grbda::RowKind::along);
    grbda::Workspace<double> data(model);
    for (const double angle : {-2.9, -1.2, 0.0, 0.7, 1.9, 3.1}) {
        Eigen::VectorXd q = Eigen::Vector2d(angle, 0);
        REQUIRE(grbda::close_loops<double>(model, data, q).ok());
        const double c = std::cos(angle), s = std::sin(angle), D = d * d + r * r + 2 * d * r * c;
        CHECK(std::abs(q[1] - std::atan2(r * s, d + r * c)) < 1e-10);
        const double slope = (r * r + d * r * c) / D, curvature = -d * r * s * (d * d - r * r) / (D * D);
        const Eigen::VectorXd yd = Eigen::VectorXd::Constant(1, 1.3),
                              ydd = Eigen::VectorXd::Constant(1, -0.4);
        REQUIRE(grbda::rnea<double>(model, data, q, yd, ydd).ok());
        const double tau =
            (crank + lever * slope * slope) * ydd[0] + lever * slope * curvature * yd[0] * yd[0];
        CHECK(std::abs(data.tau[0] - tau) < rounding);
    }
}

TEST_CASE("loops that lose rows leave dynamics that every baseline agrees with") {
    const Tally tally = check_mechanisms(1, kMechanisms);
    for (const std::string& refused : tally.refused) UNSCOPED_INFO(refused);
    CHECK(tally.loaded >= kLeastLoaded * tally.drawn);
    CHECK(tally.compared >= kLeastLoaded * kStates * tally.loaded);
    std::set<std::string> wanted{"cluster without rows", "redundant rows", "loops beside couplings",
                                 "misfits", "misfits beside couplings"};
    for (const LoopType type :
         {LoopType::fixed, LoopType::revolute, LoopType::prismatic, LoopType::helical, LoopType::cylindrical,
          LoopType::universal, LoopType::planar, LoopType::spherical, LoopType::distance})
        wanted.insert(std::string(to_string(type)) + " with all");
    for (const LoopType type :
         {LoopType::revolute, LoopType::prismatic, LoopType::helical, LoopType::cylindrical,
          LoopType::universal, LoopType::planar, LoopType::spherical, LoopType::distance})
        wanted.insert(std::string(to_string(type)) + " without rows");
    for (const LoopType type : {LoopType::fixed, LoopType::revolute, LoopType::prismatic,
                                LoopType::cylindrical, LoopType::universal, LoopType::spherical})
        wanted.insert(std::string(to_string(type)) + " with some");
    for (const std::string& shape : wanted) {
        INFO(shape);
        CHECK(tally.shapes.count(shape) == 1);
    }
}

TEST_CASE("the same of thousands", "[.long]") {
    const Tally tally = check_mechanisms(1000, sample_size::of(kMany));
    for (const std::string& refused : tally.refused) WARN(refused);
    WARN(tally.loaded << " of " << tally.drawn << " loaded, " << tally.compared << " states compared");
    CHECK(tally.loaded >= kLeastLoaded * tally.drawn);
}
