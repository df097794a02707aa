#include "external_functions.hpp"

#include <algorithm>
#include <string_view>

#include "step.hpp"
#include "text.hpp"

namespace grbda::generated {
namespace {

constexpr std::string_view rows_chained = R"(
/* derivatives [rows x] by a displacement, from those along y */
static void @_chain_rows(const double* d, int rows, double* J) {
    double A[$_NV * $_NV], row[$_NV];
    int i, j, k;
    for (i = 0; i < $_NV * $_NV; ++i) A[i] = i % ($_NV + 1) == 0 ? 1.0 : 0.0;
    @_map(@_by_delta, d, A, $_NV);
    for (i = 0; i < rows; ++i) {
        for (j = 0; j < $_NV; ++j) {
            row[j] = 0.0;
            for (k = 0; k < $_NV; ++k) row[j] += J[k * rows + i] * A[j * $_NV + k];
        }
        for (j = 0; j < $_NV; ++j) J[j * rows + i] = row[j];
    }
}
)";

// {chain} converts derivatives along y to derivatives by displacements. Without {hessian} there are no second
// derivatives.
constexpr std::string_view step_body = R"(    int status;
    if (order == 0) return @_step(in[0], in[1], in[2], in[3], in[4][0], out);
    status = @_step_jacobian(in[0], in[1], in[2], in[3], in[4][0], out, J);
{hessian}    return status;
)";
constexpr std::string_view step_hessian =
    "    if (order == 2 && status == 0) status = @_step_hessian(in[0], in[1], in[2], in[3], in[4][0], "
    "lambda, H);\n";

constexpr std::string_view dynamics_body = R"(    double q[$_NQ];
    @_partials by;
    int status = @_configuration(in[0], in[3], q), i, j;
    if (status == 0 && order == 0) return @_accelerate(q, in[1], in[2], out);
    if (status == 0) status = @_differentiate(q, in[1], in[2], out, &by);
    for (i = 0; i < $_NV && status == 0 && order > 0; ++i) {
        for (j = 0; j < $_NV; ++j) {
            J[j * $_NV + i] = by.y[$_AT(i, j, $_NV, $_NV)];
            J[($_NV + j) * $_NV + i] = by.yd[$_AT(i, j, $_NV, $_NV)];
        }
        for (j = 0; j < $_NU; ++j) J[(2 * $_NV + j) * $_NV + i] = by.u[$_AT(i, j, $_NV, $_NU)];
    }
{chain}{hessian}    return status;
)";
constexpr std::string_view dynamics_hessian =
    "    if (order == 2 && status == 0) status = @_curve(q, in[1], in[2], out, &by, lambda, H);\n";

constexpr std::string_view rnea_body = R"(    double q[$_NQ], Y[$_NV * $_NV], V[$_NV * $_NV], M[$_NV * $_NV];
    int status = @_configuration(in[0], in[3], q), i, j;
    if (status == 0) status = @_rnea(q, in[1], in[2], out);
    if (status != 0 || order == 0) return status;
    status = @_rnea_derivatives(q, in[1], in[2], Y, V, M);
    for (i = 0; i < $_NV; ++i)
        for (j = 0; j < $_NV; ++j) {
            J[j * $_NV + i] = Y[$_AT(i, j, $_NV, $_NV)];
            J[($_NV + j) * $_NV + i] = V[$_AT(i, j, $_NV, $_NV)];
            J[(2 * $_NV + j) * $_NV + i] = M[$_AT(i, j, $_NV, $_NV)];
        }
{chain}{hessian}    return status;
)";
constexpr std::string_view rnea_hessian = R"(    if (order == 2 && status == 0) {
        double G[3 * $_NV * $_NV];
        status = @_rnea_hessian(q, in[1], in[2], lambda, G, V);
        for (i = 0; i < 9 * $_NV * $_NV; ++i) H[i] = 0.0;
        for (j = 0; j < $_NV; ++j) {
            for (i = 0; i < 3 * $_NV; ++i) H[3 * $_NV * j + i] = H[3 * $_NV * i + j] = G[3 * $_NV * j + i];
            for (i = 0; i < $_NV; ++i) H[3 * $_NV * ($_NV + j) + $_NV + i] = V[$_NV * j + i];
        }
    }
)";

constexpr std::string_view frames_body = R"(    double q[$_NQ];
    int status = @_configuration(in[0], in[2], q);
    if (status != 0) return status;
    if (order == 0) {
        status = @_poses(q, out);
        return status != 0 ? status : @_twists(q, in[1], out + 12 * $_FRAMES);
    }
    status = @_frames_derivatives(q, in[1], out, J);
{chain}{hessian}    return status;
)";
constexpr std::string_view frames_hessian = R"(    if (order == 2 && status == 0) {
        double G[2 * $_NV * $_NV];
        int i, j;
        status = @_frames_hessian(q, in[1], lambda, G);
        for (i = 0; i < 4 * $_NV * $_NV; ++i) H[i] = 0.0;
        for (j = 0; j < $_NV; ++j)
            for (i = 0; i < 2 * $_NV; ++i) H[2 * $_NV * j + i] = H[2 * $_NV * i + j] = G[2 * $_NV * j + i];
    }
)";

constexpr std::string_view configuration_body = R"(    int status = @_configuration(in[0], in[1], out);
    if (status != 0 || order == 0) return status;
    status = @_tangent(out, J);
{chain}{hessian}    return status;
)";
constexpr std::string_view configuration_hessian =
    "    if (order == 2 && status == 0) status = @_tangent_hessian(out, lambda, H);\n";

std::string body(std::string_view text, std::string_view hessian, bool poses, const std::string& rows) {
    const std::string chain = "    if (status == 0 && order > 0) @_chain_rows(in[0], " + rows + ", J);\n";
    return with(with(text, "{chain}", poses ? chain : ""), "{hessian}",
                poses ? "    (void)lambda;\n    (void)H;\n" : hessian);
}

}  // namespace

std::vector<External> externals(const File& file) {
    const bool poses = has_poses(file.model);
    const std::string position = poses ? "d" : "y";
    const Input y{position, "$_NV", true}, yd{"yd", "$_NV", true}, u{"u", "$_NU", true},
        q_ref{"q_ref", "$_NQ", false};
    std::vector<External> result{
        {"step",
         {{"x", "$_NX", true}, u, q_ref, {"q_ref_next", "$_NQ", false}, {"h", "1", true}},
         {{"x_next", "$_NX", true}},
         body(step_body, step_hessian, poses, "")},
        {"aba",
         {y, yd, u, q_ref},
         {{"ydd", "$_NV", true}},
         body(dynamics_body, dynamics_hessian, poses, "$_NV")},
        {"rnea",
         {y, yd, {"ydd", "$_NV", true}, q_ref},
         {{"tau", "$_NV", true}},
         body(rnea_body, rnea_hessian, poses, "$_NV")},
        {"configuration",
         {y, q_ref},
         {{"q", "$_NQ", true}},
         body(configuration_body, configuration_hessian, poses, "$_NQ")}};
    const bool frames =
        std::any_of(file.functions.begin(), file.functions.end(), [](const Function& function) {
            return function.request.algorithm == GeneratedAlgorithm::frames_derivatives;
        });
    if (frames)
        result.push_back({"frames",
                          {y, yd, q_ref},
                          {{"poses", "12 * $_FRAMES", true}, {"twists", "6 * $_FRAMES", true}},
                          body(frames_body, frames_hessian, poses, "18 * $_FRAMES")});
    return result;
}

std::string external_support(const File& file) {
    return has_poses(file.model) ? std::string(rows_chained) : "";
}

}  // namespace grbda::generated
