#pragma once

#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "function.hpp"
#include "robot.hpp"

// Converts the arguments of Python to those of C++: one type for each way in which an algorithm takes or
// returns a value. Each has `takes`, whether it is an argument in Python; `gives`, whether it is returned and
// therefore accepted in `out`; and hold(), which checks the given object and keeps it during the call. The
// object that hold() returns has arguments(), its arguments in C++, and finish(), the returned value.

namespace grbda::python {

/// A size that follows from the model; any size without `of`.
struct Extent {
    const char* name = nullptr;
    int (*of)(const Model& model) = nullptr;
};

inline constexpr Extent nq{"nq", [](const Model& m) { return m.nq; }};
inline constexpr Extent nv{"nv", [](const Model& m) { return m.nv; }};
inline constexpr Extent nv_tree{"nv_tree", [](const Model& m) { return m.nv_tree; }};
inline constexpr Extent two_nv{"2 nv", [](const Model& m) { return 2 * m.nv; }};
inline constexpr Extent three_nv{"3 nv", [](const Model& m) { return 3 * m.nv; }};
inline constexpr Extent three{"3", [](const Model&) { return 3; }};
inline constexpr Extent six{"6", [](const Model&) { return 6; }};
inline constexpr Extent bodies{"bodies", [](const Model& m) { return m.body_count(); }};
inline constexpr Extent ten_bodies{"10 bodies", [](const Model& m) { return 10 * m.carrier_count(); }};
inline constexpr Extent three_nv_tree{"3 nv_tree", [](const Model& m) { return 3 * m.nv_tree; }};
inline constexpr Extent any{"n", nullptr};
inline constexpr Extent alone{};

/// State of a call while its arguments are read.
struct Context {
    const char* function;
    const Robot& robot;
    Workspace* workspace = nullptr;  ///< of algorithms with a Data
    bool of_states = false;
    Py_ssize_t states = Shape::none;  ///< found by the first array
    Py_ssize_t found = Shape::none;   ///< the extent `any`; none: an array without it

    const Model& model() const { return robot.model; }
    Shape shape(const Extent& rows, const Extent& columns) const;
    std::string names(const Extent& rows, const Extent& columns) const;  ///< "[nv]"
    /// Returns the array in a layout that Eigen can read. Checks its extents, and sets those that are free.
    py::object read(const char* argument, PyObject* given, const Extent& rows, const Extent& columns);
};

/// True or False; TypeError for anything else.
bool truth(const Site& site, PyObject* given);
/// A whole number; TypeError for anything else, ValueError if it does not fit an int.
int whole_number(const Site& site, py::handle given);
/// Numbers of an array, state after state; null for a missing argument.
struct Numbers {
    const double* data = nullptr;
    Py_ssize_t of_one = 0;  ///< of one state
};
/// ": q[3] is nan" for the first number of a state that is not finite; empty if all are.
std::string not_finite_in(const char* name, const Numbers& numbers, Py_ssize_t state);

/// The argument is missing or None.
inline bool is_absent(PyObject* given) { return given == nullptr || given == Py_None; }

using VectorView = Eigen::Map<const Eigen::VectorXd>;
using MatrixView = Eigen::Map<const Eigen::MatrixXd>;
using WrenchView = Eigen::Map<const Matrix6X<double>>;

inline Py_ssize_t columns_of(const Shape& shape) { return shape.columns == Shape::none ? 1 : shape.columns; }
/// The states of an array as a matrix, one column for each state.
inline MatrixView states_view(const py::object& array, const Shape& shape) {
    return {data_of(array), shape.count_of_one(), shape.states};
}

// Input arrays.

template <class View>
struct In {
    static constexpr bool takes = true, gives = false;

    const char* name;
    Extent rows, columns;
    const char* meaning;
    bool optional = false;

    struct Held {
        py::object array;
        Shape shape;
        Numbers numbers() const { return {array ? data_of(array) : nullptr, shape.count_of_one()}; }
        auto arguments() const {
            if constexpr (std::is_same_v<View, WrenchView>)
                return std::tuple(View(array ? data_of(array) : nullptr, 6, array ? shape.columns : 0));
            else if constexpr (std::is_same_v<View, VectorView>)
                return std::tuple(View(array ? data_of(array) : nullptr, array ? shape.rows : 0));
            else
                return std::tuple(View(data_of(array), shape.rows, columns_of(shape)));
        }
    };
    Held hold(Context& context, PyObject* given, PyObject*) const {
        if (optional && is_absent(given)) return {};
        py::object array = context.read(name, given, rows, columns);
        return {std::move(array), context.shape(rows, columns)};
    }
    Parameter parameter() const {
        return {name, optional ? "ArrayLike | None" : "ArrayLike", optional ? "None" : "", meaning};
    }
};

/// The same of many states: a column for each.
struct InOfStates {
    static constexpr bool takes = true, gives = false;

