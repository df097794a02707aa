#include "algorithms.hpp"
#include "function.hpp"
#include "closing/contraction.hpp"
#include "kernels/constraint/embedding.hpp"

namespace grbda::generated {
namespace {

/// Records numbers that must be positive at the right root of a loop's rotational residual:
/// kernels::right_root().
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

/// Numbers of all clusters with loops, cluster by cluster.
struct Closing {
    Table<Traced> motion, phi, upright{Traced(1)}, rcond, inverse, rows;
};

/// Records the data for Newton's method in one cluster: the dependents' motion, from
/// K_d x = wanted − φ − K delta, and K and P, which decide how long a step is reliable.
void linearize(Recorder& r, const Cluster& c, const Traced* q, const Traced* delta, const Traced* wanted,
               Closing& out) {
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
    add_right_roots(r, c, base, out.upright);
    Table<Traced> motion(at(c.dofs)), missing;
    for (int i = c.y_begin; i < c.y_begin + c.m; ++i) {
        const int j = model.independent[i] - c.dof_begin;
        motion[j] = delta[j];
    }
    for (int row = c.row_begin; row < c.row_begin + c.rows; ++row) {
        missing.push_back(wanted[row - c.row_begin] - r.data.phi[row]);
        out.phi.push_back(r.data.phi[row]);
    }
    closing::subtract_rows(r.data, c, motion.data(), missing.data());
    kernels::solve_dependents(model, r.data, c, missing.data(), motion.data());
    for (const Traced& x : motion) out.motion.push_back(x);
    out.rcond.push_back(r.data.rcond[c.index]);
    for (int d = 0; d < c.dependents(); ++d)
        for (int row = 0; row < c.rows; ++row)
            out.inverse.push_back(r.data.inverse[c.inverse_begin + d * padded(c.rows) + row]);
    for (int k = c.K_begin; k < c.K_begin + c.rows * c.dofs; ++k)
        out.rows.push_back(r.data.K[k] * Traced(model.K_scale[k]));
}

}  // namespace

void record_closing(Recorder& r) {
    const Model& model = r.model;
    int dofs = 0, rows = 0;
    for (const Cluster& c : model.clusters) {
        if (!is_closed_by_steps(c)) continue;
        dofs += c.dofs;
        rows += c.rows;
    }
    const Traced* q = r.input("q", model.nq, "configuration");
    const Traced* delta = r.input("delta", dofs, "of the independents");
    const Traced* wanted = r.input("wanted", rows, "of the errors");
    Closing out;
    r.turn(q);
    for (const Cluster& c : model.clusters) {
        if (!is_closed_by_steps(c)) continue;
        r.tape.enter(c.index);
        linearize(r, c, q, delta, wanted, out);
        delta += c.dofs;
        wanted += c.rows;
    }
    r.output("motion", "of the joints, a step of Newton's method", out.motion);
    r.output("phi", "errors of the loops", out.phi);
    r.output("upright", "positive: axes of the loops are aligned, not opposed", out.upright);
    r.output("rcond", "of the rows' dependent columns", out.rcond);
    r.output("inverse", "of the rows' dependent columns", out.inverse);
    r.output("rows", "K, made dimensionless", out.rows);
}

}  // namespace grbda::generated
