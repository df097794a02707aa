#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

// A function of the module by the fast calling convention of Python: arguments by place or by name go into
// slots. It takes a fifth of a microsecond less than pybind11's own, and its errors name the argument.

namespace grbda::python {

namespace py = pybind11;

/// An argument as the signature shows it.
struct Parameter {
    std::string name, type;
    std::string fallback;  ///< default as text; empty: the argument is required
    std::string meaning;   ///< a line for the docstring; empty: none is needed
    bool keyword = false;  ///< by name only
};

constexpr std::size_t most_parameters = 20;

class Function;
/// The module keeps it until the program ends.
void add(py::module_& module, std::unique_ptr<Function> function);
/// Makes it the function for many states behind the function of the same name.
void add_of_states(py::module_& module, std::unique_ptr<Function> function);

class Function {
public:
    Function(std::string name, std::vector<Parameter> parameters, std::string returned,
             const std::string& text);
    virtual ~Function() = default;
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;

    /// Returns a new reference. Slots are borrowed, null for missing arguments. It may throw.
    virtual PyObject* call(PyObject* const* slots) const = 0;

    const char* name() const { return name_.c_str(); }
    bool sort(PyObject* const* given, Py_ssize_t count, PyObject* keywords, PyObject** slots) const;

    /// The function that is called instead if the second argument is a BatchData.
    std::unique_ptr<Function> of_states;

private:
    friend void add(py::module_& module, std::unique_ptr<Function> function);
    friend void add_of_states(py::module_& module, std::unique_ptr<Function> function);
    bool place(PyObject* keyword, PyObject* value, PyObject** slots) const;
    bool miss(std::size_t parameter) const;

    std::string name_, documentation_;
    std::string shown_;  ///< the documentation as CPython reads signatures from it
    std::vector<Parameter> parameters_;
    std::vector<PyObject*> keys_;  ///< names as Python has them
    std::size_t by_place_ = 0;
    PyMethodDef definition_{};
};

}  // namespace grbda::python
