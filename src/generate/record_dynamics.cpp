#include "algorithms.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/crba.hpp"
#include "kernels/pass/rnea.hpp"
#include "kernels/pass/kinds/visit.hpp"

namespace grbda::generated {

Table<Traced> record_forces(Recorder& r, const Traced* q, const Traced* yd, const Traced* tau,
                            const Traced* wrenches) {
    Table<Traced> ydd(at(r.model.nv));
    const kernels::JointForces<Traced>* none = nullptr;
    r.turn(q);
    kernels::aba_passes(r.model, r.data, q, yd, tau, wrenches, ydd.data(), false, none);
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

/// Records C-RNEA.
Table<Traced> record_inverse(Recorder& r, const Traced* q, const Traced* yd, const Traced* ydd,
                             const Traced* wrenches) {
    Table<Traced> tau(at(r.model.nv));
    r.turn(q);
    kernels::rnea_passes(r.model, r.data, q, yd, ydd, wrenches, tau.data());
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

void record_crba(Recorder& r) {
    const Model& model = r.model;
    const Traced* q = r.input("q", model.nq, "configuration");
    Table<Traced> M(at(model.nv * model.nv));
    r.turn(q);
    kernels::outward<Traced>(
        model, [&](auto kind, const Cluster& c, int k) { kind.crba_forward(model, r.data, c, k, q); });
    kernels::mass_blocks(model, r.data, [&](int i, int j, const Traced& value) {
        M[i * model.nv + j] = value;
        M[j * model.nv + i] = value;
    });
    r.check_constraints();
    r.matrix("M", "mass matrix, row by row", M, model.nv, model.nv, model.nv);
}

}  // namespace grbda::generated
