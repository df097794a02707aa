#include "parameters.hpp"

#include <algorithm>

#include "statements.hpp"

namespace grbda::generated {
namespace {

/// Computes principal moments by Jacobi's rotations. Converts mass, centre and tensor in the link's axes to
/// the input of the functions, in the body's canonical axes. @ is the robot's prefix, $ that of macros.
constexpr const char* conversion = R"(
/* rotates rows and columns i and j of a symmetric matrix until their entry is zero; rotates v as well */
static void @_rotate(double a[3][3], double v[3][3], int i, int j) {
    double t, c, s;
    int k;
    if (a[i][j] == 0.0) return;
    t = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
    t = (t >= 0.0 ? 1.0 : -1.0) / (fabs(t) + sqrt(t * t + 1.0));
    c = 1.0 / sqrt(t * t + 1.0);
    s = t * c;
    for (k = 0; k < 3; ++k) {
        const double x = a[k][i], y = a[k][j];
        a[k][i] = c * x - s * y;
        a[k][j] = s * x + c * y;
    }
    for (k = 0; k < 3; ++k) {
        const double x = a[i][k], y = a[j][k], p = v[k][i], q = v[k][j];
        a[i][k] = c * x - s * y;
        a[j][k] = s * x + c * y;
        v[k][i] = c * p - s * q;
        v[k][j] = s * p + c * q;
    }
}

void @_set_inertia(double* parameters, int body, double mass, const double* com, const double* inertia) {
    const double (*frame)[3] = @_frames[body];
    const double tensor[3][3] = {{inertia[0], inertia[3], inertia[4]},
                                 {inertia[3], inertia[1], inertia[5]},
                                 {inertia[4], inertia[5], inertia[2]}};
    double a[3][3] = {{0.0}}, v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double* const out = parameters + 11 * body;
    int i, j, k, l, least = 0;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j)
            for (k = 0; k < 3; ++k)
                for (l = 0; l < 3; ++l) a[i][j] += frame[k][i] * tensor[k][l] * frame[l][j];
    for (k = 0; k < 12; ++k) {
        @_rotate(a, v, 0, 1);
        @_rotate(a, v, 0, 2);
        @_rotate(a, v, 1, 2);
    }
    for (i = 1; i < 3; ++i)
        if (a[i][i] < a[least][least]) least = i;
    out[0] = mass;
    for (i = 0; i < 3; ++i) out[1 + i] = frame[0][i] * com[0] + frame[1][i] * com[1] + frame[2][i] * com[2];
    out[4] = a[least][least];
    for (k = 0; k < 2; ++k) {
        const int axis = (least + 1 + k) % 3;
        const double more = sqrt(a[axis][axis] - a[least][least]);
        for (i = 0; i < 3; ++i) out[5 + 3 * k + i] = more * v[i][axis];
    }
}
)";

std::string named(const Dialect& dialect) {
    std::string text = conversion, result;
    for (const char c : text) result += c == '@' ? dialect.name : std::string(1, c);
    return result;
}

std::string list(const std::vector<double>& numbers) {
    std::string text;
    for (const double x : numbers) text += (text.empty() ? "" : ", ") + number_text(x);
    return "{" + text + "}";
}

}  // namespace

std::string parameter_declarations(const File& file) {
    if (file.parameters.empty()) return {};
    std::string names;
    for (const int body : file.parameters)
        names += (names.empty() ? "" : ", ") + harmless(file.model.names.bodies[body]);
    const std::string& name = file.dialect.name;
    return "\n/* inertial parameters of the bodies, in this order: " + names +
           ". Links fixed to such a body are included, and\n" +
           "   so are rotors and masses of rods that they carry. parameters begin as " + name +
           "_parameters; set_inertia changes those of one body:\n" +
           "   mass [kg], centre of mass [m] and tensor about it (xx yy zz xy xz yz) [kg m^2], in the axes "
           "and from the\n" +
           "   origin of the body's first link */\n" + "extern const double " + name + "_parameters[" +
           std::to_string(file.robot->parameters.size()) + "];\nvoid " + name +
           "_set_inertia(double* parameters, int body, double mass, const double* com, const double* "
           "inertia);\n\n";
}

std::string parameter_definitions(const File& file) {
    if (file.parameters.empty()) return {};
    std::string frames;
    for (const int body : file.parameters) {
        const Matrix3<double>& C = file.robot->body_frames[body];
        frames += (frames.empty() ? "" : ", ") + std::string("{") + list({C.x.x, C.y.x, C.z.x}) + ", " +
                  list({C.x.y, C.y.y, C.z.y}) + ", " + list({C.x.z, C.y.z, C.z.z}) + "}";
    }
    const std::string& name = file.dialect.name;
    return "\nconst double " + name + "_parameters[" + std::to_string(file.robot->parameters.size()) +
           "] = " + list(file.robot->parameters) +
           ";\n\n/* axes of these numbers in the functions */\nstatic const double " + name +
           "_frames[][3][3] = {" + frames + "};\n" + named(file.dialect);
}

}  // namespace grbda::generated
