#pragma once

#include <Eigen/Geometry>

#include "grbda/adapters/logarithm.hpp"
#include "grbda/adapters/node.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/dynamics/energy.hpp"

// Residuals r(x, u) of costs and constraints, with exact Jacobians along displacements of x. The adapters for
// Crocoddyl and Aligator share this header. Positions are in m, in the axes of the world; twists and wrenches
// have the linear part first.

namespace grbda::adapters {

/// A residual of length nr. It is constant: threads evaluate it with nodes of their own.
class Residual {
public:
    explicit Residual(int length, bool by_q = true, bool by_v = false, bool by_u = false)
        : nr(length), reads_q(by_q), reads_v(by_v), reads_u(by_u) {}
    virtual ~Residual() = default;

    /// Computes r [nr] at x [nq + nv] and u [nu]; u is empty at a last node. The node has the results of
    /// its dynamics at x and u already if reads_u is set.
    virtual Result value(Node& node, ConstVectorRef x, ConstVectorRef u, VectorRef r) const = 0;
    /// Computes r_x [nr × 2 nv] and r_u [nr × nu], which are zero before.
    virtual Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef u, MatrixRef r_x,
                             MatrixRef r_u) const = 0;

    const int nr;
    const bool reads_q, reads_v, reads_u;
};

/// Displacement [2 nv] from a reference state to x. Its Jacobian is exact with a floating base, too.
class StateResidual : public Residual {
public:
    StateResidual(std::shared_ptr<const StateSpace> space, Eigen::VectorXd reference)
        : Residual(space->ndx(), true, true), space_(std::move(space)), reference_(std::move(reference)) {
        require_size("reference", reference_.size(), space_->nx());
    }
    Result value(Node&, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        space_->difference(reference_, x, r);
        return {};
    }
    Result jacobians(Node&, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        space_->add_difference_jacobian(reference_, x, Argument::second, r_x);
        return {};
    }

private:
    std::shared_ptr<const StateSpace> space_;
    Eigen::VectorXd reference_;
};

/// Position of a frame minus a target [3].
class FrameTranslation : public Residual {
public:
    FrameTranslation(const Model& model, const std::string& frame, const Eigen::Vector3d& target)
        : Residual(3), frame_(model.frame(frame).index), target_(target) {}
    Result value(Node& node, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        const Result result = node.place(x);
        if (result.ok()) r = frame_position(node.model(), node.robot, frame_) - target_;
        return result;
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const Result result = node.place(x);
        if (!result.ok()) return result;
        Matrix6Xd J(6, node.model().nv);
        frame_jacobian(node.model(), node.robot, frame_, ReferenceFrame::world_aligned, J);
        r_x.leftCols(J.cols()) = J.topRows(3);
        return result;
    }

private:
    int frame_;
    Eigen::Vector3d target_;
};

/// Logarithm [6] of the placement of a frame relative to a target: Pinocchio's log6 of target⁻¹ · frame.
/// Valid for rotations below half a turn.
class FramePlacement : public Residual {
public:
    FramePlacement(const Model& model, const std::string& frame, const Eigen::Isometry3d& target)
        : Residual(6), frame_(model.frame(frame).index), target_(target) {}
    Result value(Node& node, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        const Result result = node.place(x);
        if (result.ok()) r = relative(node);
        return result;
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const Result result = node.place(x);
        if (!result.ok()) return result;
        Matrix6Xd J(6, node.model().nv);
        frame_jacobian(node.model(), node.robot, frame_, ReferenceFrame::local, J);
        r_x.leftCols(J.cols()) = detail::jacobian_of_logarithm(relative(node)) * J;
        return result;
    }

private:
    Vector6d relative(const Node& node) const {
        const Eigen::Matrix3d Rt = target_.linear().transpose();
        return detail::logarithm(
            Rt * frame_orientation(node.model(), node.robot, frame_),
            Rt * (frame_position(node.model(), node.robot, frame_) - target_.translation()));
    }
    int frame_;
    Eigen::Isometry3d target_;
};

/// Twist of a frame minus a target [6], m/s and rad/s.
class FrameVelocity : public Residual {
public:
    FrameVelocity(const Model& model, const std::string& frame, const Vector6d& target,
                  ReferenceFrame axes = ReferenceFrame::world_aligned)
        : Residual(6, true, true), frame_(model.frame(frame).index), target_(target), axes_(axes) {}
    Result value(Node& node, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        const Result result = node.place(x);
        if (result.ok()) r = frame_velocity(node.model(), node.robot, frame_, axes_) - target_;
        return result;
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const Result result = node.place(x, true);
        const int n = node.model().nv;
        if (result.ok())
            frame_velocity_derivatives(node.model(), node.robot, frame_, axes_, r_x.leftCols(n),
                                       r_x.rightCols(n));
        return result;
    }

private:
    int frame_;
    Vector6d target_;
    ReferenceFrame axes_;
};

