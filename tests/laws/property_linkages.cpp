#include "grbda/batch/batch_data.hpp"
#include "constraints/coordinates.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/factor.hpp"
#include "dynamics/rnea.hpp"
#include "support/baselines_fixture.hpp"
#include "support/robots.hpp"

// Linkages in one plane: the results in the plane agree with Jacobians of any cluster.

namespace {

using namespace test_robots;
using baselines_fixture::add_body;
using baselines_fixture::add_loop;
using baselines_fixture::zero_pose;

constexpr double kSame = 1e-9;
constexpr double kRounding = 1e-10;

enum class Base { world, joint, floating };

/// Two chains of `first` and `second` links about parallel axes on one body, their ends tied; all frames
/// turned at random, links at random heights. `load`: something hangs on the last link of the first chain.
struct Shape {
    int first = 1, second = 2;
    Base base = Base::world;
    bool load = false, armature = false;
    double tilt = 0;  ///< of the last axis out of parallel
};

grbda::RobotDescription linkage(Random& random, const Shape& shape) {
    using grbda::JointType;
    grbda::RobotDescription robot = baselines_fixture::empty_robot("linkage");
    int base = 0;
    if (shape.base != Base::world)
        base =
            add_body(robot, random, shape.base == Base::joint ? JointType::revolute : JointType::floating, 0);
    const Eigen::Vector3d normal = baselines_fixture::exponential(random_vector(random, 3, 2)).col(2);
    const auto add_link = [&](int parent, double tilt) {
        const int i = add_body(robot, random, JointType::revolute, parent);
        grbda::JointDescription& joint = robot.joints.back();
        const Eigen::Vector3d axis = (normal + tilt * normal.unitOrthogonal()).normalized();
        joint.axis = zero_pose(robot, i).rotation.transpose() * axis * (random() % 2 == 0 ? 1 : -1);
        joint.armature = shape.armature ? 0.05 : 0;
        return i;
    };
    int P = base, Q = base;
    for (int i = 0; i < shape.first; ++i) P = add_link(P, 0);
    for (int i = 0; i < shape.second; ++i) Q = add_link(Q, i + 1 == shape.second ? shape.tilt : 0);
    add_loop(robot, random, grbda::LoopType::revolute, P, Q);
    grbda::LoopDescription& loop = robot.loops.back();
    loop.axis = (zero_pose(robot, P).rotation * loop.predecessor_origin.rotation).transpose() * normal;
    if (shape.load) add_body(robot, random, JointType::revolute, P);
    return robot;
}

std::vector<Shape> shapes() {
    std::vector<Shape> all;
    for (const int links : {3, 4, 5})
        for (int first = 1; first < links; ++first)
            for (const Base base : {Base::world, Base::joint, Base::floating})
                for (const bool load : {false, true})
                    all.push_back({first, links - first, base, load, (links + first) % 2 == 0});
    return all;
}

grbda::Model by_jacobians(const grbda::RobotDescription& robot) {
    grbda::LoadOptions options;
    options.form = grbda::Form::jacobians;
    return grbda::build_model(robot, options);
}

int linkages_of(const grbda::Model& model) {
    int count = 0;
    for (const grbda::Cluster& c : model.clusters) count += c.kind == grbda::ClusterKind::planar ? 1 : 0;
    return count;
}

/// Calls law(linkage, same by Jacobians, state) at closed states.
template <class Law>
void on_linkages(std::uint64_t seed, Law&& law) {
    Random random(seed);
    int reached = 0;
    for (const Shape& shape : shapes()) {
        const grbda::RobotDescription robot = linkage(random, shape);
        INFO("seed " << seed << ", chains of " << shape.first << " and " << shape.second << ", base "
                     << static_cast<int>(shape.base) << ", load " << shape.load);
        const grbda::Model model = grbda::build_model(robot), other = by_jacobians(robot);
        REQUIRE(linkages_of(model) == 1);
        REQUIRE(linkages_of(other) == 0);
        State state;
        if (!random_state(other, random, state)) continue;
        ++reached;
        law(model, other, state);
    }
    CHECK(reached > 40);
}

Eigen::MatrixXd mass_matrix(const grbda::Model& model, grbda::Workspace<double>& data,
                            const Eigen::VectorXd& q) {
    Eigen::MatrixXd M(model.nv, model.nv);
    REQUIRE(grbda::crba<double>(model, data, q, M).ok());
    return M;
}

/// All that dynamics gives, without and with wrenches, in the coordinates that both workspaces have.
void compare(const grbda::Model& model, const grbda::Model& other, const State& state,
             grbda::Workspace<double>& data, grbda::Workspace<double>& other_data) {
    const Eigen::MatrixXd M = mass_matrix(other, other_data, state.q);
    CHECK(relative(mass_matrix(model, data, state.q), M) < kRounding);
    for (const bool loaded : {false, true}) {
        grbda::Matrix6X<double> wrenches(6, loaded ? model.body_count() : 0);
        if (loaded) wrenches = state.wrenches;
        REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, wrenches).ok());
        REQUIRE(grbda::aba<double>(other, other_data, state.q, state.yd, state.tau, wrenches).ok());
        CHECK(relative_by_inertia(M, data.ydd, other_data.ydd) < kSame);
        for (std::size_t i = 0; i < model.clusters.size(); ++i) {
            if (model.clusters[i].embedding == grbda::Embedding::implicit)
                CHECK(data.rcond[i] == Approx(other_data.rcond[i]).epsilon(kRounding));
            CHECK(data.margin[i] == Approx(other_data.margin[i]).epsilon(kSame));
        }
        Eigen::MatrixXd x(model.nv, 1), y = x;
        REQUIRE(grbda::inverse_mass_times<double>(model, data, state.ydd, x).ok());
        REQUIRE(grbda::inverse_mass_times<double>(other, other_data, state.ydd, y).ok());
        CHECK(relative_by_inertia(M, x, y) < kSame);
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, wrenches).ok());
        REQUIRE(grbda::rnea<double>(other, other_data, state.q, state.yd, state.ydd, wrenches).ok());
        CHECK(relative(data.tau, other_data.tau) < kRounding);
        REQUIRE(grbda::bias_force<double>(model, data, state.q, state.yd, wrenches).ok());
        REQUIRE(grbda::bias_force<double>(other, other_data, state.q, state.yd, wrenches).ok());
        CHECK(relative(data.tau, other_data.tau) < kRounding);
    }
}

}  // namespace

