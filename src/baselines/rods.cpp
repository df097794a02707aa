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

/// H += s Aᵀ B.
void add_product(double s, const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, Eigen::MatrixXd& H) {
    H.noalias() += (s * A).transpose() * B;
}

/// C += Jᵀ f.
void add_force(const Eigen::MatrixXd& J, const Eigen::Vector3d& f, Eigen::VectorXd& C) {
    C.noalias() += J.transpose() * f;
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
        : length((b.end.position - a.end.position).norm()), n((b.end.position - a.end.position) / length) {
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
    /// Rotation of the rod, from the accelerations of the ends.
    struct Turning {
        Eigen::Vector3d rate, omega, alpha;  ///< of n, and of the rod
        double change;                       ///< of the spin
    };
    Turning turning(const EndState& a, const EndState& b) const {
        const Eigen::Vector3d u = b.velocity - a.velocity, apart = b.acceleration - a.acceleration;
        const double stretch = n.dot(u);
        const Eigen::Vector3d rate = (u - stretch * n) / length,
                              second = (apart - 2 * stretch * rate) / length;
        const double spin = X.dot(a.omega) - Y.dot(u);
        const Eigen::Vector3d omega = n.cross(rate) + spin * n;
        const Eigen::Vector3d x_rate = a.omega.cross(e1).cross(e2) + e1.cross(omega.cross(e2));
        const double change =
            X.dot(a.alpha - n.cross(second) - spin * rate) - (omega - a.omega).dot(x_rate) / x.dot(n);
        return {rate, omega, n.cross(second) + spin * rate + change * n, change};
    }
    /// Generalized force that the spin takes at the accelerations of the ends, for unit I_s.
    Eigen::VectorXd force(const EndState& a, const EndState& b, const Eigen::MatrixXd& J) const {
        const Turning now = turning(a, b);
        const double spin = n.dot(now.omega);
        return now.change * row.transpose() + J.transpose() * (spin / length * now.rate.cross(n));
    }
    double length;
    Eigen::Vector3d n, e1, e2, x, X, Y;
    Eigen::RowVectorXd row;  ///< ω_s for each velocity of the spanning tree
};

/// A strut with its ends.
struct StrutBodies {
    StrutBodies(const Model& model, const SpanningTree& tree, const Rod& rod, const Point& from,
                const Point& to)
        : spin(model, tree, rod, from, to), a(from), b(to) {
        const Eigen::Vector3d across = spin.n.cross(spin.e1).normalized();
        Eigen::Matrix3d now, at_zero;
        now << spin.n, across, spin.n.cross(across);
        const Eigen::Vector3d line(rod.line.x, rod.line.y, rod.line.z),
            axis(rod.axis.x, rod.axis.y, rod.axis.z);
        const Eigen::Vector3d side = line.cross(axis).normalized();
        at_zero << line, side, line.cross(side);
        R = now * at_zero.transpose() * to_eigen(rod.rotation);
        turn.noalias() = spin.n * spin.row;
        for (Eigen::Index j = 0; j < turn.cols(); ++j)
            turn.col(j) += spin.n.cross(Eigen::Vector3d(b.J.col(j) - a.J.col(j))) / spin.length;
        links = &model.strut_inertials[2 * rod.strut];
    }
    /// Calls use(centre of mass from the link's end, end, inertial, J of the centre) for both links.
    template <class Use>
    void each(const Use& use) const {
        for (const Point* end : {&a, &b}) {
            const Inertial& link = links[end == &a ? 0 : 1];
            const Eigen::Vector3d arm = R * link.com;
            Eigen::MatrixXd J = end->J;
            for (Eigen::Index j = 0; j < J.cols(); ++j) J.col(j) += Eigen::Vector3d(turn.col(j)).cross(arm);
            use(arm, *end, link, J);
        }
    }
    Spin spin;
    const Point &a, &b;
    Eigen::Matrix3d R;
    Eigen::MatrixXd turn;  ///< 3 × nv_tree
    const Inertial* links = nullptr;
};

void add_strut_mass(const StrutBodies& strut, Eigen::MatrixXd& H) {
    strut.each([&](const Eigen::Vector3d&, const Point&, const Inertial& link, const Eigen::MatrixXd& J) {
        const Eigen::Matrix3d I = strut.R * link.inertia * strut.R.transpose();
        add_product(link.mass, J, J, H);
        add_product(1, strut.turn, I * strut.turn, H);
    });
}

void add_strut_force(const StrutBodies& strut, const Eigen::Vector3d& gravity, Eigen::VectorXd& C) {
    const Spin::Turning now = strut.spin.turning(strut.a.end, strut.b.end);
    strut.each(
        [&](const Eigen::Vector3d& arm, const Point& end, const Inertial& link, const Eigen::MatrixXd& J) {
            const Eigen::Matrix3d I = strut.R * link.inertia * strut.R.transpose();
            const Eigen::Vector3d acceleration =
                end.end.acceleration + now.alpha.cross(arm) + now.omega.cross(now.omega.cross(arm));
            add_force(J, link.mass * (acceleration - gravity), C);
            add_force(strut.turn, I * now.alpha + now.omega.cross(I * now.omega), C);
        });
}

}  // namespace

void add_rod_masses(const Model& model, const SpanningTree& tree, Eigen::MatrixXd& H) {
    for (const Rod& rod : model.rods) {
        const Loop& loop = model.loops[rod.loop];
        const Point a(model, tree, loop.predecessor), b(model, tree, loop.successor);
        if (rod.strut >= 0) {
            add_strut_mass({model, tree, rod, a, b}, H);
            continue;
        }
        const PointMasses m(rod);
        add_product(m.aa, a.J, a.J, H);
        add_product(m.ab, a.J, b.J, H);
        add_product(m.ab, b.J, a.J, H);
        add_product(m.bb, b.J, b.J, H);
        if (!rod.guided()) continue;
        const Spin spin(model, tree, rod, a, b);
        add_product(rod.axial, spin.row, spin.row, H);
    }
}

void add_rod_forces(const Model& model, const SpanningTree& tree, Eigen::VectorXd& C) {
    const Eigen::Vector3d gravity = to_eigen(model.gravity);
    for (const Rod& rod : model.rods) {
        const Loop& loop = model.loops[rod.loop];
        Point a(model, tree, loop.predecessor), b(model, tree, loop.successor);
        move(tree, loop.predecessor.body, a.end);
        move(tree, loop.successor.body, b.end);
        if (rod.strut >= 0) {
            add_strut_force({model, tree, rod, a, b}, gravity, C);
            continue;
        }
        const PointMasses m(rod);
        const Eigen::Vector3d at_a = a.end.acceleration - gravity, at_b = b.end.acceleration - gravity;
        add_force(a.J, m.aa * at_a + m.ab * at_b, C);
        add_force(b.J, m.ab * at_a + m.bb * at_b, C);
        const Eigen::Vector3d n = (b.end.position - a.end.position) / rod.length,
                              turned = (b.end.velocity - a.end.velocity) / rod.length;
        const Eigen::MatrixXd apart = b.J - a.J;
        add_force(apart, rod.spin_momentum / rod.length * turned.cross(n), C);
        if (rod.guided()) C += rod.axial * Spin(model, tree, rod, a, b).force(a.end, b.end, apart);
    }
}

}  // namespace grbda::baselines
