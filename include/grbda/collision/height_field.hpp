#pragma once

#include <optional>

#include "grbda/export.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

namespace grbda {

/// Ground given by heights on a regular grid along x and y of the world, solid below. The height is bilinear
/// between four samples. The ground ends at the border of the grid, and at cells with a NaN sample: a body
/// can touch that edge, and falls beyond it.
struct HeightField {
    int columns = 0,
        rows = 0;  ///< samples along x and along y; with fewer than two of each there is no ground
    double spacing_x = 1, spacing_y = 1;  ///< m, above zero
    Vector3<double> origin;               ///< m: x and y of the first sample of the first row; z of height 0
    Table<double> heights;                ///< m [rows · columns], row by row; NaN: unknown

    double height(int column, int row) const { return heights[row * columns + column]; }
};

/// Returns whether there are rows · columns heights, and the spacings are finite and positive.
GRBDA_EXPORT bool is_consistent(const HeightField& field);

/// Returns z of the ground at x and y, m; empty outside the ground.
GRBDA_EXPORT std::optional<double> ground_height(const HeightField& field, double x, double y);

}  // namespace grbda
