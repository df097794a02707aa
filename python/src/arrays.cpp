#include "arrays.hpp"

#include <cstring>

namespace grbda::python {
namespace {

using Api = py::detail::npy_api;

Api& api() { return Api::get(); }

const py::detail::PyArray_Proxy* proxy(const py::object& array) {
    return py::detail::array_proxy(array.ptr());
}

PyObject* float64() {
    static PyObject* const descriptor = api().PyArray_DescrFromType_(Api::NPY_DOUBLE_);
    return descriptor;
}

PyObject* new_float64() {
    Py_INCREF(float64());
    return float64();
}

py::object checked(PyObject* made) {
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
}

bool is_float64(PyObject* given) {
    return api().PyArray_Check_(given) && py::detail::array_proxy(given)->descr == float64() &&
           (py::detail::array_proxy(given)->flags & Api::NPY_ARRAY_ALIGNED_) != 0;
}

char kind_of(const py::object& array) {
    return py::detail::array_descriptor_proxy(proxy(array)->descr)->kind;
}

bool is_real(const py::object& array) { return std::strchr("biuf", kind_of(array)) != nullptr; }

/// Strides along extents of one number, or of zero, do not count.
bool lies_as(const py::object& array, const Layout& wanted) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(wanted.size); ++i)
        if (wanted.extents[i] > 1 && proxy(array)->strides[i] != wanted.strides[i]) return false;
    return true;
}

void copy_into(const py::object& to, const py::object& from) {
    if (api().PyArray_CopyInto_(to.ptr(), from.ptr()) != 0) throw py::error_already_set();
}

std::string shape_of(const py::object& array) { return py::str(array.attr("shape")).cast<std::string>(); }

}  // namespace

Py_ssize_t Shape::count_of_one() const { return columns == none ? rows : rows * columns; }
Py_ssize_t Shape::count() const { return states == none ? count_of_one() : states * count_of_one(); }

