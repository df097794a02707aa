#include "grbda/edit/edit.hpp"
#include "support/dense.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <Eigen/Geometry>

#include "edit/edit_fixture.hpp"
#include "grbda/io/file.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"

// A robot held at a frame is the robot with as many forces more as the loop has rows: its accelerations solve
// [M Cᵀ; C 0], C from the Jacobian of the frame.

using namespace grbda;
using namespace edits;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test_robots::relative;

namespace {

constexpr int kStates = 2;
constexpr double kAgreement = equivalence::kAgreement;

/// Rows S on a twist [linear; angular] of the frame in world axes, and the term `extra` in S a + extra = 0.
struct Rows {
    MatrixXd S;
    VectorXd extra;
};

/// By the definition of each type of loop, in a frame with these axes in the world, that moves with v, ω.
Rows rows_of(const Mount& mount, const Eigen::Matrix3d& R, const Vector3d& to_frame, const Vector3d& v,
             const Vector3d& w) {
    const Vector3d a = R * mount.axis.normalized(), b = R * mount.axis2.normalized();
    const Vector3d y = a.unitOrthogonal(), z = a.cross(y);
    std::vector<Eigen::Matrix<double, 1, 6>> rows;
    std::vector<double> extra;
    const auto add = [&](const Vector3d& linear, const Vector3d& angular, double more = 0) {
        rows.emplace_back();
        rows.back() << linear.transpose(), angular.transpose();
        extra.push_back(more);
    };
    const Vector3d none = Vector3d::Zero();
    const auto slides = [&](std::initializer_list<Vector3d> axes) {
        for (const Vector3d& e : axes) add(e, none);
    };
    const auto turns = [&](std::initializer_list<Vector3d> axes) {
        for (const Vector3d& e : axes) add(none, e);
    };
    switch (mount.type) {
        case LoopType::fixed: slides({a, y, z}), turns({a, y, z}); break;
        case LoopType::revolute:
        case LoopType::continuous: slides({a, y, z}), turns({y, z}); break;
        case LoopType::prismatic: slides({y, z}), turns({a, y, z}); break;
        case LoopType::helical: slides({y, z}), turns({y, z}), add(a, -mount.pitch * a); break;
        case LoopType::cylindrical: slides({y, z}), turns({y, z}); break;
        case LoopType::universal:
            slides({a, y, z});
            add(none, b.cross(a), a.dot(w) * w.dot(b) - a.dot(b) * w.squaredNorm());
            break;
        case LoopType::planar: slides({a}), turns({y, z}); break;
        case LoopType::spherical: slides({a, y, z}); break;
        case LoopType::point_on_line: slides({y, z}); break;
        case LoopType::distance: {
            const Vector3d u = to_frame.normalized();
            add(u, none, (v.squaredNorm() - std::pow(u.dot(v), 2)) / to_frame.norm());
            break;
        }
        case LoopType::floating: break;
    }
    Rows result{MatrixXd(rows.size(), 6),
                Eigen::Map<VectorXd>(extra.data(), static_cast<Eigen::Index>(extra.size()))};
    for (std::size_t i = 0; i < rows.size(); ++i) result.S.row(static_cast<Eigen::Index>(i)) = rows[i];
    return result;
}

/// ÿ of M ÿ + bias = τ + Cᵀ λ, C ÿ = c. Rows that hold what nothing moves are rounding, and no rows.
VectorXd constrained(const MatrixXd& M, const VectorXd& force, const MatrixXd& given, const VectorXd& c) {
    constexpr double rounding = 1e-11, threshold = 1e-9;
    if (given.cols() == 0) return {};
    const MatrixXd C = (given.array().abs() < rounding).select(0, given);
    const VectorXd some = dense::least_norm(C, c, threshold);
    const MatrixXd N = dense::null_space(C, threshold);
    if (N.cols() == 0) return some;
    return some + N * dense::solve_symmetric(N.transpose() * M * N, N.transpose() * (force - M * some));
}

/// False: not compared, since the mounted robot's independents are badly conditioned there.
bool solves_kkt(const Model& free, const VectorXd& q, const Mount& mount, const Model& mounted,
                Random& random) {
    Workspace<double> data(free), mounted_data(mounted);
    VectorXd mounted_q(mounted.nq);
    equivalence::copy_positions(free, q, mounted, mounted_q);
    REQUIRE(closure_residual<double>(mounted, mounted_data, mounted_q).ok());
    const VectorXd mounted_yd = test_robots::random_vector(random, mounted.nv);
    if (!constraint_embedding<double>(mounted, mounted_data, mounted_q, mounted_yd).ok() ||
        !well_conditioned(mounted, mounted_data))
        return false;
    const MatrixXd N = velocities(mounted, mounted_data, free);
    const VectorXd yd = N * mounted_yd;
    REQUIRE(forward_kinematics<double>(free, data, q, yd, VectorXd::Zero(free.nv)).ok());
    const int frame = free.frame(mount.frame).index;
    const auto axes = ReferenceFrame::world_aligned;
    const auto v = frame_velocity<double>(free, data, frame, axes);
    const Vector3d p = frame_position<double>(free, data, frame);
    const Rows rows = rows_of(mount, frame_orientation<double>(free, data, frame),
                              mount.place ? Vector3d(p - mount.place->translation) : Vector3d::UnitX(),
                              v.head<3>(), v.tail<3>());
    Matrix6X<double> J(6, free.nv);
    frame_jacobian<double>(free, data, frame, axes, J);
    const MatrixXd C = rows.S * J;
    const VectorXd c = -(rows.S * frame_acceleration<double>(free, data, frame, axes) + rows.extra);
    CHECK((C * yd).norm() < kAgreement * (1 + yd.norm()));
    CHECK((C * N).norm() < kAgreement * (1 + N.norm()));

    const VectorXd tau = test_robots::random_vector(random, free.nv, 5);
    MatrixXd M(free.nv, free.nv), mounted_M(mounted.nv, mounted.nv);
    REQUIRE(crba<double>(free, data, q, M).ok());
    REQUIRE(bias_force<double>(free, data, q, yd).ok());
    const VectorXd expected = constrained(M, tau - data.tau, C, c);
    REQUIRE(crba<double>(mounted, mounted_data, mounted_q, mounted_M).ok());
    CHECK(relative(mounted_M, N.transpose() * M * N) < kAgreement);
    const VectorXd mounted_tau = N.transpose() * tau;
    REQUIRE(aba<double>(mounted, mounted_data, mounted_q, mounted_yd, mounted_tau).ok());
    const VectorXd mounted_ydd = mounted_data.ydd;
    REQUIRE(spanning_acceleration<double>(mounted, mounted_data, mounted_q, mounted_yd, mounted_ydd).ok());
    const VectorXd found = independent_part(
        free, equivalence::mapped(equivalence::velocity_map(mounted, free), mounted_data.qdd));
    const VectorXd weights = M.diagonal().cwiseSqrt();  // what is locked does not move: absolute, too
    CHECK(relative(weights.cwiseProduct(found), weights.cwiseProduct(expected)) < 100 * kAgreement);
    return true;
}

LoopType some_type(Random& random) {
    return static_cast<LoopType>(random() % static_cast<std::uint64_t>(LoopType::floating));
}

/// A mount of some frame that moves; empty where none does.
std::optional<Mount> some_mount(const Model& model, const VectorXd& q, Random& random) {
    std::vector<int> frames;
    for (int i = 0; i < static_cast<int>(model.frames.size()); ++i)
        if (model.frames[i].body != world) frames.push_back(i);
    if (frames.empty()) return std::nullopt;
    const int frame = frames[random() % frames.size()];
    Mount mount;
    mount.frame = model.frames[frame].name;
    mount.type = some_type(random);
    mount.axis = test_robots::random_vector(random, 3).head<3>().normalized();
    mount.axis2 = mount.axis.unitOrthogonal() + 0.4 * mount.axis;
    mount.pitch = 0.05;
    if (mount.type != LoopType::distance) return mount;
    Workspace<double> data(model);
    REQUIRE(forward_kinematics<double>(model, data, q).ok());
    mount.place = Pose{Eigen::Matrix3d::Identity(),
                       frame_position<double>(model, data, frame) + Vector3d(0.3, -0.2, 0.4)};
    return mount;
}

/// On a floating base, if its root has mass and does not float already.
std::optional<Robot> floating(const Robot& robot) {
    const LinkDescription& root = robot.description.links.front();
    const bool floats = std::any_of(
        robot.description.joints.begin(), robot.description.joints.end(),
        [&](const JointDescription& j) { return j.parent == root.name && j.type == JointType::floating; });
    if (robot.model.names.root != root.name || floats || !root.inertial) return std::nullopt;
    Robot result = robot;
    result.options.floating_base = true;
    result.model = build_model(result.description, result.options);
    return result;
}

/// Compares; 0: badly conditioned, 1: compared, −1: the robot cannot be built.
int compare(const Robot& robot, const VectorXd& q, const Mount& mount, Random& random) {
    INFO(to_string(mount.type) << " mount of " << mount.frame);
    Diagnostics diagnostics;
    Mechanism mechanism = mechanism_of(robot);
    for (MechanismBody& body : mechanism.bodies) body.actuated = false;  // what is locked is no error then
    mechanism = grbda::mount(mechanism, robot.model, q, mount, diagnostics);
    INFO(findings(diagnostics));
    REQUIRE_FALSE(has_errors(diagnostics));
    REQUIRE(mechanism.loops.size() == mechanism_of(robot).loops.size() + 1);
    const Model mounted = build_model(mechanism, robot.options, diagnostics);
    if (has_errors(diagnostics)) return -1;
    return solves_kkt(robot.model, q, mount, mounted, random) ? 1 : 0;
}

}  // namespace

