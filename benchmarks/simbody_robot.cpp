#include "simbody_robot.hpp"

#include <algorithm>

#include <Simbody.h>

namespace grbda::benchmarks {
namespace {

using SimTK::MobilizedBody;
using SimTK::Rotation;
using SimTK::Transform;
using SimTK::UnitVec3;
using SimTK::Vec3;

Vec3 vector(const Three& x) { return {x[0], x[1], x[2]}; }

Transform transform(const SimbodyPlacement& placement) {
    return {Rotation(SimTK::Mat33(placement.rotation.data()), true), vector(placement.translation)};
}

SimTK::Body::Rigid rigid(const SimbodyBody& body) {
    const auto& I = body.inertia;
    return SimTK::Body::Rigid(SimTK::MassProperties(body.mass, vector(body.com),
                                                    SimTK::Inertia(I[0], I[1], I[2], I[3], I[4], I[5])));
}

/// Simbody's joints move along fixed axes of two frames: a pin about z, a slider along x, a universal joint
/// about x and then y.
Rotation joint_axes(const SimbodyBody& body) {
    const UnitVec3 axis(vector(body.axis));
    switch (body.type) {
        case SimbodyJoint::pin: return Rotation(axis, SimTK::ZAxis);
        case SimbodyJoint::slider: return Rotation(axis, SimTK::XAxis);
        case SimbodyJoint::universal: return Rotation(axis, SimTK::XAxis, vector(body.axis2), SimTK::YAxis);
        case SimbodyJoint::ball:
        case SimbodyJoint::free: break;
    }
    return Rotation();
}

MobilizedBody add_body(MobilizedBody& parent, const SimbodyBody& body) {
    const Transform M(joint_axes(body)), F = transform(body.placement) * M;
    switch (body.type) {
        case SimbodyJoint::pin: return MobilizedBody::Pin(parent, F, rigid(body), M);
        case SimbodyJoint::slider: return MobilizedBody::Slider(parent, F, rigid(body), M);
        case SimbodyJoint::universal: return MobilizedBody::Universal(parent, F, rigid(body), M);
        case SimbodyJoint::ball: return MobilizedBody::Ball(parent, F, rigid(body), M);
        case SimbodyJoint::free: break;
    }
    return MobilizedBody::Free(parent, F, rigid(body), M);
}

void add_loop(MobilizedBody& predecessor, MobilizedBody& successor, const SimbodyLoopJoint& loop) {
    const Transform P = transform(loop.p), S = transform(loop.s);
    const auto in_p = [&](const UnitVec3& axis) { return UnitVec3(P.R() * axis); };
    const auto in_s = [&](const UnitVec3& axis) { return UnitVec3(S.R() * axis); };
    const UnitVec3 axis(vector(loop.axis));
    switch (loop.type) {
        case SimbodyLoop::fixed: SimTK::Constraint::Weld(predecessor, P, successor, S); return;
        case SimbodyLoop::distance:
            SimTK::Constraint::Rod(predecessor, P.p(), successor, S.p(), loop.value);
            return;
        case SimbodyLoop::prismatic:
            SimTK::Constraint::ConstantOrientation(predecessor, P.R(), successor, S.R());
            SimTK::Constraint::PointOnLine(predecessor, in_p(axis), P.p(), successor, S.p());
            return;
        case SimbodyLoop::point_on_line:
            SimTK::Constraint::PointOnLine(predecessor, in_p(axis), P.p(), successor, S.p());
            return;
        case SimbodyLoop::revolute: {  // the axis of s stays perpendicular to two directions of p
            const UnitVec3 y = axis.perp(), z(axis % y);
            SimTK::Constraint::ConstantAngle(predecessor, in_p(y), successor, in_s(axis));
            SimTK::Constraint::ConstantAngle(predecessor, in_p(z), successor, in_s(axis));
            break;
        }
        case SimbodyLoop::universal:
            SimTK::Constraint::ConstantAngle(predecessor, in_p(axis), successor,
                                             in_s(UnitVec3(vector(loop.axis2))), loop.value);
            break;
        case SimbodyLoop::spherical: break;
    }
    SimTK::Constraint::Ball(predecessor, P.p(), successor, S.p());
}

void copy(const double* from, SimTK::Vector& to) {
    std::copy_n(from, to.size(), to.updContiguousScalarData());
}

}  // namespace

struct SimbodyRobot::System {
    MobilizedBody& body(int index) {
        return index < 0 ? static_cast<MobilizedBody&>(matter.Ground())
                         : bodies[static_cast<std::size_t>(index)];
    }

