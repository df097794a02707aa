#include "memory_needs.hpp"

#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include "simulation/state/state.hpp"

namespace grbda::simulation {
namespace {

/// Returns the memory of this machine; infinite if it is unknown.
double bytes_of_machine() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE) && !defined(__EMSCRIPTEN__)
    const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES)),
                 size = static_cast<double>(sysconf(_SC_PAGESIZE));
    if (pages > 0 && size > 0) return pages * size;
#endif
    return std::numeric_limits<double>::infinity();
}

std::string gigabytes(double bytes) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g GB", bytes / 1e9);
    return text.data();
}

}  // namespace

double bytes_needed(const Setting& setting, double simulations, double threads) {
    constexpr double number = sizeof(double);
    const Model& model = setting.model;
    const double most = setting.options.most_contacts, velocities = model.nv_tree,
                 motors = setting.motors.count(),
                 steps = setting.options.delay > 0 ? setting.options.delay + 1. : 0;
    const double contact = sizeof(ContactState) + 2 * MemoryOfContacts::bytes_of_one;
    const double state = sizeof(State) + number * (model.nq + 2. * model.nv + motors) +
                         number * steps * 3 * (velocities + motors) + contact * most;
    const double rows = 3 * most;
    return simulations * state + threads * number * rows * rows;
}

void require_memory(const Setting& setting, int simulations, int threads) {
    const double needed = bytes_needed(setting, simulations, threads), present = bytes_of_machine();
    if (needed <= present) return;
    const SimulatorOptions& options = setting.options;
    throw std::invalid_argument("simulation: the memory of " + std::to_string(simulations) +
                                (simulations == 1 ? " simulation" : " simulations") + " with up to " +
                                std::to_string(options.most_contacts) + " contacts and a delay of " +
                                std::to_string(options.delay) + " steps is " + gigabytes(needed) +
                                " or more; this machine has " + gigabytes(present));
}

}  // namespace grbda::simulation
