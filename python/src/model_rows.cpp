#include "model_rows.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"

namespace grbda::python {
namespace {

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
            "servo", [](const B& b) { return b.model().servos[b.index]; },
            "Servo | None: of its joint, as the files say; see `with_servos`")
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

}  // namespace

void bind_rows(py::module_& m) {
    bind_bodies(m);
    bind_named(m);
    bind_clusters(m);
    bind_closures(m);
}

}  // namespace grbda::python
