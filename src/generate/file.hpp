#pragma once

#include <string>
#include <vector>

#include "examples.hpp"
#include "function.hpp"

// Writes the header and the source of a robot's functions.

namespace grbda::generated {

struct File {
    const Model& model;
    Dialect dialect;
    std::vector<Function> functions;
    std::vector<int> frames;
    std::vector<Function> batches;  ///< functions on many states: each state has its own lane
    std::vector<Example> examples;
    std::string isa;
    int states = 1;                    ///< side by side in batches
    std::vector<int> parameters = {};  ///< bodies whose inertias are inputs
    const Canonical* robot = nullptr;
    std::optional<Integrator> step = {};  ///< rule of the steps for solvers
    bool step_is_forced = false;          ///< forces other than u act on the independent coordinates
    /// Bodies whose joints have the motors with forces u, unless u is tau.
    std::vector<int> step_motors = {};
    bool step_has_joint_forces = false;
    bool step_has_hessian = false;
    Abi abi = Abi::c;
};

/// Returns a name that is safe in a comment.
std::string harmless(std::string name);

std::string header_text(const File& file);
std::string source_text(const File& file);

}  // namespace grbda::generated