std::string Shape::text() const {
    const Layout layout(*this);
    std::string text = "(";
    for (int i = 0; i < layout.size; ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(layout.extents[static_cast<std::size_t>(i)]);
    return text + (layout.size == 1 ? ",)" : ")");
}

Layout::Layout(const Shape& shape) {
    constexpr Py_ssize_t number = sizeof(double);
    const auto add = [&](Py_ssize_t extent, Py_ssize_t stride) {
        extents[static_cast<std::size_t>(size)] = extent;
        strides[static_cast<std::size_t>(size++)] = stride;
    };
    if (shape.states != Shape::none) add(shape.states, shape.count_of_one() * number);
    add(shape.rows, number);
    if (shape.columns != Shape::none) add(shape.columns, shape.rows * number);
}

std::string Site::text() const { return std::string(function) + ": " + argument; }

py::object numbers(const Site& site, PyObject* given) {
    if (is_float64(given)) return py::reinterpret_borrow<py::object>(given);
    // As numpy sees it first: it would make numbers of text, and NaN of None.
    const auto own =
        py::reinterpret_steal<py::object>(api().PyArray_FromAny_(given, nullptr, 0, 0, 0, nullptr));
    if (own && is_float64(own.ptr())) return own;
    PyObject* const made =
        own && is_real(own)
            ? api().PyArray_FromAny_(own.ptr(), new_float64(), 0, 0,
                                     Api::NPY_ARRAY_ALIGNED_ | Api::NPY_ARRAY_FORCECAST_, nullptr)
            : nullptr;
    if (made != nullptr) return py::reinterpret_steal<py::object>(made);
    PyErr_Clear();
    std::string found = Py_TYPE(given)->tp_name;
    if (api().PyArray_Check_(given))
        found = py::str(py::handle(given).attr("dtype")).cast<std::string>() + " numbers";
    throw py::type_error(site.text() + " must be an array of real numbers, not " + found);
}

int dimensions(const py::object& array) { return proxy(array)->nd; }
Py_ssize_t extent(const py::object& array, int dimension) { return proxy(array)->dimensions[dimension]; }
double* data_of(const py::object& array) { return reinterpret_cast<double*>(proxy(array)->data); }

bool has_shape(const py::object& array, const Shape& shape) {
    const Layout wanted(shape);
    if (dimensions(array) != wanted.size) return false;
    for (int i = 0; i < wanted.size; ++i)
        if (extent(array, i) != wanted.extents[static_cast<std::size_t>(i)]) return false;
    return true;
}

void refuse_shape(const Site& site, const py::object& array, const Shape& shape, const std::string& names) {
    throw py::value_error(site.text() + " must have the shape " + shape.text() + ", " + names + ", not " +
                          shape_of(array));
}

py::object laid_out(const py::object& array, const Shape& shape) {
    if (lies_as(array, Layout(shape))) return array;
    py::object copy = new_array(shape);
    copy_into(copy, array);
    return copy;
}

py::object new_array(const Shape& shape) {
    Layout layout(shape);
    // numpy itself lays out by columns or by rows; matrices of many states are neither
    Py_ssize_t* const strides = layout.size == 3 ? layout.strides.data() : nullptr;
    const int flags = shape.states == Shape::none ? Api::NPY_ARRAY_F_CONTIGUOUS_ : 0;
    return checked(api().PyArray_NewFromDescr_(api().PyArray_Type_, new_float64(), layout.size,
                                               layout.extents.data(), strides, nullptr, flags, nullptr));
}

py::object view(const double* numbers, const Shape& shape, py::handle owner) {
    if (shape.count() == 0) return new_array(shape);
    Layout layout(shape);
    py::object array = checked(api().PyArray_NewFromDescr_(
        api().PyArray_Type_, new_float64(), layout.size, layout.extents.data(), layout.strides.data(),
        const_cast<double*>(numbers), Api::NPY_ARRAY_ALIGNED_, nullptr));
    if (api().PyArray_SetBaseObject_(array.ptr(), owner.inc_ref().ptr()) != 0) throw py::error_already_set();
    return array;
}

Output::Output(const Site& site, PyObject* given, const Shape& shape, const std::string& names) {
    if (given == nullptr || given == Py_None) {
        array = written = new_array(shape);
        return;
    }
    array = py::reinterpret_borrow<py::object>(given);
    const Site out{site.function, "out"};
    if (!api().PyArray_Check_(given) || kind_of(array) != 'f')
        throw py::type_error(out.text() + " must be a floating-point array for " + site.argument);
    if (!has_shape(array, shape)) refuse_shape(out, array, shape, names);
    if ((proxy(array)->flags & Api::NPY_ARRAY_WRITEABLE_) == 0)
        throw py::value_error(out.text() + " cannot be written");
    written = is_float64(given) && lies_as(array, Layout(shape)) ? array : new_array(shape);
}

py::object Output::finish() {
    if (!written.is(array)) copy_into(array, written);
    return std::move(array);
}

py::object to_python(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
    py::object array = new_array({.rows = matrix.rows(), .columns = matrix.cols()});
    Eigen::Map<Eigen::MatrixXd>(data_of(array), matrix.rows(), matrix.cols()) = matrix;
    return array;
}

py::object to_python(const Eigen::Ref<const Eigen::VectorXd>& vector) {
    py::object array = new_array({.rows = vector.size()});
    Eigen::Map<Eigen::VectorXd>(data_of(array), vector.size()) = vector;
    return array;
}

py::object to_python(const Vector3<double>& vector) {
    return to_python(Eigen::Ref<const Eigen::VectorXd>(Eigen::Vector3d(vector.x, vector.y, vector.z)));
}

py::object to_python(const Matrix3<double>& m) {
    Eigen::Matrix3d matrix;
    matrix << m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z;
    return to_python(Eigen::Ref<const Eigen::MatrixXd>(matrix));
}

Eigen::VectorXd vector_from(const Site& site, py::handle given, Py_ssize_t size) {
    const Shape shape{.rows = size};
    const py::object array = numbers(site, given.ptr());
    if (!has_shape(array, shape)) refuse_shape(site, array, shape, "as many");
    const py::object lying = laid_out(array, shape);
    return Eigen::Map<const Eigen::VectorXd>(data_of(lying), size);
}

Eigen::MatrixXd matrix_from(const Site& site, py::handle given, Py_ssize_t rows, Py_ssize_t columns) {
    const Shape shape{.rows = rows, .columns = columns};
    const py::object array = numbers(site, given.ptr());
    if (!has_shape(array, shape)) refuse_shape(site, array, shape, "as many");
    const py::object lying = laid_out(array, shape);
    return Eigen::Map<const Eigen::MatrixXd>(data_of(lying), rows, columns);
}

Vector3<double> vector3_from(const Site& site, py::handle given) {
    const Eigen::VectorXd v = vector_from(site, given, 3);
    return {v[0], v[1], v[2]};
}

Matrix3<double> matrix3_from(const Site& site, py::handle given) {
    const Eigen::MatrixXd m = matrix_from(site, given, 3, 3);
    const auto column = [&](int j) { return Vector3<double>{m(0, j), m(1, j), m(2, j)}; };
    return {column(0), column(1), column(2)};
}

}  // namespace grbda::python
