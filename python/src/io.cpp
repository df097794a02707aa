#include <pybind11/stl.h>

#include "grbda/compile/build.hpp"
#include "grbda/compose.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/io/file.hpp"
#include "grbda/io/height_field.hpp"
#include "grbda/io/hulls.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/mjcf.hpp"
#include "grbda/io/sdf.hpp"
#include "grbda/io/urdf.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "hulls.hpp"
#include "named.hpp"
#include "options.hpp"
#include "parameters.hpp"

namespace grbda::python {
namespace {

using Pointer = std::shared_ptr<Robot>;

void throw_errors(const Diagnostics& diagnostics) {
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
}

Pointer built(std::optional<RobotDescription> description, Mechanism mechanism, const LoadOptions& options,
              Diagnostics diagnostics) {
    auto robot = std::make_shared<Robot>();
    robot->model = build_model(mechanism, options, diagnostics);
    throw_errors(diagnostics);
    robot->model.diagnostics = std::move(diagnostics);
    if (description) robot->model.files = description->files;
    robot->description = std::move(description);
    robot->mechanism = std::move(mechanism);
    robot->options = options;
    return robot;
}

/// Like load() and build_model() of C++, but keeps the description from which the model was built.
Pointer built(RobotDescription description, const LoadOptions& options, Diagnostics diagnostics) {
    if (options.hulls && !has_errors(diagnostics)) load_hulls(description, diagnostics, options.paths);
    if (options.strict) apply_strictness(diagnostics);
    throw_errors(diagnostics);
    Mechanism mechanism = make_mechanism(description, options, diagnostics);
    adjust_loops(options, mechanism, diagnostics);
    throw_errors(diagnostics);
    return built(std::move(description), std::move(mechanism), options, std::move(diagnostics));
}

Pointer load_files(const std::vector<std::string>& files, const LoadOptions& options) {
    Diagnostics diagnostics;
    RobotDescription description = read_description(files, diagnostics, options.paths);
    Diagnostics strict = diagnostics;
    if (options.strict) apply_strictness(strict);
    if (has_errors(strict)) (void)load(files, options);  // throws with all errors
    return built(std::move(description), options, std::move(diagnostics));
}

RobotDescription read_text(const std::string& text, const std::string& name, Diagnostics& diagnostics) {
    const std::optional<Format> format = detect_format(text, name, diagnostics);
    throw_errors(diagnostics);
    switch (*format) {
        case Format::urdf: return read_urdf(text, name, diagnostics);
        case Format::mjcf: return read_mjcf(text, name, diagnostics);
        case Format::sdf: return read_sdf(text, name, diagnostics);
        case Format::extended_urdf:
        case Format::xrdf:
        case Format::srdf:
        case Format::world_file: break;
    }
    throw py::value_error(std::string("load_text: ") + to_string(*format) +
                          " is no robot by itself: load its files");
}

void bind_load(py::module_& m) {
    m.def(
        "load",
        [](const py::args& files, const py::kwargs& options) {
            const std::vector<std::string> names =
                files.size() == 1 ? texts_from(files[0]) : texts_from(files);
            const LoadOptions chosen = options_from(options);
            const Unlocked unlocked;
            return load_files(names, chosen);
        },
        "load(*files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], " GRBDA_OPTIONS
        ") -> Model\n\n"
        "Reads one robot from its files, in any order: one description (URDF, URDF+, MJCF or SDF) and any "
        "side files\n"
        "(Extended URDF, XRDF, SRDF). Raises LoadError with every finding if one is an error.");
    m.def(
        "load_text",
        [](const std::string& text, const std::string& name, const py::kwargs& options) {
            const LoadOptions chosen = options_from(options);
            const Unlocked unlocked;
            Diagnostics diagnostics;
            RobotDescription description = read_text(text, name, diagnostics);
            return built(std::move(description), chosen, std::move(diagnostics));
        },
        py::arg("text"), py::arg("name") = "text",
        "load_text(text: str, name: str = 'text', *, " GRBDA_OPTIONS
        ") -> Model\n\n"
        "The same from the text of one description, called `name` in findings. Files that it includes are "
        "not read.");
    m.def(
        "write_urdf", [](const Robot& model) { return write_urdf(model.mechanism); }, py::arg("model"),
        "write_urdf(model: Model) -> str\n\n"
        "The robot as URDF+ that reads back as the same robot to rounding, and as the same text from then "
        "on. Load it without\n"
        "floating_base: the text contains the joint.");
}

/// Returns the text, with warnings of Python for omissions; LoadError if the format cannot represent it.
std::string written(const Robot& model, std::string (*write)(const Mechanism&, Diagnostics&)) {
    Diagnostics diagnostics;
    std::string text = write(model.mechanism, diagnostics);
    throw_errors(diagnostics);
    for (const Diagnostic& finding : diagnostics)
        if (finding.severity == Severity::warning &&
            PyErr_WarnEx(PyExc_UserWarning, to_string(finding).c_str(), 1) != 0)
            throw py::error_already_set();
    return text;
}

void bind_writers(py::module_& m) {
    m.def(
        "write_mjcf", [](const Robot& model) { return written(model, &write_mjcf); }, py::arg("model"),
        "write_mjcf(model: Model) -> str\n\n"
        "The robot as MJCF with the same motion, for MuJoCo. Raises a LoadError that lists everything MJCF "
        "cannot represent.");
    m.def(
        "write_sdf", [](const Robot& model) { return written(model, &write_sdf); }, py::arg("model"),
        "write_sdf(model: Model) -> str\n\n"
        "The robot as SDF 1.11 with the same motion, for Gazebo. Raises a LoadError that lists everything "
        "SDF cannot represent.");
}

RobotDescription described(const Robot& robot) {
    if (robot.description) return *robot.description;
    Diagnostics diagnostics;
    return read_urdf(write_urdf(robot.mechanism), robot.model.names.robot, diagnostics);
}

Pose pose_from(const char* function, const py::object& position, const py::object& rotation) {
    Pose pose;
    if (!position.is_none()) pose.translation = vector_from({function, "position"}, position, 3);
    if (!rotation.is_none()) pose.rotation = matrix_from({function, "rotation"}, rotation, 3, 3);
    return pose;
}

Pointer composed(const std::string& name, const std::vector<RobotPart>& parts, const py::kwargs& options) {
    const LoadOptions chosen = options_from(options);
    const Unlocked unlocked;
    Diagnostics diagnostics;
    RobotDescription description = compose(name, parts, diagnostics);
    return built(std::move(description), chosen, std::move(diagnostics));
}

void bind_compose(py::module_& m) {
    py::class_<RobotPart>(m, "RobotPart", "One robot among several in a model.")
        .def(py::init([](const Robot& model, const std::string& prefix, const std::string& parent,
                         const py::object& joint, const py::object& axis, const py::object& axis2,
                         const py::object& position, const py::object& rotation) {
                 RobotPart part;
                 part.robot = described(model);
                 part.prefix = prefix;
                 part.parent = parent;
                 part.joint = named<JointType>("joint", joint);
                 if (!axis.is_none()) part.axis = vector_from({"RobotPart", "axis"}, axis, 3);
                 if (!axis2.is_none()) part.axis2 = vector_from({"RobotPart", "axis2"}, axis2, 3);
                 part.base = pose_from("RobotPart", position, rotation);
                 return part;
             }),
             py::arg("model"), py::arg("prefix") = "", py::arg("parent") = "", py::arg("joint") = "fixed",
             py::arg("axis") = py::none(), py::arg("axis2") = py::none(), py::arg("position") = py::none(),
             py::arg("rotation") = py::none(),
             "__init__(self, model: Model, prefix: str = '', parent: str = '', joint: str = 'fixed', axis: "
             "ArrayLike | None = None, "
             "axis2: ArrayLike | None = None, position: ArrayLike | None = None, rotation: ArrayLike | None "
             "= None) -> None\n\n"
             "The robot of a model, its names behind prefix, on parent (a link or frame, '': the world) by a "
             "joint of that type.");
    m.def("compose", &composed, py::arg("name"), py::arg("parts"),
          "compose(name: str, parts: Sequence[RobotPart], *, " GRBDA_OPTIONS
          ") -> Model\n\n"
          "Several robots as one; raises LoadError with every finding if one is an error.");
}

Eigen::VectorXd configuration(const char* function, const Robot& robot, const py::object& q) {
    return vector_from({function, "q"}, q, robot.model.nq);
}

LoadOptions of_mechanism(LoadOptions options) {
    options.floating_base = false;  // the mechanism contains it
    return options;
}

Pointer frozen(const Robot& model, const py::object& q, const std::vector<std::string>& joints) {
    const Eigen::VectorXd at = configuration("freeze", model, q);
    const Unlocked unlocked;
    Diagnostics diagnostics;
    Mechanism mechanism = freeze(model.mechanism, model.model, at, joints, diagnostics);
    throw_errors(diagnostics);
    return built(std::nullopt, std::move(mechanism), of_mechanism(model.options), std::move(diagnostics));
}

Pointer mounted(const Robot& model, const py::object& q, const std::string& frame, const py::object& type,
                const std::string& name, const py::object& position, const py::object& rotation,
                const py::object& axis, const py::object& axis2, double pitch, std::optional<double> length) {
    Mount mount;
    mount.frame = frame;
    mount.type = named<LoopType>("type", type);
    mount.name = name;
    mount.pitch = pitch;
    mount.length = length;
    if (!position.is_none() || !rotation.is_none()) mount.place = pose_from("mount", position, rotation);
    if (!axis.is_none()) mount.axis = vector_from({"mount", "axis"}, axis, 3);
    if (!axis2.is_none()) mount.axis2 = vector_from({"mount", "axis2"}, axis2, 3);
    const Eigen::VectorXd at = configuration("mount", model, q);
    const Unlocked unlocked;
    Diagnostics diagnostics;
    Mechanism mechanism = grbda::mount(model.mechanism, model.model, at, mount, diagnostics);
    throw_errors(diagnostics);
    return built(std::nullopt, std::move(mechanism), of_mechanism(model.options), std::move(diagnostics));
}

void bind_edit(py::module_& m) {
    m.def("freeze", &frozen, py::arg("model"), py::arg("q"), py::arg("joints"),
          "freeze(model: Model, q: ArrayLike, joints: Sequence[str]) -> Model\n\n"
          "The same robot with these joints fixed where they are at q [nq]; raises LoadError if that is "
          "impossible.");
    m.def("mount", &mounted, py::arg("model"), py::arg("q"), py::arg("frame"), py::arg("type") = "fixed",
          py::arg("name") = "", py::arg("position") = py::none(), py::arg("rotation") = py::none(),
          py::arg("axis") = py::none(), py::arg("axis2") = py::none(), py::arg("pitch") = 0.0,
          py::arg("length") = py::none(),
          "mount(model: Model, q: ArrayLike, frame: str, type: str = 'fixed', name: str = '', position: "
          "ArrayLike | None = None, "
          "rotation: ArrayLike | None = None, axis: ArrayLike | None = None, axis2: ArrayLike | None = None, "
          "pitch: float = 0.0, "
          "length: float | None = None) -> Model\n\n"
          "The robot with one more loop of that type, from the world to a frame; without a place where the "
          "frame is at q [nq].");
}

}  // namespace

LoadOptions options_from(const py::kwargs& given) {
    LoadOptions options;
    for (const auto& [key, value] : given) {
        const auto name = key.cast<std::string>();
        const Site site{"load", name.c_str()};
        if (name == "coupling_ratio") {
            if (!value.is_none()) options.coupling_ratio = named<CouplingRatio>(name, value);
        } else if (name == "form") {
            if (!value.is_none()) options.form = named<Form>(name, value);
        } else if (name == "spherical_joints") {
            options.spherical_joints = truth(site, value.ptr());
        } else if (name == "floating_base") {
            options.floating_base = truth(site, value.ptr());
        } else if (name == "rotor_reduction") {
            options.rotor_reduction = truth(site, value.ptr());
        } else if (name == "rod_reduction") {
            options.rod_reduction = truth(site, value.ptr());
        } else if (name == "adjust") {
            options.adjust = truth(site, value.ptr());
        } else if (name == "strict") {
            options.strict = truth(site, value.ptr());
        } else if (name == "ignore_mocap") {
            options.ignore_mocap = truth(site, value.ptr());
        } else if (name == "hulls") {
            options.hulls = truth(site, value.ptr());
        } else if (name == "paths") {
            options.paths = texts_from(value);
        } else {
            throw py::type_error("there is no option '" + name + "'");
        }
    }
    return options;
}

/// Link, mesh and scale of a shape with a hull.
using HullKey = std::tuple<std::string, std::string, std::array<double, 3>>;

HullKey hull_key(const std::string& link, const grbda::Shape& shape) {
    return {link, shape.mesh, {shape.size.x(), shape.size.y(), shape.size.z()}};
}

/// Hulls by their keys, as points: a pickle may be read where the files are not.
py::list hulls_of(const Model& model) {
    py::list hulls;
    for (const BodyShape& shape : model.shapes)
        if (shape.shape.hull)
            hulls.append(py::make_tuple(hull_key(shape.link, shape.shape), hull_points(shape.shape)));
    return hulls;
}

void restore_hulls(const py::list& hulls, RobotDescription& robot) {
    std::map<HullKey, std::shared_ptr<const ConvexHull>> known;
    for (const py::handle& each : hulls) {
        const auto entry = each.cast<py::tuple>();
        std::string found;
        if (auto hull = convex_hull(points_from({"pickle", "hull"}, entry[1]), found))
            known[entry[0].cast<HullKey>()] = std::make_shared<const ConvexHull>(*std::move(hull));
    }
    for (LinkDescription& link : robot.links)
        for (ShapeDescription& shape : link.shapes)
            if (const auto entry = known.find(hull_key(link.name, shape.shape));
                shape.collision && entry != known.end())
                shape.shape.hull = entry->second;
}

py::tuple state_of(const Robot& robot) {
    return py::make_tuple(write_urdf(robot.mechanism), robot.options.rotor_reduction, robot.options.form,
                          robot.options.rod_reduction, robot.armature, robot.model.diagnostics,
                          std::vector<std::string>(robot.model.files), hulls_of(robot.model));
}

Pointer robot_from(const py::tuple& state) {
    if (state.size() != 8) throw py::value_error("this is not the pickle of a Model");
    const auto text = state[0].cast<std::string>();
    LoadOptions options;
    options.rotor_reduction = state[1].cast<bool>();
    options.form = state[2].cast<std::optional<Form>>();
    options.rod_reduction = state[3].cast<bool>();
    Diagnostics diagnostics;
    RobotDescription description = read_text(text, "pickle", diagnostics);
    restore_hulls(state[7].cast<py::list>(), description);
    Pointer robot = built(std::move(description), options, std::move(diagnostics));
    const auto armature = state[4].cast<std::vector<double>>();
    if (!armature.empty())
        robot->model =
            with_armature(std::move(robot->model), Table<double>(armature.begin(), armature.end()));
    robot->armature = armature;
    robot->model.diagnostics = state[5].cast<Diagnostics>();
    robot->model.files = state[6].cast<std::vector<std::string>>();
    return robot;
}

void bind_io(py::module_& m) {
    bind_load(m);
    bind_writers(m);
    bind_compose(m);
    bind_edit(m);
}

}  // namespace grbda::python
