#pragma once

#include <string>
#include <vector>

#include "grbda/diagnostics.hpp"
#include "grbda/model/model.hpp"

// What the commands are given on the command line, and how all of them load the robot.

namespace grbda::tool {

/// Exit codes of every command.
enum Exit { success = 0, bad_input = 1, bad_call = 2 };

struct ModelArguments {
    std::vector<std::string> files;
    std::vector<std::string> paths;  ///< folders to include files from
    std::string coupling_ratio;      ///< empty: as the file says
    bool floating_base = false;
    bool no_rotor_reduction = false;
    bool spherical_joints = false;
    bool quiet = false;
    bool strict = false;
};

struct CheckArguments {
    ModelArguments model;
    bool json = false;
};

struct InfoArguments {
    ModelArguments model;
    bool json = false;
    bool dot = false;
};

struct ComputeArguments {
    ModelArguments model;
    std::string states;
    std::string start;   ///< saved state that states begin at; empty: none
    std::string output;  ///< empty or -: standard output
    std::string method = "aba";
    bool joint_forces = false;
};

struct ConvertArguments {
    ModelArguments model;
    std::string output;  ///< empty or -: standard output
};

LoadOptions load_options(const ModelArguments& arguments);

/// Throws LoadError with every finding.
Model load_model(const ModelArguments& arguments);

int check(const CheckArguments& arguments);
int info(const InfoArguments& arguments);
int compute(const ComputeArguments& arguments);
int convert(const ConvertArguments& arguments);

}  // namespace grbda::tool
