#include <new>
#include <stdexcept>

#include <pybind11/stl.h>

#include "components.hpp"
#include "grbda/diagnostics.hpp"
#include "robot.hpp"

namespace grbda::python {
namespace {

py::object error_class(const char* name) { return py::module_::import("grbda._errors").attr(name); }

void set(const py::object& type, const py::object& error) { PyErr_SetObject(type.ptr(), error.ptr()); }

void set_load_error(const LoadError& error) {
    const py::object type = error_class("LoadError");
    set(type, type(error.what(), error.diagnostics()));
}

std::string joined(const std::vector<std::string>& names) {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + names[i];
    return text + (names.size() > most ? ", …" : "");
}

}  // namespace

void raise_status(const char* function, const Robot& robot, const Result& result, const std::string& where) {
    std::vector<std::string> joints;
    if (result.cluster >= 0 && result.cluster < robot.model.cluster_count())
        for (const int body : robot.model.clusters[result.cluster].joints)
            joints.push_back(robot.model.names.joints[body]);
    std::string text = std::string(function) + ": " + to_string(result.status) + where;
    if (!joints.empty())
        text += " in cluster " + std::to_string(result.cluster) + " (" + joined(joints) + ")";
    if (result.residual != 0)
        text += ", residual " + py::str(py::float_(result.residual)).cast<std::string>();
    const py::object type = error_class("StatusError");
    set(type, type(text, py::cast(result), joints));
    throw py::error_already_set();
}

void set_error(const char* function) noexcept {
    const auto say = [&](PyObject* type, const std::exception& error) {
        PyErr_SetString(type, (std::string(function) + ": " + error.what()).c_str());
    };
    try {
        throw;
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (const py::builtin_exception& error) {
        error.set_error();
    } catch (const LoadError& error) {
        set_load_error(error);
    } catch (const std::invalid_argument& error) {
        say(PyExc_ValueError, error);
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
}

void bind_errors(py::module_&) {
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const LoadError& error) {
            set_load_error(error);
        }
    });
}

}  // namespace grbda::python
