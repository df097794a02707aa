#include "grbda/collision/height_field.hpp"

#include <cmath>
#include <limits>

#include "field_distance.hpp"

namespace grbda {
namespace collision {
namespace {

/// The ground between four samples, z = corner + slope_x x + slope_y y + twist x y, about its first sample.
struct Cell {
    double size_x, size_y;
    double corner, slope_x, slope_y, twist;

    double height(double x, double y) const { return corner + slope_x * x + (slope_y + twist * x) * y; }
    Vector normal(double x, double y) const {
        const Vector up{-(slope_x + twist * y), -(slope_y + twist * x), 1};
        return up * (1 / length(up));
    }
    /// Not so where a sample is no number.
    bool is_ground() const { return std::isfinite(height(size_x, size_y)); }
};

Cell cell_of(const HeightField& field, int column, int row) {
    const double h = field.height(column, row), hx = field.height(column + 1, row),
                 hy = field.height(column, row + 1), hxy = field.height(column + 1, row + 1);
    const double x = field.spacing_x, y = field.spacing_y;
    return {x, y, h, (hx - h) / x, (hy - h) / y, ((hxy - hy) - (hx - h)) / x / y};
}

/// The nearest point of the ground so far.
struct Nearest {
    double square = 0;  ///< of its distance
    Vector apart;       ///< from it to the point
    Vector normal;      ///< of the ground there
    bool found = false;

    void offer(const Cell& cell, const Vector& p, double x, double y) {
        const Vector to{p.x - x, p.y - y, p.z - cell.height(x, y)};
        const double s = dot(to, to);
        if (!(s < square)) return;
        *this = {s, to, cell.normal(x, y), true};
    }
};

/// The critical point of the distance in a cell, by Newton's method from x and y; false if that leaves the
/// cell.
bool critical_point(const Cell& cell, const Vector& p, double& x, double& y) {
    constexpr int steps = 12;      // 2 to 4 do unless the ground bends within the distance
    constexpr double done = 1e-8;  // of the cell: what is left is the square of a step
    bool inside = true;
    for (int i = 0; i < steps; ++i) {
        const double hx = cell.slope_x + cell.twist * y, hy = cell.slope_y + cell.twist * x;
        const double above = cell.height(x, y) - p.z;
        const double gx = x - p.x + above * hx, gy = y - p.y + above * hy;
        const double xx = 1 + hx * hx, yy = 1 + hy * hy;
        double xy = hx * hy + above * cell.twist, determinant = xx * yy - xy * xy;
        if (!(determinant > 0.25)) {  // of a plane at least 1: no minimum is near
            xy = hx * hy;
            determinant = xx + yy - 1;
        }
        const double scale = 1 / determinant;
        const double next_x = x - (yy * gx - xy * gy) * scale, next_y = y - (xx * gy - xy * gx) * scale;
        const bool rests =
            std::abs(next_x - x) <= done * cell.size_x && std::abs(next_y - y) <= done * cell.size_y;
        x = clamped(next_x, 0, cell.size_x);
        y = clamped(next_y, 0, cell.size_y);
        inside = x == next_x && y == next_y;
        if (rests) break;
    }
    return inside;
}

/// The nearest point of the straight line from (x, y) along (along_x, along_y).
void offer_edge(Nearest& nearest, const Cell& cell, const Vector& p, double x, double y, double along_x,
                double along_y) {
    const double z = cell.height(x, y), along_z = cell.height(x + along_x, y + along_y) - z;
    const Vector along{along_x, along_y, along_z};
    const double t = clamped(dot({p.x - x, p.y - y, p.z - z}, along) / dot(along, along), 0, 1);
    nearest.offer(cell, p, x + t * along_x, y + t * along_y);
}

/// If the ground bends within the distance, up to three of its points are nearer than those around them.
/// Lines along y are straight: the nearest point of each is known, and the lowest of a few lines are starts.
void offer_valleys(Nearest& nearest, const Cell& cell, const Vector& p) {
    constexpr int lines = 12;
    double x[lines], y[lines], square[lines];
    for (int i = 0; i < lines; ++i) {
        x[i] = cell.size_x * (i + 0.5) / lines;
        const double slope = cell.slope_y + cell.twist * x[i], above = p.z - cell.height(x[i], 0);
        y[i] = clamped((p.y + slope * above) / (1 + slope * slope), 0, cell.size_y);
        const Vector apart{p.x - x[i], p.y - y[i], above - slope * y[i]};
        square[i] = dot(apart, apart);
    }
    for (int i = 0; i < lines; ++i) {
        if ((i > 0 && square[i - 1] < square[i]) || (i + 1 < lines && square[i + 1] < square[i])) continue;
        critical_point(cell, p, x[i], y[i]);
        nearest.offer(cell, p, x[i], y[i]);
    }
}

/// Offers a cell; p from its first sample.
void offer_cell(Nearest& nearest, const Cell& cell, const Vector& p) {
    double x = clamped(p.x, 0, cell.size_x), y = clamped(p.y, 0, cell.size_y);
    const bool critical = critical_point(cell, p, x, y);
    nearest.offer(cell, p, x, y);
    // Where |height − z| |twist| < 1/2 in all of the cell, the distance is convex there: there is no other.
    const double highest = std::abs(cell.corner - p.z) + std::abs(cell.slope_x) * cell.size_x +
                           (std::abs(cell.slope_y) + std::abs(cell.twist) * cell.size_x) * cell.size_y;
    const bool convex = highest * std::abs(cell.twist) < 0.5;
    if (critical && convex) return;
    offer_edge(nearest, cell, p, 0, 0, cell.size_x, 0);
    offer_edge(nearest, cell, p, 0, cell.size_y, cell.size_x, 0);
    offer_edge(nearest, cell, p, 0, 0, 0, cell.size_y);
    offer_edge(nearest, cell, p, cell.size_x, 0, 0, cell.size_y);
    if (!convex) offer_valleys(nearest, cell, p);
}

Vector from_sample(const HeightField& field, const Vector& p, int column, int row) {
    return {p.x - column * field.spacing_x, p.y - row * field.spacing_y, p.z};
}

/// Square of the distance of a box from the point; cells that are no ground have NaN.
double square_to_bounds(const HeightField& field, int column, int row, const Vector& p) {
    const double a = field.height(column, row), b = field.height(column + 1, row),
                 c = field.height(column, row + 1), d = field.height(column + 1, row + 1);
    const double low = std::min(std::min(a, b), std::min(c, d)),
                 high = std::max(std::max(a, b), std::max(c, d));
    const double x = p.x - clamped(p.x, column * field.spacing_x, (column + 1) * field.spacing_x);
    const double y = p.y - clamped(p.y, row * field.spacing_y, (row + 1) * field.spacing_y);
    const double z = p.z - clamped(p.z, low, high);
    return x * x + y * y + z * z;
}

bool has_cells(const HeightField& field) { return field.columns > 1 && field.rows > 1; }

/// The interval that x is in, of `count`; the first or the last where it is in none.
int interval_of(double x, double spacing, int count) {
    return static_cast<int>(clamped(std::floor(x / spacing), 0, count - 1));
}

/// The point of the grid, or of its nearest edge, on the vertical through a point.
struct Foot {
    int column, row;
    Cell cell;
    double x, y;  ///< from the cell's first sample
    bool ground;  ///< there is some

