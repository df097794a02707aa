#include <deque>

#include "simulations.hpp"

// Sensors of all simulations of a batch, written into arrays of the caller.

namespace grbda::python {
namespace {

/// Frames and memory of some sensors, kept during a call.
class Outputs {
public:
    explicit Outputs(const Simulations& simulations) : simulations_(simulations) {}

    /// Sensor of the whole robot, with `size` numbers for each simulation.
    void add(const char* name, SensorKind sensor, int size, const py::object& array) {
        if (!array.is_none()) add(name, sensor, size, {}, array);
    }

    /// Sensor of frames: {frame: array}.
    void add_frames(const char* name, SensorKind sensor, int size, const py::object& arrays) {
        if (arrays.is_none()) return;
        const Model& model = simulations_.robot->model;
        for (const auto& [key, value] : py::dict(arrays)) {
            const int frame =
                py::isinstance<py::str>(key) ? model.frame(key.cast<std::string>()).index : key.cast<int>();
            add(name, sensor, size, {frame}, py::reinterpret_borrow<py::object>(value));
        }
    }

    std::span<const SensorOutput<double>> of_double() const { return double_; }
    std::span<const SensorOutput<float>> of_float() const { return float_; }

private:
    void add(const char* name, SensorKind sensor, int size, std::vector<int> frames,
             const py::object& array) {
        if (!py::isinstance<py::buffer>(array))
            throw py::type_error(text(name) + " must be a float32 or float64 array that can be written");
        buffers_.push_back(py::reinterpret_borrow<py::buffer>(array).request(true));
        const py::buffer_info& buffer = buffers_.back();
        require_shape(name, size, buffer);
        frames_.push_back(std::move(frames));
        if (buffer.format == py::format_descriptor<float>::format())
            float_.push_back(output<float>(sensor, buffer));
        else if (buffer.format == py::format_descriptor<double>::format())
            double_.push_back(output<double>(sensor, buffer));
        else
            throw py::type_error(text(name) + " must be a float32 or float64 array");
    }

    template <class T>
    SensorOutput<T> output(SensorKind sensor, const py::buffer_info& buffer) const {
        return {sensor, frames_.back(), static_cast<T*>(buffer.ptr), buffer.strides[0] / buffer.itemsize};
    }

    static std::string text(const char* name) { return std::string("read_sensors: ") + name; }

    void require_shape(const char* name, int size, const py::buffer_info& buffer) const {
        const py::ssize_t count = simulations_.value.count();
        const bool flat = buffer.ndim == 1 && size == 1, rows = buffer.ndim == 2;
        const bool fits = (flat || rows) && buffer.shape[0] == count && (flat || buffer.shape[1] == size);
        if (!fits) {
            std::string found;
            for (const py::ssize_t extent : buffer.shape)
                found += (found.empty() ? "" : ", ") + std::to_string(extent);
            throw py::value_error(text(name) + " must have the shape (" + std::to_string(count) + ", " +
                                  std::to_string(size) + "), not (" + found + ")");
        }
        const bool dense = flat || size < 2 || buffer.strides[1] == buffer.itemsize;
        if (!dense || buffer.strides[0] % buffer.itemsize != 0)
            throw py::value_error(text(name) +
                                  " must have the numbers of a simulation side by side, as in array[:, 3:6]");
    }

    const Simulations& simulations_;
    std::deque<py::buffer_info> buffers_;
    std::deque<std::vector<int>> frames_;
    std::vector<SensorOutput<double>> double_;
    std::vector<SensorOutput<float>> float_;
};

void read_sensors(Simulations& s, const py::object& q, const py::object& qd, const py::object& qdd,
                  const py::object& yd, const py::object& ydd, const py::object& motor_torque,
                  const py::object& motor_speed, const py::object& position, const py::object& orientation,
                  const py::object& velocity, const py::object& gyroscope, const py::object& accelerometer,
                  const py::object& contact_force, const py::object& contact) {
    const Use use(s, "read_sensors");
    const Model& model = s.robot->model;
    Outputs outputs(s);
    outputs.add("q", SensorKind::q, model.nq, q);
    outputs.add("qd", SensorKind::qd, model.nv_tree, qd);
    outputs.add("qdd", SensorKind::qdd, model.nv_tree, qdd);
    outputs.add("yd", SensorKind::yd, model.nv, yd);
    outputs.add("ydd", SensorKind::ydd, model.nv, ydd);
    outputs.add("motor_torque", SensorKind::motor_torque, s.motors, motor_torque);
    outputs.add("motor_speed", SensorKind::motor_speed, s.motors, motor_speed);
    outputs.add_frames("position", SensorKind::position, 3, position);
    outputs.add_frames("orientation", SensorKind::orientation, 4, orientation);
    outputs.add_frames("velocity", SensorKind::velocity, 3, velocity);
    outputs.add_frames("gyroscope", SensorKind::gyroscope, 3, gyroscope);
    outputs.add_frames("accelerometer", SensorKind::accelerometer, 3, accelerometer);
    outputs.add_frames("contact_force", SensorKind::contact_force, 3, contact_force);
    outputs.add_frames("contact", SensorKind::contact, 1, contact);
    BatchOutcome outcome;
    {
        const Unlocked unlocked;
        if (!outputs.of_double().empty()) outcome = s.value.read_sensors(outputs.of_double());
        if (!outputs.of_float().empty())
            if (const BatchOutcome other = s.value.read_sensors(outputs.of_float()); outcome.ok())
                outcome = other;
    }
    s.result = {outcome.status};
}

/// Distances [count, n] of rays.
py::object cast_rays(Simulations& s, const py::object& origins, const py::object& directions, bool robot) {
    const Use use(s, "cast_rays");
    const Site from{"cast_rays", "origins"}, along{"cast_rays", "directions"};
    const py::object given = numbers(from, origins.ptr());
    const Py_ssize_t count = s.value.count();
    if (dimensions(given) != 3 || extent(given, 0) != count || extent(given, 2) != 3)
        refuse_shape(from, given, {.states = count, .rows = 1, .columns = 3}, "[count, n, 3]");
    const Py_ssize_t n = extent(given, 1);
    const auto flat = [&](const Site& site, const py::object& array) {
        if (dimensions(array) != 3 || extent(array, 0) != count || extent(array, 1) != n)
            refuse_shape(site, array, {.states = count, .rows = n, .columns = 3}, "[count, n, 3]");
        return matrix_from(site, array.attr("reshape")(count * n, 3), count * n, 3);
    };
    const Eigen::MatrixXd o = flat(from, given), d = flat(along, numbers(along, directions.ptr()));
    std::vector<Ray> rays(static_cast<std::size_t>(count * n));
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const auto r = static_cast<Eigen::Index>(i);
        rays[i] = {{o(r, 0), o(r, 1), o(r, 2)}, {d(r, 0), d(r, 1), d(r, 2)}};
    }
    py::object distances = new_array({.states = count, .rows = n});
    BatchOutcome outcome;
    {
        const Unlocked unlocked;
        outcome = s.value.cast_rays(rays, {data_of(distances), rays.size()}, robot);
    }
    s.result = {outcome.status};
    return distances;
}

}  // namespace

