#include "compile.hpp"

namespace grbda::compile {
namespace {

/// Adds to the body. Compensation of a reduced rotor's weight acts on its axis, and so on its carrier.
void carry(const GravityCompensation& carried, const MechanismBody& from, int body, Draft& draft) {
    const Body& carried_by = draft.structure.bodies[body];
    const bool rotor = carried_by.rotor;
    const int carrier = rotor ? carried_by.parent : body;
    if (carrier == world) return;
    Eigen::Vector3d point = carried.point;
    if (rotor) point = from.placement.translation + from.placement.rotation * carried.point;
    const Vector3<double> moment = vector(carried.mass * point);
    std::vector<CarriedWeight>& weights = draft.constants.passive.weights;
    if (!weights.empty() && weights.back().body == carrier) {
        weights.back().mass += carried.mass;
        weights.back().moment += moment;
    } else {
        weights.push_back({carrier, carried.mass, moment});
    }
}

void add_joint(const MechanismBody& from, const Body& body, PassiveForces& passive) {
    for (int j = 0; j < velocity_size(body.joint); ++j) {
        passive.damping[body.v + j] = from.damping[j];
        passive.friction[body.v + j] = from.friction[j];
        passive.stiffness[body.v + j] = from.stiffness[j];
    }
    const int size = position_size(body.joint);
    if (from.rest.size() == at(size)) {
        std::copy(from.rest.begin(), from.rest.end(), passive.rest.begin() + body.q);
    } else if (has_quaternion(body.joint)) {
        passive.rest[body.q + size - 1] = 1;
    }
}

}  // namespace

void add_passive_forces(Draft& draft) {
    const Structure& model = draft.structure;
    PassiveForces& passive = draft.constants.passive;
    for (std::vector<double>* x : {&passive.damping, &passive.friction, &passive.stiffness})
        x->assign(at(model.nv_tree), 0);
    passive.rest.assign(at(model.nq), 0);
    for (int i = 0; i < model.body_count(); ++i) {
        const MechanismBody& from = draft.source(i);
        add_joint(from, model.bodies[i], passive);
        for (const GravityCompensation& carried : from.gravity_compensation) carry(carried, from, i, draft);
    }
    for (const MechanismTendon& from : draft.mechanism.tendons) {
        Tendon tendon;
        tendon.stiffness = from.stiffness;
        tendon.damping = from.damping;
        tendon.friction = from.friction;
        tendon.rest_lower = from.rest_lower;
        tendon.rest_upper = from.rest_upper;
        tendon.terms.first = static_cast<int>(passive.terms.size());
        for (const MechanismTerm& term : from.terms) {
            const Body& body = model.bodies[draft.body(term.body)];
            passive.terms.push_back({body.q + term.component, body.v + term.component, term.coefficient});
        }
        tendon.terms.last = static_cast<int>(passive.terms.size());
        passive.tendons.push_back(tendon);
        draft.catalogue.names.tendons.push_back(from.name);
    }
}

}  // namespace grbda::compile
