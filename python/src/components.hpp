#pragma once

#include <pybind11/pybind11.h>

// The parts of the module, each in the file of its name.

namespace grbda::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_results(py::module_& module);
void bind_model(py::module_& module);
void bind_catalogue(py::module_& module);
void bind_io(py::module_& module);
void bind_workspaces(py::module_& module);
void bind_dynamics(py::module_& module);
void bind_kinematics(py::module_& module);
void bind_constraints(py::module_& module);
void bind_coordinates(py::module_& module);
void bind_derivatives(py::module_& module);
void bind_searches(py::module_& module);
void bind_contact(py::module_& module);
void bind_batch(py::module_& module);
void bind_simulation(py::module_& module);
void bind_solver_step(py::module_& module);
void bind_contact_dynamics(py::module_& module);
void bind_collision(py::module_& module);
void bind_generate(py::module_& module);
void bind_viewer(py::module_& module);

}  // namespace grbda::python
