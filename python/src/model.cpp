#include <pybind11/stl.h>

#include "kinematics/configuration.hpp"
#include "describe/summary.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "model_rows.hpp"

namespace grbda::python {
namespace {

using Pointer = std::shared_ptr<Robot>;

template <class T>
auto field(T Structure::*member) {
    return [member](const Robot& r) { return static_cast<const Structure&>(r.model).*member; };
}

Pointer changed(const Robot& robot, Model model) {
    auto other = std::make_shared<Robot>();
    other->description = robot.description;
    other->mechanism = robot.mechanism;
    other->options = robot.options;
    other->armature = robot.armature;
    other->model = std::move(model);
    return other;
}

Pointer under_gravity(const Robot& robot, const py::object& gravity) {
    const Vector3<double> g = vector3_from({"with_gravity", "gravity"}, gravity);
    Pointer other = changed(robot, with_gravity(robot.model, g));
    other->mechanism.gravity = Eigen::Vector3d(g.x, g.y, g.z);
    if (other->description) other->description->gravity = other->mechanism.gravity;
    return other;
}

Pointer armed(const Robot& robot, const py::object& added) {
    const Eigen::VectorXd more = vector_from({"with_armature", "added"}, added, robot.model.nv_tree);
    Pointer other = changed(robot, with_armature(robot.model, Table<double>(more.begin(), more.end())));
    other->armature.resize(static_cast<std::size_t>(more.size()));
    for (std::size_t i = 0; i < other->armature.size(); ++i)
        other->armature[i] += more[static_cast<Eigen::Index>(i)];
    return other;
}

Row<OfBody> body_called(const Robot& robot, const std::string& name) {
    const Names& names = robot.model.names;
    const auto found = std::find(names.bodies.begin(), names.bodies.end(), name);
    if (found == names.bodies.end())
        throw py::value_error("no body is called '" + name + "'. " + nearest_name_hint(name, names.bodies));
    return {robot.shared_from_this(), static_cast<int>(found - names.bodies.begin())};
}

template <class Class>
void bind_names(Class& model) {
    model
        .def(
            "joint",
            [](const Robot& r, const std::string& name) {
                return Row<OfBody>{r.shared_from_this(), r.model.joint(name).index};
            },
            py::arg("name"),
            "joint(self, name: str) -> Body\n\nThe joint of that name with the body that it moves: "
            "`q[model.joint(\"knee\").q]`. ValueError with the nearest names.")
        .def("body", &body_called, py::arg("name"),
             "body(self, name: str) -> Body\n\nThe body whose topmost link has that name.")
        .def(
            "frame",
            [](const Robot& r, const std::string& name) {
                return Row<OfFrame>{r.shared_from_this(), r.model.frame(name).index};
            },
            py::arg("name"),
            "frame(self, name: str) -> Frame\n\nThe link or frame of that name: "
            "`model.frame(\"toe\").index`. ValueError with the nearest names.")
        .def(
            "link",
            [](const Robot& r, const std::string& name) {
                return Row<OfFrame>{r.shared_from_this(), r.model.link(name).index};
            },
            py::arg("name"),
            "link(self, name: str) -> Frame\n\nThe link of that name. ValueError with the nearest names.");
}

/// A model is constant: a copy is the model itself. pickle keeps its text.
template <class Class>
void bind_copies(Class& model) {
    model.def("__copy__", [](const py::object& self) { return self; })
        .def("__deepcopy__", [](const py::object& self, const py::dict&) { return self; })
        .def(py::pickle(&state_of, &robot_from));
}

template <class Class>
void bind_sizes(Class& model) {
    model.def_property_readonly("nq", field(&Structure::nq), "int: positions of all joints, in q")
        .def_property_readonly("nv", field(&Structure::nv),
                               "int: degrees of freedom: independent velocities, in yd")
        .def_property_readonly("nv_tree", field(&Structure::nv_tree), "int: velocities of all joints, in q̇")
        .def_property_readonly("rows", field(&Structure::rows), "int: of K, of all loops and couplings")
        .def_property_readonly(
            "name", [](const Robot& r) { return r.model.names.robot; }, "str: of the robot")
        .def_property_readonly(
            "root", [](const Robot& r) { return r.model.names.root; }, "str: root link")
        .def_property_readonly(
            "gravity", [](const Robot& r) { return to_python(r.model.gravity); },
            "Array: [3] m/s², world axes");
}

template <class Class>
void bind_tables(Class& model) {
    model.def_property_readonly("bodies", &rows_of_table<OfBody>, "list[Body]: parents before children")
        .def_property_readonly("clusters", &rows_of_table<OfCluster>,
                               "list[Cluster]: parents before children")
        .def_property_readonly("loops", &rows_of_table<OfLoop>, "list[Loop]: that joints close")
        .def_property_readonly("couplings", &rows_of_table<OfCoupling>,
                               "list[Coupling]: equations between joints")
        .def_property_readonly(
            "joints", [](const Robot& r) { return std::vector<std::string>(r.model.names.joints); },
            "list[str]: names of the joints that move the bodies, in their order")
        .def_property_readonly(
            "limits", [](const Robot& r) { return std::vector<JointLimits>(r.model.limits); },
            "list[JointLimits]: of each body's joint")
        .def_property_readonly("frames", &rows_of_table<OfFrame>,
                               "list[Frame]: every link by its name, then the other frames")
        .def_property_readonly(
            "tool_frames", [](const Robot& r) { return std::vector<int>(r.model.tool_frames); },
            "list[int]: in `frames`")
        .def_property_readonly(
            "shapes", [](const Robot& r) { return std::vector<BodyShape>(r.model.shapes); },
            "list[BodyShape]: of all links")
        .def_property_readonly(
            "sensors", [](const Robot& r) { return std::vector<Sensor>(r.model.sensors); },
            "list[Sensor]: of all links")
        .def_property_readonly(
            "groups", [](const Robot& r) { return std::vector<GroupDescription>(r.model.groups); },
            "list[Group]: of links and joints")
        .def_property_readonly(
            "states", [](const Robot& r) { return std::vector<SavedState>(r.model.states); },
            "list[SavedState]: configurations that the files name")
        .def_property_readonly(
            "diagnostics", [](const Robot& r) { return Diagnostics(r.model.diagnostics); },
            "list[Diagnostic]: notes and warnings of loading")
        .def_property_readonly(
            "files", [](const Robot& r) { return std::vector<std::string>(r.model.files); },
            "list[str]: that were read, included ones too")
        .def_property_readonly(
            "spanning_coordinates", [](const Robot& r) { return spanning_coordinates(r.model); },
            "list[Coordinate]: joint of each entry of q̇")
        .def_property_readonly(
            "independent_coordinates", [](const Robot& r) { return independent_coordinates(r.model); },
            "list[Coordinate]: joint of each entry of y");
}

}  // namespace

void bind_model(py::module_& m) {
    bind_rows(m);
    py::class_<Robot, Pointer> model(m, "Model",
                                     "A compiled robot: constant, shared between threads. `load` makes it.");
    bind_sizes(model);
    bind_tables(model);
    bind_names(model);
    bind_copies(model);
    model.def(
        "__repr__", [](const Robot& r) { return describe::summary(r.model); },
        "__repr__(self) -> str\n\nThe head of `grbda info`.");
    m.def("with_gravity", &under_gravity, py::arg("model"), py::arg("gravity"),
          "with_gravity(model: Model, gravity: ArrayLike) -> Model\n\nThe same robot under another gravity "
          "[3], m/s², world axes.");
    m.def("with_armature", &armed, py::arg("model"), py::arg("added"),
          "with_armature(model: Model, added: ArrayLike) -> Model\n\n"
          "The same robot with more armature [nv_tree], kg m² or kg, zero for floating joints.");
}

}  // namespace grbda::python
