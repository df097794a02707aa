#include "function.hpp"

#include "grbda/scalar.hpp"
#include "statements.hpp"

namespace grbda::generated {
namespace {

/// Returns `text` once for each input and output.
template <class Text>
std::string for_inputs(const Function& function, const Text& text) {
    std::string result;
    for (const Argument& input : function.recording.inputs) result += text(input);
    return result;
}
template <class Text>
std::string for_outputs(const Function& function, const Text& text) {
    std::string result;
    for (const Output& output : function.recording.outputs) result += text(output.argument);
    return result;
}

std::string given_parameters(const Dialect& dialect, const Function& function, const std::string& type,
                             bool restricted) {
    const std::string star = restricted ? "* " + dialect.constant("RESTRICT") + " " : "* ";
    return for_inputs(function, [&](const Argument& x) { return "const " + type + star + x.name + ", "; });
}

std::string parameters(const Dialect& dialect, const Function& function, const std::string& type,
                       bool restricted) {
    const std::string star = restricted ? "* " + dialect.constant("RESTRICT") + " " : "* ";
    std::string text = given_parameters(dialect, function, type, restricted) +
                       for_outputs(function, [&](const Argument& x) { return type + star + x.name + ", "; });
    return text.substr(0, text.size() - 2);
}

/// Writes sums of squares of the input: of the configuration, and of all numbers.
std::string given(const Dialect& dialect, const Function& function) {
    std::string sum;
    for (const Argument& x : function.recording.inputs)
        sum += (sum.empty() ? "" : " + ") + dialect.name + "_squares(" + x.name + ", " +
               std::to_string(x.size) + ")";
    const std::size_t first = sum.find(')') + 1;
    return "    const double turned = " + sum.substr(0, first) + ";\n    const double given = turned" +
           sum.substr(first) + ";\n";
}

/// Returns the bound up to which the reduction of angles in three parts is exact.
std::string turned_limit() { return number_text(scalar::small_angle * scalar::small_angle / 4); }
std::string given_limit(const Dialect& dialect) {
    const double limit = largest_given;
    return number_text(limit * limit - dialect.others);
}

bool has_margins(const Function& function) { return !function.recording.margins.empty(); }

/// Writes a C expression that is true if every quaternion of q has a direction, without which the library's
/// factors of the inertia are NaN; empty without quaternions.
std::string directed(const Dialect& dialect, const Function& function) {
    const std::string& q = function.recording.inputs[0].name;
    std::string text;
    for (const int i : dialect.quaternions) {
        std::string sum;
        for (int k = i; k < i + 4; ++k) {
            const std::string x = q + "[" + std::to_string(k) + "]";
            sum += (k == i ? "" : " + ") + x + " * " + x;
        }
        text += (text.empty() ? "((" : " & ((") + sum + ") > 1e-300)";
    }
    return text;
}

/// Writes four zeros from index i on. Compilers convert short runs of memset to slow instructions.
std::string four_zeros(const Dialect& dialect, const std::string& name, std::size_t i) {
    return "    ((" + dialect.name + "_four*)(" + name + " + " + std::to_string(i) + "))->x = (" +
           dialect.type(most_lanes) + "){0.0, 0.0, 0.0, 0.0};\n";
}

std::string stored(const Dialect& dialect, const Function& function, Statements& statements) {
    const bool blocks = dialect.vectors && dialect.states == 1;
    std::string text;
    for (std::size_t o = 0; o < function.woven.outputs.size(); ++o) {
        const Argument& output = function.recording.outputs[o].argument;
        const Table<int> nodes = in_order(output, dialect.columns && function.recording.products.empty(),
                                          function.woven.outputs[o]);
        const std::string& name = output.name;
        const auto zeros_from = [&](std::size_t i) {
            std::size_t end = i;
            while (end < nodes.size() && function.woven.graph.is_zero(nodes[end])) ++end;
            return end - i;
        };
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (blocks && zeros_from(i) >= most_lanes) {
                text += four_zeros(dialect, name, i);
                i += most_lanes - 1;
            } else {
                text += "    " + name + "[" + std::to_string(i) + "] = " + statements.value(nodes[i]) + ";\n";
            }
        }
    }
    return text;
}

/// Returns the distance between the numbers that decide whether all are finite: no entry of a mass matrix is
/// larger than those of its diagonal.
std::string telling_step(const Argument& x) { return std::to_string(x.diagonal > 0 ? x.diagonal + 1 : 1); }

/// Writes a number that is NaN if a result is not finite.
std::string zeros(const Dialect& dialect, const Function& function) {
    const std::string text = for_outputs(function, [&](const Argument& x) {
        return " + " + dialect.name + "_zeros(" + x.name + ", " + std::to_string(x.size) + ", " +
               telling_step(x) + ")";
    });
    return text.substr(3);
}

/// Writes the loops for products at the end.
std::string products(const Dialect& dialect, const Recording& recording) {
    std::string text;
    for (const Product& product : recording.products) {
        const Argument &factor = recording.outputs[at(product.factor)].argument,
                       &matrix = recording.outputs[at(product.matrix)].argument;
        std::string ready;
        for (const char stays : product.ready) ready += (ready.empty() ? "" : ", ") + std::to_string(stays);
        text += "    {\n        static const unsigned char ready[] = {" + ready + "};\n";
        for (const Range& block : product.blocks)
            text += "        " + dialect.name + "_carry(" + factor.name + ", " + matrix.name + ", ready, " +
                    dialect.constant("NV") + ", " + std::to_string(block.first) + ", " +
                    std::to_string(block.last) + ");\n";
        text += "    }\n";
    }
    for (const Output& output : recording.outputs)
        if (dialect.columns && !recording.products.empty() && output.argument.columns > 0)
            text += "    " + dialect.name + "_transpose(" + output.argument.name + ", " +
                    std::to_string(output.argument.columns) + ");\n";
    return text;
}

}  // namespace