TEST_CASE("a mounted robot solves the equations of the free one with the mount's rows") {
    int drawn = 0, built = 0, checked = 0;
    test_robots::at_random_states(test_robots::without_rods(), kStates, 81,
                                  [&](const Robot& robot, const State& state, Random& random) {
                                      const auto mount = some_mount(robot.model, state.q, random);
                                      if (!mount) return;
                                      ++drawn;
                                      const int outcome = compare(robot, state.q, *mount, random);
                                      built += outcome >= 0 ? 1 : 0;
                                      checked += outcome > 0 ? 1 : 0;
                                  });
    INFO(drawn << " drawn, " << built << " built, " << checked << " compared");
    CHECK(10 * built > 9 * drawn);
    CHECK(10 * checked > 8 * drawn);
}

TEST_CASE("robots on a floating base can be held at their last body") {
    int robots = 0;
    for (const Robot& given : test_robots::published()) {
        const std::optional<Robot> made = floating(given);
        if (!made) continue;
        const Robot& robot = *made;
        ++robots;
        INFO(robot.name);
        Random random(82);
        State state;
        if (!test_robots::random_state(robot.model, random, state)) continue;
        Mount mount;
        mount.frame = robot.model.names.bodies[robot.model.body_count() - 1];
        for (const Frame& frame : robot.model.frames)
            if (frame.body == robot.model.body_count() - 1) mount.frame = frame.name;
        int checked = 0;
        for (const LoopType type : {LoopType::fixed, LoopType::spherical, LoopType::revolute}) {
            mount.type = type;
            checked += compare(robot, state.q, mount, random) > 0 ? 1 : 0;
        }
        CHECK(checked > 0);
    }
    CHECK(robots >= 3);
}

