#include "scenario.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "grbda/constraints/embedding.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"

namespace scenes {

void require(const grbda::Result& result) {
    if (!result) throw std::runtime_error(grbda::to_string(result.status));
}

double moving_mass(const grbda::Model& model) {
    double mass = 0;
    for (const grbda::Inertial& inertial : model.inertials) mass += inertial.mass;
    return mass;
}

Vector posed(const grbda::Model& model, const std::map<std::string, double>& joints) {
    grbda::Data data(model);
    Vector change = Vector::Zero(model.nv_tree), q = grbda::neutral_configuration(model);
    for (const auto& [name, angle] : joints) change[model.joint(name).v.first] = angle;
    const Vector delta = grbda::independent_part(model, change);
    require(grbda::integrate(model, data, q, delta, q));
    return q;
}

double tilt_of(const Vector& q) { return 2 * std::hypot(q[3], q[4]); }

double clearance(const grbda::Model& model, const Vector& q) {
    grbda::Data data(model);
    require(grbda::forward_kinematics(model, data, q));
    double lowest = std::numeric_limits<double>::infinity();
    for (const grbda::BodyShape& shape : model.shapes) {
        if (!shape.collision) continue;
        const int frame = model.body_frame[shape.body];
        const Eigen::Matrix3d R = grbda::frame_orientation(model, data, frame);
        const Eigen::Vector3d p = grbda::frame_position(model, data, frame);
        const grbda::Matrix3<double> rotation{
            {R(0, 0), R(1, 0), R(2, 0)}, {R(0, 1), R(1, 1), R(2, 1)}, {R(0, 2), R(1, 2), R(2, 2)}};
        const grbda::Vector3<double> position =
            grbda::Vector3<double>{p.x(), p.y(), p.z()} + rotation * shape.position;
        grbda::Touch touches[grbda::most_touches];
        const int count = grbda::collide(grbda::placed(shape.shape, position, rotation * shape.rotation),
                                         grbda::Plane{}, std::numeric_limits<double>::infinity(), touches);
        for (int i = 0; i < count; ++i) lowest = std::min(lowest, touches[i].gap);
    }
    return lowest;
}

std::vector<double> targets_at(const grbda::Model& model, const Vector& q) {
    grbda::Table<double> target(grbda::at(model.nv_tree), 0.);
    for (const grbda::Body& body : model.bodies)
        if (velocity_size(body.joint) == 1) target[body.v] = q[body.q];
    return target;
}

void add_servos(const grbda::Model& model, Driven driven, double stiffness, double damping,
                grbda::SimulatorOptions& options) {
    options.servo_stiffness.assign(grbda::at(model.nv_tree), 0);
    options.servo_damping.assign(grbda::at(model.nv_tree), 0);
    for (const grbda::Body& body : model.bodies) {
        if (velocity_size(body.joint) != 1 || body.rotor != (driven == Driven::rotors)) continue;
        options.servo_stiffness[body.v] = stiffness;
        options.servo_damping[body.v] = damping;
    }
}

}  // namespace scenes