    const char* name;
    Extent rows, columns;
    const char* meaning;
    bool optional = false;

    struct Held {
        py::object array;
        Shape shape;
        Numbers numbers() const { return {array ? data_of(array) : nullptr, shape.count_of_one()}; }
        std::tuple<MatrixView> arguments() const {
            return array ? states_view(array, shape) : MatrixView(nullptr, shape.count_of_one(), 0);
        }
    };
    Held hold(Context& context, PyObject* given, PyObject*) const {
        if (optional && is_absent(given)) return {{}, context.shape(rows, columns)};
        py::object array = context.read(name, given, rows, columns);
        return {std::move(array), context.shape(rows, columns)};
    }
    Parameter parameter() const {
        return {name, optional ? "ArrayLike | None" : "ArrayLike", optional ? "None" : "", meaning};
    }
};

// Output arrays.

template <class View>
struct Out {
    static constexpr bool takes = false, gives = true;

    const char* name;
    Extent rows, columns;

    struct Held {
        Output output;
        Shape shape;
        auto arguments() const {
            if constexpr (std::is_same_v<View, Eigen::VectorXd>)
                return std::tuple(Eigen::Map<View>(output.data(), shape.rows));
            else if (shape.states != Shape::none)
                return std::tuple(Eigen::Map<View>(output.data(), shape.count_of_one(), shape.states));
            else
                return std::tuple(Eigen::Map<View>(output.data(), shape.rows, columns_of(shape)));
        }
        template <class W>
        py::object finish(W&) {
            return output.finish();
        }
    };
    Held hold(Context& context, PyObject*, PyObject* out) const {
        const Shape shape = context.shape(rows, columns);
        return {Output({context.function, name}, out, shape, context.names(rows, columns)), shape};
    }
};

/// A result that the algorithm stores in its Data.
struct Kept {
    static constexpr bool takes = false, gives = true;

    const char* name;
    Extent rows;
    Eigen::VectorXd& (*member)(Workspaces&);
    static constexpr Extent columns = alone;

    struct Held {
        Output output;
        Eigen::VectorXd& (*member)(Workspaces&);
        std::tuple<> arguments() const { return {}; }
        py::object finish(Workspace& work) {
            const Eigen::VectorXd& kept = member(work.value);
            std::copy(kept.begin(), kept.end(), output.data());
            return output.finish();
        }
    };
    Held hold(Context& context, PyObject*, PyObject* out) const {
        return {Output({context.function, name}, out, context.shape(rows, alone), context.names(rows, alone)),
                member};
    }
};

/// An array that C++ changes in place. The array of Python is not changed, unless it is also `out`.
struct InOut {
    static constexpr bool takes = true, gives = true;

    const char* name;
    Extent rows;
    const char* meaning;
    static constexpr Extent columns = alone;

    struct Held {
        py::object array;  ///< as it was given
        Output output;
        Shape shape;
        Numbers numbers() const { return {data_of(array), shape.rows}; }
        std::tuple<Eigen::Map<Eigen::VectorXd>> arguments() const { return {{output.data(), shape.rows}}; }
        template <class W>
        py::object finish(W&) {
            return output.finish();
        }
    };
    Held hold(Context& context, PyObject* given, PyObject* out) const {
        py::object array = context.read(name, given, rows, alone);
        const Shape shape = context.shape(rows, alone);
        Output output({context.function, name}, out, shape, context.names(rows, alone));
        if (output.data() != data_of(array)) std::copy_n(data_of(array), shape.count(), output.data());
        return {std::move(array), std::move(output), shape};
    }
    Parameter parameter() const { return {name, "ArrayLike", "", meaning}; }
};

/// The same of many states: a column for each.
struct InOutOfStates {
    static constexpr bool takes = true, gives = true;

    const char* name;
    Extent rows;
    const char* meaning;
    static constexpr Extent columns = alone;

    struct Held : InOut::Held {
        std::tuple<Eigen::Map<Eigen::MatrixXd>> arguments() const {
            return {{output.data(), shape.rows, shape.states}};
        }
    };
    Held hold(Context& context, PyObject* given, PyObject* out) const {
        return {InOut{name, rows, meaning}.hold(context, given, out)};
    }
    Parameter parameter() const { return {name, "ArrayLike", "", meaning}; }
};

// Other parameters.

/// A workspace besides Data, which the first call makes.
template <class T>
struct Lent {
    static constexpr bool takes = false, gives = false;

