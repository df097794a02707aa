#include <algorithm>
#include <cmath>

#include "surroundings.hpp"

// Detects tunneling: a body passes through another, which the contacts at the start and at the end of a step
// do not show.

namespace grbda::simulation {
namespace {

/// Returns whether a point is below the plane by more than `radius`.
bool is_under(const Plane& plane, const Vector3<double>& p, double radius) {
    return dot(plane.normal, p) - plane.offset < -radius;
}

/// Returns whether a sphere is entirely below the ground; false outside the ground.
bool is_under(const HeightField& field, const Vector3<double>& p, double radius) {
    const std::optional<double> height = ground_height(field, p.x, p.y);
    return height && p.z < *height - radius;
}

bool has_ground(const HeightField& field, const Vector3<double>& p) {
    return ground_height(field, p.x, p.y).has_value();
}

/// Returns whether a straight path goes through a hill: a point on it is below the ground, but both ends are
/// not.
bool crosses(const HeightField& field, const Vector3<double>& from, const Vector3<double>& to,
             double radius) {
    constexpr double most = 256;
    const Vector3<double> path = to - from;
    const double cell = std::min(field.spacing_x, field.spacing_y);
    const int parts = static_cast<int>(std::min(std::ceil(2 * length(path) / cell), most));
    for (int i = 1; i < parts; ++i)
        if (is_under(field, from + path * (double(i) / parts), radius)) return true;
    return false;
}

/// Returns whether a straight path from outside enters a box or goes through it.
bool crosses(const Placed& box, const Vector3<double>& from, const Vector3<double>& to) {
    const Vector3<double> a = transpose_times(box.rotation, from - box.position),
                          b = transpose_times(box.rotation, to - box.position), half = box.size * 0.5;
    double enter = 0, leave = 1;
    const auto clip = [&](double x, double y, double end) {
        if (x == y) {
            if (std::abs(x) > end) leave = -1;
            return;
        }
        const double first = (-end - x) / (y - x), second = (end - x) / (y - x);
        enter = std::max(enter, std::min(first, second));
        leave = std::min(leave, std::max(first, second));
    };
    clip(a.x, b.x, half.x);
    clip(a.y, b.y, half.y);
    clip(a.z, b.z, half.z);
    return 0 < enter && enter < leave && enter < 1;
}

bool comes_under(const Plane& plane, double thickness, const Vector3<double>& from,
                 const Vector3<double>& to) {
    return is_under(plane, to, thickness) && !is_under(plane, from, thickness);
}

/// Returns whether a straight path passes a shape of the world.
bool passes_shape(const Placed& shape, double thickness, const Vector3<double>& from,
                  const Vector3<double>& to) {
    if (shape.kind == ShapeKind::plane) {
        const Vector3<double>& normal = shape.rotation.z;
        return comes_under({normal, dot(normal, shape.position)}, thickness, from, to);
    }
    return shape.kind == ShapeKind::box && crosses(shape, from, to);
}

}  // namespace

void Surroundings::trace(const Model& model, const Workspace<double>& data,
                         Table<Vector3<double>>& ends) const {
    ends.clear();
    for (const Piece& piece : pieces_) {
        Vector3<double> centre = piece.local.position, half = piece.half_axis;
        if (piece.body != world) {
            const Matrix3<double>& R = data.R[piece.body];
            centre = data.origin[model.clusters[model.bodies[piece.body].cluster].branch] +
                     data.p[piece.body] + R * centre;
            half = R * half;
        }
        ends.push_back(centre - half);
        ends.push_back(centre + half);
    }
}

bool Surroundings::passes_ground(const Piece& piece, const Vector3<double>& from,
                                 const Vector3<double>& to) const {
    if (const auto* plane = std::get_if<Plane>(&ground_.shape))
        return comes_under(*plane, piece.thickness, from, to);
    const auto* field = std::get_if<HeightField>(&ground_.shape);
    if (field == nullptr || !has_ground(*field, from) || is_under(*field, from, piece.thickness))
        return false;
    return is_under(*field, to, piece.thickness) ||
           (length(to - from) > piece.thickness && crosses(*field, from, to, piece.thickness));
}

int Surroundings::passed(std::span<const Vector3<double>> before, std::span<const Vector3<double>> after,
                         double time, double h) const {
    const bool moves = ground_.moves();
    const Displacement start = moves ? ground_.at(time) : Displacement{},
                       end = moves ? ground_.at(time + h) : Displacement{};
    for (std::size_t k = 0; k < after.size(); ++k) {
        const Piece& piece = pieces_[k / 2];
        if (piece.body != world && passes_ground(piece, moves ? start.back(before[k]) : before[k],
                                                 moves ? end.back(after[k]) : after[k]))
            return piece.body;
    }
    for (const Pair& pair : pairs_) {
        const bool first_is_fixed = pieces_[pair.a].body == world;
        const Piece &fixed = pieces_[first_is_fixed ? pair.a : pair.b],
                    &moving = pieces_[first_is_fixed ? pair.b : pair.a];
        if (fixed.body != world) continue;
        const std::size_t at = 2 * static_cast<std::size_t>(first_is_fixed ? pair.b : pair.a);
        for (std::size_t k = at; k < at + 2; ++k)
            if (passes_shape(fixed.local, moving.thickness, before[k], after[k])) return moving.body;
    }
    return -1;
}

}  // namespace grbda::simulation
