#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grbda/derivatives/step_derivatives.hpp"
#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

// Code generation: the algorithms for one model as straight-line C code, which does not allocate and does not
// read names. Identical limbs are computed side by side in vector registers.

namespace grbda {

/// The function to generate: its results and arguments.
enum class GeneratedAlgorithm {
    aba,                 ///< ÿ from q, ẏ, τ
    rnea,                ///< τ from q, ẏ, ÿ
    bias,                ///< τ from q, ẏ at ÿ = 0
    crba,                ///< M from q
    poses,               ///< of frames, from q
    twists,              ///< of frames, from q, ẏ
    jacobians,           ///< of frames, from q
    close,               ///< q that closes the loops, from a guess
    rnea_derivatives,    ///< ∂τ/∂y, ∂τ/∂ẏ and M from q, ẏ, ÿ
    aba_derivatives,     ///< ∂ÿ/∂y, ∂ÿ/∂ẏ, M⁻¹ and ÿ from q, ẏ, τ
    forces,              ///< τ of motors and passive forces, from q, ẏ, u
    forces_derivatives,  ///< the same, and its derivatives by y, ẏ, u
    tangent,             ///< derivatives of q by y, by columns, from q
    motors,              ///< positions of the motors and their Jacobian, by columns, from q
    rnea_hessian,        ///< λᵀ ∂²τ from q, ẏ, ÿ, λ
    forces_hessian,      ///< the same of `forces`, from q, ẏ, u, λ
    tangent_hessian,     ///< λᵀ ∂²q from q, λ
    frames_derivatives,  ///< derivatives of poses and twists by y and ẏ, by columns, from q, ẏ
    frames_hessian       ///< λᵀ ∂² of poses and twists from q, ẏ, λ
};
GRBDA_EXPORT const char* to_string(GeneratedAlgorithm algorithm);

/// Conventions by which programs call the generated code.
enum class Abi {
    c,       ///< the functions of the header
    casadi,  ///< also functions for external() of CasADi, with first and second derivatives
    acados   ///< also discrete dynamics of type "generic" of acados, and a module for its Python interface
};

/// Options of generate().
struct GenerateOptions {
    std::string name = "robot";  ///< prefix of all names: an identifier of C
    std::vector<GeneratedAlgorithm> algorithms = {GeneratedAlgorithm::aba, GeneratedAlgorithm::rnea,
                                                  GeneratedAlgorithm::crba};
    bool wrenches = false;                ///< adds variants of aba, rnea and bias with external wrenches
    std::vector<std::string> frames;      ///< of poses, twists, jacobians; empty: tool frames, or all links
    std::vector<std::string> parameters;  ///< links whose inertias are arguments of the functions
    int lanes = 0;                        ///< limbs side by side in one register: 1, 2 or 4; 0: the fastest
    std::string isa = "native";           ///< value of -march, named in the header of the code
    bool iso = false;                     ///< ISO C without the vectors of GNU C, hence one lane
    /// Adds variants of aba, rnea, bias and crba for this number of states at a time: 4, or 8 with AVX-512;
    /// 0: no variants.
    int batch = 0;
    /// Adds steps of time for solvers: NAME_configuration, NAME_step and NAME_step_jacobian by this rule, and
    /// the algorithms that they need.
    std::optional<Integrator> step = std::nullopt;
    /// Inputs u of `step`, `forces` and `forces_derivatives` are the forces of motors; false: τ. A robot that
    /// names no motor has τ.
    bool motors = true;
    /// Springs, dampers, tendons and gravity compensation act in these functions. Dry friction does not: it
    /// has no derivative where a joint rests.
    bool joint_forces = false;
    /// Adds NAME_step_hessian, the exact Hessian of multipliers times a step: for robots of a few degrees of
    /// freedom whose independent joints have no quaternion.
    bool hessian = false;
    Abi abi = Abi::c;  ///< others: for a robot as for `hessian` with second derivatives, otherwise without
    /// Matrices are stored column by column, except orientations of frames; false: row by row. Those of steps
    /// and second derivatives are stored column by column in any case.
    bool columns = false;
};

/// Report on one generated function.
struct GeneratedFunction {
    std::string name;
    GeneratedAlgorithm algorithm = GeneratedAlgorithm::aba;
    bool wrenches = false;
    int lanes = 1;                   ///< of the widest group
    std::string limbs;               ///< describes the limbs in lanes; empty: none
    int recorded = 0;                ///< operations of the library's algorithm
    int operations = 0;              ///< operations of the code; one on a vector counts once
    int bytes = 0;                   ///< size of the machine code, estimated
    double nanoseconds = 0;          ///< estimated
    double library_nanoseconds = 0;  ///< of the library, estimated
};

/// Result of generate().
struct GeneratedCode {
    std::string header, source;  ///< C, for files NAME.h and NAME.c
    std::string module;          ///< Python, for a file NAME_acados.py; empty for other solvers
    std::vector<GeneratedFunction> functions;
};

/// Generates C99 code for a model, with vectors of GNU C unless GenerateOptions::iso is set. The code needs
/// only the standard library of C. `other_forms` are models of the same robot with other LoadOptions::form;
/// each function uses the model that needs the fewest operations.
/// errors  std::invalid_argument with the reason: a name that is no identifier or names a system header,
///         an unknown frame or link, a link whose inertia cannot be an argument, invalid lanes or batch, no
///         algorithm, `close` for a robot without loops, `motors` for one without named motors, a recording
///         too long to compile; `step` with parameters, with a joint of which only some components are
///         independent, or with a passive force that has no derivative
GRBDA_EXPORT GeneratedCode generate(const Model& model, const GenerateOptions& options,
                                    const std::vector<Model>& other_forms = {});

}  // namespace grbda
