#pragma once

#include <string>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

// A robot's own code: what the algorithms do for one model, written out without loops, names or memory of its
// own, limbs that are alike side by side in vector registers.

namespace grbda {

/// The algorithm that a generated function computes.
enum class GeneratedAlgorithm {
    aba,               ///< ÿ from q, ẏ, τ
    rnea,              ///< τ from q, ẏ, ÿ
    bias,              ///< τ from q, ẏ at ÿ = 0
    crba,              ///< M from q
    poses,             ///< of frames, from q
    twists,            ///< of frames, from q, ẏ
    jacobians,         ///< of frames, from q
    close,             ///< q that closes the loops, from a guess
    rnea_derivatives,  ///< ∂τ/∂y, ∂τ/∂ẏ and M from q, ẏ, ÿ
    aba_derivatives    ///< ∂ÿ/∂y, ∂ÿ/∂ẏ, M⁻¹ and ÿ from q, ẏ, τ
};
GRBDA_EXPORT const char* to_string(GeneratedAlgorithm algorithm);

struct GenerateOptions {
    std::string name = "robot";  ///< what all names begin with: an identifier of C
    std::vector<GeneratedAlgorithm> algorithms = {GeneratedAlgorithm::aba, GeneratedAlgorithm::rnea,
                                                  GeneratedAlgorithm::crba};
    bool wrenches = false;            ///< of aba, rnea and bias, also a variant with external wrenches
    std::vector<std::string> frames;  ///< of poses, twists and jacobians; none: the tool frames, or all links
    std::vector<std::string> parameters;  ///< links whose bodies' inertias are given to the functions
    int lanes = 0;                        ///< of limbs in one register: 1, 2 or 4; 0: what takes least
    std::string isa = "native";           ///< -march that the header says to compile with
    bool iso = false;                     ///< no vectors of GNU C, and so no lanes
    /// of aba, rnea, bias and crba, also a variant for many states, so many at a time: 4, or 8 with AVX-512;
    /// 0: none
    int batch = 0;
};

/// Result of generating one function.
struct GeneratedFunction {
    std::string name;
    GeneratedAlgorithm algorithm = GeneratedAlgorithm::aba;
    bool wrenches = false;
    int lanes = 1;                   ///< of the widest group
    std::string limbs;               ///< what was put into lanes, for people; empty: nothing
    int recorded = 0;                ///< operations that the library does
    int operations = 0;              ///< that are left, one for a vector
    int bytes = 0;                   ///< of code, estimated
    double nanoseconds = 0;          ///< estimated
    double library_nanoseconds = 0;  ///< what the library is estimated to take
};

struct GeneratedCode {
    std::string header, source;  ///< C, for files NAME.h and NAME.c
    std::vector<GeneratedFunction> functions;
};

/// Code for a model: plain C99, with vectors of GNU C unless `iso`, that needs the standard library of C
/// alone. From `other_forms`, the same robot with its clusters in other forms, a function takes the one that
/// leaves the fewest operations.
/// errors  std::invalid_argument that says why: a name that is no identifier or that of a header of the
/// system, an
///         unknown frame or link, a link whose inertia cannot be given, lanes or batch of other numbers, no
///         algorithm, `close` of a robot without loops, or a recording too long to compile
GRBDA_EXPORT GeneratedCode generate(const Model& model, const GenerateOptions& options,
                                    const std::vector<Model>& other_forms = {});

}  // namespace grbda
