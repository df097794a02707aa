#include "info.hpp"

#include <cstdio>

#include "arguments.hpp"
#include "terminal.hpp"

namespace grbda::tool {

int info(const InfoArguments& arguments) {
    const Model model = load_model(arguments.model);
    if (arguments.json) {
        std::fputs(describe::write_json(describe::info_json(model)).c_str(), stdout);
    } else if (arguments.dot) {
        if (!arguments.model.quiet) print_findings(model.diagnostics, arguments.model.notes);
        std::fputs(info_dot(model).c_str(), stdout);
    } else {
        std::fputs(info_text(model, !arguments.model.quiet).c_str(), stdout);
    }
    return Exit::success;
}

}  // namespace grbda::tool
