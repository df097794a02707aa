#include "lowest.hpp"
#include "search/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace grbda::collision {
namespace {

class Search {
public:
    Search(const Difference& difference, double size, Height& best)
        : difference_(difference), size_(size), best_(best) {}

    void consider(const Vector& m) {
        const double h = difference_.height(m);
        if (h < best_.h) best_ = {m, h};
    }

    /// Along the axes, and square to two of them.
    void where_creases_meet(const Difference::Axes& axes) {
        constexpr double parallel = 1e-6;
        for (std::size_t i = 0; i < axes.count; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                const Vector across = i == j ? axes.list[i] : cross(axes.list[i], axes.list[j]);
                if (!(length(across) > parallel)) continue;
                consider(unit(across));
                consider(unit(-across));
            }
    }

    /// On the circle of directions that are square to an axis.
    void on_crease(const Vector& axis) {
        constexpr std::size_t count = 32;
        constexpr double apart = 2 * M_PI / count;
        const Vector u = square_to(axis), v = cross(axis, u);
        const auto height = [&](double angle) {
            return difference_.height(u * std::cos(angle) + v * std::sin(angle));
        };
        std::array<double, count> heights;
        for (std::size_t i = 0; i < count; ++i) heights[i] = height(static_cast<double>(i) * apart);
        for (std::size_t i = 0; i < count; ++i) {
            if (heights[i] > std::min(heights[(i + 1) % count], heights[(i + count - 1) % count])) continue;
            const double angle = lowest_between(height, (static_cast<double>(i) - 1) * apart,
                                                (static_cast<double>(i) + 1) * apart);
            consider(u * std::cos(angle) + v * std::sin(angle));
        }
    }

    /// Searches where h is smooth, from the lowest point tried and from the lowest points that are not near
    /// it.
    void where_smooth(std::span<const Height> tried, double slack) {
        constexpr std::size_t most = 8;
        constexpr double near = 0.95;  // cosine
        const double enough = best_.h + slack;
        std::array<Vector, most> starts;
        for (std::size_t count = 0; count < most; ++count) {
            const auto used = std::span(starts).first(count);
            const Height* lowest = nullptr;
            for (const Height& each : tried) {
                if (each.h > enough || (lowest != nullptr && each.h >= lowest->h)) continue;
                if (std::none_of(used.begin(), used.end(),
                                 [&](const Vector& m) { return dot(m, each.m) > near; }))
                    lowest = &each;
            }
            if (lowest == nullptr) return;
            starts[count] = lowest->m;
            Height found = *lowest;
            polish(difference_, size_, found);
            if (found.h < best_.h) best_ = found;
            difference_.at_faces_near(found.m, [&](const Vector& m) { consider(m); });
        }
    }

private:
    /// Golden section, until what is left of it is flat.
    template <class Function>
    double lowest_between(const Function& f, double lower, double upper) const {
        constexpr double golden = 0.6180339887498949, narrow = 1e-9;
        const double flat = 1e-15 * size_;
        double x = upper - golden * (upper - lower), y = lower + golden * (upper - lower);
        double at_x = f(x), at_y = f(y);
        while (upper - lower > narrow && std::abs(at_x - at_y) > flat) {
            if (at_x < at_y) {
                upper = std::exchange(y, x);
                at_y = at_x;
                x = upper - golden * (upper - lower);
                at_x = f(x);
            } else {
                lower = std::exchange(x, y);
                at_x = at_y;
                y = lower + golden * (upper - lower);
                at_y = f(y);
            }
        }
        return at_x < at_y ? x : y;
    }

    const Difference& difference_;
    const double size_;
    Height& best_;
};

}  // namespace

void polish(const Difference& difference, double size, Height& best) {
    // with the radii of curvature R of D, which differences of its points give, ∇²h = R − h on the sphere of
    // directions
    constexpr int most_steps = 3;
    constexpr double turn = 1e-5;  // rad
    for (int step = 0; step < most_steps; ++step) {
        const Vector m = best.m, u = square_to(m), v = cross(m, u);
        const auto change = [&](const Vector& by) {
            return (difference.along(unit(m + by * turn)).w - difference.along(unit(m - by * turn)).w) *
                   (0.5 / turn);
        };
        const Vector w = difference.along(m).w, to_u = change(u), to_v = change(v);
        // principal axes
        const double uu = dot(u, to_u), vv = dot(v, to_v), uv = 0.5 * (dot(u, to_v) + dot(v, to_u));
        const double angle = 0.5 * std::atan2(2 * uv, uu - vv), c = std::cos(angle), s = std::sin(angle);
        Vector way;
        for (const Vector& axis : {u * c + v * s, v * c - u * s}) {
            const double a = dot(axis, u), b = dot(axis, v),
                         bend = uu * a * a + 2 * uv * a * b + vv * b * b - best.h;
            constexpr double flat = 1e3;
            if (bend > 0 && bend < flat * size) way += axis * (-dot(axis, w) / bend);
        }
        const Vector next = unit(m + way);
        const double lower = difference.height(next);
        if (!(lower < best.h)) return;
        best = {next, lower};
    }
}

void find_lowest(const Difference& difference, double size, std::span<const Height> tried, double slack,
                 Height& best) {
    Search search(difference, size, best);
    search.where_smooth(tried, slack);
    const Difference::Axes axes = difference.axes();
    search.where_creases_meet(axes);
    for (std::size_t i = 0; i < axes.count; ++i) search.on_crease(axes.list[i]);
}

}  // namespace grbda::collision
