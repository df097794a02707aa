#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// Files that a robot's file takes its parts from.

namespace grbda {

/// Why a file cannot be included, in the words of a diagnostic.
struct IncludeProblem {
    std::string expected;
    std::string found;
    std::string hint;
};

/// For a file below `Includes::deepest` others.
IncludeProblem too_deep();

/// The folders that files may be included from: that of the file which the user named, and those which the
/// user added. What lies outside, symbolic links and ".." followed, is not opened. Bounds on the number and
/// the size of the files hold for all of them together.
class Includes {
public:
    static constexpr std::size_t most_files = 1000;
    static constexpr std::size_t deepest = 32;  ///< files in files, that of the user not counted

    /// Of a text that is no file: nothing may be included.
    Includes() = default;
    Includes(const std::string& file, const std::vector<std::string>& paths);

    /// Something at a path, file or folder.
    struct Place {
        std::string identity;  ///< the same for every way to it
        std::string path;      ///< what messages call it
        bool is_folder = false;
    };

    /// What a name stands for beside one of these files, or in one of the added folders; the first that is
    /// there counts. Otherwise the problem.
    std::optional<Place> find(const std::string& name, const std::vector<std::string>& beside,
                              IncludeProblem& problem) const;
    /// The content; otherwise the problem.
    std::optional<std::string> read(const Place& place, IncludeProblem& problem);

    /// The user's own file.
    const Place& first() const { return first_; }
    /// Paths of those that were included, each time that they were.
    const std::vector<std::string>& files() const { return files_; }

private:
    struct Folder {
        std::string given;
        std::string canonical;
    };
    bool is_allowed(const std::string& canonical) const;

    std::vector<Folder> folders_;  ///< that of the user's file first
    Place first_;
    std::vector<std::string> files_;
    std::size_t bytes_ = 0;
};

}  // namespace grbda
