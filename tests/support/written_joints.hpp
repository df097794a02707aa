#pragma once

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/load.hpp"
#include "grbda/mechanism.hpp"
#include "support/baselines_fixture.hpp"
#include "support/robots.hpp"

// A robot, and what was read of it from a file of a format that has no joints of several coordinates: joints
// J are J_1, J_2, … there. One motion in the coordinates of both gives one answer.

namespace written_joints {

using grbda::JointType;
using grbda::Mechanism;
using grbda::Model;
using grbda::Pose;
using test_robots::State;

struct Side {
    const Mechanism& mechanism;
    const Model& model;
};

/// A motion in the coordinates of the copy.
struct Motion {
    Eigen::VectorXd q;
    Eigen::MatrixXd S;     ///< q̇ of the copy for q̇ of the robot
    Eigen::VectorXd bias;  ///< q̈ of the copy less S q̈
};

int body_of(const Model& model, const std::string& joint);

Eigen::Matrix3d rotation(const Eigen::VectorXd& xyzw);

/// Copies the state of one joint of the robot to the joint, or the joints, that represent it in the copy.
class JointCopier {
public:
    JointCopier(const Side& robot, const Side& copy, const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                Motion& motion)
        : robot_(robot), copy_(copy), q_(q), qd_(qd), motion_(motion) {}

    void copy(const grbda::MechanismBody& body, std::string name) {
        const grbda::Body& from = robot_.model.bodies[at(body_of(robot_.model, body.joint))];
        int index = body_of(copy_.model, name);
        if (index < 0 && body.type == JointType::floating) index = body_of(copy_.model, body.name + "_free");
        if (index < 0) return split(body, from);
        const grbda::Body& to = copy_.model.bodies[at(index)];
        if (body.type == JointType::floating) return move_free(body, from, copy_.mechanism.bodies[index], to);
        REQUIRE(grbda::velocity_size(to.joint) == grbda::velocity_size(from.joint));
        motion_.q.segment(to.q, position_size(to.joint)) = q_.segment(from.q, position_size(from.joint));
        for (int i = 0; i < velocity_size(from.joint); ++i) motion_.S(to.v + i, from.v + i) = 1;
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// Seen from another frame of the world.
    void move_free(const grbda::MechanismBody& body, const grbda::Body& from,
                   const grbda::MechanismBody& other, const grbda::Body& to) {
        const Pose pose{rotation(q_.segment(from.q + 3, 4)), q_.segment(from.q, 3)};
        const Pose seen = inverse(other.placement) * body.placement * pose;
        const Eigen::Quaterniond turn(seen.rotation);
        motion_.q.segment(to.q, 3) = seen.translation;
        motion_.q.segment(to.q + 3, 4) << turn.x(), turn.y(), turn.z(), turn.w();
        motion_.S.block(to.v, from.v, 6, 6).setIdentity();
    }

    const grbda::Body& part(const grbda::MechanismBody& body, int number) const {
        const std::string name = body.joint + "_" + std::to_string(number);
        INFO(name);
        const int index = body_of(copy_.model, name);
        REQUIRE(index >= 0);
        return copy_.model.bodies[at(index)];
    }

    void split(const grbda::MechanismBody& body, const grbda::Body& from) {
        if (body.type == JointType::floating) return split_floating(body, from);
        const bool is_screw = body.type == JointType::helical;
        const int count = is_screw ? 2 : velocity_size(body.type);
        for (int i = 0; i < count; ++i) {
            const grbda::Body& to = part(body, i + 1);
            const double ratio = is_screw && i == 1 ? body.pitch : 1;
            const int component = is_screw ? 0 : i;
            motion_.q[to.q] = ratio * q_[from.q + component];
            motion_.S(to.v, from.v + component) = ratio;
        }
    }

    /// Slides along the parent's axes, and a ball.
    void split_floating(const grbda::MechanismBody& body, const grbda::Body& from) {
        const Eigen::Matrix3d R = rotation(q_.segment(from.q + 3, 4));
        const Eigen::Vector3d v = qd_.segment(from.v, 3), w = qd_.segment(from.v + 3, 3);
        const Eigen::Vector3d turning = R * w.cross(v);
        for (int i = 0; i < 3; ++i) {
            const grbda::Body& to = part(body, i + 1);
            motion_.q[to.q] = q_[from.q + i];
            motion_.S.block(to.v, from.v, 1, 3) = R.row(i);
            motion_.bias[to.v] = turning[i];
        }
        const grbda::Body& ball = part(body, 4);
        motion_.q.segment(ball.q, 4) = q_.segment(from.q + 3, 4);
        motion_.S.block(ball.v, from.v + 3, 3, 3).setIdentity();
    }

    const Side& robot_;
    const Side& copy_;
    const Eigen::VectorXd &q_, &qd_;
    Motion& motion_;
};

Motion motion_of(const Side& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Side& copy);

/// On the bodies that both have: links without mass may have gone.
struct Wrenches {
    grbda::Matrix6X<double> robot, copy;
};

Wrenches common(const Model& robot, const grbda::Matrix6X<double>& wrenches, const Model& copy);

/// If the copy's own choice of independent coordinates is worse conditioned, its rounding is not comparable.
constexpr double kWellConditioned = 1e-3;

/// M, inverse and forward dynamics of the copy at the state of the robot, to `agreement`. False: the copy's
/// independents are badly conditioned there, and nothing was checked.
bool check(const Side& robot, const State& state, const Side& copy, double agreement);

/// A mechanism as a text, with what the writer found: no text if that is an error.
struct Written {
    std::string text;
    grbda::Diagnostics findings;
};
using Writer = std::string(const Mechanism&, grbda::Diagnostics&);
Written written(const Mechanism& mechanism, Writer& write);

/// Such a text read again, with notes only.
using Reader = grbda::RobotDescription(const std::string&, const std::string&, grbda::Diagnostics&);
grbda::RobotDescription read_again(const std::string& text, const std::string& file, Reader& read);

Mechanism mechanism_of(const grbda::RobotDescription& robot, const grbda::LoadOptions& options = {});

Model model_of(const Mechanism& mechanism);

}  // namespace written_joints
