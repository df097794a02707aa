#include <algorithm>

#include "grbda/compile/build.hpp"
#include "dynamics/joint_forces.hpp"
#include "grbda/io/mjcf.hpp"
#include "grbda/model/catalogue.hpp"
#include "io/mjcf/mujoco_fixture.hpp"
#include "support/body_poses.hpp"
#include "support/dense.hpp"

// Output of write_mjcf as read by MuJoCo, an engine that shares no code with this one.

using namespace mujoco_fixture;
using grbda::Mechanism;
using test_robots::Robot;
using test_robots::State;
using written_joints::mechanism_of;

namespace {

/// Rounding, that of MuJoCo's inertias in principal axes (1e-12) and of how far loops are closed.
constexpr double kSame = 1e-9;
/// Tolerance of singular values relative to the largest one. It separates independent rows from the others.
constexpr double kRank = 1e-7;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void check_frames(const grbda::Model& model, const Eigen::VectorXd& q, const Simulated& simulated) {
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    int found = 0;
    for (int i = 0; i < static_cast<int>(model.frames.size()); ++i) {
        const std::string& name = model.frames[static_cast<std::size_t>(i)].name;
        const int body = id_of(*simulated.model, mjOBJ_BODY, name);
        const int site = id_of(*simulated.model, mjOBJ_SITE, name);
        if (body <= 0 && site < 0) continue;
        INFO(name);
        ++found;
        const mjData& other = *simulated.data;
        const double* const p = site >= 0 ? other.site_xpos + 3 * site : other.xpos + 3 * body;
        const double* const R = site >= 0 ? other.site_xmat + 9 * site : other.xmat + 9 * body;
        CHECK((Eigen::Map<const Eigen::Vector3d>(p) - grbda::frame_position(model, data, i)).norm() < kSame);
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> turn(R);
        CHECK((turn - grbda::frame_orientation(model, data, i)).norm() < kSame);
    }
    CHECK(found >= simulated.model->nbody - 1);
}

/// The same tree without loops and couplings.
Mechanism cut(Mechanism mechanism) {
    mechanism.loops.clear();
    mechanism.couplings.clear();
    mechanism.start.clear();
    mechanism.states.clear();
    mechanism.coordinates.clear();
    for (grbda::MechanismBody& body : mechanism.bodies) {
        body.independent.reset();
        body.friction = 0;
    }
    for (grbda::MechanismTendon& tendon : mechanism.tendons) tendon.friction = 0;
    return mechanism;
}

/// Mass matrix and forces of springs and dampers of all joints of the tree.
void check_tree(const Mechanism& mechanism, const State& state, const grbda::Model& robot,
                Simulated& simulated, test_robots::Random& random) {
    grbda::Diagnostics findings;
    const Mechanism tree = cut(mechanism);
    grbda::LoadOptions options;
    options.rod_reduction = false;  // MuJoCo has all joints
    const grbda::Model model = grbda::build_model(tree, options, findings);
    if (has_errors(findings)) return;  // bodies that loops alone give inertia
    Eigen::VectorXd q(model.nq);
    for (int i = 0; i < model.body_count(); ++i) {
        const grbda::Body& to = model.bodies[static_cast<std::size_t>(i)];
        const grbda::Body& from = robot.bodies[static_cast<std::size_t>(
            written_joints::body_of(robot, model.names.joints[static_cast<std::size_t>(i)]))];
        q.segment(to.q, position_size(to.joint)) = state.q.segment(from.q, position_size(to.joint));
    }
    const Mapping mapping(tree, model, q, *simulated.model);
    const Eigen::VectorXd qd = test_robots::random_vector(random, model.nv_tree);
    set_state(simulated, mapping, qd);
    const mjModel& other = *simulated.model;
    RowMajor M(other.nv, other.nv);
    mj_fullM(&other, M.data(), simulated.data->qM);
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
    REQUIRE(grbda::constraint_embedding<double>(model, data, q, zero).ok());
    const Eigen::MatrixXd P = grbda::explicit_jacobian(model, data);  // order of y
    Eigen::MatrixXd H(model.nv, model.nv);
    REQUIRE(grbda::crba<double>(model, data, q, H).ok());
    const Eigen::MatrixXd S = mapping.S * P;
    CHECK(test_robots::relative(S.transpose() * M * S, H) < kSame);
    const bool has_compensation =
        std::any_of(mechanism.bodies.begin(), mechanism.bodies.end(),
                    [](const auto& body) { return !body.gravity_compensation.empty(); });
    if (has_compensation) return;  // which this version of MuJoCo does not have
    REQUIRE(grbda::joint_forces<double>(model, data, q, qd).ok());
    const Eigen::VectorXd passive = Eigen::Map<const Eigen::VectorXd>(simulated.data->qfrc_passive, other.nv);
    CHECK(test_robots::relative(S.transpose() * passive, data.tau) < kSame);
}

/// The null space of the rows of MuJoCo's equalities is the range of G.
void check_loops(const Mechanism& mechanism, const State& state, const grbda::Model& model,
                 Simulated& simulated) {
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok());
    const Eigen::MatrixXd G = grbda::explicit_jacobian(model, data);
    const Mapping mapping(mechanism, model, state.q, *simulated.model);
    set_state(simulated, mapping, Eigen::VectorXd::Zero(model.nv_tree));
    const int rows = simulated.data->nefc, columns = simulated.model->nv;
    CHECK(columns - model.nv <= rows);
    if (rows == 0) return;
    const Eigen::MatrixXd J = Eigen::Map<const RowMajor>(simulated.data->efc_J, rows, columns);
    const Eigen::VectorXd gap = Eigen::Map<const Eigen::VectorXd>(simulated.data->efc_pos, rows);
    for (int row = 0; row < rows; ++row)  // those of a weld without torque hold nothing
        if (J.row(row).norm() > kRank) CHECK(std::abs(gap[row]) < kSame);
    CHECK((J * mapping.S * G).norm() < kSame * (1 + J.norm() * G.norm()));
    const Eigen::VectorXd values = dense::singular_values(J);
    const auto counts = (values.array() > kRank * values[0]).count();
    INFO(values.transpose());
    CHECK(counts == columns - model.nv);
}

