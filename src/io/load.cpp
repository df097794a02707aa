#include "grbda/io/load.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "grbda/io/density.hpp"
#include "grbda/io/file.hpp"
#include "grbda/io/hulls.hpp"
#include "io/world/world.hpp"
#include "model_of_files.hpp"
#include "readers.hpp"

namespace grbda {

namespace {

struct File {
    std::string path;
    std::unique_ptr<xml::Document> xml;  ///< either this or yaml
    std::unique_ptr<yaml::Document> yaml;
    Format format = Format::urdf;
};

void add_file_error(Diagnostics& diagnostics, Code code, const std::string& file, std::string expected,
                    std::string found, std::string hint) {
    diagnostics.push_back({Severity::error,
                           code,
                           {file, 0, 0},
                           {"file", file, "file"},
                           std::move(expected),
                           std::move(found),
                           std::move(hint)});
}

/// The limit for YAML is smaller than that for XML.
std::optional<std::string> read_text(const std::string& path, Diagnostics& diagnostics) {
    std::string found;
    std::optional<std::string> text = read_file(path, largest_xml_file, found);
    const bool small = !text || text->size() <= largest_yaml_file || is_xml(*text);
    if (text && small) return text;
    if (text) found = "YAML of more than " + size_in_words(largest_yaml_file) + ", the most that is read";
    add_file_error(diagnostics, Code::unreadable, path, "a readable file", found,
                   "check the path and its permissions");
    return std::nullopt;
}

std::vector<File> read_files(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
    std::vector<File> files;
    for (const std::string& path : paths) {
        std::optional<std::string> text = read_text(path, diagnostics);
        if (!text) continue;
        File file{path, nullptr, nullptr, {}};
        std::optional<Format> format;
        if (is_xml(*text)) {
            file.xml = std::make_unique<xml::Document>(std::move(*text), path, diagnostics);
            format = format_of(*file.xml, diagnostics);
        } else if (has_text(*text, path, diagnostics)) {
            file.yaml = std::make_unique<yaml::Document>(*text, path, diagnostics);
            format = format_of(*file.yaml, diagnostics);
        }
        if (!format) continue;
        file.format = *format;
        files.push_back(std::move(file));
    }
    return files;
}

/// The nested world files that are being read.
struct Worlds {
    static constexpr int most_robots = 1000;
    std::vector<std::string> around;  ///< identities of their files
    int robots = 0;                   ///< in all of them, read so far
};

RobotDescription read_set(const std::vector<std::string>& names, Diagnostics& diagnostics,
                          const std::vector<std::string>& paths, Worlds& worlds);

/// Input of a reader, with the included files besides `file` itself.
struct Reading {
    const File& file;
    Includes& includes;
    const std::vector<std::string>& paths;
    Diagnostics& diagnostics;
    Worlds& worlds;
    std::vector<std::string> files;
};

bool may_read_robots(Reading& reading) {
    const std::string& path = reading.file.path;
    const std::vector<std::string>& around = reading.worlds.around;
    if (std::find(around.begin(), around.end(), reading.includes.first().identity) != around.end()) {
        add_file_error(reading.diagnostics, Code::cycle, path, "world files that are not in themselves",
                       "this one in itself", "");
        return false;
    }
    const bool is_deep = around.size() >= Includes::deepest;
    if (!is_deep && reading.worlds.robots <= Worlds::most_robots) return true;
    add_file_error(reading.diagnostics, Code::too_large, path,
                   is_deep ? "at most " + std::to_string(Includes::deepest) + " world files in each other"
                           : "at most " + std::to_string(Worlds::most_robots) + " robots in all",
                   "more", "");
    return false;
}

/// The world's gravity applies to all its robots.
void set_gravity(const World& world, RobotDescription& robot, Diagnostics& diagnostics) {
    if (!world.gravity) return;
    if (robot.gravity && *robot.gravity != *world.gravity) {
        diagnostics.push_back({Severity::warning, Code::assumed, robot.where,
                               Subject::of("robot", robot.name), "the gravity of its world", "another one",
                               "that of the world is used"});
    }
    robot.gravity = world.gravity;
}

/// Reads the robots of a world and joins them.
RobotDescription read_robots(Reading& reading) {
    if (!may_read_robots(reading)) return {};
    reading.worlds.around.push_back(reading.includes.first().identity);
    const World world = read_world(*reading.file.yaml, reading.includes);
    std::vector<RobotPart> parts;
    for (const WorldRobot& from : world.robots) {
        if (from.files.empty() || ++reading.worlds.robots > Worlds::most_robots) continue;
        parts.push_back(from.part);
        parts.back().robot = read_set(from.files, reading.diagnostics, reading.paths, reading.worlds);
        set_gravity(world, parts.back().robot, reading.diagnostics);
        const std::vector<std::string>& files = parts.back().robot.files;
        reading.files.insert(reading.files.end(), files.begin(), files.end());
    }
    reading.worlds.around.pop_back();
    if (!may_read_robots(reading) || has_errors(reading.diagnostics)) return {};
    RobotDescription whole = compose(world.name, parts, reading.diagnostics);
    whole.states.insert(whole.states.end(), world.states.begin(), world.states.end());
    return whole;
}

RobotDescription read_robot(Reading& reading) {
    const File& file = reading.file;
    switch (file.format) {
        case Format::mjcf: return read_mjcf(*file.xml, reading.includes);
        case Format::sdf: return read_sdf(*file.xml, reading.includes, reading.diagnostics);
        case Format::world_file: return read_robots(reading);
        case Format::urdf:
        case Format::extended_urdf:
        case Format::xrdf:
        case Format::srdf: break;
    }
    return read_urdf(*file.xml);
}

void apply(const File& file, RobotDescription& robot) {
    switch (file.format) {
        case Format::extended_urdf: return apply_extended_urdf(*file.yaml, robot);
        case Format::xrdf: return apply_xrdf(*file.yaml, robot);
        case Format::srdf: return apply_srdf(*file.xml, robot);
        case Format::urdf:
        case Format::mjcf:
        case Format::sdf:
        case Format::world_file: return;
    }
}

void check_paths(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
    for (const std::string& path : paths) {
        std::error_code error;
        if (std::filesystem::is_directory(path, error)) continue;
        add_file_error(diagnostics, Code::unreadable, path, "a folder to look for included files in",
                       std::filesystem::exists(path, error) ? "something else" : "none at this path", "");
    }
}

/// Returns the only robot description among the files; without one, or with several, an error.
const File* find_robot(const std::vector<File>& files, Diagnostics& diagnostics) {
    const File* robot = nullptr;
    for (const File& file : files) {
        if (!is_robot(file.format)) continue;
        if (robot == nullptr) {
            robot = &file;
            continue;
        }
        add_file_error(diagnostics, Code::file_set, file.path, "one robot description and its side files",
                       std::string("a second robot description (") + to_string(file.format) + ")",
                       "'" + robot->path + "' is the robot; a world file joins several in one model");
    }
    if (robot == nullptr && !files.empty()) {
        add_file_error(diagnostics, Code::file_set, files.front().path,
                       "a robot description: URDF, MJCF or SDF",
                       std::string("only a side file (") + to_string(files.front().format) + ")",
                       "name the robot's file too, as in: robot.urdf " + files.front().path);
    }
    return robot;
}

/// Beside the file of a robot, a <robot> without links and joints is a side file, even an empty one.
void settle_side_files(std::vector<File>& files) {
    const auto is_bare = [](const File& file) {
        if (file.format != Format::urdf) return false;
        const pugi::xml_node root = file.xml->root();
        return !root.child("link") && !root.child("joint");
    };
    const bool has_robot = std::any_of(files.begin(), files.end(), [&](const File& file) {
        return is_robot(file.format) && !is_bare(file);
    });
    if (!has_robot) return;
    for (File& file : files)
        if (is_bare(file)) file.format = Format::srdf;
}

/// Several includes from one folder outside need one --path: the first is reported.
void report_folders_once(Diagnostics& diagnostics) {
    std::set<std::string> told;
    std::erase_if(diagnostics, [&](const Diagnostic& finding) {
        const bool is_outside = finding.code == Code::include && finding.hint.rfind(outside_hint, 0) == 0;
        return is_outside && !told.insert(finding.hint).second;
    });
}

RobotDescription read_set(const std::vector<std::string>& names, Diagnostics& diagnostics,
                          const std::vector<std::string>& paths, Worlds& worlds) {
    std::vector<File> files = read_files(names, diagnostics);
    settle_side_files(files);
    const File* const robot_file = find_robot(files, diagnostics);
    if (robot_file == nullptr) return {};
    Includes includes(robot_file->path, paths);
    Reading reading{*robot_file, includes, paths, diagnostics, worlds, names};
    RobotDescription robot = read_robot(reading);
    robot.files = std::move(reading.files);
    robot.files.insert(robot.files.end(), includes.files().begin(), includes.files().end());
    if (robot.links.empty()) return robot;  // otherwise every name in a side file would be reported
    for (const File& file : files) apply(file, robot);
    return robot;
}

}  // namespace

RobotDescription read_description(const std::vector<std::string>& names, Diagnostics& diagnostics,
                                  const std::vector<std::string>& paths) {
    if (names.empty()) add_file_error(diagnostics, Code::file_set, "", "at least one file", "none", "");
    check_paths(paths, diagnostics);
    Worlds worlds;
    RobotDescription robot = read_set(names, diagnostics, paths, worlds);
    report_folders_once(diagnostics);
    return robot;
}

Model load(const std::vector<std::string>& files, const LoadOptions& options) {
    Diagnostics diagnostics;
    RobotDescription description = read_description(files, diagnostics, options.paths);
    if (options.density && !has_errors(diagnostics))
        add_inertials(description, *options.density, diagnostics, options.paths);
    if (options.hulls && !has_errors(diagnostics)) load_hulls(description, diagnostics, options.paths);
    return model_of_files(description, std::move(diagnostics), options);
}

Model load(std::initializer_list<std::string> files, const LoadOptions& options) {
    return load(std::vector<std::string>(files), options);
}

Model load(const std::string& file, const LoadOptions& options) {
    return load(std::vector<std::string>{file}, options);
}

}  // namespace grbda
