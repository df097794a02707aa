#include "compile.hpp"

namespace grbda::compile {
namespace {

/// By its body: what carries a reduced rotor's weight acts on the rotor's axis, and so on its carrier.
void carry(const GravityCompensation& carried, const MechanismBody& from, int body, Model& model) {
    const bool rotor = model.bodies[at(body)].rotor;
    const int carrier = rotor ? model.bodies[at(body)].parent : body;
    if (carrier == world) return;
    Eigen::Vector3d point = carried.point;
    if (rotor) point = from.placement.translation + from.placement.rotation * carried.point;
    const Vector3<double> moment = vector(carried.mass * point);
    std::vector<CarriedWeight>& weights = model.passive.weights;
    if (!weights.empty() && weights.back().body == carrier) {
        weights.back().mass += carried.mass;
        weights.back().moment += moment;
    } else {
        weights.push_back({carrier, carried.mass, moment});
    }
}

void add_joint(const MechanismBody& from, const Body& body, PassiveForces& passive) {
    for (int j = 0; j < velocity_size(body.joint); ++j) {
        passive.damping[at(body.v + j)] = from.damping[j];
        passive.friction[at(body.v + j)] = from.friction[j];
        passive.stiffness[at(body.v + j)] = from.stiffness[j];
    }
    const int size = position_size(body.joint);
    if (from.rest.size() == at(size)) {
        std::copy(from.rest.begin(), from.rest.end(), passive.rest.begin() + body.q);
    } else if (has_quaternion(body.joint)) {
        passive.rest[at(body.q + size - 1)] = 1;
    }
}

}  // namespace

void compile_passive_forces(const Mechanism& mechanism, const Numbering& numbering, Model& model) {
    PassiveForces& passive = model.passive;
    for (std::vector<double>* x : {&passive.damping, &passive.friction, &passive.stiffness})
        x->assign(at(model.nv_tree), 0);
    passive.rest.assign(at(model.nq), 0);
    for (int i = 0; i < model.body_count(); ++i) {
        const MechanismBody& from = mechanism.bodies[at(numbering.mechanism_of[at(i)])];
        add_joint(from, model.bodies[at(i)], passive);
        for (const GravityCompensation& carried : from.gravity_compensation) carry(carried, from, i, model);
    }
    for (const MechanismTendon& from : mechanism.tendons) {
        Tendon tendon;
        tendon.stiffness = from.stiffness;
        tendon.damping = from.damping;
        tendon.friction = from.friction;
        tendon.rest_lower = from.rest_lower;
        tendon.rest_upper = from.rest_upper;
        tendon.terms_begin = static_cast<int>(passive.terms.size());
        for (const MechanismTerm& term : from.terms) {
            const Body& body = model.bodies[at(numbering.body_of[at(term.body)])];
            passive.terms.push_back({body.q + term.component, body.v + term.component, term.coefficient});
        }
        tendon.terms_end = static_cast<int>(passive.terms.size());
        passive.tendons.push_back(tendon);
        model.names.tendons.push_back(from.name);
    }
}

}  // namespace grbda::compile
