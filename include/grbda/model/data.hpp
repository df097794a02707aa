#pragma once

#include <cstddef>

#include <Eigen/Core>

#include "grbda/export.hpp"
#include "grbda/model/chart.hpp"
#include "grbda/model/model.hpp"
#include "grbda/model/workspace.hpp"

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

/// Results of the algorithms on one model, in the user's order, with their workspace: use one for each
/// thread. Only `chart` persists between calls. Each algorithm may overwrite the other members; it fills
/// those that its docstring names, with NaN if it fails. They are empty for scalars that need wider alignment
/// than Eigen guarantees. The constructor allocates; with long loops, so does the first function that needs
/// make_room().
template <class S>
struct GRBDA_EXPORT Data : Workspace<S> {
    /// Throws std::invalid_argument if the model was moved from.
    explicit Data(const Model& model);

    void make_room(const Model& model);  ///< as in Workspace, and for `chart`

    Chart chart;     ///< coordinates of ẏ, ÿ and τ: choose_coordinates() and others change them
    VectorX<S> ydd;  ///< ÿ [nv], rad/s², m/s²: aba(), aba_derivatives(); factor() with yd: at τ = 0
    VectorX<S> tau;  ///< τ [nv], N·m, N: rnea(), bias_force(), joint_forces()
    VectorX<S> qd;   ///< q̇ [nv_tree], rad/s, m/s: spanning_velocity(), spanning_acceleration()
    VectorX<S> qdd;  ///< [nv_tree]: q̈ of spanning_acceleration(); τ_s of joint_forces(), forces of all joints
};

template <class S>
Data<S>::Data(const Model& model) : Workspace<S>(model), chart(model) {
    if constexpr (alignof(S) <= alignof(std::max_align_t)) {
        for (VectorX<S>* x : {&ydd, &tau}) x->setZero(model.nv);
        for (VectorX<S>* x : {&qd, &qdd}) x->setZero(model.nv_tree);
    }
    if (this->has_room) chart.make_room(model);
}

template <class S>
void Data<S>::make_room(const Model& model) {
    Workspace<S>::make_room(model);
    chart.make_room(model);
}

/// Allocates what algorithms on G, J or D need, or also what derivatives need, if that is missing.
template <class S>
[[gnu::always_inline]] inline void ensure_room(const Model& model, Data<S>& data) {
    if (!data.has_room) [[unlikely]]
        data.make_room(model);
}
template <class S>
[[gnu::always_inline]] inline void ensure_directions(const Model& model, Data<S>& data) {
    ensure_room(model, data);
    if (!data.has_directions) [[unlikely]]
        data.make_directions(model);
}

extern template struct Data<double>;

}  // namespace grbda
