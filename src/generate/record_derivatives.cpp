#include "algorithms.hpp"
#include "kernels/derivatives/aba_derivatives.hpp"

namespace grbda::generated {
namespace {

using Matrix = kernels::derivatives::Target<Traced>;

/// Storage for a matrix by columns; the output is by rows.
struct Square {
    explicit Square(int size) : n(size), entries(at(size * size)) {}
    Matrix target() { return {entries.data(), n}; }
    Table<Traced> by_rows() const {
        Table<Traced> rows;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) rows.push_back(entries[i + j * n]);
        return rows;
    }

    int n;
    Table<Traced> entries;
};

/// Products of larger matrices use loops, because as statements they would be most of the code.
constexpr int most_written_out = 6;

/// Multiplies columns of forces by −M⁻¹, except those of the base, which no joint transmits.
Product carried(const Model& model, Workspace<Traced>& data, int factor, int matrix) {
    Product product{factor, matrix, {}, Table<char>(at(model.nv), 0), 0};
    for (const Cluster& c : model.clusters) {
        const Range block = kernels::branch_of(model, c).subtree;
        if (c.parent_body == world) product.blocks.push_back(block);
        product.steps += 2. * kernels::path_of(model, data, c) * block.size() * c.m;
    }
    return product;
}

/// Computes the same as kernels::accelerate_columns(), with loops.
void accelerate_in_loops(Recorder& r, const kernels::ForwardTargets<Traced>& out) {
    const Model& model = r.model;
    Product of_y = carried(model, r.data, 2, 0), of_yd = carried(model, r.data, 2, 1);
    for (const Cluster& c : model.clusters)
        if (kernels::is_free_base(c)) {
            kernels::accelerate_base(model, r.data, c, out);
            for (int j = 0; j < 6; ++j) of_y.ready[model.y_index[c.y_begin + j]] = 1;
            for (int j = 0; j < 3; ++j) of_yd.ready[model.y_index[c.y_begin + j]] = 1;
        }
    r.product(std::move(of_y));
    r.product(std::move(of_yd));
}

}  // namespace

void record_inverse_derivatives(Recorder& r) {
    const Model& model = r.model;
    const Traced* q = r.input("q", model.nq, "configuration");
    const Traced* yd = r.input("yd", model.nv, "velocity");
    const Traced* ydd = r.input("ydd", model.nv, "acceleration");
    const Traced* wrenches = r.wrenches();
    Square of_y(model.nv), of_yd(model.nv), M(model.nv);
    ensure_directions(model, r.data);
    r.turn(q);
    for (const Cluster& c : model.clusters) {
        r.tape.enter(c.index);
        kernels::derivatives::by_kind(c, [&](auto kind) { kind.motion_forward(model, r.data, c, q, yd); });
    }
    kernels::inverse_derivatives(
        model, r.data, q, ydd, wrenches,
        kernels::derivatives::InverseTargets<Traced>{of_y.target(), of_yd.target(), M.target()});
    r.check_constraints();
    const int n = model.nv;
    r.matrix("tau_y", "change of force with motion along y, row by row", of_y.by_rows(), n, n);
    r.matrix("tau_yd", "change of force with velocity, row by row", of_yd.by_rows(), n, n);
    r.matrix("M", "mass matrix", M.by_rows(), n, n, n);
}

void record_forward_derivatives(Recorder& r) {
    const Model& model = r.model;
    const Traced* q = r.input("q", model.nq, "configuration");
    const Traced* yd = r.input("yd", model.nv, "velocity");
    const Traced* tau = r.input("tau", model.nv, "force");
    const Traced* wrenches = r.wrenches();
    Square of_y(model.nv), of_yd(model.nv), inverse(model.nv);
    ensure_directions(model, r.data);
    const Table<Traced> ydd = record_forces(r, q, yd, tau, wrenches);
    for (const Cluster& c : model.clusters)
        if (c.kind == ClusterKind::tree || c.kind == ClusterKind::rows) {
            r.tape.enter(c.index);
            kernels::embed_bodies(model, r.data, c);
        }
    r.tape.enter(-1);
    kernels::inverse_mass_matrix(model, r.data, inverse.target());
    kernels::inverse_derivatives(
        model, r.data, q, ydd.data(), wrenches,
        kernels::derivatives::InverseTargets<Traced>{of_y.target(), of_yd.target(), {}});
    const kernels::ForwardTargets<Traced> out{of_y.target(), of_yd.target(), inverse.target()};
    if (model.nv > most_written_out)
        accelerate_in_loops(r, out);
    else
        for (const Cluster& c : model.clusters) kernels::accelerate_columns(model, r.data, c, out);
    r.check_constraints();
    r.check_inertia();
    const int n = model.nv;
    r.matrix("ydd_y", "change of acceleration with motion along y, row by row", of_y.by_rows(), n, n);
    r.matrix("ydd_yd", "change of acceleration with velocity, row by row", of_yd.by_rows(), n, n);
    r.matrix("ydd_tau", "change of acceleration with force: the inverse mass matrix", inverse.by_rows(), n, n,
             n);
    r.output("ydd", "acceleration", ydd);
}

}  // namespace grbda::generated
