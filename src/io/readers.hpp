#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "grbda/description.hpp"
#include "grbda/io/file.hpp"
#include "includes.hpp"
#include "io/text/xml.hpp"
#include "io/text/yaml.hpp"

// Readers for parsed files, so that a file is parsed once, both to detect
// its format and to read it. Findings are added to the document's.

namespace grbda {

/// True if the text begins as XML does. All other formats are YAML.
bool is_xml(std::string_view text);

/// Returns false after an error if there is nothing but white space.
bool has_text(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// Returns nothing for an unknown format, after an error unless the document already has one.
std::optional<Format> format_of(const xml::Document& document, Diagnostics& diagnostics);
std::optional<Format> format_of(const yaml::Document& document, Diagnostics& diagnostics);

RobotDescription read_urdf(xml::Document& document);
RobotDescription read_mjcf(xml::Document& document, Includes& includes);
RobotDescription read_sdf(xml::Document& document, Includes& includes, Diagnostics& diagnostics);
void apply_srdf(xml::Document& document, RobotDescription& robot);
void apply_extended_urdf(yaml::Document& document, RobotDescription& robot);
void apply_xrdf(yaml::Document& document, RobotDescription& robot);

}  // namespace grbda
