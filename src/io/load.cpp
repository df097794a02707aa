#include "grbda/io/load.hpp"

#include <fstream>
#include <sstream>

#include "grbda/io/urdf.hpp"
#include "grbda/model/build.hpp"

namespace grbda {

RobotDescription read_description(const std::string& path, Diagnostics& diagnostics) {
    std::ifstream file(path, std::ios::binary);
    const bool found = file.is_open();
    std::ostringstream text;
    // An empty file has nothing to peek at; of a folder the first read fails.
    if (found && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
    if (!found || file.bad() || text.fail()) {
        Diagnostic unreadable;
        unreadable.where.file = path;
        unreadable.element = "file";
        unreadable.expected = "a readable file";
        unreadable.found = found ? "one that cannot be read, as a folder" : "none at this path";
        unreadable.hint = "check the path and its permissions";
        diagnostics.push_back(unreadable);
        return {};
    }
    return read_urdf(text.str(), path, diagnostics);
}

Model load(const std::string& path, const LoadOptions& options) {
    Diagnostics diagnostics;
    const RobotDescription description = read_description(path, diagnostics);
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
    try {
        Model model = build_model(description, options);
        model.diagnostics.insert(model.diagnostics.begin(), diagnostics.begin(), diagnostics.end());
        return model;
    } catch (const LoadError& error) {
        diagnostics.insert(diagnostics.end(), error.diagnostics().begin(), error.diagnostics().end());
        throw LoadError(diagnostics);
    }
}

}  // namespace grbda
