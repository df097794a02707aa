#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/model/model.hpp"

// The viewer's page of a robot: one file for a browser, with engine and robot.

namespace grbda {

struct ViewerFile {
    std::string path;  ///< below one folder for all files of a robot
    std::string content;
};

/// The robot that a page shows.
struct ViewerRobot {
    std::vector<ViewerFile> files = {};
    std::size_t described =
        1;  ///< so many of the files describe the robot; the others are included, or meshes
    LoadOptions options = {};  ///< the page reads the robot by them, except for `form`, `strict` and `paths`
    std::vector<std::string> coordinates = {};  ///< names of the entries of q, "knee" or "ball[2]"
    std::vector<double> q = {};  ///< configuration that the page shows first; empty: the assembled one
    std::string record = {};  ///< text of a record of `grbda simulate`, which the page replays; empty: none
};

/// Reads the files of a robot, those that they include, and its meshes. Meshes are looked for beside the
/// first file, and in packages above it.
/// in      files, options  those that load() got for the model
/// throws  std::runtime_error for a file that cannot be read, or is larger than 64 MiB
GRBDA_EXPORT ViewerRobot viewer_robot(const std::vector<std::string>& files, const LoadOptions& options,
                                      const Model& model);
/// The same from the text of write_urdf(). Meshes are looked for beside the first file of the model.
GRBDA_EXPORT ViewerRobot viewer_robot(const std::string& urdf, const Model& model);

/// Path of the template that scripts/view.sh builds: `wanted`, if it is not empty; else the environment
/// variable GRBDA_VIEW_TEMPLATE; else share/grbda/view/template.html or build/view/template.html in a folder
/// above the library or program, or in /usr/local or /usr.
/// throws  std::runtime_error if none of these exists, with what to do
GRBDA_EXPORT std::string viewer_template(const std::string& wanted = {});

/// The page as HTML.
/// in      from    template, as viewer_template() finds it
/// throws  std::runtime_error if the template cannot be read, or is another file
GRBDA_EXPORT std::string viewer_page(const ViewerRobot& robot, const std::string& from = {});

}  // namespace grbda
