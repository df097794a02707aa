#include <algorithm>
#include <cstdio>

#include "arguments.hpp"
#include "describe/json_text.hpp"
#include "mass_hint.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

std::string with_spaces(const std::vector<std::string>& files) {
    std::string text;
    for (const std::string& file : files) text += (text.empty() ? "" : " ") + file;
    return text;
}

bool is_locked(const Diagnostics& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& finding) { return finding.code == Code::locked; });
}

void print_json(const ModelArguments& arguments, const Diagnostics& diagnostics) {
    OrderedJson out;
    out["files"] = arguments.files;
    out["ok"] = !has_errors(diagnostics);
    out["locked"] = is_locked(diagnostics);
    out["errors"] = count_of(diagnostics, Severity::error);
    out["warnings"] = count_of(diagnostics, Severity::warning);
    out["notes"] = count_of(diagnostics, Severity::note);
    out["diagnostics"] = describe::to_json(diagnostics);
    std::fputs(describe::write_json(out).c_str(), stdout);
}

}  // namespace

int check(const CheckArguments& arguments) {
    Diagnostics diagnostics;
    std::string hint;
    try {
        const Model model = load_model(arguments.model);
        diagnostics = model.diagnostics;
        if (!arguments.model.quiet) hint = mass_hint(model);
    } catch (const LoadError& error) {
        diagnostics = error.diagnostics();
    }
    const bool failed = has_errors(diagnostics), stuck = is_locked(diagnostics);
    if (arguments.json) {
        print_json(arguments.model, diagnostics);
    } else {
        print(stdout, diagnostics, arguments.model.quiet ? Severity::error : Severity::note);
        std::fputs(hint.c_str(), stdout);
        const std::string verdict = failed  ? coloured(stdout, Severity::error, "failed")
                                    : stuck ? coloured(stdout, Severity::warning, "locked")
                                            : coloured(stdout, Severity::note, "ok");
        std::printf("%s: %s: %s\n", with_spaces(arguments.model.files).c_str(), verdict.c_str(),
                    counts(diagnostics).c_str());
    }
    if (failed) return Exit::bad_input;
    return stuck && arguments.model.strict ? Exit::locked : Exit::success;
}

}  // namespace grbda::tool
