#include "grbda/loop_row.hpp"

namespace grbda {
namespace {

constexpr LoopRow along_x{RowKind::along, 0}, along_y{RowKind::along, 1}, along_z{RowKind::along, 2};
constexpr LoopRow turn_x{RowKind::turn, 0}, turn_y{RowKind::turn, 1}, turn_z{RowKind::turn, 2};
constexpr LoopRow tilt_y{RowKind::tilt, 1}, tilt_z{RowKind::tilt, 2};

constexpr LoopRow fixed[] = {along_x, along_y, along_z, turn_x, turn_y, turn_z};
constexpr LoopRow revolute[] = {along_x, along_y, along_z, tilt_y, tilt_z};
constexpr LoopRow prismatic[] = {along_y, along_z, turn_x, turn_y, turn_z};
constexpr LoopRow cylindrical[] = {along_y, along_z, tilt_y, tilt_z};
constexpr LoopRow universal[] = {along_x, along_y, along_z, {RowKind::angle}};
constexpr LoopRow planar[] = {along_x, tilt_y, tilt_z};
constexpr LoopRow spherical[] = {along_x, along_y, along_z};
constexpr LoopRow point_on_line[] = {along_y, along_z};
constexpr LoopRow distance[] = {{RowKind::distance}};

}  // namespace

std::span<const LoopRow> rows_of(LoopType type) {
    switch (type) {
        case LoopType::fixed: return fixed;
        case LoopType::revolute:
        case LoopType::continuous: return revolute;
        case LoopType::prismatic: return prismatic;
        case LoopType::cylindrical: return cylindrical;
        case LoopType::universal: return universal;
        case LoopType::planar: return planar;
        case LoopType::spherical: return spherical;
        case LoopType::point_on_line: return point_on_line;
        case LoopType::distance: return distance;
        case LoopType::floating: return {};
    }
    return {};
}

int constraint_size(LoopType type) { return static_cast<int>(rows_of(type).size()); }

}  // namespace grbda
