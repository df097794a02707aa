#pragma once

#include <optional>

#include "grbda/export.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

namespace grbda {

/// Ground as heights on a regular grid along x and y of the world, solid below. Between four samples the
/// height is bilinear. Outside of the grid, and in a cell with a sample that is no number, there is no
/// ground: a body can lean on its edge, and fall past it.
struct HeightField {
    int columns = 0, rows = 0;  ///< samples along x and along y; without two of each there is no ground
    double spacing_x = 1, spacing_y = 1;  ///< m, above zero
    Vector3<double> origin;  ///< m: x and y of the first sample of the first row, and where height 0 is
    Table<double> heights;   ///< m [rows · columns], row by row; NaN: unknown

    double height(int column, int row) const { return heights[row * columns + column]; }
};

/// Whether sizes fit one another: as many heights as rows · columns, finite spacings above zero.
GRBDA_EXPORT bool is_consistent(const HeightField& field);

/// z of the ground at x and y, in m; empty outside the ground.
GRBDA_EXPORT std::optional<double> ground_height(const HeightField& field, double x, double y);

}  // namespace grbda
