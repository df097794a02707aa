#include <pybind11/stl.h>

#include "grbda/kinematics/configuration.hpp"
#include "summary.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "robot.hpp"

namespace grbda::python {
namespace {

using Pointer = std::shared_ptr<Robot>;

/// A row of one of the tables of a model, with its names.
template <class Tag>
struct Row {
    std::shared_ptr<const Robot> robot;
    int index;
    const Model& model() const { return robot->model; }
    const auto& operator*() const { return Tag::table(model())[index]; }
};
struct OfBody {
    static const auto& table(const Model& m) { return m.bodies; }
};
struct OfCluster {
    static const auto& table(const Model& m) { return m.clusters; }
};
struct OfLoop {
    static const auto& table(const Model& m) { return m.loops; }
};
struct OfCoupling {
    static const auto& table(const Model& m) { return m.couplings; }
};

struct OfFrame {
    static const auto& table(const Model& m) { return m.frames; }
};

template <class Tag>
std::vector<Row<Tag>> rows_of_table(const Robot& robot) {
    std::vector<Row<Tag>> rows;
    for (std::size_t i = 0; i < Tag::table(robot.model).size(); ++i)
        rows.push_back({robot.shared_from_this(), static_cast<int>(i)});
    return rows;
}

std::vector<int> all_of(const Range& range) {
    std::vector<int> all;
    for (const int i : range) all.push_back(i);
    return all;
}

py::slice slice_of(const Range& range) { return {range.first, range.last, 1}; }

NamedJoint joint_of(const Row<OfBody>& body) {
    return body.model().joint(body.model().names.joints[body.index]);
}
NamedFrame named(const Row<OfFrame>& frame) { return frame.model().frame((*frame).name); }

void bind_bodies(py::module_& m) {
    using B = Row<OfBody>;
    py::class_<B>(m, "Body", "A moving body and the tree joint that moves it.")
        .def_property_readonly(
            "index", [](const B& b) { return b.index; }, "int: in `Model.bodies`")
        .def_property_readonly(
            "name", [](const B& b) { return b.model().names.bodies[b.index]; }, "str: its topmost link")
        .def_property_readonly(
            "joint", [](const B& b) { return b.model().names.joints[b.index]; }, "str: name of its joint")
        .def_property_readonly(
            "type", [](const B& b) { return (*b).joint; }, "JointType: of its joint")
        .def_property_readonly(
            "parent", [](const B& b) { return (*b).parent; }, "int: body; -1: the world")
        .def_property_readonly(
            "cluster", [](const B& b) { return (*b).cluster; }, "int: in `Model.clusters`")
        .def_property_readonly(
            "parent_link", [](const B& b) { return joint_of(b).parent_link; },
            "str: topmost link of the parent; in the world the root link, or empty if it moves")
        .def_property_readonly(
            "q", [](const B& b) { return slice_of(joint_of(b).q); }, "slice: its positions in q")
        .def_property_readonly(
            "v", [](const B& b) { return slice_of(joint_of(b).v); }, "slice: its velocities in q̇")
        .def_property_readonly(
            "y", [](const B& b) { return slice_of(joint_of(b).y); },
            "slice: its independent velocities in yd, ydd and tau, in the coordinates that the model chose; "
            "empty if other joints determine it")
        .def_property_readonly(
            "rotor", [](const B& b) { return (*b).rotor; }, "bool: reduced to its spin")
        .def_property_readonly(
            "actuated", [](const B& b) { return b.model().actuated[b.index] != 0; }, "bool: named as a motor")
        .def_property_readonly(
            "reduction", [](const B& b) { return b.model().reduction[b.index]; },
            "float: turns of its motor for each turn of the joint")
        .def_property_readonly(
            "bounded", [](const B& b) { return b.model().bounded[b.index] != 0; },
            "bool: its joint has limits")
        .def_property_readonly(
            "limits", [](const B& b) { return b.model().limits[b.index]; }, "JointLimits: of its joint")
        .def_property_readonly(
            "frame", [](const B& b) { return b.model().body_frame[b.index]; },
            "int: of its topmost link, in `Model.frames`")
        .def_property_readonly(
            "mass", [](const B& b) { return b.model().inertials[b.index].mass; },
            "float: kg, without the rotors that it carries")
        .def_property_readonly(
            "com",
            [](const B& b) {
                return to_python(Eigen::Ref<const Eigen::VectorXd>(b.model().inertials[b.index].com));
            },
            "Array: [3] m, in its frame")
        .def_property_readonly(
            "inertia",
            [](const B& b) {
                return to_python(Eigen::Ref<const Eigen::MatrixXd>(b.model().inertials[b.index].inertia));
            },
            "Array: [3, 3] kg m² about its centre of mass, in its frame")
        .def("__repr__", [](const B& b) {
            return "<Body " + b.model().names.bodies[b.index] + ", joint " + b.model().names.joints[b.index] +
                   " (" + to_string((*b).joint) + ")>";
        });
}

void bind_named(py::module_& m) {
    using F = Row<OfFrame>;
    py::class_<F>(m, "Frame", "A link or another frame, fixed in a body, in a rod or in the world.")
        .def_property_readonly(
            "index", [](const F& f) { return f.index; }, "int: in `Model.frames`")
        .def_property_readonly(
            "name", [](const F& f) { return (*f).name; }, "str: of a link or a frame")
        .def_property_readonly(
            "is_link", [](const F& f) { return (*f).is_link; }, "bool: a link of the files")
        .def_property_readonly(
            "body", [](const F& f) { return (*f).body; },
            "int: in which it is fixed, in `Model.bodies`, then the rods; -1: the world")
        .def_property_readonly(
            "cluster", [](const F& f) { return named(f).cluster; }, "int: of its body; -1: the world")
        .def_property_readonly(
            "joint", [](const F& f) { return named(f).joint; },
            "str: name of the joint that moves its body; empty for a rod or the world")
        .def_property_readonly(
            "q", [](const F& f) { return slice_of(named(f).q); }, "slice: positions of that joint in q")
        .def_property_readonly(
            "v", [](const F& f) { return slice_of(named(f).v); }, "slice: velocities of that joint in q̇")
        .def_property_readonly(
            "y", [](const F& f) { return slice_of(named(f).y); },
            "slice: independent velocities of that joint, as `Body.y`")
        .def_property_readonly(
            "position", [](const F& f) { return to_python((*f).position); }, "Array: [3] m, in the body")
        .def_property_readonly(
            "rotation", [](const F& f) { return to_python((*f).rotation); }, "Array: [3, 3] in the body")
        .def("__repr__", [](const F& f) {
            return "<Frame " + (*f).name + " on body " + std::to_string((*f).body) + ">";
        });
}

void bind_clusters(py::module_& m) {
    using C = Row<OfCluster>;
    const auto report = [](const C& c) -> const ClusterReport& { return c.model().reports[c.index]; };
    py::class_<C>(m, "Cluster", "Bodies that loops and couplings tie together, or one body alone.")
        .def_property_readonly(
            "index", [](const C& c) { return c.index; }, "int: in `Model.clusters`")
        .def_property_readonly(
            "bodies", [](const C& c) { return all_of((*c).joints); }, "list[int]: in `Model.bodies`")
        .def_property_readonly(
            "loops", [](const C& c) { return all_of((*c).loops); }, "list[int]: in `Model.loops`")
        .def_property_readonly(
            "couplings", [](const C& c) { return all_of((*c).couplings); }, "list[int]: in `Model.couplings`")
        .def_property_readonly(
            "parent", [](const C& c) { return (*c).parent_cluster; }, "int: cluster; -1: the world")
        .def_property_readonly(
            "parent_body", [](const C& c) { return (*c).parent_body; }, "int: body to which it is attached")
        .def_property_readonly(
            "dofs", [](const C& c) { return (*c).dofs; }, "int: velocities of its joints")
        .def_property_readonly(
            "m", [](const C& c) { return (*c).m; }, "int: of them, independent")
        .def_property_readonly(
            "rows", [](const C& c) { return (*c).rows; }, "int: of K")
        .def_property_readonly(
            "form", [](const C& c) { return form_of(*c); }, "Form | None: that forward dynamics takes")
        .def_property_readonly(
            "rank", [report](const C& c) { return report(c).rank; }, "int: of its rows")
        .def_property_readonly(
            "conditioning", [report](const C& c) { return report(c).conditioning; },
            "float: smallest rcond of K_d over generic configurations")
        .def_property_readonly(
            "neutral_conditioning", [report](const C& c) { return report(c).neutral_conditioning; },
            "float: rcond of K_d at the neutral configuration")
        .def_property_readonly(
            "reasons", [report](const C& c) { return report(c).reasons; },
            "list[str]: why each independent velocity was chosen")
        .def("__repr__", [](const C& c) {
            return "<Cluster " + std::to_string(c.index) + ", " + std::to_string((*c).joints.size()) +
                   " bodies, " + std::to_string((*c).m) + " of " + std::to_string((*c).dofs) +
                   " velocities independent>";
        });
}

void bind_closures(py::module_& m) {
    using L = Row<OfLoop>;
    py::class_<L>(m, "Loop", "A joint that closes a loop.")
        .def_property_readonly(
            "name", [](const L& l) { return l.model().names.loops[(*l).source]; }, "str: in the files")
        .def_property_readonly(
            "type", [](const L& l) { return (*l).type; }, "LoopType: type of the constraint")
        .def_property_readonly(
            "predecessor", [](const L& l) { return (*l).predecessor.body; },
            "int: body of frame P; -1: the world")
        .def_property_readonly(
            "successor", [](const L& l) { return (*l).successor.body; },
            "int: body of frame Q; -1: the world")
        .def_property_readonly(
            "rows", [](const L& l) { return py::slice((*l).row, (*l).row + (*l).rows, 1); }, "slice: of K")
        .def("__repr__", [](const L& l) {
            return "<Loop " + l.model().names.loops[(*l).source] + " (" + to_string((*l).type) + ")>";
        });
    using C = Row<OfCoupling>;
    py::class_<C>(m, "Coupling", "An equation between joints.")
        .def_property_readonly(
            "name", [](const C& c) { return c.model().names.couplings[(*c).source]; }, "str: in the files")
        .def_property_readonly(
            "equation", [](const C& c) { return c.model().names.equations[(*c).source]; },
            "str: as 'q[rotor] = 6 q[hip]'")
        .def_property_readonly(
            "row", [](const C& c) { return (*c).row; }, "int: of K")
        .def("__repr__",
             [](const C& c) { return "<Coupling " + c.model().names.equations[(*c).source] + ">"; });
}

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

/// Raises DeprecationWarning where warnings are errors.
void warn_of_old_name(const std::string& old, const std::string& now) {
    const std::string text = "Model." + old + " is deprecated: use Model." + now;
    if (PyErr_WarnEx(PyExc_DeprecationWarning, text.c_str(), 1) != 0) throw py::error_already_set();
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
            "link(self, name: str) -> Frame\n\nThe link of that name. ValueError with the nearest names.")
        .def(
            "frame_index",
            [](const Robot& r, const std::string& name) {
                warn_of_old_name("frame_index", "frame(name).index");
                return r.model.frame(name).index;
            },
            py::arg("name"), "frame_index(self, name: str) -> int\n\nDeprecated: `frame(name).index`.")
        .def(
            "body_index_of_joint",
            [](const Robot& r, const std::string& joint) {
                warn_of_old_name("body_index_of_joint", "joint(name).index");
                return r.model.joint(joint).index;
            },
            py::arg("joint"),
            "body_index_of_joint(self, joint: str) -> int\n\nDeprecated: `joint(name).index`.");
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
    bind_bodies(m);
    bind_named(m);
    bind_clusters(m);
    bind_closures(m);
    py::class_<Robot, Pointer> model(m, "Model",
                                     "A compiled robot: constant, shared between threads. `load` makes it.");
    bind_sizes(model);
    bind_tables(model);
    bind_names(model);
    bind_copies(model);
    model.def(
        "__repr__", [](const Robot& r) { return tool::summary(r.model); },
        "__repr__(self) -> str\n\nThe head of `grbda info`.");
    m.def("with_gravity", &under_gravity, py::arg("model"), py::arg("gravity"),
          "with_gravity(model: Model, gravity: ArrayLike) -> Model\n\nThe same robot under another gravity "
          "[3], m/s², world axes.");
    m.def("with_armature", &armed, py::arg("model"), py::arg("added"),
          "with_armature(model: Model, added: ArrayLike) -> Model\n\n"
          "The same robot with more armature [nv_tree], kg m² or kg, zero for floating joints.");
}

}  // namespace grbda::python
