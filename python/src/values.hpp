#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "grbda/version.hpp"

// Copies and pickles of the classes of values, construction of options from keywords, and texts of all
// objects.

namespace grbda::python {

namespace py = pybind11;

template <class Class>
void bind_copies_of_value(Class& type) {
    using T = typename Class::type;
    type.def("__copy__", [](const T& value) { return T(value); })
        .def("__deepcopy__", [](const T& value, const py::dict&) { return T(value); });
}

template <class T>
concept TableOfNumbers = requires(T& table) {
    table.resize(1);
}
&&std::is_arithmetic_v<typename T::value_type> && !std::is_same_v<T, std::string>;

/// Returns the entry of a pickle for one member: its bytes if it consists of numbers, else the Python object.
template <class T>
py::object stored(const T& value) {
    if constexpr (std::is_trivially_destructible_v<T>)
        return py::bytes(reinterpret_cast<const char*>(&value), sizeof(T));
    else if constexpr (TableOfNumbers<T>)
        return py::bytes(reinterpret_cast<const char*>(value.data()),
                         static_cast<std::size_t>(value.size()) * sizeof(typename T::value_type));
    else
        return py::cast(value);
}
template <class T>
void restore(py::handle given, T& value) {
    if constexpr (std::is_trivially_destructible_v<T>) {
        const auto bytes = given.cast<std::string>();
        if (bytes.size() != sizeof(T)) throw py::value_error("a pickle has a member of another size");
        std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof(T));
    } else if constexpr (TableOfNumbers<T>) {
        const auto bytes = given.cast<std::string>();
        constexpr std::size_t size = sizeof(typename T::value_type);
        value.resize(static_cast<decltype(value.size())>(bytes.size() / size));
        if (!bytes.empty()) std::memcpy(value.data(), bytes.data(), bytes.size() / size * size);
    } else {
        value = given.cast<T>();
    }
}

/// Copies, and pickles of these members, for the same version.
template <class Class, class... M>
void bind_members(Class& type, M Class::type::*... members) {
    using T = typename Class::type;
    bind_copies_of_value(type);
    type.def(py::pickle(
        [members...](const T& value) { return py::make_tuple(GRBDA_VERSION, stored(value.*members)...); },
        [members...](const py::tuple& state) {
            if (state.size() != 1 + sizeof...(M) || state[0].cast<std::string>() != GRBDA_VERSION)
                throw py::value_error(
                    "this object was pickled by another version of grbda than " GRBDA_VERSION);
            T value;
            std::size_t i = 0;
            (restore(state[++i], value.*members), ...);
            return value;
        }));
}

/// Copies, and pickles of the bytes of a struct of numbers, for the same version.
template <class Class>
void bind_numbers(Class& type) {
    using T = typename Class::type;
    static_assert(std::is_trivially_destructible_v<T>);
    bind_copies_of_value(type);
    type.def(
        py::pickle([](const T& value) { return py::make_tuple(GRBDA_VERSION, stored(value)); },
                   [](const py::tuple& state) {
                       if (state.size() != 2 || state[0].cast<std::string>() != GRBDA_VERSION)
                           throw py::value_error(
                               "this object was pickled by another version of grbda than " GRBDA_VERSION);
                       T value{};
                       restore(state[1], value);
                       return value;
                   }));
}

/// Values of all attributes that can be set.
py::dict settings_of(const py::object& options);
/// Sets attributes by their names; TypeError if one does not exist.
void set_all(const py::object& options, const py::dict& values);

template <class T>
T from_settings(const py::dict& values) {
    const py::object options = py::cast(T{});
    set_all(options, values);
    return options.cast<T>();
}

/// Copies and pickles of options by the attributes that can be set.
template <class Class>
void bind_settings(Class& type) {
    using T = typename Class::type;
    bind_copies_of_value(type);
    type.def(py::pickle([](const py::object& options) { return settings_of(options); }, &from_settings<T>));
}

/// Gives a text to all classes of the module that have none of their own.
void add_texts(const py::module_& module);

}  // namespace grbda::python
