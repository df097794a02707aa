#include "model_of_files.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "grbda/compile/build.hpp"
#include "grbda/mechanism.hpp"

namespace grbda {

namespace {

/// Elements with findings: by name, and by line, since
/// a link of the mechanism may be a body in its file.
class Elements {
public:
    void add(const Diagnostic& finding) {
        names_.emplace(finding.subject.kind, finding.subject.name);
        lines_.emplace(finding.where.file, finding.where.line);
    }
    bool has(const Diagnostic& finding) const {
        return names_.count({finding.subject.kind, finding.subject.name}) != 0 ||
               lines_.count({finding.where.file, finding.where.line}) != 0;
    }

private:
    std::set<std::pair<std::string, std::string>> names_;
    std::set<std::pair<std::string, int>> lines_;
};

using FindingPlace = std::tuple<std::string, int, int>;

FindingPlace place(const SourceLocation& where) { return {where.file, where.line, where.column}; }

/// Source locations of single quantities. A reader that refuses a value continues with a valid one:
/// a value that is out of range later must be the file's, and is no consequence of another error.
std::set<FindingPlace> places_of_figures(const RobotDescription& robot) {
    std::set<FindingPlace> places;
    const auto add = [&places](const auto& elements) {
        for (const auto& element : elements)
            for (const auto& [figure, where] : element.places) places.insert(place(where));
    };
    add(robot.links);
    add(robot.joints);
    add(robot.loops);
    add(robot.couplings);
    return places;
}

/// Errors in the names of an element are independent of its other errors.
bool is_about_names(Code code) {
    return code == Code::unknown_name || code == Code::duplicate_name || code == Code::same_ends;
}

/// Adds further findings from names and graph, so that one run shows all. For elements without an error
/// it adds all findings; for the others only those on names and single quantities, since the rest may be
/// consequences. It skips repetitions, and `missing` findings, which the reader has already reported.
void check_the_rest(const RobotDescription& robot, const LoadOptions& options, Diagnostics& diagnostics) {
    if (robot.links.empty()) return;
    Elements refused;
    std::map<Code, Elements> said;
    for (const Diagnostic& finding : diagnostics) {
        if (finding.severity != Severity::error) continue;
        refused.add(finding);
        said[finding.code].add(finding);
    }
    const std::set<FindingPlace> figures = places_of_figures(robot);
    Diagnostics findings;
    make_mechanism(robot, options, findings);
    for (const Diagnostic& finding : findings) {
        if (finding.severity != Severity::error || finding.code == Code::missing) continue;
        const bool is_figure = finding.code == Code::out_of_range && figures.count(place(finding.where)) > 0;
        if (!is_figure && said[finding.code].has(finding)) continue;
        if (is_figure || is_about_names(finding.code) || !refused.has(finding))
            diagnostics.push_back(finding);
    }
}

}  // namespace

Model model_of_files(const RobotDescription& description, Diagnostics diagnostics,
                     const LoadOptions& options) {
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

}  // namespace grbda
