#pragma once

#include <span>
#include <string>
#include <string_view>

#include "grbda/viewer/page.hpp"

// Text that the page reads.

namespace grbda::viewer {

/// The content of a file. Throws std::runtime_error.
std::string content_of(const std::string& path);

/// Appends base64 of the bytes.
void append_base64(std::string_view bytes, std::string& text);
/// Base64 of the numbers as bytes, little-endian.
void append_base64(std::span<const double> numbers, std::string& text);

/// A JSON string that cannot end the HTML element around it.
std::string json_string(std::string_view text);

/// The page of a robot that a program moves: `values` are names of the numbers that it sends besides q.
std::string live_page(const ViewerRobot& robot, const std::string& from,
                      const std::vector<std::string>& values);

}  // namespace grbda::viewer
