#pragma once

#include <new>
#include <string>
#include <vector>

#include "grbda/c.h"
#include "grbda/constraints/actuation.hpp"
#include "grbda/constraints/constraint_forces.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// All files of the C interface use these objects behind the handles, arrays as vectors of Eigen, and the
// conversion of exceptions to statuses.

struct grbda_model {
    explicit grbda_model(grbda::Model robot);

    grbda::Model model;
    // copies in the order of the indices in c.h
    std::vector<std::string> frames, loops, findings;
    std::vector<grbda::Coordinate> motors;
};

struct grbda_data {
    explicit grbda_data(const grbda::Model& model) : data(model) {}

    grbda::Data data;
    grbda::Result last;
};

namespace grbda::c {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;
using Matrix = Eigen::Map<Eigen::MatrixXd>;
using ConstWrenchMap = Eigen::Map<const Eigen::Matrix<double, 6, Eigen::Dynamic>>;
using SixRows = Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>>;

/// Stores the text of an error: "grbda_aba: q is NULL; …".
void set_error(const char* function, const char* text) noexcept;

/// Stores the text of the exception in flight and returns its status. Call it in a handler.
grbda_status report_exception(const char* function) noexcept;

/// Stores the outcome of an algorithm, and its text if it failed.
grbda_status report_result(const char* function, const Model& model, const Result& result) noexcept;

/// Throws std::invalid_argument for a required pointer that is NULL.
[[noreturn]] void refuse_null(const char* name, const char* expected);
/// Throws std::invalid_argument for an array of so many numbers that is NULL.
[[noreturn]] void refuse_null_array(const char* name, long numbers);
/// Throws std::invalid_argument for an index outside of [0, count).
void require_index(const char* kind, int index, int count);

template <class T>
T& required(T* pointer, const char* name, const char* expected) {
    if (!pointer) refuse_null(name, expected);
    return *pointer;
}

inline const Model& model_of(const grbda_model* model) {
    return required(model, "model", "a model that grbda_load() returned").model;
}

template <class D>  // grbda_data, const or not
D& checked(D* data) {
    return required(data, "data", "data that grbda_data_create() returned");
}

inline double* array(const char* name, double* numbers, long size) {
    if (!numbers && size > 0) refuse_null_array(name, size);
    return numbers;
}
inline const double* array(const char* name, const double* numbers, long size) {
    if (!numbers && size > 0) refuse_null_array(name, size);
    return numbers;
}

inline ConstVectorMap input(const char* name, const double* numbers, int size) {
    return {array(name, numbers, size), size};
}
inline Vector output(const char* name, double* numbers, int size) {
    return {array(name, numbers, size), size};
}
inline Matrix output(const char* name, double* numbers, int rows, int columns) {
    return {array(name, numbers, long{rows} * columns), rows, columns};
}
/// Wrenches on all bodies; NULL: none.
inline ConstWrenchMap external(const Model& model, const double* wrenches) {
    return {wrenches, 6, wrenches ? model.body_count() : 0};
}

/// Calls body() and returns its status; an exception becomes a status with a text.
template <class Body>
grbda_status guarded(const char* function, Body&& body) noexcept {
    try {
        return body();
    } catch (...) {
        return report_exception(function);
    }
}

/// Calls read(model, data), which computes nothing that can fail numerically.
template <class Read>
grbda_status read_results(const char* function, const grbda_model* model, const grbda_data* data,
                          Read&& read) noexcept {
    return guarded(function, [&] {
        read(model_of(model), checked(data).data);
        return GRBDA_OK;
    });
}

/// Calls algorithm(model, data) and reports its Result.
template <class Algorithm>
grbda_status run_algorithm(const char* function, const grbda_model* model, grbda_data* data,
                           Algorithm&& algorithm) noexcept {
    return guarded(function, [&] {
        const Model& robot = model_of(model);
        grbda_data& work = checked(data);
        work.last = algorithm(robot, work);
        if (work.last.ok()) [[likely]]
            return GRBDA_OK;
        return report_result(function, robot, work.last);
    });
}

}  // namespace grbda::c
