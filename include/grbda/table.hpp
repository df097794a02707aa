#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace grbda {

/// The world: parent of bodies without a moving parent.
inline constexpr int world = -1;

/// The indices [first, last): `for (const int body : cluster.bodies)`.
struct Range {
    int first = 0, last = 0;

    int size() const { return last - first; }
    bool empty() const { return first == last; }

    struct Iterator {
        int i;
        int operator*() const { return i; }
        Iterator& operator++() {
            ++i;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return i != other.i; }
    };
    Iterator begin() const { return {first}; }
    Iterator end() const { return {last}; }
};

/// The shortest range that contains both.
constexpr Range hull(const Range& a, const Range& b) {
    return {a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last};
}

/// Converts an index to the unsigned type of the standard containers.
constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A std::vector that accepts any integer type as index, since indices of bodies and velocities are int.
template <class T>
class Table : public std::vector<T> {
public:
    using std::vector<T>::vector;
    Table(std::vector<T> values) : std::vector<T>(std::move(values)) {}

    [[gnu::always_inline]] T& operator[](std::integral auto i) {
        return std::vector<T>::operator[](static_cast<std::size_t>(i));
    }
    [[gnu::always_inline]] const T& operator[](std::integral auto i) const {
        return std::vector<T>::operator[](static_cast<std::size_t>(i));
    }
};

}  // namespace grbda
