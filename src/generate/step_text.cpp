#include "step_text.hpp"

#include <string_view>

#include "text.hpp"

// The step is that of step_derivatives() between integrate() and difference(). Matrices whose names contain
// "by" have columns for x, u and h.

namespace grbda::generated {
namespace {

// {name} and {place} differ for configurations given by coordinates, and by displacements.
constexpr std::string_view displacing = R"(
{linkage}int @_{name}(const double* {from}, const double* {to}, double* q) {
{delta}    int status = 0, i;
    memcpy(q, origin, $_NQ * sizeof *q);
    for (i = 0; i < $_NUMBERS; ++i) {number}
{poses}{coupled}{close}    if (status == 0 && !(@_zeros(q, $_NQ, 1) == 0.0)) status = $_NOT_FINITE;
    if (status != 0) @_clear(q, $_NQ);
    return status;
}
)";

constexpr std::string_view moved_poses =
    R"(    for (i = 0; i < $_POSES; ++i) {
        double twist[6];
        @_twist(@_orientable[i], delta, twist);
        if (@_orientable[i][1] < 0)
            @_turn(q + @_orientable[i][0], twist + 3);
        else
            @_float(q + @_orientable[i][0], twist);
    }
)";

constexpr std::string_view arriving = R"(
/* computes x_next from a displacement from q, in coordinates */
static void @_arrive(const double* q, const double* delta, const double* x, const double* q_ref_next, double* x_next) {
    int i;
    (void)q;
    (void)q_ref_next;
    for (i = 0; i < $_NV; ++i) x_next[i] = x[i] + delta[i];
}
)";

constexpr std::string_view arriving_poses = R"(
/* computes x_next, relative to the next reference, from a displacement from q */
static void @_arrive(const double* q, const double* delta, const double* x, const double* q_ref_next, double* x_next) {
    int i;
    (void)x;
    for (i = 0; i < $_NUMBERS; ++i) {
        const int n = @_numbers[i][0], y = @_numbers[i][1];
        x_next[y] = q[n] + delta[y] - q_ref_next[n];
    }
    for (i = 0; i < $_POSES; ++i) {
        const int first = @_orientable[i][0], floats = @_orientable[i][1] >= 0;
        double moved[7], twist[6];
        memcpy(moved, q + first, (size_t)(floats ? 7 : 4) * sizeof *moved);
        @_twist(@_orientable[i], delta, twist);
        if (floats)
            @_float(moved, twist);
        else
            @_turn(moved, twist + 3);
        @_between(floats, q_ref_next + first, moved, twist);
        @_put_twist(@_orientable[i], twist, x_next);
    }
}
)";

constexpr std::string_view accelerating = R"(
typedef struct {
    double y[$_NV * $_NV], yd[$_NV * $_NV], u[$_NV * $_NU]; /* of the acceleration */
} @_partials;

static int @_accelerate(const double* q, const double* yd, const double* u, double* ydd) {
    return @_aba(q, yd, u, ydd);
}

static int @_differentiate(const double* q, const double* yd, const double* u, double* ydd, @_partials* by) {
    return @_aba_derivatives(q, yd, u, by->y, by->yd, by->u, ydd);
}
)";

constexpr std::string_view accelerating_applied = R"(
typedef struct {
    double y[$_NV * $_NV], yd[$_NV * $_NV], u[$_NV * $_NU]; /* of the acceleration */
    double inverse[$_NV * $_NV];                            /* of the mass matrix */
} @_partials;

static int @_accelerate(const double* q, const double* yd, const double* u, double* ydd) {
    double tau[$_NV];
    const int status = @_forces(q, yd, u, tau);
    return status != 0 ? status : @_aba(q, yd, tau, ydd);
}

/* adds W tau_x, whose entries that are not always zero are listed */
static void @_add_product(const double* W, const double* tau_x, int columns, const int (*places)[2], int count, double* sum) {
    int p, i;
    (void)columns;
    for (p = 0; p < count; ++p) {
        const int k = places[p][0], j = places[p][1];
        const double x = tau_x[$_AT(k, j, $_NV, columns)];
        for (i = 0; i < $_NV; ++i) sum[$_AT(i, j, $_NV, columns)] += W[$_AT(i, k, $_NV, $_NV)] * x;
    }
}

