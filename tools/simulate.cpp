#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "arguments.hpp"
#include "assignments.hpp"
#include "control_table.hpp"
#include "grbda/algorithms/closure.hpp"
#include "grbda/algorithms/configuration.hpp"
#include "grbda/io/height_field.hpp"
#include "json_text.hpp"
#include "options.hpp"
#include "output.hpp"
#include "record.hpp"
#include "terminal.hpp"

namespace grbda::tool {
namespace {

/// Stiffness and damping of servos, from "JOINT=KP" or "JOINT=KP,KD".
void put_servos(const Model& model, const std::vector<std::string>& texts, SimulatorOptions& options) {
    if (texts.empty()) return;
    const auto n = static_cast<std::size_t>(model.nv_tree);
    options.servo_stiffness.assign(n, 0);
    options.servo_damping.assign(n, 0);
    for (const std::string& text : texts) {
        const Assignment servo = read_assignment("--servo", text);
        const Body& body = model.bodies[joint_of_assignment(model, "--servo", servo.name)];
        const bool fits = servo.values.size() == 1 || servo.values.size() == 2;
        if (!fits || velocity_size(body.joint) != 1 ||
            std::any_of(servo.values.begin(), servo.values.end(), [](double x) { return x < 0; }))
            throw CallError("--servo " + text +
                            ": expected JOINT=STIFFNESS or JOINT=STIFFNESS,DAMPING, not negative, of a " +
                            "joint of one coordinate");
        options.servo_stiffness[body.v] = servo.values.front();
        options.servo_damping[body.v] = servo.values.size() > 1 ? servo.values[1] : 0;
    }
}

SimulatorOptions options_of(const Model& model, const SimulateArguments& arguments) {
    SimulatorOptions options;
    options.step = arguments.step;
    options.rule = arguments.integrator == "rk4" ? StepRule::runge_kutta : StepRule::semi_implicit;
    options.contact = arguments.contact == "rigid"     ? ContactModel::rigid
                      : arguments.contact == "coulomb" ? ContactModel::coulomb
                                                       : ContactModel::compliant;
    options.friction = arguments.friction;
    options.self_collision = arguments.self_collision;
    options.limits = !arguments.no_limits;
    options.passive = arguments.passive;
    put_servos(model, arguments.servos, options);
    return options;
}

Ground ground_of(const SimulateArguments& arguments) {
    if (!arguments.terrain.empty()) return load_height_field(arguments.terrain);
    if (arguments.ground) return Plane{{0, 0, 1}, *arguments.ground};
    return {};
}

/// What came of it, for --summary.
struct Summary {
    std::string status = "ok", message;
    double energy_start = 0, energy_end = 0, largest_residual = 0, largest_overlap = 0;
    int most_contacts = 0, crowded_steps = 0, unsolved_steps = 0, inexact_steps = 0;
    long steps = 0;
};

/// A line that grows, where someone looks.
class Progress {
public:
    explicit Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) != 0) {}
    ~Progress() {
        if (shown_) std::fputs("\r\033[K", stderr);
    }
    void at(double part) {
        const int now = static_cast<int>(100 * part);
        if (!shown_ || now == percent_) return;
        percent_ = now;
        std::fprintf(stderr, "\r%3d %% [%-50.*s]", now, now / 2,
                     "==================================================");
    }

private:
    bool shown_;
    int percent_ = -1;
};

void look(Simulator& simulator, Data<double>& data, Record& record, Summary& summary) {
    record.take(simulator);
    const double residual = closure_residual<double>(simulator.model(), data, simulator.q()).residual;
    summary.largest_residual = std::max(summary.largest_residual, residual);
}

Summary run(Simulator& simulator, ControlTable& controls, const SimulateArguments& arguments,
            Record& record) {
    Summary summary;
    Data<double> data(simulator.model());
    Progress progress(!arguments.model.quiet);
    const long steps = std::max(1L, std::lround(arguments.duration / arguments.step));
    summary.energy_start = simulator.energy();
    look(simulator, data, record, summary);
    for (; summary.steps < steps; ++summary.steps) {
        const StepOutcome outcome = simulator.step(controls.at(simulator.time()));
        if (!outcome.result.ok()) {
            summary.status = to_string(outcome.result.status);
            summary.message = "the step from " + std::to_string(simulator.time()) + " s failed";
            break;
        }
        summary.crowded_steps += outcome.crowded ? 1 : 0;
        summary.unsolved_steps += outcome.contact.status != Status::ok ? 1 : 0;
        summary.inexact_steps += outcome.contact.exact ? 0 : 1;
        summary.most_contacts = std::max(summary.most_contacts, outcome.contacts);
        for (const ContactState& x : simulator.contacts())
            summary.largest_overlap = std::max(summary.largest_overlap, -x.gap);
        if ((summary.steps + 1) % arguments.every == 0) look(simulator, data, record, summary);
        progress.at(double(summary.steps + 1) / double(steps));
    }
    summary.energy_end = simulator.energy();
    return summary;
}

OrderedJson to_json(const Summary& summary, const Simulator& simulator) {
    OrderedJson out;
    out["status"] = summary.status;
    if (!summary.message.empty()) out["message"] = summary.message;
    out["time"] = simulator.time();
    out["steps"] = summary.steps;
    out["energy_start"] = summary.energy_start;
    out["energy_end"] = summary.energy_end;
    out["largest_residual"] = summary.largest_residual;
    out["switches"] = simulator.switches();
    out["most_contacts"] = summary.most_contacts;
    out["largest_overlap"] = summary.largest_overlap;
    out["crowded_steps"] = summary.crowded_steps;
    out["unsolved_steps"] = summary.unsolved_steps;
    out["inexact_steps"] = summary.inexact_steps;
    return out;
}

