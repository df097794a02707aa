#include "state_json.hpp"

#include "by_joint.hpp"
#include "constraints_json.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

template <class Vector>
OrderedJson list(const Vector& x) {
    OrderedJson out = OrderedJson::array();
    for (Eigen::Index i = 0; i < x.size(); ++i) out.push_back(x[i] + 0.0);  // no -0
    return out;
}

template <class Matrix>
OrderedJson rows(const Matrix& M) {
    OrderedJson out = OrderedJson::array();
    for (Eigen::Index r = 0; r < M.rows(); ++r) out.push_back(list(M.row(r)));
    return out;
}

OrderedJson wrench(const Matrix6X<double>& local, const Matrix6X<double>& in_world, Eigen::Index column) {
    OrderedJson out = OrderedJson::object();
    out["local"] = list(local.col(column));
    out["world"] = list(in_world.col(column));
    return out;
}

/// Names of the components that are not uniquely determined.
OrderedJson components(const Eigen::Array<bool, 6, 1>& unique) {
    constexpr const char* names[] = {"fx", "fy", "fz", "nx", "ny", "nz"};
    OrderedJson out = OrderedJson::array();
    for (int k = 0; k < 6; ++k)
        if (!unique[k]) out.push_back(names[k]);
    return out;
}

}  // namespace

StateWriter::StateWriter(const Model& model)
    : model_(model),
      order_(describe::bodies_in_user_order(model)),
      parts_(describe::independent_parts(model)) {}

OrderedJson StateWriter::coordinates() const { return coordinates(independent_coordinates(model_)); }

OrderedJson StateWriter::coordinates(const std::vector<Coordinate>& those) const {
    OrderedJson out = OrderedJson::array();
    for (const Coordinate& coordinate : those)
        out.push_back(OrderedJson::array({model_.names.joints[coordinate.body], coordinate.component}));
    return out;
}

OrderedJson StateWriter::state(const Evaluation& evaluation) const {
    OrderedJson out;
    out["status"] = evaluation.status;
    if (!evaluation.message.empty()) out["message"] = evaluation.message;
    if (evaluation.closure_residual) out["closure_residual"] = *evaluation.closure_residual;
    if (!evaluation.residuals.is_null()) out["residuals"] = evaluation.residuals;
    if (evaluation.velocity_residual) out["velocity_residual"] = *evaluation.velocity_residual;
    if (!evaluation.complete && !evaluation.kinematics_only) return out;
    std::vector<describe::IndependentPart> parts = parts_;
    if (!evaluation.coordinates.empty()) {
        out["coordinates"] = coordinates(evaluation.coordinates);
        parts = describe::independent_parts(model_, evaluation.coordinates);
    }
    out["q"] = positions_by_joint(model_, order_, evaluation.q);
    out["qd"] = velocities_by_joint(model_, order_, evaluation.qd);
    if (evaluation.complete) put_dynamics(evaluation, parts, out);
    if (!evaluation.frames.empty()) out["frames"] = frames(evaluation.frames);
    if (const auto& d = evaluation.derivatives)
        out["derivatives"] = {{"tau_y", rows(d->tau_y)},
                              {"tau_yd", rows(d->tau_yd)},
                              {"ydd_y", rows(d->ydd_y)},
                              {"ydd_yd", rows(d->ydd_yd)},
                              {"ydd_tau", rows(d->ydd_tau)}};
    if (evaluation.K.has_value())
        out["constraints"] =
            constraint_numbers(model_, *evaluation.K, evaluation.k, evaluation.G, evaluation.g);
    return out;
}

void StateWriter::put_dynamics(const Evaluation& evaluation,
                               const std::vector<describe::IndependentPart>& parts, OrderedJson& out) const {
    const auto independent = [&](const VectorX<double>& y) { return by_coordinate(parts, y); };
    out["mass_matrix"] = rows(evaluation.M);
    if (evaluation.joint_forces) out["joint_forces"] = independent(*evaluation.joint_forces);
    out["bias_force"] = independent(evaluation.bias);
    out["inverse_dynamics"]["tau"] = independent(evaluation.tau);
    if (evaluation.inverse_forces) put_forces(*evaluation.inverse_forces, out["inverse_dynamics"]);
    out["forward_dynamics"]["ydd"] = independent(evaluation.ydd);
    out["forward_dynamics"]["qdd"] = velocities_by_joint(model_, order_, evaluation.qdd);
    if (evaluation.forward_forces) put_forces(*evaluation.forward_forces, out["forward_dynamics"]);
    out["undetermined"] = undetermined(evaluation.determinacy);
    out["energy"] = {{"kinetic", evaluation.kinetic}, {"potential", evaluation.potential}};
}

