#pragma once

#include <string>
#include <vector>

// Destinations of a command's results.

namespace grbda::tool {

/// The first of these files that the output would overwrite, by any
/// name or link; empty if none. An input of "-" is standard input.
std::string input_at(const std::string& output, const std::vector<std::string>& inputs);

/// Returns false, after a message on standard error, if the output is one of the inputs.
bool spares_inputs(const std::string& output, const std::vector<std::string>& inputs);

/// Writes to a file, or to standard output if `output` is empty or "-". A file is
/// written completely or not at all: its old content remains until all of the text
/// is on the disk. Devices and pipes are written to directly. Throws InputError.
void write_output(const std::string& text, const std::string& output);

/// Creates the folder of an output "FOLDER/NAME" if it is missing. Throws InputError.
void make_folder(const std::string& output);

}  // namespace grbda::tool
