#pragma once

#include <Eigen/Geometry>

#include "derivatives/contact_dynamics.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/kinematics.hpp"
#include "support/dense.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Contacts from the mass matrix, the bias force, and the frames of the bodies: the dense equations that
// contact_dynamics() and generated code solve.

namespace contact_reference {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using grbda::ContactFrame;
using grbda::ContactKind;
using grbda::ContactPhase;
using grbda::Model;
using grbda::Workspace;
using test_robots::Random;
using test_robots::State;

inline Vector3d eigen(const grbda::Vector3<double>& a) { return {a.x, a.y, a.z}; }
inline Matrix3d eigen(const grbda::Matrix3<double>& A) {
    Matrix3d result;
    result << eigen(A.x), eigen(A.y), eigen(A.z);
    return result;
}
inline grbda::Vector3<double> plain(const Vector3d& a) { return {a[0], a[1], a[2]}; }
inline grbda::Matrix3<double> plain(const Matrix3d& A) {
    return {plain(Vector3d(A.col(0))), plain(Vector3d(A.col(1))), plain(Vector3d(A.col(2)))};
}

/// M ÿ + bias − Jᵀ f = τ, and J ÿ + drift = 0 with gains; rows of active contacts in the order of f.
struct Equations {
    MatrixXd M, J;
    VectorXd bias, drift;
    std::vector<int> rows;  ///< of f

    /// The forces of these rows.
    VectorXd active(const VectorXd& f) const {
        VectorXd result(static_cast<Eigen::Index>(rows.size()));
        for (std::size_t i = 0; i < rows.size(); ++i) result[static_cast<Eigen::Index>(i)] = f[rows[i]];
        return result;
    }
};

inline MatrixXd at_point(const MatrixXd& twists, const Matrix3d& R, const Vector3d& p, int rows) {
    MatrixXd result(6, twists.cols());
    for (Eigen::Index j = 0; j < twists.cols(); ++j) {
        const Vector3d v = twists.col(j).head(3), w = twists.col(j).tail(3);
        result.col(j) << R.transpose() * (v + w.cross(p)), R.transpose() * w;
    }
    return result.topRows(rows);
}

/// Error of position of a contact whose frame is at p, R in the world.
inline VectorXd error_of(const grbda::ContactReference& reference, const Vector3d& p, const Matrix3d& R,
                         int rows) {
    const Matrix3d E = eigen(reference.rotation).transpose() * R;
    VectorXd e(6);
    e << R.transpose() * (p - eigen(reference.position)),
        Vector3d(E(2, 1) - E(1, 2), E(0, 2) - E(2, 0), E(1, 0) - E(0, 1)) / 2;
    return e.head(rows);
}

inline Equations equations(const Model& model, const std::vector<ContactFrame>& contacts,
                           const ContactPhase& phase, const State& state) {
    const auto axes = grbda::ReferenceFrame::local;
    Workspace<double> data(model);
    Equations x;
    x.M.resize(model.nv, model.nv);
    must(grbda::crba<double>(model, data, state.q, x.M));
    must(grbda::bias_force<double>(model, data, state.q, state.yd));
    x.bias = data.tau;
    must(grbda::forward_kinematics<double>(model, data, state.q, state.yd, VectorXd::Zero(model.nv)));
    int row = 0;
    std::vector<MatrixXd> J;
    std::vector<VectorXd> drift;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const int rows = grbda::rows_of(contacts[c].kind), body = contacts[c].frame.body;
        row += rows;
        if (!phase.active[c]) continue;
        for (int i = row - rows; i < row; ++i) x.rows.push_back(i);
        const int frame = model.body_frame[body];
        const Matrix3d R = eigen(contacts[c].frame.rotation);
        const Vector3d p = eigen(contacts[c].frame.position);
        grbda::Matrix6X<double> of_body(6, model.nv);
        grbda::body_jacobian<double>(model, data, body, axes, of_body);
        J.push_back(at_point(of_body, R, p, rows));
        VectorXd a = grbda::frame_acceleration<double>(model, data, frame, axes);
        const VectorXd v = grbda::frame_velocity<double>(model, data, frame, axes);
        a.head(3) -= Vector3d(v.tail(3)).cross(Vector3d(v.head(3)));  // rate of v in the body's axes
        const Matrix3d turn = grbda::frame_orientation<double>(model, data, frame);
        VectorXd sum = at_point(a, R, p, rows) + phase.velocity_gain * at_point(v, R, p, rows);
        if (phase.position_gain != 0)
            sum += phase.position_gain *
                   error_of(phase.references[c],
                            Vector3d(grbda::frame_position<double>(model, data, frame)) + turn * p, turn * R,
                            rows);
        drift.push_back(sum);
    }
    x.J.resize(static_cast<Eigen::Index>(x.rows.size()), model.nv);
    x.drift.resize(x.J.rows());
    Eigen::Index first = 0;
    for (std::size_t i = 0; i < J.size(); ++i) {
        x.J.middleRows(first, J[i].rows()) = J[i];
        x.drift.segment(first, J[i].rows()) = drift[i];
        first += J[i].rows();
    }
    return x;
}