/// What of the robot will fall through the ground.
void tell_untouchable(const Model& model, bool has_ground) {
    int meshes = 0, others = 0;
    for (const BodyShape& x : model.shapes)
        if (x.collision) ++(x.shape.kind == ShapeKind::mesh ? meshes : others);
    if (meshes > 0)
        std::fprintf(stderr, "%d collision %s of the robot %s: meshes touch nothing\n", meshes,
                     meshes == 1 ? "shape" : "shapes", meshes == 1 ? "is a mesh" : "are meshes");
    if (has_ground && others == 0)
        std::fprintf(stderr, "the robot has no collision shape that the ground could hold\n");
}

/// What a status of ok does not say.
void tell_doubts(const Summary& summary) {
    const auto tell = [&](int steps, const char* what) {
        if (steps > 0) std::fprintf(stderr, "in %d of %ld steps %s\n", steps, summary.steps, what);
    };
    tell(summary.crowded_steps, "there were more contacts than fit");
    tell(summary.unsolved_steps,
         "the impulses of contacts were not found to the last: the best ones were taken");
    tell(summary.inexact_steps,
         "no impulses by Coulomb's law were found: those of rigid contacts were taken");
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

void add_simulate(CLI::App& app, SimulateArguments& arguments) {
    CLI::App& command = *app.add_subcommand("simulate", "The robot in motion, with contacts");
    add_model_options(command, arguments.model);
    command.add_option("--duration", arguments.duration, "Seconds")->required()->check(CLI::Range(1e-9, 1e6));
    command.add_option("--step", arguments.step, "Seconds of a step")
        ->check(CLI::Range(1e-9, 1.))
        ->capture_default_str();
    command.add_option("--integrator", arguments.integrator, "Rule of a step; rk4 for smooth motion alone")
        ->check(CLI::IsMember({"semi_implicit", "rk4"}))
        ->capture_default_str();
    command.add_option("--contact", arguments.contact, "How hard contacts are, and their friction")
        ->check(CLI::IsMember({"compliant", "rigid", "coulomb"}))
        ->capture_default_str();
    command.add_option("--friction", arguments.friction, "Of the ground, and of surfaces that say nothing")
        ->check(CLI::Range(0., 100.))
        ->capture_default_str();
    CLI::Option* ground = command.add_option("--ground", arguments.ground, "Ground at this height z");
    command.add_option("--terrain", arguments.terrain, "Ground from a grid of heights, Esri ASCII")
        ->excludes(ground);
    command.add_option("--start", arguments.start, "Saved state to start from; none: as assembled");
    add_repeated(command, "--servo", arguments.servos, "JOINT=KP[,KD]",
                 "A servo that holds a joint where it starts, or its target; can be given several times");
    command.add_option("--controls", arguments.controls,
                       "Table over time (CSV): time, then JOINT for its force, target:JOINT, rate:JOINT");
    command.add_flag("--passive", arguments.passive,
                     "With the robot's springs, dampers, dry friction, tendons and gravity compensation");
    command.add_flag("--no-limits", arguments.no_limits, "Joints have no limits");
    command.add_flag("--self-collision", arguments.self_collision, "Limbs touch one another");
    command.add_option("--every", arguments.every, "Steps from one row of the record to the next")
        ->check(CLI::Range(1, 1000000000))
        ->capture_default_str();
    command.add_option("-o,--output", arguments.output,
                       "Record: CSV, or JSON by its name; none: standard output");
    command.add_flag("--summary", arguments.summary, "What came of it as JSON, on standard output");
    command.footer(
        "A step that fails ends the record there; the message says when, and the exit code is 3.\n"
        "\n"
        "Example:\n"
        "  grbda simulate humanoid.urdf --duration 2 --ground 0 --servo knee=200,5 -o fall.csv --summary\n");
}

int simulate(const SimulateArguments& arguments) {
    std::vector<std::string> inputs = arguments.model.files;
    for (const std::string& file : {arguments.controls, arguments.terrain})
        if (!file.empty()) inputs.push_back(file);
    if (!spares_inputs(arguments.output, inputs)) return Exit::bad_call;
    const Model model = load_model(arguments.model);
    if (!spares_inputs(arguments.output, model.files)) return Exit::bad_call;
    if (!arguments.model.quiet) print(stderr, model.diagnostics);
    if (!arguments.model.quiet) tell_untouchable(model, arguments.ground || !arguments.terrain.empty());
    Simulator simulator = [&] {
        try {
            return Simulator(model, options_of(model, arguments), ground_of(arguments));
        } catch (const std::invalid_argument& error) {
            throw CallError(error.what());
        }
    }();
    ControlTable controls(model);
    if (!arguments.controls.empty())
        controls = ControlTable(model, read_text(arguments.controls), arguments.controls);
    const VectorX<double> start = arguments.start.empty() ? neutral_configuration(model)
                                                          : state_called(model, "--start", arguments.start);
    if (const Result result = simulator.set_state(start, VectorX<double>::Zero(model.nv_tree)); !result.ok())
        throw NoAnswer(std::string("the robot cannot start there: ") + to_string(result.status));
    controls.require_servos(model, simulator.options());
    controls.hold(start);
    Record record(model);
    const Summary summary = run(simulator, controls, arguments, record);
    if (!arguments.output.empty() || !arguments.summary)
        write_output(ends_with(arguments.output, ".json") ? record.as_json() : record.as_csv(),
                     arguments.output);
    if (arguments.summary) write_output(write_json(to_json(summary, simulator)), "");
    if (!arguments.model.quiet) tell_doubts(summary);
    if (summary.status == "ok") return Exit::success;
    std::fprintf(stderr, "%s: %s\n", summary.message.c_str(), summary.status.c_str());
    return Exit::no_answer;
}

}  // namespace grbda::tool