    void add(const SimbodyCoupling& coupling) {
        SimTK::Vector coefficients(static_cast<int>(coupling.coefficients.size()) + 1, coupling.offset);
        SimTK::Array_<SimTK::MobilizedBodyIndex> joints;
        SimTK::Array_<SimTK::MobilizerQIndex> components;
        for (std::size_t i = 0; i < coupling.bodies.size(); ++i) {
            coefficients[static_cast<int>(i)] = coupling.coefficients[i];
            joints.push_back(body(coupling.bodies[i]).getMobilizedBodyIndex());
            components.push_back(SimTK::MobilizerQIndex(coupling.components[i]));
        }
        SimTK::Constraint::CoordinateCoupler(matter, new SimTK::Function::Linear(coefficients), joints,
                                             components);
    }

    void finish() {
        state = system.realizeTopology();
        system.realizeModel(state);
        for (SimTK::Vector* x : {&applied, &acceleration, &force}) x->resize(state.getNU());
        M.resize(state.getNU(), state.getNU());
    }

    void set_position(const double* q) { copy(q, state.updQ()); }
    void set_velocity(const double* v) { copy(v, state.updU()); }

    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::GeneralForceSubsystem forces{system};
    SimTK::Force::DiscreteForces joint_forces{forces, matter};
    SimTK::Force::Gravity gravity;
    std::vector<MobilizedBody> bodies;
    SimTK::State state;
    SimTK::Vector applied, acceleration, force;
    SimTK::Matrix M;
};

SimbodyRobot::SimbodyRobot(const Three& gravity, const std::vector<SimbodyBody>& bodies,
                           const std::vector<SimbodyLoopJoint>& loops,
                           const std::vector<SimbodyCoupling>& couplings)
    : system_(std::make_unique<System>()) {
    system_->gravity = SimTK::Force::Gravity(system_->forces, system_->matter, vector(gravity));
    for (const SimbodyBody& body : bodies)
        system_->bodies.push_back(add_body(system_->body(body.parent), body));
    for (const SimbodyLoopJoint& loop : loops)
        add_loop(system_->body(loop.predecessor), system_->body(loop.successor), loop);
    for (const SimbodyCoupling& coupling : couplings) system_->add(coupling);
    system_->finish();
}

SimbodyRobot::~SimbodyRobot() = default;

int SimbodyRobot::first_position(int body) const {
    return system_->body(body).getFirstQIndex(system_->state);
}
int SimbodyRobot::first_velocity(int body) const {
    return system_->body(body).getFirstUIndex(system_->state);
}

void SimbodyRobot::compute_acceleration(const double* q, const double* v, const double* tau) {
    system_->set_position(q);
    system_->set_velocity(v);
    copy(tau, system_->applied);
    system_->joint_forces.setAllMobilityForces(system_->state, system_->applied);
    system_->system.realize(system_->state, SimTK::Stage::Acceleration);
}

void SimbodyRobot::compute_force(const double* q, const double* v, const double* a) {
    system_->set_position(q);
    system_->set_velocity(v);
    copy(a, system_->acceleration);
    system_->system.realize(system_->state, SimTK::Stage::Velocity);
    system_->matter.calcResidualForceIgnoringConstraints(system_->state, SimTK::Vector(),
                                                         system_->gravity.getBodyForces(system_->state),
                                                         system_->acceleration, system_->force);
}

void SimbodyRobot::compute_mass_matrix(const double* q) {
    system_->set_position(q);
    system_->system.realize(system_->state, SimTK::Stage::Position);
    system_->matter.calcM(system_->state, system_->M);
}

double SimbodyRobot::acceleration(int i) const { return system_->state.getUDot()[i]; }
double SimbodyRobot::force(int i) const { return system_->force[i]; }
double SimbodyRobot::mass_matrix(int i, int j) const { return system_->M(i, j); }

}  // namespace grbda::benchmarks
