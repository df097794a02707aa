#include "algorithms.hpp"

namespace grbda::generated {
/// C-ABA, as in kernels/aba.hpp.
Table<Traced> record_forces(Recorder& r, const Traced* q, const Traced* yd, const Traced* tau,
                            const Traced* wrenches) {
    Table<Traced> ydd(at(r.model.nv));
    const bool loaded = wrenches != nullptr;
    r.turn(q);
    r.forward(
        [&](auto kind, const Cluster& c) { kind.aba_forward(r.model, r.data, c, c.index, q, yd, loaded); });
    for (int y = 0; y < r.model.nv; ++y) r.data.u[y] = tau[r.model.y_index[y]];
    kernels::apply_wrenches(
        r.model, r.data, q, wrenches, [&](const Cluster& c, const Rotor& rotor, const Traced& x) {
            kernels::visit(c, [&](auto kind) { kind.aba_rotor_moment(r.model, r.data, c, rotor, x); });
        });
    r.backward([&](auto kind, const Cluster& c) {
        kind.aba_backward(r.model, r.data, c, c.index, loaded, ydd.data());
    });
    r.forward([&](auto kind, const Cluster& c) { kind.aba_accelerate(r.model, r.data, c, ydd.data()); });
    return ydd;
}

void record_aba(Recorder& r) {
    const Traced* q = r.input("q", r.model.nq, "configuration");
    const Traced* yd = r.input("yd", r.model.nv, "velocity");
    const Traced* tau = r.input("tau", r.model.nv, "force");
    const Traced* wrenches = r.wrenches();
    const Table<Traced> ydd = record_forces(r, q, yd, tau, wrenches);
    r.check_constraints();
    r.check_inertia();
    r.output("ydd", "acceleration", ydd);
}

/// C-RNEA, as in kernels/rnea.hpp.
Table<Traced> record_inverse(Recorder& r, const Traced* q, const Traced* yd, const Traced* ydd,
                             const Traced* wrenches) {
    const bool loaded = wrenches != nullptr;
    Table<Traced> tau(at(r.model.nv));
    r.turn(q);
    r.forward([&](auto kind, const Cluster& c) {
        kind.rnea_forward(r.model, r.data, c, c.index, q, yd, ydd, loaded);
    });
    for (Traced& u : r.data.u) u = Traced();
    kernels::apply_wrenches(
        r.model, r.data, q, wrenches, [&](const Cluster& c, const Rotor& rotor, const Traced& x) {
            kernels::visit(c, [&](auto kind) { kind.rnea_rotor_moment(r.model, r.data, c, rotor, x); });
        });
    r.backward([&](auto kind, const Cluster& c) {
        kind.rnea_backward(r.model, r.data, c, loaded, ydd, tau.data());
    });
    return tau;
}

void record_rnea(Recorder& r, bool accelerated) {
    const Traced* q = r.input("q", r.model.nq, "configuration");
    const Traced* yd = r.input("yd", r.model.nv, "velocity");
    const Traced* ydd = accelerated ? r.input("ydd", r.model.nv, "acceleration") : nullptr;
    const Traced* wrenches = r.wrenches();
    const Table<Traced> tau = record_inverse(r, q, yd, ydd, wrenches);
    r.check_constraints();
    r.output("tau", "force", tau);
}

namespace {

/// Entries of M between a cluster and all clusters on
/// it, one after the other, as in kernels/crba.hpp.
template <class Kind>
void record_blocks(Recorder& r, Kind kind, const Cluster& c, Table<Traced>& M) {
    const Model& model = r.model;
    const auto set = [&](int i, int j, const Traced& value) {
        M[i * model.nv + j] = value;
        M[j * model.nv + i] = value;
    };
    const int* own = model.y_index.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j)
        for (int k = 0; k <= j; ++k) set(own[j], own[k], r.data.D[c.D_begin + j * c.m + k]);
    for (int k = c.index + 1; k < c.after; ++k) {
        const Cluster& d = model.clusters[k];
        int b = d.parent_body;  // the body of c that carries it, directly or through others
        while (model.bodies[b].cluster != c.index) b = model.clusters[model.bodies[b].cluster].parent_body;
        r.tape.enter(k);
        const int* y = model.y_index.data() + d.y_begin;
        const auto put = [&](int x, int j, const Traced& value) { set(x, y[j], value); };
        while (b != c.parent_body)
            b = kind.crba_block(model, r.data, c, b, r.data.W.data() + d.W_begin, d.m, put);
    }
}

}  // namespace

void record_crba(Recorder& r) {
    const Traced* q = r.input("q", r.model.nq, "configuration");
    Table<Traced> M(at(r.model.nv * r.model.nv));
    r.turn(q);
    r.forward([&](auto kind, const Cluster& c) { kind.crba_forward(r.model, r.data, c, c.index, q); });
    r.backward([&](auto kind, const Cluster& c) {
        kind.crba_backward(r.model, r.data, c);
        record_blocks(r, kind, c, M);
    });
    r.check_constraints();
    r.output("M", "mass matrix, row by row", M, r.model.nv);
}

}  // namespace grbda::generated
