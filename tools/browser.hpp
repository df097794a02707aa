#pragma once

#include <string>

// Results that a browser shows, for users at a terminal.

namespace grbda::tool {

/// True if standard output is a terminal and no file for the output is given.
bool is_for_terminal(const std::string& output);

/// Writes the text to a new file with this name in a temporary folder, opens it in a browser if there is one,
/// and prints its address. Throws InputError if it cannot be written.
void show_in_browser(const std::string& text, const std::string& name);

}  // namespace grbda::tool
