#include <array>
#include <string_view>

#include "kernels/cluster/runge_kutta.hpp"
#include "step_text.hpp"
#include "text.hpp"

// Stages are integrate(q, delta) from the start of the step, as in step_derivatives().

namespace grbda::generated {
namespace {

constexpr std::string_view slopes_of_poses = R"(
static void @_add_bracket(const double* a, const double* b, double* sum) {
    double p[3], r[3], s[3];
    int i;
    @_cross(a + 3, b, p);
    @_cross(a, b + 3, r);
    @_cross(a + 3, b + 3, s);
    for (i = 0; i < 3; ++i) {
        sum[i] += p[i] + r[i];
        sum[3 + i] += s[i];
    }
}

/* rate of a displacement d for velocity r: r + [d, r] / 2 + [d, [d, r]] / 12, with a change of r and d, or null */
static void @_rate(const double* delta, const double* rate, const double* delta_by, const double* rate_by, double* out) {
    int p, k;
    memcpy(out, rate_by ? rate_by : rate, $_NV * sizeof *out);
    for (p = 0; p < $_POSES; ++p) {
        double d[6], r[6], once[6] = {0.0}, twice[6] = {0.0}, sum[6];
        @_twist(@_orientable[p], delta, d);
        @_twist(@_orientable[p], rate, r);
        @_add_bracket(d, r, once);
        if (rate_by) {
            double dd[6], dr[6], change[6] = {0.0};
            @_twist(@_orientable[p], delta_by, dd);
            @_twist(@_orientable[p], rate_by, dr);
            @_add_bracket(dd, once, twice);
            @_add_bracket(dd, r, change);
            @_add_bracket(d, dr, change);
            @_add_bracket(d, change, twice);
            for (k = 0; k < 6; ++k) sum[k] = dr[k] + 0.5 * change[k] + twice[k] / 12.0;
        } else {
            @_add_bracket(d, once, twice);
            for (k = 0; k < 6; ++k) sum[k] = r[k] + 0.5 * once[k] + twice[k] / 12.0;
        }
        @_put_twist(@_orientable[p], sum, out);
    }
}
)";

constexpr std::string_view plain_slopes = R"(
static void @_rate(const double* delta, const double* rate, const double* delta_by, const double* rate_by, double* out) {
    (void)delta;
    (void)delta_by;
    memcpy(out, rate_by ? rate_by : rate, $_NV * sizeof *out);
}
)";

constexpr std::string_view runge_kutta = R"(
static const double @_portions[4] = {{portions}}, @_weights[4] = {{weights}};

int @_step(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h, double* x_next) {
    double q[$_NQ], at[$_NQ], ydd[$_NV] = {0.0}, rate[$_NV], delta[$_NV] = {0.0}, slope[$_NV] = {0.0}, total[$_NV] = {0.0};
    double gain[$_NV] = {0.0};
    int status = @_configuration(x, q_ref, q), stage, i;
    for (stage = 0; stage < 4 && status == 0; ++stage) {
        const double after = h * @_portions[stage], weight = h * @_weights[stage];
        for (i = 0; i < $_NV; ++i) {
            delta[i] = after * slope[i];
            rate[i] = x[$_NV + i] + after * ydd[i];
        }
        status = @_displace(q, delta, at);
        if (status == 0) status = @_accelerate(at, rate, u, ydd);
        if (status != 0) break;
        @_rate(delta, rate, NULL, NULL, slope);
        for (i = 0; i < $_NV; ++i) {
            total[i] += weight * slope[i];
            gain[i] += weight * ydd[i];
        }
    }
    for (i = 0; i < $_NV; ++i) x_next[$_NV + i] = x[$_NV + i] + gain[i];
    if (status == 0) @_arrive(q, total, x, q_ref_next, x_next);
    return @_deliver(status, x_next, NULL);
}

/* data of one stage, and sums over stages */
typedef struct {
    double q[$_NQ], at[$_NQ], ydd[$_NV], rate[$_NV], delta[$_NV], slope[$_NV], total[$_NV], gain[$_NV];
    double start_by[$_NV * $_COLUMNS], at_by[$_NV * $_COLUMNS], rate_by[$_NV * $_COLUMNS], delta_by[$_NV * $_COLUMNS];
    double slope_by[$_NV * $_COLUMNS], ydd_by[$_NV * $_COLUMNS], total_by[$_NV * $_COLUMNS], gain_by[$_NV * $_COLUMNS];
    @_partials by;
} @_stages;

