#include "mesh_file.hpp"

namespace grbda {

namespace fs = std::filesystem;

fs::path mesh_file(const std::string& mesh, const fs::path& robot, const std::vector<std::string>& folders) {
    const std::size_t scheme = mesh.find("://");
    const bool is_address = scheme != std::string::npos;
    const fs::path path = is_address ? mesh.substr(scheme + 3) : mesh;
    fs::path inside;  // without the package's name
    for (auto part = path.begin(); part != path.end(); ++part)
        if (part != path.begin()) inside /= *part;
    std::error_code failed;
    std::vector<fs::path> starts;
    if (fs::is_regular_file(robot, failed))
        starts.push_back(fs::weakly_canonical(robot, failed).parent_path());
    for (const std::string& folder : folders) starts.push_back(fs::weakly_canonical(folder, failed));
    for (const fs::path& start : starts)
        for (fs::path folder = start; folder.has_relative_path(); folder = folder.parent_path()) {
            for (const fs::path& place : {folder / path, folder / inside})
                if (fs::is_regular_file(place, failed)) return fs::weakly_canonical(place, failed);
            if (!is_address) break;
        }
    return {};
}

}  // namespace grbda
