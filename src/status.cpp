#include "grbda/status.hpp"

#include <array>
#include <cstdio>
#include <ostream>

#include "grbda/version.hpp"

namespace grbda {

const char* version() { return GRBDA_VERSION; }

const char* to_string(Status status) {
    switch (status) {
        case Status::ok: return "ok";
        case Status::singular_constraint: return "singular_constraint";
        case Status::singular_inertia: return "singular_inertia";
        case Status::not_converged: return "not_converged";
        case Status::fold: return "fold";
        case Status::not_finite: return "not_finite";
        case Status::undefined: return "undefined";
        case Status::unbalanced: return "unbalanced";
        case Status::inaccurate: return "inaccurate";
    }
    return "undefined";
}

std::string to_string(const Result& result) {
    std::string text = to_string(result.status);
    if (result.cluster >= 0) text += " in cluster " + std::to_string(result.cluster);
    if (result.residual > 0) {
        std::array<char, 32> number{};
        std::snprintf(number.data(), number.size(), "%.3g", result.residual);
        text += std::string(", residual ") + number.data();
    }
    if (result.iterations > 0)
        text += " after " + std::to_string(result.iterations) +
                (result.iterations == 1 ? " iteration" : " iterations");
    return text;
}

std::ostream& operator<<(std::ostream& out, Status status) { return out << to_string(status); }
std::ostream& operator<<(std::ostream& out, const Result& result) { return out << to_string(result); }

}  // namespace grbda