static int @_differentiate(const double* q, const double* yd, const double* u, double* ydd, @_partials* by) {
    double tau[$_NV], *const W = by->inverse;
    @_partials forces;
    int status = @_forces_derivatives(q, yd, u, tau, forces.y, forces.yd, forces.u), i;
    if (status == 0) status = @_aba_derivatives(q, yd, tau, by->y, by->yd, W, ydd);
    if (status != 0) return status;
    for (i = 0; i < $_NV * $_NU; ++i) by->u[i] = 0.0;
{products}    return 0;
}
)";

constexpr std::string_view finishing = R"(
/* checks results; invalid ones become NaN, with the reason */
static int @_deliver(int status, double* x_next, double* J) {
    if (status == 0 && !(@_zeros(x_next, $_NX, 1) == 0.0)) status = $_NOT_FINITE;
    if (status == 0 && J && !(@_zeros(J, $_NX * $_COLUMNS, 1) == 0.0)) status = $_NOT_FINITE;
    if (status == 0) return 0;
    @_clear(x_next, $_NX);
    if (J) @_clear(J, $_NX * $_COLUMNS);
    return status;
}

static void @_zero(double* A) {
    int i;
    for (i = 0; i < $_NV * $_COLUMNS; ++i) A[i] = 0.0;
}

/* sets [1 0 0 0] from the reference, and [0 1 0 0] */
static void @_begin(const double* x, double* at_by, double* rate_by) {
    int i;
    @_zero(at_by);
    @_zero(rate_by);
    for (i = 0; i < $_NV; ++i) at_by[($_NV + 1) * i] = rate_by[$_NV * ($_NV + i) + i] = 1.0;
{by_delta_of_x}}

/* computes the change of the acceleration from those of position and velocity */
static void @_chain(const @_partials* by, const double* at_by, const double* rate_by, double* gain_by) {
    int i, j, k;
    @_zero(gain_by);
    for (j = 0; j < $_COLUMNS; ++j) {
        const double *at = at_by + $_NV * j, *rate = rate_by + $_NV * j;
        double* const gain = gain_by + $_NV * j;
        for (k = 0; k < $_NV; ++k) {
            if (at[k] != 0.0)
                for (i = 0; i < $_NV; ++i) gain[i] += by->y[$_AT(i, k, $_NV, $_NV)] * at[k];
            if (rate[k] != 0.0)
                for (i = 0; i < $_NV; ++i) gain[i] += by->yd[$_AT(i, k, $_NV, $_NV)] * rate[k];
        }
    }
    for (j = 0; j < $_NU; ++j)
        for (i = 0; i < $_NV; ++i) gain_by[$_NV * ($_NX + j) + i] += by->u[$_AT(i, j, $_NV, $_NU)];
}

/* computes x_next and J from a displacement at q and a gain of velocity; changes start_by and delta_by */
static void @_finish(const double* q, const double* delta, const double* gain, const double* x, const double* q_ref_next,
                     double* start_by, double* delta_by, const double* gain_by, double* x_next, double* J) {
    int i, j;
    @_arrive(q, delta, x, q_ref_next, x_next);
    for (i = 0; i < $_NV; ++i) x_next[$_NV + i] = x[$_NV + i] + gain[i];
{by_start}    for (i = 0; i < $_NV * $_COLUMNS; ++i) delta_by[i] += start_by[i];
{by_change}    for (j = 0; j < $_COLUMNS; ++j)
        for (i = 0; i < $_NV; ++i) {
            J[$_NX * j + i] = delta_by[$_NV * j + i];
            J[$_NX * j + $_NV + i] = gain_by[$_NV * j + i] + (j == $_NV + i ? 1.0 : 0.0);
        }
}
)";

constexpr std::string_view euler = R"(
int @_step(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h, double* x_next) {
    double q[$_NQ], ydd[$_NV], delta[$_NV];
    int status = @_configuration(x, q_ref, q), i;
    if (status == 0) status = @_accelerate(q, x + $_NV, u, ydd);
    for (i = 0; i < $_NV && status == 0; ++i) {
        x_next[$_NV + i] = x[$_NV + i] + h * ydd[i];
        delta[i] = h * x_next[$_NV + i];
    }
    if (status == 0) @_arrive(q, delta, x, q_ref_next, x_next);
    return @_deliver(status, x_next, NULL);
}

