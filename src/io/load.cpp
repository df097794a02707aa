#include "grbda/io/load.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "grbda/io/extended_urdf.hpp"
#include "grbda/io/file.hpp"
#include "grbda/io/format.hpp"
#include "grbda/io/xrdf.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/compile/build.hpp"
#include "readers.hpp"

namespace grbda {

namespace {

struct File {
    std::string path;
    std::unique_ptr<xml::Document> document;  ///< of XML
    std::string text;                         ///< of YAML
    Format format = Format::urdf;
};

void add_error(Diagnostics& diagnostics, const std::string& file, std::string expected, std::string found,
               std::string hint) {
    diagnostics.push_back(
        {Severity::error, {file, 0, 0}, "file", std::move(expected), std::move(found), std::move(hint)});
}

/// What is YAML may not be as large as XML.
std::optional<std::string> read_text(const std::string& path, Diagnostics& diagnostics) {
    std::string found;
    std::optional<std::string> text = read_file(path, largest_xml_file, found);
    const bool small = !text || text->size() <= largest_yaml_file || is_xml(*text);
    if (text && small) return text;
    if (text) found = "YAML of more than " + size_in_words(largest_yaml_file) + ", the most that is read";
    add_error(diagnostics, path, "a readable file", found, "check the path and its permissions");
    return std::nullopt;
}

std::vector<File> read_files(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
    std::vector<File> files;
    for (const std::string& path : paths) {
        std::optional<std::string> text = read_text(path, diagnostics);
        if (!text) continue;
        File file{path, nullptr, {}, {}};
        std::optional<Format> format;
        if (is_xml(*text)) {
            file.document = std::make_unique<xml::Document>(std::move(*text), path, diagnostics);
            format = format_of(*file.document, diagnostics);
        } else {
            format = detect_format(*text, path, diagnostics);
            file.text = std::move(*text);
        }
        if (!format) continue;
        file.format = *format;
        files.push_back(std::move(file));
    }
    return files;
}

RobotDescription read_robot(const File& file, Includes& includes, Diagnostics& diagnostics) {
    switch (file.format) {
        case Format::mjcf: return read_mjcf(*file.document, includes);
        case Format::sdf: return read_sdf(*file.document, includes, diagnostics);
        case Format::urdf:
        case Format::extended_urdf:
        case Format::xrdf:
        case Format::srdf: break;
    }
    return read_urdf(*file.document);
}

void apply(const File& file, RobotDescription& robot, Diagnostics& diagnostics) {
    switch (file.format) {
        case Format::extended_urdf: apply_extended_urdf(file.text, file.path, robot, diagnostics); break;
        case Format::xrdf: apply_xrdf(file.text, file.path, robot, diagnostics); break;
        case Format::srdf: apply_srdf(*file.document, robot); break;
        case Format::urdf:
        case Format::mjcf:
        case Format::sdf: break;
    }
}

void check_paths(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
    for (const std::string& path : paths) {
        std::error_code error;
        if (std::filesystem::is_directory(path, error)) continue;
        add_error(diagnostics, path, "a folder to look for included files in",
                  std::filesystem::exists(path, error) ? "something else" : "none at this path", "");
    }
}

/// The one robot description among the files; without one, or with several, an error.
const File* find_robot(const std::vector<File>& files, Diagnostics& diagnostics) {
    const File* robot = nullptr;
    for (const File& file : files) {
        if (!is_robot(file.format)) continue;
        if (robot == nullptr) {
            robot = &file;
            continue;
        }
        add_error(diagnostics, file.path, "one robot description and its side files",
                  std::string("a second robot description (") + to_string(file.format) + ")",
                  "'" + robot->path + "' is the robot; several robots become one model by compose()");
    }
    if (robot == nullptr && !files.empty()) {
        add_error(diagnostics, files.front().path, "a robot description: URDF, MJCF or SDF",
                  std::string("only a side file (") + to_string(files.front().format) + ")",
                  "name the robot's file too, as in: robot.urdf " + files.front().path);
    }
    return robot;
}

/// "link 'upper'" of "<mass> of link 'upper'".
std::string owner_of(const std::string& element) {
    const std::size_t of = element.rfind("> of ");
    return of == std::string::npos ? element : element.substr(of + 5);
}

/// What names and graph show to be wrong besides, so that one run shows it all. Of elements that have an
/// error already nothing more is said: it could follow from that one.
void check_the_rest(const RobotDescription& robot, const LoadOptions& options, Diagnostics& diagnostics) {
    if (robot.links.empty()) return;
    std::set<std::string> refused;
    std::set<std::pair<std::string, int>> lines;
    for (const Diagnostic& finding : diagnostics) {
        if (finding.severity != Severity::error) continue;
        refused.insert(owner_of(finding.element));
        lines.emplace(finding.where.file, finding.where.line);
    }
    Diagnostics findings;
    make_mechanism(robot, options, findings);
    for (const Diagnostic& finding : findings) {
        const bool follows = refused.count(finding.element) != 0 || finding.found == "''" ||
                             lines.count({finding.where.file, finding.where.line}) != 0;
        if (finding.severity == Severity::error && !follows) diagnostics.push_back(finding);
    }
}

}  // namespace

RobotDescription read_description(const std::vector<std::string>& names, Diagnostics& diagnostics,
                                  const std::vector<std::string>& paths) {
    if (names.empty()) add_error(diagnostics, "", "at least one file", "none", "");
    check_paths(paths, diagnostics);
    const std::vector<File> files = read_files(names, diagnostics);
    const File* const robot_file = find_robot(files, diagnostics);
    if (robot_file == nullptr) return {};
    Includes includes(robot_file->path, paths);
    RobotDescription robot = read_robot(*robot_file, includes, diagnostics);
    robot.files = names;
    robot.files.insert(robot.files.end(), includes.files().begin(), includes.files().end());
    if (robot.links.empty()) return robot;  // every name in a side file would be unknown
    for (const File& file : files) apply(file, robot, diagnostics);
    return robot;
}

Model load(const std::vector<std::string>& files, const LoadOptions& options) {
    Diagnostics diagnostics;
    const RobotDescription description = read_description(files, diagnostics, options.paths);
    if (options.strict) apply_strictness(diagnostics);
    if (has_errors(diagnostics)) {
        check_the_rest(description, options, diagnostics);
        throw LoadError(diagnostics);
    }
    try {
        Model model = build_model(description, options);
        model.diagnostics.insert(model.diagnostics.begin(), diagnostics.begin(), diagnostics.end());
        model.files = description.files;
        return model;
    } catch (const LoadError& error) {
        diagnostics.insert(diagnostics.end(), error.diagnostics().begin(), error.diagnostics().end());
        throw LoadError(diagnostics);
    }
}

Model load(std::initializer_list<std::string> files, const LoadOptions& options) {
    return load(std::vector<std::string>(files), options);
}

Model load(const std::string& file, const LoadOptions& options) {
    return load(std::vector<std::string>{file}, options);
}

}  // namespace grbda
