#include "reference.hpp"

#include <stdexcept>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>

namespace grbda::benchmarks {
namespace {

using Real = Reference::Real;
using Vector3 = Eigen::Matrix<Real, 3, 1>;
using Matrix3 = Eigen::Matrix<Real, 3, 3>;

Matrix3 rotation_about(const Vector3& axis, Real angle) {
    Matrix3 cross;
    cross << 0, -axis.z(), axis.y(), axis.z(), 0, -axis.x(), -axis.y(), axis.x(), 0;
    return Matrix3::Identity() + std::sin(angle) * cross + (1 - std::cos(angle)) * cross * cross;
}

}  // namespace

Reference::Reference(const Mechanism& mechanism, std::vector<int> independents,
                     const Eigen::Vector3d& gravity)
    : mechanism_(mechanism), independents_(std::move(independents)), gravity_(gravity.cast<Real>()) {
    for (const MechanismBody& body : mechanism.bodies)
        if (body.type != JointType::revolute) throw std::invalid_argument(body.joint + " is not revolute");
    for (const MechanismLoop& loop : mechanism.loops)
        if (loop.type != LoopType::revolute) throw std::invalid_argument(loop.name + " is not revolute");
    if (!mechanism.couplings.empty()) throw std::invalid_argument("couplings are not loops");
}

std::vector<Reference::Moved> Reference::place(const Vector& q) const {
    std::vector<Moved> bodies;
    for (const MechanismBody& body : mechanism_.bodies) {
        Moved moved{Matrix3::Identity(), Vector3::Zero(), {}, {}, {}, {}};
        if (body.parent != world) moved = bodies[static_cast<std::size_t>(body.parent)];
        const Real angle = q[static_cast<Eigen::Index>(bodies.size())];
        moved.position += moved.rotation * body.placement.translation.cast<Real>();
        moved.rotation *= body.placement.rotation.cast<Real>();
        moved.axis = moved.rotation * body.axis.cast<Real>();
        moved.rotation *= rotation_about(body.axis.cast<Real>(), angle);
        bodies.push_back(moved);
    }
    set_velocities(Vector::Zero(q.size()), bodies);
    return bodies;
}

void Reference::set_velocities(const Vector& qd, std::vector<Moved>& bodies) const {
    const Moved ground{Matrix3::Identity(), Vector3::Zero(), Vector3::Zero(),
                       Vector3::Zero(),     Vector3::Zero(), Vector3::Zero()};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const int above = mechanism_.bodies[i].parent;
        const Moved& parent = above == world ? ground : bodies[static_cast<std::size_t>(above)];
        Moved& body = bodies[i];
        const Vector3 arm = body.position - parent.position;
        const Vector3 rate = body.axis * qd[static_cast<Eigen::Index>(i)];
        body.omega = parent.omega + rate;
        body.alpha = parent.alpha + parent.omega.cross(rate);
        body.acceleration =
            parent.acceleration + parent.alpha.cross(arm) + parent.omega.cross(parent.omega.cross(arm));
    }
}

Reference::Fixture Reference::fixture(const std::vector<Moved>& bodies, int body, const Pose& placement,
                                      const Eigen::Vector3d& axis) const {
    const Vector3 arm = placement.translation.cast<Real>();
    const Vector3 direction = placement.rotation.cast<Real>() * axis.cast<Real>();
    const Vector3 zero = Vector3::Zero();
    if (body == world) return {world, arm, arm, direction, zero, zero, zero};
    const Moved& moved = bodies[static_cast<std::size_t>(body)];
    Fixture result{body, moved.rotation * arm, {}, moved.rotation * direction, {}, {}, {}};
    result.position = moved.position + result.arm;
    result.acceleration =
        moved.acceleration + moved.alpha.cross(result.arm) + moved.omega.cross(moved.omega.cross(result.arm));
    result.rate = moved.omega.cross(result.direction);
    result.rate_of_rate = moved.alpha.cross(result.direction) + moved.omega.cross(result.rate);
    return result;
}

bool Reference::moves(int joint, int body) const {
    while (body > joint) body = mechanism_.bodies[static_cast<std::size_t>(body)].parent;
    return body == joint;
}

void Reference::mass_and_bias(const std::vector<Moved>& bodies, Matrix& H, Vector& C) const {
    const auto n = static_cast<Eigen::Index>(bodies.size());
    H.setZero(n, n);
    C.setZero(n);
    Matrix linear(3, n), angular(3, n);
    for (int i = 0; i < n; ++i) {
        const Inertial& inertia = mechanism_.bodies[static_cast<std::size_t>(i)].inertia;
        const Moved& body = bodies[static_cast<std::size_t>(i)];
        const Vector3 arm = body.rotation * inertia.com.cast<Real>();
        const Matrix3 I = body.rotation * inertia.inertia.cast<Real>() * body.rotation.transpose();
        linear.setZero();
        angular.setZero();
        for (int j = 0; j <= i; ++j) {
            if (!moves(j, i)) continue;
            const Moved& joint = bodies[static_cast<std::size_t>(j)];
            linear.col(j) = joint.axis.cross(Vector3(body.position + arm - joint.position));
            angular.col(j) = joint.axis;
        }
        const Real mass = inertia.mass;
        const Vector3 acceleration =
            body.acceleration + body.alpha.cross(arm) + body.omega.cross(body.omega.cross(arm)) - gravity_;
        const Vector3 turning = I * body.omega;
        H += mass * linear.transpose() * linear + angular.transpose() * I * angular;
        C += mass * linear.transpose() * acceleration +
             angular.transpose() * (I * body.alpha + body.omega.cross(turning));
    }
    for (int i = 0; i < n; ++i) H(i, i) += mechanism_.bodies[static_cast<std::size_t>(i)].armature;
}

