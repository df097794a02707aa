#pragma once

// What a loop joint blocks, row by row. Each type is a list of rows: `loop_facts`.

namespace grbda {

/// What a row measures of frame Q in frame P; x is the axis of the loop in both.
enum class RowKind {
    along,     ///< way of Q's origin along an axis of P
    distance,  ///< of the origins, against the loop's length
    screw,     ///< way along x, against the turn about it times the loop's pitch; last of the lengths
    turn,      ///< about an axis of P, all three axes of Q being held
    tilt,      ///< of Q's axis, about an axis of P across
    angle      ///< of P's axis and Q's second one, against the loop's
};

struct LoopRow {
    RowKind kind = RowKind::along;
    int axis = -1;  ///< of P: 0, 1, 2; −1: the kind names none
};

/// True if the row measures a length, m; else an angle, rad.
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

}  // namespace grbda
