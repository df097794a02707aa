#include <algorithm>
#include <optional>
#include <set>

#include <Eigen/Dense>

#include "edit/edit_fixture.hpp"
#include "constraints/coordinates.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"

// Robots that are mounted or frozen: their independent coordinates, their idle links, and the models that are
// read back from their files.

using namespace grbda;
using namespace edits;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kLeads = 1e-3;   // rcond of K_d with which a choice of independents is taken
constexpr double kCloses = 1e-6;  // gaps of loops, relative to the cluster's size

/// A model, and the mechanism that it is built of.
struct Built {
    Mechanism mechanism;
    Model model;
};

std::optional<Built> build(Mechanism mechanism, Diagnostics& diagnostics) {
    Model model = build_model(mechanism, {}, diagnostics);
    if (has_errors(diagnostics)) return std::nullopt;
    return Built{std::move(mechanism), std::move(model)};
}

/// The robot on a floating base, if its description allows one.
std::optional<Built> floating(const Robot& robot) {
    LoadOptions options = robot.options;
    options.floating_base = true;
    Diagnostics diagnostics;
    Mechanism mechanism = make_mechanism(robot.description, options, diagnostics);
    if (has_errors(diagnostics)) return std::nullopt;
    return build(std::move(mechanism), diagnostics);
}

/// The robot with some moving frame mounted in place or nearby; nothing if that locks motors.
std::optional<Built> mounted(const Built& robot, Random& random, bool elsewhere, Diagnostics& diagnostics) {
    std::vector<int> frames;
    for (int i = 0; i < static_cast<int>(robot.model.frames.size()); ++i)
        if (robot.model.frames[i].body != world) frames.push_back(i);
    if (frames.empty()) return std::nullopt;
    const int frame = frames[random() % frames.size()];
    Mount mount;
    mount.frame = robot.model.frames[frame].name;
    mount.type = random() % 2 == 0 ? LoopType::fixed : LoopType::spherical;
    const VectorXd q = neutral_configuration(robot.model);
    Workspace<double> data(robot.model);
    REQUIRE(forward_kinematics<double>(robot.model, data, q).ok());
    if (elsewhere)
        mount.place = Pose{frame_orientation(robot.model, data, frame),
                           frame_position(robot.model, data, frame) + Eigen::Vector3d(0.01, -0.02, 0.015)};
    Mechanism mechanism = grbda::mount(robot.mechanism, robot.model, q, mount, diagnostics);
    if (has_errors(diagnostics)) return std::nullopt;
    return build(std::move(mechanism), diagnostics);
}

std::optional<Built> frozen(const Built& robot, Random& random, Diagnostics& diagnostics) {
    if (robot.model.names.joints.empty()) return std::nullopt;
    const std::string& joint = robot.model.names.joints[random() % robot.model.names.joints.size()];
    Mechanism mechanism =
        freeze(robot.mechanism, robot.model, neutral_configuration(robot.model), {joint}, diagnostics);
    if (has_errors(diagnostics)) return std::nullopt;
    return build(std::move(mechanism), diagnostics);
}

/// A robot that was mounted or frozen, and how.
struct Edited {
    std::string how;
    Built robot;
};

/// A mount just out of reach, within the tolerance of omitted rows: from another start it may be refused.
bool is_out_of_reach(const Built& robot) {
    return std::any_of(robot.model.reports.begin(), robot.model.reports.end(),
                       [](const ClusterReport& report) { return report.misfit > kCloses; });
}

/// Robots on a floating base and without, mounted and frozen at random.
std::vector<Edited> edit_all(std::uint64_t seed) {
    std::vector<Edited> result;
    for (const Robot* const robot : test_robots::all()) {
        Random random(seed);
        std::vector<Built> bases{{mechanism_of(*robot), robot->model}};
        if (auto base = floating(*robot)) bases.push_back(std::move(*base));
        for (const Built& base : bases)
            for (int kind = 0; kind < 3; ++kind) {
                Diagnostics diagnostics;
                auto edited = kind < 2 ? mounted(base, random, kind == 1, diagnostics)
                                       : frozen(base, random, diagnostics);
                const std::string how = robot->name + ", edited as kind " + std::to_string(kind);
                if (edited) result.push_back({how, std::move(*edited)});
            }
    }
    return result;
}

