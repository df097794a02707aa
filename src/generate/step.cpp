#include "step.hpp"

#include <algorithm>

#include "acados_text.hpp"
#include "casadi_text.hpp"
#include "hessian_text.hpp"
#include "closing/integration.hpp"
#include "pose_text.hpp"
#include "step_text.hpp"
#include "text.hpp"

namespace grbda::generated {
namespace {

const Function* find(const File& file, GeneratedAlgorithm algorithm) {
    for (const Function& function : file.functions)
        if (function.request.algorithm == algorithm && !function.request.wrenches) return &function;
    return nullptr;
}

std::string row(const std::vector<int>& numbers) {
    std::string text;
    for (const int x : numbers) text += (text.empty() ? "" : ", ") + std::to_string(x);
    return "{" + text + "}";
}

struct Rows {
    std::string text;
    int count = 0;
    void add(const std::vector<int>& numbers) { text += (count++ > 0 ? ", " : "") + row(numbers); }
};

/// Returns the independent coordinates that are numbers in q: {index in q, in y}.
Rows numbers_of(const Model& model) {
    Rows rows;
    for (std::size_t i = 0; i < model.independent.size(); ++i)
        if (const int j = kernels::position_index(model, model.independent[i]); j >= 0)
            rows.add({j, model.y_index[i]});
    return rows;
}

/// Returns the joints with a quaternion: {first index in q, indices in y of their twist, −1 without that
/// component}.
Rows poses_of(const Model& model) {
    Rows rows;
    const Workspace<double> data(model);
    for (const Cluster& c : model.clusters)
        closing::each_whole_joint(model, data, c, [&](const Body& body, const int* y) {
            if (velocity_size(body.joint) == 6)
                rows.add({body.q, y[0], y[1], y[2], y[3], y[4], y[5]});
            else
                rows.add({body.q, -1, -1, -1, y[0], y[1], y[2]});
        });
    return rows;
}

/// Adds W times the entries of a matrix that are not always zero.
std::string product(const Function& function, std::size_t output, const std::string& name, int columns,
                    const std::string& macro) {
    Rows places;
    const Table<int>& nodes = function.woven.outputs[output];
    for (int i = 0; i < static_cast<int>(nodes.size()); ++i)
        if (!function.woven.graph.is_zero(nodes[i])) places.add({i / columns, i % columns});
    if (places.count == 0) return {};
    return "    {\n        static const int places[][2] = {" + places.text +
           "};\n        @_add_product(W, forces." + name + ", " + macro + ", places, " +
           std::to_string(places.count) + ", by->" + name + ");\n    }\n";
}

}  // namespace

int inputs_of(const File& file) {
    const Function* forces = find(file, GeneratedAlgorithm::forces);
    return forces && file.step_is_forced ? forces->recording.inputs[2].size : file.model.nv;
}

bool has_poses(const Model& model) { return poses_of(model).count > 0; }

int partly_independent_joint(const Model& model) {
    const Workspace<double> data(model);
    for (const Cluster& c : model.clusters)
        if (closing::is_mixed(model, data, c))
            for (const int i : c.joints)
                if (has_quaternion(model.bodies[i].joint)) return i;
    return -1;
}

bool has_dependents(const Model& model) { return model.nv < model.nv_tree; }

std::string step_sizes(const File& file) {
    const Dialect& d = file.dialect;
    const std::string nu = std::to_string(inputs_of(file));
    return "#define " + d.constant("NX") + " " + std::to_string(2 * file.model.nv) + "\n#define " +
           d.constant("NU") + " " + nu + "\n#define " + d.constant("COLUMNS") + " " +
           std::to_string(2 * file.model.nv + inputs_of(file) + 1) + "\n";
}

namespace {

constexpr const char* by_coordinates = R"(
/* Steps for solvers. x [NX]: (y, yd), y [NV] the positions of the independent joints.
   q_ref [NQ]: a closed configuration from which the loops are followed; it chooses assembly mode and whole turns.
   q_ref_next is not read.
)";
constexpr const char* by_displacements = R"(
/* Steps for solvers. x [NX]: (d, yd), d [NV] the displacement from the closed configuration q_ref [NQ], rad and m;
   for a joint with a quaternion the twist in its own axes. x_next has the displacement from q_ref_next.
)";
constexpr const char* functions =
    R"(   J [NX x COLUMNS], column by column: change of x_next with x, u and h, with constant references.
   If a function fails, all its output is NaN */
int @_configuration(const double* x, const double* q_ref, double* q); /* q [NQ], closed; reads NV numbers of x */
int @_step(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h,
           double* x_next);
int @_step_jacobian(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h,
                    double* x_next, double* J);
)";
constexpr const char* second_derivatives =
    R"(/* H [COLUMNS x COLUMNS]: second derivatives of pi' x_next by x, u and h, for multipliers pi [NX] */
int @_step_hessian(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h,
                   const double* pi, double* H);
)";

