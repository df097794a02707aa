#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "call.hpp"
#include "grbda/diagnostics.hpp"
#include "grbda/version.hpp"

namespace grbda::c {

namespace {

/// Returns the text of the last error of this thread.
std::string& last_error() {
    thread_local std::string text;
    return text;
}

constexpr bool has_value(grbda_status status, Status same) {
    return static_cast<int>(status) == static_cast<int>(same);
}
static_assert(has_value(GRBDA_OK, Status::ok) &&
              has_value(GRBDA_SINGULAR_CONSTRAINT, Status::singular_constraint) &&
              has_value(GRBDA_SINGULAR_INERTIA, Status::singular_inertia) &&
              has_value(GRBDA_NOT_CONVERGED, Status::not_converged) && has_value(GRBDA_FOLD, Status::fold) &&
              has_value(GRBDA_NOT_FINITE, Status::not_finite) &&
              has_value(GRBDA_UNDEFINED, Status::undefined) &&
              has_value(GRBDA_UNBALANCED, Status::unbalanced) &&
              has_value(GRBDA_INACCURATE, Status::inaccurate));

/// Says what a numerical status means for the user.
const char* explanation(Status status) {
    switch (status) {
        case Status::ok: return "no error";
        case Status::singular_constraint:
            return "the loops are singular at q; expected another configuration";
        case Status::singular_inertia: return "a motion moves no mass; expected inertia on its links";
        case Status::not_converged:
            return "q leaves loops open; expected a q that grbda_close_loops() closed";
        case Status::fold: return "the assembly mode ends on the path; expected a shorter displacement";
        case Status::not_finite: return "NaN, infinite or too large numbers; expected finite input";
        case Status::undefined: return "the method is not defined for this model or state";
        case Status::unbalanced:
            return "the forces do not produce the motion; expected forces that do, or more motors";
        case Status::inaccurate: return "the step is inaccurate; expected a shorter step";
    }
    return "unknown status";
}

/// Appends the joints of a cluster: " (cluster 2: 'knee', 'rod')".
void append_cluster(const Model& model, int cluster, std::string& text) {
    constexpr int most = 4;
    if (cluster < 0 || cluster >= model.cluster_count()) return;
    text += " (cluster " + std::to_string(cluster) + ":";
    int joints = 0;
    for (int body = 0; body < model.body_count(); ++body) {
        if (model.bodies[body].cluster != cluster) continue;
        if (++joints > most) continue;
        text += (joints == 1 ? " '" : ", '") + model.names.joints[body] + "'";
    }
    text += joints > most ? " and " + std::to_string(joints - most) + " more)" : ")";
}

}  // namespace

void set_error(const char* function, const char* text) noexcept {
    try {
        last_error().assign(function).append(": ").append(text);
    } catch (...) {
        last_error().clear();  // no memory for the text; the status remains
    }
}

grbda_status report_exception(const char* function) noexcept {
    try {
        throw;
    } catch (const LoadError& error) {
        set_error(function, error.what());
        return GRBDA_INVALID_FILE;
    } catch (const std::invalid_argument& error) {
        set_error(function, error.what());
        return GRBDA_INVALID_ARGUMENT;
    } catch (const std::bad_alloc&) {
        set_error(function, "not enough memory");
        return GRBDA_OUT_OF_MEMORY;
    } catch (const std::exception& error) {
        set_error(function, error.what());
    } catch (...) {
        set_error(function, "unknown exception");
    }
    return GRBDA_INTERNAL_ERROR;
}

grbda_status report_result(const char* function, const Model& model, const Result& result) noexcept {
    try {
        std::string text = std::string(to_string(result.status)) + ": " + explanation(result.status);
        append_cluster(model, result.cluster, text);
        set_error(function, text.c_str());
    } catch (...) {
        set_error(function, to_string(result.status));
    }
    return static_cast<grbda_status>(result.status);
}

void refuse_null(const char* name, const char* expected) {
    throw std::invalid_argument(std::string(name) + " is NULL; expected " + expected);
}

void refuse_null_array(const char* name, long numbers) {
    refuse_null(name, ("an array of " + std::to_string(numbers) + " numbers").c_str());
}

void require_index(const char* kind, int index, int count) {
    if (index >= 0 && index < count) return;
    const std::string text = std::string(kind) + " " + std::to_string(index) + " does not exist; ";
    throw std::invalid_argument(count == 0 ? text + "the model has none"
                                           : text + "expected 0 to " + std::to_string(count - 1));
}

}  // namespace grbda::c

extern "C" {

const char* grbda_version(void) { return GRBDA_VERSION; }

const char* grbda_status_name(grbda_status status) {
    switch (static_cast<int>(status)) {
        case GRBDA_INVALID_ARGUMENT: return "invalid_argument";
        case GRBDA_INVALID_FILE: return "invalid_file";
        case GRBDA_OUT_OF_MEMORY: return "out_of_memory";
        case GRBDA_INTERNAL_ERROR: return "internal_error";
    }
    if (status < GRBDA_OK || status > GRBDA_INACCURATE) return "unknown_status";
    return grbda::to_string(static_cast<grbda::Status>(status));
}

const char* grbda_last_error(void) { return grbda::c::last_error().c_str(); }

grbda_status grbda_last_result(const grbda_data* data, grbda_result* result) {
    using namespace grbda::c;
    return guarded("grbda_last_result", [&] {
        const grbda::Result& last = checked(data).last;
        required(result, "result", "a grbda_result to fill") = {static_cast<grbda_status>(last.status),
                                                                last.cluster, last.residual, last.iterations,
                                                                last.from_neutral ? 1 : 0};
        return GRBDA_OK;
    });
}

}  // extern "C"
