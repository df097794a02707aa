#include "values.hpp"

#include <vector>

#include "robot.hpp"

namespace grbda::python {
namespace {

py::list attributes(py::handle type, const char* accessor) {
    py::list names;
    const py::handle property(reinterpret_cast<PyObject*>(&PyProperty_Type));
    for (const auto& [name, member] : py::dict(py::reinterpret_borrow<py::object>(type).attr("__dict__")))
        if (py::isinstance(member, property) && !member.attr(accessor).is_none()) names.append(name);
    return names;
}

/// Text of an attribute in one line; long arrays and lists in short.
std::string short_text(const py::object& value) {
    const std::string type = Py_TYPE(value.ptr())->tp_name;
    if (type == "numpy.ndarray") {
        using namespace py::literals;  // NOLINT
        const py::object text = py::module_::import("numpy").attr("array2string")(
            value, "threshold"_a = 12, "separator"_a = ", ", "precision"_a = 6);
        return py::str(" ").attr("join")(text.attr("split")()).cast<std::string>();
    }
    if (py::isinstance<py::list>(value)) {
        const py::list items(value);
        constexpr std::size_t most = 8;
        std::string text = "[";
        for (std::size_t i = 0; i < items.size() && i < most; ++i)
            text += (i > 0 ? ", " : "") + short_text(items[i]);
        return text + (items.size() > most ? ", … " + std::to_string(items.size()) + " in all]" : "]");
    }
    if (py::hasattr(py::type::of(value), "__members__")) return py::str(value).cast<std::string>();
    return py::repr(value).cast<std::string>();
}

/// "name=value, …"; an attribute that cannot be read at this time is left out.
std::string listed(const py::object& self, const py::list& names) {
    std::string text;
    for (const py::handle name : names) {
        try {
            const std::string value = short_text(self.attr(name));
            text += (text.empty() ? "" : ", ") + name.cast<std::string>() + "=" + value;
        } catch (const py::error_already_set&) {
            continue;
        }
    }
    return text;
}

std::string text_of(const py::object& self) {
    const py::type type = py::type::of(self);
    const auto name = type.attr("__name__").cast<std::string>();
    const py::list settable = attributes(type, "fset"), readable = attributes(type, "fget");
    if (settable.size() > 0 && settable.size() == readable.size())
        return name + "(" + listed(self, settable) + ")";
    const std::string values = listed(self, readable);
    return "<" + name + (values.empty() ? "" : " " + values) + ">";
}

/// Text of a workspace, whose results are not listed.
std::string text_of_workspace(const py::object& self) {
    const auto name = py::type::of(self).attr("__name__").cast<std::string>();
    py::list shown;
    for (const py::handle attribute : attributes(py::type::of(self), "fget"))
        for (const char* one : {"time", "threads", "simd", "result"})
            if (attribute.cast<std::string>() == one) shown.append(attribute);
    const std::string rest = listed(self, shown);
    return "<" + name + " of " + self.attr("model").attr("name").cast<std::string>() +
           (py::hasattr(self, "__len__") ? ", " + std::to_string(py::len(self)) + " simulations" : "") +
           (rest.empty() ? "" : ", " + rest) + ">";
}

}  // namespace

py::dict settings_of(const py::object& options) {
    py::dict values;
    for (const py::handle name : attributes(py::type::of(options), "fset")) values[name] = options.attr(name);
    return values;
}

void set_all(const py::object& options, const py::dict& values) {
    const py::list names = attributes(py::type::of(options), "fset");
    for (const auto& [name, value] : values) {
        if (!names.contains(name))
            throw py::type_error(py::type::of(options).attr("__name__").cast<std::string>() +
                                 ": no option '" + py::str(name).cast<std::string>() + "'; options are " +
                                 py::str(", ").attr("join")(names).cast<std::string>());
        options.attr(name) = value;
    }
}

void add_texts(const py::module_& module) {
    const py::object attribute = py::module_::import("builtins").attr("setattr");
    for (const auto& [name, type] : module.attr("__dict__").cast<py::dict>()) {
        if (PyType_Check(type.ptr()) == 0 || py::hasattr(type, "__members__")) continue;
        const py::object own = py::reinterpret_borrow<py::object>(type).attr("__dict__");
        if (own.contains("__repr__") ||
            py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(type.ptr())) == nullptr)
            continue;
        attribute(type, "__repr__",
                  py::cpp_function(own.contains("model") ? &text_of_workspace : &text_of, py::is_method(type),
                                   py::name("__repr__")));
    }
}

}  // namespace grbda::python
