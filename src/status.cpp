#include "grbda/status.hpp"

namespace grbda {

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

}  // namespace grbda
