#include "tape.hpp"

namespace grbda::generated {

thread_local Tape* Tape::current = nullptr;

void Tape::end() {
    if (!units.empty()) units.back().last = static_cast<int>(steps.size());
}

void Tape::enter(int cluster) {
    end();
    if (visits_.size() < grbda::at(cluster + 2)) visits_.resize(grbda::at(cluster + 2), 0);
    units.push_back({cluster, visits_[cluster + 1]++, static_cast<int>(steps.size()), 0});
}

}  // namespace grbda::generated