Mechanism without_meshes(Mechanism mechanism) {
    std::erase_if(mechanism.shapes, [](const grbda::MechanismShape& shape) {
        return shape.shape.shape.kind == grbda::ShapeKind::mesh;
    });
    return mechanism;
}

/// The largest gap of MuJoCo's equalities that hold anything.
double widest_loop(const Simulated& simulated) {
    const int rows = simulated.data->nefc, columns = simulated.model->nv;
    if (rows == 0) return 0;
    const Eigen::MatrixXd J = Eigen::Map<const RowMajor>(simulated.data->efc_J, rows, columns);
    double widest = 0;
    for (int row = 0; row < rows; ++row)
        if (J.row(row).norm() > kRank) widest = std::max(widest, std::abs(simulated.data->efc_pos[row]));
    return widest;
}

/// Forces in joints and along tendons, as far as MuJoCo has them.
void add_forces(grbda::RobotDescription& robot, test_robots::Random& random) {
    using baselines_fixture::uniform;
    std::vector<std::string> scalars;
    for (grbda::JointDescription& joint : robot.joints) {
        joint.damping = uniform(random, 0, 2);
        if (velocity_size(joint.type) != 1) continue;
        scalars.push_back(joint.name);
        joint.stiffness = uniform(random, 0, 2);
        joint.rest = {uniform(random, -1, 1)};
        joint.friction = uniform(random, 0, 1);
        if (facts(joint.type).has_range) joint.limits.upper = 4 + uniform(random, 0, 1);
    }
    if (scalars.size() < 2) return;
    grbda::TendonDescription tendon;
    tendon.name = "tendon";
    tendon.terms = {{scalars.front(), uniform(random, 1, 2), {}}, {scalars.back(), -1, {}}};
    tendon.stiffness = 3;
    tendon.damping = 2;
    tendon.rest_lower = tendon.rest_upper = uniform(random, -1, 1);
    robot.tendons.push_back(tendon);
}

