#include <cstdio>

#include "arguments.hpp"
#include "describe/json_text.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

std::string with_spaces(const std::vector<std::string>& files) {
    std::string text;
    for (const std::string& file : files) text += (text.empty() ? "" : " ") + file;
    return text;
}

void print_json(const ModelArguments& arguments, const Diagnostics& diagnostics) {
    OrderedJson out;
    out["files"] = arguments.files;
    out["ok"] = !has_errors(diagnostics);
    out["errors"] = count_of(diagnostics, Severity::error);
    out["warnings"] = count_of(diagnostics, Severity::warning);
    out["notes"] = count_of(diagnostics, Severity::note);
    out["diagnostics"] = describe::to_json(diagnostics);
    std::fputs(describe::write_json(out).c_str(), stdout);
}

}  // namespace

int check(const CheckArguments& arguments) {
    Diagnostics diagnostics;
    try {
        diagnostics = load_model(arguments.model).diagnostics;
    } catch (const LoadError& error) {
        diagnostics = error.diagnostics();
    }
    const bool failed = has_errors(diagnostics);
    if (arguments.json) {
        print_json(arguments.model, diagnostics);
    } else {
        print(stdout, diagnostics, arguments.model.quiet ? Severity::error : Severity::note);
        const std::string verdict =
            coloured(stdout, failed ? Severity::error : Severity::note, failed ? "failed" : "ok");
        std::printf("%s: %s: %s\n", with_spaces(arguments.model.files).c_str(), verdict.c_str(),
                    counts(diagnostics).c_str());
    }
    return failed ? Exit::bad_input : Exit::success;
}

}  // namespace grbda::tool
