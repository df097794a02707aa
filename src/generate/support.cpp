#include <string_view>

#include "dialect.hpp"
#include "graph.hpp"

// Writes the functions that those of a robot call. Sines and cosines use the polynomials of grbda/scalar.hpp.

namespace grbda::generated {

std::string filled(const Dialect& dialect, std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '@')
            result += dialect.name;
        else if (c == '$')
            result += dialect.macro;
        else
            result += c;
    }
    return result;
}

namespace {

constexpr std::string_view sums = R"(/* returns the sum of squares, in which NaN and infinity remain */
static double @_squares(const double* x, int n) {
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s[0] += x[i] * x[i];
        s[1] += x[i + 1] * x[i + 1];
        s[2] += x[i + 2] * x[i + 2];
        s[3] += x[i + 3] * x[i + 3];
    }
    for (; i < n; ++i) s[0] += x[i] * x[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

)";

constexpr std::string_view sums_in_lanes = R"(typedef struct {
    @_v4 x;
} __attribute__((packed, may_alias)) @_four;

/* returns the sum of squares, in which NaN and infinity remain */
static inline double @_squares(const double* x, int n) {
    @_v4 a = {0.0, 0.0, 0.0, 0.0}, b = a;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        const @_v4 y = ((const @_four*)(x + i))->x, z = ((const @_four*)(x + i + 4))->x;
        a += y * y;
        b += z * z;
    }
    for (; i + 4 <= n; i += 4) {
        const @_v4 y = ((const @_four*)(x + i))->x;
        a += y * y;
    }
    a += b;
    for (i = n & ~3; i < n; ++i) a[0] += x[i] * x[i];  /* GCC 12 warns of numbers after the last without the mask */
    return (a[0] + a[2]) + (a[1] + a[3]);
}

)";

constexpr std::string_view zeros =
    R"(/* sums zeros of every `step`-th number: NaN if one is NaN or infinite */
static double @_zeros(const double* x, int n, int step) {
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 3 * step < n; i += 4 * step) {
        s[0] += x[i] * 0.0;
        s[1] += x[i + step] * 0.0;
        s[2] += x[i + 2 * step] * 0.0;
        s[3] += x[i + 3 * step] * 0.0;
    }
    for (; i < n; i += step) s[0] += x[i] * 0.0;
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static inline void @_clear(double* x, int n) {
    int i;
    for (i = 0; i < n; ++i) x[i] = NAN;
}
)";

// Processes four rows of eight columns at a time, which fit into the registers.
constexpr std::string_view product = R"(
/* X = -W X between rows and columns first and last of matrices of n columns; columns of X that are ready do not change */
static void @_carry(const double* W, double* X, const unsigned char* ready, int n, int first, int last) {
    double strip[$_NV][8], sums[4][8];
    int i, j, k, l, r;
    for (j = first; j < last; j += 8) {
        for (k = first; k < last; ++k)
            for (l = 0; l < 8; ++l) strip[k][l] = j + l < last ? X[k * n + j + l] : 0.0;
        for (i = first; i < last; i += 4) {
            @_four_rows(W + i * n, n, last - i < 4 ? last - i : 4, first, last, strip, sums);
            for (r = 0; r < 4 && i + r < last; ++r)
                for (l = 0; l < 8 && j + l < last; ++l)
                    if (!ready[j + l]) X[(i + r) * n + j + l] = -sums[r][l];
        }
    }
}
)";

constexpr std::string_view four_rows = R"(
static void @_four_rows(const double* W, int n, int rows, int first, int last, double (*strip)[8],
                        double (*sums)[8]) {
    int r, k, l;
    for (r = 0; r < rows; ++r) {
        for (l = 0; l < 8; ++l) sums[r][l] = 0.0;
        for (k = first; k < last; ++k)
            for (l = 0; l < 8; ++l) sums[r][l] += W[r * n + k] * strip[k][l];
    }
}
)";

constexpr std::string_view four_rows_in_lanes = R"(
static inline void @_four_rows(const double* W, int n, int rows, int first, int last, double (*strip)[8],
                               double (*sums)[8]) {
    const double *v = W + (rows > 1 ? n : 0), *w = W + (rows > 2 ? 2 * n : 0), *z = W + (rows > 3 ? 3 * n : 0);
    @_v4 a = {0.0, 0.0, 0.0, 0.0}, b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    int k;
    for (k = first; k < last; ++k) {
        const @_v4 x = ((const @_four*)strip[k])->x, y = ((const @_four*)(strip[k] + 4))->x;
        a += W[k] * x, b += W[k] * y, c += v[k] * x, d += v[k] * y;
        e += w[k] * x, f += w[k] * y, g += z[k] * x, h += z[k] * y;
    }
    ((@_four*)sums[0])->x = a, ((@_four*)(sums[0] + 4))->x = b;
    ((@_four*)sums[1])->x = c, ((@_four*)(sums[1] + 4))->x = d;
    ((@_four*)sums[2])->x = e, ((@_four*)(sums[2] + 4))->x = f;
    ((@_four*)sums[3])->x = g, ((@_four*)(sums[3] + 4))->x = h;
}
)";

// Vectors are passed by reference: passing by value depends on the instruction set.
constexpr std::string_view sums_of_states = R"(
static void @_add_squares(const @_v#* x, int n, @_v#* sum) {
    @_v# a = *sum, b = a * 0.0;
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        a += x[i] * x[i];
        b += x[i + 1] * x[i + 1];
    }
    if (i < n) a += x[i] * x[i];
    *sum = a + b;
}

