#include "interpreter.hpp"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <unistd.h>

namespace grbda::python {

namespace {

// A thread that requests the lock while the interpreter ends is unwound by pthread_exit, through frames of
// C++ that must not run destructors on objects of Python any more. It waits here for the end of the process
// instead, as every such thread does from Python 3.14 on.
void take_lock(PyThreadState* state) noexcept {
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        for (;;) pause();
    }
}

}  // namespace

Unlocked::~Unlocked() {
    if (state_ != nullptr) take_lock(state_);
}

void Unlocked::answer_signals() {
    const Clock::time_point now = Clock::now();
    if (now - answered_ < std::chrono::milliseconds(20)) return;
    take_lock(std::exchange(state_, nullptr));
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    state_ = PyEval_SaveThread();
    answered_ = now;
}

namespace {

/// Position of the bracket that closes the one at `open`.
std::size_t closing(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == '\'') i = text.find('\'', i + 1);
        if (i == std::string::npos) break;
        if (text[i] == '(' || text[i] == '[') ++depth;
        if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i;
    }
    return std::string::npos;
}

/// "steps: int = 1" as CPython reads it: "steps=1". It reads no names of members, so "..." is written for
/// those.
std::string untyped(const std::string& parameter) {
    const std::size_t colon = parameter.find(':'), equals = parameter.find(" = ");
    std::string text = parameter.substr(0, std::min(colon, parameter.size()));
    if (equals == std::string::npos) return text;
    const std::string value = parameter.substr(equals + 3);
    const bool member =
        std::isupper(static_cast<unsigned char>(value[0])) != 0 && value.find('.') != std::string::npos;
    return text + "=" + (member ? "..." : value);
}

}  // namespace

std::string with_text_signature(const std::string& documentation) {
    const std::size_t open = documentation.find('('), line = documentation.find('\n');
    const std::size_t close = open < line ? closing(documentation, open) : std::string::npos;
    if (close == std::string::npos || documentation.compare(close, 5, ") -> ") != 0) return documentation;
    std::string text = documentation.substr(0, open + 1);
    std::size_t begin = open + 1;
    int depth = 0;
    for (std::size_t i = begin; i <= close; ++i) {
        const char c = documentation[i];
        if (c == '(' || c == '[') ++depth;
        if (i < close && (c == ')' || c == ']')) --depth;
        if (i < close && (c != ',' || depth > 0)) continue;
        if (i > begin) text += untyped(documentation.substr(begin, i - begin));
        if (i < close) text += ",";
        begin = i + 1;
    }
    return text + ")\n--\n\n" + documentation;
}

namespace {

/// pybind11 made the text by strdup(), and frees it by free().
void add_text_signature(py::handle callable) {
    PyObject* function = callable.ptr();
    if (PyInstanceMethod_Check(function)) function = PyInstanceMethod_GET_FUNCTION(function);
    if (!PyCFunction_Check(function)) return;
    PyMethodDef& definition = *reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
    if (definition.ml_doc == nullptr) return;
    const std::string text = with_text_signature(definition.ml_doc);
    if (text == definition.ml_doc) return;
    std::free(const_cast<char*>(definition.ml_doc));
    definition.ml_doc = strdup(text.c_str());
}

template <class F>
void for_each_class(const py::module_& module, const F& use) {
    for (const auto& [name, thing] : module.attr("__dict__").cast<py::dict>())
        if (PyType_Check(thing.ptr())) use(thing);
}

}  // namespace

void add_text_signatures(const py::module_& module) {
    for (const auto& [name, thing] : module.attr("__dict__").cast<py::dict>()) add_text_signature(thing);
    for_each_class(module, [](py::handle type) {
        for (const auto& item : py::list(type.attr("__dict__").attr("values")())) add_text_signature(item);
    });
}

void refuse_hollow_objects(const py::module_& module) {
    for_each_class(module, [](py::handle type) {
        auto* const info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(type.ptr()));
        if (info == nullptr) return;
        // pybind11 requests memory from it if an object has no value yet
        info->operator_new = [](std::size_t) -> void* {
            throw py::type_error("an object that only __new__ has made has no value: call its class");
        };
    });
}

}  // namespace grbda::python
