#include "support/counted_allocations.hpp"

#include <algorithm>

namespace {

thread_local long number = 0;
thread_local std::size_t largest = 0;

void count(std::size_t size) {
    ++number;
    largest = std::max(largest, size);
}

}  // namespace

long counted_allocations() { return number; }
std::size_t largest_allocation() { return largest; }
void forget_largest_allocation() { largest = 0; }

#if defined(GRBDA_SANITIZED)

#include <sanitizer/allocator_interface.h>

// The sanitizer keeps malloc to itself, and tells.
namespace {

[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { count(size); }, [](const volatile void*) {});

}  // namespace

#else

#include <cerrno>

// malloc itself: Eigen does not go through operator new.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
    count(size);
    return __libc_malloc(size);
}
void* calloc(std::size_t objects, std::size_t size) {
    count(objects * size);
    return __libc_calloc(objects, size);
}
void* realloc(void* old, std::size_t size) {
    count(size);
    return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
    count(size);
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}
}

#endif
