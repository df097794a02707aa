#include "floating_base.hpp"

namespace tasks {
namespace {

/// ω × v, both in base axes: the difference between the acceleration of the origin and componentwise rates.
Velocity turning(const Velocity& v) {
    Velocity out = Velocity::Zero();
    out.head<3>() = v.tail<3>().cross(v.head<3>());
    return out;
}

}  // namespace

Eigen::Quaterniond orientation(const Position& q) {
    return Eigen::Quaterniond(q[6], q[3], q[4], q[5]).normalized();
}

Position w_last(const Position& q) {
    Position out;
    out << q.head<3>(), q.tail<3>(), q[3];
    return out;
}

Position w_first(const Position& q) {
    Position out;
    out << q.head<3>(), q[6], q.segment<3>(3);
    return out;
}

Eigen::VectorXd from_rbdl(const Eigen::VectorXd& q) {
    Eigen::VectorXd out(q.size());
    out << q.head<6>(), q.tail<1>(), q.segment(6, q.size() - 7);
    return out;
}

Eigen::VectorXd to_rbdl(const Eigen::VectorXd& q) {
    Eigen::VectorXd out(q.size());
    out << q.head<6>(), q.tail(q.size() - 7), q[6];
    return out;
}

Velocity to_body(const Position& q, const Velocity& v) {
    Velocity out = v;
    out.head<3>() = orientation(q).conjugate() * Eigen::Vector3d(v.head<3>());
    return out;
}

Velocity to_world(const Position& q, const Velocity& v) {
    Velocity out = v;
    out.head<3>() = orientation(q) * Eigen::Vector3d(v.head<3>());
    return out;
}

Velocity swapped(const Velocity& v) {
    Velocity out;
    out << v.tail<3>(), v.head<3>();
    return out;
}

Velocity acceleration_to_body(const Position& q, const Velocity& v, const Velocity& a) {
    return to_body(q, a) - turning(v);
}

Velocity acceleration_to_world(const Position& q, const Velocity& v, const Velocity& a) {
    return to_world(q, a + turning(v));
}

}  // namespace tasks
