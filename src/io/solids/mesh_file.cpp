#include <filesystem>

#include "grbda/diagnostics.hpp"
#include "grbda/io/file.hpp"
#include "io/solids/mesh_solid.hpp"

namespace grbda {

namespace fs = std::filesystem;

std::string find_mesh_file(const std::string& mesh, const std::string& robot,
                           const std::vector<std::string>& folders) {
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
                if (fs::is_regular_file(place, failed)) return fs::weakly_canonical(place, failed).string();
            if (!is_address) break;
        }
    return {};
}

std::optional<std::string> read_mesh_text(Includes& includes, const std::string& address,
                                          const std::vector<std::string>& beside, std::string& found) {
    constexpr std::size_t most_bytes = std::size_t{64} << 20;
    IncludeProblem problem;
    const auto place = includes.find(address, beside, problem);
    if (place && place->is_folder) {
        found = grbda::quoted(address) + ", a folder";
        return std::nullopt;
    }
    std::optional<std::string> text = place ? includes.read(*place, problem) : std::nullopt;
    for (const std::string& file : beside) {
        if (text || file.empty() || includes.first().path.empty()) break;
        if (const std::string path = find_mesh_file(address, file); !path.empty())
            text = read_file(path, most_bytes, problem.found);
    }
    found = problem.found;
    return text;
}

}  // namespace grbda
