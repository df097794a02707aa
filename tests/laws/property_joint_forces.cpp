#include <Eigen/Geometry>

#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/kinematics.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// Joint forces: springs give what their potential loses, dampers and friction never give, what carries all
// weight takes gravity off, and all of it is Gᵀ of forces on joints and Jᵀ of forces on bodies.

namespace {

using namespace test_robots;
using grbda::Body;
using grbda::JointType;
using grbda::Model;
using grbda::PassiveForces;

constexpr int kStates = 2;
constexpr double kRounding = 1e-11;  // sums of a few hundred terms

double uniform(Random& random, double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(random);
}

bool has_quaternion(const Body& body) {
    return body.joint == JointType::spherical || body.joint == JointType::floating;
}

/// Some springs, each as stiff in all directions where a joint turns about three axes.
void add_springs(Model& model, Random& random) {
    PassiveForces& passive = model.passive;
    for (const Body& body : model.bodies) {
        if (uniform(random, 0, 1) < 0.3) continue;
        double k = 0;
        for (int j = 0; j < grbda::velocity_size(body.joint); ++j) {
            if (!has_quaternion(body) || j % 3 == 0) k = uniform(random, 0, 20);
            passive.stiffness[static_cast<std::size_t>(body.v + j)] = k;
        }
        const int size = grbda::position_size(body.joint);
        for (int j = 0; j < size; ++j)
            passive.rest[static_cast<std::size_t>(body.q + j)] = uniform(random, -1, 1);
        if (!has_quaternion(body)) continue;
        Eigen::Map<Eigen::Vector4d>(passive.rest.data() + body.q + size - 4).normalize();
    }
    std::vector<const Body*> single;
    for (const Body& body : model.bodies)
        if (grbda::velocity_size(body.joint) == 1) single.push_back(&body);
    for (int i = 0; i < 3 && !single.empty(); ++i) {
        std::shuffle(single.begin(), single.end(), random);
        grbda::Tendon tendon;
        tendon.stiffness = uniform(random, 0, 10);
        tendon.rest_lower = uniform(random, -1, 0);
        tendon.rest_upper = i == 0 ? tendon.rest_lower : uniform(random, 0, 1);
        tendon.terms.first = static_cast<int>(passive.terms.size());
        for (std::size_t j = 0; j < std::min<std::size_t>(3, single.size()); ++j)
            passive.terms.push_back({single[j]->q, single[j]->v, uniform(random, -2, 2)});
        tendon.terms.last = static_cast<int>(passive.terms.size());
        passive.tendons.push_back(tendon);
    }
}

void add_losses(Model& model, Random& random) {
    for (double& d : model.passive.damping) d = uniform(random, 0, 3);
    for (double& f : model.passive.friction) f = uniform(random, 0, 2);
    for (grbda::Tendon& tendon : model.passive.tendons) {
        tendon.damping = uniform(random, 0, 3);
        tendon.friction = uniform(random, 0, 2);
    }
}

void add_weights(Model& model, Random& random) {
    for (int i = 0; i < model.body_count(); ++i) {
        if (model.bodies[i].rotor || is_length(model, i)) continue;
        const Eigen::VectorXd moment = random_vector(random, 3);
        model.passive.weights.push_back({i, uniform(random, 0, 2), {moment[0], moment[1], moment[2]}});
    }
}

/// The robot without the forces of its own files.
Model bare(const Robot& robot) {
    Model model = robot.model;
    PassiveForces& passive = model.passive;
    for (std::vector<double>* x : {&passive.damping, &passive.friction, &passive.stiffness})
        std::fill(x->begin(), x->end(), 0);
    passive.tendons.clear();
    passive.terms.clear();
    passive.weights.clear();
    return model;
}

Eigen::Vector3d gravity(const Model& model) { return {model.gravity.x, model.gravity.y, model.gravity.z}; }

/// From the spring's rest to q, in the child's axes.
Eigen::Vector3d turned(const double* rest, const Eigen::VectorXd& q, int first) {
    const Eigen::Quaterniond from(rest[3], rest[0], rest[1], rest[2]);
    const Eigen::AngleAxisd turn(from.conjugate() * motion::quaternion(q, first).normalized());
    return turn.angle() * turn.axis();
}

double length_of(const Model& model, const grbda::Tendon& tendon, const Eigen::VectorXd& x, bool rate) {
    double sum = 0;
    for (const int t : tendon.terms) {
        const grbda::TendonTerm& term = model.passive.terms[t];
        sum += term.coefficient * x[rate ? term.v : term.q];
    }
    return sum;
}

double stretch_of(const grbda::Tendon& tendon, double length) {
    return length - std::clamp(length, tendon.rest_lower, tendon.rest_upper);
}

/// ½ k x² of all springs, and of the weights that are carried.
double potential(const Model& model, grbda::Workspace<double>& data, const Eigen::VectorXd& q) {
    const PassiveForces& passive = model.passive;
    double sum = 0;
    for (const Body& body : model.bodies) {
        const double* k = passive.stiffness.data() + body.v;
        const double* rest = passive.rest.data() + body.q;
        const int first = body.joint == JointType::floating ? 3 : 0;
        const int lengths = has_quaternion(body) ? first : grbda::velocity_size(body.joint);
        for (int j = 0; j < lengths; ++j) sum += 0.5 * k[j] * std::pow(q[body.q + j] - rest[j], 2);
        if (has_quaternion(body))
            sum += 0.5 * k[first] * turned(rest + first, q, body.q + first).squaredNorm();
    }
    for (const grbda::Tendon& tendon : passive.tendons)
        sum += 0.5 * tendon.stiffness * std::pow(stretch_of(tendon, length_of(model, tendon, q, false)), 2);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    for (const grbda::CarriedWeight& weight : passive.weights) {
        const int frame = model.body_frame[weight.body];
        const Eigen::Vector3d moment(weight.moment.x, weight.moment.y, weight.moment.z);
        sum += gravity(model).dot(weight.mass * grbda::frame_position(model, data, frame) +
                                  grbda::frame_orientation(model, data, frame) * moment);
    }
    return sum;
}

/// q̇ with velocities of the origins of floating joints along the axes of their positions, as dry friction
/// acts.
Eigen::VectorXd rubbing_rates(const Model& model, const Eigen::VectorXd& q, Eigen::VectorXd qd) {
    for (const Body& body : model.bodies)
        if (body.joint == JointType::floating)
            qd.segment<3>(body.v) = motion::quaternion(q, body.q + 3) * qd.segment<3>(body.v).eval();
    return qd;
}

Eigen::VectorXd forces_on_joints(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& qd) {
    const PassiveForces& passive = model.passive;
    Eigen::VectorXd force(model.nv_tree);
    const Eigen::VectorXd rubbing = rubbing_rates(model, q, qd);
    for (int j = 0; j < model.nv_tree; ++j)
        force[j] = -passive.friction[static_cast<std::size_t>(j)] *
                   (rubbing[j] == 0 ? 0 : std::copysign(1.0, rubbing[j]));
    for (const Body& body : model.bodies)
        if (body.joint == JointType::floating)
            force.segment<3>(body.v) =
                motion::quaternion(q, body.q + 3).conjugate() * force.segment<3>(body.v).eval();
    for (int j = 0; j < model.nv_tree; ++j) force[j] -= passive.damping[static_cast<std::size_t>(j)] * qd[j];
    for (const Body& body : model.bodies) {
        const double* k = passive.stiffness.data() + body.v;
        const double* rest = passive.rest.data() + body.q;
        if (body.joint == JointType::floating) {
            const Eigen::Vector3d way = q.segment<3>(body.q) - Eigen::Map<const Eigen::Vector3d>(rest);
            force.segment<3>(body.v) -= k[0] * (motion::quaternion(q, body.q + 3).conjugate() * way);
            force.segment<3>(body.v + 3) -= k[3] * turned(rest + 3, q, body.q + 3);
        } else if (body.joint == JointType::spherical) {
            force.segment<3>(body.v) -= k[0] * turned(rest, q, body.q);
        } else {
            for (int j = 0; j < grbda::velocity_size(body.joint); ++j)
                force[body.v + j] -= k[j] * (q[body.q + j] - rest[j]);
        }
    }
    for (const grbda::Tendon& tendon : passive.tendons) {
        const double rate = length_of(model, tendon, qd, true);
        const double pull = -tendon.stiffness * stretch_of(tendon, length_of(model, tendon, q, false)) -
                            tendon.damping * rate -
                            tendon.friction * (rate > 0   ? 1
                                               : rate < 0 ? -1
                                                          : 0);
        for (const int t : tendon.terms) {
            const grbda::TendonTerm& term = passive.terms[static_cast<std::size_t>(t)];
            force[term.v] += term.coefficient * pull;
        }
    }
    return force;
}

Eigen::VectorXd spanning_rates(const Model& model, grbda::Workspace<double>& data, const State& state) {
    REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
    return data.qd;
}

Eigen::VectorXd tau_of(const Model& model, grbda::Workspace<double>& data, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& qd) {
    REQUIRE(grbda::joint_forces<double>(model, data, q, qd).ok());
    return data.tau;
}

}  // namespace

