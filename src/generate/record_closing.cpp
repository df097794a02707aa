#include "algorithms.hpp"
#include "grbda/kernels/closed.hpp"
#include "grbda/kernels/embedding.hpp"

namespace grbda::generated {
namespace {

/// What must be positive where a loop's rotational residual has its right root: kernels::right_root().
void add_right_roots(const Recorder& r, const Cluster& c, const kernels::Placement<Traced>& base,
                     Table<Traced>& upright) {
    for (const int l : c.loops) {
        const Loop& loop = r.model.loops[l];
        if (loop.rows == 0) continue;
        const auto predecessor = kernels::placement_of(r.data, c, base, loop.predecessor.body);
        const auto successor = kernels::placement_of(r.data, c, base, loop.successor.body);
        for (const LoopRow& row : facts(loop.type).rows) {
            if (row.kind != RowKind::turn && row.kind != RowKind::tilt) continue;
            const int axis = row.kind == RowKind::turn ? row.axis : 0;
            upright.push_back(
                dot(predecessor.R * kernels::column(loop.predecessor.rotation, axis).cast<Traced>(),
                    successor.R * kernels::column(loop.successor.rotation, axis).cast<Traced>()));
        }
    }
}

/// q of a joint less `step`: what turns it to first order, the quaternion at unit length.
void move_joint(const Body& body, const Traced* step, Traced* q) {
    if (!has_quaternion(body.joint)) {
        for (int j = 0; j < velocity_size(body.joint); ++j) q[j] -= step[j];
        return;
    }
    if (body.joint == JointType::floating) {
        const Vector3<Traced> way =
            kernels::rotation_of_quaternion(q + 3) * Vector3<Traced>{step[0], step[1], step[2]};
        q[0] -= way.x;
        q[1] -= way.y;
        q[2] -= way.z;
        q += 3;
        step += 3;
    }
    const Vector3<Traced> a{q[0], q[1], q[2]},
        half = Vector3<Traced>{step[0], step[1], step[2]} * Traced(-0.5);
    const Vector3<Traced> v = a + half * q[3] + cross(a, half);
    const Traced w = q[3] - dot(a, half), scale = Traced(1) / sqrt(dot(v, v) + w * w);
    q[0] = v.x * scale;
    q[1] = v.y * scale;
    q[2] = v.z * scale;
    q[3] = w * scale;
}

void step_cluster(Recorder& r, const Cluster& c, const Traced* q, Traced* next, Table<Traced>& errors,
                  Table<Traced>& upright) {
    const Model& model = r.model;
    kernels::Placement<Traced> base{Matrix3<Traced>::identity(), {}};
    if (!c.bodies.empty()) {
        const Body& first = model.bodies[c.bodies.first];
        base.p = -kernels::joint_displacement(first, q + first.q);
    }
    kernels::place_cluster(model, r.data, c, base, q);
    kernels::constraint_rows<Traced, true>(model, r.data, c, base, q);
    kernels::invert_dependents(model, r.data, c, c.index);
    r.check_rank(r.data.rcond[c.index]);
    add_right_roots(r, c, base, upright);
    Table<Traced> step(at(c.dofs));
    kernels::solve_dependents(model, r.data, c, r.data.phi.data() + c.row_begin, step.data());
    for (int row = c.row_begin; row < c.row_begin + c.rows; ++row)
        errors.push_back(r.data.phi[row] * Traced(model.row_scale[row]));
    for (const int i : c.joints)
        move_joint(model.bodies[i], step.data() + model.bodies[i].dof - c.dof_begin,
                   next + model.bodies[i].q);
}

}  // namespace

void record_closing(Recorder& r) {
    const Model& model = r.model;
    const Traced* q = r.input("q", model.nq, "configuration");
    Table<Traced> next(q, q + model.nq), errors{Traced(0)}, upright{Traced(1)};
    r.turn(q);
    for (const Cluster& c : model.clusters) {
        r.tape.enter(c.index);
        if (c.embedding == Embedding::constant) kernels::close_couplings(model, c, next.data());
        if (c.embedding == Embedding::implicit) step_cluster(r, c, q, next.data(), errors, upright);
    }
    r.output("next", "configuration after a step of Newton's method", next);
    r.output("errors", "of the loops, relative to the size of their cluster", errors);
    r.output("upright", "positive: axes of the loops are aligned, not opposed", upright);
}

}  // namespace grbda::generated