    double height() const { return cell.height(x, y); }
};

/// p from the origin of a field with cells.
Foot foot_of(const HeightField& field, const Vector& p) {
    const double x = clamped(p.x, 0, (field.columns - 1) * field.spacing_x),
                 y = clamped(p.y, 0, (field.rows - 1) * field.spacing_y);
    const int column = interval_of(x, field.spacing_x, field.columns - 1),
              row = interval_of(y, field.spacing_y, field.rows - 1);
    const Cell cell = cell_of(field, column, row);
    return {column,
            row,
            cell,
            clamped(x - column * field.spacing_x, 0, cell.size_x),
            clamped(y - row * field.spacing_y, 0, cell.size_y),
            x == p.x && y == p.y && cell.is_ground()};
}

}  // namespace

Distance distance_to(const HeightField& field, const Vector& point, double reach) {
    constexpr double none = std::numeric_limits<double>::infinity();
    if (!has_cells(field)) return {{0, 0, 1}, none};
    const Vector p = point - field.origin;
    const Foot foot = foot_of(field, p);
    const bool below = foot.ground && p.z < foot.height();

    Nearest nearest;
    nearest.square = below ? none : std::max(reach, 0.0) * std::max(reach, 0.0);
    if (foot.cell.is_ground() && square_to_bounds(field, foot.column, foot.row, p) < nearest.square)
        offer_cell(nearest, foot.cell, from_sample(field, p, foot.column, foot.row));
    const double wide = std::sqrt(nearest.square);
    const int last_column = interval_of(p.x + wide, field.spacing_x, field.columns - 1),
              last_row = interval_of(p.y + wide, field.spacing_y, field.rows - 1);
    for (int row = interval_of(p.y - wide, field.spacing_y, field.rows - 1); row <= last_row; ++row)
        for (int column = interval_of(p.x - wide, field.spacing_x, field.columns - 1); column <= last_column;
             ++column) {
            if (column == foot.column && row == foot.row) continue;
            if (!(square_to_bounds(field, column, row, p) < nearest.square)) continue;
            const Cell cell = cell_of(field, column, row);
            if (!cell.is_ground()) continue;
            offer_cell(nearest, cell, from_sample(field, p, column, row));
        }
    if (!nearest.found) return {{0, 0, 1}, none};
    const double distance = std::sqrt(nearest.square), side = below ? -1 : 1;
    if (distance <= no_length) return {nearest.normal, side * distance};
    return {nearest.apart * (side / distance), side * distance};
}

Vector normal_under(const HeightField& field, const Vector& point) {
    if (!has_cells(field)) return {0, 0, 1};
    const Foot foot = foot_of(field, point - field.origin);
    return foot.ground ? foot.cell.normal(foot.x, foot.y) : Vector{0, 0, 1};
}

}  // namespace collision

bool is_consistent(const HeightField& field) {
    const auto columns = static_cast<std::size_t>(std::max(field.columns, 0)),
               rows = static_cast<std::size_t>(std::max(field.rows, 0));
    constexpr std::size_t most = std::numeric_limits<int>::max();
    return field.columns >= 0 && field.rows >= 0 && columns * rows <= most &&
           field.heights.size() == columns * rows && field.spacing_x > 0 && field.spacing_y > 0 &&
           std::isfinite(field.spacing_x) && std::isfinite(field.spacing_y);
}

std::optional<double> ground_height(const HeightField& field, double x, double y) {
    if (!collision::has_cells(field)) return std::nullopt;
    const collision::Foot foot = collision::foot_of(field, {x - field.origin.x, y - field.origin.y, 0});
    if (!foot.ground) return std::nullopt;
    return field.origin.z + foot.height();
}

}  // namespace grbda
