#pragma once

#include "parameters.hpp"

// A function of C++ and a list of its parameters, as a function of Python. A table of these is the module.

namespace grbda::python {

/// The function of C++ by its name, whichever of its overloads the arguments fit.
#define GRBDA_CALL_IN(workspace, name)                                                  \
    [](const Model& model, auto& work, auto&&... a) -> decltype(auto) {                 \
        return grbda::name<double>(model, work_in(work, &Workspaces::workspace), a...); \
    }
#define GRBDA_CALL(name) GRBDA_CALL_IN(general, name)
#define GRBDA_CALL_PLAIN(name)                                          \
    [](const Model& model, auto& work, auto&&... a) -> decltype(auto) { \
        return grbda::name(model, work.general, a...);                  \
    }
#define GRBDA_CALL_DYNAMICS(name) GRBDA_CALL_IN(dynamics, name)
#define GRBDA_CALL_KINEMATICS(name) GRBDA_CALL_IN(kinematics, name)
#define GRBDA_CALL_DOUBLE(name) [](auto&&... a) -> decltype(auto) { return grbda::name(a...); }

/// One of the three workspaces of Data; other objects, which have no parts, as they are.
inline grbda::Workspace<double>& work_in(Workspaces& all, grbda::Workspace<double> Workspaces::*part) {
    return all.*part;
}
template <class W>
W& work_in(W& work, grbda::Workspace<double> Workspaces::*) {
    return work;
}

/// The C++ object in an object of Python; TypeError if the object has another type.
template <class T>
T& held_by(PyObject* object, const char* function, const char* argument, const char* type_name) {
    static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(py::type::of<T>().ptr());
    if (Py_TYPE(object) == type) {
        void* const held =
            reinterpret_cast<py::detail::instance*>(object)->get_value_and_holder().value_ptr();
        if (held != nullptr) return *static_cast<T*>(held);
    }
    if (!py::isinstance<T>(object))
        throw py::type_error(Site{function, argument}.text() + " must be a " + type_name + ", not " +
                             Py_TYPE(object)->tp_name);
    return py::cast<T&>(py::handle(object));
}

/// Name and type of a workspace among the arguments in Python.
struct Nothing {};
template <class W>
inline constexpr const char* argument_of = "data";
template <class W>
inline constexpr const char* type_of = "Data";
template <>
inline constexpr const char* argument_of<BatchWorkspace> = "batch";
template <>
inline constexpr const char* type_of<BatchWorkspace> = "BatchData";

template <class W>
struct ValueOf {
    using Type = decltype(W::value);
};
template <>
struct ValueOf<Nothing> {
    using Type = Nothing;
};

/// `given` as the only output, or its items as several outputs.
void part_out(const char* function, PyObject* given, PyObject** outs, std::size_t count);

/// The result of a batch also has the first state that failed.
inline Result outcome(const BatchResult& result) {
    return {.status = result.status, .cluster = result.cluster};
}
inline std::string where_of(const BatchResult& result) {
    return " at state " + std::to_string(result.state) +
           " (states that failed: " + std::to_string(result.failures) + ")";
}
inline Result outcome(const Result& result) { return result; }
inline std::string where_of(const Result&) { return {}; }
inline Py_ssize_t first_state(const BatchResult& result) { return result.state; }
inline Py_ssize_t first_state(const Result&) { return 0; }

/// Name of the Python type that a result of this C++ type is converted to.
template <class T>
inline constexpr const char* type_name = "Array";
template <>
inline constexpr const char* type_name<int> = "int";
template <>
inline constexpr const char* type_name<std::vector<Coordinate>> = "list[Coordinate]";

template <class R>
inline constexpr bool is_outcome = std::is_same_v<R, Result> || std::is_same_v<R, BatchResult>;

/// W: the workspace after the model, or Nothing. F: the call. P: its parameters, in the order of C++.
template <class W, class F, class... P>
class Algorithm final : public Function {
    static constexpr std::size_t before = std::is_same_v<W, Nothing> ? 1 : 2;
    static constexpr std::size_t taken = (0 + ... + std::size_t{P::takes});
    static constexpr std::size_t given_back = (0 + ... + std::size_t{P::gives});
    static constexpr std::size_t out_slot = before + taken;
    static constexpr std::size_t check_slot = out_slot + (given_back > 0 ? 1 : 0);

    template <std::size_t I>
    using Nth = std::tuple_element_t<I, std::tuple<P...>>;

