#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/UniversalJoint.hpp>

#include "peer.hpp"

// DART (dartsim.github.io): forward and inverse dynamics and the mass matrix of the tree. Its loops are
// constraints on the velocities after a time step, so accelerations with loops do not exist there.

namespace grbda::benchmarks {
namespace {

namespace dd = dart::dynamics;

Eigen::Isometry3d isometry(const Pose& pose) {
    Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
    result.linear() = pose.rotation;
    result.translation() = pose.translation;
    return result;
}

/// With names of its own, because DART reports each default name that it changes.
template <class Joint>
std::pair<Joint*, dd::BodyNode*> create(dd::Skeleton& skeleton, dd::BodyNode* parent,
                                        const MechanismBody& body) {
    typename Joint::Properties joint;
    joint.mName = body.joint;
    dd::BodyNode::Properties node;
    node.mName = body.name;
    return skeleton.createJointAndBodyNodePair<Joint>(parent, joint, node);
}

std::pair<dd::Joint*, dd::BodyNode*> create_any(dd::Skeleton& skeleton, dd::BodyNode* parent,
                                                const MechanismBody& body) {
    switch (body.type) {
        case JointType::revolute: {
            const auto result = create<dd::RevoluteJoint>(skeleton, parent, body);
            result.first->setAxis(body.axis);
            return result;
        }
        case JointType::prismatic: {
            const auto result = create<dd::PrismaticJoint>(skeleton, parent, body);
            result.first->setAxis(body.axis);
            return result;
        }
        case JointType::universal: {
            const auto result = create<dd::UniversalJoint>(skeleton, parent, body);
            result.first->setAxis1(body.axis);
            result.first->setAxis2(body.axis2);
            return result;
        }
        case JointType::spherical: return create<dd::BallJoint>(skeleton, parent, body);
        case JointType::floating: return create<dd::FreeJoint>(skeleton, parent, body);
        case JointType::fixed:
        case JointType::continuous:
        case JointType::helical:
        case JointType::cylindrical:
        case JointType::planar: break;
    }
    throw NotExpressible(std::string("joint of type ") + to_string(body.type));
}

dd::SkeletonPtr make_skeleton(const PeerRobot& robot) {
    dd::SkeletonPtr skeleton = dd::Skeleton::create(robot.mechanism.name);
    const auto& gravity = robot.tree.model.gravity;
    skeleton->setGravity({gravity.x, gravity.y, gravity.z});
    std::vector<dd::BodyNode*> nodes;
    for (const MechanismBody& body : robot.mechanism.bodies) {
        if (body.armature != 0) throw NotExpressible("armature");
        const auto [joint, node] =
            create_any(*skeleton, body.parent == world ? nullptr : nodes[at(body.parent)], body);
        joint->setTransformFromParentBodyNode(isometry(body.placement));
        node->setInertia(dd::Inertia(body.inertia.mass, body.inertia.com, body.inertia.inertia));
        nodes.push_back(node);
    }
    return skeleton;
}

class Dart : public Peer {
public:
    explicit Dart(const PeerRobot& robot) : mechanism_(robot.mechanism), skeleton_(make_skeleton(robot)) {}

    /// Rotation vectors are positions; angular parts come first in a floating joint.
    PeerState convert(const State& state) const override {
        PeerState result = make_peer_state(state);
        result.q.resize(state.yd.size());
        for_joints(mechanism_, [&](const MechanismBody& body, Eigen::Index q, Eigen::Index v) {
            const auto rotation = [&](Eigen::Index begin) -> Eigen::Vector3d {
                return dd::BallJoint::convertToPositions(orientation(state.q, begin).toRotationMatrix());
            };
            if (body.type == JointType::spherical) {
                result.q.segment<3>(v) = rotation(q);
            } else if (body.type == JointType::floating) {
                result.q.segment<6>(v) << rotation(q + 3), state.q.segment<3>(q);
                result.T.block<6, 6>(v, v) << Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Identity(),
                    Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero();
            } else {
                result.q.segment(v, velocity_size(body.type)) = state.q.segment(q, velocity_size(body.type));
            }
        });
        transform_motion(state, result);
        return result;
    }

    void run(PeerMethod method, const PeerState& state) override {
        skeleton_->setPositions(state.q);
        if (method == PeerMethod::crba) {
            benchmark::DoNotOptimize(skeleton_->getMassMatrix().data());
            return;
        }
        skeleton_->setVelocities(state.v);
        if (method == PeerMethod::aba) {
            skeleton_->setForces(state.tau);
            skeleton_->computeForwardDynamics();
        } else {
            skeleton_->setAccelerations(state.a);
            skeleton_->computeInverseDynamics();
        }
    }

    MatrixX<double> result(PeerMethod method) const override {
        switch (method) {
            case PeerMethod::aba: return skeleton_->getAccelerations();
            case PeerMethod::rnea: return skeleton_->getForces();
            case PeerMethod::crba: return skeleton_->getMassMatrix();
            case PeerMethod::constrained: break;
        }
        throw std::logic_error("unknown method");
    }

private:
    const Mechanism& mechanism_;
    dd::SkeletonPtr skeleton_;
};

}  // namespace
}  // namespace grbda::benchmarks

int main(int argc, char** argv) {
    using namespace grbda::benchmarks;
    return run_peer(argc, argv,
                    {"dart",
                     {PeerMethod::aba, PeerMethod::rnea, PeerMethod::crba},
                     [](const PeerRobot& robot) { return std::make_unique<Dart>(robot); }});
}