/// Position of the centre of mass of all moving bodies minus a target [3].
class CenterOfMass : public Residual {
public:
    explicit CenterOfMass(const Eigen::Vector3d& target) : Residual(3), target_(target) {}
    Result value(Node& node, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        const Model& model = node.model();
        const Result result = mechanical_state(model, node.robot, x.head(model.nq), x.tail(model.nv));
        r = node.robot.mechanics.com - target_;
        return result;
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const Model& model = node.model();
        const Result result = com_jacobian(model, node.robot, x.head(model.nq));
        r_x.leftCols(model.nv) = node.robot.J_com;
        return result;
    }

private:
    Eigen::Vector3d target_;
};

/// Momentum about the centre of mass minus a target [6], N·s and N·m·s, in world axes.
class Momentum : public Residual {
public:
    explicit Momentum(const Vector6d& target) : Residual(6, true, true), target_(target) {}
    Result value(Node& node, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        const Model& model = node.model();
        const Result result = momentum_matrix(model, node.robot, x.head(model.nq));
        r = node.robot.A * x.tail(model.nv) - target_;
        return result;
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const Model& model = node.model();
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
        const Result result =
            momentum_derivatives(model, node.robot, x.head(model.nq), x.tail(model.nv), zero);
        r_x << node.robot.dh_dy, node.robot.A;
        return result;
    }

private:
    Vector6d target_;
};

/// Positions of joints of one coordinate minus a target, rad and m: also of joints that loops determine.
class JointPositions : public Residual {
public:
    JointPositions(const Model& model, const std::vector<std::string>& joints, Eigen::VectorXd target = {})
        : Residual(static_cast<int>(joints.size())), lower(nr), upper(nr), target_(std::move(target)) {
        if (target_.size() == 0) target_.setZero(nr);
        require_size("target", target_.size(), nr);
        for (const std::string& name : joints) {
            const NamedJoint joint = model.joint(name);
            if (joint.v.size() != 1)
                throw std::invalid_argument("JointPositions: joint '" + name + "' has " +
                                            std::to_string(joint.v.size()) + " velocities, expected 1");
            const auto i = static_cast<Eigen::Index>(q_.size());
            lower[i] = model.limits[joint.index].lower - target_[i];
            upper[i] = model.limits[joint.index].upper - target_[i];
            q_.push_back(joint.q.first);
            v_.push_back(joint.v.first);
        }
    }
    Result value(Node&, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        for (int i = 0; i < nr; ++i) r[i] = x[q_[static_cast<std::size_t>(i)]] - target_[i];
        return {};
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const Model& model = node.model();
        const Result result = constraint_embedding(model, node.robot, x.head(model.nq), x.tail(model.nv));
        for (int i = 0; i < nr; ++i)
            r_x.row(i).head(model.nv) = node.robot.G.row(v_[static_cast<std::size_t>(i)]);
        return result;
    }

    Eigen::VectorXd lower, upper;  ///< limits of the files minus the target

private:
    Eigen::VectorXd target_;
    std::vector<int> q_, v_;
};

/// Positions of the motors [motors], rad and m: those of their joints times the reductions.
class MotorPositions : public Residual {
public:
    /// Throws std::invalid_argument if a motor is on a joint of several coordinates.
    explicit MotorPositions(const Model& model)
        : Residual(static_cast<int>(motor_coordinates(model).size())) {
        for (const Coordinate& motor : motor_coordinates(model)) {
            if (velocity_size(model.bodies[motor.body].joint) != 1)
                throw std::invalid_argument("MotorPositions: joint '" + model.names.joints[motor.body] +
                                            "' has several velocities, expected 1");
            q_.push_back(model.bodies[motor.body].q);
            reductions_.push_back(model.reduction[motor.body]);
        }
    }
    Result value(Node&, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        for (std::size_t i = 0; i < q_.size(); ++i)
            r[static_cast<Eigen::Index>(i)] = reductions_[i] * x[q_[i]];
        return {};
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const Result result = actuation_jacobian(node.model(), node.robot, x.head(node.model().nq));
        r_x.leftCols(node.model().nv) = node.robot.J_motors;
        return result;
    }

private:
    std::vector<int> q_;
    std::vector<double> reductions_;
};

/// Velocities of the motors [motors], J_m ẏ, rad/s and m/s.
class MotorVelocities : public Residual {
public:
    explicit MotorVelocities(const Model& model)
        : Residual(static_cast<int>(motor_coordinates(model).size()), true, true) {}
    Result value(Node& node, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        const Model& model = node.model();
        const Result result = actuation_jacobian(model, node.robot, x.head(model.nq));
        r = node.robot.J_motors * x.tail(model.nv);
        return result;
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const Model& model = node.model();
        const int n = model.nv;
        Result result = actuation_jacobian(model, node.robot, x.head(model.nq));
        r_x.rightCols(n) = node.robot.J_motors;
        // row k of J_m is the force of u = e_k: its derivative by y, times ẏ
        SolverStep motors(model, {Integrator::semi_implicit_euler, true, false, false});
        if (!motors.has_motors) return result;
        Eigen::VectorXd u = Eigen::VectorXd::Zero(motors.nu);
        for (int k = 0; k < nr && result.ok(); ++k) {
            u.setZero();
            u[k] = 1;
            result = solver_forces(model, node.robot, motors, x.head(model.nq), x.tail(n), u);
            r_x.row(k).head(n) = x.tail(n).transpose() * motors.tau_y;
        }
        return result;
    }
};

