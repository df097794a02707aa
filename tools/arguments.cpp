#include "arguments.hpp"

#include "grbda/io/load.hpp"

namespace grbda::tool {
namespace {

LoadOptions load_options(const ModelArguments& arguments) {
    LoadOptions options;
    if (arguments.coupling_ratio == "predecessor/successor")
        options.coupling_ratio = CouplingRatio::predecessor_over_successor;
    if (arguments.coupling_ratio == "successor/predecessor")
        options.coupling_ratio = CouplingRatio::successor_over_predecessor;
    options.floating_base = arguments.floating_base;
    options.rotor_reduction = !arguments.no_rotor_reduction;
    options.strict = arguments.strict;
    return options;
}

/// The one robot description among the files is the first; what each other file is, it is too much.
[[noreturn]] void refuse_further_files(const std::vector<std::string>& files) {
    Diagnostics findings;
    for (std::size_t i = 1; i < files.size(); ++i) {
        Diagnostics unreadable;
        read_description(files[i], unreadable);
        Diagnostic finding;
        finding.where.file = files[i];
        finding.element = "file";
        finding.expected = "one robot description (URDF or URDF+) and nothing else";
        finding.found = has_errors(unreadable) ? "a further file that is not a robot description"
                                               : "a second robot description";
        finding.hint = "'" + files[0] + "' is the robot";
        findings.push_back(finding);
    }
    throw LoadError(findings);
}

}  // namespace

Model load_model(const ModelArguments& arguments) {
    if (arguments.files.size() > 1) refuse_further_files(arguments.files);
    return load(arguments.files.at(0), load_options(arguments));
}

}  // namespace grbda::tool