TEST_CASE("joint forces are those on joints through G and those on bodies through J on every robot") {
    at_random_states(all(), kStates, 401, [](const Robot& robot, const State& state, Random& random) {
        Model model = bare(robot);
        add_springs(model, random);
        add_losses(model, random);
        add_weights(model, random);
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd qd = spanning_rates(model, data, state);
        const Eigen::VectorXd found = tau_of(model, data, state.q, qd), on_joints = data.tau_tree;
        const Eigen::VectorXd expected_on_joints = forces_on_joints(model, state.q, qd);
        CHECK(relative(on_joints, expected_on_joints) < kRounding);
        REQUIRE(grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok());
        Eigen::VectorXd expected = grbda::explicit_jacobian(model, data).transpose() * expected_on_joints;
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q).ok());
        grbda::Matrix6X<double> J(6, model.nv);
        for (const grbda::CarriedWeight& weight : model.passive.weights) {
            grbda::body_jacobian<double>(model, data, weight.body, grbda::ReferenceFrame::world_aligned, J);
            const int frame = model.body_frame[weight.body];
            const Eigen::Vector3d moment(weight.moment.x, weight.moment.y, weight.moment.z);
            Eigen::Matrix<double, 6, 1> wrench;
            wrench << -weight.mass * gravity(model),
                (grbda::frame_orientation(model, data, frame) * moment).cross(-gravity(model));
            expected += J.transpose() * wrench;
        }
        CHECK(relative(found, expected) < kRounding);
    });
}