/* computes the state of a stage from the previous one */
static int @_enter(const double* x, double portion, double h, @_stages* s) {
    double* const last = s->delta_by + $_NV * ($_COLUMNS - 1);
    const double after = portion * h;
    int i, status;
    @_begin(x, s->start_by, s->rate_by);
    for (i = 0; i < $_NV * $_COLUMNS; ++i) {
        s->delta_by[i] = after * s->slope_by[i];
        s->rate_by[i] += after * s->ydd_by[i];
        s->at_by[i] = s->start_by[i];
    }
    for (i = 0; i < $_NV; ++i) {
        s->delta[i] = after * s->slope[i];
        s->rate[i] = x[$_NV + i] + after * s->ydd[i];
        last[i] += portion * s->slope[i];
        s->rate_by[$_NV * ($_COLUMNS - 1) + i] += portion * s->ydd[i];
    }
    status = @_displace(s->q, s->delta, s->at);
{moved}    for (i = 0; i < $_NV * $_COLUMNS; ++i) s->at_by[i] += {delta_by}[i];
    return status;
}

static void @_leave(double weight, double h, @_stages* s) {
    const double w = weight * h;
    int i, j;
    @_chain(&s->by, s->at_by, s->rate_by, s->ydd_by);
    for (j = 0; j < $_COLUMNS; ++j)
        @_rate(s->delta, s->rate, s->delta_by + $_NV * j, s->rate_by + $_NV * j, s->slope_by + $_NV * j);
    @_rate(s->delta, s->rate, NULL, NULL, s->slope);
    for (i = 0; i < $_NV * $_COLUMNS; ++i) {
        s->total_by[i] += w * s->slope_by[i];
        s->gain_by[i] += w * s->ydd_by[i];
    }
    for (i = 0; i < $_NV; ++i) {
        s->total[i] += w * s->slope[i];
        s->gain[i] += w * s->ydd[i];
        s->total_by[$_NV * ($_COLUMNS - 1) + i] += weight * s->slope[i];
        s->gain_by[$_NV * ($_COLUMNS - 1) + i] += weight * s->ydd[i];
    }
}

int @_step_jacobian(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h,
                    double* x_next, double* J) {
    @_stages s;
    int status = @_configuration(x, q_ref, s.q), stage, i;
    for (i = 0; i < $_NV; ++i) s.slope[i] = s.ydd[i] = s.total[i] = s.gain[i] = 0.0;
    for (i = 0; i < $_NV * $_COLUMNS; ++i) s.slope_by[i] = s.ydd_by[i] = s.total_by[i] = s.gain_by[i] = 0.0;
    for (stage = 0; stage < 4 && status == 0; ++stage) {
        status = @_enter(x, @_portions[stage], h, &s);
        if (status == 0) status = @_differentiate(s.at, s.rate, u, s.ydd, &s.by);
        if (status == 0) @_leave(@_weights[stage], h, &s);
    }
    if (status == 0) @_finish(s.q, s.total, s.gain, x, q_ref_next, s.start_by, s.total_by, s.gain_by, x_next, J);
    return @_deliver(status, x_next, J);
}
)";

std::string list(const std::array<double, kernels::runge_kutta::stages>& numbers) {
    std::string text;
    for (const double x : numbers) text += (text.empty() ? "" : ", ") + number_text(x);
    return text;
}

}  // namespace

std::string runge_kutta_steps(const Dialect& dialect, bool poses) {
    std::string text(poses ? slopes_of_poses : plain_slopes);
    std::string stages(runge_kutta);
    stages = with(stages, "{portions}", list(kernels::runge_kutta::portions));
    stages = with(stages, "{weights}", list(kernels::runge_kutta::weights));
    stages = with(stages, "{moved}",
                  poses ? "    @_map(@_by_start, s->delta, s->at_by, $_COLUMNS);\n"
                          "    memcpy(s->moved_by, s->delta_by, sizeof s->moved_by);\n"
                          "    @_map(@_by_delta, s->delta, s->moved_by, $_COLUMNS);\n"
                        : "");
    stages = with(stages, "{delta_by}", poses ? "s->moved_by" : "s->delta_by");
    if (poses)
        stages = with(stages, "total_by[$_NV * $_COLUMNS], gain_by[$_NV * $_COLUMNS];\n",
                      "total_by[$_NV * $_COLUMNS], gain_by[$_NV * $_COLUMNS];\n"
                      "    double moved_by[$_NV * $_COLUMNS];\n");
    return filled(dialect, text + stages);
}

}  // namespace grbda::generated
