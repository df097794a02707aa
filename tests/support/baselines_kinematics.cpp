#include "support/baselines_kinematics.hpp"

#include "support/dense.hpp"

namespace baselines_fixture {

Eigen::Isometry3d placement(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& position) {
    Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
    transform.linear() = rotation;
    transform.translation() = position;
    return transform;
}

Eigen::Isometry3d joint_transform(const grbda::Body& body, const Eigen::VectorXd& q) {
    using grbda::JointType;
    const Eigen::Matrix3d T = eigen(body.rotation);
    const Eigen::Vector3d p = eigen(body.position), axis = eigen(body.axis);
    const auto at = [&](int i) { return q[body.q + i]; };
    const auto quaternion = [&](int i) {
        return Eigen::Quaterniond(at(i + 3), at(i), at(i + 1), at(i + 2)).normalized().toRotationMatrix();
    };
    switch (body.joint) {
        case JointType::revolute:
        case JointType::continuous: return placement(exponential(axis * at(0)) * T, p);
        case JointType::prismatic: return placement(T, p + axis * at(0));
        case JointType::helical:
            return placement(exponential(axis * at(0)) * T, p + eigen(body.axis2) * at(0));
        case JointType::cylindrical: return placement(exponential(axis * at(0)) * T, p + axis * at(1));
        case JointType::universal:
            return placement(exponential(axis * at(0)) * T * exponential(eigen(body.axis2) * at(1)), p);
        case JointType::planar:
            return placement(exponential(axis * at(2)) * T,
                             p + eigen(body.axis2) * at(0) + eigen(body.axis3) * at(1));
        case JointType::spherical: return placement(T * quaternion(0), p);
        case JointType::floating:
            return placement(T * quaternion(3), p + T * Eigen::Vector3d(at(0), at(1), at(2)));
        case JointType::fixed: break;
    }
    return placement(T, p);
}

std::vector<Eigen::Isometry3d> poses(const grbda::Model& model, const Eigen::VectorXd& q) {
    std::vector<Eigen::Isometry3d> result;
    for (const grbda::Body& body : model.bodies) {
        const Eigen::Isometry3d own = joint_transform(body, q);
        result.push_back(body.parent == grbda::world ? own
                                                     : result[static_cast<std::size_t>(body.parent)] * own);
    }
    return result;
}

Eigen::VectorXd step(const grbda::Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    Eigen::VectorXd result = q;
    const auto turn = [&](int first, const Eigen::Vector3d& rotation) {
        Eigen::Quaterniond quaternion(q[first + 3], q[first], q[first + 1], q[first + 2]);
        quaternion = quaternion.normalized() * Eigen::Quaterniond(exponential(rotation));
        result.segment<4>(first) = quaternion.normalized().coeffs();
        return Eigen::Quaterniond(q[first + 3], q[first], q[first + 1], q[first + 2]).toRotationMatrix();
    };
    for (const grbda::Body& body : model.bodies) {
        if (body.joint == grbda::JointType::spherical) {
            turn(body.q, v.segment<3>(body.v));
        } else if (body.joint == grbda::JointType::floating) {
            const Eigen::Vector3d rotation = v.segment<3>(body.v + 3), slide = v.segment<3>(body.v);
            const Eigen::Matrix3d R = turn(body.q + 3, rotation);
            result.segment<3>(body.q) += R * (slide + 0.5 * rotation.cross(slide));
        } else {
            const int size = grbda::velocity_size(body.joint);
            result.segment(body.q, size) += v.segment(body.v, size);
        }
    }
    return result;
}

/// slide: position of the slide of a strut.
double row_error(const grbda::Loop& loop, const grbda::LoopRow& row, const Eigen::Isometry3d& relative,
                 double slide) {
    const Eigen::Matrix3d R = relative.linear();
    const double L = loop.constant;
    switch (row.kind) {
        case grbda::RowKind::along: return relative.translation()[row.axis];
        case grbda::RowKind::distance: return (relative.translation().squaredNorm() - L * L) / (2 * L);
        case grbda::RowKind::length: return relative.translation().norm() - L - loop.slide_sign * slide;
        case grbda::RowKind::screw: {  // whole turns of the twist about x are those that the slide tells
            const Eigen::Quaterniond quaternion(R);
            const double twist = 2 * std::atan2(quaternion.x(), quaternion.w());
            return L * std::remainder(relative.translation().x() / L - twist, 2 * M_PI);
        }
        case grbda::RowKind::turn:
            return 0.5 * Eigen::Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1))[row.axis];
        case grbda::RowKind::tilt: return Eigen::Vector3d::UnitX().cross(R.col(0))[row.axis];
        case grbda::RowKind::angle: return R(0, 0) - loop.constant;
    }
    return 0;
}

