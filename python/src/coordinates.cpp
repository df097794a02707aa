#include "constraints/coordinates.hpp"

#include "constraints/actuation.hpp"

#include "arguments.hpp"
#include "components.hpp"
#include "objects.hpp"

namespace grbda::python {
namespace {

/// A function that may change the coordinates of Data.
#define GRBDA_CALL_OF_CHART(name)                                             \
    [](const Model& model, Workspaces& data, auto&&... a) -> decltype(auto) { \
        const ShareChart after{data};                                         \
        return grbda::name<double>(model, data.general, a...);                \
    }
struct ShareChart {
    Workspaces& data;
    ~ShareChart() { data.share_chart(); }
};

using namespace arguments;  // NOLINT

const Value<Marks> marks{"marks", "Marks", "whether joints that the file marks keep their place", Marks::kept,
                         "Marks.kept"};

constexpr Extent motors{"motors",
                        [](const Model& m) { return static_cast<int>(motor_coordinates(m).size()); }};

void bind_choice(py::module_& m) {
    algorithm<Workspace>(
        m, "choose_coordinates",
        "Takes the velocities of each cluster with loops that determine the others best at q. The choice "
        "stays in `Data.chart`, for every function that uses yd, ydd or tau.",
        GRBDA_CALL_OF_CHART(choose_coordinates), q, marks);
    algorithm<Workspace>(
        m, "prefer_coordinates", "The same, with the given velocities preferred to all others.",
        GRBDA_CALL_OF_CHART(prefer_coordinates), q,
        Value<std::vector<int>>{"wanted", "list[int]", "places in qd, in order of precedence"});
    algorithm<Workspace>(
        m, "take_tangents",
        "Makes yd the components of qd along orthonormal motions that keep to the loops at q.",
        GRBDA_CALL_OF_CHART(take_tangents), q);
    algorithm<Workspace>(m, "restore_coordinates", "Restores the model's choice.",
                         GRBDA_CALL_OF_CHART(restore_coordinates));
    algorithm<Nothing>(m, "combine_coordinates",
                       "q with positions of combined coordinates from those of their joints.",
                       GRBDA_CALL_DOUBLE(combine_coordinates), InOut{"q", nq, "all positions"});
    algorithm<Workspace>(
        m, "independent_coordinates",
        "Joint and component of each entry of y in the coordinates of data; body −1 for tangent coordinates.",
        [](const Model& model, Workspaces& data) {
            return independent_coordinates(model, data.general.chart);
        });
}

void bind_change(py::module_& m) {
    algorithm<Workspace>(
        m, "independent_part", "The independent entries of velocities or accelerations of all joints.",
        GRBDA_CALL(independent_part), vector("x", nv_tree, "that keeps to the loops"), vector_out("y", nv));
    algorithm<Workspace>(m, "independent_force",
                         "Generalized forces of tau_s in the coordinates of data: Gᵀ tau_s.",
                         GRBDA_CALL(independent_force), q, tau_s, vector_out("tau", nv));
    algorithm<Workspace>(m, "spanning_force", "Forces of all joints that are equivalent to tau.",
                         GRBDA_CALL(spanning_force), tau, vector_out("tau_s", nv_tree));
    algorithm<Workspace>(
        m, "coordinate_change",
        "T with yd_other = T yd of data at q, so that tau = Tᵀ tau_other and M = Tᵀ M_other T.",
        [](const Model& model, Workspaces& data, const Workspace& other, const VectorView& q,
           Eigen::Map<Eigen::MatrixXd> T) {
            return coordinate_change<double>(model, other.value.general, data.general, q, T);
        },
        Other<Workspace>{"other", "Data", "whose coordinates are the others"}, q, square_out("T"));
}

}  // namespace

void bind_coordinates(py::module_& m) {
    bind_choice(m);
    bind_change(m);
    algorithm<Nothing>(m, "motor_coordinates", "Velocities that motors drive, in the order of qd.",
                       GRBDA_CALL_DOUBLE(motor_coordinates));
    algorithm<Workspace>(
        m, "actuation_jacobian",
        "Motors at a configuration: their velocities are J yd, and tau = Jᵀ of their forces.",
        GRBDA_CALL(actuation_jacobian), q, Filled<Actuation<double>>{"actuation", "Actuation"});
    algorithm<Holding<Actuation<double>>>(
        m, "motor_forces",
        "Forces of motors that are equivalent to tau, the least ones if motors are redundant; after "
        "`actuation_jacobian`.",
        GRBDA_CALL(motor_forces), tau, vector_out("motors", motors));
}

}  // namespace grbda::python
