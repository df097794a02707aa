#pragma once

#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "grbda/joint_types.hpp"
#include "grbda/mechanism.hpp"

// Names of the members of an enumeration, and lists of names.

namespace grbda::python {

namespace py = pybind11;

/// The member itself, or its name; ValueError with all names.
template <class E>
E named(const std::string& argument, const py::handle& given) {
    if (py::isinstance<E>(given)) return given.cast<E>();
    const py::handle type = py::detail::get_type_handle(typeid(E), true);  // type::of takes no enumeration
    const py::object members = type.attr("__members__");
    if (!py::isinstance<py::str>(given))
        throw py::type_error(argument + " must be a name or a member of " +
                             type.attr("__name__").template cast<std::string>() + ", not " +
                             Py_TYPE(given.ptr())->tp_name);
    if (members.contains(given)) return members[given].template cast<E>();
    std::string all;
    for (const auto& member : members) all += (all.empty() ? "" : ", ") + member.cast<std::string>();
    throw py::value_error(argument + " must be one of " + all + ", not " +
                          py::repr(given).cast<std::string>());
}

/// One path, or several.
inline std::vector<std::string> texts_from(const py::handle& given) {
    const py::object path = py::module_::import("os").attr("fspath");
    const auto text = [&](const py::handle& one) { return path(one).cast<std::string>(); };
    if (py::isinstance<py::str>(given) || py::hasattr(given, "__fspath__")) return {text(given)};
    if (given.is_none()) throw py::type_error("a path, or a list of paths, is expected, not None");
    std::vector<std::string> texts;
    for (const py::handle one : given) texts.push_back(text(one));
    return texts;
}

}  // namespace grbda::python