TEST_CASE("linkages are found among the robots, and no others") {
    for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage"}) {
        INFO(name);
        CHECK(linkages_of(named(name).model) == 1);
    }
    CHECK(linkages_of(named("spatial_four_bar").model) == 0);
    CHECK(linkages_of(named("digit_leg").model) == 0);
    CHECK(linkages_of(named("slider_crank").model) == 0);
}

TEST_CASE("a linkage in its plane is the same as any cluster") {
    on_linkages(81, [](const grbda::Model& model, const grbda::Model& other, const State& state) {
        grbda::Workspace<double> data(model), other_data(other);
        compare(model, other, state, data, other_data);
    });
}

TEST_CASE("a linkage takes other coordinates") {
    on_linkages(82, [](const grbda::Model& model, const grbda::Model& other, const State& state) {
        grbda::Workspace<double> data(model), other_data(other);
        for (const bool tangent : {false, true}) {
            const auto choose = [&](const grbda::Model& of, grbda::Workspace<double>& work) {
                return tangent ? grbda::take_tangents<double>(of, work, state.q)
                               : grbda::choose_coordinates<double>(of, work, state.q, grbda::Marks::ignored);
            };
            REQUIRE(choose(model, data).ok());
            REQUIRE(choose(other, other_data).ok());
            REQUIRE(data.chart.independent == other_data.chart.independent);
            compare(model, other, state, data, other_data);
        }
    });
}

TEST_CASE("derivatives and batches of a linkage are the same as of any cluster") {
    on_linkages(83, [](const grbda::Model& model, const grbda::Model& other, const State& state) {
        grbda::Workspace<double> data(model), other_data(other);
        const grbda::Matrix6X<double> wrenches(6, 0);
        const auto derive = [&](const grbda::Model& of, grbda::Workspace<double>& work) {
            std::vector<Eigen::MatrixXd> D(3, Eigen::MatrixXd(of.nv, of.nv));
            REQUIRE(grbda::aba_derivatives<double>(of, work, state.q, state.yd, state.tau, wrenches, D[0],
                                                   D[1], D[2])
                        .ok());
            return D;
        };
        const auto found = derive(model, data), expected = derive(other, other_data);
        const Eigen::MatrixXd M = mass_matrix(other, other_data, state.q);
        const Eigen::MatrixXd root = M.diagonal().cwiseSqrt().asDiagonal();
        for (std::size_t i = 0; i < found.size(); ++i)
            CHECK(relative(root * found[i], root * expected[i]) < 1e-7);

        grbda::BatchData batch(model);
        Eigen::MatrixXd ydd(model.nv, 1), tau(model.nv, 1), mass(model.nv * model.nv, 1);
        REQUIRE(grbda::aba(model, batch, state.q, state.yd, state.tau, ydd).ok());
        REQUIRE(grbda::rnea(model, batch, state.q, state.yd, state.ydd, tau).ok());
        REQUIRE(grbda::crba(model, batch, state.q, mass).ok());
        CHECK(relative(mass.reshaped(model.nv, model.nv), M) < kRounding);
        REQUIRE(grbda::aba<double>(other, other_data, state.q, state.yd, state.tau, wrenches).ok());
        CHECK(relative_by_inertia(M, ydd, other_data.ydd) < kSame);
        REQUIRE(grbda::rnea<double>(other, other_data, state.q, state.yd, state.ydd, wrenches).ok());
        CHECK(relative(tau, other_data.tau) < kRounding);
    });
}

TEST_CASE("an axis tilted out of the plane makes no linkage") {
    Random random(84);
    Shape shape;
    shape.tilt = 1e-9;
    grbda::Model model;
    try {
        model = grbda::build_model(linkage(random, shape));
    } catch (const grbda::LoadError&) {
        return;  // a loop that cannot move is no linkage either
    }
    CHECK(linkages_of(model) == 0);
}