/// Calls action(robot) for these.
template <class Action>
void each_edited(Action&& action) {
    static const std::vector<Edited> all = edit_all(84);
    for (const Edited& edited : all) {
        INFO(edited.how);
        action(edited.robot);
    }
}

std::set<std::string> motors_of(const Mechanism& mechanism) {
    std::set<std::string> motors;
    for (const MechanismBody& body : mechanism.bodies)
        if (body.actuated) motors.insert(body.joint);
    return motors;
}

/// Number of motors whose velocities are independent in data's chart.
int leading_motors(const Built& robot, const Workspace<double>& data) {
    int count = 0;
    const std::set<std::string> motors = motors_of(robot.mechanism);
    for (const int dof : data.chart.independent)
        count += static_cast<int>(motors.count(robot.model.names.joints[robot.model.dof_body[dof]]));
    return count;
}

/// rcond(K_d) in data's chart, the smallest over some configurations.
double worst_conditioning(const Model& model, Workspace<double>& data, Random& random) {
    double worst = 1;
    for (int i = 0; i < 6; ++i) {
        const VectorXd q =
            i == 0 ? VectorXd(neutral_configuration(model)) : random_configuration(model, random);
        static_cast<void>(constraint_embedding<double>(model, data, q, VectorXd::Zero(model.nv)));
        worst = std::min(worst, test_robots::conditioning(model, data));
    }
    return worst;
}

/// A group moves while all other bodies with mass, and all motors, stand still.
bool is_idle(const Built& robot, const std::vector<int>& group) {
    constexpr double still = 1e-6, moving = 1e-3;
    const Model& model = robot.model;
    Workspace<double> data(model);
    const VectorXd q = neutral_configuration(model);
    REQUIRE(constraint_embedding<double>(model, data, q, VectorXd::Zero(model.nv)).ok());
    const MatrixXd G = explicit_jacobian(model, data);
    REQUIRE(forward_kinematics<double>(model, data, q, VectorXd::Zero(model.nv)).ok());
    const std::set<std::string> motors = motors_of(robot.mechanism);
    std::vector<Eigen::RowVectorXd> rows;
    MatrixXd own(0, model.nv);
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        if (body.rotor || motors.count(model.names.joints[i]) > 0)
            for (int j = 0; j < velocity_size(body.joint); ++j) rows.push_back(G.row(body.v + j));
        if (body.rotor || (model.inertials[i].mass == 0 && model.inertials[i].inertia.isZero(0))) continue;
        Matrix6X<double> J(6, model.nv);
        body_jacobian<double>(model, data, i, ReferenceFrame::world_aligned, J);
        if (std::find(group.begin(), group.end(), i) != group.end())
            own = J;
        else
            for (int r = 0; r < 6; ++r) rows.push_back(J.row(r));
    }
    MatrixXd others = MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()) + 1, model.nv);
    for (std::size_t i = 0; i < rows.size(); ++i) others.row(static_cast<Eigen::Index>(i)) = rows[i];
    const Eigen::JacobiSVD<MatrixXd> svd(others, Eigen::ComputeFullV);
    const double size = std::max(others.norm(), own.norm());
    const auto held = (svd.singularValues().array() > still * size).count();
    const MatrixXd N = svd.matrixV().rightCols(model.nv - held);
    return (own * N).norm() > moving;
}

}  // namespace

