#include "derivatives/contact_dynamics.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "components.hpp"
#include "parameters.hpp"
#include "robot.hpp"

// Dynamics with closed contacts, with their workspace.

namespace grbda::python {
namespace {

struct ContactsOfRobot : Work {
    ContactsOfRobot(const RobotPointer& of, const std::vector<ContactFrame>& contacts)
        : Work(of), data(of->model), value(of->model, contacts) {}

    grbda::Workspace<double> data;
    ContactDynamics value;
};

ContactFrame contact_frame(const Robot& robot, const std::string& frame, const py::object& point,
                           ContactKind kind) {
    const Vector3<double> offset =
        point.is_none() ? Vector3<double>{} : vector3_from({"ContactFrame", "point"}, point);
    return contact_at(robot.model, frame, kind, offset);
}

/// The phase that the arguments of a method describe.
ContactPhase phase_from(const char* function, const ContactsOfRobot& c,
                        const std::optional<std::vector<bool>>& active, double velocity_gain = 0,
                        double position_gain = 0, const py::object& positions = py::none(),
                        const py::object& rotations = py::none()) {
    const std::size_t count = c.value.contacts.size();
    ContactPhase phase{Table<char>(count, 1), velocity_gain, position_gain, {}};
    if (active) phase.active.assign(active->begin(), active->end());
    if (positions.is_none()) return phase;
    const auto places = static_cast<Py_ssize_t>(count);
    const Eigen::MatrixXd at = matrix_from({function, "positions"}, positions, places, 3);
    for (Py_ssize_t i = 0; i < places; ++i)
        phase.references.push_back({{at(i, 0), at(i, 1), at(i, 2)}, Matrix3<double>::identity()});
    if (rotations.is_none()) return phase;
    const Eigen::MatrixXd R = matrix_from({function, "rotations"}, rotations, 3 * places, 3);
    for (Py_ssize_t i = 0; i < places; ++i)
        phase.references[i].rotation = {{R(3 * i, 0), R(3 * i + 1, 0), R(3 * i + 2, 0)},
                                        {R(3 * i, 1), R(3 * i + 1, 1), R(3 * i + 2, 1)},
                                        {R(3 * i, 2), R(3 * i + 1, 2), R(3 * i + 2, 2)}};
    return phase;
}

void check_contacts(ContactsOfRobot& c, const char* function, const Result& result, bool raise) {
    c.result = result;
    if (!result.ok() && raise) raise_status(function, *c.robot, result);
}

py::object array(const Eigen::VectorXd& x) { return to_python(Eigen::Ref<const Eigen::VectorXd>(x)); }
py::object array(const Eigen::MatrixXd& x) { return to_python(Eigen::Ref<const Eigen::MatrixXd>(x)); }

py::tuple accelerate(ContactsOfRobot& c, const py::object& q, const py::object& yd, const py::object& tau,
                     const std::optional<std::vector<bool>>& active, double velocity_gain,
                     double position_gain, const py::object& positions, const py::object& rotations,
                     bool derivatives, bool raise) {
    const char* const function = "dynamics";
    const Use use(c, function);
    const Model& model = c.robot->model;
    const int n = model.nv, rows = c.value.rows;
    const Eigen::VectorXd at = vector_from({function, "q"}, q, model.nq),
                          rate = vector_from({function, "yd"}, yd, n),
                          force = vector_from({function, "tau"}, tau, n);
    const ContactPhase phase =
        phase_from(function, c, active, velocity_gain, position_gain, positions, rotations);
    Eigen::VectorXd ydd(n), f(rows);
    if (!derivatives) {
        check_contacts(c, function, contact_dynamics(model, c.data, c.value, phase, at, rate, force, ydd, f),
                       raise);
        return py::make_tuple(array(ydd), array(f));
    }
    Eigen::MatrixXd ydd_by(n, 3 * n), f_by(rows, 3 * n);
    check_contacts(
        c, function,
        contact_dynamics_derivatives(model, c.data, c.value, phase, at, rate, force, ydd, f, ydd_by, f_by),
        raise);
    return py::make_tuple(array(ydd), array(f), array(ydd_by), array(f_by));
}

py::tuple strike(ContactsOfRobot& c, const py::object& q, const py::object& yd,
                 const std::optional<std::vector<bool>>& active, bool derivatives, bool raise) {
    const char* const function = "impact";
    const Use use(c, function);
    const Model& model = c.robot->model;
    const int n = model.nv, rows = c.value.rows;
    const Eigen::VectorXd at = vector_from({function, "q"}, q, model.nq),
                          rate = vector_from({function, "yd"}, yd, n);
    const ContactPhase phase = phase_from(function, c, active);
    Eigen::VectorXd after(n), impulses(rows);
    if (!derivatives) {
        check_contacts(c, function, contact_impact(model, c.data, c.value, phase, at, rate, after, impulses),
                       raise);
        return py::make_tuple(array(after), array(impulses));
    }
    Eigen::MatrixXd yd_by(n, 2 * n), impulses_by(rows, 2 * n);
    check_contacts(c, function,
                   contact_impact_derivatives(model, c.data, c.value, phase, at, rate, after, impulses, yd_by,
                                              impulses_by),
                   raise);
    return py::make_tuple(array(after), array(impulses), array(yd_by), array(impulses_by));
}

py::tuple in_world(ContactsOfRobot& c, const py::object& f, const py::object& f_by) {
    const Use use(c, "forces_in_world");
    const py::object given = numbers({"forces_in_world", "f"}, f.ptr()),
                     by = numbers({"forces_in_world", "f_by"}, f_by.ptr());
    const Py_ssize_t columns = dimensions(by) == 2 ? extent(by, 1) : 0;
    const Eigen::VectorXd forces = vector_from({"forces_in_world", "f"}, given, c.value.rows);
    const Eigen::MatrixXd changes = matrix_from({"forces_in_world", "f_by"}, by, c.value.rows, columns);
    Eigen::VectorXd world_forces(c.value.rows);
    Eigen::MatrixXd world_changes(c.value.rows, columns);
    forces_in_world(c.value, forces, changes, world_forces, world_changes);
    return py::make_tuple(array(world_forces), array(world_changes));
}

py::object pyramid(double friction, const py::object& normal, int facets, bool inside) {
    if (facets < 3) throw py::value_error("friction_pyramid: facets must be 3 or more");
    Eigen::MatrixXd rows(facets, 3);
    friction_pyramid(friction, vector3_from({"friction_pyramid", "normal"}, normal), inside, rows);
    return array(rows);
}

void bind_frames(py::module_& m) {
    py::enum_<ContactKind>(m, "ContactKind", "Motion that a contact prevents: of a point, or of a frame.")
        .value("point", ContactKind::point)
        .value("frame", ContactKind::frame);
    py::class_<ContactFrame>(m, "ContactFrame",
                             "A place on a body that touches the world; forces are in its axes.")
        .def(
            py::init([](const std::shared_ptr<Robot>& model, const std::string& frame,
                        const py::object& point,
                        ContactKind kind) { return contact_frame(*model, frame, point, kind); }),
            model_argument(), py::arg("frame"), py::arg("point") = py::none(), py::kw_only(),
            py::arg("kind") = ContactKind::point,
            "__init__(self, model: Model, frame: str, point: ArrayLike | None = None, *, kind: ContactKind = "
            "ContactKind.point) -> None\n\n"
            "point [3]: m, from the frame's origin, in its axes.")
        .def_readonly("kind", &ContactFrame::kind, "ContactKind: three rows, or six")
        .def_property_readonly(
            "frame", [](const ContactFrame& c) { return c.frame.name; }, "str: its name");
    m.def(
        "friction_pyramid", &pyramid, py::arg("friction"), py::arg("normal"), py::arg("facets") = 4,
        py::kw_only(), flag("inside") = true,
        "friction_pyramid(friction: float, normal: ArrayLike, facets: int = 4, *, inside: bool = True) -> "
        "Array\n\n"
        "Rows [facets, 3] of a pyramid in place of a friction cone: a force f is in it if rows @ f >= 0.\n\n"
        "    normal [3]: of the ground, not zero\n"
        "    inside: the pyramid is in the cone, otherwise around it");
}

}  // namespace

void bind_contact_dynamics(py::module_& m) {
    bind_frames(m);
    using C = ContactsOfRobot;
    py::class_<C, std::shared_ptr<C>>(
        m, "ContactDynamics",
        "Dynamics of a robot whose contacts neither separate nor slip, and impacts on them, with exact "
        "derivatives.")
        .def(py::init([](const std::shared_ptr<Robot>& model, const std::vector<ContactFrame>& contacts) {
                 return std::make_shared<C>(model, contacts);
             }),
             model_argument(), py::arg("contacts"),
             "__init__(self, model: Model, contacts: Sequence[ContactFrame]) -> None\n\n"
             "Contacts that may be closed; each call says which of them are.")
        .def_property_readonly(
            "rows", [](const C& c) { return c.value.rows; },
            "int: length of forces, three for each point and six for each frame")
        .def_property_readonly("rank", guarded<C>("rank", [](const C& c) { return c.value.rank; }),
                               "int: of the active rows in the last call; less if contacts are redundant")
        .def_property_readonly(
            "residual", guarded<C>("residual", [](const C& c) { return c.value.residual; }),
            "float: largest acceleration or velocity by which redundant contacts contradict one another")
        .def("dynamics", &accelerate, py::arg("q"), py::arg("yd"), py::arg("tau"),
             py::arg("active") = py::none(), py::kw_only(), py::arg("velocity_gain") = 0.0,
             py::arg("position_gain") = 0.0, py::arg("positions") = py::none(),
             py::arg("rotations") = py::none(), flag("derivatives") = false, flag("check") = true,
             "dynamics(self, q: ArrayLike, yd: ArrayLike, tau: ArrayLike, active: Sequence[bool] | None = "
             "None, *, velocity_gain: float = 0.0, position_gain: float = 0.0, positions: ArrayLike | None = "
             "None, rotations: ArrayLike | None = None, derivatives: bool = False, check: bool = True) -> "
             "tuple[Array, ...]\n\n"
             "(ydd, f), accelerations and forces [rows] of the world in the axes of the contacts; with "
             "derivatives also\n"
             "(ydd_by, f_by) [nv, 3 nv] and [rows, 3 nv], by y, yd and tau.\n\n"
             "    q [nq]: closes the loops\n"
             "    yd [nv]: independent velocities\n"
             "    tau [nv]: forces on the independent coordinates\n"
             "    active: for each contact, whether it is closed; None: all of them\n"
             "    velocity_gain, position_gain: 1/s and 1/s², rates at which errors decay\n"
             "    positions [contacts, 3]: m, where contacts should be in the world; for position_gain\n"
             "    rotations [3 contacts, 3]: of the frames, one below the other, for contacts of that kind")
        .def(
            "impact", &strike, py::arg("q"), py::arg("yd"), py::arg("active") = py::none(), py::kw_only(),
            flag("derivatives") = false, flag("check") = true,
            "impact(self, q: ArrayLike, yd: ArrayLike, active: Sequence[bool] | None = None, *, derivatives: "
            "bool = False, check: bool = True) -> tuple[Array, ...]\n\n"
            "(yd_after, impulses): velocity after an impact without rebound or slip, and impulses [rows]; "
            "with derivatives\n"
            "also (yd_by, impulses_by) [nv, 2 nv] and [rows, 2 nv], by y and yd.\n\n"
            "    q [nq]: closes the loops\n"
            "    yd [nv]: independent velocities before the impact\n"
            "    active: for each contact, whether it strikes; None: all of them")
        .def("forces_in_world", &in_world, py::arg("f"), py::arg("f_by"),
             "forces_in_world(self, f: ArrayLike, f_by: ArrayLike) -> tuple[Array, Array]\n\n"
             "Forces or impulses of the last call and their derivatives, in the axes of the world: for "
             "friction cones.\n\n"
             "    f [rows]: as the call returned them\n"
             "    f_by [rows, 2 nv or 3 nv]: their derivatives");
}

}  // namespace grbda::python
