#include "sensors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <Eigen/Geometry>

#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/kinematics.hpp"

namespace grbda::simulation {
namespace {

/// Quantity that a sensor reads.
enum class Source { configuration, motion, frames, contacts };

Source source_of(SensorKind sensor) {
    switch (sensor) {
        case SensorKind::q: return Source::configuration;
        case SensorKind::qd:
        case SensorKind::qdd:
        case SensorKind::yd:
        case SensorKind::ydd:
        case SensorKind::motor_torque:
        case SensorKind::motor_speed: return Source::motion;
        case SensorKind::position:
        case SensorKind::orientation:
        case SensorKind::velocity:
        case SensorKind::gyroscope:
        case SensorKind::accelerometer: return Source::frames;
        case SensorKind::contact_force:
        case SensorKind::contact: break;
    }
    return Source::contacts;
}

/// Returns how many numbers a sensor of frames writes for each frame.
int size_of(SensorKind sensor) { return sensor == SensorKind::orientation ? 4 : 3; }

Eigen::Vector3d acceleration_of(const Setting& setting, const Workspace<double>& data, int frame) {
    const Model& model = setting.model;
    const Eigen::Vector3d gravity(model.gravity.x, model.gravity.y, model.gravity.z);
    return frame_acceleration(model, data, frame, ReferenceFrame::local).head<3>() -
           frame_orientation(model, data, frame).transpose() * gravity;
}

Eigen::Vector4d orientation_of(const Model& model, const Workspace<double>& data, int frame) {
    const Eigen::Quaterniond quaternion(frame_orientation(model, data, frame));
    return quaternion.w() < 0 ? Eigen::Vector4d(-quaternion.coeffs()) : quaternion.coeffs();
}

/// Sums the impulses of all contacts on a link, world axes, N·s.
Eigen::Vector3d impulse_on(const State& state, int link) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const ContactState& x : state.contacts) {
        const int sign = (x.link == link ? 1 : 0) - (x.other_link == link ? 1 : 0);
        if (sign == 0) continue;
        const Vector3<double> impulse =
            x.contact.axes * Vector3<double>{x.impulse[0], x.impulse[1], x.impulse[2]};
        sum += sign * Eigen::Vector3d(impulse.x, impulse.y, impulse.z);
    }
    return sum;
}

bool carries_load(const State& state, int link) {
    for (const ContactState& x : state.contacts)
        if ((x.link == link || x.other_link == link) && x.impulse[2] > 0) return true;
    return false;
}

/// Writes numbers to consecutive places.
template <class T>
class Writer {
public:
    explicit Writer(T* to) : to_(to) {}
    template <class Values>
    void put(const Values& values) {
        for (Eigen::Index i = 0; i < values.size(); ++i) *to_++ = static_cast<T>(values[i]);
    }
    void put_number(double value) { *to_++ = static_cast<T>(value); }

private:
    T* to_;
};

template <class T>
void write_frame(const Setting& setting, const Workspace<double>& data, const State& state, SensorKind sensor,
                 int frame, Writer<T>& to) {
    const Model& model = setting.model;
    switch (sensor) {
        case SensorKind::position: return to.put(frame_position(model, data, frame));
        case SensorKind::orientation: return to.put(orientation_of(model, data, frame));
        case SensorKind::velocity:
            return to.put(frame_velocity(model, data, frame, ReferenceFrame::local).head<3>());
        case SensorKind::gyroscope:
            return to.put(frame_velocity(model, data, frame, ReferenceFrame::local).tail<3>());
        case SensorKind::accelerometer: return to.put(acceleration_of(setting, data, frame));
        case SensorKind::contact_force:
            return to.put(Eigen::Vector3d(impulse_on(state, frame) / setting.options.step));
        case SensorKind::contact: return to.put_number(carries_load(state, frame) ? 1 : 0);
        case SensorKind::q:
        case SensorKind::qd:
        case SensorKind::qdd:
        case SensorKind::yd:
        case SensorKind::ydd:
        case SensorKind::motor_torque:
        case SensorKind::motor_speed: return;
    }
}

void require_frame_of(const Model& model, SensorKind sensor, int frame) {
    require_frame(model, frame);
    if (source_of(sensor) == Source::contacts && !model.frames[frame].is_link)
        throw std::invalid_argument("simulation: contacts of frame '" + model.frames[frame].name +
                                    "' are asked for, which is no link; expected a link with shapes");
}

}  // namespace

