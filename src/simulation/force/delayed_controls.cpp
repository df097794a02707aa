#include "delayed_controls.hpp"

#include <algorithm>

namespace grbda::simulation {

void DelayedControls::set_delay(int delay) {
    if (delay == delay_) return;
    delay_ = delay;
    values_.assign(delay > 0 ? static_cast<std::size_t>(delay + 1) * size() : 0, 0);
    forget();
}

Controls DelayedControls::exchange(const Controls& controls) {
    if (delay_ == 0) return controls;
    const auto place = [&](long step) {
        return values_.data() + static_cast<std::size_t>(step % (delay_ + 1)) * size();
    };
    double* into = place(count_);
    const auto store = [&](std::span<const double> given, int count) {
        if (given.empty())
            std::fill_n(into, count, 0.);
        else
            std::copy_n(given.begin(), count, into);
        into += count;
    };
    for (const std::span<const double>& x : {controls.tau_s, controls.target, controls.target_rate})
        store(x, velocities_);
    for (const std::span<const double>& x :
         {controls.motor_tau, controls.motor_target, controls.motor_target_rate})
        store(x, motors_);
    const double* from = place(std::max(count_ - delay_, 0L));
    ++count_;
    const auto next = [&](int count) {
        const std::span<const double> values(from, static_cast<std::size_t>(count));
        from += count;
        return values;
    };
    Controls acting;
    acting.external = controls.external;
    for (std::span<const double>* x : {&acting.tau_s, &acting.target, &acting.target_rate})
        *x = next(velocities_);
    for (std::span<const double>* x : {&acting.motor_tau, &acting.motor_target, &acting.motor_target_rate})
        *x = next(motors_);
    return acting;
}

}  // namespace grbda::simulation
