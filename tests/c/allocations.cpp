#include "support/counted_allocations.hpp"

/// Passes the count to the tests in C.
extern "C" long allocations_of_this_thread(void);
long allocations_of_this_thread(void) { return counted_allocations(); }
