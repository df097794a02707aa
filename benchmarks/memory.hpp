#pragma once

#include <malloc.h>

#include <cstddef>
#include <vector>

// Memory of objects, by glibc's count of what is allocated; zero with another C library.

namespace grbda::benchmarks {

inline std::size_t allocated_bytes() {
#ifdef __GLIBC__
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/// Bytes of an object that can be copied. Mean of many copies, because malloc reuses a few blocks of each
/// size that it already counts as used.
template <class T>
double bytes_of(const T& object) {
    constexpr std::size_t copies = 64;
    const std::size_t before = allocated_bytes();
    const std::vector<T> kept(copies, object);
    return static_cast<double>(allocated_bytes() - before) / static_cast<double>(copies);
}

}  // namespace grbda::benchmarks
