#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "grbda/description.hpp"
#include "grbda/io/format.hpp"
#include "includes.hpp"
#include "io/text/xml.hpp"
#include "io/text/yaml.hpp"

// The readers on files that are parsed already, so that a file is parsed once: to tell its format, and to be
// read. Findings go to the document's.

namespace grbda {

/// Does the text begin as XML does? All other formats are YAML.
bool is_xml(std::string_view text);

/// False, and an error: nothing but blanks.
bool has_text(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// Without a format, an error unless the document has one.
std::optional<Format> format_of(const xml::Document& document, Diagnostics& diagnostics);
std::optional<Format> format_of(const yaml::Document& document, Diagnostics& diagnostics);

RobotDescription read_urdf(xml::Document& document);
RobotDescription read_mjcf(xml::Document& document, Includes& includes);
RobotDescription read_sdf(xml::Document& document, Includes& includes, Diagnostics& diagnostics);
void apply_srdf(xml::Document& document, RobotDescription& robot);
void apply_extended_urdf(yaml::Document& document, RobotDescription& robot);
void apply_xrdf(yaml::Document& document, RobotDescription& robot);

}  // namespace grbda
