#include "grbda/io/load.hpp"

#include <fstream>
#include <sstream>

#include "grbda/io/urdf.hpp"
#include "grbda/model/build.hpp"

namespace grbda {

RobotDescription read_description(const std::string& path, Diagnostics& diagnostics) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (!file || text.fail()) {
        Diagnostic missing;
        missing.where.file = path;
        missing.element = "file";
        missing.expected = "a readable file";
        missing.found = "none at this path";
        missing.hint = "check the path and its permissions";
        diagnostics.push_back(missing);
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
