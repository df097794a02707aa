#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/model/model.hpp"

// Writes the viewer's page of a robot: one file for a browser, which contains the engine and the robot.

namespace grbda {

/// A file of a robot, for the viewer.
struct ViewerFile {
    std::string path;  ///< relative to one folder for all files of a robot
    std::string content;
};

/// The robot that a page shows.
struct ViewerRobot {
    std::vector<ViewerFile> files = {};
    /// Number of files, from the first, that describe the robot; the others are included files and meshes.
    std::size_t described = 1;
    LoadOptions options = {};  ///< with which the page reads the robot, except `form`, `strict` and `paths`
    std::vector<std::string> coordinates = {};  ///< names of the entries of q, "knee" or "ball[2]"
    std::vector<double> q = {};  ///< configuration that the page shows initially; empty: the assembled one
    std::string record = {};  ///< text of a record of `grbda simulate`, which the page replays; empty: none
};

/// Reads the files of a robot, the files that they include, and meshes. Searches meshes in the folder of the
/// first file and in packages above it.
/// in      files, options  those with which load() made the model
/// errors  std::runtime_error if a file cannot be read or is larger than 64 MiB
GRBDA_EXPORT ViewerRobot viewer_robot(const std::vector<std::string>& files, const LoadOptions& options,
                                      const Model& model);
/// Makes the robot from the text of write_urdf(). Searches meshes in the folder of the model's first file.
GRBDA_EXPORT ViewerRobot viewer_robot(const std::string& urdf, const Model& model);

/// Returns the path of the template that scripts/view.sh builds. It is `wanted`, if this is not empty;
/// otherwise that of the environment variable GRBDA_VIEW_TEMPLATE; otherwise share/grbda/view/template.html
/// or build/view/template.html in a folder above the library or program, or in /usr/local or /usr.
/// errors  std::runtime_error if none of these exists; the message says how to build it
GRBDA_EXPORT std::string viewer_template(const std::string& wanted = {});

/// Returns the page as HTML.
/// in      from    path of the template, see viewer_template()
/// errors  std::runtime_error if the file cannot be read or is not a template
GRBDA_EXPORT std::string viewer_page(const ViewerRobot& robot, const std::string& from = {});

}  // namespace grbda