namespace detail {
/// Returns the first entry of a contact in f. Throws std::invalid_argument if the node does not have this
/// contact, or if the contact has fewer rows than these.
inline int first_row(const Node& node, int contact, int rows) {
    const auto count = static_cast<int>(node.contacts.contacts.size());
    if (contact < 0 || contact >= count)
        throw std::invalid_argument("grbda: contact " + std::to_string(contact) +
                                    " does not exist: the node has " + std::to_string(count) + " contacts");
    const int most = node.contacts.contacts[contact].kind == ContactKind::point ? 3 : 6;
    if (rows > most)
        throw std::invalid_argument("grbda: contact " + std::to_string(contact) + " has " +
                                    std::to_string(most) + " rows, but the residual reads " +
                                    std::to_string(rows));
    return node.contacts.begin[contact];
}
}  // namespace detail

/// Force [3] of a contact of the node minus a target, N, or wrench [6] of a frame, in the contact's axes. At
/// a last node it is zero.
class ContactForce : public Residual {
public:
    ContactForce(int contact, int rows, Eigen::VectorXd target)
        : Residual(rows, true, true, true), contact_(contact), target_(std::move(target)) {
        require_size("target", target_.size(), rows);
    }
    Result value(Node& node, ConstVectorRef, ConstVectorRef u, VectorRef r) const override {
        r.setZero();
        if (u.size() != 0) r = node.f.segment(detail::first_row(node, contact_, nr), nr) - target_;
        return {};
    }
    Result jacobians(Node& node, ConstVectorRef, ConstVectorRef u, MatrixRef r_x,
                     MatrixRef r_u) const override {
        if (u.size() == 0) return {};
        const int first = detail::first_row(node, contact_, nr);
        r_x = node.f_x.middleRows(first, nr);
        r_u = node.f_u.middleRows(first, nr);
        return {};
    }

private:
    int contact_;
    Eigen::VectorXd target_;
};

/// Impulse [3] with which a contact of an impact strikes, N·s, or [6] of a frame, in the contact's axes.
class ContactImpulse : public Residual {
public:
    ContactImpulse(int contact, int rows) : Residual(rows, true, true), contact_(contact) {}
    Result value(Node& node, ConstVectorRef x, ConstVectorRef, VectorRef r) const override {
        const int first = detail::first_row(node, contact_, nr);
        const Result result = node.strike(x, false);
        r = node.impulses.segment(first, nr);
        return result;
    }
    Result jacobians(Node& node, ConstVectorRef x, ConstVectorRef, MatrixRef r_x, MatrixRef) const override {
        const int first = detail::first_row(node, contact_, nr);
        const Result result = node.strike(x, true);
        r_x = node.impulses_x.middleRows(first, nr);
        return result;
    }

private:
    int contact_;
};

/// Rows [facets] of a friction pyramid times the force of a contact: all are ≥ 0 where the force is in it.
/// The normal is in the axes of the world, or of the contact. At a last node it is zero.
class FrictionCone : public Residual {
public:
    enum class Axes { world, contact };
    FrictionCone(int contact, double friction, const Eigen::Vector3d& normal, int facets = 4,
                 Axes axes = Axes::world)
        : Residual(facets, true, true, true), contact_(contact), axes_(axes), rows_(facets, 3) {
        friction_pyramid(friction, {normal[0], normal[1], normal[2]}, true, rows_);
    }
    Result value(Node& node, ConstVectorRef, ConstVectorRef u, VectorRef r) const override {
        r.setZero();
        if (u.size() == 0) return {};
        const Eigen::Vector3d f = node.f.segment<3>(detail::first_row(node, contact_, 3));
        r = turned(node) * f;
        return {};
    }
    Result jacobians(Node& node, ConstVectorRef, ConstVectorRef u, MatrixRef r_x,
                     MatrixRef r_u) const override {
        if (u.size() == 0) return {};
        const int begin = detail::first_row(node, contact_, 3), n = node.model().nv;
        const Eigen::MatrixXd rows = turned(node);
        r_x.noalias() = rows * node.f_x.middleRows(begin, 3);
        r_u.noalias() = rows * node.f_u.middleRows(begin, 3);
        if (axes_ == Axes::world) {  // R f turns with the frame by R (ω × f)
            const Eigen::Vector3d f = node.f.segment<3>(begin);
            r_x.leftCols(n).noalias() -=
                rows * detail::cross_matrix(f) * node.contacts.angular.middleRows(3 * contact_, 3);
        }
        return {};
    }

private:
    Eigen::MatrixXd turned(const Node& node) const {
        if (axes_ == Axes::contact) return rows_;
        const Matrix3<double>& R = node.contacts.axes[contact_];
        Eigen::Matrix3d turn;
        turn << R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z;
        return rows_ * turn;
    }
    int contact_;
    Axes axes_;
    Eigen::MatrixXd rows_;
};

}  // namespace grbda::adapters