TEST_CASE("the work of springs and carried weights is the loss of their potential on every robot") {
    at_random_states(all(), kStates, 402, [](const Robot& robot, const State& state, Random& random) {
        Model model = bare(robot);
        add_springs(model, random);
        add_weights(model, random);
        grbda::Workspace<double> data(model);
        const double power = tau_of(model, data, state.q, spanning_rates(model, data, state)).dot(state.yd);
        const double rate = motion::derivative([&](double t) -> Eigen::VectorXd {
            return Eigen::VectorXd::Constant(1,
                                             potential(model, data, motion::along(model, data, state, t).q));
        })[0];
        const double size = 1 + std::abs(power) + std::abs(potential(model, data, state.q));
        CHECK(std::abs(power + rate) < motion::kDifferences * (size + state.ydd.norm()));
    });
}

TEST_CASE("dampers and dry friction dissipate energy in motion, and none at rest") {
    at_random_states(all(), kStates, 403, [](const Robot& robot, const State& state, Random& random) {
        Model model = bare(robot);
        add_springs(model, random);
        for (grbda::Tendon& tendon : model.passive.tendons) tendon.stiffness = 0;
        std::fill(model.passive.stiffness.begin(), model.passive.stiffness.end(), 0);
        add_losses(model, random);
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd qd = spanning_rates(model, data, state);
        const Eigen::VectorXd rubbing = rubbing_rates(model, state.q, qd);
        double loss = 0;
        for (int j = 0; j < model.nv_tree; ++j) {
            const auto at = static_cast<std::size_t>(j);
            loss +=
                model.passive.damping[at] * qd[j] * qd[j] + model.passive.friction[at] * std::abs(rubbing[j]);
        }
        for (const grbda::Tendon& tendon : model.passive.tendons) {
            const double rate = length_of(model, tendon, qd, true);
            loss += tendon.damping * rate * rate + tendon.friction * std::abs(rate);
        }
        const double power = tau_of(model, data, state.q, qd).dot(state.yd);
        CHECK(power <= 0);
        CHECK(std::abs(power + loss) <= kRounding * (1 + loss));
        CHECK(tau_of(model, data, state.q, Eigen::VectorXd::Zero(model.nv_tree)).isZero(0));
    });
}

TEST_CASE("gravity compensation of every link takes gravity off every robot") {
    std::vector<Robot> robots;
    constexpr std::size_t share = 3;  // of the mechanisms: each is assembled anew
    for (std::size_t i = 0; i < all().size(); ++i) {
        const Robot* const robot = all()[i];
        if (i >= published().size() && i % share != 0) continue;
        Robot carried{robot->name, robot->description, robot->options, {}};
        for (grbda::LinkDescription& link : carried.description.links)
            if (link.inertial) link.gravity_compensation = {{link.inertial->mass, link.inertial->com}};
        carried.model = grbda::build_model(carried.description, carried.options);
        CHECK(carried.model.rotors.size() == robot->model.rotors.size());
        robots.push_back(std::move(carried));
    }
    std::vector<const Robot*> list;
    for (const Robot& robot : robots) list.push_back(&robot);
    at_random_states(list, 1, 404, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.nv);
        REQUIRE(grbda::bias_force<double>(model, data, state.q, rest).ok());
        const Eigen::VectorXd holding = data.tau;
        Model plain = model;
        for (std::vector<double>* x :
             {&plain.passive.damping, &plain.passive.friction, &plain.passive.stiffness})
            std::fill(x->begin(), x->end(), 0);
        CHECK(relative(tau_of(plain, data, state.q, Eigen::VectorXd::Zero(model.nv_tree)), holding) <
              kRounding);
    });
}