std::string declaration(const Dialect& dialect, const Function& function) {
    return "int " + dialect.name + "_" + function.name + "(" +
           parameters(dialect, function, "double", false) + ")";
}

std::string definition(const Dialect& dialect, const Function& function, const std::string& linkage) {
    Statements statements(dialect, function.recording, function.woven);
    const std::string name = dialect.name + "_" + function.name;
    const auto straight = statements.text(name, given_parameters(dialect, function, "double", true));
    std::string text = straight.functions + linkage + "int " + name + "(" +
                       parameters(dialect, function, "double", true) + ") {\n" + given(dialect, function);
    text += "    const int large = !(turned < " + turned_limit() + ");\n    int status = 0;\n";
    text += straight.body + stored(dialect, function, statements) + products(dialect, function.recording) +
            "    (void)large;\n";
    const auto check = [&](const std::string& holds, const std::string& status) {
        if (holds.empty()) return;
        text += "    if (status == 0 && !(" + holds + ")) status = " + dialect.constant(status) + ";\n";
    };
    check("given < " + given_limit(dialect), "NOT_FINITE");
    check(statements.holds("regular"), "SINGULAR_CONSTRAINT");
    check(directed(dialect, function), has_margins(function) ? "SINGULAR_INERTIA" : "NOT_FINITE");
    check(statements.holds("massive"), "SINGULAR_INERTIA");
    check(zeros(dialect, function) + " == 0.0", "NOT_FINITE");
    text +=
        "    if (status != 0) {\n" + for_outputs(function, [&](const Argument& x) {
            return "        " + dialect.name + "_clear(" + x.name + ", " + std::to_string(x.size) + ");\n";
        });
    return text + "    }\n    return status;\n}\n";
}

std::string batch_declaration(const Dialect& dialect, const Function& function) {
    return "long " + dialect.name + "_" + function.name + "_batch(long states, " +
           parameters(dialect, function, "double", false) + ", int* status)";
}

