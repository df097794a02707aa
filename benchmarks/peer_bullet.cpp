#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <Eigen/LU>

#include "peer.hpp"

// Bullet (pybullet.org): forward dynamics of the tree in double precision. Gravity is a force on each link,
// as in its own time step. Its loops are constraints on the velocities after a time step, so accelerations
// with loops do not exist there; inverse dynamics is a library that Debian does not contain.

namespace grbda::benchmarks {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

btVector3 vector(const Vector3d& x) { return {x.x(), x.y(), x.z()}; }
btQuaternion quaternion(const Quaterniond& x) { return {x.x(), x.y(), x.z(), x.w()}; }

Matrix3d cross(const Vector3d& x) {
    return (Matrix3d() << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0).finished();
}

/// A link's frame has its origin at the centre of mass and principal axes.
struct Frame {
    Vector3d com = Vector3d::Zero();
    Matrix3d axes = Matrix3d::Identity();  ///< columns, in the body's frame
    Vector3d moments = Vector3d::Zero();
};

Frame frame_of(const Inertial& inertial) {
    PrincipalInertia principal = principal_inertia(inertial.inertia);
    principal.axes.col(2) *= principal.axes.determinant();
    return {inertial.com, principal.axes, principal.moments};
}

/// A link of one joint, with its places in q and q̇; a universal joint is two of them.
struct Link {
    int index;
    Eigen::Index q, v;
};

class Bullet : public Peer {
public:
    explicit Bullet(const PeerRobot& robot) : mechanism_(robot.mechanism) {
        const auto& bodies = mechanism_.bodies;
        const auto& gravity = robot.tree.model.gravity;
        gravity_ = {gravity.x, gravity.y, gravity.z};
        floating_ = bodies[0].type == JointType::floating;
        int links = 0;
        for (std::size_t i = floating_ ? 1 : 0; i < bodies.size(); ++i)
            links += bodies[i].type == JointType::universal ? 2 : 1;
        if (floating_) base_ = frame_of(bodies[0].inertia);
        body_ = std::make_unique<btMultiBody>(links, floating_ ? bodies[0].inertia.mass : 0,
                                              vector(base_.moments), !floating_, false);
        add_links();
        body_->finalizeMultiDof();
        body_->setLinearDamping(0);
        body_->setAngularDamping(0);
        body_->setMaxCoordinateVelocity(1e30);
    }

    /// The base has its velocity, that of its centre of mass, in world axes; angular parts come first.
    PeerState convert(const State& state) const override {
        PeerState result = make_peer_state(state);
        for_joints(mechanism_, [&](const MechanismBody& body, Eigen::Index q, Eigen::Index v) {
            if (body.type == JointType::floating) {
                convert_base(body.placement, state, result);
            } else if (body.type == JointType::spherical) {
                const Quaterniond axes(frame_of(body.inertia).axes);
                result.q.segment<4>(q) = (axes.conjugate() * orientation(state.q, q) * axes).coeffs();
                result.T.block<3, 3>(v, v) = axes.conjugate().toRotationMatrix();
            }
        });
        transform_motion(state, result);
        return result;
    }

    void run(PeerMethod, const PeerState& state) override {
        body_->clearForcesAndTorques();
        if (floating_) set_base(state);
        for (const Link& link : links_) {
            body_->setJointPosMultiDof(link.index, state.q.data() + link.q);
            body_->setJointVelMultiDof(link.index, state.v.data() + link.v);
            body_->addJointTorqueMultiDof(link.index, state.tau.data() + link.v);
            body_->addLinkForce(link.index, body_->getLinkMass(link.index) * gravity_);
        }
        body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(step, numbers_, vectors_, matrices_,
                                                                    false, false, false);
        before_ = &state.v;
    }

    /// Bullet adds step · acceleration to the velocities.
    MatrixX<double> result(PeerMethod) const override {
        const btScalar* after = body_->getVelocityVector() + (floating_ ? 0 : 6);
        return (Eigen::Map<const VectorX<double>>(after, before_->size()) - *before_) / step;
    }

private:
    static constexpr btScalar step = 1;  // s

