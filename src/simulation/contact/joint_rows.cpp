#include "joint_rows.hpp"

#include <cmath>

#include "contact_law.hpp"
#include "kernels/pass/half_inverse.hpp"

namespace grbda::simulation {
namespace {

RowLaw limit(Law law, double gap, double h, double recovery) {
    RowLaw result;
    result.law = law;
    const double wanted = limit_gap_law(h, recovery).speed(gap);
    result.wanted[0] = law == Law::upper ? -wanted : wanted;
    return result;
}

}  // namespace

JointRows::JointRows(const Model& model, const SimulatorOptions& options) {
    for (int i = 0; i < model.body_count() && options.limits; ++i) {
        const Body& body = model.bodies[i];
        const JointLimits& limits = model.limits[i];
        if (!model.bounded[i] || velocity_size(body.joint) != 1) continue;
        if (std::isfinite(limits.lower) || std::isfinite(limits.upper))
            limits_.push_back({body.q, body.v, body.dof, limits.lower, limits.upper});
    }
    for (const Body& body : model.bodies)
        for (int k = 0; k < velocity_size(body.joint) && options.passive; ++k) {
            const int v = body.v + k;
            // Translations along the axes of its position.
            const bool slides = body.joint == JointType::floating && k < 3;
            if (model.passive.friction[v] > 0)
                frictions_.push_back({slides ? v + model.nv_tree : v, model.passive.friction[v]});
        }
}

double JointRows::gap(Law law, int joint, const VectorX<double>& q) const {
    for (const JointLimit& x : limits_)
        if (x.v == joint) return law == Law::lower ? q[x.q] - x.lower : x.upper - q[x.q];
    return 0;
}

void JointRows::find(const Model& model, const Workspace<double>& data, const VectorX<double>& q, double h,
                     double recovery, Table<int>& joints, Table<RowLaw>& laws) const {
    constexpr double always = 1e-2;  // rad or m; limits that are closer than this stay in the list
    for (const JointLimit& x : limits_) {
        const double reach = always + 2 * h * std::abs(kernels::joint_rate(model, data, x.dof));
        if (q[x.q] - x.lower < reach) {
            joints.push_back(x.v);
            laws.push_back(limit(Law::lower, q[x.q] - x.lower, h, recovery));
        }
        if (x.upper - q[x.q] < reach) {
            joints.push_back(x.v);
            laws.push_back(limit(Law::upper, x.upper - q[x.q], h, recovery));
        }
    }
    for (const Friction& x : frictions_) {
        RowLaw law;
        law.law = Law::friction;
        law.largest = h * x.force;
        joints.push_back(x.v);
        laws.push_back(law);
    }
}

}  // namespace grbda::simulation
