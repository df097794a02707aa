#include "loop_rows.hpp"

#include <cmath>

#include <Eigen/Geometry>

// Notation: e an axis of P, d from the origin of P to that of Q, ω and α in world axes.
//   along        φ = e·d                 e turns with the predecessor
//   screw        φ̇ = d(e·d)/dt − pitch e·(ω_s − ω_p)
//   turn, tilt   φ̇ = e·(ω_s − ω_p)
//   angle        φ = a₁·a₂ − constant    φ̇ = (ω_s − ω_p)·(a₂ × a₁)
//   distance     φ = (d·d − L²) / (2L)
//   length       φ = |d| − L − q_slide
//   polynomial   φ = q_f − Σ cᵢ xⁱ       x = q_l − reference, term by term

namespace grbda::baselines {

EndState place(const SpanningTree& tree, const LoopEnd& end) {
    EndState placed;
    placed.axes = to_eigen(end.rotation);
    placed.position = to_eigen(end.position);
    if (end.body == world) return placed;
    const TreeBody& carrier = tree.bodies[static_cast<std::size_t>(end.body)];
    placed.axes = carrier.orientation * placed.axes;
    placed.position = carrier.position + carrier.orientation * placed.position;
    return placed;
}

void move(const SpanningTree& tree, int body, EndState& end) {
    if (body == world) return;
    const TreeBody& carrier = tree.bodies[static_cast<std::size_t>(body)];
    const Eigen::Matrix3d& R = carrier.orientation;
    const Eigen::Vector3d arm = end.position - carrier.position;
    end.omega = R * carrier.v.head<3>();
    end.alpha = R * carrier.a.head<3>();
    const Eigen::Vector3d origin_velocity = R * carrier.v.tail<3>();
    end.velocity = origin_velocity + end.omega.cross(arm);
    // the spatial acceleration lacks the part ω × v of the classical one (Featherstone 2008, eq. 2.48)
    end.acceleration = R * carrier.a.tail<3>() + end.omega.cross(origin_velocity) + end.alpha.cross(arm) +
                       end.omega.cross(end.omega.cross(arm));
}

namespace {

/// Adds the joints from `body` to `stop`: above it, the contributions of both ends cancel exactly.
void add_chain(const Model& model, const SpanningTree& tree, int body, int stop, double sign,
               const Eigen::Vector3d& point, const std::array<Row, 6>& rows, int count, int first,
               Eigen::MatrixXd& K) {
    for (int at = body; at != stop; at = model.bodies[at].parent) {
        const TreeBody& mover = tree.bodies[static_cast<std::size_t>(at)];
        const int column = model.bodies[at].v;
        for (int j = 0; j < mover.joint.s.cols(); ++j) {
            const Eigen::Vector3d turn = mover.orientation * mover.joint.s.col(j).head<3>();
            const Eigen::Vector3d velocity =
                mover.orientation * mover.joint.s.col(j).tail<3>() + turn.cross(point - mover.position);
            for (int r = 0; r < count; ++r) {
                const Row& row = rows[static_cast<std::size_t>(r)];
                K(first + r, column + j) += sign * (row.force.dot(velocity) + row.couple.dot(turn));
            }
        }
    }
}

}  // namespace

void loop_rows(std::span<const LoopRow> kept, const Loop& loop, const EndState& P, const EndState& Q,
               std::array<Row, 6>& rows) {
    rows.fill({});
    for (std::size_t r = 0; r < kept.size(); ++r) switch (kept[r].kind) {
            case RowKind::along: rows[r].force = P.axes.col(kept[r].axis); break;
            case RowKind::screw: rows[r] = {P.axes.col(0), -loop.constant * P.axes.col(0)}; break;
            case RowKind::distance: rows[r].force = (Q.position - P.position) / loop.constant; break;
            case RowKind::length: rows[r].force = (Q.position - P.position).normalized(); break;
            case RowKind::turn:
            case RowKind::tilt: rows[r].couple = P.axes.col(kept[r].axis); break;
            case RowKind::angle: rows[r].couple = Q.axes.col(0).cross(P.axes.col(0)); break;
        }
}

int common_ancestor(const Model& model, int a, int b) {
    while (a != b) {
        int& deeper = a > b ? a : b;
        deeper = model.bodies[deeper].parent;
    }
    return a;
}

void row_accelerations(std::span<const LoopRow> kept, const Loop& loop, const EndState& P, const EndState& Q,
                       double* k) {
    const Eigen::Vector3d d = Q.position - P.position, dd = Q.velocity - P.velocity;
    const Eigen::Vector3d ddd = Q.acceleration - P.acceleration;
    const Eigen::Vector3d omega = Q.omega - P.omega, alpha = Q.alpha - P.alpha;
    const auto slide = [&](const Eigen::Vector3d& e) {
        const Eigen::Vector3d rate = P.omega.cross(e);
        return e.dot(ddd) + 2 * rate.dot(dd) + (P.alpha.cross(e) + P.omega.cross(rate)).dot(d);
    };
    const auto turn = [&](const Eigen::Vector3d& e) { return e.dot(alpha) + P.omega.cross(e).dot(omega); };
    for (const LoopRow& row : kept) switch (row.kind) {
            case RowKind::along: *k++ = -slide(P.axes.col(row.axis)); break;
            case RowKind::screw: *k++ = loop.constant * turn(P.axes.col(0)) - slide(P.axes.col(0)); break;
            case RowKind::distance: *k++ = -(dd.dot(dd) + d.dot(ddd)) / loop.constant; break;
            case RowKind::length: {  // d²|d|/dt² by |d|² = d·d
                const double rate = d.dot(dd) / d.norm();
                *k++ = -(dd.dot(dd) + d.dot(ddd) - rate * rate) / d.norm();
                break;
            }
            case RowKind::turn:
            case RowKind::tilt: *k++ = -turn(P.axes.col(row.axis)); break;
            case RowKind::angle: {
                const Eigen::Vector3d first = P.axes.col(0), second = Q.axes.col(0);
                const Eigen::Vector3d couple_rate =
                    Q.omega.cross(second).cross(first) + second.cross(P.omega.cross(first));
                *k++ = -(alpha.dot(second.cross(first)) + omega.dot(couple_rate));
                break;
            }
        }
}

/// Σ cᵢ i (i − 1) … x^(i − order)
double derivative(const Model& model, const Coupling& coupling, const Eigen::VectorXd& q, int order) {
    const CouplingTerm& leader = model.coupling_terms[coupling.terms.first + 1];
    const double x = q[leader.q] - coupling.reference;
    double sum = 0;
    for (int i = order; i < coupling.polynomial.size(); ++i) {
        const double factor = order == 1 ? i : i * (i - 1);
        sum += factor * model.polynomials[coupling.polynomial.first + i] * std::pow(x, i - order);
    }
    return sum;
}

int column_of(const Model& model, const Coupling& coupling, int term) {
    const CouplingTerm& named = model.coupling_terms[coupling.terms.first + term];
    return model.v_index[named.dof];
}

void constraint_jacobian(const Model& model, const SpanningTree& tree, const Eigen::VectorXd& q,
                         Eigen::MatrixXd& K) {
    K.setZero();
    for (const Loop& loop : model.loops) {
        const EndState P = place(tree, loop.predecessor);
        const EndState Q = place(tree, loop.successor);
        std::array<Row, 6> rows;
        loop_rows(rows_of(model, loop), loop, P, Q, rows);
        const int ancestor = common_ancestor(model, loop.predecessor.body, loop.successor.body);
        add_chain(model, tree, loop.successor.body, ancestor, 1, Q.position, rows, loop.rows, loop.row, K);
        add_chain(model, tree, loop.predecessor.body, ancestor, -1, Q.position, rows, loop.rows, loop.row, K);
        if (loop.slide >= 0) K(loop.row, model.v_index[loop.slide]) -= loop.slide_sign;
    }
    for (const Coupling& coupling : model.couplings) {
        if (!coupling.linear()) {
            K(coupling.row, column_of(model, coupling, 0)) = 1;
            K(coupling.row, column_of(model, coupling, 1)) = -derivative(model, coupling, q, 1);
            continue;
        }
        for (const int t : coupling.terms) {
            const CouplingTerm& term = model.coupling_terms[t];
            K(coupling.row, model.v_index[term.dof]) += term.coefficient;
        }
    }
}

void constraint_bias(const Model& model, const SpanningTree& tree, const Eigen::VectorXd& q,
                     const Eigen::VectorXd& qd, Eigen::VectorXd& k) {
    k.setZero();
    for (const Loop& loop : model.loops) {
        EndState P = place(tree, loop.predecessor);
        EndState Q = place(tree, loop.successor);
        move(tree, loop.predecessor.body, P);
        move(tree, loop.successor.body, Q);
        row_accelerations(rows_of(model, loop), loop, P, Q, k.data() + loop.row);
    }
    for (const Coupling& coupling : model.couplings) {
        if (coupling.linear()) continue;
        const double rate = qd[column_of(model, coupling, 1)];
        k[coupling.row] = derivative(model, coupling, q, 2) * rate * rate;
    }
}

}  // namespace grbda::baselines
