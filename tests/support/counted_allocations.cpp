#include "support/counted_allocations.hpp"

#include <cstddef>

namespace {

thread_local long count = 0;

}  // namespace

long counted_allocations() { return count; }

#if defined(GRBDA_SANITIZED)

#include <sanitizer/allocator_interface.h>

// The sanitizer keeps operator new to itself, and tells.
namespace {

[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++count; }, [](const volatile void*) {});

}  // namespace

#else

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
    ++count;
    if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}

void* operator new[](std::size_t size) { return operator new(size); }

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

#endif
