#include "constraints/coordinates.hpp"
#include "derivatives/kinematics_derivatives.hpp"
#include "derivatives/step_derivatives.hpp"
#include "kinematics/kinematics.hpp"

#include <pybind11/stl.h>

#include "grbda/version.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "robot.hpp"

namespace grbda::python {
namespace {

py::object integers(const Table<int>& values) { return py::cast(std::vector<int>(values)); }

void bind_enumerations(py::module_& m) {
    py::enum_<Status>(m, "Status", "Status of an algorithm.")
        .value("ok", Status::ok)
        .value("singular_constraint", Status::singular_constraint)
        .value("singular_inertia", Status::singular_inertia)
        .value("not_converged", Status::not_converged)
        .value("fold", Status::fold)
        .value("not_finite", Status::not_finite)
        .value("undefined", Status::undefined)
        .value("unbalanced", Status::unbalanced)
        .value("inaccurate", Status::inaccurate);
    py::enum_<ReferenceFrame>(m, "ReferenceFrame", "Axes in which a frame's twist is expressed.")
        .value("local", ReferenceFrame::local)
        .value("world_aligned", ReferenceFrame::world_aligned);
    py::enum_<Acceleration>(m, "Acceleration", "Which acceleration of a frame.")
        .value("classical", Acceleration::classical)
        .value("spatial", Acceleration::spatial);
    py::enum_<Marks>(m, "Marks", "Treatment of joints that the file marks as independent or not.")
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
        .def_property_readonly(
            "ok", [](const Result& r) { return r.ok(); }, "bool: the status is ok")
        .def(
            "__bool__", [](const Result& r) { return r.ok(); }, "__bool__(self) -> bool\n\nThe status is ok.")
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

template <class T>
py::bytes bytes_of(const Table<T>& table) {
    return {reinterpret_cast<const char*>(table.data()), table.size() * sizeof(T)};
}
template <class T>
void read_bytes(py::handle bytes, Table<T>& table) {
    const auto text = bytes.cast<std::string>();
    table.resize(text.size() / sizeof(T));
    std::copy_n(text.data(), table.size() * sizeof(T), reinterpret_cast<char*>(table.data()));
}

py::tuple chart_state(const Chart& c) {
    return py::make_tuple(GRBDA_VERSION, c.layout, bytes_of(c.independent), bytes_of(c.dependent),
                          bytes_of(c.blocks), bytes_of(c.block_count), bytes_of(c.block_lists),
                          bytes_of(c.inertia_floor), bytes_of(c.basis), bytes_of(c.tangent),
                          bytes_of(c.version));
}

Chart chart_from(const py::tuple& state) {
    if (state.size() != 11 || state[0].cast<std::string>() != GRBDA_VERSION)
        throw py::value_error("Chart: it was pickled by another version of grbda than " GRBDA_VERSION);
    Chart chart{Model()};
    chart.layout = state[1].cast<std::size_t>();
    read_bytes(state[2], chart.independent);
    read_bytes(state[3], chart.dependent);
    read_bytes(state[4], chart.blocks);
    read_bytes(state[5], chart.block_count);
    read_bytes(state[6], chart.block_lists);
    read_bytes(state[7], chart.inertia_floor);
    read_bytes(state[8], chart.basis);
    read_bytes(state[9], chart.tangent);
    read_bytes(state[10], chart.version);
    return chart;
}

void set_chart(Workspace& w, const Chart& chart) {
    const Use use(w, "Data.chart");
    const Chart& own = w.value.general.chart;
    if (chart.layout != own.layout || chart.independent.size() != own.independent.size() ||
        chart.dependent.size() != own.dependent.size() || chart.blocks.size() != own.blocks.size() ||
        chart.block_lists.size() != own.block_lists.size() || chart.tangent.size() != own.tangent.size())
        throw py::value_error("Data.chart: it belongs to another model");
    w.value.set_chart(chart);
}

void bind_chart(py::module_& m) {
    py::class_<Chart>(
        m, "Chart",
        "Coordinates that the yd of a workspace is made of; to be taken to another one of the model.")
        .def_property_readonly(
            "independent", [](const Chart& c) { return integers(c.independent); },
            "list[int]: per cluster its independent velocities, in the order of the passes")
        .def_property_readonly(
            "dependent", [](const Chart& c) { return integers(c.dependent); },
            "list[int]: per cluster its dependent velocities, in the order of the passes")
        .def_property_readonly(
            "tangent", [](const Chart& c) { return std::vector<bool>(c.tangent.begin(), c.tangent.end()); },
            "list[bool]: per cluster whether it has tangent coordinates")
        .def_property_readonly(
            "version", [](const Chart& c) { return integers(c.version); },
            "list[int]: per cluster how often its coordinates have changed")
        .def("__copy__", [](const Chart& c) { return Chart(c); })
        .def("__deepcopy__", [](const Chart& c, const py::dict&) { return Chart(c); })
        .def(py::pickle([](const Chart& c) { return chart_state(c); }, &chart_from));
}

py::object kept(const py::object& self, Eigen::VectorXd& (*member)(Workspaces&)) {
    const Eigen::VectorXd& values = member(self.cast<Workspace&>().value);
    return view(values.data(), {.rows = values.size()}, self);
}

std::shared_ptr<Workspace> copy_of_data(Workspace& w) {
    const Use use(w, "copy");
    auto other = std::make_shared<Workspace>(w.robot);
    other->value = w.value;
    other->result = w.result;
    return other;
}

std::shared_ptr<Workspace> workspace_from(const py::tuple& state) {
    if (state.size() != 2) throw py::value_error("this is not the pickle of a Data");
    auto workspace = std::make_shared<Workspace>(RobotPointer(state[0].cast<std::shared_ptr<Robot>>()));
    set_chart(*workspace, state[1].cast<Chart>());
    return workspace;
}

/// A frame in the last kinematics of a workspace.
struct FrameOf {
    py::object data;
    int index;

    template <class Read>
    auto read(Read one) const {
        auto& w = data.cast<Workspace&>();
        const Use use(w, "Data.frame");
        return one(w.robot->model, w.value);
    }
};

void bind_frame_of_data(py::module_& m) {
    using F = FrameOf;
    const auto matrix = [](const auto& x) { return to_python(Eigen::Ref<const Eigen::MatrixXd>(x)); };
    const auto vector = [](const auto& x) { return to_python(Eigen::Ref<const Eigen::VectorXd>(x)); };
    py::class_<F>(m, "DataFrame", "A frame in the motion that `forward_kinematics` left in a `Data`.")
        .def_readonly("index", &F::index, "int: in `Model.frames`")
        .def_property_readonly(
            "name",
            [](const F& f) {
                return f.read([&](const Model& model, const auto&) { return model.frames[f.index].name; });
            },
            "str: of the link or frame")
        .def_property_readonly(
            "position",
            [vector](const F& f) {
                return f.read([&](const Model& model, const Workspaces& data) {
                    return vector(frame_position<double>(model, data.kinematics, f.index));
                });
            },
            "Array: [3] m, in the world")
        .def_property_readonly(
            "orientation",
            [matrix](const F& f) {
                return f.read([&](const Model& model, const Workspaces& data) {
                    return matrix(frame_orientation<double>(model, data.kinematics, f.index));
                });
            },
            "Array: [3, 3] its axes in the world")
        .def(
            "velocity",
            [vector](const F& f, ReferenceFrame axes) {
                return f.read([&](const Model& model, const Workspaces& data) {
                    return vector(frame_velocity<double>(model, data.kinematics, f.index, axes));
                });
            },
            py::arg("axes") = ReferenceFrame::world_aligned,
            "velocity(self, axes: ReferenceFrame = ReferenceFrame.world_aligned) -> Array\n\n"
            "Twist [6], linear first, m/s and rad/s; after `forward_kinematics` with yd.")
        .def(
            "acceleration",
            [vector](const F& f, ReferenceFrame axes) {
                return f.read([&](const Model& model, const Workspaces& data) {
                    return vector(frame_acceleration<double>(model, data.kinematics, f.index, axes));
                });
            },
            py::arg("axes") = ReferenceFrame::world_aligned,
            "acceleration(self, axes: ReferenceFrame = ReferenceFrame.world_aligned) -> Array\n\n"
            "Classical acceleration of its origin and angular acceleration [6]; after `forward_kinematics` "
            "with ydd.")
        .def(
            "jacobian",
            [matrix](const F& f, ReferenceFrame axes) {
                return f.read([&](const Model& model, const Workspaces& data) {
                    Matrix6X<double> J(6, model.nv);
                    frame_jacobian<double>(model, data.kinematics, f.index, axes, J);
                    return matrix(J);
                });
            },
            py::arg("axes") = ReferenceFrame::world_aligned,
            "jacobian(self, axes: ReferenceFrame = ReferenceFrame.world_aligned) -> Array\n\n"
            "Jacobian [6, nv] of its twist with yd, linear first.");
}

}  // namespace

void bind_workspaces(py::module_& m) {
    bind_enumerations(m);
    bind_result(m);
    bind_chart(m);
    bind_frame_of_data(m);
    py::class_<Workspace, std::shared_ptr<Workspace>>(
        m, "Data", "Workspace of algorithms on one model: one for each thread. It keeps its model.")
        .def(py::init([](const std::shared_ptr<Robot>& model) { return std::make_shared<Workspace>(model); }),
             model_argument(), "__init__(self, model: Model) -> None\n\nMemory for one evaluation at a time.")
        .def_property_readonly(
            "model", [](const Workspace& w) { return std::const_pointer_cast<Robot>(w.robot); },
            "Model: that it was made for")
        .def_property_readonly(
            "result", [](const Workspace& w) { return w.result; }, "Result: of the last call")
        .def_property(
            "chart",
            guarded<Workspace>("Data.chart", [](const Workspace& w) { return w.value.general.chart; }),
            &set_chart,
            "Chart: a copy of the coordinates that yd is made of; they stay until they are changed")
        .def_property_readonly(
            "ydd", [](const py::object& w) { return kept(w, &ydd_of); },
            "Array: [nv] forward dynamics; the next call of these overwrites it; read only")
        .def_property_readonly(
            "tau", [](const py::object& w) { return kept(w, &tau_of); },
            "Array: [nv] inverse dynamics, joint forces; likewise")
        .def_property_readonly(
            "qd", [](const py::object& w) { return kept(w, &qd_of); },
            "Array: [nv_tree] velocities of all joints; likewise")
        .def_property_readonly(
            "qdd", [](const py::object& w) { return kept(w, &qdd_of); },
            "Array: [nv_tree] accelerations of all joints; likewise")
        .def_property_readonly(
            "tau_tree", [](const py::object& w) { return kept(w, &tau_tree_of); },
            "Array: [nv_tree] joint forces of all joints; likewise")
        .def(
            "frame",
            [](const py::object& self, const std::string& name) {
                return FrameOf{self, self.cast<Workspace&>().robot->model.frame(name).index};
            },
            py::arg("name"),
            "frame(self, name: str) -> DataFrame\n\nThe frame of that name, to be read after "
            "`forward_kinematics`: "
            "`data.frame(\"foot\").position`.")
        .def("__copy__", &copy_of_data)
        .def("__deepcopy__", [](Workspace& w, const py::dict&) { return copy_of_data(w); })
        .def(py::pickle(
            [](const Workspace& w) {
                return py::make_tuple(std::const_pointer_cast<Robot>(w.robot), Chart(w.value.general.chart));
            },
            &workspace_from));
}

}  // namespace grbda::python
