#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "grbda/simulation/contact_solver.hpp"

// Evaluates the impulse γ of one law at its velocity u, from y = (v̂ − u) / R, and its derivative with
// respect to u.

namespace grbda::simulation {

/// Pieces of v̂ as a function of the gap.
enum class GapPiece : unsigned char { open, overlap, fastest };

/// Target velocity v̂ as a function of the gap. An open gap may close within the step h. A part of an overlap
/// is undone within a given time, no faster than `recovery`.
struct GapLaw {
    double h = 0, time = 0, part = 0.2, recovery = 0;

    GapPiece piece(double gap) const {
        if (gap >= 0) return GapPiece::open;
        return -part * gap / time < recovery ? GapPiece::overlap : GapPiece::fastest;
    }
    double speed(GapPiece piece, double gap) const {
        switch (piece) {
            case GapPiece::open: return -gap / h;
            case GapPiece::overlap: return -part * gap / time;
            case GapPiece::fastest: return recovery;
        }
        return 0;
    }
    double speed(double gap) const { return speed(piece(gap), gap); }
};

/// Impulse γ [rows], and the columns of Ψ [rows × rank] with −∂γ/∂u = Ψ Ψᵀ, each of three numbers.
struct LawValue {
    double impulse[3] = {};
    double root[3][3] = {};
    int rank = 0;

    void add_root(double x, double y, double z) {
        double* column = root[rank++];
        column[0] = x;
        column[1] = y;
        column[2] = z;
    }
};

/// Evaluates a contact as the gradient of a convex function of u. R is isotropic in the tangent plane.
inline LawValue convex_contact(const RowLaw& law, double scale, const double* u) {
    LawValue value;
    const double R_t = law.softness[0] * scale, R_n = law.softness[2] * scale, mu = law.friction;
    const double y[3] = {(law.wanted[0] - u[0]) / R_t, (law.wanted[1] - u[1]) / R_t,
                         (law.wanted[2] - u[2]) / R_n};
    const double slide = std::sqrt(y[0] * y[0] + y[1] * y[1]), ratio = R_t / R_n;
    if (slide <= mu * y[2]) {  // stick
        std::copy_n(y, 3, value.impulse);
        value.add_root(1 / std::sqrt(R_t), 0, 0);
        value.add_root(0, 1 / std::sqrt(R_t), 0);
        value.add_root(0, 0, 1 / std::sqrt(R_n));
        return value;
    }
    if (!(y[2] > -mu * ratio * slide)) return value;  // open
    const double steep = 1 + mu * mu * ratio, normal = (y[2] + mu * ratio * slide) / steep;
    const double x = slide > 0 ? y[0] / slide : 0, z = slide > 0 ? y[1] / slide : 0;
    value.impulse[0] = mu * normal * x;
    value.impulse[1] = mu * normal * z;
    value.impulse[2] = normal;
    const double along = 1 / std::sqrt(steep * R_n);
    value.add_root(mu * x * along, mu * z * along, along);
    if (mu > 0 && slide > 0) {
        const double across = std::sqrt(mu * normal / (slide * R_t));
        value.add_root(-z * across, x * across, 0);
    }
    return value;
}

/// Evaluates a law of one row, which limits y to an interval.
inline LawValue row_law(const RowLaw& law, double scale, double u) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double R = law.softness[0] * scale, y = (law.wanted[0] - u) / R;
    double lower = -infinity, upper = infinity;
    if (law.law == Law::lower) lower = 0;
    if (law.law == Law::upper) upper = 0;
    if (law.law == Law::friction) {
        lower = -law.largest;
        upper = law.largest;
    }
    LawValue value;
    value.impulse[0] = std::clamp(y, lower, upper);
    if (lower < y && y < upper) value.add_root(1 / std::sqrt(R), 0, 0);
    return value;
}

inline LawValue convex_law(const RowLaw& law, double scale, const double* u) {
    return law.law == Law::contact ? convex_contact(law, scale, u) : row_law(law, scale, *u);
}

/// Returns whether an impulse is inside its bounds: a contact sticks, a limit carries load, or a joint
/// sticks.
inline bool sticks(const RowLaw& law, const double* s) {
    constexpr double stuck = 0.999;  // of the largest friction
    switch (law.law) {
        case Law::contact:
            return s[2] > 0 && std::sqrt(s[0] * s[0] + s[1] * s[1]) < stuck * law.friction * s[2];
        case Law::lower: return *s > 0;
        case Law::upper: return *s < 0;
        case Law::friction: return std::abs(*s) < stuck * law.largest;
        case Law::equality: return true;
    }
    return false;
}

/// Evaluates a law without its bounds: γ = y.
inline LawValue sticking_law(const RowLaw& law, double scale, const double* u) {
    LawValue value;
    for (int i = 0; i < rows_of(law.law); ++i) {
        const double R = law.softness[i] * scale;
        value.impulse[i] = (law.wanted[i] - u[i]) / R;
        value.root[value.rank++][i] = 1 / std::sqrt(R);
    }
    return value;
}

/// γ and −∂γ/∂u of Coulomb's law. It is not the gradient of a convex function, because the normal impulse
/// does not depend on the sliding velocity.
struct CoulombValue {
    double impulse[3] = {};
    double slope[3][3] = {};  ///< by rows
    bool slides = false;
};

inline CoulombValue coulomb_contact(const RowLaw& law, double scale, const double* u) {
    CoulombValue value;
    const double R_t = law.softness[0] * scale, R_n = law.softness[2] * scale;
    const double normal = (law.wanted[2] - u[2]) / R_n;
    if (!(normal > 0)) return value;
    value.impulse[2] = normal;
    value.slope[2][2] = 1 / R_n;
    const double x = (law.wanted[0] - u[0]) / R_t, y = (law.wanted[1] - u[1]) / R_t,
                 slide = std::sqrt(x * x + y * y);
    const double largest = law.friction * normal;
    if (slide <= largest) {
        value.impulse[0] = x;
        value.impulse[1] = y;
        value.slope[0][0] = value.slope[1][1] = 1 / R_t;
        return value;
    }
    value.slides = law.friction > 0;
    const double direction[2] = {x / slide, y / slide}, turn = largest / (slide * R_t);
    for (int i = 0; i < 2; ++i) {
        value.impulse[i] = largest * direction[i];
        value.slope[i][2] = law.friction * direction[i] / R_n;
        for (int j = 0; j < 2; ++j)
            value.slope[i][j] = turn * ((i == j ? 1 : 0) - direction[i] * direction[j]);
    }
    return value;
}

inline CoulombValue coulomb_law(const RowLaw& law, double scale, const double* u) {
    if (law.law == Law::contact) return coulomb_contact(law, scale, u);
    const LawValue convex = row_law(law, scale, *u);
    CoulombValue value;
    value.impulse[0] = convex.impulse[0];
    value.slope[0][0] = convex.root[0][0] * convex.root[0][0];
    return value;
}

}  // namespace grbda::simulation
