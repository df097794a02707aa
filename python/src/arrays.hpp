#pragma once

#include <array>
#include <string>

#include <pybind11/numpy.h>

#include <Eigen/Core>

#include "grbda/spatial/vector3.hpp"

// Arrays between numpy and Eigen: the caller's memory if it has the layout of Eigen, otherwise a copy. A
// matrix is stored by columns; states of a batch are stored one after the other, each like a single state.

namespace grbda::python {

namespace py = pybind11;

/// [rows], [rows × columns], or either for each of many states: [states × rows × columns].
struct Shape {
    static constexpr Py_ssize_t none = -1;

    Py_ssize_t states = none, rows = 0, columns = none;

    Py_ssize_t count() const;         ///< of numbers
    Py_ssize_t count_of_one() const;  ///< of those of a state
    std::string text() const;         ///< "(24,)"
};

/// Extents, and strides in bytes, as in numpy.
struct Layout {
    explicit Layout(const Shape& shape);

    int size = 0;
    std::array<Py_ssize_t, 3> extents{}, strides{};
};

/// Function and argument that begin an error message: "aba: yd".
struct Site {
    const char* function;
    const char* argument;

    std::string text() const;
};

/// An array of float64, the object itself if it is one; TypeError if it is no array of real numbers.
py::object numbers(const Site& site, PyObject* given);
int dimensions(const py::object& array);
Py_ssize_t extent(const py::object& array, int dimension);
bool has_shape(const py::object& array, const Shape& shape);
[[noreturn]] void refuse_shape(const Site& site, const py::object& array, const Shape& shape,
                               const std::string& names);

/// The same numbers in a layout that Eigen can read: the array itself, or a copy.
py::object laid_out(const py::object& array, const Shape& shape);
double* data_of(const py::object& array);

py::object new_array(const Shape& shape);
/// A read-only array on numbers of another object, which lives at least as long as the array.
py::object view(const double* numbers, const Shape& shape, py::handle owner);

/// Array that a call writes: a new one, or the caller's. If Eigen cannot write the caller's array directly,
/// a temporary array is written first and then copied.
struct Output {
    py::object array, written;

    /// given: null or None for a new one; errors  TypeError unless it is a floating-point array that can be
    /// written
    Output(const Site& site, PyObject* given, const Shape& shape, const std::string& names);
    py::object finish();  ///< after the call
    double* data() const { return data_of(written); }
};

py::object to_python(const Eigen::Ref<const Eigen::MatrixXd>& matrix);
py::object to_python(const Eigen::Ref<const Eigen::VectorXd>& vector);
py::object to_python(const Vector3<double>& vector);
py::object to_python(const Matrix3<double>& matrix);

Eigen::VectorXd vector_from(const Site& site, py::handle given, Py_ssize_t size);
Eigen::MatrixXd matrix_from(const Site& site, py::handle given, Py_ssize_t rows, Py_ssize_t columns);
Vector3<double> vector3_from(const Site& site, py::handle given);
Matrix3<double> matrix3_from(const Site& site, py::handle given);

}  // namespace grbda::python