TEST_CASE("a mount takes the place that it is given") {
    const Robot robot = *floating(test_robots::named("digit_leg"));
    Mount mount;
    mount.frame = "foot";
    mount.name = "stance";
    mount.place = Pose{Eigen::AngleAxisd(0.3, Vector3d::UnitZ()).toRotationMatrix(), Vector3d(1, 2, 3)};
    Diagnostics diagnostics;
    const Mechanism mechanism = grbda::mount(mechanism_of(robot), robot.model,
                                             neutral_configuration(robot.model), mount, diagnostics);
    const Model model = build_model(mechanism, robot.options, diagnostics);
    INFO(findings(diagnostics));
    REQUIRE_FALSE(has_errors(diagnostics));
    CHECK(model.nv == robot.model.nv - 6);
    CHECK(mechanism.loops.back().name == "stance");
    Workspace<double> data(model);
    Random random(83);
    for (int i = 0; i < 5; ++i) {
        const VectorXd q = random_configuration(model, random);
        REQUIRE(forward_kinematics<double>(model, data, q).ok());
        const int foot = model.frame("foot").index;
        CHECK((frame_position<double>(model, data, foot) - mount.place->translation).norm() < 1e-9);
        CHECK((frame_orientation<double>(model, data, foot) - mount.place->rotation).norm() < 1e-9);
    }
    // and is read back from a file
    Diagnostics reading;
    const Model again = build_model(read_urdf(write_urdf(mechanism), "again.urdf", reading));
    CHECK(again.nv == model.nv);
}

