#pragma once

namespace grbda::kernels {

/// Numbers summed over bodies: N of them in registers, for N = 0 in memory. In memory each sum would wait for
/// the store before it.
template <int N, class T>
class Sums {
public:
    explicit Sums(T* place) : place_(place) {
        for (int i = 0; i < N; ++i) values_[i] = place_[i];
    }
    T* values() { return values_; }
    void store() const {
        for (int i = 0; i < N; ++i) place_[i] = values_[i];
    }

private:
    T* place_;
    T values_[N];
};
template <class T>
class Sums<0, T> {
public:
    explicit Sums(T* place) : place_(place) {}
    T* values() { return place_; }
    void store() const {}

private:
    T* place_;
};

/// Returns m if sums for m independent velocities stay in registers, else 0.
constexpr int few(int m) { return m <= 2 ? m : 0; }

}  // namespace grbda::kernels
