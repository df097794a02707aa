#pragma once

#include "kernels/body/placement.hpp"

// A cluster that moves in one plane (Linkage in model/structure.hpp): joints about parallel axes, and one
// loop of two rows in their plane. This file computes everything that follows from its configuration and its
// rates, relative to its parent body, in the plane's axes and about its origin. Results are local values
// instead of memory. K has the rows of loop.hpp in the plane's axes instead of those of P, which changes
// neither G, g nor rcond.

namespace grbda::kernels {

template <class S>
struct Vector2 {
    S x, y;
};
template <class S>
[[gnu::always_inline]] inline Vector2<S> operator+(const Vector2<S>& a, const Vector2<S>& b) {
    return {a.x + b.x, a.y + b.y};
}
template <class S>
[[gnu::always_inline]] inline Vector2<S> operator-(const Vector2<S>& a, const Vector2<S>& b) {
    return {a.x - b.x, a.y - b.y};
}
template <class S>
[[gnu::always_inline]] inline Vector2<S> operator*(const Vector2<S>& a, const S& s) {
    return {a.x * s, a.y * s};
}
template <class S>
[[gnu::always_inline]] inline S dot(const Vector2<S>& a, const Vector2<S>& b) {
    return a.x * b.x + a.y * b.y;
}
/// Returns the component of a × b along the normal.
template <class S>
[[gnu::always_inline]] inline S across(const Vector2<S>& a, const Vector2<S>& b) {
    return a.x * b.y - a.y * b.x;
}
/// Returns n × a with the normal n.
template <class S>
[[gnu::always_inline]] inline Vector2<S> quarter_turn(const Vector2<S>& a) {
    return {-a.y, a.x};
}

/// Motion in the plane: velocity of the point at its origin, and angular velocity.
template <class S>
struct PlaneMotion {
    Vector2<S> linear;
    S angular;
};
template <class S>
[[gnu::always_inline]] inline PlaneMotion<S> operator+(const PlaneMotion<S>& a, const PlaneMotion<S>& b) {
    return {a.linear + b.linear, a.angular + b.angular};
}
template <class S>
[[gnu::always_inline]] inline PlaneMotion<S> operator*(const PlaneMotion<S>& a, const S& s) {
    return {a.linear * s, a.angular * s};
}
/// Returns the velocity of the point r.
template <class S>
[[gnu::always_inline]] inline Vector2<S> point_velocity(const PlaneMotion<S>& v, const Vector2<S>& r) {
    return v.linear + quarter_turn(r) * v.angular;
}
/// Returns the acceleration of the point r of a body at velocity v.
template <class S>
[[gnu::always_inline]] inline Vector2<S> point_acceleration(const PlaneMotion<S>& v, const PlaneMotion<S>& a,
                                                            const Vector2<S>& r) {
    return point_velocity(a, r) + quarter_turn(point_velocity(v, r)) * v.angular;
}

/// The cluster at a configuration. Index 0 of each array is the cluster's parent body, index i + 1 its body
/// i.
template <int M, class S>
struct PlaneState {
    static constexpr int bodies = M + 2;

    const Linkage& linkage;
    int independent[M], dependent[2];  ///< indices
    Vector2<S> turn[bodies + 1];       ///< cosine and sine of the angle from the plane's x axis
    Vector2<S> at[bodies + 1];         ///< positions of the joints
    PlaneMotion<S> s[bodies + 1];      ///< columns of the joints
    Vector2<S> K[bodies + 1];
    S inverse;                     ///< 1 / det K_d
    S G[bodies + 1][M];            ///< includes rows of independents
    PlaneMotion<S> v[bodies + 1];  ///< at rates q̇
    PlaneMotion<S> a[bodies + 1];  ///< at q̈
    Vector2<S> bias[bodies + 1];   ///< linear part of a at q̈ = 0; the angular part is zero

    /// Places the bodies, after turn_joints(), and stores rcond in `data`.
    [[gnu::always_inline]] PlaneState(const Model& model, Workspace<S>& data, const Cluster& c)
        : linkage(model.linkages[c.linkage]) {
        for (int j = 0; j < M; ++j) independent[j] = data.chart.independent[c.y_begin + j] - c.dof_begin + 1;
        for (int d = 0; d < 2; ++d)
            dependent[d] = data.chart.dependent[c.dependent_begin + d] - c.dof_begin + 1;
        turn[0] = {S(1), S(0)};
        at[0] = {};
        const int angle = c.angles.first;
        for (int i = 1; i <= bodies; ++i) {
            const Link& link = linkage.links[i];
            const Vector2<S> own{data.cosine[angle + i - 1], data.sine[angle + i - 1] * S(link.sign)};
            const Vector2<S>& before = turn[link.parent];
            turn[i] = {before.x * own.x - before.y * own.y, before.y * own.x + before.x * own.y};
            at[i] = point(link.parent, link.x, link.y);
            s[i] = {{at[i].y * S(link.sign), -at[i].x * S(link.sign)}, S(link.sign)};
        }
        find_G();
        data.rcond[c.index] = rcond(model.row_scale[c.row_begin]);
    }