TEST_CASE("errors of invalid mounts say what is expected") {
    const Robot& robot = test_robots::named("four_bar");
    const Mechanism mechanism = mechanism_of(robot);
    const VectorXd q = neutral_configuration(robot.model);
    const auto told = [&](const Mount& mount) {
        Diagnostics diagnostics;
        grbda::mount(mechanism, robot.model, q, mount, diagnostics);
        return findings(diagnostics);
    };
    Mount good;
    good.frame = "link2";
    good.type = LoopType::universal;
    CHECK(told(good).empty());
    const auto with = [&](auto&& change) {
        Mount mount = good;
        change(mount);
        return told(mount);
    };
    using Catch::Contains;
    CHECK_THAT(with([](Mount& m) { m.frame = "link9"; }),
               Contains("error: mount 'link9_mount': expected a known link "
                        "or frame, found 'link9' (did you mean"));
    CHECK_THAT(with([](Mount& m) { m.frame = "base_link"; }), Contains("which is fixed in the world"));
    CHECK_THAT(with([](Mount& m) { m.name = "loop1"; }), Contains("a name that no loop or coupling has"));
    CHECK_THAT(with([](Mount& m) { m.axis.setZero(); }), Contains("an axis of finite numbers"));
    CHECK_THAT(with([](Mount& m) { m.axis2 = 2 * m.axis; }), Contains("that are not parallel"));
    CHECK_THAT(with([](Mount& m) { m.type = LoopType::floating; }), Contains("which holds nothing"));
    CHECK_THAT(with([](Mount& m) { m.type = LoopType::helical; }),
               Contains("a pitch of at least 1e-9 m/rad"));
    CHECK_THAT(with([](Mount& m) { m.length = -1; }), Contains("a length above 0"));
    CHECK_THAT(with([](Mount& m) { m.type = LoopType::distance; }), Contains("a place away from the frame"));
    CHECK_THAT(with([](Mount& m) {
                   m.place = Pose{Eigen::Matrix3d::Identity(), Vector3d::Constant(NAN)};
               }),
               Contains("a place in finite numbers"));
    Diagnostics diagnostics;
    CHECK_THROWS_AS(grbda::mount(mechanism, robot.model, VectorXd::Zero(9), good, diagnostics),
                    std::invalid_argument);
    const VectorXd open = q + VectorXd::Constant(q.size(), 0.1);
    grbda::mount(mechanism, robot.model, open, good, diagnostics);
    CHECK_THAT(findings(diagnostics), Contains("a configuration that closes the loops"));
}

TEST_CASE("a mount whose rows hardly differ from those of loops is refused: no row is left out for it") {
    const std::string path =
        (std::filesystem::path(GRBDA_ROBOTS).parent_path() / "tests/data/mount/nearly_repeated.urdf")
            .string();
    std::string found;
    const std::optional<std::string> text = read_file(path, largest_xml_file, found);
    REQUIRE(text);
    Diagnostics diagnostics;
    const RobotDescription robot = read_urdf(*text, path, diagnostics);
    const Mechanism mechanism = make_mechanism(robot, {}, diagnostics);
    const Model free = build_model(mechanism, {}, diagnostics);
    REQUIRE_FALSE(has_errors(diagnostics));
    REQUIRE(free.nv == 9);
    VectorXd q(24);
    q << -0.16987534501146517, 0.37981499174277933, -0.1403610829033884, -0.15683621339974052,
        -0.7199114699125234, 0.5539628368232508, 0.38762746687194044, -0.25392682360938607,
        -0.24886954943420542, 0.32268454539664143, -0.22241743229686767, 0.0663275859347296,
        -0.3646466327706332, 0.6810009487199227, 0.1395858565038243, 0.3118768783927714, 0.6476776275514229,
        -0.25456987844020923, 0.44501288178976794, 0.44540985339199457, -0.1957602627305251,
        0.3235257543186983, 0.815056256806763, 0.4389673154898222;
    Mount mount;
    mount.frame = "b4";
    mount.type = LoopType::prismatic;
    mount.axis = {-0.7081905073613349, -0.6162254285449654, 0.3445757195419735};
    const Model mounted = build_model(grbda::mount(mechanism, free, q, mount, diagnostics), {}, diagnostics);
    INFO(findings(diagnostics));
    CHECK(mounted.bodies.empty());
    const auto is_refusal = [](const Diagnostic& d) {
        return d.severity == Severity::error && d.code == Code::independents &&
               d.hint.find("nearly repeat each other") != std::string::npos;
    };
    CHECK(std::count_if(diagnostics.begin(), diagnostics.end(), is_refusal) == 1);
    CHECK(std::none_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.code == Code::misfit; }));
}
