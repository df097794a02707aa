#pragma once

// Constraint rows of loop joints. `loop_facts` lists the rows of each type.

namespace grbda {

/// The quantity of frame Q relative to frame P that a row constrains; x is the axis of the loop in both.
enum class RowKind {
    along,     ///< displacement of Q's origin along an axis of P
    distance,  ///< between the origins, minus the loop's length
    screw,     ///< displacement along x, minus turn about x times the loop's pitch; last of the lengths
    turn,      ///< rotation about an axis of P, if all three axes of Q are fixed
    tilt,      ///< tilt of Q's axis about an axis of P perpendicular to P's own
    angle      ///< between P's axis and Q's second one, minus the loop's angle
};

/// One constraint row of a loop.
struct LoopRow {
    RowKind kind = RowKind::along;
    int axis = -1;  ///< axis of P: 0, 1, 2; −1: the kind needs none
};

/// True if the row measures a length in m, false for an angle in rad.
constexpr bool is_length(RowKind kind) {
    switch (kind) {
        case RowKind::along:
        case RowKind::distance:
        case RowKind::screw: return true;
        case RowKind::turn:
        case RowKind::tilt:
        case RowKind::angle: return false;
    }
    return false;
}

/// Closure error of one loop or coupling.
struct LoopGap {
    double length = 0;     ///< m
    double angle = 0;      ///< rad
    bool opposed = false;  ///< at a false root: axes point against each other
};

}  // namespace grbda
