#include "grbda/generate/generate.hpp"

#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "describe/json_text.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "words.hpp"

namespace grbda::tool {
namespace {

constexpr GeneratedAlgorithm all_algorithms[] = {GeneratedAlgorithm::aba,
                                                 GeneratedAlgorithm::rnea,
                                                 GeneratedAlgorithm::bias,
                                                 GeneratedAlgorithm::crba,
                                                 GeneratedAlgorithm::poses,
                                                 GeneratedAlgorithm::twists,
                                                 GeneratedAlgorithm::jacobians,
                                                 GeneratedAlgorithm::close,
                                                 GeneratedAlgorithm::rnea_derivatives,
                                                 GeneratedAlgorithm::aba_derivatives,
                                                 GeneratedAlgorithm::forces,
                                                 GeneratedAlgorithm::forces_derivatives,
                                                 GeneratedAlgorithm::tangent,
                                                 GeneratedAlgorithm::motors};

std::string names_of_algorithms(const std::string& separator) {
    std::vector<std::string> names;
    for (const GeneratedAlgorithm algorithm : all_algorithms) names.emplace_back(to_string(algorithm));
    return join_words(names, separator);
}

std::vector<GeneratedAlgorithm> algorithms(const std::string& list) {
    std::vector<GeneratedAlgorithm> result;
    for (std::size_t first = 0; first <= list.size();) {
        const std::size_t end = std::min(list.find(',', first), list.size());
        const std::string name = list.substr(first, end - first);
        const std::size_t before = result.size();
        for (const GeneratedAlgorithm algorithm : all_algorithms)
            if (name == to_string(algorithm)) result.push_back(algorithm);
        if (result.size() == before)
            throw CallError("--algorithms: no algorithm '" + name + "'; there are " +
                            names_of_algorithms(", "));
        first = end + 1;
    }
    return result;
}

GenerateOptions generate_options(const GenerateArguments& arguments) {
    GenerateOptions options;
    options.name = std::filesystem::path(arguments.output).filename().string();
    options.algorithms = algorithms(arguments.algorithms);
    options.lanes = arguments.lanes == "auto" ? 0 : std::stoi(arguments.lanes);
    options.isa = arguments.isa;
    options.frames = arguments.frames;
    options.parameters = arguments.parameters;
    options.batch = arguments.batch;
    options.wrenches = arguments.wrenches;
    options.iso = arguments.iso;
    if (arguments.step == "euler") options.step = Integrator::semi_implicit_euler;
    if (arguments.step == "rk4") options.step = Integrator::runge_kutta;
    options.motors = arguments.inputs == "motors";
    options.joint_forces = arguments.joint_forces;
    options.hessian = arguments.hessian;
    options.columns = arguments.columns;
    if (arguments.abi == "casadi") options.abi = Abi::casadi;
    if (arguments.abi == "acados") options.abi = Abi::acados;
    return options;
}

/// Code for the robot in the requested form, or for each
/// function in the form with the fewest operations.
GeneratedCode best_code(const GenerateArguments& arguments, const Model& model) {
    const auto pulled = [&](Model form) {
        const std::vector<double>& g = arguments.gravity;
        return g.empty() ? form : with_gravity(std::move(form), {g[0], g[1], g[2]});
    };
    std::vector<Model> other_forms;
    if (arguments.model.form.empty() && model.rows > 0)
        for (const Form form : {Form::jacobians, Form::tree}) {
            ModelArguments forced = arguments.model;
            forced.form = to_string(form);
            other_forms.push_back(pulled(load_model(forced)));
        }
    return grbda::generate(pulled(model), generate_options(arguments), other_forms);
}

std::string text_report(const GeneratedCode& code) {
    std::string text = "function                 operations of   code     time estimated (library)\n";
    char line[200];
    for (const GeneratedFunction& f : code.functions) {
        std::snprintf(line, sizeof line, "%-22s %8d %8d %5.0f KB  %6.0f ns (%.0f ns)%s\n", f.name.c_str(),
                      f.operations, f.recorded, f.bytes / 1e3, f.nanoseconds, f.library_nanoseconds,
                      f.nanoseconds > f.library_nanoseconds ? "  the library is faster" : "");
        text += line;
    }
    std::string limbs;
    for (const GeneratedFunction& f : code.functions)
        if (f.limbs.size() > limbs.size()) limbs = f.limbs;
    if (!limbs.empty()) text += "side by side: " + limbs + "\n";
    return text;
}

std::string json_report(const GeneratedCode& code) {
    nlohmann::ordered_json functions = nlohmann::ordered_json::array();
    for (const GeneratedFunction& f : code.functions)
        functions.push_back({{"name", f.name},
                             {"lanes", f.lanes},
                             {"limbs", f.limbs},
                             {"recorded", f.recorded},
                             {"operations", f.operations},
                             {"bytes", f.bytes},
                             {"nanoseconds", f.nanoseconds},
                             {"library_nanoseconds", f.library_nanoseconds}});
    return describe::write_json({{"functions", functions}});
}

}  // namespace

void add_generate(CLI::App& app, GenerateArguments& arguments) {
    CLI::App& command = *app.add_subcommand("generate", "The robot's own code, in C");
    add_model_options(command, arguments.model);
    command
        .add_option("-o,--output", arguments.output,
                    "Folder, created if it is missing, and name: DIR/arm gives files arm.h and arm.c and "
                    "functions arm_…")
        ->type_name("FOLDER/NAME")
        ->required();
    command.add_option("--algorithms", arguments.algorithms, "Functions, separated by commas")
        ->type_name("NAME,…:{" + names_of_algorithms(",") + "}")
        ->capture_default_str();
    command.add_option("--lanes", arguments.lanes, "Largest number of equal limbs in one register")
        ->check(CLI::IsMember({"auto", "1", "2", "4"}))
        ->capture_default_str();
    command
        .add_option("--batch", arguments.batch,
                    "Add functions for many states, this many at a time: 8 with AVX-512, otherwise 4")
        ->check(CLI::IsMember({4, 8}));
    command
        .add_option("--step", arguments.step,
                    "Add steps of time for solvers, with their Jacobian: semi-implicit Euler or Runge-Kutta")
        ->type_name("RULE")
        ->check(CLI::IsMember({"euler", "rk4"}));
    command
        .add_option("--inputs", arguments.inputs,
                    "Inputs of these steps: forces of the motors, or of the independent joints")
        ->check(CLI::IsMember({"motors", "independent"}))
        ->capture_default_str();
    command.add_flag(
        "--joint-forces", arguments.joint_forces,
        "Springs, dampers, tendons and gravity compensation act in these steps; dry friction does not");
    command.add_flag("--hessian", arguments.hessian,
                     "Add second derivatives of these steps, for robots of a few degrees of freedom");
    command
        .add_option("--abi", arguments.abi,
                    "Add functions by which a solver calls the code, with their derivatives; needs --step")
        ->check(CLI::IsMember({"c", "casadi", "acados"}))
        ->capture_default_str();
    command.add_option("--gravity", arguments.gravity, "Gravity instead of that of the file, m/s²")
        ->type_name("X,Y,Z")
        ->delimiter(',')
        ->expected(3);
    command.add_option("--isa", arguments.isa, "Value of -march that the header recommends")
        ->type_name("MARCH")
        ->capture_default_str();
    add_repeated(
        command, "--frame", arguments.frames, "NAME",
        "Link or frame for poses, twists and jacobians; can be given several times. Default: the tool "
        "frames, or all links");
    add_repeated(
        command, "--parameter", arguments.parameters, "LINK",
        "Link whose body's inertia is an input of the functions, as for a load; can be given several times");
    command.add_flag("--wrenches", arguments.wrenches,
                     "Add functions aba, rnea and bias with external wrenches");
    command.add_flag("--columns", arguments.columns,
                     "Store matrices column by column, except orientations; those of steps are in any case");
    command.add_flag("--iso", arguments.iso, "Use ISO C99 only: no vectors, one limb at a time")
        ->excludes("--batch");
    command.add_flag("--json", arguments.json, "Print the report as JSON");
    command.footer(
        "The files need only the standard library of C. Standard output reports which limbs are computed\n"
        "side by side, operations and sizes.\n"
        "\n"
        "Example:\n"
        "  grbda generate humanoid.urdf -o controller/humanoid --algorithms aba,crba --batch 8\n");
}

int generate(const GenerateArguments& arguments) {
    const Model model = load_model(arguments.model);
    for (const char* ending : {".h", ".c", "_acados.py"})
        if (!spares_inputs(arguments.output + ending, model.files)) return Exit::bad_call;
    if (!arguments.model.quiet) print_findings(model.diagnostics, arguments.model.notes);
    GeneratedCode code;
    try {
        code = best_code(arguments, model);
    } catch (const std::invalid_argument& error) {
        throw CallError(error.what());
    }
    make_folder(arguments.output);
    write_output(code.header, arguments.output + ".h");
    write_output(code.source, arguments.output + ".c");
    if (!code.module.empty()) write_output(code.module, arguments.output + "_acados.py");
    std::fputs((arguments.json ? json_report(code) : text_report(code)).c_str(), stdout);
    return Exit::success;
}

}  // namespace grbda::tool
