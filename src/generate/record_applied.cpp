#include "algorithms.hpp"
#include "derivatives/solver_forces.hpp"
#include "tape_derivatives.hpp"

// Records forces τ from the inputs of a solver by motors, springs and dampers, and the motion q̇ = G ẏ in
// numbers of q.

namespace grbda::generated {
namespace {

/// Adds the rates of a joint's numbers in q for its velocity v.
void add_rates(const Body& body, const Traced* q, const Traced* v, Rates& motion) {
    if (!has_quaternion(body.joint)) {
        for (int i = 0; i < position_size(body.joint); ++i) motion.emplace_back(q[body.q + i], v[i]);
        return;
    }
    const Traced* x = q + body.q;
    if (velocity_size(body.joint) == 6) {
        const Vector3<Traced> p = kernels::rotation_of_quaternion(x + 3) * Vector3<Traced>{v[0], v[1], v[2]};
        motion.emplace_back(x[0], p.x);
        motion.emplace_back(x[1], p.y);
        motion.emplace_back(x[2], p.z);
        x += 3;
        v += 3;
    }
    const Traced half(0.5);
    const Vector3<Traced> w{v[0] * half, v[1] * half, v[2] * half}, a{x[0], x[1], x[2]};
    const Vector3<Traced> turned = w * x[3] + cross(a, w);
    motion.emplace_back(x[0], turned.x);
    motion.emplace_back(x[1], turned.y);
    motion.emplace_back(x[2], turned.z);
    motion.emplace_back(x[3], -dot(a, w));
}

}  // namespace

const Traced* place_robot(Recorder& r) {
    const Traced* q = r.input("q", r.model.nq, "configuration");
    r.turn(q);
    kernels::outward<Traced>(r.model, [&](auto, const Cluster& c, int k) {
        kernels::cluster_positions(r.model, r.data, c, k, q);
    });
    r.check_constraints();
    return q;
}

std::vector<Rates> motions_along(Recorder& r, const Traced* q) {
    const Model& model = r.model;
    std::vector<Rates> result(at(model.nv));
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j)
            for (const int i : c.joints) {
                const Body& body = model.bodies[i];
                Traced v[6];
                bool moves = false;
                for (int l = 0; l < velocity_size(body.joint); ++l) {
                    v[l] = kernels::embedding_entry(model, r.data, c, body.dof - c.dof_begin + l, j);
                    moves = moves || !is_zero(v[l]);
                }
                if (moves) add_rates(body, q, v, result[at(model.y_index[c.y_begin + j])]);
            }
    return result;
}

Table<Traced> record_applied_forces(Recorder& r, const AppliedForces& applied, const Traced* q,
                                    const Traced* yd, const Traced* u) {
    Table<Traced> tau(at(r.model.nv)), scratch(at(2 * r.model.nv_tree));
    kernels::applied_forces(r.model, r.data, applied, q, yd, u, scratch.data(), tau.data());
    return tau;
}

void record_forces_of_inputs(Recorder& r) {
    const AppliedForces applied = applied_forces_of(r.model, r.request().motors, r.request().joint_forces);
    const Traced* q = place_robot(r);
    const Traced* yd = r.input("yd", r.model.nv, "velocity");
    const Traced* u = r.input("u", applied.inputs(r.model), "inputs");
    r.output("tau", "force of motors and joints", record_applied_forces(r, applied, q, yd, u));
}

namespace {

/// Copies a column of derivatives to a matrix by rows.
void put_column(const Table<Traced>& column, int j, int columns, Table<Traced>& matrix) {
    for (int i = 0; i < static_cast<int>(column.size()); ++i) matrix[i * columns + j] = column[i];
}

}  // namespace

void record_derivatives_of_inputs(Recorder& r) {
    const Model& model = r.model;
    const AppliedForces applied = applied_forces_of(model, r.request().motors, r.request().joint_forces);
    const int n = model.nv, inputs = applied.inputs(model);
    const Traced* q = place_robot(r);
    const Traced* yd = r.input("yd", n, "velocity");
    const Traced* u = r.input("u", inputs, "inputs");
    const Table<Traced> tau = record_applied_forces(r, applied, q, yd, u);
    Table<Traced> of_y(at(n * n)), of_yd(at(n * n)), of_u(at(n * inputs));
    const std::vector<Rates> motions = motions_along(r, q);
    for (int j = 0; j < n; ++j) {
        put_column(derivatives_along(tau, motions[at(j)]), j, n, of_y);
        put_column(derivatives_along(tau, {{yd[j], Traced(1.)}}), j, n, of_yd);
    }
    for (int j = 0; j < inputs; ++j)
        put_column(derivatives_along(tau, {{u[j], Traced(1.)}}), j, inputs, of_u);
    r.output("tau", "force of motors and joints", tau);
    r.matrix("tau_y", "change of that force with motion along y, row by row", of_y, n, n);
    r.matrix("tau_yd", "change of that force with velocity, row by row", of_yd, n, n);
    r.matrix("tau_u", "change of that force with inputs, row by row", of_u, n, inputs);
}

void record_tangent(Recorder& r) {
    const Model& model = r.model;
    const Traced* q = place_robot(r);
    Table<Traced> G(at(model.nq * model.nv));
    const std::vector<Rates> motions = motions_along(r, q);
    for (int j = 0; j < model.nv; ++j)
        for (const auto& [number, rate] : motions[at(j)])
            for (int i = 0; i < model.nq; ++i)
                if (q[i].step() == number.step()) G[j * model.nq + i] = rate;
    r.output("G", "change of q with motion along y, column by column", G);
}

void record_motors(Recorder& r) {
    const Model& model = r.model;
    const Table<Motor> motors = motors_of(model);
    const Traced* q = place_robot(r);
    Table<Traced> theta, J(motors.size() * at(model.nv));
    for (int m = 0; m < static_cast<int>(motors.size()); ++m) {
        const Motor& motor = motors[m];
        const Traced reduction(motor.reduction);
        theta.push_back(q[kernels::position_index(model, motor.dof)] * reduction);
        const Cluster& c = model.clusters[model.bodies[model.dof_body[motor.dof]].cluster];
        for (int j = 0; j < c.m; ++j)
            J[model.y_index[c.y_begin + j] * static_cast<int>(motors.size()) + m] =
                kernels::embedding_entry(model, r.data, c, motor.dof - c.dof_begin, j) * reduction;
    }
    r.output("theta", "positions of the motors", theta);
    r.output("J", "their velocity for each velocity, column by column: tau = J' u", J);
}

}  // namespace grbda::generated
