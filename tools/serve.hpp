#pragma once

#include <string>

#include "arguments.hpp"
#include "grbda/model/model.hpp"
#include "grbda/viewer/page.hpp"

namespace grbda::tool {

/// Serves the robot's page and shows the rows of a program as they come, until they end, or SIGINT or SIGTERM
/// comes. Prints the page's address. Returns the exit code. Throws InputError for rows of another form.
int serve(const Model& model, const ViewerRobot& robot, const std::string& page_template,
          const ServeArguments& arguments);

}  // namespace grbda::tool