    template <std::size_t... I>
    static constexpr std::size_t taken_before(std::index_sequence<I...>) {
        return (before + ... + std::size_t{Nth<I>::takes});
    }
    template <std::size_t... I>
    static constexpr std::size_t given_before(std::index_sequence<I...>) {
        return (std::size_t{0} + ... + std::size_t{Nth<I>::gives});
    }

    using Passed =
        std::conditional_t<std::is_same_v<W, BatchWorkspace>, BatchWorkspace, typename ValueOf<W>::Type>;
    using First = std::conditional_t<std::is_same_v<W, Nothing>, std::tuple<const Model&>,
                                     std::tuple<const Model&, Passed&>>;
    using Arguments =
        decltype(std::tuple_cat(std::declval<First>(), std::declval<typename P::Held&>().arguments()...));
    using Returned = decltype(std::apply(std::declval<const F&>(), std::declval<Arguments&>()));
    static constexpr bool has_status = is_outcome<Returned>;

public:
    Algorithm(const char* name, const char* text, F called, P... parameters)
        : Function(name, listed(parameters...), returned_type(parameters...), described(text, parameters...)),
          compute_(called),
          parameters_(parameters...) {}

    PyObject* call(PyObject* const* slots) const override {
        const Robot& robot = held_by<Robot>(slots[0], name(), "model", "Model");
        if constexpr (std::is_same_v<W, Nothing>) {
            Nothing none;
            return run(slots, robot, none, std::index_sequence_for<P...>{});
        } else {
            return run(slots, robot, held_by<W>(slots[1], name(), argument_of<W>, type_of<W>),
                       std::index_sequence_for<P...>{});
        }
    }

private:
    template <std::size_t... I>
    PyObject* run(PyObject* const* slots, const Robot& robot, W& work, std::index_sequence<I...> all) const {
        std::array<PyObject*, given_back + 1> outs{};
        if constexpr (given_back > 0) part_out(name(), slots[out_slot], outs.data(), given_back);
        Context context{.function = name(), .robot = robot};
        if constexpr (std::is_same_v<W, Workspace>) context.workspace = &work;
        context.of_states = std::is_same_v<W, BatchWorkspace>;
        [[maybe_unused]] bool checked = false;
        if constexpr (has_status)
            checked = slots[check_slot] == nullptr || truth({name(), "check"}, slots[check_slot]);
        std::optional<Use> use;
        if constexpr (!std::is_same_v<W, Nothing>) use.emplace(work, name());
        std::tuple<typename P::Held...> held{
            std::get<I>(parameters_)
                .hold(context, slots[Nth<I>::takes ? taken_before(std::make_index_sequence<I>{}) : 0],
                      outs[Nth<I>::gives ? given_before(std::make_index_sequence<I>{}) : given_back])...};
        if constexpr (is_outcome<Returned>) {
            const Returned returned = compute(robot, work, held, all);
            work_result(work, outcome(returned));
            py::object result = finished(work, held, all);
            if (!returned.ok() && checked)
                raise_status(name(), robot, outcome(returned),
                             where_of(returned) + cause(returned, held, all));
            return result.release().ptr();
        } else if constexpr (std::is_void_v<Returned>) {
            compute(robot, work, held, all);
            return finished(work, held, all).release().ptr();
        } else {
            return converted(compute(robot, work, held, all)).release().ptr();
        }
    }

    /// Without the interpreter's lock.
    template <class Tuple, std::size_t... I>
    Returned compute(const Robot& robot, W& work, Tuple& held, std::index_sequence<I...>) const {
        const Model& model = robot.model;
        Unlocked unlocked;
        if constexpr (std::is_same_v<W, BatchWorkspace>) work.unlocked = &unlocked;
        if constexpr (std::is_same_v<W, Nothing>) {
            auto arguments = std::tuple_cat(std::tie(model), std::get<I>(held).arguments()...);
            return std::apply(compute_, arguments);
        } else {
            auto arguments = std::tuple_cat(std::tie(model, passed(work)), std::get<I>(held).arguments()...);
            return std::apply(compute_, arguments);
        }
    }

    /// Which input made a result not finite; empty for other outcomes.
    template <class Outcome, class Tuple, std::size_t... I>
    std::string cause(const Outcome& returned, const Tuple& held, std::index_sequence<I...>) const {
        std::string text;
        if (returned.status != Status::not_finite) return text;
        [[maybe_unused]] const auto look = [&](const auto& one, const auto& parameter) {
            if constexpr (requires { one.numbers(); })
                if (text.empty()) text = not_finite_in(parameter.name, one.numbers(), first_state(returned));
        };
        (look(std::get<I>(held), std::get<I>(parameters_)), ...);
        return text;
    }

