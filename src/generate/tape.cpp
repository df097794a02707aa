#include "tape.hpp"

#include <bit>
#include <cstdint>

namespace grbda::generated {

thread_local Tape* Tape::current = nullptr;

namespace {

constexpr std::uint64_t mark = 0x7ff8'5eed'0000'0000, index_bits = 0xffff'ffff;

}  // namespace

double parameter(int index) { return std::bit_cast<double>(mark | static_cast<std::uint64_t>(index)); }

int parameter_index(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    return (bits & ~index_bits) == mark ? static_cast<int>(bits & index_bits) : -1;
}

void Tape::end() {
    if (!units.empty()) units.back().last = static_cast<int>(steps.size());
}

void Tape::enter(int cluster) {
    end();
    if (visits_.size() < grbda::at(cluster + 2)) visits_.resize(grbda::at(cluster + 2), 0);
    units.push_back({cluster, visits_[cluster + 1]++, static_cast<int>(steps.size()), 0});
}

}  // namespace grbda::generated
