#pragma once

#include <cstddef>

#include "grbda/batch/batch_data.hpp"

// The interface between the calls and the kernels of one instruction set. Objects compiled for
// an instruction set must not export functions that the linker could use for the whole program:
// therefore it consists of pointers to plain functions without members (tests/source/isa_test.sh).

namespace grbda::batch {

enum class Method { aba, rnea, crba, rnea_derivatives, aba_derivatives };

/// True if the method computes accelerations from forces: M is factored.
[[gnu::always_inline]] constexpr bool is_forward(Method method) {
    return method == Method::aba || method == Method::aba_derivatives;
}

/// Numbers of many states: the first column, and the distance between columns.
template <class T>
struct Columns {
    T* data = nullptr;
    std::ptrdiff_t stride = 0;
};

/// Output numbers of a method, with their count per state.
struct Output {
    Columns<double> columns;
    int size = 0;
};
constexpr int most_outputs = 4;

/// One call.
struct Job {
    Method method;
    const Model& model;
    std::ptrdiff_t states;
    Columns<const double> q, yd, force, wrenches;  ///< force: τ or ÿ; null if not given
    Output outputs[most_outputs];  ///< ÿ, τ or M; ∂τ/∂y, ∂τ/∂ẏ and M; ∂ÿ/∂y, ∂ÿ/∂ẏ, M⁻¹ and ÿ; null: left out
    Status* statuses;       ///< or null
    double singular_rcond;  ///< rcond(K_d) below this is a singular constraint
};

struct Engine {
    int width;
    void* (*make)(const Model& model);
    void (*destroy)(void* workspace);
    /// Computes states [begin, end), begin a multiple of the width; counts failures.
    BatchResult (*run)(const Job& job, void* workspace, std::ptrdiff_t begin, std::ptrdiff_t end);
};

extern const Engine scalar_engine, portable_engine;
extern const Engine avx2_engine, avx512_engine;  // with GRBDA_X86_ENGINES only

}  // namespace grbda::batch