void bind_sensors(BatchSimulatorClass& type) {
    type.def(
            "read_sensors", &read_sensors, py::kw_only(), py::arg("q") = py::none(),
            py::arg("qd") = py::none(), py::arg("qdd") = py::none(), py::arg("yd") = py::none(),
            py::arg("ydd") = py::none(), py::arg("motor_torque") = py::none(),
            py::arg("motor_speed") = py::none(), py::arg("position") = py::none(),
            py::arg("orientation") = py::none(), py::arg("velocity") = py::none(),
            py::arg("gyroscope") = py::none(), py::arg("accelerometer") = py::none(),
            py::arg("contact_force") = py::none(), py::arg("contact") = py::none(),
            "read_sensors(self, *, q: NDArray[np.floating[Any]] | None = None, qd: NDArray[np.floating[Any]] "
            "| None = "
            "None, qdd: NDArray[np.floating[Any]] | None = None, yd: NDArray[np.floating[Any]] | None = "
            "None, ydd: "
            "NDArray[np.floating[Any]] | None = None, motor_torque: NDArray[np.floating[Any]] | None = None, "
            "motor_speed: "
            "NDArray[np.floating[Any]] | None = None, position: Mapping[str | int, "
            "NDArray[np.floating[Any]]] | None = "
            "None, orientation: Mapping[str | int, NDArray[np.floating[Any]]] | None = None, velocity: "
            "Mapping[str | "
            "int, NDArray[np.floating[Any]]] | None = None, gyroscope: Mapping[str | int, "
            "NDArray[np.floating[Any]]] | "
            "None = None, accelerometer: Mapping[str | int, NDArray[np.floating[Any]]] | None = None, "
            "contact_force: "
            "Mapping[str | int, NDArray[np.floating[Any]]] | None = None, contact: Mapping[str | int, "
            "NDArray[np.floating[Any]]] | None = None) -> None\n\n"
            "Writes sensors of all simulations into arrays of float32 or float64 [count, n], which may be "
            "columns "
            "of larger ones:\n"
            "`read_sensors(qd=obs[:, 3:15], gyroscope={\"base\": obs[:, :3]})`. Accelerations are means over "
            "the "
            "last step,\n"
            "before the first those of a step that would start at the state. Simulations at a singular "
            "configuration get NaN.\n\n"
            "    q [count, nq], qd and qdd [count, nv_tree], yd and ydd [count, nv]: rad, m, per s and s²\n"
            "    motor_torque, motor_speed [count, motors]: at the motors\n"
            "    position, orientation: {frame: [count, 3] m, or [count, 4] x y z w}, in the world\n"
            "    velocity, gyroscope: {frame: [count, 3]} of its origin, m/s, and angular, rad/s, in its "
            "axes\n"
            "    accelerometer: {frame: [count, 3]} acceleration of its origin less gravity, m/s², in its "
            "axes\n"
            "    contact_force: {link: [count, 3]} mean over the last step, N, world axes\n"
            "    contact: {link: [count]} 1: a contact carried load in the last step, 0: none did")
        .def("cast_rays", &cast_rays, py::arg("origins"), py::arg("directions"), py::kw_only(),
             flag("robot") = false,
             "cast_rays(self, origins: ArrayLike, directions: ArrayLike, *, robot: bool = False) -> Array\n\n"
             "Finds where rays meet the ground and shapes that collide [count, n], as `ray_cast`; NaN at a "
             "singular "
             "configuration.\n\n"
             "    origins [states, n, 3]: m, in the world\n"
             "    directions [states, n, 3]: of any length above zero\n"
             "    robot: the robot's own shapes are met, too");
}

}  // namespace grbda::python
