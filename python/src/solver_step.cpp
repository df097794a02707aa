#include "derivatives/solver_step.hpp"

#include "arrays.hpp"
#include "components.hpp"
#include "parameters.hpp"
#include "robot.hpp"

// The step of time that solvers take, with its workspace.

namespace grbda::python {
namespace {

struct StepOfSolver : Work {
    StepOfSolver(const RobotPointer& of, const SolverOptions& options)
        : Work(of), data(of->model), value(of->model, options) {}

    grbda::Workspace<double> data;
    SolverWorkspace value;
};

void check_result(StepOfSolver& s, const char* function, const Result& result, bool raise) {
    s.result = result;
    if (!result.ok() && raise) raise_status(function, *s.robot, result, "");
}

py::object configuration(StepOfSolver& s, const py::object& x, const py::object& q_ref, bool raise) {
    const Use use(s, "configuration");
    const Model& model = s.robot->model;
    const Eigen::VectorXd at = vector_from({"configuration", "x"}, x, model.nv),
                          reference = vector_from({"configuration", "q_ref"}, q_ref, model.nq);
    Eigen::VectorXd q(model.nq);
    check_result(s, "configuration", solver_configuration(model, s.data, s.value, at, reference, q), raise);
    return to_python(Eigen::Ref<const Eigen::VectorXd>(q));
}

py::tuple take_solver_step(StepOfSolver& s, const py::object& x, const py::object& u, const py::object& q_ref,
                           double h, const py::object& q_ref_next, bool raise) {
    const Use use(s, "step");
    const Model& model = s.robot->model;
    const Eigen::VectorXd at = vector_from({"step", "x"}, x, s.value.nx),
                          inputs = vector_from({"step", "u"}, u, s.value.nu),
                          reference = vector_from({"step", "q_ref"}, q_ref, model.nq);
    const Eigen::VectorXd next =
        q_ref_next.is_none() ? reference : vector_from({"step", "q_ref_next"}, q_ref_next, model.nq);
    Eigen::VectorXd x_next(s.value.nx);
    Eigen::MatrixXd J(s.value.nx, s.value.nx + s.value.nu + 1);
    check_result(s, "step", solver_step(model, s.data, s.value, at, inputs, reference, next, h, x_next, J),
                 raise);
    return py::make_tuple(to_python(Eigen::Ref<const Eigen::VectorXd>(x_next)),
                          to_python(Eigen::Ref<const Eigen::MatrixXd>(J)));
}

py::object array(const Eigen::VectorXd& x) { return to_python(Eigen::Ref<const Eigen::VectorXd>(x)); }
py::object array(const Eigen::MatrixXd& x) { return to_python(Eigen::Ref<const Eigen::MatrixXd>(x)); }

py::tuple forces_of_inputs(StepOfSolver& s, const py::object& q, const py::object& yd, const py::object& u,
                           bool raise) {
    const Use use(s, "forces");
    const Model& model = s.robot->model;
    const Eigen::VectorXd at = vector_from({"forces", "q"}, q, model.nq),
                          rate = vector_from({"forces", "yd"}, yd, model.nv),
                          inputs = vector_from({"forces", "u"}, u, s.value.nu);
    check_result(s, "forces", solver_forces(model, s.data, s.value, at, rate, inputs), raise);
    return py::make_tuple(array(s.value.tau), array(s.value.tau_y), array(s.value.tau_yd),
                          array(s.value.tau_u));
}

py::tuple accelerate_by_inputs(StepOfSolver& s, const py::object& q, const py::object& yd,
                               const py::object& u, bool derivatives, bool raise) {
    const char* const function = "acceleration";
    const Use use(s, function);
    const Model& model = s.robot->model;
    const int n = model.nv;
    const Eigen::VectorXd at = vector_from({function, "q"}, q, model.nq),
                          rate = vector_from({function, "yd"}, yd, n),
                          inputs = vector_from({function, "u"}, u, s.value.nu);
    if (!derivatives) {
        check_result(s, function, solver_acceleration(model, s.data, s.value, at, rate, inputs), raise);
        return py::make_tuple(array(s.data.ydd));
    }
    Eigen::MatrixXd by_y(n, n), by_yd(n, n), by_u(n, s.value.nu);
    check_result(s, function,
                 solver_acceleration(model, s.data, s.value, at, rate, inputs, by_y, by_yd, by_u), raise);
    return py::make_tuple(array(s.data.ydd), array(by_y), array(by_yd), array(by_u));
}

}  // namespace

void bind_solver_step(py::module_& m) {
    py::class_<StepOfSolver, std::shared_ptr<StepOfSolver>>(
        m, "SolverStep",
        "A step of time as solvers of optimal control problems take it: x = (y, yd), or (d, yd) with the "
        "displacement d from a\n"
        "closed reference configuration. Generated code has the same step.")
        .def(py::init([](const std::shared_ptr<Robot>& model, Integrator integrator, bool motors,
                         bool joint_forces, bool displacements) {
                 return std::make_shared<StepOfSolver>(
                     model, SolverOptions{integrator, motors, joint_forces, displacements});
             }),
             model_argument(), py::kw_only(), py::arg("integrator") = Integrator::semi_implicit_euler,
             flag("motors") = true, flag("joint_forces") = false, flag("displacements") = false,
             "__init__(self, model: Model, *, integrator: Integrator = Integrator.semi_implicit_euler, "
             "motors: "
             "bool = True, joint_forces: bool = False, displacements: bool = False) -> None\n\n"
             "motors: u are forces of motors, otherwise tau. joint_forces: springs, dampers, tendons and "
             "gravity compensation\n"
             "act. displacements: x has d also where all independent joints have one coordinate.")
        .def_property_readonly(
            "nx", [](const StepOfSolver& s) { return s.value.nx; }, "int: length of x")
        .def_property_readonly(
            "nu", [](const StepOfSolver& s) { return s.value.nu; }, "int: length of u")
        .def_property_readonly(
            "displacements", [](const StepOfSolver& s) { return s.value.displacements; },
            "bool: the first half of x is a displacement")
        .def("configuration", &configuration, py::arg("x"), py::arg("q_ref"), py::kw_only(),
             flag("check") = true,
             "configuration(self, x: ArrayLike, q_ref: ArrayLike, *, check: bool = True) -> Array\n\n"
             "Closed q [nq] at the first half of a state, followed from the reference.\n\n"
             "    x [nv]: y, or the displacement\n"
             "    q_ref [nq]: closes the loops")
        .def(
            "step", &take_solver_step, py::arg("x"), py::arg("u"), py::arg("q_ref"), py::arg("h"),
            py::arg("q_ref_next") = py::none(), py::kw_only(), flag("check") = true,
            "step(self, x: ArrayLike, u: ArrayLike, q_ref: ArrayLike, h: float, q_ref_next: ArrayLike | None "
            "= None, *, check: bool = True) -> tuple[Array, Array]\n\n"
            "The next state [nx] after h seconds, and its Jacobian [nx, nx + nu + 1] by x, u and h.\n\n"
            "    x [nx]: the state\n"
            "    u [nu]: inputs, constant over the step\n"
            "    q_ref [nq]: reference of x\n"
            "    q_ref_next [nq]: of the next state; None: q_ref")
        .def("forces", &forces_of_inputs, py::arg("q"), py::arg("yd"), py::arg("u"), py::kw_only(),
             flag("check") = true,
             "forces(self, q: ArrayLike, yd: ArrayLike, u: ArrayLike, *, check: bool = True) -> tuple[Array, "
             "Array, Array, Array]\n\n"
             "Forces tau [nv] that inputs and passive forces make, and their derivatives by y, yd [nv, nv] "
             "and "
             "u [nv, nu].\n\n"
             "    q [nq]: closes the loops\n"
             "    yd [nv]: independent velocities\n"
             "    u [nu]: inputs")
        .def("acceleration", &accelerate_by_inputs, py::arg("q"), py::arg("yd"), py::arg("u"), py::kw_only(),
             flag("derivatives") = false, flag("check") = true,
             "acceleration(self, q: ArrayLike, yd: ArrayLike, u: ArrayLike, *, derivatives: bool = False, "
             "check: bool = True) -> tuple[Array, ...]\n\n"
             "(ydd,), accelerations [nv] under inputs and passive forces; with derivatives also those by y, "
             "yd "
             "[nv, nv] and u\n"
             "[nv, nu].\n\n"
             "    q [nq]: closes the loops\n"
             "    yd [nv]: independent velocities\n"
             "    u [nu]: inputs");
}

}  // namespace grbda::python
