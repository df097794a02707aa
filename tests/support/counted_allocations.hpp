#pragma once

#include <cstddef>

// Allocations in a program that is linked with counted_allocations.cpp: a measure of work that does not
// depend on the load of the machine.

/// Allocations by this thread since it started.
long counted_allocations();
/// The largest of them since the last call of forget_largest_allocation(), bytes.
std::size_t largest_allocation();
void forget_largest_allocation();
