#include "grbda/algorithms/coordinates.hpp"
#include "grbda/algorithms/kinematics.hpp"
#include "grbda/algorithms/kinematics_derivatives.hpp"
#include "grbda/algorithms/step_derivatives.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "robot.hpp"
#include "rooms.hpp"

namespace grbda::python {
namespace {

py::object integers(const Table<int>& values) { return py::cast(std::vector<int>(values)); }

void bind_enumerations(py::module_& m) {
    py::enum_<Status>(m, "Status", "What an algorithm came to.")
        .value("ok", Status::ok)
        .value("singular_constraint", Status::singular_constraint)
        .value("singular_inertia", Status::singular_inertia)
        .value("not_converged", Status::not_converged)
        .value("fold", Status::fold)
        .value("not_finite", Status::not_finite)
        .value("undefined", Status::undefined)
        .value("unbalanced", Status::unbalanced);
    py::enum_<ReferenceFrame>(m, "ReferenceFrame", "Axes in which a frame's twist is expressed.")
        .value("local", ReferenceFrame::local)
        .value("world_aligned", ReferenceFrame::world_aligned);
    py::enum_<Acceleration>(m, "Acceleration", "Which acceleration of a frame.")
        .value("classical", Acceleration::classical)
        .value("spatial", Acceleration::spatial);
    py::enum_<Marks>(m, "Marks", "What becomes of joints that the file marks as independent or not.")
        .value("kept", Marks::kept)
        .value("ignored", Marks::ignored);
    py::enum_<Integrator>(m, "Integrator", "Rule of a step in time.")
        .value("semi_implicit_euler", Integrator::semi_implicit_euler)
        .value("runge_kutta", Integrator::runge_kutta);
}

void bind_result(py::module_& m) {
    py::class_<Result>(m, "Result", "Outcome of an algorithm; true if it is ok.")
        .def_readonly("status", &Result::status, "Status: ok, or why not")
        .def_readonly("cluster", &Result::cluster, "int: the first one affected, -1: none")
        .def_readonly("residual", &Result::residual,
                      "float: by how much loops are open, relative to the cluster's size; of `unbalanced` to "
                      "the largest force")
        .def_readonly("iterations", &Result::iterations, "int: that closing took")
        .def_readonly("from_neutral", &Result::from_neutral, "bool: loops were closed without a guess")
        .def_property_readonly("ok", &Result::ok, "bool: the status is ok")
        .def("__bool__", &Result::ok, "__bool__(self) -> bool\n\nThe status is ok.")
        .def("__repr__",
             [](const Result& r) {
                 return "<Result " + std::string(to_string(r.status)) +
                        (r.ok() ? "" : ", cluster " + std::to_string(r.cluster)) + ">";
             })
        .def(py::pickle(
            [](const Result& r) {
                return py::make_tuple(r.status, r.cluster, r.residual, r.iterations, r.from_neutral);
            },
            [](const py::tuple& t) {
                return Result{t[0].cast<Status>(), t[1].cast<int>(), t[2].cast<double>(), t[3].cast<int>(),
                              t[4].cast<bool>()};
            }));
}

void bind_chart(py::module_& m) {
    py::class_<Chart>(
        m, "Chart",
        "Coordinates that the yd of a workspace is made of; to be taken to another one of the model.")
        .def_property_readonly(
            "independent", [](const Chart& c) { return integers(c.independent); },
            "list[int]: per cluster its independent velocities, in the order of the sweeps")
        .def_property_readonly(
            "dependent", [](const Chart& c) { return integers(c.dependent); },
            "list[int]: per cluster its dependent velocities, in the order of the sweeps")
        .def_property_readonly(
            "tangent", [](const Chart& c) { return std::vector<bool>(c.tangent.begin(), c.tangent.end()); },
            "list[bool]: per cluster whether it is on a tangent")
        .def_property_readonly(
            "version", [](const Chart& c) { return integers(c.version); },
            "list[int]: per cluster how often its coordinates have changed");
}

py::object kept(const py::object& self, VectorX<double> Data<double>::*member) {
    const VectorX<double>& values = self.cast<const Workspace&>().value.*member;
    return view(values.data(), {.rows = values.size()}, self);
}

}  // namespace

void bind_workspaces(py::module_& m) {
    bind_enumerations(m);
    bind_result(m);
    bind_chart(m);
    py::class_<Workspace, std::shared_ptr<Workspace>>(
        m, "Data", "Workspace of algorithms on one model: one for each thread. It keeps its model.")
        .def(py::init([](const std::shared_ptr<Robot>& model) { return std::make_shared<Workspace>(model); }),
             py::arg("model"), "__init__(self, model: Model) -> None\n\nMemory for one evaluation at a time.")
        .def_property_readonly(
            "model", [](const Workspace& w) { return std::const_pointer_cast<Robot>(w.robot); },
            "Model: that it was made for")
        .def_property_readonly(
            "result", [](const Workspace& w) { return w.result; }, "Result: of the last call")
        .def_property(
            "chart", [](const Workspace& w) { return w.value.chart; },
            [](Workspace& w, const Chart& chart) {
                if (chart.layout != w.value.layout) throw py::value_error("Data.chart: of another model");
                w.value.chart = chart;
                clear_results(w.value);
            },
            "Chart: a copy of the coordinates that yd is made of; they stay until they are changed")
        .def_property_readonly(
            "ydd", [](const py::object& w) { return kept(w, &Data<double>::ydd); },
            "Array: [nv] forward dynamics; what the next call writes over, to be read alone")
        .def_property_readonly(
            "tau", [](const py::object& w) { return kept(w, &Data<double>::tau); },
            "Array: [nv] inverse dynamics, joint forces; likewise")
        .def_property_readonly(
            "qd", [](const py::object& w) { return kept(w, &Data<double>::qd); },
            "Array: [nv_tree] velocities of all joints; likewise")
        .def_property_readonly(
            "qdd", [](const py::object& w) { return kept(w, &Data<double>::qdd); },
            "Array: [nv_tree] accelerations of all joints, or joint forces on them; likewise");
}

}  // namespace grbda::python