namespace {

/// Writes a function for states side by side; `status` receives that of each.
std::string several(const Dialect& dialect, const Function& function) {
    Statements statements(dialect, function.recording, function.woven);
    const std::string type = dialect.type(1), mask = dialect.mask_type(1),
                      prefix = "    " + dialect.name + "_";
    const auto add_squares = [&](const Argument& x, const char* sum) {
        return prefix + "add_squares(" + x.name + ", " + std::to_string(x.size) + ", &" + sum + ");\n";
    };
    const std::vector<Argument>& inputs = function.recording.inputs;
    const std::string name = dialect.name + "_" + function.name + "_states";
    const auto straight = statements.text(name, given_parameters(dialect, function, type, true));
    std::string text = straight.functions + "static void " + name + "(" +
                       parameters(dialect, function, type, true) + ", " + mask + "* status) {\n";
    text += "    " + type + " turned = {0.0}, given, zeros = {0.0};\n    " + mask +
            " small, failed;\n    int large;\n";
    text += add_squares(inputs[0], "turned") + "    small = turned < " + turned_limit() + ";\n    large = !" +
            dialect.name + "_all(&small);\n    given = turned;\n";
    for (std::size_t i = 1; i < inputs.size(); ++i) text += add_squares(inputs[i], "given");
    // C99 allows declarations after statements
    text += straight.body + stored(dialect, function, statements) + "    (void)large;\n";
    text += for_outputs(function, [&](const Argument& x) {
        return prefix + "add_zeros(" + x.name + ", " + std::to_string(x.size) + ", " + telling_step(x) +
               ", &zeros);\n";
    });
    // the last one is decisive
    text += "    failed = ~(zeros == 0.0) & 5;\n";
    const auto check = [&](const std::string& holds, const char* status) {
        if (!holds.empty())
            text += "    failed = (failed & (" + holds + ")) | (~(" + holds + ") & " + status + ");\n";
    };
    check(statements.holds("massive"), "2");
    check(directed(dialect, function), has_margins(function) ? "2" : "5");
    check(statements.holds("regular"), "1");
    check("given < " + given_limit(dialect), "5");
    return text + "    *status = failed;\n}\n";
}

}  // namespace

std::string batch_definition(const Dialect& dialect, const Function& function) {
    const std::string type = dialect.type(1), width = std::to_string(dialect.states);
    const auto block = [&](const Argument& x) {
        return "        " + type + " " + x.name + "_lanes[" + std::to_string(x.size) + "];\n";
    };
    const auto gather = [&](const Argument& x) {
        const std::string n = std::to_string(x.size);
        const std::string place = x.shared ? "i" : "at * " + n + " + i";
        return "            for (i = 0; i < " + n + "; ++i) " + x.name + "_lanes[i][l] = " + x.name + "[" +
               place + "];\n";
    };
    const auto scatter = [&](const Argument& x) {
        const std::string n = std::to_string(x.size);
        return "            for (i = 0; i < " + n + "; ++i) " + x.name + "[at * " + n +
               " + i] = ok[l] ? NAN : " + x.name + "_lanes[i][l];\n";
    };
    const auto passed = [](const Argument& x) { return x.name + "_lanes, "; };
    std::string text = several(dialect, function) + "\nlong " + dialect.name + "_" + function.name +
                       "_batch(long states, " + parameters(dialect, function, "double", true) +
                       ", int* status) {\n";
    text += "    long first, failures = 0;\n    int l, i;\n    for (first = 0; first < states; first += " +
            width + ") {\n";
    text += for_inputs(function, block) + for_outputs(function, block) + "        " + dialect.mask_type(1) +
            " ok;\n";
    text += "        for (l = 0; l < " + width +
            "; ++l) {\n            const long at = first + l < states ? first + l : "
            "states - 1;\n";
    text += for_inputs(function, gather) + "        }\n        " + dialect.name + "_" + function.name +
            "_states(" + for_inputs(function, passed) + for_outputs(function, passed) + "&ok);\n";
    text += "        for (l = 0; l < " + width +
            " && first + l < states; ++l) {\n            const long at = first + l;\n";
    text += for_outputs(function, scatter);
    text +=
        "            if (status) status[at] = (int)ok[l];\n            failures += ok[l] != 0;\n        }\n  "
        "  }\n";
    return text + "    return failures;\n}\n";
}

}  // namespace grbda::generated
