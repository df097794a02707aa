#include "pose_text.hpp"

#include <string_view>

// Poses are those of kernels/body/configuration.hpp, derivatives those of kernels/body/exponential.hpp.

namespace grbda::generated {
namespace {

constexpr std::string_view motions = R"(
static void @_cross(const double* a, const double* b, double* c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* rotates a vector by a quaternion of any length; sign -1: by its inverse */
static void @_rotated(const double* q, double sign, const double* v, double* out) {
    const double s = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double once[3], twice[3];
    int i;
    @_cross(q, v, once);
    @_cross(q, once, twice);
    for (i = 0; i < 3; ++i) out[i] = v[i] + s * (sign * q[3] * once[i] + twice[i]);
}

/* turns a quaternion by a rotation vector */
static void @_turn(double* q, const double* turn) {
    const double square = 0.25 * (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]), half = sqrt(square);
    const double s = half > 1e-4 ? sin(half) / half : 1.0 - square / 6.0;
    const double x = 0.5 * s * turn[0], y = 0.5 * s * turn[1], z = 0.5 * s * turn[2], w = cos(half);
    const double a = q[0], b = q[1], c = q[2], d = q[3];
    const double p[4] = {a * w + d * x + b * z - c * y, b * w + d * y + c * x - a * z, c * w + d * z + a * y - b * x,
                         d * w - a * x - b * y - c * z};
    const double scale = 1.0 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    int i;
    for (i = 0; i < 4; ++i) q[i] = p[i] * scale;
}

/* moves a floating joint along a twist in its own axes: its origin by v + b w x v + c w x (w x v) */
static void @_float(double* q, const double* twist) {
    const double *v = twist, *w = twist + 3, x = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], angle = sqrt(x);
    const double b = x < 1e-3 ? 0.5 - x / 24.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0)))
                              : (1.0 - cos(angle)) / x;
    const double c = x < 1e-3 ? 1.0 / 6.0 - x / 120.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0)))
                              : (1.0 - sin(angle) / angle) / x;
    double once[3], twice[3], moved[3];
    int i;
    @_cross(w, v, once);
    @_cross(w, once, twice);
    for (i = 0; i < 3; ++i) once[i] = v[i] + b * once[i] + c * twice[i];
    @_rotated(q + 3, 1.0, once, moved);
    for (i = 0; i < 3; ++i) q[i] += moved[i];
    @_turn(q + 3, w);
}
)";

constexpr std::string_view displacements = R"(
/* x = angle^2: (sin angle) / angle, (1 - cos angle) / angle^2, (angle - sin angle) / angle^3, and derivatives of the last
   two by x; by series if differences would cancel */
static void @_turn_factors(double x, double* f) {
    int k;
    for (k = 0; k < 5; ++k) f[k] = 0.0;
    if (x >= 1.0) {
        const double angle = sqrt(x), half = sin(0.5 * angle);
        f[0] = sin(angle) / angle;
        f[1] = 2.0 * half * half / x;
        f[2] = (1.0 - f[0]) / x;
        f[3] = (f[0] - 2.0 * f[1]) / (2.0 * x);
        f[4] = (f[1] - 3.0 * f[2]) / (2.0 * x);
        return;
    }
    for (k = 8; k >= 0; --k) {
        double term = 1.0;
        int i;
        for (i = 2; i <= 2 * k + 1; ++i) term /= i;
        f[0] = term - x * f[0];
        f[1] = (term /= 2 * k + 2) - x * f[1];
        f[2] = (term /= 2 * k + 3) - x * f[2];
        f[3] = -(k + 1) * (term /= 2 * k + 4) - x * f[3];
        f[4] = -(k + 1) * (term /= 2 * k + 5) - x * f[4];
    }
}

static void @_times(const double* A, const double* B, double* C) {
    int i, j;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static void @_cross_matrix(const double* a, double* A) {
    A[0] = A[4] = A[8] = 0.0;
    A[1] = -a[2], A[2] = a[1], A[3] = a[2], A[5] = -a[0], A[6] = -a[1], A[7] = a[0];
}

/* 1 + first w x + second w x w x */
static void @_series(const double* w, double first, double second, double* A) {
    const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    int i, j;
    @_cross_matrix(w, A);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j)
            A[3 * i + j] = (i == j ? 1.0 - second * square : 0.0) + first * A[3 * i + j] + second * w[i] * w[j];
}

/* maps the change of X to that of X exp(d): [A B; 0 A] */
static void @_by_start(const double* d, double* A, double* B) {
    const double *v = d, *w = d + 3;
    double f[5], turn[3], twice[3], u[3], U[9];
    int i;
    @_turn_factors(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], f);
    @_cross(w, v, turn);
    @_cross(w, turn, twice);
    for (i = 0; i < 3; ++i) u[i] = -(v[i] + f[1] * turn[i] + f[2] * twice[i]);
    @_series(w, -f[0], f[1], A);
    @_cross_matrix(u, U);
    @_times(A, U, B);
}

