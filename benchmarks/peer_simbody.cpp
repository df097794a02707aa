#include <algorithm>
#include <cmath>

#include "peer.hpp"
#include "simbody_robot.hpp"

// Simbody (simtk.org): the tree, and the robot with its loops and couplings as exact constraints, whose
// multipliers it computes with a rank-revealing factorization.

namespace grbda::benchmarks {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Three three(const Vector3d& x) { return {x.x(), x.y(), x.z()}; }

SimbodyPlacement simbody_placement(const Pose& pose) {
    const Matrix3d& R = pose.rotation;
    return {{R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)},
            three(pose.translation)};
}

SimbodyJoint simbody_joint(const MechanismBody& body) {
    switch (body.type) {
        case JointType::revolute: return SimbodyJoint::pin;
        case JointType::prismatic: return SimbodyJoint::slider;
        case JointType::universal:
            if (std::abs(body.axis.dot(body.axis2)) > 1e-12)
                throw NotExpressible("oblique axes of a universal joint");
            return SimbodyJoint::universal;
        case JointType::spherical: return SimbodyJoint::ball;
        case JointType::floating: return SimbodyJoint::free;
        case JointType::fixed:
        case JointType::continuous:
        case JointType::helical:
        case JointType::cylindrical:
        case JointType::planar: break;
    }
    throw NotExpressible(std::string("joint of type ") + to_string(body.type));
}

SimbodyBody simbody_body(const MechanismBody& body) {
    if (body.armature != 0) throw NotExpressible("armature");
    const Inertial& own = body.inertia;
    const Matrix3d I = own.inertia + own.mass * (own.com.squaredNorm() * Matrix3d::Identity() -
                                                 own.com * own.com.transpose());
    return {body.parent,
            simbody_joint(body),
            simbody_placement(body.placement),
            three(body.axis),
            three(body.axis2),
            own.mass,
            three(own.com),
            {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}};
}

SimbodyLoop simbody_loop_type(LoopType type) {
    switch (type) {
        case LoopType::fixed: return SimbodyLoop::fixed;
        case LoopType::revolute:
        case LoopType::continuous: return SimbodyLoop::revolute;
        case LoopType::spherical: return SimbodyLoop::spherical;
        case LoopType::universal: return SimbodyLoop::universal;
        case LoopType::distance: return SimbodyLoop::distance;
        case LoopType::prismatic: return SimbodyLoop::prismatic;
        case LoopType::point_on_line: return SimbodyLoop::point_on_line;
        case LoopType::helical:
        case LoopType::cylindrical:
        case LoopType::planar:
        case LoopType::floating: break;
    }
    throw NotExpressible(std::string("loop of type ") + to_string(type));
}

SimbodyLoopJoint simbody_loop(const MechanismLoop& loop) {
    return {simbody_loop_type(loop.type),
            loop.predecessor,
            loop.successor,
            simbody_placement(loop.predecessor_placement),
            simbody_placement(loop.successor_placement),
            three(loop.axis),
            three(loop.axis2),
            loop.type == LoopType::universal ? std::acos(loop.axis.dot(loop.axis2)) : loop.length};
}

SimbodyCoupling simbody_coupling(const MechanismCoupling& coupling) {
    if (!coupling.polynomial.empty()) throw NotExpressible("a polynomial coupling");
    SimbodyCoupling result;
    result.offset = coupling.offset;
    for (const MechanismTerm& term : coupling.terms) {
        result.bodies.push_back(term.body);
        result.components.push_back(term.component);
        result.coefficients.push_back(term.coefficient);
    }
    return result;
}

std::unique_ptr<SimbodyRobot> make_robot(const PeerRobot& robot, bool constrained) {
    std::vector<SimbodyBody> bodies;
    std::vector<SimbodyLoopJoint> loops;
    std::vector<SimbodyCoupling> couplings;
    for (const MechanismBody& body : robot.mechanism.bodies) bodies.push_back(simbody_body(body));
    if (constrained) {
        for (const MechanismLoop& loop : robot.mechanism.loops) loops.push_back(simbody_loop(loop));
        for (const MechanismCoupling& one : robot.mechanism.couplings)
            couplings.push_back(simbody_coupling(one));
    }
    const auto& gravity = robot.tree.model.gravity;
    try {
        return std::make_unique<SimbodyRobot>(Three{gravity.x, gravity.y, gravity.z}, bodies, loops,
                                              couplings);
    } catch (const std::exception& error) {
        std::string why = error.what();
        std::replace(why.begin(), why.end(), '\n', ' ');
        throw NotExpressible(why);
    }
}

