#include "dynamics/contact_inertia.hpp"

#include "arguments.hpp"
#include "components.hpp"
#include "objects.hpp"
#include "values.hpp"

namespace grbda::python {
namespace {

using namespace arguments;  // NOLINT

using Space = Holding<ContactSpace>;

const Other<Space> filled_space{"space", "ContactSpace", "after `contact_inertia`"};

/// Numbers of the rows that a space holds.
struct RowsIn {
    static constexpr bool takes = true, gives = false;
    const char* name;
    const char* meaning;
    struct Held {
        py::object array;
        std::tuple<VectorView> arguments() const { return {VectorView(data_of(array), extent(array, 0))}; }
    };
    Held hold(Context& context, PyObject* given, PyObject*) const {
        const Site site{context.function, name};
        py::object array = numbers(site, given);
        if (dimensions(array) != 1) refuse_shape(site, array, {.rows = 0}, "[rows]");
        const Shape shape{.rows = extent(array, 0)};
        return {laid_out(array, shape)};
    }
    Parameter parameter() const { return {name, "ArrayLike", "", meaning}; }
};

Result inertia(const Model& model, Workspaces& data, const std::vector<Contact>& contacts,
               const std::vector<int>& joints, Space& space) {
    return contact_inertia<double>(model, data.dynamics, contacts, joints, space.value);
}

Eigen::VectorXd row_velocities(const Model& model, Workspaces& data, Space& space) {
    Eigen::VectorXd u(space.value.rows);
    contact_velocities<double>(model, data.kinematics, space.value, u);
    return u;
}

auto first_rows(VectorX<double> ContactSpace::*member) {
    return [member](const Space& s) {
        return to_python(Eigen::Ref<const Eigen::VectorXd>((s.value.*member).head(s.value.rows)));
    };
}

void bind_space(py::module_& m) {
    py::class_<Contact> contact(m, "Contact", "A point at which one body pushes another, or the world.");
    bind_numbers(contact);
    contact
        .def(py::init([](int body, py::object position, py::object axes, int other) {
                 return Contact{body, other, vector3_from({"Contact", "position"}, position),
                                matrix3_from({"Contact", "axes"}, axes)};
             }),
             py::arg("body"), py::arg("position"), py::arg("axes"), py::arg("other") = world,
             "__init__(self, body: int, position: ArrayLike, axes: ArrayLike, other: int = -1) -> None\n\n"
             "body and other in `Model.bodies`, -1: the world; position [3] m and axes [3, 3], two tangents "
             "and the normal, in "
             "the world.")
        .def_readonly("body", &Contact::body, "int: that impulses act on")
        .def_readonly("other", &Contact::other, "int: that they act against")
        .def_property_readonly(
            "position", [](const Contact& c) { return to_python(c.position); }, "Array: [3] m, in the world")
        .def_property_readonly(
            "axes", [](const Contact& c) { return to_python(c.axes); },
            "Array: [3, 3] its columns the contact's: two tangents and the normal");
    py::class_<Space, std::shared_ptr<Space>>(m, "ContactSpace",
                                              "Workspace of contacts, and what `contact_inertia` finds.")
        .def(py::init([](const std::shared_ptr<Robot>& model, int contacts, int joints) {
                 return std::make_shared<Space>(model, contacts, joints);
             }),
             model_argument(), py::arg("most_contacts"), py::arg("most_joints") = 0,
             "__init__(self, model: Model, most_contacts: int, most_joints: int = 0) -> None\n\nRoom for so "
             "many.")
        .def_property_readonly("rows", guarded<Space>("rows", [](const Space& s) { return s.value.rows; }),
                               "int: 3 contacts and joints")
        .def_property_readonly(
            "inverse_inertia",
            guarded<Space>("inverse_inertia",
                           [](const Space& s) {
                               return to_python(Eigen::Ref<const Eigen::MatrixXd>(Eigen::MatrixXd(
                                   s.value.inverse_inertia.topLeftCorner(s.value.rows, s.value.rows))));
                           }),
            "Array: [rows, rows] J M⁻¹ Jᵀ, symmetric")
        .def_property_readonly("velocity", guarded<Space>("velocity", first_rows(&ContactSpace::velocity)),
                               "Array: [rows] J yd, m/s or rad/s")
        .def_property_readonly("acceleration",
                               guarded<Space>("acceleration", first_rows(&ContactSpace::acceleration)),
                               "Array: [rows] by which the velocity will have grown each second");
}

}  // namespace

void bind_contact(py::module_& m) {
    bind_space(m);
    algorithm<Workspace>(
        m, "contact_inertia",
        "Inverse inertia and velocity at contacts and joints, in space; after `free_motion`.", inertia,
        Value<std::vector<Contact>>{"contacts", "Sequence[Contact]", "three rows each"},
        Value<std::vector<int>>{"joints", "Sequence[int]", "places in qd, a row each"},
        Other<Space>{"space", "ContactSpace", "that gets the results"});
    algorithm<Workspace>(m, "contact_velocities",
                         "Velocities [rows] of the same rows in the motion that data has.", row_velocities,
                         filled_space);
    algorithm<Workspace>(
        m, "apply_impulses", "Change of yd by impulses at these rows.",
        [](const Model& model, Workspaces& data, Space& space, const VectorView& impulses,
           Eigen::Map<Eigen::VectorXd>& change) {
            return apply_impulses<double>(model, data.dynamics, space.value, impulses, change);
        },
        filled_space, RowsIn{"impulses", "[rows] N·s or N·m·s"}, vector_out("change", nv));
}

}  // namespace grbda::python