inline Matrix3d random_rotation(Random& random) {
    return Eigen::Quaterniond(test_robots::random_vector(random, 4).head<4>())
        .normalized()
        .toRotationMatrix();
}

/// A body that contacts may be on, or −1.
inline int random_body(const Model& model, Random& random) {
    std::vector<int> bodies;
    for (int i = 0; i < model.body_count(); ++i)
        if (!model.bodies[i].rotor && !test_robots::is_length(model, i)) bodies.push_back(i);
    if (bodies.empty()) return -1;
    return bodies[std::uniform_int_distribution<std::size_t>(0, bodies.size() - 1)(random)];
}

/// Contacts of both kinds at random places.
inline std::vector<ContactFrame> random_contacts(const Model& model, Random& random,
                                                 std::initializer_list<ContactKind> kinds) {
    std::vector<ContactFrame> contacts;
    for (const ContactKind kind : kinds) {
        const Vector3d p = test_robots::random_vector(random, 3, 0.3);
        contacts.push_back(grbda::contact_on_body(model, random_body(model, random), plain(p), kind));
        contacts.back().frame.rotation = plain(random_rotation(random));
    }
    return contacts;
}

/// Four corners of a rectangle on one body.
inline std::vector<ContactFrame> sole(const Model& model, int body, const Vector3d& centre) {
    std::vector<ContactFrame> contacts;
    for (const double x : {-0.05, 0.1})
        for (const double y : {-0.03, 0.03})
            contacts.push_back(
                grbda::contact_on_body(model, body, plain(Vector3d(centre + Vector3d(x, y, 0)))));
    return contacts;
}

/// Gains, and references near the places where the contacts are.
inline void set_gains(const Model& model, const State& state, const std::vector<ContactFrame>& contacts,
                      Random& random, ContactPhase& phase) {
    Workspace<double> data(model);
    must(grbda::forward_kinematics<double>(model, data, state.q));
    phase.velocity_gain = 3;
    phase.position_gain = 8;
    phase.references.clear();
    for (const ContactFrame& contact : contacts) {
        const int frame = model.body_frame[contact.frame.body];
        const Matrix3d R = grbda::frame_orientation<double>(model, data, frame);
        const Vector3d p = grbda::frame_position<double>(model, data, frame),
                       turn = test_robots::random_vector(random, 3, 0.2);
        const Matrix3d turned =
            Eigen::AngleAxisd(turn.norm(), turn.normalized()) * R * eigen(contact.frame.rotation);
        phase.references.push_back({plain(Vector3d(p + R * eigen(contact.frame.position) +
                                                   test_robots::random_vector(random, 3, 0.1))),
                                    plain(turned)});
    }
}

}  // namespace contact_reference
