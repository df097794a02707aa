#pragma once

#include <Eigen/Core>

// Objects with Eigen members cross the border between a program and the library of a solver: one allocates
// what the other frees. Both must therefore allocate alike. Packaged solvers (PyPI, Debian, conda) are
// compiled without -march, where Eigen leaves alignment to malloc; with -march=native, or with a grbda that
// was configured with GRBDA_NATIVE, it does not. The first object that crosses would then end in a crash.

#if defined(__GLIBC__) && defined(__LP64__) && !defined(GRBDA_SOLVER_ALLOCATES_LIKE_THIS)
#if !EIGEN_MALLOC_ALREADY_ALIGNED || EIGEN_MAX_ALIGN_BYTES > 16
#error \
    "Eigen allocates here otherwise than in packaged solvers, which would crash. Configure grbda with GRBDA_PACKAGED_EIGEN=ON (or GRBDA_NATIVE=OFF and the program without -march). Define GRBDA_SOLVER_ALLOCATES_LIKE_THIS if you compiled the solver with these flags yourself."
#endif
#endif
