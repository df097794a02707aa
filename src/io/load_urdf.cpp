#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "grbda/io/file.hpp"
#include "grbda/io/urdf.hpp"
#include "model_of_files.hpp"

namespace grbda {

Model load_urdf(const std::string& file, const LoadOptions& options) {
    if (options.hulls) throw std::invalid_argument("load_urdf(): only load() reads hulls of meshes");
    if (options.density)
        throw std::invalid_argument("load_urdf(): only load() computes masses from shapes and a density");
    Diagnostics diagnostics;
    std::string found;
    const std::optional<std::string> text = read_file(file, largest_xml_file, found);
    if (!text) {
        diagnostics.push_back({Severity::error,
                               Code::unreadable,
                               {file, 0, 0},
                               {"file", file, "file"},
                               "a readable file",
                               found,
                               "check the path and its permissions"});
        throw LoadError(diagnostics);
    }
    RobotDescription description = read_urdf(*text, file, diagnostics);
    description.files = {file};
    return model_of_files(description, std::move(diagnostics), options);
}

}  // namespace grbda
