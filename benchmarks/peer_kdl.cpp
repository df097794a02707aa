#include <optional>

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "peer.hpp"

// Orocos KDL (orocos.org/kdl): inverse dynamics of trees; of chains also the mass matrix, and forward
// dynamics, by factoring it. Its joints have one axis, and it has no loops.

namespace grbda::benchmarks {
namespace {

KDL::Vector vector(const Eigen::Vector3d& x) { return {x.x(), x.y(), x.z()}; }

KDL::Frame frame(const Pose& pose) {
    const Eigen::Matrix3d& R = pose.rotation;
    return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
            vector(pose.translation)};
}

KDL::RigidBodyInertia inertia(const Inertial& inertial) {
    const Eigen::Matrix3d& I = inertial.inertia;
    return KDL::RigidBodyInertia(
        inertial.mass, vector(inertial.com),
        KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
}

KDL::Segment segment(const std::string& name, const Pose& placement, const Eigen::Vector3d& axis,
                     KDL::Joint::JointType type, double armature, const KDL::RigidBodyInertia& inertia) {
    return KDL::Segment(name,
                        KDL::Joint(name, vector(placement.translation), vector(placement.rotation * axis),
                                   type, 1, 0, armature),
                        frame(placement), inertia);
}

/// The segments of a body: two with a universal joint.
std::vector<KDL::Segment> segments(const MechanismBody& body, const std::string& name) {
    const KDL::RigidBodyInertia mass = inertia(body.inertia);
    switch (body.type) {
        case JointType::revolute:
            return {segment(name, body.placement, body.axis, KDL::Joint::RotAxis, body.armature, mass)};
        case JointType::prismatic:
            return {segment(name, body.placement, body.axis, KDL::Joint::TransAxis, body.armature, mass)};
        case JointType::universal:
            return {segment(name + "_first", body.placement, body.axis, KDL::Joint::RotAxis, body.armature,
                            KDL::RigidBodyInertia::Zero()),
                    segment(name, {}, body.axis2, KDL::Joint::RotAxis, body.armature, mass)};
        case JointType::fixed:
        case JointType::continuous:
        case JointType::helical:
        case JointType::cylindrical:
        case JointType::planar:
        case JointType::spherical:
        case JointType::floating: break;
    }
    throw NotExpressible(std::string("joint of type ") + to_string(body.type));
}

bool is_chain(const Mechanism& mechanism) {
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
        if (mechanism.bodies[i].parent != static_cast<int>(i) - 1) return false;
    return true;
}

/// The solvers keep references to the chain or tree.
class Kdl : public Peer {
public:
    explicit Kdl(const PeerRobot& robot) {
        const Mechanism& mechanism = robot.mechanism;
        const auto name = [](int body) {
            return body == world ? std::string("root") : 'b' + std::to_string(body);
        };
        for (int i = 0; i < static_cast<int>(mechanism.bodies.size()); ++i) {
            std::string parent = name(mechanism.bodies[i].parent);
            for (const KDL::Segment& one : segments(mechanism.bodies[i], name(i))) {
                tree_.addSegment(one, parent);
                chain_.addSegment(one);
                parent = one.getName();
            }
        }
        const KDL::Vector gravity(robot.tree.model.gravity.x, robot.tree.model.gravity.y,
                                  robot.tree.model.gravity.z);
        q_ = v_ = a_ = tau_ = KDL::JntArray(tree_.getNrOfJoints());
        M_ = KDL::JntSpaceInertiaMatrix(static_cast<int>(tree_.getNrOfJoints()));
        if (!is_chain(mechanism)) {
            tree_inverse_.emplace(tree_, gravity);
            return;
        }
        forces_.resize(chain_.getNrOfSegments());
        forward_.emplace(chain_, gravity);
        inverse_.emplace(chain_, gravity);
        parameters_.emplace(chain_, gravity);
    }

    PeerState convert(const State& state) const override {
        PeerState result = make_peer_state(state);
        transform_motion(state, result);
        return result;
    }

    void run(PeerMethod method, const PeerState& state) override {
        if (!forward_ && method != PeerMethod::rnea) throw NotExpressible("a tree: inverse dynamics alone");
        q_.data = state.q;
        v_.data = state.v;
        if (compute(method, state) < 0) throw std::runtime_error("a state is not ok in KDL");
    }

    MatrixX<double> result(PeerMethod method) const override {
        switch (method) {
            case PeerMethod::aba: return a_.data;
            case PeerMethod::rnea: return tau_.data;
            case PeerMethod::crba: return M_.data;
            case PeerMethod::constrained: break;
        }
        throw std::logic_error("unknown method");
    }

private:
    int compute(PeerMethod method, const PeerState& state) {
        if (method == PeerMethod::crba) return parameters_->JntToMass(q_, M_);
        if (method == PeerMethod::aba) {
            tau_.data = state.tau;
            return forward_->CartToJnt(q_, v_, tau_, forces_, a_);
        }
        a_.data = state.a;
        return inverse_ ? inverse_->CartToJnt(q_, v_, a_, forces_, tau_)
                        : tree_inverse_->CartToJnt(q_, v_, a_, no_forces_, tau_);
    }

    KDL::Tree tree_;
    KDL::Chain chain_;  ///< of a tree: not used
    KDL::JntArray q_, v_, a_, tau_;
    KDL::JntSpaceInertiaMatrix M_;
    KDL::Wrenches forces_;  ///< on each segment: zero
    KDL::WrenchMap no_forces_;
    std::optional<KDL::ChainFdSolver_RNE> forward_;
    std::optional<KDL::ChainIdSolver_RNE> inverse_;
    std::optional<KDL::ChainDynParam> parameters_;
    std::optional<KDL::TreeIdSolver_RNE> tree_inverse_;
};

}  // namespace
}  // namespace grbda::benchmarks

int main(int argc, char** argv) {
    using namespace grbda::benchmarks;
    return run_peer(argc, argv,
                    {"kdl",
                     {PeerMethod::aba, PeerMethod::rnea, PeerMethod::crba},
                     [](const PeerRobot& robot) { return std::make_unique<Kdl>(robot); }});
}
