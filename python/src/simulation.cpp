#include <pybind11/stl.h>

#include "grbda/collision/collide.hpp"
#include "constraints/coordinates.hpp"
#include "grbda/io/height_field.hpp"
#include "grbda/simulation/batch_simulator.hpp"
#include "grbda/simulation/simulator.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "robot.hpp"
#include "simulations.hpp"
#include "values.hpp"

namespace grbda::python {
namespace {

void check(const char* function, const Robot& robot, const Result& result, bool raise, const Inputs& inputs) {
    if (!result.ok() && raise) raise_status(function, robot, result, cause_among(inputs, result));
}

/// An attribute that is read between two steps.
template <class Read>
auto between_steps(const char* name, Read read) {
    return guarded<Simulation>(name, read);
}

int motors_of(const Simulation& s) { return static_cast<int>(s.value.motor_torques().size()); }

StepOutcome step(Simulation& s, const py::object& tau_s, const py::object& target, const py::object& rate,
                 const py::object& external, const py::object& motor_tau, const py::object& motor_target,
                 const py::object& motor_rate, const py::object& count, bool raise) {
    const Use use(s, "step");
    const int steps = whole_number({"step", "steps"}, count);
    const Given given(s.robot->model, motors_of(s), tau_s, target, rate, external,
                      {motor_tau, motor_target, motor_rate});
    if (steps < 1) throw py::value_error("step: steps must be 1 or more, not " + std::to_string(steps));
    StepOutcome outcome;
    {
        Unlocked unlocked;
        for (int i = 0; i < steps && outcome.result.ok(); ++i) {
            outcome = s.value.step(given.controls());
            unlocked.answer_signals();
        }
    }
    s.result = outcome.result;
    check("step", *s.robot, outcome.result, raise, given.inputs());
    return outcome;
}

py::tuple step_derivatives(Simulation& s, const py::object& tau_s, const py::object& target,
                           const py::object& rate, const py::object& external, bool raise) {
    const Use use(s, "step_derivatives");
    const Model& model = s.robot->model;
    const Given given(model, motors_of(s), tau_s, target, rate, external,
                      {py::none(), py::none(), py::none()});
    Eigen::MatrixXd A(2 * model.nv, 2 * model.nv), B(2 * model.nv, model.nv_tree);
    {
        const Unlocked unlocked;
        s.result = s.value.step_derivatives(given.controls(), A, B);
    }
    check("step_derivatives", *s.robot, s.result, raise, given.inputs());
    return py::make_tuple(to_python(Eigen::Ref<const Eigen::MatrixXd>(A)),
                          to_python(Eigen::Ref<const Eigen::MatrixXd>(B)));
}

void set_state(Simulation& s, const py::object& q, const py::object& qd, double time, bool raise) {
    const Use use(s, "set_state");
    const Eigen::VectorXd at = vector_from({"set_state", "q"}, q, s.robot->model.nq);
    const Eigen::VectorXd rate = vector_from({"set_state", "qd"}, qd, s.robot->model.nv_tree);
    {
        const Unlocked unlocked;
        s.result = s.value.set_state(at, rate, time);
    }
    check("set_state", *s.robot, s.result, raise, {{"q", &at}, {"qd", &rate}});
}

py::tuple state_at(Simulation& s, double time, bool raise) {
    const Use use(s, "state_at");
    const Model& model = s.robot->model;
    Eigen::VectorXd q(model.nq), qd(model.nv_tree);
    {
        const Unlocked unlocked;
        s.result = s.value.state_at(time, q, qd);
    }
    check("state_at", *s.robot, s.result, raise, {});
    return py::make_tuple(to_python(Eigen::Ref<const Eigen::VectorXd>(q)),
                          to_python(Eigen::Ref<const Eigen::VectorXd>(qd)));
}

void set_ground(Simulation& s, const Floor& ground, const py::object& linear, const py::object& angular,
                double since) {
    const Use use(s, "set_ground");
    s.surface.set(s.value, ground_of(ground), motion_of_ground(linear, angular, since));
}

void restore(Simulation& s, const SimulatorState& state) {
    const Use use(s, "restore");
    s.value.restore(state);
}

/// Another simulation in the same state.
std::shared_ptr<Simulation> simulation_from(const RobotPointer& robot, const SimulatorOptions& options,
                                            const Surface& surface, const SimulatorState& state,
                                            const Result& result) {
    auto made = std::make_shared<Simulation>(robot, options, surface.ground);
    made->surface.set(made->value, surface.ground, surface.motion);
    made->value.restore(state);
    made->result = result;
    return made;
}

std::shared_ptr<Simulation> copy_of(Simulation& s) {
    const Use use(s, "copy");
    return simulation_from(s.robot, s.value.options(), s.surface, s.value.state(), s.result);
}

py::tuple stored_simulation(Simulation& s) {
    const Use use(s, "pickle");
    return py::make_tuple(std::const_pointer_cast<Robot>(s.robot), SimulatorOptions(s.value.options()),
                          s.surface.stored(), s.value.state(), s.result);
}

std::shared_ptr<Simulation> restored_simulation(const py::tuple& state) {
    if (state.size() != 5) throw py::value_error("this is not the pickle of a Simulator");
    return simulation_from(state[0].cast<std::shared_ptr<Robot>>(), state[1].cast<SimulatorOptions>(),
                           Surface::from(state[2]), state[3].cast<SimulatorState>(), state[4].cast<Result>());
}

void bind_ground(py::module_& m) {
    py::class_<Plane> plane(m, "Plane", "Ground: what is solid below the points p with normal · p = offset.");
    bind_numbers(plane);
    plane
        .def(py::init([](const py::object& normal, double offset) {
                 return normal.is_none() ? Plane{{0, 0, 1}, offset}
                                         : Plane{vector3_from({"Plane", "normal"}, normal), offset};
             }),
             py::arg("normal") = py::none(), py::arg("offset") = 0.0,
             "__init__(self, normal: ArrayLike | None = None, offset: float = 0.0) -> None\n\nnormal [3] of "
             "length 1, None: up; "
             "offset m.")
        .def_property_readonly(
            "normal", [](const Plane& p) { return to_python(p.normal); }, "Array: [3] of length 1")
        .def_readonly("offset", &Plane::offset, "float: m");
    py::class_<HeightField> field(m, "HeightField",
                                  "Ground as heights on a regular grid along x and y, solid below.");
    bind_members(field, &HeightField::columns, &HeightField::rows, &HeightField::spacing_x,
                 &HeightField::spacing_y, &HeightField::origin, &HeightField::heights);
    field
        .def(py::init(&height_field), py::arg("heights"), py::arg("spacing") = py::make_tuple(1.0, 1.0),
             py::arg("origin") = py::none(),
             "__init__(self, heights: ArrayLike, spacing: tuple[float, float] = (1.0, 1.0), origin: "
             "ArrayLike | None = None) -> None\n\n"
             "heights [rows, columns] m, rows along y and columns along x, NaN: unknown; spacing along x and "
             "y, m; origin [3] m of "
             "the first sample, and where height 0 is.")
        .def_readonly("rows", &HeightField::rows, "int: samples along y")
        .def_readonly("columns", &HeightField::columns, "int: samples along x")
        .def("height", &ground_height, py::arg("x"), py::arg("y"),
             "height(self, x: float, y: float) -> float | None\n\nz of the ground, m; None where there is "
             "no ground.");
    m.def("load_height_field", &load_height_field, py::arg("path"),
          "load_height_field(path: str) -> HeightField\n\nReads an ASCII grid of Esri (.asc).");
}

/// Binds a table of motors as a sequence.
template <class Class>
void bind_motor_option(Class& type, const char* name, Table<double> MotorOptions::*member,
                       const char* documentation) {
    type.def_property(
        name, [member](const SimulatorOptions& o) { return std::vector<double>(o.motors.*member); },
        [member](SimulatorOptions& o, std::vector<double> values) { o.motors.*member = std::move(values); },
        documentation);
}

template <class Class>
void bind_motor_options(Class& type) {
    bind_motor_option(type, "motor_stiffness", &MotorOptions::stiffness,
                      "Sequence[float]: [motors] N·m/rad or N/m, at the motor; empty: zero");
    bind_motor_option(type, "motor_damping", &MotorOptions::damping,
                      "Sequence[float]: [motors] N·m·s/rad or N·s/m, at the motor; empty: zero");
    bind_motor_option(type, "motor_torque", &MotorOptions::torque,
                      "Sequence[float]: [motors] largest torque at the motor, N·m or N; empty: no limit");
    bind_motor_option(
        type, "motor_speed", &MotorOptions::speed,
        "Sequence[float]: [motors] speed at which no torque is left in its direction, rad/s; empty: none");
    bind_motor_option(type, "motor_stall", &MotorOptions::stall,
                      "Sequence[float]: [motors] torque of that line at rest; empty: `motor_torque`");
    type.def_readwrite("delay", &SimulatorOptions::delay,
                       "int: steps by which controls act late, except external wrenches");
}

/// Accessor of a flag that accepts only True and False, not the objects that Python converts to them.
auto flag_of(bool SimulatorOptions::*member) {
    return [member](const SimulatorOptions& options) { return options.*member; };
}
auto set_flag_of(bool SimulatorOptions::*member) {
    return [member](SimulatorOptions& options, py::handle value) {
        options.*member = truth({"SimulatorOptions", "flag"}, value.ptr());
    };
}

void bind_options(py::module_& m) {
    py::enum_<StepRule>(m, "StepRule", "Rule of a step.")
        .value("semi_implicit", StepRule::semi_implicit)
        .value("runge_kutta", StepRule::runge_kutta)
        .value("adaptive", StepRule::adaptive);
    py::enum_<ContactModel>(m, "ContactModel", "Model of contacts.")
        .value("compliant", ContactModel::compliant)
        .value("rigid", ContactModel::rigid);
    py::class_<SimulatorOptions> type(
        m, "SimulatorOptions",
        "Options of a simulation: its step rule, and the forces and contacts that act.");
    bind_motor_options(type);
    type.def(py::init([](const py::kwargs& given) { return from_settings<SimulatorOptions>(given); }),
             "__init__(self, *, step: float = 0.001, rule: StepRule = StepRule.semi_implicit, tolerance: "
             "float = 1e-08, "
             "contact: ContactModel = ContactModel.compliant, friction: float = 1.0, stiffness: float = 0.0, "
             "dissipation: float = 0.0, recovery: float = 0.5, most_contacts: int = 64, contacts: bool = "
             "True, "
             "self_collision: bool = False, limits: bool = True, passive: bool = True, servo_stiffness: "
             "Sequence[float] = (), servo_damping: Sequence[float] = (), servo_force: Sequence[float] = (), "
             "motor_stiffness: Sequence[float] = "
             "(), "
             "motor_damping: Sequence[float] = (), motor_torque: Sequence[float] = (), motor_speed: "
             "Sequence[float] = (), motor_stall: Sequence[float] = (), delay: int = 0, search_other_pairs: "
             "bool "
             "= False) -> None\n\nEach may be set later, too.")
        .def_readwrite("step", &SimulatorOptions::step, "float: s")
        .def_readwrite("rule", &SimulatorOptions::rule, "StepRule: of a step")
        .def_readwrite("tolerance", &SimulatorOptions::tolerance,
                       "float: adaptive: error of a part, of positions in rad or m, of ẏ relative to 1 + |ẏ|")
        .def_readwrite("contact", &SimulatorOptions::contact, "ContactModel: of all contacts")
        .def_readwrite("friction", &SimulatorOptions::friction, "float: of surfaces that say nothing")
        .def_readwrite("stiffness", &SimulatorOptions::stiffness,
                       "float: of surfaces, N/m; 0: as hard as a step allows")
        .def_readwrite("dissipation", &SimulatorOptions::dissipation,
                       "float: damping of surfaces over their stiffness, s")
        .def_readwrite("recovery", &SimulatorOptions::recovery,
                       "float: m/s or rad/s at most, at which overlap is undone")
        .def_readwrite("most_contacts", &SimulatorOptions::most_contacts, "int: deeper ones first")
        .def_property("contacts", flag_of(&SimulatorOptions::contacts),
                      set_flag_of(&SimulatorOptions::contacts),
                      "bool: without them bodies pass through the ground and one another")
        .def_property("self_collision", flag_of(&SimulatorOptions::self_collision),
                      set_flag_of(&SimulatorOptions::self_collision),
                      "bool: between bodies that no joint connects")
        .def_property("limits", flag_of(&SimulatorOptions::limits), set_flag_of(&SimulatorOptions::limits),
                      "bool: of joints")
        .def_property("passive", flag_of(&SimulatorOptions::passive), set_flag_of(&SimulatorOptions::passive),
                      "bool: springs, dampers, dry friction of the robot")
        .def_property(
            "servo_stiffness",
            [](const SimulatorOptions& o) { return std::vector<double>(o.servo_stiffness); },
            [](SimulatorOptions& o, std::vector<double> values) { o.servo_stiffness = std::move(values); },
            "Sequence[float]: [nv_tree] N·m/rad, N/m; empty: no servos")
        .def_property(
            "servo_damping", [](const SimulatorOptions& o) { return std::vector<double>(o.servo_damping); },
            [](SimulatorOptions& o, std::vector<double> values) { o.servo_damping = std::move(values); },
            "Sequence[float]: [nv_tree] N·m·s/rad, N·s/m; likewise")
        .def_property(
            "servo_force", [](const SimulatorOptions& o) { return std::vector<double>(o.servo_force); },
            [](SimulatorOptions& o, std::vector<double> values) { o.servo_force = std::move(values); },
            "Sequence[float]: [nv_tree] N·m, N, largest of each servo; empty: no limits")
        .def_property(
            "search_other_pairs", [](const SimulatorOptions& o) { return o.other_pairs != nullptr; },
            [](SimulatorOptions& o, py::handle on) {
                o.other_pairs =
                    truth({"SimulatorOptions", "search_other_pairs"}, on.ptr()) ? &collide_convex : nullptr;
            },
            "bool: touches of solids without a closed form, by search");
    bind_settings(type);
}

void bind_simulator(py::module_& m) {
    m.def(
        "with_servos",
        [](const std::shared_ptr<Robot>& model, const std::optional<SimulatorOptions>& options) {
            return with_servos(model->model, options.value_or(SimulatorOptions{}));
        },
        model_argument(), py::arg("options") = py::none(),
        "with_servos(model: Model, options: SimulatorOptions | None = None) -> SimulatorOptions\n\n"
        "The options with the servos of the robot's files and their largest forces, in place of those that "
        "they had.");
    py::class_<Simulation, std::shared_ptr<Simulation>>(
        m, "Simulator", "A robot in motion: forces, contacts, limits and friction.")
        .def(py::init([](const std::shared_ptr<Robot>& model, const std::optional<SimulatorOptions>& options,
                         const Floor& ground) {
                 return std::make_shared<Simulation>(model, options.value_or(SimulatorOptions{}),
                                                     ground_of(ground));
             }),
             model_argument(), py::arg("options") = py::none(), py::arg("ground") = py::none(),
             "__init__(self, model: Model, options: SimulatorOptions | None = None, ground: Plane | "
             "HeightField | None = None) -> "
             "None\n\nFrom the neutral configuration, at rest.")
        .def("__copy__", &copy_of)
        .def("__deepcopy__", [](Simulation& s, const py::dict&) { return copy_of(s); })
        .def(py::pickle(&stored_simulation, &restored_simulation))
        .def_property_readonly(
            "model", [](const Simulation& s) { return std::const_pointer_cast<Robot>(s.robot); },
            "Model: that it was made for")
        .def("set_state", &set_state, py::arg("q"), py::arg("qd"), py::arg("time") = 0.0, py::kw_only(),
             flag("check") = true,
             "set_state(self, q: ArrayLike, qd: ArrayLike, time: float = 0.0, *, check: bool = True) -> "
             "None\n\n"
             "Starts anew: q [nq] closes the loops, qd [nv_tree] keeps to them; time in s.")
        .def("state", between_steps("Simulator.state", [](const Simulation& s) { return s.value.state(); }),
             "state(self) -> SimulatorState\n\nA copy of the state, to go on from later.")
        .def("restore", &restore, py::arg("state"),
             "restore(self, state: SimulatorState) -> None\n\n"
             "Continues from a state of this simulator, or of another of the same robot and step.")
        .def("set_ground", &set_ground, py::arg("ground"), py::kw_only(), py::arg("linear") = py::none(),
             py::arg("angular") = py::none(), py::arg("since") = 0.0,
             "set_ground(self, ground: Plane | HeightField | None, *, linear: ArrayLike | None = None, "
             "angular: ArrayLike | None = None, since: float = 0.0) -> None\n\n"
             "Replaces the ground and its motion from the next step on. Its point at p has the velocity "
             "linear + angular × p, in world\n"
             "axes, m/s and rad/s; p is from the world's origin. At the time `since`, s, it is where it is "
             "given, at others where this\nmotion leads.\nGive since=time to start from the given pose.")
        .def(
            "step", &step, py::arg("tau_s") = py::none(), py::arg("target") = py::none(),
            py::arg("target_rate") = py::none(), py::kw_only(), py::arg("external") = py::none(),
            py::arg("motor_tau") = py::none(), py::arg("motor_target") = py::none(),
            py::arg("motor_target_rate") = py::none(), py::arg("steps") = 1, flag("check") = true,
            "step(self, tau_s: ArrayLike | None = None, target: ArrayLike | None = None, target_rate: "
            "ArrayLike | None = None, *, "
            "external: Mapping[str | int, ArrayLike] | None = None, motor_tau: ArrayLike | None = None, "
            "motor_target: ArrayLike | None = None, motor_target_rate: ArrayLike | None = None, steps: int = "
            "1, check: bool = True) -> StepOutcome\n\n"
            "Steps under forces of all joints tau_s [nv_tree], N·m or N, targets of servos [nv_tree], and "
            "external wrenches\n"
            "{frame: [force; moment]} at the origins of frames, in world axes, N and N·m. Torques and "
            "targets of motors\n"
            "[motors] are at the motors, in the order of `motor_coordinates` without floating joints; limits "
            "clip them, see "
            "`SimulatorOptions`. The outcome\n"
            "is that of the last step. If a step fails, the state is the one before it.")
        .def_property_readonly(
            "motor_torques",
            between_steps("Simulator.motor_torques",
                          [](const Simulation& s) {
                              const std::span<const double> torques = s.value.motor_torques();
                              return read_only(Eigen::Map<const Eigen::VectorXd>(
                                  torques.data(), static_cast<Eigen::Index>(torques.size())));
                          }),
            "Array: [motors] N·m or N at the motors in the last step; zero before the first")
        .def("state_at", &state_at, py::arg("time"), py::kw_only(), flag("check") = true,
             "state_at(self, time: float, *, check: bool = True) -> tuple[Array, Array]\n\n"
             "q [nq] and qd [nv_tree] at a time within the last step, s. Only the adaptive rule knows them.")
        .def("step_derivatives", &step_derivatives, py::arg("tau_s") = py::none(),
             py::arg("target") = py::none(), py::arg("target_rate") = py::none(), py::kw_only(),
             py::arg("external") = py::none(), flag("check") = true,
             "step_derivatives(self, tau_s: ArrayLike | None = None, target: ArrayLike | None = None, "
             "target_rate: ArrayLike | None = "
             "None, *, external: Mapping[str | int, ArrayLike] | None = None, check: bool = True) -> "
             "tuple[Array, "
             "Array]\n\n"
             "A [2 nv, 2 nv] and B [2 nv, nv_tree] of the step from here, through its contacts; it is not "
             "taken.")
        .def_property_readonly(
            "q", between_steps("Simulator.q", [](const Simulation& s) { return read_only(s.value.q()); }),
            "Array: [nq]")
        .def_property_readonly(
            "qd", between_steps("Simulator.qd", [](Simulation& s) { return read_only(s.value.velocity()); }),
            "Array: [nv_tree]")
        .def_property_readonly(
            "time", between_steps("Simulator.time", [](const Simulation& s) { return s.value.time(); }),
            "float: s")
        .def_property_readonly(
            "switches",
            between_steps("Simulator.switches", [](const Simulation& s) { return s.value.switches(); }),
            "int: how often a cluster has changed its coordinates")
        .def_property_readonly(
            "chart", between_steps("Simulator.chart", [](const Simulation& s) { return s.value.chart(); }),
            "Chart: coordinates of the derivatives")
        .def_property_readonly("contacts",
                               between_steps("Simulator.contacts",
                                             [](const Simulation& s) { return listed(s.value.contacts()); }),
                               "list[ContactState]: of the last step")
        .def("energies",
             between_steps("Simulator.energies", [](Simulation& s) { return s.value.energies(); }),
             "energies(self) -> Energies\n\nAt the state, J.");
}

}  // namespace

void bind_simulation(py::module_& m) {
    bind_ground(m);
    bind_options(m);
    bind_outcomes(m);
    bind_simulator(m);
    bind_batch_simulator(m);
}

}  // namespace grbda::python