/// Values of joints with an independent component.
OrderedJson StateWriter::by_coordinate(const std::vector<describe::IndependentPart>& parts,
                                       const VectorX<double>& y) const {
    OrderedJson out = OrderedJson::object();
    for (const int i : order_) {
        const describe::IndependentPart& part = parts[at(i)];
        if (part.y.empty()) continue;
        const VectorX<double> own = y(part.y);
        append(out, model_.names.joints[i], values(own, 0, own.size()));
    }
    return out;
}

void StateWriter::put_forces(const ConstraintForces& forces, OrderedJson& out) const {
    OrderedJson loops = OrderedJson::object(), couplings = loops, joints = loops;
    for (std::size_t l = 0; l < model_.loops.size(); ++l)
        append(loops, model_.names.loops[model_.loops[l].source],
               wrench(forces.loops, forces.loops_world, static_cast<Eigen::Index>(l)));
    for (const Coupling& coupling : model_.couplings)
        append(couplings, model_.names.couplings[coupling.source], forces.multipliers[coupling.row] + 0.0);
    for (const int i : order_)
        append(joints, model_.names.joints[i], wrench(forces.joints, forces.joints_world, i));
    out["loops"] = std::move(loops);
    out["couplings"] = std::move(couplings);
    out["joints"] = std::move(joints);
    if (model_.rods.empty()) return;
    OrderedJson rods = OrderedJson::object();
    for (std::size_t r = 0; r < model_.rods.size(); ++r) {
        const Eigen::VectorXd ends = forces.rods.col(static_cast<Eigen::Index>(r));
        OrderedJson rod{{"a", values(ends, 0, 3)}, {"b", values(ends, 3, 3)}};
        if (model_.rods[r].guided())
            rod["couple"] = values(forces.rod_couples.col(static_cast<Eigen::Index>(r)), 0, 3);
        append(rods, model_.names.rods[r].name, std::move(rod));
    }
    out["rods"] = std::move(rods);
}

OrderedJson StateWriter::undetermined(const Determinacy& determinacy) const {
    OrderedJson loops = OrderedJson::object(), couplings = OrderedJson::array(), joints = loops;
    for (std::size_t l = 0; l < model_.loops.size(); ++l) {
        const Eigen::Array<bool, 6, 1> unique = determinacy.loops.col(static_cast<Eigen::Index>(l));
        if (!unique.all()) append(loops, model_.names.loops[model_.loops[l].source], components(unique));
    }
    for (const Coupling& coupling : model_.couplings)
        if (!determinacy.multipliers[coupling.row])
            couplings.push_back(model_.names.couplings[coupling.source]);
    for (const int i : order_) {
        const Eigen::Array<bool, 6, 1> unique = determinacy.joints.col(i);
        if (!unique.all()) append(joints, model_.names.joints[i], components(unique));
    }
    OrderedJson out;
    out["loops"] = std::move(loops);
    out["couplings"] = std::move(couplings);
    out["joints"] = std::move(joints);
    return out;
}

OrderedJson StateWriter::frames(const std::vector<FrameState>& frames) const {
    OrderedJson out = OrderedJson::object();
    for (const FrameState& frame : frames) {
        OrderedJson entry;
        entry["position"] = list(frame.position);
        entry["orientation"] = list(frame.orientation);
        entry["velocity"] = list(frame.velocity);
        if (frame.acceleration) entry["acceleration"] = list(*frame.acceleration);
        entry["jacobian"] = rows(frame.J);
        append(out, model_.frames[frame.index].name, std::move(entry));
    }
    return out;
}

}  // namespace grbda::tool