    /// Returns a point that is fixed in a body.
    [[gnu::always_inline]] Vector2<S> point(int body, double x, double y) const {
        const Vector2<S>& t = turn[body];
        return {at[body].x + (t.x * S(x) - t.y * S(y)), at[body].y + (t.y * S(x) + t.x * S(y))};
    }
    /// Returns the x of the dependents with K_d x = b.
    [[gnu::always_inline]] Vector2<S> solved(const Vector2<S>& b) const {
        return Vector2<S>{across(b, K[dependent[1]]), across(K[dependent[0]], b)} * inverse;
    }
    /// Returns the rate of joint i at independent rates y.
    [[gnu::always_inline]] S rate(int i, const S* y) const {
        S sum = G[i][0] * y[0];
        for (int j = 1; j < M; ++j) sum += G[i][j] * y[j];
        return sum;
    }

    /// Computes v and the bias. Returns k.
    [[gnu::always_inline]] Vector2<S> move(const S* y) {
        v[0] = {};
        bias[0] = {};
        for (int i = 1; i <= bodies; ++i) {
            const int p = linkage.links[i].parent;
            const PlaneMotion<S> own = s[i] * rate(i, y);
            v[i] = v[p] + own;
            bias[i] =
                bias[p] + quarter_turn(Vector2<S>(own.linear * v[p].angular - v[p].linear * own.angular));
        }
        const Vector2<S> r = loop_point();
        const auto moved = [&](int i) { return point_acceleration(v[i], {bias[i], S(0)}, r); };
        return moved(linkage.predecessor) - moved(linkage.successor);
    }
    /// Computes a, and q̈ by index; null y: ÿ = 0.
    [[gnu::always_inline]] void accelerate(const Vector2<S>& k, const S* y, S* change) {
        const Vector2<S> g = solved(k);
        for (int i = 1; i <= bodies; ++i) change[i] = y ? rate(i, y) : S(0);
        change[dependent[0]] += g.x;
        change[dependent[1]] += g.y;
        PlaneMotion<S> moved[bodies + 1];
        moved[0] = {};
        for (int i = 1; i <= bodies; ++i) {
            moved[i] = moved[linkage.links[i].parent] + s[i] * change[i];
            a[i] = {moved[i].linear + bias[i], moved[i].angular};
        }
    }

    /// Calls use(body, its motions J [M]).
    template <class Use>
    [[gnu::always_inline]] void each_jacobian(const Use& use) const {
        PlaneMotion<S> J[bodies + 1][M];
        for (int j = 0; j < M; ++j) J[0][j] = {};
        for (int i = 1; i <= bodies; ++i) {
            for (int j = 0; j < M; ++j) J[i][j] = J[linkage.links[i].parent][j] + s[i] * G[i][j];
            use(i, J[i]);
        }
    }

private:
    /// Returns rcond of K_d as invert_dependents() finds it with rows times `scale`.
    [[gnu::always_inline]] S rcond(double scale) const {
        const S one(1);
        S of_K(0);
        for (int i = 1; i <= bodies; ++i) of_K += dot(K[i], K[i]);
        const S of_K_d = dot(K[dependent[0]], K[dependent[0]]) + dot(K[dependent[1]], K[dependent[1]]);
        const S product = of_K_d * inverse * inverse * (S(1 / (scale * scale)) + of_K);
        return scalar::min(S(one / scalar::sqrt(product)), one);
    }
    [[gnu::always_inline]] Vector2<S> loop_point() const {
        return point(linkage.successor, linkage.x, linkage.y);
    }
    [[gnu::always_inline]] void find_G() {
        const Vector2<S> r = loop_point();
        for (int i = 1; i <= bodies; ++i)
            K[i] = quarter_turn(Vector2<S>(r - at[i])) * S(linkage.links[i].loop_sign);
        inverse = S(1) / across(K[dependent[0]], K[dependent[1]]);
        for (int j = 0; j < M; ++j) {
            const Vector2<S> g = solved(K[independent[j]]);
            for (int k = 0; k < M; ++k) G[independent[k]][j] = S(j == k ? 1 : 0);
            G[dependent[0]][j] = -g.x;
            G[dependent[1]][j] = -g.y;
        }
    }
};

}  // namespace grbda::kernels
