#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

struct Mechanism;

/// Reads URDF or URDF+ from `text`. `file` is the name that diagnostics show.
/// Findings are appended; the description is valid only without errors.
/// Does not resolve names (see make_mechanism).
GRBDA_EXPORT RobotDescription read_urdf(const std::string& text, const std::string& file,
                                        Diagnostics& diagnostics);

/// Loads a file of URDF or URDF+ into a model: load() for programs that read nothing else, and link
/// grbda::urdf alone.
///
/// in      options  `paths` is not used: URDF includes no files
/// errors  LoadError with every finding if one is an error; std::invalid_argument for LoadOptions::hulls
/// cost    O(size of the file), and that of build_model()
GRBDA_EXPORT Model load_urdf(const std::string& file, const LoadOptions& options = {});

/// Writes the mechanism as URDF+. Reading it gives the same mechanism up to rounding, and writing that one
/// gives the same text. Bodies are links with the inertia of all their links, frames are massless links on
/// fixed joints, names in loops and couplings are resolved, and numbers have all digits. Other readers of
/// URDF accept each element.
///
/// Names differ from those of the files in two cases. If a body's topmost link is not in the joint's frame,
/// the body becomes the link "<joint>_frame", and its topmost link becomes a frame on it. With a floating
/// base the root link is "world", and "root_joint" is an ordinary joint; read such a file without
/// LoadOptions::floating_base.
///
/// in      mechanism, from make_mechanism() without errors
/// errors  std::invalid_argument for a coupling that no file can contain; make_mechanism() never returns one
/// cost    O(size of the mechanism)
GRBDA_EXPORT std::string write_urdf(const Mechanism& mechanism);

}  // namespace grbda
