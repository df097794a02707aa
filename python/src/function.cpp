#include "function.hpp"

#include <stdexcept>

#include <cxxabi.h>

#include "robot.hpp"

namespace grbda::python {
namespace {

Function& function_of(PyObject* capsule) {
    return *static_cast<Function*>(PyCapsule_GetPointer(capsule, nullptr));
}

bool is_batch(PyObject* object) {
    static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(py::type::of<BatchWorkspace>().ptr());
    return PyObject_TypeCheck(object, type) != 0;
}

/// Function that Python calls.
PyObject* enter(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
    const Function* function = &function_of(self);
    std::array<PyObject*, most_parameters> slots{};
    if (!function->sort(given, count, keywords, slots.data())) return nullptr;
    try {
        if (function->of_states && is_batch(slots[1])) function = function->of_states.get();
        return function->call(slots.data());
#ifdef __GLIBCXX__
    } catch (::abi::__forced_unwind&) {  // the interpreter ends this thread
        throw;
#endif
    } catch (...) {
        set_error(function->name());
        return nullptr;
    }
}

std::string signature(const std::string& name, const std::vector<Parameter>& parameters,
                      const std::string& returned) {
    std::string text = name + "(";
    bool starred = false;
    for (const Parameter& parameter : parameters) {
        if (&parameter != &parameters.front()) text += ", ";
        if (parameter.keyword && !starred) text += "*, ";
        starred = starred || parameter.keyword;
        text += parameter.name + ": " + parameter.type;
        if (!parameter.fallback.empty()) text += " = " + parameter.fallback;
    }
    return text + ") -> " + returned;
}

}  // namespace

Function::Function(std::string name, std::vector<Parameter> parameters, std::string returned,
                   const std::string& text)
    : name_(std::move(name)), parameters_(std::move(parameters)) {
    documentation_ = signature(name_, parameters_, returned) + "\n\n" + text;
    for (const Parameter& parameter : parameters_) {
        keys_.push_back(PyUnicode_InternFromString(parameter.name.c_str()));
        if (!parameter.keyword) ++by_place_;
    }
    if (parameters_.size() > most_parameters)
        throw std::logic_error(name_ + " takes more than there are slots");
}

bool Function::place(PyObject* keyword, PyObject* value, PyObject** slots) const {
    std::size_t i = 0;
    while (i < keys_.size() && keys_[i] != keyword) ++i;  // names in a program are interned, nearly always
    if (i == keys_.size())
        for (i = 0; i < keys_.size() && PyUnicode_Compare(keys_[i], keyword) != 0;) ++i;
    if (i == keys_.size()) {
        PyErr_Format(PyExc_TypeError, "%s() takes no argument '%U'", name(), keyword);
        return false;
    }
    if (slots[i] != nullptr) {
        PyErr_Format(PyExc_TypeError, "%s() got argument '%U' twice", name(), keyword);
        return false;
    }
    slots[i] = value;
    return true;
}

bool Function::miss(std::size_t parameter) const {
    PyErr_Format(PyExc_TypeError, "%s() needs argument '%s'", name(), parameters_[parameter].name.c_str());
    return false;
}

bool Function::sort(PyObject* const* given, Py_ssize_t count, PyObject* keywords, PyObject** slots) const {
    const auto placed = static_cast<std::size_t>(count);
    if (placed > by_place_) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zu arguments by place, not %zu", name(), by_place_,
                     placed);
        return false;
    }
    for (std::size_t i = 0; i < placed; ++i) slots[i] = given[i];
    const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t i = 0; i < named; ++i)
        if (!place(PyTuple_GET_ITEM(keywords, i), given[count + i], slots)) return false;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (slots[i] == nullptr && parameters_[i].fallback.empty()) return miss(i);
    return true;
}

void add(py::module_& module, std::unique_ptr<Function> function) {
    Function& f = *function.release();
    f.shown_ = with_text_signature(f.documentation_);
    f.definition_ = {f.name(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&enter)),
                     METH_FASTCALL | METH_KEYWORDS, f.shown_.c_str()};
    const py::capsule self(&f, static_cast<const char*>(nullptr));
    const py::str owner("grbda");
    module.attr(f.name()) =
        py::reinterpret_steal<py::object>(PyCFunction_NewEx(&f.definition_, self.ptr(), owner.ptr()));
}

void add_of_states(py::module_& module, std::unique_ptr<Function> function) {
    const py::object single = module.attr(function->name());
    Function& f = function_of(PyCFunction_GET_SELF(single.ptr()));
    const std::string alone_takes = "data: Data,";
    f.documentation_.replace(f.documentation_.find(alone_takes), alone_takes.size(),
                             "data: Data | BatchData,");
    f.documentation_ += "\n\nOf many states, with a BatchData:\n" + function->documentation_;
    f.of_states = std::move(function);
    f.shown_ = with_text_signature(f.documentation_);
    f.definition_.ml_doc = f.shown_.c_str();
}

}  // namespace grbda::python
