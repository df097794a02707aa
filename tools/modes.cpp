#include "modes.hpp"

#include <algorithm>
#include <cmath>

#include "grbda/constraints/closure.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "kernels/body/whole_turns.hpp"

namespace grbda::tool {
namespace {

constexpr double turn = 2 * M_PI;

/// A position between the limits, at most half a turn or metre away from `near` where one is missing.
double drawn(const JointLimits& limits, double near, std::mt19937_64& generator) {
    const double lower = std::isfinite(limits.lower) ? limits.lower : std::min(near, limits.upper) - M_PI;
    const double upper = std::isfinite(limits.upper) ? limits.upper : std::max(near, lower) + M_PI;
    return std::uniform_real_distribution<double>(lower, std::min(upper, lower + turn))(generator);
}

/// Takes whole turns off a joint that is outside its limits, if its loops stay closed.
void turn_back(const Model& model, Data& data, int body, VectorX<double>& q) {
    const JointLimits& limits = model.limits[body];
    double& x = q[model.bodies[body].q];
    const double before = x;
    x = kernels::within_by_turns(x, limits.lower, limits.upper);
    if (x != before && !closure_residual(model, data, q).ok()) x = before;
}

}  // namespace

VectorX<double> random_start(const Model& model, Data& data, int number, std::mt19937_64& generator) {
    VectorX<double> q = random_configuration(model, generator);
    if (number % 2 == 0) return q;
    VectorX<double> other = q;
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        if (position_size(body.joint) == 1 && model.clusters[body.cluster].rows > 0)
            other[body.q] = drawn(model.limits[i], q[body.q], generator);
    }
    const VectorX<double> weights = VectorX<double>::Ones(model.nv_tree);
    if (!project_configuration(model, data, weights, other).converged()) return q;
    for (int i = 0; i < model.body_count(); ++i)
        if (position_size(model.bodies[i].joint) == 1 && model.bounded[i] != 0)
            turn_back(model, data, i, other);
    return other;
}

}  // namespace grbda::tool