int @_step_jacobian(const double* x, const double* u, const double* q_ref, const double* q_ref_next, double h,
                    double* x_next, double* J) {
    double q[$_NQ], ydd[$_NV], delta[$_NV], gain[$_NV];
    double at_by[$_NV * $_COLUMNS], delta_by[$_NV * $_COLUMNS], gain_by[$_NV * $_COLUMNS];
    @_partials by;
    int status = @_configuration(x, q_ref, q), i;
    if (status == 0) status = @_differentiate(q, x + $_NV, u, ydd, &by);
    if (status == 0) {
        @_begin(x, at_by, delta_by);
        @_chain(&by, at_by, delta_by, gain_by);
        for (i = 0; i < $_NV * $_COLUMNS; ++i) {
            gain_by[i] *= h;
            delta_by[i] = h * (delta_by[i] + gain_by[i]);
        }
        for (i = 0; i < $_NV; ++i) {
            gain[i] = h * ydd[i];
            delta[i] = h * (x[$_NV + i] + gain[i]);
            gain_by[$_NV * ($_COLUMNS - 1) + i] += ydd[i];
            delta_by[$_NV * ($_COLUMNS - 1) + i] += x[$_NV + i] + 2.0 * gain[i];
        }
        @_finish(q, delta, gain, x, q_ref_next, at_by, delta_by, gain_by, x_next, J);
    }
    return @_deliver(status, x_next, J);
}
)";

/// Writes NAME_displace(), or NAME_configuration() itself.
std::string displaced(const StepShape& shape, bool by_coordinates) {
    std::string text(displacing);
    text = with(text, "{linkage}", by_coordinates || shape.poses ? "" : "static ");
    text = with(text, "{name}", by_coordinates || shape.poses ? "configuration" : "displace");
    text = with(text, "{from}", by_coordinates || shape.poses ? (by_coordinates ? "x" : "delta") : "origin");
    text = with(text, "{to}", by_coordinates || shape.poses ? "origin" : "delta");
    text = with(text, "{delta}", by_coordinates ? "    double delta[$_NV];\n" : "");
    text = with(text, "{number}",
                by_coordinates ? "{\n        const int n = @_numbers[i][0], y = @_numbers[i][1];\n"
                                 "        delta[y] = x[y] - origin[n];\n        q[n] = x[y];\n    }"
                               : "q[@_numbers[i][0]] += delta[@_numbers[i][1]];");
    text = with(text, "{poses}", shape.poses ? moved_poses : "");
    text = with(text, "{coupled}", shape.coupled);
    return with(text, "{close}",
                shape.loops ? "    status = @_follow(origin, delta, q);\n"
                            : (by_coordinates ? "    (void)delta;\n" : ""));
}

/// Writes the functions that compute a configuration, from coordinates and for stages of a step.
std::string configurations(const StepShape& shape) {
    std::string text = displaced(shape, !shape.poses);
    if (!shape.runge_kutta) return text;
    if (!shape.poses) return text + displaced(shape, false);
    return text +
           "\nstatic int @_displace(const double* origin, const double* delta, double* q) {\n"
           "    return @_configuration(delta, origin, q);\n}\n";
}

}  // namespace

std::string step_functions(const Dialect& dialect, const StepShape& shape) {
    const bool poses = shape.poses;
    std::string text = configurations(shape);
    text += poses ? arriving_poses : arriving;
    text += shape.applied ? accelerating_applied : accelerating;
    std::string finish(finishing);
    finish = with(finish, "{by_delta_of_x}",
                  poses ? "    @_map(@_by_delta, x, at_by, $_COLUMNS);\n" : "    (void)x;\n");
    finish = with(finish, "{by_start}",
                  poses ? "    @_map(@_by_start, delta, start_by, $_COLUMNS);\n    @_map(@_by_delta, delta, "
                          "delta_by, $_COLUMNS);\n"
                        : "");
    finish =
        with(finish, "{by_change}", poses ? "    @_map(@_by_change, x_next, delta_by, $_COLUMNS);\n" : "");
    text += finish;
    if (!shape.runge_kutta) return filled(dialect, text + std::string(euler));
    return filled(dialect, text) + runge_kutta_steps(dialect, poses);
}

}  // namespace grbda::generated
