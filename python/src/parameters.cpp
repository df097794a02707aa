#include <limits>

#include "call.hpp"

namespace grbda::python {
namespace {

Py_ssize_t size_of(const Extent& extent, const Model& model) { return extent.of(model); }

}  // namespace

Shape Context::shape(const Extent& rows, const Extent& columns) const {
    Shape shape;
    if (of_states) shape.states = states;
    shape.rows = size_of(rows, model());
    if (columns.of != nullptr)
        shape.columns = size_of(columns, model());
    else if (columns.name != nullptr)
        shape.columns = found;
    return shape;
}

std::string Context::names(const Extent& rows, const Extent& columns) const {
    std::string text = of_states ? "[states, " : "[";
    text += rows.name;
    if (columns.name != nullptr && (columns.of != nullptr || found != Shape::none))
        text += std::string(", ") + columns.name;
    return text + "]";
}

py::object Context::read(const char* argument, PyObject* given, const Extent& rows, const Extent& columns) {
    const Site site{function, argument};
    const py::object array = numbers(site, given);
    if (of_states && states == Shape::none) states = dimensions(array) > 0 ? extent(array, 0) : 0;
    if (columns.name != nullptr && columns.of == nullptr && dimensions(array) == 2) found = extent(array, 1);
    const Shape wanted = shape(rows, columns);
    if (!has_shape(array, wanted)) refuse_shape(site, array, wanted, names(rows, columns));
    return laid_out(array, wanted);
}

bool truth(const Site& site, PyObject* given) {
    if (PyBool_Check(given)) return given == Py_True;
    py::detail::make_caster<bool> flag;
    if (given == Py_None || !flag.load(given, false)) refuse_value(site, "bool", given);
    return py::detail::cast_op<bool>(flag);
}

int whole_number(const Site& site, py::handle given) {
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
    if (!number) {
        PyErr_Clear();
        refuse_value(site, "int", given.ptr());
    }
    int beyond = 0;
    const long value = PyLong_AsLongAndOverflow(number.ptr(), &beyond);
    constexpr int most = std::numeric_limits<int>::max();
    if (beyond != 0 || value > most || value < -most)
        throw py::value_error(site.text() + " is " + py::str(number).cast<std::string>() +
                              ", expected at most " + std::to_string(most));
    return static_cast<int>(value);
}

void refuse_value(const Site& site, const char* type, PyObject* given) {
    throw py::type_error(site.text() + " must be " + type + ", not " + Py_TYPE(given)->tp_name);
}

std::string not_finite_in(const char* name, const Numbers& numbers, Py_ssize_t state) {
    if (numbers.data == nullptr) return {};
    const double* const one = numbers.data + state * numbers.of_one;
    const double* const found =
        std::find_if_not(one, one + numbers.of_one, [](double x) { return std::isfinite(x); });
    if (found == one + numbers.of_one) return {};
    return std::string(": ") + name + "[" + std::to_string(found - one) + "] is " +
           py::str(py::float_(*found)).cast<std::string>();
}

void part_out(const char* function, PyObject* given, PyObject** outs, std::size_t count) {
    if (is_absent(given)) return;
    if (count == 1) {
        outs[0] = given;
        return;
    }
    if (!PyTuple_Check(given) || static_cast<std::size_t>(PyTuple_GET_SIZE(given)) != count)
        throw py::type_error(Site{function, "out"}.text() + " must be a tuple of " + std::to_string(count) +
                             " arrays");
    for (std::size_t i = 0; i < count; ++i) outs[i] = PyTuple_GET_ITEM(given, static_cast<Py_ssize_t>(i));
}

Named::Held Named::hold(Context& context, PyObject* given, PyObject*) const {
    if (PyUnicode_Check(given)) return {find(context.model(), py::cast<std::string>(py::handle(given)))};
    const Py_ssize_t index = PyNumber_AsSsize_t(given, nullptr);
    if (index == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw py::type_error(Site{context.function, name}.text() + " must be an index or a name, not " +
                             Py_TYPE(given)->tp_name);
    }
    constexpr Py_ssize_t most = std::numeric_limits<int>::max();
    return {static_cast<int>(std::clamp<Py_ssize_t>(index, -most, most))};
}

}  // namespace grbda::python
