#include "setting.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "dynamics/aba.hpp"
#include "grbda/scalar.hpp"
#include "model/inertias.hpp"

namespace grbda::simulation {
namespace {

void require_above_zero(const char* what, double x) {
    if (!(x > 0 && std::isfinite(x)))
        throw std::invalid_argument("simulation: " + std::string(what) + " is " + std::to_string(x) +
                                    ", expected above zero");
}

void require_not_negative(const char* what, double x) {
    if (!(x >= 0 && std::isfinite(x)))
        throw std::invalid_argument("simulation: " + std::string(what) + " is " + std::to_string(x) +
                                    ", expected zero or more");
}

SimulatorOptions checked(SimulatorOptions options) {
    require_above_zero("the step", options.step);
    if (!(options.tolerance >= 1e-13 && options.tolerance <= 1e-2))
        throw std::invalid_argument("simulation: the tolerance is " + std::to_string(options.tolerance) +
                                    ", expected 1e-13 to 0.01");
    require_not_negative("friction", options.friction);
    require_not_negative("stiffness", options.stiffness);
    require_not_negative("dissipation", options.dissipation);
    require_not_negative("recovery", options.recovery);
    require_not_negative("the number of contacts", options.most_contacts);
    require_not_negative("the delay", options.delay);
    return options;
}

/// Throws std::invalid_argument if a rule for smooth motion is combined with options that make velocities
/// jump.
void require_smooth(const Setting& setting, const Ground& ground) {
    if (setting.options.rule == StepRule::semi_implicit) return;
    const auto refuse = [](const char* what) {
        throw std::invalid_argument(
            std::string("simulation: ") + what +
            " make velocities jump, which this rule does not have: take the semi-implicit rule");
    };
    const bool touches_ground = setting.options.contacts && !std::holds_alternative<std::monostate>(ground);
    if (touches_ground || setting.surroundings.has_pairs()) refuse("contacts");
    if (setting.rows.has_limits() && setting.options.rule != StepRule::adaptive) refuse("limits of joints");
    const PassiveForces& passive = setting.robot.passive;
    for (const double friction : passive.friction)
        if (friction > 0 && setting.options.passive) refuse("joints with dry friction");
    for (const Tendon& tendon : passive.tendons)
        if (tendon.friction > 0 && setting.options.passive) refuse("tendons with dry friction");
}

const Model& whole(const Model& model) {
    require_whole(model);
    return model;
}

void require_solid(const Ground& ground) {
    if (const auto* field = std::get_if<HeightField>(&ground); field && !is_consistent(*field))
        throw std::invalid_argument("simulation: the sizes of the height field do not fit one another");
    if (const auto* plane = std::get_if<Plane>(&ground))
        if (!(std::abs(dot(plane->normal, plane->normal) - 1) < 1e-9 && std::isfinite(plane->offset)))
            throw std::invalid_argument(
                "simulation: expected a plane with a unit normal and a finite offset");
}

bool some_choice(const Model& model) {
    for (const Cluster& c : model.clusters)
        if (c.has_choice()) return true;
    return false;
}

}  // namespace

double mass_of(const Model& model) {
    double sum = 0;
    for (const Body& body : model.bodies) sum += body.mass;
    return sum;
}

std::size_t fingerprint_of(const Model& model) {
    std::uint64_t hash = 14695981039346656037u;
    const auto mix = [&](double x) { hash = (hash ^ scalar::bit_cast<std::uint64_t>(x)) * 1099511628211u; };
    model::visit_inertial_constants(model, mix);
    for (const double x : model.armature) mix(x);
    for (const double x : {model.gravity.x, model.gravity.y, model.gravity.z}) mix(x);
    return static_cast<std::size_t>(hash);
}

Setting::Setting(const Model& given, SimulatorOptions chosen, const Ground& ground)
    : options(checked(std::move(chosen))),
      robot(whole(given)),
      forces(given, options),
      model(with_armature(given, {forces.armature().begin(), forces.armature().end()})),
      surroundings(model, options, ground),
      rows(model, options),
      motors(model, options.motors),
      has_choice(some_choice(model)),
      mass(mass_of(model)),
      fingerprint(fingerprint_of(model)) {
    require_solid(ground);
    require_smooth(*this, ground);
}

void Setting::set_ground(const Ground& ground, const GroundMotion& motion) {
    require_solid(ground);
    require_smooth(*this, ground);
    if (!(motion.linear.allFinite() && motion.angular.allFinite() && std::isfinite(motion.since)))
        throw std::invalid_argument("simulation: the motion of the ground is not finite");
    surroundings.set_ground(ground, motion);
}

void require_controls(const Setting& setting, const Controls& controls) {
    const Model& model = setting.model;
    for (const std::span<const double>& x : {controls.tau_s, controls.target, controls.target_rate})
        if (!x.empty()) require_size("controls", static_cast<long>(x.size()), model.nv_tree);
    for (const std::span<const double>& x :
         {controls.motor_tau, controls.motor_target, controls.motor_target_rate})
        if (!x.empty())
            require_size("controls of motors", static_cast<long>(x.size()), setting.motors.count());
    for (const ExternalWrench& x : controls.external) {
        require_frame(model, x.frame);
        const int body = model.frames[x.frame].body;
        if (body == world || model.is_rod(body))
            throw std::invalid_argument(
                "simulation: an external wrench acts on frame '" + model.frames[x.frame].name +
                (body == world ? "', which is fixed in the world"
                               : "' of a rod; give forces on the bodies at its ends"));
    }
}

Result move_freely(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                   const VectorX<double>& yd, const Controls& controls, VectorX<double>& tau_s) {
    static const Matrix6X<double> no_wrenches(6, 0);
    if (const Result result = setting.forces.sum(data, q, yd, controls, tau_s); !result.ok()) return result;
    return free_motion<double>(setting.model, data, q, yd, tau_s, setting.forces.damping(), no_wrenches);
}

}  // namespace grbda::simulation
