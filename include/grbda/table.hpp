#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace grbda {

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
