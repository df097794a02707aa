#include "hessian_text.hpp"

#include <string_view>

#include "text.hpp"

// λᵀ ∂²ÿ = −Zᵀ ∂²(μᵀ (τ_ID − τ)) Z with μ = M⁻¹ λ and Z = ∂(y, ẏ, ÿ, u)/∂(y, ẏ, u). In a step, multipliers
// pass backward through its stages.

namespace grbda::generated {
namespace {

constexpr std::string_view curving = R"(
enum { $_STATE = $_NX + $_NU };

/* computes lambda' times the second derivatives of ydd by y, yd and u */
static int @_curve(const double* q, const double* yd, const double* u, const double* ydd, const @_partials* by,
                   const double* lambda, double* C) {
    double mu[$_NV], H[3 * $_NV * $_NV], V[$_NV * $_NV];
{forces}    int status, i, j, k;
    for (i = 0; i < $_NV; ++i) {
        mu[i] = 0.0;
        for (k = 0; k < $_NV; ++k) mu[i] += by->{inverse}[$_AT(i, k, $_NV, $_NV)] * lambda[k];
    }
    status = @_rnea_hessian(q, yd, ydd, mu, H, V);
{call}    for (i = 0; i < $_STATE * $_STATE; ++i) C[i] = 0.0;
    for (j = 0; j < $_NV; ++j) {
        const double *h = H + 3 * $_NV * j, *a = h + 2 * $_NV;
        double* const c = C + $_STATE * j;
        for (i = 0; i < 2 * $_NV; ++i) c[i] -= h[i];
        for (k = 0; k < $_NV; ++k) {
            for (i = 0; i < $_NV; ++i) {
                c[i] -= by->y[$_AT(k, i, $_NV, $_NV)] * a[k] + H[3 * $_NV * i + 2 * $_NV + k] * by->y[$_AT(k, j, $_NV, $_NV)];
                c[$_NV + i] -= by->yd[$_AT(k, i, $_NV, $_NV)] * a[k];
            }
            for (i = 0; i < $_NU; ++i) c[2 * $_NV + i] -= by->u[$_AT(k, i, $_NV, $_NU)] * a[k];
        }
{add}        for (i = 0; i < $_NV; ++i) C[$_STATE * ($_NV + j) + $_NV + i] -= V[$_NV * j + i];
    }
    for (j = 0; j < $_NV; ++j)
        for (i = $_NV; i < $_STATE; ++i) C[$_STATE * i + j] = C[$_STATE * j + i];
    return status;
}

static int @_deliver_hessian(int status, double* H) {
    if (status == 0 && !(@_zeros(H, $_COLUMNS * $_COLUMNS, 1) == 0.0)) status = $_NOT_FINITE;
    if (status != 0) @_clear(H, $_COLUMNS * $_COLUMNS);
    return status;
}
)";

constexpr std::string_view euler = R"(
int @_step_hessian(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h,
                   const double* pi, double* H) {
    double q[$_NQ], ydd[$_NV], w[$_NV], C[$_STATE * $_STATE];
    @_partials by;
    int status = @_configuration(x, q_ref, q), i, j, k;
    (void)q_ref_next;
    if (status == 0) status = @_differentiate(q, x + $_NV, u, ydd, &by);
    for (i = 0; i < $_NV; ++i) w[i] = h * (pi[$_NV + i] + h * pi[i]);
    if (status == 0) status = @_curve(q, x + $_NV, u, ydd, &by, w, C);
    if (status != 0) return @_deliver_hessian(status, H);
    H[$_COLUMNS * $_COLUMNS - 1] = 0.0;
    for (k = 0; k < $_NV; ++k) H[$_COLUMNS * $_COLUMNS - 1] += 2.0 * pi[k] * ydd[k];
    for (j = 0; j < $_STATE; ++j) {
        double sum = j >= $_NV && j < 2 * $_NV ? pi[j - $_NV] : 0.0;
        for (i = 0; i < $_STATE; ++i) H[$_COLUMNS * j + i] = C[$_STATE * j + i];
        for (k = 0; k < $_NV; ++k)
            sum += (2.0 * h * pi[k] + pi[$_NV + k]) * (j < $_NV       ? by.y[$_AT(k, j, $_NV, $_NV)]
                                                       : j < 2 * $_NV ? by.yd[$_AT(k, j - $_NV, $_NV, $_NV)]
                                                                      : by.u[$_AT(k, j - 2 * $_NV, $_NV, $_NU)]);
        H[$_COLUMNS * j + $_STATE] = H[$_COLUMNS * $_STATE + j] = sum;
    }
    return @_deliver_hessian(0, H);
}
)";

constexpr std::string_view runge_kutta = R"(
typedef struct {
    double at[$_NQ], rate[$_NV], ydd[$_NV], at_by[$_NV * $_COLUMNS], rate_by[$_NV * $_COLUMNS], ydd_by[$_NV * $_COLUMNS];
    @_partials by;
} @_stage;

