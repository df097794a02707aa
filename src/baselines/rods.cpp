#include "rods.hpp"

#include <Eigen/Geometry>

#include "loop_rows.hpp"

namespace grbda::baselines {
namespace {

/// Masses of the two points of a rod.
struct PointMasses {
    explicit PointMasses(const Rod& rod) {
        const double m = rod.mass, s = rod.center, turning = rod.transverse / (rod.length * rod.length);
        aa = m * (1 - s) * (1 - s) + turning;
        ab = m * s * (1 - s) - turning;
        bb = m * s * s + turning;
    }
    double aa, ab, bb;
};

/// Velocity of a point of a body for each velocity of the spanning tree.
Eigen::MatrixXd point_jacobian(const Model& model, const SpanningTree& tree, int body,
                               const Eigen::Vector3d& point) {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, model.nv_tree);
    for (; body != world; body = model.bodies[body].parent) {
        const TreeBody& mover = tree.bodies[static_cast<std::size_t>(body)];
        for (int j = 0; j < mover.joint.s.cols(); ++j) {
            const Eigen::Vector3d turn = mover.orientation * mover.joint.s.col(j).head<3>();
            J.col(model.bodies[body].v + j) =
                mover.orientation * mover.joint.s.col(j).tail<3>() + turn.cross(point - mover.position);
        }
    }
    return J;
}

/// Angular velocity of a body for each velocity of the spanning tree.
Eigen::MatrixXd turn_jacobian(const Model& model, const SpanningTree& tree, int body) {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, model.nv_tree);
    for (; body != world; body = model.bodies[body].parent) {
        const TreeBody& mover = tree.bodies[static_cast<std::size_t>(body)];
        for (int j = 0; j < mover.joint.s.cols(); ++j)
            J.col(model.bodies[body].v + j) = mover.orientation * mover.joint.s.col(j).head<3>();
    }
    return J;
}

/// An end of a rod.
struct Point {
    Point(const Model& model, const SpanningTree& tree, const LoopEnd& from)
        : end(place(tree, from)), J(point_jacobian(model, tree, from.body, end.position)) {}
    EndState end;
    Eigen::MatrixXd J;
};

/// A rod with a universal joint at A.
struct Spin {
    Spin(const Model& model, const SpanningTree& tree, const Rod& rod, const Point& a, const Point& b)
        : length(rod.length), n((b.end.position - a.end.position) / rod.length) {
        const int body = model.loops[rod.loop].predecessor.body;
        const Eigen::Vector3d axis(rod.axis.x, rod.axis.y, rod.axis.z);
        e1 = body == world ? axis
                           : Eigen::Vector3d(tree.bodies[static_cast<std::size_t>(body)].orientation * axis);
        e2 = n.cross(e1).normalized();
        x = e1.cross(e2);
        X = x / x.dot(n);
        Y = X.cross(n) / length;
        row = X.transpose() * turn_jacobian(model, tree, body) - Y.transpose() * (b.J - a.J);
    }
    /// Generalized force that the spin takes at the accelerations of the ends, for unit I_s.
    Eigen::VectorXd force(const EndState& a, const EndState& b, const Eigen::MatrixXd& J) const {
        const Eigen::Vector3d rate = (b.velocity - a.velocity) / length,
                              second = (b.acceleration - a.acceleration) / length;
        const double spin = X.dot(a.omega) - Y.dot(b.velocity - a.velocity);
        const Eigen::Vector3d omega = n.cross(rate) + spin * n;
        const Eigen::Vector3d x_rate = a.omega.cross(e1).cross(e2) + e1.cross(omega.cross(e2));
        const double change =
            X.dot(a.alpha - n.cross(second) - spin * rate) - (omega - a.omega).dot(x_rate) / x.dot(n);
        return change * row.transpose() + J.transpose() * (spin / length * rate.cross(n));
    }
    double length;
    Eigen::Vector3d n, e1, e2, x, X, Y;
    Eigen::RowVectorXd row;  ///< ω_s for each velocity of the spanning tree
};

}  // namespace

void add_rod_masses(const Model& model, const SpanningTree& tree, Eigen::MatrixXd& H) {
    for (const Rod& rod : model.rods) {
        const Loop& loop = model.loops[rod.loop];
        const Point a(model, tree, loop.predecessor), b(model, tree, loop.successor);
        const PointMasses m(rod);
        const Eigen::MatrixXd mixed = a.J.transpose() * b.J;
        H += m.aa * a.J.transpose() * a.J + m.ab * (mixed + mixed.transpose()) + m.bb * b.J.transpose() * b.J;
        if (!rod.universal) continue;
        const Spin spin(model, tree, rod, a, b);
        H += rod.axial * spin.row.transpose() * spin.row;
    }
}

void add_rod_forces(const Model& model, const SpanningTree& tree, Eigen::VectorXd& C) {
    const Eigen::Vector3d gravity = to_eigen(model.gravity);
    for (const Rod& rod : model.rods) {
        const Loop& loop = model.loops[rod.loop];
        Point a(model, tree, loop.predecessor), b(model, tree, loop.successor);
        move(tree, loop.predecessor.body, a.end);
        move(tree, loop.successor.body, b.end);
        const PointMasses m(rod);
        const Eigen::Vector3d at_a = a.end.acceleration - gravity, at_b = b.end.acceleration - gravity;
        C += a.J.transpose() * (m.aa * at_a + m.ab * at_b) + b.J.transpose() * (m.ab * at_a + m.bb * at_b);
        if (rod.universal) C += rod.axial * Spin(model, tree, rod, a, b).force(a.end, b.end, b.J - a.J);
    }
}

}  // namespace grbda::baselines