/* maps the change of d to that of X exp(d) */
static void @_by_delta(const double* d, double* A, double* B) {
    const double *v = d, *w = d + 3;
    double f[5], turn[3], twice[3], u[3], U[9], V[9], W[9], WV[9], back[9];
    int i, j;
    @_turn_factors(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], f);
    @_cross(w, v, turn);
    @_cross(w, turn, twice);
    for (i = 0; i < 3; ++i) u[i] = f[1] * v[i] + f[2] * turn[i];
    @_cross_matrix(u, U);
    @_cross_matrix(v, V);
    @_cross_matrix(w, W);
    @_times(W, V, WV);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j)
            V[3 * i + j] = 2.0 * (f[3] * turn[i] + f[4] * twice[i]) * w[j] - U[3 * i + j] - f[2] * WV[3 * i + j];
    @_series(w, -f[0], f[1], back);
    @_times(back, V, B);
    @_series(w, -f[1], f[2], A);
}

/* maps the change of X exp(d) to that of d: the inverse */
static void @_by_change(const double* d, double* A, double* B) {
    const double *w = d + 3, x = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double second = 1.0 / 12.0 + x * (1.0 / 720.0 + x * (1.0 / 30240.0 + x / 1209600.0)), C[9], D[9];
    int i;
    @_by_delta(d, C, B);
    if (x >= 1e-3) {
        double f[5];
        @_turn_factors(x, f);
        second = (1.0 - f[0] / (2.0 * f[1])) / x;
    }
    @_series(w, 0.5, second, A);
    @_times(A, B, D);
    @_times(D, A, C);
    for (i = 0; i < 9; ++i) B[i] = -C[i];
}

/* computes the rotation vector from one quaternion to another, at most half a turn */
static void @_turn_between(const double* p, const double* q, double* turn) {
    double w = p[3] * q[3] + p[0] * q[0] + p[1] * q[1] + p[2] * q[2], square = 0.0, scale;
    int i;
    @_cross(q, p, turn);
    for (i = 0; i < 3; ++i) {
        turn[i] += q[i] * p[3] - p[i] * q[3];
        square += turn[i] * turn[i];
    }
    scale = w < 0.0 ? -1.0 : 1.0;
    w *= scale;
    if (square < 1e-12 * w * w) {
        scale *= 2.0 / w * (1.0 - square / (3.0 * w * w));
    } else {
        const double sine = sqrt(square);
        scale *= 2.0 * atan2(sine, w) / sine;
    }
    for (i = 0; i < 3; ++i) turn[i] *= scale;
}

/* computes the twist along which a joint moves from one position to another */
static void @_between(int floats, const double* p, const double* q, double* twist) {
    double moved[3], shift[3], once[3], twice[3], x = 0.0, c;
    int i;
    for (i = 0; i < 3; ++i) twist[i] = 0.0;
    if (!floats) {
        @_turn_between(p, q, twist + 3);
        return;
    }
    @_turn_between(p + 3, q + 3, twist + 3);
    for (i = 0; i < 3; ++i) {
        moved[i] = q[i] - p[i];
        x += twist[3 + i] * twist[3 + i];
    }
    c = 1.0 / 12.0 + x * (1.0 / 720.0 + x / 30240.0);
    if (x >= 1e-3) {
        double f[5];
        @_turn_factors(x, f);
        c = (1.0 - f[0] / (2.0 * f[1])) / x;
    }
    @_rotated(p + 3, -1.0, moved, shift);
    @_cross(twist + 3, shift, once);
    @_cross(twist + 3, once, twice);
    for (i = 0; i < 3; ++i) twist[i] = shift[i] - 0.5 * once[i] + c * twice[i];
}

/* reads a joint's part of a displacement: velocity of its origin, angular velocity */
static void @_twist(const int* pose, const double* x, double* twist) {
    int k;
    for (k = 0; k < 6; ++k) twist[k] = pose[1 + k] < 0 ? 0.0 : x[pose[1 + k]];
}
static void @_put_twist(const int* pose, const double* twist, double* x) {
    int k;
    for (k = 0; k < 6; ++k)
        if (pose[1 + k] >= 0) x[pose[1 + k]] = twist[k];
}

/* maps columns of displacements by a derivative of the motion along `delta` */
static void @_map(void (*derivative)(const double*, double*, double*), const double* delta, double* X, int columns) {
    int p, i, j;
    for (p = 0; p < $_POSES; ++p) {
        double twist[6], A[9], B[9];
        @_twist(@_orientable[p], delta, twist);
        derivative(twist, A, B);
        for (j = 0; j < columns; ++j) {
            double* const column = X + $_NV * j;
            double x[6], y[6];
            @_twist(@_orientable[p], column, x);
            for (i = 0; i < 3; ++i) {
                const double *a = A + 3 * i, *b = B + 3 * i;
                y[i] = a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + b[0] * x[3] + b[1] * x[4] + b[2] * x[5];
                y[3 + i] = a[0] * x[3] + a[1] * x[4] + a[2] * x[5];
            }
            @_put_twist(@_orientable[p], y, column);
        }
    }
}
)";

}  // namespace

std::string pose_motions(const Dialect& dialect) { return filled(dialect, motions); }
std::string pose_displacements(const Dialect& dialect) { return filled(dialect, displacements); }

}  // namespace grbda::generated