/* computes a stage from the previous one; null for the first stage */
static int @_advance(const double* x, const double* q, const double* u, double portion, double h, const @_stage* last,
                     @_stage* s) {
    double delta[$_NV] = {0.0};
    int status, i;
    @_begin(x, s->at_by, s->rate_by);
    for (i = 0; i < $_NV; ++i) s->rate[i] = x[$_NV + i];
    if (last) {
        for (i = 0; i < $_NV * $_COLUMNS; ++i) {
            s->at_by[i] += portion * h * last->rate_by[i];
            s->rate_by[i] += portion * h * last->ydd_by[i];
        }
        for (i = 0; i < $_NV; ++i) {
            delta[i] = portion * h * last->rate[i];
            s->rate[i] += portion * h * last->ydd[i];
            s->at_by[$_NV * ($_COLUMNS - 1) + i] += portion * last->rate[i];
            s->rate_by[$_NV * ($_COLUMNS - 1) + i] += portion * last->ydd[i];
        }
    }
    status = @_displace(q, delta, s->at);
    if (status == 0) status = @_differentiate(s->at, s->rate, u, s->ydd, &s->by);
    if (status == 0) @_chain(&s->by, s->at_by, s->rate_by, s->ydd_by);
    return status;
}

/* entry i of column j of the derivative of (y, yd, u) of a stage by x, u and h */
static double @_state_by(const @_stage* s, int i, int j) {
    if (i < $_NV) return s->at_by[$_NV * j + i];
    if (i < 2 * $_NV) return s->rate_by[$_NV * j + i - $_NV];
    return i == j ? 1.0 : 0.0;
}

/* H += X' C X */
static void @_add_curvature(const @_stage* s, const double* C, double* H) {
    int i, j, k;
    for (j = 0; j < $_COLUMNS; ++j) {
        double column[$_STATE];
        for (i = 0; i < $_STATE; ++i) {
            column[i] = 0.0;
            for (k = 0; k < $_STATE; ++k) column[i] += C[$_STATE * k + i] * @_state_by(s, k, j);
        }
        for (i = 0; i < $_COLUMNS; ++i)
            for (k = 0; k < $_STATE; ++k) H[$_COLUMNS * j + i] += @_state_by(s, k, i) * column[k];
    }
}

int @_step_hessian(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h,
                   const double* pi, double* H) {
    double q[$_NQ], C[$_STATE * $_STATE], xi[$_NX] = {0.0};
    @_stage s[4];
    int status = @_configuration(x, q_ref, q), stage, i, j, k;
    (void)q_ref_next;
    for (stage = 0; stage < 4 && status == 0; ++stage)
        status = @_advance(x, q, u, @_portions[stage], h, stage > 0 ? s + stage - 1 : NULL, s + stage);
    for (i = 0; i < $_COLUMNS * $_COLUMNS; ++i) H[i] = 0.0;
    for (stage = 3; stage >= 0 && status == 0; --stage) {
        const @_stage* const now = s + stage;
        const double next = stage < 3 ? @_portions[stage + 1] : 0.0;
        double bar[$_NX], w[$_NV]; /* multipliers of the stage's slope over h, and of its acceleration */
        for (i = 0; i < $_NX; ++i) bar[i] = @_weights[stage] * pi[i] + next * xi[i];
        for (i = 0; i < $_NV; ++i) w[i] = h * bar[$_NV + i];
        status = @_curve(now->at, now->rate, u, now->ydd, &now->by, w, C);
        @_add_curvature(now, C, H);
        for (j = 0; j < $_COLUMNS; ++j) {
            double sum = 0.0;
            for (k = 0; k < $_NV; ++k)
                sum += bar[k] * now->rate_by[$_NV * j + k] + bar[$_NV + k] * now->ydd_by[$_NV * j + k];
            H[$_COLUMNS * j + $_STATE] += sum;
            H[$_COLUMNS * $_STATE + j] += sum;
        }
        for (i = 0; i < $_NV; ++i) {
            xi[i] = 0.0;
            xi[$_NV + i] = h * bar[i];
            for (k = 0; k < $_NV; ++k) {
                xi[i] += now->by.y[$_AT(k, i, $_NV, $_NV)] * w[k];
                xi[$_NV + i] += now->by.yd[$_AT(k, i, $_NV, $_NV)] * w[k];
            }
        }
    }
    return @_deliver_hessian(status, H);
}
)";

}  // namespace

std::string hessian_functions(const Dialect& dialect, bool applied, bool runge) {
    std::string text(curving);
    text = with(text, "{inverse}", applied ? "inverse" : "u");
    text = with(text, "{forces}", applied ? "    double F[$_STATE * $_NV];\n" : "");
    text = with(
        text, "{call}",
        applied ? "    if (status == 0) status = @_forces_hessian(q, yd, u, mu, F);\n" : "    (void)u;\n");
    text = with(text, "{add}",
                applied ? "        for (i = 0; i < $_STATE; ++i) c[i] += F[$_STATE * j + i];\n" : "");
    return filled(dialect, text + std::string(runge ? runge_kutta : euler));
}

}  // namespace grbda::generated