TEST_CASE("motors are the independent joints of a humanoid that stands on a foot") {
    const Robot& robot = test_robots::named("digit");
    const VectorXd q = neutral_configuration(robot.model);
    for (const std::string side : {"left", "right"})
        for (const LoopType type : {LoopType::fixed, LoopType::revolute, LoopType::spherical}) {
            INFO(side << " foot, " << to_string(type));
            Diagnostics diagnostics;
            Mount mount;
            mount.frame = side + "_foot";
            mount.type = type;
            const auto built =
                build(grbda::mount(mechanism_of(robot), robot.model, q, mount, diagnostics), diagnostics);
            INFO(findings(diagnostics));
            REQUIRE(built);
            CHECK(leading_motors(*built, Workspace<double>(built->model)) == 12);
            int idle = 0;
            for (const ClusterReport& report : built->model.reports)
                idle += static_cast<int>(report.idle.size());
            CHECK(idle == 0);
        }
}

TEST_CASE("motors of mounted and frozen robots are independent where possible") {
    int edited = 0, worse = 0;
    Random random(85);
    each_edited([&](const Built& edit) {
        Mechanism mechanism = edit.mechanism;
        mechanism.coordinates.clear();
        for (MechanismBody& body : mechanism.bodies) {  // nothing said but the motors
            body.independent.reset();
            body.combined = false;
            body.actuated = random() % 3 == 0;
        }
        Diagnostics diagnostics;
        const auto built = build(std::move(mechanism), diagnostics);
        if (!built) return;  // locked motors
        const Built& robot = *built;
        Workspace<double> chosen(robot.model), preferred(robot.model);
        std::vector<int> wanted;
        for (const std::string& motor : motors_of(robot.mechanism)) {
            const Body& body = robot.model.bodies[robot.model.joint(motor).index];
            for (int j = 0; j < velocity_size(body.joint); ++j) wanted.push_back(body.v + j);
        }
        if (wanted.empty()) return;
        ++edited;
        const VectorXd q = neutral_configuration(robot.model);
        if (!prefer_coordinates<double>(robot.model, preferred, q, wanted).ok()) return;
        if (leading_motors(robot, preferred) <= leading_motors(robot, chosen)) return;
        worse += worst_conditioning(robot.model, preferred, random) > kLeads ? 1 : 0;
    });
    INFO(edited << " edited, " << worse << " with fewer motors than can be");
    CHECK(edited > 30);
    CHECK(100 * worse < edited);
}

TEST_CASE("idle links of edited robots move alone") {
    int groups = 0;
    each_edited([&](const Built& robot) {
        for (const ClusterReport& report : robot.model.reports)
            for (const std::vector<int>& group : report.idle) {
                std::string names;
                for (const int body : group) names += robot.model.names.bodies[body] + " ";
                INFO(names);
                CHECK(is_idle(robot, group));
                ++groups;
            }
    });
    CHECK(groups > 15);
}

TEST_CASE("files of edited robots contain no configuration that has to be moved") {
    int files = 0, refused = 0;
    each_edited([&](const Built& robot) {
        if (is_out_of_reach(robot)) return;
        std::string text;
        try {
            text = write_urdf(robot.mechanism);
        } catch (const std::invalid_argument&) {
            return;  // what URDF+ has no words for
        }
        Diagnostics reading;
        const RobotDescription description = read_urdf(text, "again.urdf", reading);
        Mechanism mechanism = make_mechanism(description, {}, reading);
        ++files;
        if (has_errors(
                reading)) {  // couplings that are all that is left lock two joints of a cluster that moves
            ++refused;
            return;
        }
        const auto again = build(std::move(mechanism), reading);
        INFO(findings(reading));
        REQUIRE(again);
        for (const Diagnostic& each : reading) CHECK(each.code != Code::state);
        CHECK(again->model.states.size() == robot.model.states.size());
        VectorXd q(again->model.nq);
        equivalence::copy_positions(robot.model, neutral_configuration(robot.model), again->model, q);
        CHECK((q - neutral_configuration(again->model)).norm() < 1e-9);
    });
    INFO(files << " files, " << refused << " refused");
    CHECK(files > 30);
    CHECK(100 * refused < files);
}
