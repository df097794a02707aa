#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// Files from which a robot's file includes parts.

namespace grbda {

/// The reason why a file cannot be included, as parts of a diagnostic.
struct IncludeProblem {
    std::string expected;
    std::string found;
    std::string hint;
};

/// The beginning of the hint for a file outside of the folders, which ends with the folder to add.
inline constexpr const char* outside_hint = "allow its folder with --path ";

/// The problem of a file included at more than `Includes::deepest` levels.
IncludeProblem too_deep();

/// The folders from which files may be included: the folder of the file that the user named,
/// and folders that the user added. Files outside, after symbolic links and ".." are resolved,
/// are not opened. The bounds on number and size apply to all included files together.
class Includes {
public:
    static constexpr std::size_t most_files = 1000;
    static constexpr std::size_t deepest = 32;  ///< nested levels, the user's file not counted

    /// For a text that is not a file: nothing may be included.
    Includes() = default;
    Includes(const std::string& file, const std::vector<std::string>& paths);

    /// A file or folder at a path.
    struct Place {
        std::string identity;  ///< the same for every path that leads to it
        std::string path;      ///< as in messages
        bool is_folder = false;
    };

    /// Resolves a name relative to one of these files, or to one of the added
    /// folders; the first existing match is taken. Otherwise returns the problem.
    std::optional<Place> find(const std::string& name, const std::vector<std::string>& beside,
                              IncludeProblem& problem) const;
    /// Returns the content; otherwise the problem.
    std::optional<std::string> read(const Place& place, IncludeProblem& problem);

    /// The user's own file.
    const Place& first() const { return first_; }
    /// Paths of included files, once per inclusion.
    const std::vector<std::string>& files() const { return files_; }

private:
    struct Folder {
        std::string given;
        std::string canonical;
    };
    bool is_allowed(const std::string& canonical) const;

    std::vector<Folder> folders_;  ///< the user's file's folder first
    Place first_;
    std::vector<std::string> files_;
    std::size_t bytes_ = 0;
};

}  // namespace grbda
