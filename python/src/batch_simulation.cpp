#include "simulations.hpp"

namespace grbda::python {
namespace {

struct Simulations : Work {
    Simulations(const RobotPointer& of, int count, const SimulatorOptions& options, const Ground& ground,
                int threads)
        : Work(of), value(of->model, count, options, ground, threads) {}

    BatchSimulator value;
    std::vector<StepOutcome> outcomes;
};

/// [count, nv_tree], or nothing.
std::optional<Eigen::MatrixXd> each(const Simulations& s, const char* name, const py::object& given) {
    if (given.is_none()) return std::nullopt;
    return matrix_from({"step", name}, given, s.value.count(), s.robot->model.nv_tree).transpose();
}

std::span<const double> column(const std::optional<Eigen::MatrixXd>& values, Eigen::Index j) {
    if (!values) return {};
    return {values->col(j).data(), static_cast<std::size_t>(values->rows())};
}

std::vector<StepOutcome> step(Simulations& s, const py::object& tau_s, const py::object& target,
                              const py::object& rate, int steps, bool raise) {
    const auto forces = each(s, "tau_s", tau_s), targets = each(s, "target", target),
               rates = each(s, "target_rate", rate);
    std::vector<Controls> controls(forces || targets || rates ? static_cast<std::size_t>(s.value.count())
                                                              : 0);
    for (std::size_t i = 0; i < controls.size(); ++i) {
        const auto j = static_cast<Eigen::Index>(i);
        controls[i] = {column(forces, j), column(targets, j), column(rates, j)};
    }
    std::vector<StepOutcome> outcomes(static_cast<std::size_t>(s.value.count()));
    BatchOutcome outcome;
    {
        const Use use(s, "step");
        const Unlocked unlocked;
        outcome = s.value.step(controls, steps, outcomes);
    }
    s.result = outcome.ok() ? Result{} : outcomes[static_cast<std::size_t>(outcome.simulation)].result;
    if (!outcome.ok() && raise) {
        s.result.status = outcome.status;
        raise_status("step", *s.robot, s.result, " of simulation " + std::to_string(outcome.simulation));
    }
    return outcomes;
}

void set_state(Simulations& s, int simulation, const py::object& q, const py::object& qd, bool raise) {
    const Eigen::VectorXd at = vector_from({"set_state", "q"}, q, s.robot->model.nq);
    const Eigen::VectorXd rate = vector_from({"set_state", "qd"}, qd, s.robot->model.nv_tree);
    {
        const Use use(s, "set_state");
        const Unlocked unlocked;
        s.result = s.value.set_state(simulation, at, rate);
    }
    if (!s.result.ok() && raise) raise_status("set_state", *s.robot, s.result);
}

py::object positions(const Simulations& s) {
    const Shape shape{.states = s.value.count(), .rows = s.robot->model.nq};
    py::object all = new_array(shape);
    for (int i = 0; i < s.value.count(); ++i)
        Eigen::Map<Eigen::VectorXd>(data_of(all) + i * shape.rows, shape.rows) = s.value.q(i);
    return all;
}

py::object velocities(Simulations& s) {
    const Shape shape{.states = s.value.count(), .rows = s.robot->model.nv_tree};
    py::object all = new_array(shape);
    for (int i = 0; i < s.value.count(); ++i)
        s.value.velocity(i, Eigen::Map<Eigen::VectorXd>(data_of(all) + i * shape.rows, shape.rows));
    return all;
}

}  // namespace

Given::Given(int size, const py::object& tau_s, const py::object& target, const py::object& rate) {
    const auto read = [&](const char* name, const py::object& given, Eigen::VectorXd& into) {
        if (!given.is_none()) into = vector_from({"step", name}, given, size);
    };
    read("tau_s", tau_s, tau_s_);
    read("target", target, target_);
    read("target_rate", rate, rate_);
}

Controls Given::controls() const {
    const auto numbers = [](const Eigen::VectorXd& v) {
        return std::span<const double>(v.data(), static_cast<std::size_t>(v.size()));
    };
    return {numbers(tau_s_), numbers(target_), numbers(rate_)};
}

Ground ground_of(const Floor& floor) { return floor; }

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
    py::class_<Simulations, std::shared_ptr<Simulations>>(
        m, "BatchSimulator", "Many simulations of one robot at a time, over several threads.")
        .def(py::init([](const std::shared_ptr<Robot>& model, int count,
                         const std::optional<SimulatorOptions>& options, const Floor& ground, int threads) {
                 return std::make_shared<Simulations>(model, count, options.value_or(SimulatorOptions{}),
                                                      ground_of(ground), threads);
             }),
             py::arg("model"), py::arg("count"), py::arg("options") = py::none(),
             py::arg("ground") = py::none(), py::arg("threads") = 1,
             "__init__(self, model: Model, count: int, options: SimulatorOptions | None = None, ground: "
             "Plane | HeightField | None = "
             "None, threads: int = 1) -> None\n\nEach from the neutral configuration, at rest.")
        .def(
            "__len__", [](const Simulations& s) { return s.value.count(); },
            "__len__(self) -> int\n\nHow many there are.")
        .def_property_readonly(
            "model", [](const Simulations& s) { return std::const_pointer_cast<Robot>(s.robot); },
            "Model: that it was made for")
        .def("set_state", &set_state, py::arg("simulation"), py::arg("q"), py::arg("qd"), py::kw_only(),
             py::arg("check") = true,
             "set_state(self, simulation: int, q: ArrayLike, qd: ArrayLike, *, check: bool = True) -> "
             "None\n\nAs of `Simulator`.")
        .def("step", &step, py::arg("tau_s") = py::none(), py::arg("target") = py::none(),
             py::arg("target_rate") = py::none(), py::kw_only(), py::arg("steps") = 1,
             py::arg("check") = true,
             "step(self, tau_s: ArrayLike | None = None, target: ArrayLike | None = None, target_rate: "
             "ArrayLike | None = None, *, "
             "steps: int = 1, check: bool = True) -> list[StepOutcome]\n\n"
             "Steps of all simulations under forces and targets [count, nv_tree]; the outcomes are those of "
             "the last one.")
        .def_property_readonly("q", &positions, "Array: [count, nq]")
        .def_property_readonly("qd", &velocities, "Array: [count, nv_tree]")
        .def(
            "time", [](const Simulations& s, int i) { return s.value.time(i); }, py::arg("simulation"),
            "time(self, simulation: int) -> float\n\nOf one simulation, s.")
        .def(
            "contacts", [](const Simulations& s, int i) { return listed(s.value.contacts(i)); },
            py::arg("simulation"),
            "contacts(self, simulation: int) -> list[ContactState]\n\nOf the last step of one simulation.")
        .def(
            "energies", [](Simulations& s, int i) { return s.value.energies(i); }, py::arg("simulation"),
            "energies(self, simulation: int) -> Energies\n\nOf one simulation, J.");
}

}  // namespace grbda::python
