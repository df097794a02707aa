#include "simulations.hpp"
#include "values.hpp"

namespace grbda::python {
namespace {

/// [count, size], or nothing.
std::optional<Eigen::MatrixXd> each(const Simulations& s, const char* name, const py::object& given,
                                    int size) {
    if (given.is_none()) return std::nullopt;
    return matrix_from({"step", name}, given, s.value.count(), size).transpose();
}

std::span<const double> column(const std::optional<Eigen::MatrixXd>& values, Eigen::Index j) {
    if (!values) return {};
    return {values->col(j).data(), static_cast<std::size_t>(values->rows())};
}

/// Steps of all simulations, some simulations and some steps at a time, with signals answered in between.
void take_steps(Simulations& s, std::span<const Controls> controls, int steps,
                std::span<StepOutcome> outcomes) {
    Unlocked unlocked;
    const auto some = [&](std::ptrdiff_t first, std::ptrdiff_t count) {
        const auto at = static_cast<std::size_t>(first), size = static_cast<std::size_t>(count);
        in_blocks(unlocked, steps, 1, [&](std::ptrdiff_t, std::ptrdiff_t now) {
            static_cast<void>(s.value.step_some(static_cast<int>(first), static_cast<int>(count),
                                                controls.empty() ? controls : controls.subspan(at, size),
                                                static_cast<int>(now), outcomes.subspan(at, size)));
        });
    };
    constexpr std::ptrdiff_t block = 256;
    in_blocks(unlocked, s.value.count(), block, some);
}

std::vector<StepOutcome> step_many(Simulations& s, const py::object& tau_s, const py::object& target,
                                   const py::object& rate, const py::object& external,
                                   const py::object& motor_tau, const py::object& motor_target,
                                   const py::object& motor_rate, const py::object& number, bool raise) {
    const Use use(s, "step");
    const int steps = whole_number({"step", "steps"}, number);
    const int n = s.robot->model.nv_tree;
    const auto forces = each(s, "tau_s", tau_s, n), targets = each(s, "target", target, n),
               rates = each(s, "target_rate", rate, n),
               motor_forces = each(s, "motor_tau", motor_tau, s.motors),
               motor_targets = each(s, "motor_target", motor_target, s.motors),
               motor_rates = each(s, "motor_target_rate", motor_rate, s.motors);
    if (steps < 1) throw py::value_error("step: steps must be 1 or more, not " + std::to_string(steps));
    const auto count = static_cast<std::size_t>(s.value.count());
    const std::vector<ExternalWrench> wrenches = external_wrenches(s.robot->model, external, s.value.count());
    const std::size_t of_each = wrenches.size() / count;
    const bool any = forces || targets || rates || motor_forces || motor_targets || motor_rates;
    std::vector<Controls> controls(any || of_each > 0 ? count : 0);
    for (std::size_t i = 0; i < controls.size(); ++i) {
        const auto j = static_cast<Eigen::Index>(i);
        controls[i] = {column(forces, j),       column(targets, j),
                       column(rates, j),        std::span(wrenches).subspan(i * of_each, of_each),
                       column(motor_forces, j), column(motor_targets, j),
                       column(motor_rates, j)};
    }
    std::vector<StepOutcome> outcomes(count);
    take_steps(s, controls, steps, outcomes);
    const auto failed = std::find_if(outcomes.begin(), outcomes.end(),
                                     [](const StepOutcome& outcome) { return !outcome.result.ok(); });
    s.result = failed == outcomes.end() ? Result{} : failed->result;
    if (failed != outcomes.end() && raise)
        raise_status("step", *s.robot, s.result,
                     " of simulation " + std::to_string(failed - outcomes.begin()));
    return outcomes;
}

void set_state_of_one(Simulations& s, int simulation, const py::object& q, const py::object& qd, bool raise) {
    const Use use(s, "set_state");
    const Eigen::VectorXd at = vector_from({"set_state", "q"}, q, s.robot->model.nq);
    const Eigen::VectorXd rate = vector_from({"set_state", "qd"}, qd, s.robot->model.nv_tree);
    {
        const Unlocked unlocked;
        s.result = s.value.set_state(simulation, at, rate);
    }
    if (!s.result.ok() && raise)
        raise_status("set_state", *s.robot, s.result, cause_among({{"q", &at}, {"qd", &rate}}, s.result));
}

void set_ground_of_all(Simulations& s, const Floor& ground, const py::object& linear,
                       const py::object& angular, double since) {
    const Use use(s, "set_ground");
    s.surface.set(s.value, ground_of(ground), motion_of_ground(linear, angular, since));
}

void restore_one(Simulations& s, int simulation, const SimulatorState& state) {
    const Use use(s, "restore");
    s.value.restore(simulation, state);
}

std::vector<Status> set_states(Simulations& s, const py::object& q, const py::object& qd,
                               const py::object& marked, double time, bool raise) {
    const Use use(s, "set_states");
    const int count = s.value.count();
    const Eigen::MatrixXd at = matrix_from({"set_states", "q"}, q, count, s.robot->model.nq).transpose();
    const Eigen::MatrixXd rates =
        matrix_from({"set_states", "qd"}, qd, count, s.robot->model.nv_tree).transpose();
    std::vector<char> chosen;
    if (!marked.is_none())
        for (const bool one : marked.cast<std::vector<bool>>()) chosen.push_back(one ? 1 : 0);
    std::vector<Status> statuses(static_cast<std::size_t>(count));
    BatchOutcome outcome;
    {
        const Unlocked unlocked;
        outcome = s.value.set_states(chosen, at, rates, time, statuses);
    }
    s.result = {outcome.status};
    if (!outcome.ok() && raise)
        raise_status("set_states", *s.robot, s.result,
                     " of simulation " + std::to_string(outcome.simulation));
    return statuses;
}

/// Other simulations with this ground and these parameters, in these states.
std::shared_ptr<Simulations> simulations_from(const RobotPointer& robot, const SimulatorOptions& options,
                                              int threads, const Surface& surface,
                                              const std::vector<OwnRows>& own,
                                              const std::vector<SimulatorState>& states,
                                              const Result& result) {
    auto made = std::make_shared<Simulations>(robot, static_cast<int>(states.size()), options, surface.ground,
                                              threads);
    made->surface.set(made->value, surface.ground, surface.motion);
    made->own = own;
    for (std::size_t i = 0; i < own.size(); ++i)
        made->value.set_parameters(static_cast<int>(i), own[i].parameters());
    for (std::size_t i = 0; i < states.size(); ++i) made->value.restore(static_cast<int>(i), states[i]);
    made->result = result;
    return made;
}

std::vector<SimulatorState> states_of(const Simulations& s) {
    std::vector<SimulatorState> states;
    for (int i = 0; i < s.value.count(); ++i) states.push_back(s.value.state(i));
    return states;
}

std::shared_ptr<Simulations> copy_of(Simulations& s) {
    const Use use(s, "copy");
    return simulations_from(s.robot, s.value.options(), s.threads, s.surface, s.own, states_of(s), s.result);
}

py::tuple stored_simulations(Simulations& s) {
    const Use use(s, "pickle");
    py::list own;
    for (OwnRows& rows : s.own) {
        py::list row;
        for (const std::vector<double>* values : rows.all()) row.append(*values);
        own.append(row);
    }
    return py::make_tuple(std::const_pointer_cast<Robot>(s.robot), SimulatorOptions(s.value.options()),
                          s.threads, s.surface.stored(), own, states_of(s), s.result);
}

std::shared_ptr<Simulations> restored_simulations(const py::tuple& state) {
    if (state.size() != 7) throw py::value_error("this is not the pickle of a BatchSimulator");
    std::vector<OwnRows> own;
    for (const py::handle row : state[4]) {
        const auto values = row.cast<std::vector<std::vector<double>>>();
        OwnRows& rows = own.emplace_back();
        if (values.size() != rows.all().size())
            throw py::value_error("this is not the pickle of a BatchSimulator");
        for (std::size_t i = 0; i < values.size(); ++i) *rows.all()[i] = values[i];
    }
    return simulations_from(state[0].cast<std::shared_ptr<Robot>>(), state[1].cast<SimulatorOptions>(),
                            state[2].cast<int>(), Surface::from(state[3]), own,
                            state[5].cast<std::vector<SimulatorState>>(), state[6].cast<Result>());
}

py::object positions(Simulations& s) {
    const Use use(s, "BatchSimulator.q");
    const Shape shape{.states = s.value.count(), .rows = s.robot->model.nq};
    py::object all = new_array(shape);
    for (int i = 0; i < s.value.count(); ++i)
        Eigen::Map<Eigen::VectorXd>(data_of(all) + i * shape.rows, shape.rows) = s.value.q(i);
    return all;
}

py::object velocities(Simulations& s) {
    const Use use(s, "BatchSimulator.qd");
    const Shape shape{.states = s.value.count(), .rows = s.robot->model.nv_tree};
    py::object all = new_array(shape);
    for (int i = 0; i < s.value.count(); ++i)
        s.value.velocity(i, Eigen::Map<Eigen::VectorXd>(data_of(all) + i * shape.rows, shape.rows));
    return all;
}

/// Getter for a quantity of one simulation, to be called between two steps.
template <class Read>
auto of_one(const char* name, Read read) {
    return [name, read](Simulations& s, int simulation) {
        const Use use(s, name);
        return read(s.value, simulation);
    };
}

}  // namespace

py::tuple Surface::stored() const {
    const auto numbers = [](const Eigen::Vector3d& v) { return std::vector<double>{v.x(), v.y(), v.z()}; };
    return py::make_tuple(ground, numbers(motion.linear), numbers(motion.angular), motion.since);
}

Surface Surface::from(const py::tuple& state) {
    if (state.size() != 4) throw py::value_error("this is not the pickle of a simulation");
    return {ground_of(state[0].cast<Floor>()), motion_of_ground(state[1], state[2], state[3].cast<double>())};
}

std::vector<ExternalWrench> external_wrenches(const Model& model, const py::object& given, int count) {
    if (given.is_none()) return {};
    const py::dict wrenches(given);
    const py::object dimensions = py::module_::import("numpy").attr("ndim");
    std::vector<ExternalWrench> result(static_cast<std::size_t>(count) * wrenches.size());
    std::size_t place = 0;
    for (const auto& [key, value] : wrenches) {
        const int frame =
            py::isinstance<py::str>(key) ? model.frame(key.cast<std::string>()).index : key.cast<int>();
        const py::object numbers = py::reinterpret_borrow<py::object>(value);
        const bool alike = dimensions(numbers).cast<int>() < 2;
        Eigen::MatrixXd all(1, 6);
        if (alike)
            all.row(0) = vector_from({"step", "external"}, numbers, 6);
        else
            all = matrix_from({"step", "external"}, numbers, count, 6);
        for (int i = 0; i < count; ++i) {
            const Eigen::VectorXd wrench = all.row(alike ? 0 : i);
            result[static_cast<std::size_t>(i) * wrenches.size() + place] = {frame, wrench.head<3>(),
                                                                             wrench.tail<3>()};
        }
        ++place;
    }
    return result;
}

Given::Given(const Model& model, int motor_count, const py::object& forces, const py::object& target,
             const py::object& rate, const py::object& external, const MotorControls& motors)
    : external_(external_wrenches(model, external, 1)) {
    const auto read = [](const char* name, const py::object& given, int size, Eigen::VectorXd& into) {
        if (!given.is_none()) into = vector_from({"step", name}, given, size);
    };
    read("tau_s", forces, model.nv_tree, tau_s_);
    read("target", target, model.nv_tree, target_);
    read("target_rate", rate, model.nv_tree, rate_);
    read("motor_tau", motors.tau, motor_count, motor_tau_);
    read("motor_target", motors.target, motor_count, motor_target_);
    read("motor_target_rate", motors.rate, motor_count, motor_rate_);
}

std::string cause_among(const Inputs& inputs, const Result& result) {
    std::string text;
    if (result.status != Status::not_finite) return text;
    for (const auto& [name, values] : inputs)
        if (text.empty()) text = not_finite_in(name, {values->data(), values->size()}, 0);
    return text;
}

Inputs Given::inputs() const {
    return {{"tau_s", &tau_s_},
            {"target", &target_},
            {"target_rate", &rate_},
            {"motor_tau", &motor_tau_},
            {"motor_target", &motor_target_},
            {"motor_target_rate", &motor_rate_}};
}

Controls Given::controls() const {
    const auto numbers = [](const Eigen::VectorXd& v) {
        return std::span<const double>(v.data(), static_cast<std::size_t>(v.size()));
    };
    return {numbers(tau_s_),     numbers(target_),       numbers(rate_),      external_,
            numbers(motor_tau_), numbers(motor_target_), numbers(motor_rate_)};
}

Ground ground_of(const Floor& floor) { return floor; }

GroundMotion motion_of_ground(const py::object& linear, const py::object& angular, double since) {
    GroundMotion motion;
    motion.since = since;
    if (!linear.is_none()) motion.linear = vector_from({"set_ground", "linear"}, linear, 3);
    if (!angular.is_none()) motion.angular = vector_from({"set_ground", "angular"}, angular, 3);
    return motion;
}

HeightField height_field(const py::object& heights, std::pair<double, double> spacing,
                         const py::object& origin) {
    const Site site{"HeightField", "heights"};
    const py::object array = numbers(site, heights.ptr());
    if (dimensions(array) != 2) refuse_shape(site, array, {.rows = 2, .columns = 2}, "[rows, columns]");
    const Eigen::MatrixXd all = matrix_from(site, array, extent(array, 0), extent(array, 1));
    HeightField field;
    field.columns = static_cast<int>(all.cols());
    field.rows = static_cast<int>(all.rows());
    field.spacing_x = spacing.first;
    field.spacing_y = spacing.second;
    if (!origin.is_none()) field.origin = vector3_from({"HeightField", "origin"}, origin);
    for (Eigen::Index i = 0; i < all.rows(); ++i)
        for (Eigen::Index j = 0; j < all.cols(); ++j) field.heights.push_back(all(i, j));
    if (!is_consistent(field)) throw py::value_error("HeightField: spacing must be finite and above zero");
    return field;
}

void bind_batch_simulator(py::module_& m) {
    BatchSimulatorClass type(m, "BatchSimulator",
                             "Many simulations of one robot at a time, over several threads.");
    type.def(py::init([](const std::shared_ptr<Robot>& model, const py::object& count,
                         const std::optional<SimulatorOptions>& options, const Floor& ground,
                         const py::object& threads) {
                 return std::make_shared<Simulations>(model, whole_number({"BatchSimulator", "count"}, count),
                                                      options.value_or(SimulatorOptions{}), ground_of(ground),
                                                      whole_number({"BatchSimulator", "threads"}, threads));
             }),
             model_argument(), py::arg("count"), py::arg("options") = py::none(),
             py::arg("ground") = py::none(), py::arg("threads") = 1,
             "__init__(self, model: Model, count: int, options: SimulatorOptions | None = None, ground: "
             "Plane | HeightField | None = "
             "None, threads: int = 1) -> None\n\nEach starts from the neutral configuration, at rest.")
        .def("__copy__", &copy_of)
        .def("__deepcopy__", [](Simulations& s, const py::dict&) { return copy_of(s); })
        .def(py::pickle(&stored_simulations, &restored_simulations))
        .def(
            "__len__", [](const Simulations& s) { return s.value.count(); },
            "__len__(self) -> int\n\nHow many there are.")
        .def_property_readonly(
            "model", [](const Simulations& s) { return std::const_pointer_cast<Robot>(s.robot); },
            "Model: that it was made for")
        .def("set_state", &set_state_of_one, py::arg("simulation"), py::arg("q"), py::arg("qd"),
             py::kw_only(), flag("check") = true,
             "set_state(self, simulation: int, q: ArrayLike, qd: ArrayLike, *, check: bool = True) -> "
             "None\n\nAs of `Simulator`.")
        .def(
            "step", &step_many, py::arg("tau_s") = py::none(), py::arg("target") = py::none(),
            py::arg("target_rate") = py::none(), py::kw_only(), py::arg("external") = py::none(),
            py::arg("motor_tau") = py::none(), py::arg("motor_target") = py::none(),
            py::arg("motor_target_rate") = py::none(), py::arg("steps") = 1, flag("check") = true,
            "step(self, tau_s: ArrayLike | None = None, target: ArrayLike | None = None, target_rate: "
            "ArrayLike | None = None, *, "
            "external: Mapping[str | int, ArrayLike] | None = None, motor_tau: ArrayLike | None = None, "
            "motor_target: ArrayLike | None = None, motor_target_rate: ArrayLike | None = None, steps: int = "
            "1, check: bool = True) -> list[StepOutcome]\n\n"
            "Steps of all simulations under forces and targets [count, nv_tree], external wrenches "
            "{frame: [6] or\n"
            "[count, 6]}, and torques and targets of motors [count, motors], see `Simulator.step`; the "
            "outcomes are those of the last one.")
        .def(
            "set_states", &set_states, py::arg("q"), py::arg("qd"), py::kw_only(),
            py::arg("marked") = py::none(), py::arg("time") = 0.0, flag("check") = true,
            "set_states(self, q: ArrayLike, qd: ArrayLike, *, marked: ArrayLike | None = None, time: float = "
            "0.0, check: bool = True) -> list[Status]\n\n"
            "Sets all states, or those that are marked, each as `close_loops` and the velocities of "
            "independent "
            "joints make it. A state\nthat cannot be set stays.\n\n"
            "    q [states, nq]: from which loops are closed\n"
            "    qd [states, nv_tree]: those of dependent joints are not read\n"
            "    marked [states]: which to set; None: all")
        .def("state", of_one("BatchSimulator.state", [](BatchSimulator& s, int i) { return s.state(i); }),
             py::arg("simulation"),
             "state(self, simulation: int) -> SimulatorState\n\nA copy of one state, to go on from later.")
        .def("restore", &restore_one, py::arg("simulation"), py::arg("state"),
             "restore(self, simulation: int, state: SimulatorState) -> None\n\n"
             "Continues one simulation from a state, also from one of another simulation or of a "
             "`Simulator`.")
        .def(
            "set_ground", &set_ground_of_all, py::arg("ground"), py::kw_only(),
            py::arg("linear") = py::none(), py::arg("angular") = py::none(), py::arg("since") = 0.0,
            "set_ground(self, ground: Plane | HeightField | None, *, linear: ArrayLike | None = None, "
            "angular: ArrayLike | None = None, since: float = 0.0) -> None\n\n"
            "Replaces the ground of all simulations and its motion, as `Simulator.set_ground`. It is in each "
            "where it is at the time\nof this simulation.")
        .def_property_readonly("q", &positions, "Array: [count, nq]")
        .def_property_readonly("qd", &velocities, "Array: [count, nv_tree]")
        .def("time", of_one("BatchSimulator.time", [](BatchSimulator& s, int i) { return s.time(i); }),
             py::arg("simulation"), "time(self, simulation: int) -> float\n\nTime of one simulation, s.")
        .def(
            "contacts",
            of_one("BatchSimulator.contacts", [](BatchSimulator& s, int i) { return listed(s.contacts(i)); }),
            py::arg("simulation"),
            "contacts(self, simulation: int) -> list[ContactState]\n\nContacts of the last step of one "
            "simulation.")
        .def("energies",
             of_one("BatchSimulator.energies", [](BatchSimulator& s, int i) { return s.energies(i); }),
             py::arg("simulation"),
             "energies(self, simulation: int) -> Energies\n\nEnergies of one simulation, J.");
    bind_parameters(type);
    bind_sensors(type);
}

}  // namespace grbda::python
