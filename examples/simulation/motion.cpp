#include "motion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <stdexcept>

#include "grbda/constraints/closure.hpp"

namespace scenes {
namespace {

constexpr int lines = 10;  // for each part of a motion

int bearing_contacts(const grbda::Simulator& simulator) {
    int count = 0;
    for (const grbda::ContactState& x : simulator.contacts()) count += x.impulse[2] > 0 ? 1 : 0;
    return count;
}

}  // namespace

double normal_impulse(const grbda::Simulator& simulator) {
    double sum = 0;
    for (const grbda::ContactState& x : simulator.contacts()) sum += x.impulse[2];
    return sum;
}

Motion::Motion(grbda::Simulator& simulator, const std::string& record)
    : simulator_(simulator), data_(simulator.model()) {
    if (record.empty()) return;
    record_.open(record);
    if (!record_) throw std::runtime_error("cannot write " + record);
    write_header();
    look();
}

/// Columns as in the record of `grbda simulate`, plus the residual of the loops.
void Motion::write_header() {
    const grbda::Model& model = simulator_.model();
    std::vector<int> order;
    for (int i = 0; i < model.body_count(); ++i) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return model.bodies[a].v < model.bodies[b].v; });
    const auto add = [&](const char* what, auto size_of) {
        for (const int i : order) {
            const int size = size_of(model.bodies[i].joint);
            for (int k = 0; k < size; ++k)
                record_ << what << model.names.joints[i] << (size > 1 ? "[" + std::to_string(k) + "]" : "")
                        << ',';
        }
    };
    record_ << std::setprecision(12) << "time,";
    add("q:", [](grbda::JointType joint) { return position_size(joint); });
    add("qd:", [](grbda::JointType joint) { return velocity_size(joint); });
    record_ << "energy,kinetic,gravity,elastic,contacts,normal_impulse,overlap,residual\n";
}

void Motion::look() {
    const double residual = grbda::closure_residual(simulator_.model(), data_, simulator_.q()).residual;
    largest_residual_ = std::max(largest_residual_, residual);
    if (!record_.is_open()) return;
    double overlap = 0;
    for (const grbda::ContactState& x : simulator_.contacts()) overlap = std::max(overlap, -x.gap);
    record_ << simulator_.time() << ',';
    for (const double x : simulator_.q()) record_ << x << ',';
    for (const double x : simulator_.velocity()) record_ << x << ',';
    const grbda::Energies energies = simulator_.energies();
    record_ << energies.sum() << ',' << energies.kinetic << ',' << energies.gravity << ',' << energies.elastic
            << ',' << bearing_contacts(simulator_) << ',' << normal_impulse(simulator_) << ',' << overlap
            << ',' << residual << '\n';
}

void Motion::tell() const {
    std::printf("  %6.2f s", simulator_.time());
    if (height_ >= 0) std::printf("   height %8.5f m", simulator_.q()[height_]);
    std::printf("   contacts %d   residual %7.1e   energy %11.6f J\n", bearing_contacts(simulator_),
                largest_residual_, simulator_.energies().sum());
}

void Motion::run(double seconds, const std::function<grbda::Controls(double)>& controls,
                 const std::function<void()>& see) {
    const long steps = std::max(1L, std::lround(seconds / simulator_.options().step));
    for (long i = 0; i < steps; ++i) {
        if (i % std::max(1L, steps / lines) == 0) tell();
        const grbda::StepOutcome outcome = simulator_.step(controls(simulator_.time()));
        if (!outcome.result)
            throw std::runtime_error("the step from " + std::to_string(simulator_.time()) +
                                     " s failed: " + grbda::to_string(outcome.result.status));
        look();
        see();
    }
    tell();
}

void Laws::check(const std::string& law, double found, double low, double high) {
    const bool holds = found >= low && found <= high;  // false for NaN
    std::printf("  %s  %-58s %10.4g, expected %g to %g\n", holds ? "kept  " : "BROKEN", law.c_str(), found,
                low, high);
    kept_ = kept_ && holds;
}

}  // namespace scenes