void check_robot(const Mechanism& mechanism, const State& state, const grbda::Model& model,
                 test_robots::Random& random, int& loaded) {
    grbda::Diagnostics findings;
    const Mechanism plain = without_meshes(mechanism);
    const std::string text = grbda::write_mjcf(plain, findings);
    if (text.empty()) return;
    INFO(text);
    Simulated simulated = load(text);
    INFO(simulated.error);
    REQUIRE(simulated.model != nullptr);
    ++loaded;
    check_loops(plain, state, model, simulated);
    check_frames(model, state.q, simulated);
    check_tree(plain, state, model, simulated, random);
}

}  // namespace

TEST_CASE("MuJoCo finds frames, mass matrix and loops of every robot as written for it") {
    int loaded = 0;
    test_robots::at_random_states(test_robots::without_rods(), 1, 17,
                                  [&](const Robot& robot, const State& state, test_robots::Random& random) {
                                      const Mechanism mechanism =
                                          mechanism_of(robot.description, robot.options);
                                      check_robot(mechanism, state, robot.model, random, loaded);
                                  });
    CHECK(2 * static_cast<std::size_t>(loaded) > test_robots::without_rods().size());
}

TEST_CASE("MuJoCo finds springs, dampers and tendons as written for it") {
    int loaded = 0;
    test_robots::Random drawn(5);
    std::vector<Robot> robots;
    for (const Robot& robot : test_robots::mechanisms().robots) {
        Robot sprung;
        sprung.name = robot.name;
        sprung.description = robot.description;
        add_forces(sprung.description, drawn);
        grbda::Diagnostics findings;
        const Mechanism mechanism = grbda::make_mechanism(sprung.description, {}, findings);
        if (has_errors(findings)) continue;
        sprung.options.rod_reduction = false;  // MuJoCo has all joints
        sprung.model = grbda::build_model(mechanism, sprung.options, findings);
        if (!has_errors(findings)) robots.push_back(std::move(sprung));
    }
    std::vector<const Robot*> all;
    for (const Robot& robot : robots) all.push_back(&robot);
    test_robots::at_random_states(
        all, 1, 18, [&](const Robot& robot, const State& state, test_robots::Random& random) {
            check_robot(mechanism_of(robot.description), state, robot.model, random, loaded);
        });
    CHECK(2 * static_cast<std::size_t>(loaded) > robots.size());
}

TEST_CASE("MuJoCo simulates robots that are open at zero from the closed start that is written for them") {
    // limp robots of links of 1e-9 kg, whose loops MuJoCo holds by soft forces: with the damping of bearings
    constexpr double step = 0.001, damping = 1, fastest = 20;  // s, N·m·s/rad, rad/s or m/s
    constexpr int steps = 1000;
    int started = 0;
    for (const Robot& robot : test_robots::published()) {
        INFO(robot.name);
        grbda::Diagnostics findings;
        const Mechanism mechanism = without_meshes(
            grbda::with_closed_states(mechanism_of(robot.description, robot.options), robot.model));
        const std::string text = grbda::write_mjcf(mechanism, findings);
        if (text.empty()) continue;
        Simulated simulated = load(text);
        INFO(simulated.error);
        REQUIRE(simulated.model != nullptr);
        mjModel& model = *simulated.model;
        mjData& data = *simulated.data;
        const int start = id_of(model, mjOBJ_KEY, "start");
        CHECK((start >= 0) == !mechanism.start.empty());
        if (start < 0) continue;
        ++started;
        model.opt.integrator = mjINT_IMPLICIT;
        model.opt.timestep = step;
        std::fill_n(model.dof_damping, model.nv, damping);
        mj_resetDataKeyframe(&model, &data, start);
        mj_forward(&model, &data);
        CHECK(widest_loop(simulated) < kSame);
        for (int i = 0; i < steps; ++i) mj_step(&model, &data);
        CHECK(data.warning[mjWARN_BADQACC].number == 0);
        for (int i = 0; i < model.nv; ++i) CHECK(std::abs(data.qvel[i]) < fastest);
    }
    CHECK(started >= 5);
}