class Simbody : public Peer {
public:
    explicit Simbody(const PeerRobot& robot) : robot_(robot), tree_(make_robot(robot, false)) {}

    /// Quaternions have w first and precede positions; velocities of balls and floating bodies have the axes
    /// of the joint's frame, angular parts first.
    PeerState convert(const State& state) const override {
        PeerState result = make_peer_state(state);
        result.T.setZero();
        int index = 0;
        for_joints(robot_.mechanism, [&](const MechanismBody& body, Eigen::Index q, Eigen::Index v) {
            const Eigen::Index to_q = tree_->first_position(index), to_v = tree_->first_velocity(index);
            ++index;
            const auto set_rotation = [&](Eigen::Index begin) -> Matrix3d {
                const Eigen::Quaterniond turn = orientation(state.q, begin);
                result.q.segment<4>(to_q) << turn.w(), turn.vec();
                return turn.toRotationMatrix();
            };
            if (body.type == JointType::spherical) {
                result.T.block<3, 3>(to_v, v) = set_rotation(q);
            } else if (body.type == JointType::floating) {
                const Matrix3d R = set_rotation(q + 3);
                result.q.segment<3>(to_q + 4) = state.q.segment<3>(q);
                result.T.block<6, 6>(to_v, v) << Matrix3d::Zero(), R, R, Matrix3d::Zero();
                const Vector3d linear = state.yd.segment<3>(v), angular = state.yd.segment<3>(v + 3);
                result.c.segment<3>(v) = angular.cross(linear);
            } else {
                const int size = velocity_size(body.type);
                result.q.segment(to_q, size) = state.q.segment(q, size);
                result.T.block(to_v, v, size, size).setIdentity();
            }
        });
        transform_motion(state, result);
        return result;
    }

    void run(PeerMethod method, const PeerState& state) override {
        switch (method) {
            case PeerMethod::aba:
                return tree_->compute_acceleration(state.q.data(), state.v.data(), state.tau.data());
            case PeerMethod::rnea:
                return tree_->compute_force(state.q.data(), state.v.data(), state.a.data());
            case PeerMethod::crba: return tree_->compute_mass_matrix(state.q.data());
            case PeerMethod::constrained:
                if (!closed_) closed_ = make_robot(robot_, true);
                return closed_->compute_acceleration(state.q.data(), state.v.data(), state.tau.data());
        }
    }

    MatrixX<double> result(PeerMethod method) const override {
        const Eigen::Index size = robot_.tree.model.nv;
        return MatrixX<double>::NullaryExpr(
            size, method == PeerMethod::crba ? size : 1, [&](Eigen::Index row, Eigen::Index column) {
                const int i = static_cast<int>(row);
                switch (method) {
                    case PeerMethod::aba: return tree_->acceleration(i);
                    case PeerMethod::rnea: return tree_->force(i);
                    case PeerMethod::crba: return tree_->mass_matrix(i, static_cast<int>(column));
                    case PeerMethod::constrained: return closed_->acceleration(i);
                }
                throw std::logic_error("unknown method");
            });
    }

private:
    const PeerRobot& robot_;
    std::unique_ptr<SimbodyRobot> tree_;
    std::unique_ptr<SimbodyRobot> closed_;  ///< made at first use
};

}  // namespace
}  // namespace grbda::benchmarks

int main(int argc, char** argv) {
    using namespace grbda::benchmarks;
    return run_peer(argc, argv,
                    {"simbody",
                     {PeerMethod::aba, PeerMethod::rnea, PeerMethod::crba, PeerMethod::constrained},
                     [](const PeerRobot& robot) { return std::make_unique<Simbody>(robot); }});
}