static void @_add_zeros(const @_v#* x, int n, int step, @_v#* sum) {
    @_v# a = *sum, b = a * 0.0;
    int i = 0;
    for (; i + step < n; i += 2 * step) {
        a += x[i] * 0.0;
        b += x[i + step] * 0.0;
    }
    if (i < n) a += x[i] * 0.0;
    *sum = a + b;
}

static int @_all(const @_i#* x) {
    long long all = -1;
    int l;
    for (l = 0; l < #; ++l) all &= (*x)[l];
    return all != 0;
}
)";

/// The template for a type T, its integer type I and the number of lanes W.
constexpr std::string_view turning = R"(
/* sine and cosine to 3 ulp: minimax polynomials of fdlibm after subtraction of quarter turns, pi/2 in three parts;
   large: whether some |x| may be above 1e5 */
static inline void @_sincosW(const T* angle, int large, T* sine, T* cosine) {
    const T x = *angle;
    if (large) {
        int l;
        for (l = 0; l < W; ++l) {
            (*sine)[l] = sin(x[l]);
            (*cosine)[l] = cos(x[l]);
        }
        return;
    }
    const T shifted = x * 0.63661977236758134308 + 6755399441055744.0;
    const T n = shifted - 6755399441055744.0;
    const T r = ((x - n * 1.57079632673412561417) - n * 6.07710050630396597660e-11) - n * 2.02226624879595063154e-21;
    const T z = r * r;
    const T s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 +
        z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    const T half = 0.5 * z, w = 1.0 - half;
    const T c = w + (((1.0 - w) - half) + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 +
        z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 -
        z * 1.13596475577881948265e-11))))));
    const I quadrant = (I)shifted;
    const I odd = -(quadrant & 1);
    *sine = (T)((((I)c & odd) | ((I)s & ~odd)) ^ ((quadrant & 2) << 62));
    *cosine = (T)((((I)s & odd) | ((I)c & ~odd)) ^ (((quadrant + 1) & 2) << 62));
}
)";

constexpr std::string_view transposed = R"(
static void @_transpose(double* M, int n) {
    int i, j;
    for (i = 0; i < n; ++i)
        for (j = 0; j < i; ++j) {
            const double x = M[i * n + j];
            M[i * n + j] = M[j * n + i];
            M[j * n + i] = x;
        }
}
)";

constexpr std::string_view turning_one = R"(
static inline void @_sincos1(const double* angle, int large, double* sine, double* cosine) {
    (void)large;
    *sine = sin(*angle);
    *cosine = cos(*angle);
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t i = text.find(from); i != std::string::npos; i = text.find(from, i + to.size()))
        text.replace(i, from.size(), to);
    return text;
}

/// Writes sines and cosines for vectors of a given width.
std::string turning_lanes(const Dialect& dialect, int lanes) {
    const std::string w = std::to_string(lanes);
    std::string text(turning);
    for (const auto& [from, to] : {std::pair{"const T", "const @_v#"},
                                   {"(T)", "(@_v#)"},
                                   {" T*", " @_v#*"},
                                   {"(I)", "(@_i#)"},
                                   {"const I", "const @_i#"},
                                   {"l < W", "l < #"},
                                   {"sincosW", "sincos#"}})
        text = replaced(text, from, to);
    return filled(dialect, replaced(text, "#", w));
}

/// Writes vectors of this many numbers, and masks for their comparison.
std::string vector_types(const Dialect& dialect, int lanes) {
    const std::string w = std::to_string(lanes);
    const std::string size = " __attribute__((vector_size(" + std::to_string(8 * lanes) + ")));\n";
    return filled(dialect, "typedef double @_v" + w + size + "typedef long long @_i" + w + size);
}

}  // namespace

std::string with_whole_vectors(int states, const std::string& functions) {
    if (states <= most_lanes) return functions;
    return "\n#if defined(__clang__)\n#pragma clang attribute push(__attribute__((min_vector_width(" +
           std::to_string(64 * states) + "))), apply_to = function)\n#endif\n" + functions +
           "\n#if defined(__clang__)\n#pragma clang attribute pop\n#endif\n";
}

std::string support_of_products(const Dialect& dialect) {
    return filled(dialect, dialect.vectors ? four_rows_in_lanes : four_rows) + filled(dialect, product) +
           (dialect.columns ? filled(dialect, transposed) : "");
}

std::string support(const Dialect& dialect, int states) {
    const bool many = states > 1, whole = dialect.vectors || states == most_lanes;
    std::string text;
    if (dialect.vectors) text += vector_types(dialect, 2) + vector_types(dialect, most_lanes);
    if (states > most_lanes) text += vector_types(dialect, states);
    text += "\n" + filled(dialect, dialect.vectors ? sums_in_lanes : sums) + filled(dialect, zeros);
    if (many)
        text += with_whole_vectors(states,
                                   replaced(filled(dialect, sums_of_states), "#", std::to_string(states)));
    text += whole ? turning_lanes(dialect, most_lanes) : filled(dialect, turning_one);
    if (states > most_lanes) text += with_whole_vectors(states, turning_lanes(dialect, states));
    return text;
}

}  // namespace grbda::generated
