#pragma once

#include <Eigen/Core>

#include "grbda/export.hpp"

// Vectors and matrices of the interface, and checks of their sizes.

// Eigen allocates with its own alignment, which depends on -march: memory that the library allocated
// must not be freed by a program in which Eigen aligns differently. Such a program does not link: the
// name of this constant contains both settings. Build the library with GRBDA_ANY_MARCH in that case.
#define GRBDA_JOIN_EXPANDED(a, b, c, d) a##b##c##d
#define GRBDA_JOIN(a, b, c, d) GRBDA_JOIN_EXPANDED(a, b, c, d)
#define GRBDA_EIGEN_ALIGNMENT \
    GRBDA_JOIN(eigen_aligns_to_, EIGEN_MAX_ALIGN_BYTES, _malloc_, EIGEN_MALLOC_ALREADY_ALIGNED)

#if !defined(GRBDA_NO_EIGEN_VECTORS)  // for objects that neither allocate nor free Eigen vectors
namespace grbda::abi {
GRBDA_EXPORT extern const int GRBDA_EIGEN_ALIGNMENT;
[[gnu::used]] static const int* const alignment_of_this_program = &GRBDA_EIGEN_ALIGNMENT;
}  // namespace grbda::abi
#endif

namespace grbda {

template <class S>
using VectorX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using MatrixX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using Matrix6X = Eigen::Matrix<S, 6, Eigen::Dynamic>;

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix3Xd = Eigen::Matrix<double, 3, Eigen::Dynamic>;
using Matrix6Xd = Matrix6X<double>;

// Arguments. Eigen copies an expression or a vector with another stride first; a plain vector or Map is not
// copied. A block of a larger matrix can take a result without a copy.
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;
using ConstMatrixRef = const Eigen::Ref<const Eigen::MatrixXd>&;
using VectorRef = Eigen::Ref<Eigen::VectorXd>;
using MatrixRef = Eigen::Ref<Eigen::MatrixXd>;

/// External wrenches [6 × bodies] in the order of model.bodies: force and moment on each body, in the body's
/// own frame at its origin, N and N·m. [6 × 0] for none. Rows of a larger matrix are copied, which allocates.
using ConstWrenchesRef = const Eigen::Ref<const Matrix6Xd, 0, Eigen::OuterStride<6>>&;

/// Throws std::invalid_argument that names the argument with both sizes.
[[noreturn]] GRBDA_EXPORT void refuse_size(const char* argument, long given, long expected);

inline void require_size(const char* argument, long given, long expected) {
    if (given != expected) [[unlikely]]
        refuse_size(argument, given, expected);
}

}  // namespace grbda