Eigen::VectorXd closure_error(const grbda::Model& model, const Eigen::VectorXd& q) {
    const std::vector<Eigen::Isometry3d> bodies = poses(model, q);
    Eigen::VectorXd phi = Eigen::VectorXd::Zero(model.rows);
    for (const grbda::Loop& loop : model.loops) {
        Eigen::Isometry3d P = placement(eigen(loop.predecessor.rotation), eigen(loop.predecessor.position));
        Eigen::Isometry3d Q = placement(eigen(loop.successor.rotation), eigen(loop.successor.position));
        if (loop.predecessor.body != grbda::world)
            P = bodies[static_cast<std::size_t>(loop.predecessor.body)] * P;
        if (loop.successor.body != grbda::world)
            Q = bodies[static_cast<std::size_t>(loop.successor.body)] * Q;
        const Eigen::Isometry3d relative = P.inverse() * Q;
        int at_row = loop.row;
        for (const grbda::LoopRow& row : grbda::rows_of(model, loop))
            phi[at_row++] = row_error(loop, row, relative, loop.slide < 0 ? 0 : q[loop.slide_q]);
    }
    for (const grbda::Coupling& coupling : model.couplings) {
        if (!coupling.linear()) {
            const auto follower = static_cast<std::size_t>(coupling.terms.first), leader = follower + 1;
            phi[coupling.row] = q[model.coupling_terms[follower].q];
            double power = 1;
            for (const int i : coupling.polynomial) {
                phi[coupling.row] -= model.polynomials[i] * power;
                power *= q[model.coupling_terms[leader].q] - coupling.reference;
            }
            continue;
        }
        phi[coupling.row] = coupling.offset;
        for (const int t : coupling.terms) {
            const grbda::CouplingTerm& term = model.coupling_terms[t];
            phi[coupling.row] += term.coefficient * q[term.q];
        }
    }
    return phi;
}

Eigen::MatrixXd closure_gradient(const grbda::Model& model, const Eigen::VectorXd& q, double h) {
    Eigen::MatrixXd gradient(model.rows, model.nv_tree);
    for (int j = 0; j < model.nv_tree; ++j) {
        const Eigen::VectorXd unit = Eigen::VectorXd::Unit(model.nv_tree, j);
        gradient.col(j) = (closure_error(model, step(model, q, h * unit)) -
                           closure_error(model, step(model, q, -h * unit))) /
                          (2 * h);
    }
    return gradient;
}

Eigen::VectorXd close(const grbda::Model& model, Eigen::VectorXd q) {
    for (int iteration = 0; iteration < 20 && model.rows > 0; ++iteration) {
        const Eigen::VectorXd phi = closure_error(model, q);
        if (phi.norm() < 1e-13) break;
        // differences leave redundant rows only nearly dependent
        q = step(model, q, -dense::least_norm(closure_gradient(model, q, kDifferenceStep), phi, 1e-6));
    }
    return q;
}

Eigen::VectorXd closed_configuration(const grbda::Model& model, Random& random) {
    Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
    for (int i = 0; i < 3; ++i) q = close(model, step(model, q, random_vector(random, model.nv_tree, 0.2)));
    return q;
}

}  // namespace baselines_fixture
