#include "components.hpp"
#include "interpreter.hpp"
#include "values.hpp"

#include "grbda/version.hpp"

PYBIND11_MODULE(_grbda, module) {
    namespace py = pybind11;
    using namespace grbda::python;  // NOLINT: a function of its own
    py::options options;
    options.disable_function_signatures();
    module.doc() = "Rigid-body dynamics of robots with kinematic loops: what C++ does, on arrays of numpy.";
    module.attr("__version__") = GRBDA_VERSION;
    bind_errors(module);
    bind_workspaces(module);
    bind_catalogue(module);
    bind_model(module);
    bind_results(module);
    bind_io(module);
    bind_dynamics(module);
    bind_kinematics(module);
    bind_constraints(module);
    bind_coordinates(module);
    bind_derivatives(module);
    bind_searches(module);
    bind_contact(module);
    bind_batch(module);
    bind_simulation(module);
    bind_solver_step(module);
    bind_contact_dynamics(module);
    bind_collision(module);
    bind_generate(module);
    bind_viewer(module);
    add_texts(module);
    add_text_signatures(module);
    refuse_hollow_objects(module);
}
