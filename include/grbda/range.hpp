#pragma once

namespace grbda {

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

}  // namespace grbda
