#pragma once

#include <string>
#include <vector>

#include "function.hpp"

// The header and the source that a robot's functions stand in.

namespace grbda::generated {

/// Results of the library at one state, by which generated code checks itself.
struct Example {
    const Function* function;
    std::vector<std::vector<double>> inputs, outputs;
};

struct File {
    const Model& model;
    Dialect dialect;
    std::vector<Function> functions;
    std::vector<int> frames;
    bool batch = false;
    std::vector<Example> examples;
};

std::string header_text(const File& file);
std::string source_text(const File& file);

}  // namespace grbda::generated
