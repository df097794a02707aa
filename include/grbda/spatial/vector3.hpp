#pragma once

// Three-dimensional algebra on any scalar. Inlining is forced: returned through
// memory, structs of doubles stall on store forwarding (measured: a tenth of ABA). Plain numbers without
// alignment requirements: safe to pass between objects built with different -march.

namespace grbda {

template <class S>
struct Vector3 {
    S x{}, y{}, z{};

    Vector3& operator+=(const Vector3& b) {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
    Vector3& operator-=(const Vector3& b) {
        x -= b.x;
        y -= b.y;
        z -= b.z;
        return *this;
    }

    template <class T>
    Vector3<T> cast() const {
        return {T(x), T(y), T(z)};
    }
};

template <class S>
[[gnu::always_inline]] inline Vector3<S> operator+(const Vector3<S>& a, const Vector3<S>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
[[gnu::always_inline]] inline Vector3<S> operator-(const Vector3<S>& a, const Vector3<S>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S>
[[gnu::always_inline]] inline Vector3<S> operator-(const Vector3<S>& a) {
    return {-a.x, -a.y, -a.z};
}
template <class S>
[[gnu::always_inline]] inline Vector3<S> operator*(const Vector3<S>& a, const S& s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class S>
[[gnu::always_inline]] inline S dot(const Vector3<S>& a, const Vector3<S>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
[[gnu::always_inline]] inline Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// 3×3 matrix by columns: of a rotation, the axes of the rotated frame.
template <class S>
struct Matrix3 {
    Vector3<S> x, y, z;

    Matrix3& operator+=(const Matrix3& b) {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
    Matrix3& operator-=(const Matrix3& b) {
        x -= b.x;
        y -= b.y;
        z -= b.z;
        return *this;
    }

    static Matrix3 identity() { return {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}}; }

    template <class T>
    Matrix3<T> cast() const {
        return {x.template cast<T>(), y.template cast<T>(), z.template cast<T>()};
    }
};

template <class S>
[[gnu::always_inline]] inline Matrix3<S> operator+(const Matrix3<S>& a, const Matrix3<S>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
[[gnu::always_inline]] inline Matrix3<S> operator*(const Matrix3<S>& a, const S& s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class S>
[[gnu::always_inline]] inline Vector3<S> operator*(const Matrix3<S>& A, const Vector3<S>& b) {
    return {A.x.x * b.x + A.y.x * b.y + A.z.x * b.z, A.x.y * b.x + A.y.y * b.y + A.z.y * b.z,
            A.x.z * b.x + A.y.z * b.y + A.z.z * b.z};
}
template <class S>
[[gnu::always_inline]] inline Matrix3<S> operator*(const Matrix3<S>& A, const Matrix3<S>& B) {
    return {A * B.x, A * B.y, A * B.z};
}

/// Aᵀ b
template <class S>
[[gnu::always_inline]] inline Vector3<S> transpose_times(const Matrix3<S>& A, const Vector3<S>& b) {
    return {dot(A.x, b), dot(A.y, b), dot(A.z, b)};
}
template <class S>
[[gnu::always_inline]] inline Matrix3<S> transpose(const Matrix3<S>& A) {
    return {{A.x.x, A.y.x, A.z.x}, {A.x.y, A.y.y, A.z.y}, {A.x.z, A.y.z, A.z.z}};
}
/// skew(a) b = a × b
template <class S>
[[gnu::always_inline]] inline Matrix3<S> skew(const Vector3<S>& a) {
    const S zero(0);
    return {{zero, a.z, -a.y}, {-a.z, zero, a.x}, {a.y, -a.x, zero}};
}

/// Symmetric 3×3 matrix.
template <class S>
struct Symmetric3 {
    S xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

    Symmetric3& operator+=(const Symmetric3& b) {
        xx += b.xx;
        yy += b.yy;
        zz += b.zz;
        xy += b.xy;
        xz += b.xz;
        yz += b.yz;
        return *this;
    }
    /// A += B − a bᵀ, for b parallel to a
    void add_minus_outer(const Symmetric3& B, const Vector3<S>& a, const Vector3<S>& b) {
        xx += B.xx - a.x * b.x;
        yy += B.yy - a.y * b.y;
        zz += B.zz - a.z * b.z;
        xy += B.xy - a.x * b.y;
        xz += B.xz - a.x * b.z;
        yz += B.yz - a.y * b.z;
    }
    /// A −= a aᵀ s
    void subtract_outer(const Vector3<S>& a, const S& s) {
        const Vector3<S> b = a * s;
        xx -= a.x * b.x;
        yy -= a.y * b.y;
        zz -= a.z * b.z;
        xy -= a.x * b.y;
        xz -= a.x * b.z;
        yz -= a.y * b.z;
    }

    template <class T>
    Symmetric3<T> cast() const {
        return {T(xx), T(yy), T(zz), T(xy), T(xz), T(yz)};
    }
};

template <class S>
[[gnu::always_inline]] inline Vector3<S> operator*(const Symmetric3<S>& A, const Vector3<S>& b) {
    return {A.xx * b.x + A.xy * b.y + A.xz * b.z, A.xy * b.x + A.yy * b.y + A.yz * b.z,
            A.xz * b.x + A.yz * b.y + A.zz * b.z};
}

/// R A Rᵀ
template <class S>
[[gnu::always_inline]] inline Symmetric3<S> rotate(const Matrix3<S>& R, const Symmetric3<S>& A) {
    const Vector3<S> x = R * Vector3<S>{A.xx, A.xy, A.xz};  // columns of R A
    const Vector3<S> y = R * Vector3<S>{A.xy, A.yy, A.yz};
    const Vector3<S> z = R * Vector3<S>{A.xz, A.yz, A.zz};
    return {x.x * R.x.x + y.x * R.y.x + z.x * R.z.x, x.y * R.x.y + y.y * R.y.y + z.y * R.z.y,
            x.z * R.x.z + y.z * R.y.z + z.z * R.z.z, x.x * R.x.y + y.x * R.y.y + z.x * R.z.y,
            x.x * R.x.z + y.x * R.y.z + z.x * R.z.z, x.y * R.x.z + y.y * R.y.z + z.y * R.z.z};
}

}  // namespace grbda