template <class T>
void require_sensors(const Model& model, std::span<const SensorOutput<T>> outputs) {
    for (const SensorOutput<T>& output : outputs) {
        if (output.values == nullptr)
            throw std::invalid_argument("simulation: a sensor has no memory to be written to");
        for (const int frame : output.frames) require_frame_of(model, output.sensor, frame);
    }
}

Sensors::Sensors(const Model& model) : first_chart_(model) {
    for (VectorX<double>* x : {&qd_, &qdd_}) x->setZero(model.nv_tree);
    for (VectorX<double>* x : {&yd_, &ydd_}) x->setZero(model.nv);
}

/// Computes velocities and accelerations of joints.
Status Sensors::find_motion(const Setting& setting, Workspace<double>& data, const State& state) {
    const Model& model = setting.model;
    if (setting.has_choice) data.chart = state.chart;
    const bool known = state.ydd.allFinite();
    ydd_ = state.ydd;
    if (!known) ydd_.setZero();
    const Result result = spanning_acceleration<double>(model, data, state.q, state.yd, ydd_);
    if (!result.ok()) {
        for (VectorX<double>* x : {&qd_, &qdd_, &yd_, &ydd_}) x->setConstant(std::nan(""));
        return result.status;
    }
    qd_ = data.qd;
    qdd_ = data.qdd;
    if (!known) qdd_.setConstant(std::nan(""));
    if (setting.has_choice) data.chart = first_chart_;
    independent_part<double>(model, data, qd_, yd_);
    independent_part<double>(model, data, qdd_, ydd_);
    return Status::ok;
}

/// Leaves the kinematics of frames in `data`. Accelerations are NaN if dynamics failed at the state.
Status Sensors::find_frames(const Setting& setting, Workspace<double>& data, const State& state) const {
    if (setting.has_choice) data.chart = state.chart;
    const Result result = state.ydd.allFinite()
                              ? forward_kinematics<double>(setting.model, data, state.q, state.yd, state.ydd)
                              : forward_kinematics<double>(setting.model, data, state.q, state.yd);
    return result.status;
}

template <class T>
void Sensors::write(const Setting& setting, const State& state, SensorKind sensor, T* values) const {
    Writer<T> to(values);
    switch (sensor) {
        case SensorKind::q: return to.put(state.q);
        case SensorKind::qd: return to.put(qd_);
        case SensorKind::qdd: return to.put(qdd_);
        case SensorKind::yd: return to.put(yd_);
        case SensorKind::ydd: return to.put(ydd_);
        case SensorKind::motor_torque: return to.put(state.motor_torques);
        case SensorKind::motor_speed:
            for (const MotorDrive& drive : setting.motors.drives())
                to.put_number(drive.reduction * qd_[drive.v]);
            return;
        case SensorKind::position:
        case SensorKind::orientation:
        case SensorKind::velocity:
        case SensorKind::gyroscope:
        case SensorKind::accelerometer:
        case SensorKind::contact_force:
        case SensorKind::contact: return;
    }
}

template <class T>
Status Sensors::read(const Setting& setting, Workspace<double>& data, const State& state,
                     std::span<const SensorOutput<T>> outputs, std::ptrdiff_t simulation) {
    const auto reads = [&](Source source) {
        return std::any_of(outputs.begin(), outputs.end(),
                           [&](const SensorOutput<T>& output) { return source_of(output.sensor) == source; });
    };
    const Status motion = reads(Source::motion) ? find_motion(setting, data, state) : Status::ok;
    const Status frames = reads(Source::frames) ? find_frames(setting, data, state) : Status::ok;
    for (const SensorOutput<T>& output : outputs) {
        T* const values = output.values + simulation * output.stride;
        Writer<T> to(values);
        for (const int frame : output.frames) {
            if (frames != Status::ok && source_of(output.sensor) == Source::frames)
                to.put(Eigen::VectorXd::Constant(size_of(output.sensor), std::nan("")));
            else
                write_frame(setting, data, state, output.sensor, frame, to);
        }
        write(setting, state, output.sensor, values);
    }
    return motion != Status::ok ? motion : frames;
}

template void require_sensors(const Model&, std::span<const SensorOutput<double>>);
template void require_sensors(const Model&, std::span<const SensorOutput<float>>);
template Status Sensors::read(const Setting&, Workspace<double>&, const State&,
                              std::span<const SensorOutput<double>>, std::ptrdiff_t);
template Status Sensors::read(const Setting&, Workspace<double>&, const State&,
                              std::span<const SensorOutput<float>>, std::ptrdiff_t);

}  // namespace grbda::simulation
