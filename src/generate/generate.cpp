#include "grbda/generate/generate.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "file.hpp"
#include "statements.hpp"

namespace grbda {

const char* to_string(GeneratedAlgorithm algorithm) {
    switch (algorithm) {
        case GeneratedAlgorithm::aba: return "aba";
        case GeneratedAlgorithm::rnea: return "rnea";
        case GeneratedAlgorithm::bias: return "bias";
        case GeneratedAlgorithm::crba: return "crba";
        case GeneratedAlgorithm::poses: return "poses";
        case GeneratedAlgorithm::twists: return "twists";
        case GeneratedAlgorithm::jacobians: return "jacobians";
        case GeneratedAlgorithm::close: return "close";
        case GeneratedAlgorithm::rnea_derivatives: return "rnea_derivatives";
        case GeneratedAlgorithm::aba_derivatives: return "aba_derivatives";
    }
    return "unknown";
}

namespace {

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

}  // namespace

GeneratedCode generate(const Model& model, const GenerateOptions& options) {
    using namespace generated;
    const Canonical robot = canonical(model);
    File file{model, {options.name, upper(options.name)}, {}, {}, options.batch, {}};
    file.dialect.others = dot(model.gravity, model.gravity);
    GeneratedCode code;
    for (const GeneratedAlgorithm algorithm : options.algorithms) {
        Function function{to_string(algorithm), {algorithm, false, {}}, {}, {}};
        function.recording = record(robot, function.subject);
        function.woven = weave(robot.model, function.recording, options.lanes == 0 ? 4 : options.lanes);
        GeneratedFunction report;
        report.name = function.name;
        for (const Step& step : function.recording.tape.steps) report.recorded += step.op != Op::constant && step.op != Op::input;
        for (const int i : needed(function.woven))
            report.operations += !function.woven.graph.is_constant(i) && function.woven.graph[i].op != Op::input;
        code.functions.push_back(report);
        file.functions.push_back(std::move(function));
    }
    code.header = header_text(file);
    code.source = source_text(file);
    return code;
}

}  // namespace grbda
