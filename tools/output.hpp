#pragma once

#include <string>
#include <vector>

// Where the results of a command go.

namespace grbda::tool {

/// The first of these files that the output would overwrite, by whatever name or link; empty if none.
/// An input of "-" is standard input.
std::string input_at(const std::string& output, const std::vector<std::string>& inputs);

/// False, and a message on standard error: the output is an input.
bool spares_inputs(const std::string& output, const std::vector<std::string>& inputs);

/// Writes to a file, or to standard output where `output` is empty or "-". A file is written whole or not at
/// all: what was there stays until all of the text is on the disk. Devices and pipes are written to as they
/// are. Throws InputError.
void write_output(const std::string& text, const std::string& output);

}  // namespace grbda::tool
