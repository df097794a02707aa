#include <pybind11/stl.h>

#include "grbda/model/model.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "hulls.hpp"
#include "robot.hpp"
#include "values.hpp"

namespace grbda::python {
namespace {

template <std::size_t N, class Facts>
void name_all(auto& enumeration, const std::array<Facts, N>& facts) {
    for (const Facts& one : facts) enumeration.value(one.name, decltype(one.type)(one.type));
}

void bind_kinds(py::module_& m) {
    py::enum_<JointType> joints(m, "JointType", "Types of joints.");
    name_all(joints, joint_facts);
    py::enum_<LoopType> loops(m, "LoopType", "Types of joints that close loops.");
    name_all(loops, loop_facts);
    py::enum_<ShapeKind> shapes(m, "ShapeKind", "Kinds of shapes.");
    for (const ShapeFacts& one : shape_facts) shapes.value(one.name, one.kind);
    py::enum_<CouplingRatio>(m, "CouplingRatio", "The two readings of the ratio of a coupling.")
        .value("predecessor_over_successor", CouplingRatio::predecessor_over_successor)
        .value("successor_over_predecessor", CouplingRatio::successor_over_predecessor);
    py::enum_<Form>(m, "Form", "Method of forward dynamics for a cluster of loops and couplings.")
        .value("jacobians", Form::jacobians)
        .value("tree", Form::tree)
        .value("rows", Form::rows);
    py::enum_<Severity>(m, "Severity", "Severity of a finding.")
        .value("note", Severity::note)
        .value("warning", Severity::warning)
        .value("error", Severity::error);
}

void bind_diagnostics(py::module_& m) {
    py::class_<Diagnostic>(m, "Diagnostic", "One finding about what the user gave.")
        .def_readonly("severity", &Diagnostic::severity, "Severity: error if no model can be built")
        .def_property_readonly(
            "code", [](const Diagnostic& d) { return to_string(d.code); },
            "str: kind of finding, as 'unknown-name'")
        .def_property_readonly(
            "file", [](const Diagnostic& d) { return d.where.file; }, "str: where it is")
        .def_property_readonly(
            "line", [](const Diagnostic& d) { return d.where.line; }, "int: from 1; 0: of no file")
        .def_property_readonly(
            "column", [](const Diagnostic& d) { return d.where.column; }, "int: from 1; 0: not known")
        .def_property_readonly(
            "element", [](const Diagnostic& d) { return d.subject.text; },
            "str: affected element, as \"joint 'knee'\"")
        .def_readonly("expected", &Diagnostic::expected, "str: expected content; in a note, what was done")
        .def_readonly("found", &Diagnostic::found, "str: what was found instead; may be empty")
        .def_readonly("hint", &Diagnostic::hint, "str: how to fix it; may be empty")
        .def_property_readonly(
            "message", [](const Diagnostic& d) { return to_string(d); }, "str: all of it in one line")
        .def("__repr__", [](const Diagnostic& d) { return "<" + to_string(d) + ">"; })
        .def("__str__", [](const Diagnostic& d) { return to_string(d); })
        .def(py::pickle(
            [](const Diagnostic& d) {
                return py::make_tuple(d.severity, static_cast<int>(d.code), d.where.file, d.where.line,
                                      d.where.column, d.subject.kind, d.subject.name, d.subject.text,
                                      d.expected, d.found, d.hint);
            },
            [](const py::tuple& t) {
                const auto text = [&](std::size_t i) { return t[i].cast<std::string>(); };
                return Diagnostic(t[0].cast<Severity>(), static_cast<Code>(t[1].cast<int>()),
                                  {text(2), t[3].cast<int>(), t[4].cast<int>()}, {text(5), text(6), text(7)},
                                  text(8), text(9), text(10));
            }));
}

void bind_places(py::module_& m) {
    py::class_<BodyShape>(m, "BodyShape", "A shape fixed in a body, or in the world.")
        .def_readonly("name", &BodyShape::name, "str: may be empty")
        .def_readonly("link", &BodyShape::link, "str: that the file fixes it in")
        .def_readonly("body", &BodyShape::body, "int: that it is fixed in; -1: the world")
        .def_property_readonly(
            "kind", [](const BodyShape& s) { return s.shape.kind; }, "ShapeKind: its form")
        .def_property_readonly(
            "size",
            [](const BodyShape& s) { return to_python(Eigen::Ref<const Eigen::VectorXd>(s.shape.size)); },
            "Array: [3] m: radius; radius, length; lengths; or semi-axes, by kind")
        .def_property_readonly(
            "mesh", [](const BodyShape& s) { return s.shape.mesh; }, "str: path of a mesh, as in the file")
        .def_property_readonly(
            "hull", [](const BodyShape& s) { return hull_points(s.shape); },
            "Array | None: [n, 3] m, vertices of a mesh's convex hull in the frame of the shape; None if it "
            "was not "
            "loaded")
        .def_property_readonly(
            "position", [](const BodyShape& s) { return to_python(s.position); }, "Array: [3] m, in the body")
        .def_property_readonly(
            "rotation", [](const BodyShape& s) { return to_python(s.rotation); }, "Array: [3, 3] in the body")
        .def_readonly("visual", &BodyShape::visual, "bool: for display")
        .def_readonly("collision", &BodyShape::collision, "bool: to be touched")
        .def_property_readonly(
            "friction",
            [](const BodyShape& s) { return s.surface ? std::optional(s.surface->friction) : std::nullopt; },
            "float | None: Coulomb's coefficient, if the file has it");
    py::class_<Sensor> sensor(m, "Sensor", "A sensor fixed in a body, or in the world.");
    sensor.def_readonly("name", &Sensor::name, "str: may be empty")
        .def_readonly("type", &Sensor::type, "str: as the file names it")
        .def_readonly("link", &Sensor::link, "str: that the file fixes it in")
        .def_readonly("body", &Sensor::body, "int: that it is fixed in; -1: the world")
        .def_property_readonly(
            "position", [](const Sensor& s) { return to_python(s.position); }, "Array: [3] m, in the body")
        .def_property_readonly(
            "rotation", [](const Sensor& s) { return to_python(s.rotation); }, "Array: [3, 3] in the body");
    bind_members(sensor, &Sensor::name, &Sensor::type, &Sensor::link, &Sensor::body, &Sensor::position,
                 &Sensor::rotation);
    py::class_<GroupDescription> group(m, "Group", "Links and joints that a file gives a common name.");
    group.def_readonly("name", &GroupDescription::name, "str: in the file")
        .def_readonly("links", &GroupDescription::links, "list[str]: names of links")
        .def_readonly("joints", &GroupDescription::joints, "list[str]: names of joints that move");
    bind_members(group, &GroupDescription::name, &GroupDescription::links, &GroupDescription::joints);
    py::class_<SavedState> saved(m, "SavedState",
                                 "A configuration that the files name, moved onto the loops.");
    saved.def_readonly("name", &SavedState::name, "str: in the files")
        .def_property_readonly(
            "q",
            [](const SavedState& s) {
                return py::array_t<double>(static_cast<py::ssize_t>(s.q.size()), s.q.data());
            },
            "Array: [nq]")
        .def_readonly("moved", &SavedState::moved,
                      "float: largest displacement of a joint from the values of the files, rad or m")
        .def_readonly("targets", &SavedState::targets,
                      "dict[str, float]: targets of servos that the files give, by joint");
    bind_members(saved, &SavedState::name, &SavedState::q, &SavedState::moved, &SavedState::targets);
    py::class_<ServoDescription> servo(
        m, "Servo", "Servo of a joint: stiffness (target - q) + damping (target_rate - qd).");
    servo.def_readonly("stiffness", &ServoDescription::stiffness, "float: N·m/rad or N/m")
        .def_readonly("damping", &ServoDescription::damping, "float: N·m·s/rad or N·s/m")
        .def_readonly("target", &ServoDescription::target,
                      "float: without a control, rad or m; without stiffness, rad/s or m/s")
        .def_readonly("lower", &ServoDescription::lower, "float: of targets; -inf without a limit")
        .def_readonly("upper", &ServoDescription::upper, "float: of targets; inf without a limit");
    bind_members(servo, &ServoDescription::stiffness, &ServoDescription::damping, &ServoDescription::target,
                 &ServoDescription::lower, &ServoDescription::upper);
    py::class_<JointLimits> limits(m, "JointLimits", "Limits of one joint; infinite without a limit.");
    limits.def_readonly("lower", &JointLimits::lower, "float: rad or m")
        .def_readonly("upper", &JointLimits::upper, "float: rad or m")
        .def_readonly("velocity", &JointLimits::velocity, "float: rad/s or m/s")
        .def_readonly("effort", &JointLimits::effort, "float: N·m or N")
        .def_readonly("acceleration", &JointLimits::acceleration, "float: rad/s² or m/s²")
        .def_readonly("jerk", &JointLimits::jerk, "float: rad/s³ or m/s³");
    bind_numbers(limits);
    py::class_<Coordinate> coordinate(m, "Coordinate", "Joint of an entry of q̇ or y.");
    coordinate.def_readonly("body", &Coordinate::body, "int: that the joint moves; -1: no one joint's")
        .def_readonly("component", &Coordinate::component, "int: of the joint's velocity")
        .def("__repr__", [](const Coordinate& c) {
            return "<Coordinate body " + std::to_string(c.body) + ", component " +
                   std::to_string(c.component) + ">";
        });
    bind_numbers(coordinate);
}

}  // namespace

void bind_catalogue(py::module_& m) {
    bind_kinds(m);
    bind_diagnostics(m);
    bind_places(m);
}

}  // namespace grbda::python