TEST_CASE("joint forces are the same with rotors reduced or not") {
    int reduced = 0;
    for (const Robot* robot : all()) {
        if (robot->model.rotors.empty()) continue;
        INFO(robot->name);
        Random random(405);
        grbda::RobotDescription description = robot->description;
        for (grbda::JointDescription& joint : description.joints) {
            joint.damping = uniform(random, 0, 1);
            joint.friction = uniform(random, 0, 1);
            joint.stiffness = uniform(random, 0, 1);
        }
        for (grbda::LinkDescription& link : description.links) {
            if (!link.inertial) continue;
            link.gravity_compensation = {{link.inertial->mass, link.inertial->com},
                                         {uniform(random, 0, 1), link.inertial->com}};
        }
        grbda::LoadOptions options = robot->options;
        const Model a = grbda::build_model(description, options);
        options.rotor_reduction = false;
        const Model b = grbda::build_model(description, options);
        State state;
        if (!random_state(a, random, state)) continue;
        ++reduced;
        grbda::Workspace<double> data_a(a), data_b(b);
        const Eigen::VectorXd qd = spanning_rates(a, data_a, state);
        const Eigen::VectorXd tau_a = tau_of(a, data_a, state.q, qd), tau_b = tau_of(b, data_b, state.q, qd);
        // the same power in every motion, for other joints may be independent
        for (int i = 0; i <= a.nv; ++i) {
            state.yd = random_vector(random, a.nv);
            const Eigen::VectorXd rates = spanning_rates(a, data_a, state);
            const double power = tau_a.dot(state.yd);
            const double again = tau_b.dot(grbda::independent_part(b, rates));
            CHECK(std::abs(power - again) < kRounding * (1 + tau_a.norm()));
        }
    }
    CHECK(reduced > 10);
}

TEST_CASE("joint forces of numbers that are not finite say so") {
    const Robot& robot = named("four_bar");
    grbda::Workspace<double> data(robot.model);
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(robot.model.neutral.data(), robot.model.nq);
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(robot.model.nv_tree);
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        for (Eigen::Index i = 0; i < q.size(); ++i) {
            Eigen::VectorXd broken = q;
            broken[i] = bad;
            CHECK(grbda::joint_forces<double>(robot.model, data, broken, rest).status ==
                  grbda::Status::not_finite);
            CHECK(data.tau.hasNaN());
            broken = rest;
            broken[i] = bad;
            CHECK(grbda::joint_forces<double>(robot.model, data, q, broken).status ==
                  grbda::Status::not_finite);
        }
    }
    const Eigen::VectorXd too_long(robot.model.nv_tree + 1);
    CHECK_THROWS_AS(grbda::joint_forces<double>(robot.model, data, q, too_long), std::invalid_argument);
}

TEST_CASE("dry friction of a floating joint acts along the world's axes, about its own") {
    grbda::Diagnostics none;
    // a sphere turned by 45 degrees about z that moves along the world's x, and turns about its own x
    grbda::RobotDescription robot;
    robot.name = "sphere";
    robot.links = {{"world", {}, {}},
                   {"sphere", grbda::Inertial{1, {0, 0, 0}, Eigen::Matrix3d::Identity()}, {}}};
    grbda::JointDescription joint;
    joint.name = "free";
    joint.type = JointType::floating;
    joint.parent = "world";
    joint.child = "sphere";
    joint.friction = 0.2;
    robot.joints = {joint};
    const Model model = grbda::build_model(robot);
    grbda::Workspace<double> data(model);
    const double half = std::sqrt(0.5);
    const Eigen::VectorXd q{{0, 0, 1, 0, 0, 0.3826834323650898, 0.9238795325112867}},
        qd{{half, -half, 0, 3, 0, 0}};
    const Eigen::VectorXd expected{{-0.2 * half, 0.2 * half, 0, -0.2, 0, 0}};
    CHECK((tau_of(model, data, q, qd) - expected).norm() < 1e-15);
}
