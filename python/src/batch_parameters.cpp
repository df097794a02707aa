#include <optional>

#include "dynamics/regressor.hpp"

#include "simulations.hpp"

// Parameters of single simulations of a batch, from arrays of all.

namespace grbda::python {
namespace {

constexpr const char* setter = "set_parameters";

using Rows = std::optional<Eigen::MatrixXd>;  ///< [size × count]

Rows rows_of(const Simulations& s, const char* name, const py::object& given, int size) {
    if (given.is_none()) return std::nullopt;
    return matrix_from({setter, name}, given, s.value.count(), size).transpose();
}

std::optional<Eigen::VectorXd> numbers_of(const Simulations& s, const char* name, const py::object& given) {
    if (given.is_none()) return std::nullopt;
    return vector_from({setter, name}, given, s.value.count());
}

int steps_from(double delay) {
    const int steps = delay >= 0 && delay <= 1e6 ? static_cast<int>(delay) : -1;
    if (double(steps) != delay)
        throw py::value_error("set_parameters: delay is " + std::to_string(delay) +
                              ", expected a whole number of steps");
    return steps;
}

std::vector<double> row_of(const Rows& rows, Eigen::Index i) {
    if (!rows) return {};
    return {rows->col(i).begin(), rows->col(i).end()};
}

/// Index of the body or rod that has the inertia of a link.
int carrier_of(const Model& model, const std::string& link) {
    const NamedFrame frame = model.frame(link);
    if (frame.body == world)
        throw py::value_error("set_parameters: mass_scale: '" + link +
                              "' is fixed in the world and has no mass in the dynamics");
    return frame.body;
}

/// Inertial parameters [10 (bodies + rods) × count]: those that are given, or of the model, with factors.
Rows scaled(const Simulations& s, Rows inertial, const py::object& scales) {
    if (scales.is_none()) return inertial;
    if (!inertial) inertial = inertial_parameters(s.robot->model).replicate(1, s.value.count());
    for (const auto& [key, value] : py::dict(scales)) {
        const int carrier = carrier_of(s.robot->model, key.cast<std::string>());
        const Eigen::VectorXd factors =
            vector_from({setter, "mass_scale"}, py::reinterpret_borrow<py::object>(value), s.value.count());
        inertial->middleRows(parameters_per_body * carrier, parameters_per_body) *= factors.asDiagonal();
    }
    return inertial;
}

/// Motor parameters by the names of SimulationParameters.
struct MotorRows {
    Rows stiffness, damping, torque, speed, stall;
};

void set_parameters(Simulations& s, const py::object& inertial, const py::object& scales,
                    const py::object& gravity, const py::object& friction, const py::object& stiffness,
                    const py::object& damping, const py::object& motor_stiffness,
                    const py::object& motor_damping, const py::object& motor_torque,
                    const py::object& motor_speed, const py::object& motor_stall, const py::object& delay,
                    const py::object& marked) {
    const Use use(s, setter);
    const Model& model = s.robot->model;
    const int n = model.nv_tree, count = s.value.count();
    const Rows pi = scaled(
        s, rows_of(s, "inertial_parameters", inertial, parameters_per_body * model.carrier_count()), scales);
    const Rows g = rows_of(s, "gravity", gravity, 3), k = rows_of(s, "servo_stiffness", stiffness, n),
               d = rows_of(s, "servo_damping", damping, n);
    const MotorRows motors{rows_of(s, "motor_stiffness", motor_stiffness, s.motors),
                           rows_of(s, "motor_damping", motor_damping, s.motors),
                           rows_of(s, "motor_torque", motor_torque, s.motors),
                           rows_of(s, "motor_speed", motor_speed, s.motors),
                           rows_of(s, "motor_stall", motor_stall, s.motors)};
    const auto mu = numbers_of(s, "friction", friction), late = numbers_of(s, "delay", delay);
    std::vector<bool> chosen(static_cast<std::size_t>(count), true);
    if (!marked.is_none()) chosen = marked.cast<std::vector<bool>>();
    if (static_cast<int>(chosen.size()) != count)
        throw py::value_error("set_parameters: marked must have " + std::to_string(count) + " entries, not " +
                              std::to_string(chosen.size()));
    const Unlocked unlocked;
    for (int i = 0; i < count; ++i) {
        if (!chosen[static_cast<std::size_t>(i)]) continue;
        OwnRows own{row_of(pi, i),
                    row_of(g, i),
                    {},
                    row_of(k, i),
                    row_of(d, i),
                    row_of(motors.stiffness, i),
                    row_of(motors.damping, i),
                    row_of(motors.torque, i),
                    row_of(motors.speed, i),
                    row_of(motors.stall, i),
                    {}};
        if (mu) own.friction = {(*mu)[i]};
        if (late) own.delay = {double(steps_from((*late)[i]))};
        s.value.set_parameters(i, own.parameters());
        if (s.own.empty()) s.own.resize(static_cast<std::size_t>(count));
        s.own[static_cast<std::size_t>(i)].add(own);
    }
}

void clear_parameters(Simulations& s, const py::object& marked) {
    const Use use(s, "clear_parameters");
    std::vector<bool> chosen(static_cast<std::size_t>(s.value.count()), true);
    if (!marked.is_none()) chosen = marked.cast<std::vector<bool>>();
    if (static_cast<int>(chosen.size()) != s.value.count())
        throw py::value_error("clear_parameters: marked must have " + std::to_string(s.value.count()) +
                              " entries, not " + std::to_string(chosen.size()));
    for (int i = 0; i < s.value.count(); ++i)
        if (chosen[static_cast<std::size_t>(i)]) {
            s.value.clear_parameters(i);
            if (!s.own.empty()) s.own[static_cast<std::size_t>(i)] = {};
        }
}

py::object motor_torques(Simulations& s) {
    const Use use(s, "BatchSimulator.motor_torques");
    py::object all = new_array({.states = s.value.count(), .rows = s.motors});
    for (int i = 0; i < s.value.count(); ++i)
        std::copy_n(s.value.motor_torques(i).data(), s.motors, data_of(all) + i * s.motors);
    return all;
}

}  // namespace

SimulationParameters OwnRows::parameters() const {
    SimulationParameters given{inertial_parameters,
                               {},
                               {},
                               servo_stiffness,
                               servo_damping,
                               motor_stiffness,
                               motor_damping,
                               motor_torque,
                               motor_speed,
                               motor_stall,
                               {}};
    if (!gravity.empty()) given.gravity = Vector3<double>{gravity[0], gravity[1], gravity[2]};
    if (!friction.empty()) given.friction = friction[0];
    if (!delay.empty()) given.delay = static_cast<int>(delay[0]);
    return given;
}

std::array<std::vector<double>*, 11> OwnRows::all() {
    return {&inertial_parameters, &gravity,         &friction,      &servo_stiffness,
            &servo_damping,       &motor_stiffness, &motor_damping, &motor_torque,
            &motor_speed,         &motor_stall,     &delay};
}

void OwnRows::add(const OwnRows& other) {
    OwnRows given = other;
    for (std::size_t i = 0; i < all().size(); ++i)
        if (!given.all()[i]->empty()) *all()[i] = std::move(*given.all()[i]);
}

void bind_parameters(BatchSimulatorClass& type) {
    type.def(
            "set_parameters", &set_parameters, py::kw_only(), py::arg("inertial_parameters") = py::none(),
            py::arg("mass_scale") = py::none(), py::arg("gravity") = py::none(),
            py::arg("friction") = py::none(), py::arg("servo_stiffness") = py::none(),
            py::arg("servo_damping") = py::none(), py::arg("motor_stiffness") = py::none(),
            py::arg("motor_damping") = py::none(), py::arg("motor_torque") = py::none(),
            py::arg("motor_speed") = py::none(), py::arg("motor_stall") = py::none(),
            py::arg("delay") = py::none(), py::arg("marked") = py::none(),
            "set_parameters(self, *, inertial_parameters: ArrayLike | None = None, mass_scale: Mapping[str, "
            "ArrayLike] | None = None, gravity: ArrayLike | None = None, friction: ArrayLike | None = None, "
            "servo_stiffness: ArrayLike | None = None, servo_damping: ArrayLike | None = None, "
            "motor_stiffness: ArrayLike | None = None, motor_damping: ArrayLike | None = None, motor_torque: "
            "ArrayLike | None = None, motor_speed: ArrayLike | None = None, motor_stall: ArrayLike | None = "
            "None, delay: ArrayLike | None = None, marked: ArrayLike | None = None) -> None\n\n"
            "Parameters of each simulation in place of those of the model and the options; what is not given "
            "stays. States stay, too.\n"
            "A simulation then equals one of a model and options with these numbers, to the bit.\n\n"
            "    inertial_parameters [states, 10 bodies]: as of `inertial_parameters`, rods after the "
            "bodies\n"
            "    mass_scale: {link: [states]}, factors of the mass and inertia of the body of a link; of "
            "those "
            "given, else of the model's\n"
            "    gravity [states, 3]: m/s², world axes\n"
            "    friction [states]: of the ground and of surfaces without a coefficient\n"
            "    servo_stiffness [states, nv_tree]: N·m/rad, N/m\n"
            "    servo_damping [states, nv_tree]: N·m·s/rad, N·s/m\n"
            "    motor_stiffness, motor_damping, motor_torque, motor_speed, motor_stall: [states, motors] as "
            "in `SimulatorOptions`\n"
            "    delay [states]: steps by which controls act late\n"
            "    marked [states]: which to set; None: all")
        .def("clear_parameters", &clear_parameters, py::kw_only(), py::arg("marked") = py::none(),
             "clear_parameters(self, *, marked: ArrayLike | None = None) -> None\n\n"
             "Returns all simulations, or those that are marked, to the parameters of the model and the "
             "options.\n\n"
             "    marked [states]: which; None: all")
        .def_property_readonly(
            "parameter_bytes", [](const Simulations& s) { return s.value.parameter_bytes(); },
            "int: memory of the parameters of each simulation; 0 before `set_parameters`")
        .def_property_readonly("motor_torques", &motor_torques,
                               "Array: [count, motors] N·m or N at the motors in the last step");
}

}  // namespace grbda::python
