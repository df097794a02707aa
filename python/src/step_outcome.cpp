#include "simulations.hpp"
#include "values.hpp"

// Results of the steps of simulations, and their states.

namespace grbda::python {

py::object read_only(const Eigen::VectorXd& values) {
    py::object copy = to_python(Eigen::Ref<const Eigen::VectorXd>(values));
    copy.attr("setflags")(py::arg("write") = false);
    return copy;
}

void bind_outcomes(py::module_& m) {
    py::class_<SimulatorState> state(
        m, "SimulatorState",
        "Complete state of a simulation between two steps: steps from it give equal bits.");
    bind_copies_of_value(state);
    state
        .def(py::pickle([](const SimulatorState& s) { return py::bytes(s.bytes()); },
                        [](const py::bytes& bytes) {
                            return SimulatorState::from_bytes(static_cast<std::string>(bytes));
                        }))
        .def_property_readonly(
            "time", [](const SimulatorState& s) { return s.time(); }, "float: s");
    py::class_<ContactState> contact(m, "ContactState", "A contact of the last step.");
    bind_numbers(contact);
    contact.def_readonly("id", &ContactState::id, "int: the same from step to step")
        .def_readonly("contact", &ContactState::contact, "Contact: its place at the beginning of the step")
        .def_readonly("gap", &ContactState::gap, "float: m, then")
        .def_readonly("friction", &ContactState::friction, "float: Coulomb's coefficient")
        .def_readonly("ground", &ContactState::ground, "bool: the other surface is the ground")
        .def_readonly("link", &ContactState::link,
                      "int: index of the shape's link in `Model.frames`; -1: none")
        .def_readonly("other_link", &ContactState::other_link, "int: that of the other shape; -1: the ground")
        .def_property_readonly(
            "impulse", [](const ContactState& c) { return read_only(c.impulse); },
            "Array: [3] N·s over the step, along its axes: two tangents, normal");
    py::class_<Energies> energies(m, "Energies", "Energies of a simulation, in J.");
    bind_numbers(energies);
    energies.def_readonly("kinetic", &Energies::kinetic, "float: J")
        .def_readonly("gravity", &Energies::gravity, "float: J, zero at the world's origin")
        .def_readonly("elastic", &Energies::elastic, "float: J, of springs and tendons if passive forces act")
        .def_property_readonly(
            "sum", [](const Energies& e) { return e.sum(); }, "float: J, of all three");
    py::class_<EnergyBalance> balance(m, "EnergyBalance", "Balance of energy over a step, in J.");
    bind_numbers(balance);
    balance.def_readonly("change", &EnergyBalance::change, "float: J, of kinetic energy and that of gravity")
        .def_readonly("controls", &EnergyBalance::controls, "float: J, work of given forces and servos")
        .def_readonly("passive", &EnergyBalance::passive,
                      "float: J, work of springs, dampers, tendons and carried weights")
        .def_readonly("impulses", &EnergyBalance::impulses,
                      "float: J, change of the kinetic energy by contacts, limits and dry friction")
        .def_readonly("repair", &EnergyBalance::repair,
                      "float: J, by which they undo overlap and drift, zero or more")
        .def_readonly("ground", &EnergyBalance::ground,
                      "float: J, work of the moving ground, a part of `impulses`")
        .def_readonly(
            "violation", &EnergyBalance::violation,
            "float: J, by which energy grows beyond controls, passive forces, repair and ground, at most");
    py::class_<StepOutcome> outcome(m, "StepOutcome", "Result of a step.");
    bind_numbers(outcome);
    outcome.def_readonly("result", &StepOutcome::result, "Result: not ok: the state is that before the step")
        .def_readonly("contacts", &StepOutcome::contacts, "int: with a gap that the step might close")
        .def_readonly("crowded", &StepOutcome::crowded, "bool: there were more than most_contacts")
        .def_readonly("parts", &StepOutcome::parts, "int: that the step was taken in")
        .def_readonly("energy", &StepOutcome::energy,
                      "EnergyBalance: with the adaptive rule only impulses is found")
        .def_property_readonly(
            "contact_status", [](const StepOutcome& o) { return o.contact.status; },
            "Status: of the contact solver; not_converged: the impulses are the best found")
        .def_property_readonly(
            "exact", [](const StepOutcome& o) { return o.contact.exact; },
            "bool: contacts obey Coulomb's law; else they solve the convex problem")
        .def_property_readonly(
            "iterations", [](const StepOutcome& o) { return o.contact.iterations; },
            "int: of the contact solver")
        .def_property_readonly(
            "residual", [](const StepOutcome& o) { return o.contact.residual; },
            "float: of the contact solver, relative");
}

}  // namespace grbda::python
