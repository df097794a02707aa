#include "includes.hpp"

#include <algorithm>
#include <filesystem>

#include "grbda/io/file.hpp"

namespace grbda {

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const std::string& file) {
    const fs::path folder = fs::path(file).parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

/// Returns a path in the usual form: "arm.xml", not "./arm.xml".
std::string shown(const fs::path& path) { return path.lexically_normal().string(); }

/// A folder as an argument of a command line.
std::string quoted_if_needed(const std::string& folder) {
    return folder.find_first_of(" \t()&;'$*?") == std::string::npos ? folder : "\"" + folder + "\"";
}

}  // namespace

IncludeProblem too_deep() {
    return {"at most " + std::to_string(Includes::deepest) + " files in each other", "more", ""};
}

Includes::Includes(const std::string& file, const std::vector<std::string>& paths) {
    std::error_code missing;
    folders_.push_back({folder_of(file).string(), fs::canonical(folder_of(file), missing).string()});
    for (const std::string& path : paths) {
        const fs::path canonical = fs::canonical(path, missing);
        if (!missing) folders_.push_back({path, canonical.string()});
    }
    first_ = {fs::canonical(file, missing).string(), file, false};
}

bool Includes::is_allowed(const std::string& canonical) const {
    const fs::path path = canonical;
    return std::any_of(folders_.begin(), folders_.end(), [&](const Folder& folder) {
        const fs::path root = folder.canonical;
        return !root.empty() &&
               std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
    });
}

std::optional<Includes::Place> Includes::find(const std::string& name, const std::vector<std::string>& beside,
                                              IncludeProblem& problem) const {
    if (folders_.empty()) {
        problem = {"a robot in one text, as it was not read from a file", "'" + name + "' included",
                   "load it by the name of its file"};
        return std::nullopt;
    }
    if (name.empty() || name.find('\0') != std::string::npos) {
        problem = {"the name of a file", name.empty() ? "none" : "a name with a zero byte", ""};
        return std::nullopt;
    }
    std::vector<fs::path> around;
    for (const std::string& file : beside) around.push_back(folder_of(file));
    for (std::size_t i = 1; i < folders_.size(); ++i) around.emplace_back(folders_[i].given);
    fs::path outside;
    for (const fs::path& folder : around) {
        std::error_code error;
        const fs::path path = folder / name;  // just the name if it is absolute
        const fs::path canonical = fs::canonical(path, error);
        if (error) continue;
        if (is_allowed(canonical.string())) {
            return Place{canonical.string(), shown(path), fs::is_directory(canonical, error)};
        }
        if (outside.empty()) outside = path.lexically_normal();
    }
    problem.found = "'" + name + (outside.empty() ? "', which is not there" : "', which lies elsewhere");
    problem.expected = "a file below the folder of the robot's file";
    if (beside.empty()) problem.expected = "a model in a folder given by --path";
    if (outside.empty())
        problem.hint = "--path FOLDER adds a folder to look in";
    else
        problem.hint = outside_hint + quoted_if_needed(folder_of(outside.string()).string());
    return std::nullopt;
}

std::optional<std::string> Includes::read(const Place& place, IncludeProblem& problem) {
    if (files_.size() >= most_files) {
        problem = {"at most " + std::to_string(most_files) + " included files", "more", ""};
        return std::nullopt;
    }
    std::string found;
    std::optional<std::string> text = read_file(place.identity, largest_xml_file - bytes_, found);
    if (!text) {
        problem = {"a readable file", "'" + place.path + "': " + found, ""};
        return std::nullopt;
    }
    files_.push_back(place.path);
    bytes_ += text->size();
    return text;
}

}  // namespace grbda