    static auto& passed(W& work) {
        if constexpr (std::is_same_v<W, BatchWorkspace>)
            return work;
        else
            return work.value;
    }

    static void work_result(W& work, const Result& result) {
        if constexpr (!std::is_same_v<W, Nothing>) work.result = result;
    }

    template <class Tuple, std::size_t... I>
    static py::object finished(W& work, Tuple& held, std::index_sequence<I...>) {
        if constexpr (given_back == 0) return py::none();
        std::array<py::object, given_back + 1> results;
        std::size_t count = 0;
        [[maybe_unused]] const auto take = [&](auto& one, auto gives) {
            if constexpr (decltype(gives)::value) results[count++] = one.finish(work);
        };
        (take(std::get<I>(held), std::bool_constant<Nth<I>::gives>{}), ...);
        if constexpr (given_back == 1) return std::move(results[0]);
        py::tuple several(given_back);
        for (std::size_t i = 0; i < given_back; ++i) several[i] = std::move(results[i]);
        return py::object(several);
    }

    template <class T>
    static py::object converted(T&& value) {
        using Plain = std::decay_t<T>;
        if constexpr (requires { Plain::ColsAtCompileTime; }) {
            if constexpr (Plain::ColsAtCompileTime == 1)
                return to_python(Eigen::Ref<const Eigen::VectorXd>(value));
            else
                return to_python(Eigen::Ref<const Eigen::MatrixXd>(value));
        } else {
            return py::cast(std::forward<T>(value));
        }
    }

    static std::vector<Parameter> listed(const P&... parameters) {
        std::vector<Parameter> list{{"model", "Model", "", "", false}};
        if constexpr (before == 2) list.push_back({argument_of<W>, type_of<W>, "", "", false});
        [[maybe_unused]] const auto take = [&](const auto& parameter) {
            if constexpr (std::decay_t<decltype(parameter)>::takes) list.push_back(parameter.parameter());
        };
        (take(parameters), ...);
        if constexpr (given_back > 0) list.push_back({"out", out_type(parameters...), "None", "", true});
        if constexpr (has_status) list.push_back({"check", "bool", "True", "", true});
        return list;
    }

    static std::string out_type(const P&... parameters) {
        if constexpr (given_back > 1) return "tuple[Array | None, ...] | None";
        return returned_type(parameters...) + " | None";
    }

    static std::string returned_type(const P&... parameters) {
        std::string types;
        [[maybe_unused]] const auto take = [&](const auto& parameter) {
            if constexpr (std::decay_t<decltype(parameter)>::gives)
                types += (types.empty() ? "" : ", ") + std::string(given_type(parameter));
        };
        (take(parameters), ...);
        if constexpr (given_back > 1) return "tuple[" + types + "]";
        if constexpr (given_back == 1) return types;
        if constexpr (has_status || std::is_void_v<Returned>) return "None";
        return type_name<std::decay_t<Returned>>;
    }
    template <class One>
    static const char* given_type(const One& parameter) {
        if constexpr (requires { parameter.type_name; })
            return parameter.type_name;
        else
            return "Array";
    }

    static std::string described(const std::string& text, const P&... parameters) {
        std::string takes, gives;
        [[maybe_unused]] const auto describe = [&](const auto& parameter) {
            using One = std::decay_t<decltype(parameter)>;
            std::string size;
            if constexpr (requires { parameter.rows; }) size = sized(parameter.rows, parameter.columns);
            if constexpr (One::takes)
                takes += "    " + std::string(parameter.name) + size + ": " + parameter.meaning + "\n";
            if constexpr (One::gives)
                gives += (gives.empty() ? "" : ", ") + std::string(parameter.name) + size;
        };
        (describe(parameters), ...);
        return text + (takes.empty() ? "" : "\n\n" + takes) +
               (gives.empty() ? "" : "\nReturns " + gives + ".");
    }

    static std::string sized(const Extent& rows, const Extent& columns) {
        if (rows.name == nullptr) return {};
        const std::string states = std::is_same_v<W, BatchWorkspace> ? "states, " : "";
        return " [" + states + rows.name + (columns.name == nullptr ? "" : std::string(", ") + columns.name) +
               "]";
    }

    F compute_;
    std::tuple<P...> parameters_;
};

template <class W, class F, class... P>
void algorithm(py::module_& module, const char* name, const char* text, F compute, P... parameters) {
    auto function = std::make_unique<Algorithm<W, F, P...>>(name, text, compute, parameters...);
    if (std::is_same_v<W, BatchWorkspace> && py::hasattr(module, name))
        add_of_states(module, std::move(function));
    else
        add(module, std::move(function));
}

}  // namespace grbda::python