std::string meaning_of_inputs(const File& file) {
    if (file.step_motors.empty()) return "tau";
    std::string names;
    for (const int body : file.step_motors)
        names += (names.empty() ? "" : ", ") + harmless(file.model.names.joints[body]);
    return "forces of the motors of " + names;
}

}  // namespace

std::string step_declarations(const File& file) {
    std::string text = has_poses(file.model) ? by_displacements : by_coordinates;
    text += "   u [NU]: " + meaning_of_inputs(file) + ".\n";
    if (file.step_has_joint_forces)
        text += "   Springs, dampers, tendons and gravity compensation act; dry friction does not.\n";
    text += file.step == Integrator::runge_kutta ? "   Rule: Runge-Kutta of fourth order.\n"
                                                 : "   Rule: yd+ = yd + h ydd, then positions with yd+.\n";
    text += functions;
    if (file.step_has_hessian) text += second_derivatives;
    text = filled(file.dialect, text);
    if (file.abi == Abi::casadi) text += "\n" + casadi_meaning(file);
    return file.abi == Abi::acados ? text + acados_declarations(file) : text;
}

std::string step_definitions(const File& file) {
    const Model& model = file.model;
    const Rows numbers = numbers_of(model), poses = poses_of(model);
    std::string text = "\n/* place of an entry of a matrix */\n#define $_AT(row, column, rows, columns) ";
    text += file.dialect.columns ? "((column) * (rows) + (row))\n" : "((row) * (columns) + (column))\n";
    text += "\nenum { $_NUMBERS = " + std::to_string(numbers.count) +
            ", $_POSES = " + std::to_string(poses.count) + " };\n";
    text += "/* places in q and in y */\nstatic const int @_numbers[][2] = {" +
            (numbers.count > 0 ? numbers.text : "{0, 0}") + "};\n";
    if (poses.count > 0) text += "static const int @_orientable[][7] = {" + poses.text + "};\n";
    StepShape shape{closes_by_steps(model), poses.count > 0, file.step == Integrator::runge_kutta,
                    file.step_is_forced, coupled_positions(model, "q")};
    text = filled(file.dialect, text);
    if (shape.poses) text += pose_displacements(file.dialect);
    std::string steps = step_functions(file.dialect, shape);
    if (shape.applied) {
        const Function& forces = *find(file, GeneratedAlgorithm::forces_derivatives);
        const int nu = inputs_of(file);
        const std::string products = product(forces, 1, "y", model.nv, "$_NV") +
                                     product(forces, 2, "yd", model.nv, "$_NV") +
                                     product(forces, 3, "u", nu, "$_NU");
        steps = with(steps, "{products}", filled(file.dialect, products));
    }
    text += steps;
    if (file.step_has_hessian) text += hessian_functions(file.dialect, shape.applied, shape.runge_kutta);
    if (file.abi == Abi::casadi) text += casadi_functions(file);
    return file.abi == Abi::acados ? text + acados_functions(file) : text;
}

}  // namespace grbda::generated