void Reference::constraints(const std::vector<Moved>& bodies, Vector& phi, Matrix& K, Vector& k) const {
    const auto n = static_cast<Eigen::Index>(bodies.size());
    const auto rows = static_cast<Eigen::Index>(6 * mechanism_.loops.size());
    Matrix all = Matrix::Zero(rows, n);
    Vector error(rows), bias(rows);
    for (std::size_t i = 0; i < mechanism_.loops.size(); ++i) {
        const MechanismLoop& loop = mechanism_.loops[i];
        const Fixture p = fixture(bodies, loop.predecessor, loop.predecessor_placement, loop.axis);
        const Fixture s = fixture(bodies, loop.successor, loop.successor_placement, loop.axis);
        const auto row = static_cast<Eigen::Index>(6 * i);
        error.segment<3>(row) = s.position - p.position;
        error.segment<3>(row + 3) = p.direction.cross(s.direction);
        bias.segment<3>(row) = p.acceleration - s.acceleration;
        bias.segment<3>(row + 3) =
            -p.rate_of_rate.cross(s.direction) - 2 * p.rate.cross(s.rate) - p.direction.cross(s.rate_of_rate);
        for (int j = 0; j < n; ++j) {
            const Moved& joint = bodies[static_cast<std::size_t>(j)];
            if (moves(j, s.body)) {
                all.block<3, 1>(row, j) += joint.axis.cross(Vector3(s.position - joint.position));
                all.block<3, 1>(row + 3, j) += p.direction.cross(Vector3(joint.axis.cross(s.direction)));
            }
            if (moves(j, p.body)) {
                all.block<3, 1>(row, j) -= joint.axis.cross(Vector3(p.position - joint.position));
                all.block<3, 1>(row + 3, j) += joint.axis.cross(p.direction).cross(s.direction);
            }
        }
    }
    if (rows == 0) {
        phi.resize(0), K.resize(0, n), k.resize(0);
        return;
    }
    // redundant rows vanish to rounding: 1e-19 compared with the conditioning of 1e-5 that the engine
    // accepts
    Eigen::ColPivHouseholderQR<Matrix> factor(all.transpose());
    factor.setThreshold(Real(1e-10));
    const Eigen::Index rank = factor.rank();
    const Eigen::VectorXi kept = factor.colsPermutation().indices().head(rank);
    phi = error(kept);
    K = all(kept, Eigen::all);
    k = bias(kept);
}

Reference::Matrix Reference::solve_for_dependents(const Matrix& K, const Matrix& top,
                                                  const Matrix& bottom) const {
    const auto m = static_cast<Eigen::Index>(independents_.size());
    if (K.rows() + m != K.cols()) throw std::runtime_error("the rank differs from the model's");
    Matrix system = Matrix::Zero(K.cols(), K.cols()), right(K.cols(), bottom.cols());
    system.topRows(K.rows()) = K;
    for (Eigen::Index i = 0; i < m; ++i) system(K.rows() + i, independents_[static_cast<std::size_t>(i)]) = 1;
    right << top, bottom;
    return system.fullPivLu().solve(right);
}

Reference::Vector Reference::close_loops(Vector q) const {
    constexpr int iterations = 8;
    const Vector fixed = Vector::Zero(static_cast<Eigen::Index>(independents_.size()));
    Vector phi, k;
    Matrix K;
    for (int i = 0; i < iterations; ++i) {
        constraints(place(q), phi, K, k);
        q -= solve_for_dependents(K, phi, fixed);
    }
    return q;
}

Reference::Solution Reference::solve(const Vector& q, const Vector& yd, const Vector& tau) const {
    std::vector<Moved> bodies = place(q);
    Vector phi, k, C;
    Matrix K, H;
    constraints(bodies, phi, K, k);
    const Eigen::Index n = q.size(), rows = K.rows(), m = yd.size();
    const Matrix G = solve_for_dependents(K, Matrix::Zero(rows, m), Matrix::Identity(m, m));
    set_velocities(G * yd, bodies);
    mass_and_bias(bodies, H, C);
    constraints(bodies, phi, K, k);
    Matrix system = Matrix::Zero(n + rows, n + rows);
    system.topLeftCorner(n, n) = H;
    system.topRightCorner(n, rows) = K.transpose();
    system.bottomLeftCorner(rows, n) = K;
    Vector right(n + rows);
    right << -C, k;
    for (Eigen::Index i = 0; i < m; ++i) right[independents_[static_cast<std::size_t>(i)]] += tau[i];
    const Vector solution = system.fullPivLu().solve(right);
    return {solution(independents_), G.transpose() * H * G};
}

}  // namespace grbda::benchmarks