    void add_links() {
        std::vector<int> last;  // link of each body; −1: base
        int index = 0;
        for_joints(mechanism_, [&](const MechanismBody& body, Eigen::Index q, Eigen::Index v) {
            if (body.type == JointType::floating && !last.empty())
                throw NotExpressible("a floating joint that is not that of the base");
            if (body.armature != 0) throw NotExpressible("armature");
            if (body.type == JointType::floating) return last.push_back(-1);
            if (floating_ && body.parent == world) throw NotExpressible("a second joint on the world");
            const int parent = body.parent == world ? -1 : last[at(body.parent)];
            const Frame from =
                body.parent == world ? Frame{} : frame_of(mechanism_.bodies[body.parent].inertia);
            if (body.type == JointType::universal) {
                add_link(index, JointType::revolute, {}, body.axis, 0, parent, from, body.placement);
                links_.push_back({index, q, v});
                add_link(index + 1, JointType::revolute, frame_of(body.inertia), body.axis2,
                         body.inertia.mass, index, {}, {});
                links_.push_back({index + 1, q + 1, v + 1});
                index += 2;
            } else {
                add_link(index, body.type, frame_of(body.inertia), body.axis, body.inertia.mass, parent, from,
                         body.placement);
                links_.push_back({index++, q, v});
            }
            last.push_back(index - 1);
        });
    }

    void add_link(int index, JointType type, const Frame& to, const Vector3d& joint_axis, double mass,
                  int parent, const Frame& from, const Pose& placement) {
        const btQuaternion turn =
            quaternion(Quaterniond(to.axes.transpose() * placement.rotation.transpose() * from.axes));
        const btVector3 axis = vector(to.axes.transpose() * joint_axis);
        const btVector3 pivot = vector(from.axes.transpose() * (placement.translation - from.com));
        const btVector3 com = vector(to.axes.transpose() * to.com), moments = vector(to.moments);
        switch (type) {
            case JointType::revolute:
                return body_->setupRevolute(index, mass, moments, parent, turn, axis, pivot, com);
            case JointType::prismatic:
                return body_->setupPrismatic(index, mass, moments, parent, turn, axis, pivot, com, false);
            case JointType::spherical:
                return body_->setupSpherical(index, mass, moments, parent, turn, pivot, com);
            case JointType::fixed:
            case JointType::continuous:
            case JointType::helical:
            case JointType::cylindrical:
            case JointType::universal:
            case JointType::planar:
            case JointType::floating: break;
        }
        throw NotExpressible(std::string("joint of type ") + to_string(type));
    }

    void convert_base(const Pose& placement, const State& state, PeerState& result) const {
        const Matrix3d inner = orientation(state.q, 3).toRotationMatrix();
        const Matrix3d R = placement.rotation * inner;
        result.q.head<3>() =
            placement.translation + placement.rotation * (state.q.head<3>() + inner * base_.com);
        result.q.segment<4>(3) = Quaterniond((R * base_.axes).transpose()).coeffs();
        result.T.topLeftCorner<6, 6>() << Matrix3d::Zero(), R, R, -R * cross(base_.com);
        const Vector3d linear = state.yd.head<3>(), angular = state.yd.segment<3>(3);
        result.c.head<3>() = angular.cross(linear + angular.cross(base_.com));
    }

    void set_base(const PeerState& state) {
        const auto three = [](const VectorX<double>& x, Eigen::Index begin) {
            return btVector3(x[begin], x[begin + 1], x[begin + 2]);
        };
        body_->setBasePos(three(state.q, 0));
        body_->setWorldToBaseRot({state.q[3], state.q[4], state.q[5], state.q[6]});
        body_->setBaseOmega(three(state.v, 0));
        body_->setBaseVel(three(state.v, 3));
        body_->addBaseTorque(three(state.tau, 0));
        body_->addBaseForce(three(state.tau, 3) + body_->getBaseMass() * gravity_);
    }

    const Mechanism& mechanism_;
    bool floating_ = false;
    Frame base_;
    btVector3 gravity_;
    std::unique_ptr<btMultiBody> body_;
    std::vector<Link> links_;
    const VectorX<double>* before_ = nullptr;  ///< velocities of the last state
    btAlignedObjectArray<btScalar> numbers_;
    btAlignedObjectArray<btVector3> vectors_;
    btAlignedObjectArray<btMatrix3x3> matrices_;
};

}  // namespace
}  // namespace grbda::benchmarks

int main(int argc, char** argv) {
    using namespace grbda::benchmarks;
    return run_peer(argc, argv, {"bullet", {PeerMethod::aba}, [](const PeerRobot& robot) {
                                     return std::make_unique<Bullet>(robot);
                                 }});
}
