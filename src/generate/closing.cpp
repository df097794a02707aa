#include "function.hpp"

// C around a step of Newton's method.

namespace grbda::generated {

std::string closing_declaration(const Dialect& dialect) {
    return "/* closes the loops from a guess nearby, by Newton's method: dependent coordinates of q move, as "
           "they do where\n"
           "   it fails */\nint " +
           dialect.name + "_close(double* q);\n";
}

std::string closing_definition(const Dialect& dialect, const Function& step) {
    const auto size = [&](int output) {
        return std::to_string(step.recording.outputs[at(output)].argument.size);
    };
    const std::string prefix = dialect.name + "_";
    std::string text = definition(dialect, step, "static ");
    text += "\nint " + prefix + "close(double* q) {\n    double next[" + size(0) + "], errors[" + size(1) +
            "], upright[" + size(2) + "], before = INFINITY;\n    int steps, i;\n";
    text += "    for (steps = 0; steps < 30; ++steps) {\n        const int status = " + prefix + step.name +
            "(q, next, errors, upright);\n        double error = 0.0;\n        int right = 1;\n";
    text += "        if (status != 0) return status;\n        for (i = 0; i < " + size(1) +
            "; ++i) error = fmax(error, fabs(errors[i]));\n        for (i = 0; i < " + size(2) +
            "; ++i) right &= upright[i] > 0.0;\n";
    // rounding: no step makes it less
    text += "        if (error < 1e-10 && !(error < 0.5 * before)) return right ? 0 : " +
            dialect.constant("NOT_CONVERGED") +
            ";\n        before = error;\n        memcpy(q, next, sizeof next);\n    }\n    return " +
            dialect.constant("NOT_CONVERGED") + ";\n}\n";
    return text;
}

}  // namespace grbda::generated