    std::optional<T> Workspace::*member;

    struct Held {
        T& value;
        std::tuple<T&> arguments() const { return {value}; }
    };
    Held hold(Context& context, PyObject*, PyObject*) const {
        std::optional<T>& work = context.workspace->*member;
        if (!work) work.emplace(context.model());
        return {*work};
    }
};

/// True if the type of a parameter allows None.
inline bool takes_none(const char* type) {
    return std::string_view(type).find("None") != std::string_view::npos;
}
[[noreturn]] void refuse_value(const Site& site, const char* type, PyObject* given);
/// ValueError with the bounds, for an int that is outside of them.
template <class T>
[[noreturn]] void refuse_range(const Site& site, PyObject* given) {
    throw py::value_error(site.text() + " must be from " + std::to_string(std::numeric_limits<T>::min()) +
                          " to " + std::to_string(std::numeric_limits<T>::max()) + ", not " +
                          py::str(py::handle(given)).cast<std::string>());
}

template <class T>
T value_from(const Site& site, const char* type, PyObject* given) {
    if (given == Py_None) refuse_value(site, type, given);
    try {
        return py::cast<T>(py::handle(given));
    } catch (const py::cast_error&) {
    } catch (const py::reference_cast_error&) {  // a list with None
    }
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        if (PyLong_Check(given)) refuse_range<T>(site, given);
    refuse_value(site, type, given);
}

/// An object of another type: an enumeration, a flag, a number, options.
template <class T>
struct Value {
    static constexpr bool takes = true, gives = false;

    const char* name;
    const char* type;
    const char* meaning;
    std::optional<T> fallback = {};
    const char* fallback_text = "";

    struct Held {
        T value;
        std::tuple<const T&> arguments() const { return {value}; }
    };
    Held hold(Context& context, PyObject* given, PyObject*) const {
        if (given == nullptr || (given == Py_None && takes_none(type))) return {*fallback};
        return {value_from<T>({context.function, name}, type, given)};
    }
    Parameter parameter() const { return {name, type, fallback ? fallback_text : "", meaning}; }
};

/// Another workspace, which is reserved during the call.
template <class T>
struct Other {
    static constexpr bool takes = true, gives = false;

    const char* name;
    const char* type;
    const char* meaning;

    struct Held {
        T* value;
        std::optional<Use> use;  ///< none: it is the workspace of the call itself
        std::tuple<T&> arguments() const { return {*value}; }
    };
    Held hold(Context& context, PyObject* given, PyObject*) const {
        T* const other = value_from<T*>({context.function, name}, type, given);
        if (static_cast<const Work*>(other) == context.workspace) return {other, std::nullopt};
        return {other, Use(*other, context.function)};
    }
    Parameter parameter() const { return {name, type, "", meaning}; }
};

/// Index of an element, which can also be given by name.
struct Named {
    static constexpr bool takes = true, gives = false;

    const char* name;
    const char* meaning;
    int (*find)(const Model& model, const std::string& name);

    struct Held {
        int index;
        std::tuple<int> arguments() const { return {index}; }
    };
    Held hold(Context& context, PyObject* given, PyObject*) const;
    Parameter parameter() const { return {name, "int | str", "", meaning}; }
};

/// An object with results that the call fills: a new one, or the one in `out`.
template <class T>
struct Filled {
    static constexpr bool takes = false, gives = true;

    const char* name;
    const char* type_name;
    static constexpr Extent rows = alone, columns = alone;

    struct Held {
        py::object object;
        T& value;
        Use use;
        std::tuple<T&> arguments() const { return {value}; }
        template <class W>
        py::object finish(W&) {
            return std::move(object);
        }
    };
    Held hold(Context& context, PyObject*, PyObject* out) const {
        py::object object;
        if (is_absent(out))
            object = py::cast(std::make_shared<Holding<T>>(context.robot.shared_from_this()));
        else if (py::isinstance<Holding<T>>(out))
            object = py::reinterpret_borrow<py::object>(out);
        else
            throw py::type_error(Site{context.function, "out"}.text() + " must be a " + type_name);
        auto& holding = py::cast<Holding<T>&>(object);
        return {std::move(object), holding.value, Use(holding, context.function)};
    }
};

}  // namespace grbda::python
