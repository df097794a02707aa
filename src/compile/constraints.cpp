#include <algorithm>

#include <Eigen/Geometry>

#include "compile.hpp"

// Adds loops with the rows of their types, and couplings, as they are written.

namespace grbda::compile {
namespace {

/// Axes of a constraint frame with x along the axis, in the body.
Matrix3<double> axes_along(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& axis) {
    Eigen::Index smallest = 0;
    axis.cwiseAbs().minCoeff(&smallest);
    const Eigen::Vector3d y = axis.cross(Eigen::Vector3d::Unit(smallest)).normalized();
    return {vector(rotation * axis), vector(rotation * y), vector(rotation * axis.cross(y))};
}

/// Adds the joints from body `i` up to the cluster's parent.
void add_terms(const Cluster& c, int i, double sign, Structure& model) {
    for (; i != c.parent_body && i != world; i = model.bodies[i].parent) {
        const Body& body = model.bodies[i];
        for (int j = 0; j < velocity_size(body.joint); ++j) model.loop_terms.push_back({body.dof + j, sign});
    }
}

/// Cancels columns that both subchains share.
void cancel_terms(Table<LoopTerm>& terms, std::size_t begin) {
    std::stable_sort(terms.begin() + static_cast<long>(begin), terms.end(),
                     [](const LoopTerm& a, const LoopTerm& b) { return a.dof < b.dof; });
    std::size_t end = begin;
    for (std::size_t i = begin; i < terms.size(); ++i) {
        if (i + 1 < terms.size() && terms[i].dof == terms[i + 1].dof)
            ++i;
        else
            terms[end++] = terms[i];
    }
    terms.resize(end);
}

Loop compile_loop(const Draft& draft, int source) {
    const MechanismLoop& from = draft.mechanism.loops[source];
    Loop loop;
    loop.type = from.type;
    const bool universal = from.type == LoopType::universal;
    const auto end = [&](int body, const Pose& placement, const Eigen::Vector3d& axis) {
        return LoopEnd{draft.body(body), vector(placement.translation), axes_along(placement.rotation, axis)};
    };
    loop.predecessor = end(from.predecessor, from.predecessor_placement, from.axis);
    loop.successor = end(from.successor, from.successor_placement, universal ? from.axis2 : from.axis);
    loop.constant = universal                        ? from.axis.dot(from.axis2)
                    : from.type == LoopType::helical ? from.pitch
                                                     : from.length;
    loop.source = source;
    loop.across = from.across;
    if (from.slide < 0) return loop;
    const Body& slide = draft.structure.bodies[draft.body(from.slide)];
    loop.slide = slide.dof;
    loop.slide_q = slide.q;
    loop.slide_sign = from.slide_sign;
    return loop;
}

/// Adds q_f − Σ cᵢ xⁱ + offset with the offset in c₀.
void add_polynomial(const MechanismCoupling& from, Coupling& coupling, Draft& draft) {
    Table<double>& polynomials = draft.constants.polynomials;
    coupling.polynomial.first = coupling.polynomial.last = static_cast<int>(polynomials.size());
    if (from.polynomial.empty()) return;
    polynomials.insert(polynomials.end(), from.polynomial.begin(), from.polynomial.end());
    polynomials[coupling.polynomial.first] -= from.offset;
    coupling.polynomial.last = static_cast<int>(polynomials.size());
    coupling.reference = from.reference;
    coupling.offset = 0;
    draft.structure.coupling_terms[coupling.terms.first].coefficient = 1;
    draft.structure.coupling_terms[coupling.terms.first + 1].coefficient = -1;
}

void add_loop(const Cluster& c, int source, Draft& draft) {
    Structure& model = draft.structure;
    Loop loop = compile_loop(draft, source);
    const std::size_t begin = model.loop_terms.size();
    add_terms(c, loop.successor.body, 1, model);
    add_terms(c, loop.predecessor.body, -1, model);
    cancel_terms(model.loop_terms, begin);
    loop.terms.first = static_cast<int>(begin);
    loop.terms.last = static_cast<int>(model.loop_terms.size());
    model.loops.push_back(loop);
    const Few<LoopRow> rows = loop.written_rows();
    draft.rows.emplace_back(rows.begin(), rows.end());
}

void add_coupling(int source, Draft& draft) {
    Structure& model = draft.structure;
    const MechanismCoupling& from = draft.mechanism.couplings[source];
    Coupling coupling;
    coupling.offset = from.offset;
    coupling.source = source;
    coupling.terms.first = static_cast<int>(model.coupling_terms.size());
    for (const MechanismTerm& term : from.terms) {
        const Body& body = model.bodies[draft.body(term.body)];
        model.coupling_terms.push_back(
            {body.dof + term.component, body.q + term.component, term.coefficient});
    }
    coupling.terms.last = static_cast<int>(model.coupling_terms.size());
    add_polynomial(from, coupling, draft);
    if (draft.mechanism.bodies[from.terms.front().body].combined)
        model.combined.push_back(static_cast<int>(model.couplings.size()));
    model.couplings.push_back(coupling);
}

}  // namespace

void add_constraints(Draft& draft) {
    const Mechanism& mechanism = draft.mechanism;
    Structure& model = draft.structure;
    Table<std::vector<int>> loops(model.clusters.size()), couplings(model.clusters.size());
    const auto cluster_of = [&](int body) { return model.bodies[draft.body(body)].cluster; };
    for (int i = 0; i < static_cast<int>(mechanism.loops.size()); ++i) {
        const MechanismLoop& loop = mechanism.loops[i];
        // the deeper end is in the cluster; the other one may be the body that carries the cluster
        const int end = std::max(draft.body(loop.predecessor), draft.body(loop.successor));
        loops[model.bodies[end].cluster].push_back(i);
        draft.catalogue.names.loops.push_back(loop.name);
    }
    for (int i = 0; i < static_cast<int>(mechanism.couplings.size()); ++i) {
        const MechanismCoupling& coupling = mechanism.couplings[i];
        couplings[cluster_of(coupling.terms.front().body)].push_back(i);
        draft.catalogue.names.couplings.push_back(coupling.name);
        draft.catalogue.names.equations.push_back(equation(mechanism, coupling));
    }
    for (int k = 0; k < model.cluster_count(); ++k) {
        Cluster& c = model.clusters[k];
        c.loops.first = static_cast<int>(model.loops.size());
        for (const int source : loops[k]) add_loop(c, source, draft);
        c.loops.last = static_cast<int>(model.loops.size());
        c.couplings.first = static_cast<int>(model.couplings.size());
        for (const int source : couplings[k]) add_coupling(source, draft);
        c.couplings.last = static_cast<int>(model.couplings.size());
        if (!loops[k].empty() || !couplings[k].empty())
            c.embedding = Embedding::implicit;  // as far as is known yet
    }
    tie_rods(draft);
}

}  // namespace grbda::compile
