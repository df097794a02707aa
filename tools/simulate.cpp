#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "arguments.hpp"
#include "assignments.hpp"
#include "browser.hpp"
#include "describe/describe.hpp"
#include "grbda/collision/collide.hpp"
#include "grbda/io/height_field.hpp"
#include "grbda/io/load.hpp"
#include "mass_hint.hpp"
#include "motion.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

/// Stiffness and damping of servos, from "JOINT=KP" or "JOINT=KP,KD", in place of those that these joints
/// have.
void put_servos(const Model& model, const std::vector<std::string>& texts, SimulatorOptions& options) {
    if (texts.empty()) return;
    const auto n = static_cast<std::size_t>(model.nv_tree);
    options.servo_stiffness.resize(n, 0);
    options.servo_damping.resize(n, 0);
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
        if (!options.servo_force.empty())
            options.servo_force[body.v] = std::numeric_limits<double>::infinity();
    }
}

SimulatorOptions options_of(const Model& model, const SimulateArguments& arguments) {
    SimulatorOptions options;
    options.step = arguments.step;
    options.rule = arguments.integrator == "rk4"        ? StepRule::runge_kutta
                   : arguments.integrator == "adaptive" ? StepRule::adaptive
                                                        : StepRule::semi_implicit;
    if (arguments.tolerance) {
        if (options.rule != StepRule::adaptive)
            throw CallError("--tolerance is for --integrator adaptive; other rules take steps of --step");
        options.tolerance = *arguments.tolerance;
    }
    options.contact = arguments.contact == "compliant" ? ContactModel::compliant : ContactModel::rigid;
    options.friction = arguments.friction;
    options.contacts = !arguments.no_contacts;
    options.self_collision = arguments.self_collision;
    options.other_pairs = collide_convex;
    const bool keeps_limits = options.rule == StepRule::semi_implicit || options.rule == StepRule::adaptive;
    options.limits = !arguments.no_limits && keeps_limits;
    options.passive = arguments.passive;
    const bool has_servos = std::any_of(model.servos.begin(), model.servos.end(),
                                        [](const auto& servo) { return servo.has_value(); });
    if (has_servos && !arguments.no_servos) options = with_servos(model, std::move(options));
    put_servos(model, arguments.servos, options);
    return options;
}

Ground ground_of(const SimulateArguments& arguments) {
    if (!arguments.terrain.empty()) return load_height_field(arguments.terrain);
    if (arguments.ground) return Plane{{0, 0, 1}, *arguments.ground};
    return {};
}

GroundMotion ground_motion_of(const SimulateArguments& arguments) {
    const std::string& text = arguments.ground_motion;
    if (text.empty()) return {};
    if (!arguments.ground && arguments.terrain.empty())
        throw CallError("--ground-motion needs ground: give --ground or --terrain");
    const std::vector<double> x = read_numbers("--ground-motion", text);
    if (x.size() != 3 && x.size() != 6)
        throw CallError("--ground-motion " + text + ": expected VX,VY,VZ in m/s, or VX,VY,VZ,WX,WY,WZ with " +
                        "an angular velocity in rad/s");
    GroundMotion motion{{x[0], x[1], x[2]}};
    if (x.size() == 6) motion.angular = {x[3], x[4], x[5]};
    return motion;
}

/// Meshes touch the ground and others by their convex hulls.
Model load_with_hulls(const SimulateArguments& arguments) {
    LoadOptions options = load_options(arguments.model);
    options.hulls = !arguments.no_contacts && !arguments.no_meshes;
    return load(arguments.model.files, options);
}

/// Warns of what will fall through the ground.
void warn_about_touch(const Model& model, bool has_ground) {
    int meshes = 0, others = 0;
    for (const BodyShape& x : model.shapes)
        if (x.collision) ++(x.shape.kind == ShapeKind::mesh && !x.shape.hull ? meshes : others);
    if (meshes > 0)
        std::fprintf(stderr, "%d collision %s of the robot %s nothing: %s without a convex hull\n", meshes,
                     meshes == 1 ? "shape" : "shapes", meshes == 1 ? "touches" : "touch",
                     meshes == 1 ? "a mesh" : "meshes");
    if (has_ground && others == 0)
        std::fprintf(stderr, "the robot has no collision shape that the ground could hold\n");
}

/// A rule for smooth motion lets joints go past their limits.
void warn_about_limits(const Model& model, const SimulateArguments& arguments) {
    const std::string& rule = arguments.integrator;
    if (arguments.no_limits || rule == "semi_implicit" || rule == "adaptive") return;
    for (int i = 0; i < model.body_count(); ++i) {
        const JointLimits& limits = model.limits[i];
        if (!model.bounded[i] || !(std::isfinite(limits.lower) || std::isfinite(limits.upper))) continue;
        std::fprintf(stderr,
                     "%s keeps no limits of joints, as that of '%s': --no-limits says that none are wanted\n",
                     rule.c_str(), model.names.joints[i].c_str());
        return;
    }
}

/// Warns of conditions that a status of ok does not report.
void warn_about_steps(const std::vector<Summary>& motions) {
    Summary all;
    for (const Summary& motion : motions) {
        all.steps += motion.steps;
        all.crowded_steps += motion.crowded_steps;
        all.unsolved_steps += motion.unsolved_steps;
        all.inexact_steps += motion.inexact_steps;
    }
    const auto warn = [&](long steps, const char* what) {
        if (steps > 0) std::fprintf(stderr, "in %ld of %ld steps %s\n", steps, all.steps, what);
    };
    warn(all.crowded_steps, "there were more contacts than fit");
    warn(all.unsolved_steps, "the impulses of contacts were not found to the last: the best ones were taken");
    warn(all.inexact_steps,
         "no impulses by Coulomb's law were found: those of the convex problem were taken");
}

/// Writes one motion as an object; several as a list under the status of the first that failed.
OrderedJson summary_of(const std::vector<Summary>& motions, bool many) {
    if (!many) return to_json(motions.front());
    OrderedJson out;
    out["status"] = "ok";
    out["failures"] = 0;
    out["simulations"] = OrderedJson::array();
    int failures = 0;
    for (const Summary& motion : motions) {
        if (motion.status != "ok" && failures++ == 0) out["status"] = motion.status;
        out["simulations"].push_back(to_json(motion));
    }
    out["failures"] = failures;
    return out;
}

/// For a user at a terminal, in place of the record.
void print_text(const std::vector<Summary>& motions, bool many) {
    for (std::size_t i = 0; i < motions.size(); ++i)
        std::printf("%s%s", many ? ("states[" + std::to_string(i) + "] ").c_str() : "",
                    to_text(motions[i]).c_str());
    std::printf("(-o record.csv writes the motion: grbda plot and grbda view --record show it)\n");
}

/// Rows between steps are by dense output.
void require_rows(const SimulateArguments& arguments) {
    if (arguments.integrator == "adaptive" || arguments.every == std::round(arguments.every)) return;
    throw CallError("--every " + describe::number(arguments.every) +
                    ": expected a whole number of steps; only --integrator adaptive has rows within them");
}

/// Seconds of a run: as many steps as it holds, at most a billion.
void require_duration(const SimulateArguments& arguments) {
    if (!std::isfinite(arguments.duration) || !std::isfinite(arguments.step))
        throw CallError("--duration and --step: expected finite numbers of seconds");
    const double steps = arguments.duration / arguments.step;
    if (steps > 1e9)
        throw CallError("--duration " + describe::number(arguments.duration) + " takes " +
                        describe::number(steps) + " steps of " + describe::number(arguments.step) +
                        " s, expected at most 1e9");
    if (arguments.step > arguments.duration * (1 + 1e-9))
        throw CallError("--step " + describe::number(arguments.step) + " is longer than --duration " +
                        describe::number(arguments.duration) + ": the run has no step");
}

/// A run takes whole steps.
void warn_about_duration(const SimulateArguments& arguments) {
    const double steps = std::round(arguments.duration / arguments.step);
    if (std::abs(steps * arguments.step - arguments.duration) <= 1e-9 * arguments.duration) return;
    std::fprintf(stderr, "--duration %s is no multiple of --step %s: the run ends at %s s\n",
                 describe::number(arguments.duration).c_str(), describe::number(arguments.step).c_str(),
                 describe::number(steps * arguments.step).c_str());
}

}  // namespace

void add_simulate(CLI::App& app, SimulateArguments& arguments) {
    CLI::App& command = *app.add_subcommand("simulate", "The robot in motion, with contacts");
    add_model_options(command, arguments.model);
    command.add_option("--duration", arguments.duration, "Seconds")->required()->check(CLI::Range(1e-9, 1e6));
    command.add_option("--step", arguments.step, "Seconds of a step")
        ->check(CLI::Range(1e-9, 1.))
        ->capture_default_str();
    command
        .add_option("--integrator", arguments.integrator,
                    "Rule of a step; all but semi_implicit for smooth motion alone")
        ->check(CLI::IsMember({"semi_implicit", "rk4", "adaptive"}))
        ->capture_default_str();
    command
        .add_option("--tolerance", arguments.tolerance,
                    "Error of a part of an adaptive step, in rad and m; 1e-8")
        ->check(CLI::Range(1e-13, 1e-2));
    command.add_option("--contact", arguments.contact, "Compliance of contacts")
        ->check(CLI::IsMember({"compliant", "rigid"}))
        ->capture_default_str();
    command
        .add_option("--friction", arguments.friction,
                    "Coefficient of the ground, and of surfaces without their own")
        ->check(CLI::Range(0., 100.))
        ->capture_default_str();
    CLI::Option* ground = command.add_option("--ground", arguments.ground, "Ground at this height z");
    command.add_option("--terrain", arguments.terrain, "Ground from a grid of heights, Esri ASCII")
        ->type_name("FILE")
        ->excludes(ground);
    command
        .add_option("--ground-motion", arguments.ground_motion,
                    "Velocity of the ground, m/s, and its angular velocity about the world's origin, rad/s")
        ->type_name("VX,VY,VZ[,WX,WY,WZ]");
    command
        .add_option("--start", arguments.start,
                    "Saved state to start from, or a states file: a simulation from each; none: as "
                    "assembled")
        ->type_name("STATE|FILE");
    command.add_option("--threads", arguments.threads, "Simulations at a time")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    add_repeated(command, "--servo", arguments.servos, "JOINT=KP[,KD]",
                 "A servo that holds a joint where it starts, or its target, in place of its own; can be "
                 "given several times");
    command.add_flag(
        "--no-servos", arguments.no_servos,
        "Without the robot's servos, which hold joints where they start, or as the saved state says");
    command
        .add_option("--controls", arguments.controls,
                    "Table over time (CSV): time, then JOINT for its force, target:JOINT, rate:JOINT")
        ->type_name("FILE");
    add_repeated(
        command, "--push", arguments.pushes, "LINK=FX,FY,FZ[,FROM,UNTIL]",
        "A force on a link at its origin, N along the world's axes, from one time until another, s; can be "
        "given several times");
    command.add_flag_callback(
        "--no-passive", [&] { arguments.passive = false; },
        "Without the robot's springs, dampers, dry friction, tendons and gravity compensation");
    command.add_flag("--no-limits", arguments.no_limits, "Joints have no limits");
    command.add_flag("--no-contacts", arguments.no_contacts,
                     "Bodies pass through the ground, what stands around and one another");
    command.add_flag("--no-meshes", arguments.no_meshes,
                     "Meshes touch nothing; by default their files are read, and their convex hulls touch");
    command.add_flag("--self-collision", arguments.self_collision, "Limbs touch one another");
    command
        .add_option("--every", arguments.every,
                    "Steps from one row of the record to the next; by the adaptive rule also parts of one")
        ->check(CLI::Range(1e-6, 1e9))
        ->capture_default_str();
    command
        .add_option(
            "-o,--output", arguments.output,
            "Record: CSV, or JSON by its name; -: standard output; none: a summary on a terminal, otherwise "
            "the record")
        ->type_name("FILE");
    command.add_flag("--summary", arguments.summary, "Summary as JSON, on standard output");
    command.footer(
        "A step that fails ends the record there; the message says when, and the exit code is 3.\n"
        "\n"
        "Example:\n"
        "  grbda simulate humanoid.urdf --duration 2 --ground 0 --servo knee=200,5 -o fall.csv --summary\n");
}

/// The plan, where what is asked for makes sense.
MotionPlan plan_of(const Model& model, const SimulateArguments& arguments) {
    MotionPlan plan{model,
                    options_of(model, arguments),
                    ground_of(arguments),
                    ground_motion_of(arguments),
                    ControlTable(model),
                    Pushes(model, arguments.pushes),
                    arguments.duration,
                    arguments.every,
                    arguments.model.quiet};
    try {
        const Simulator simulator(model, plan.options, plan.ground);
    } catch (const std::invalid_argument& error) {
        throw CallError(error.what());
    }
    if (!arguments.controls.empty())
        plan.controls = ControlTable(model, describe::read_text(arguments.controls), arguments.controls);
    plan.controls.require_servos(model, plan.options);
    return plan;
}

int simulate(const SimulateArguments& arguments) {
    require_duration(arguments);
    require_rows(arguments);
    std::vector<std::string> inputs = arguments.model.files;
    for (const std::string& file : {arguments.controls, arguments.terrain, arguments.start})
        if (!file.empty()) inputs.push_back(file);
    if (!spares_inputs(arguments.output, inputs)) return Exit::bad_call;
    const Model loaded = load_with_hulls(arguments);
    if (!spares_inputs(arguments.output, loaded.files)) return Exit::bad_call;
    const bool many = is_states_file(loaded, arguments.start);
    const Starts starts = find_starts(loaded, "--start", arguments.start, arguments.model.quiet);
    const Model model = with_gravity(loaded, starts.gravity);
    if (!arguments.model.quiet) print_findings(model.diagnostics, arguments.model.notes);
    if (!arguments.model.quiet) warn_about_limits(model, arguments);
    if (!arguments.model.quiet) warn_about_duration(arguments);
    if (!arguments.model.quiet && !arguments.no_contacts && !arguments.no_meshes)
        warn_about_touch(model, arguments.ground || !arguments.terrain.empty());

    const MotionPlan plan = plan_of(model, arguments);
    const std::string hint = mass_hint(model);
    if (!hint.empty() && (describe::moving_mass(model) == 0 || !can_step(plan, starts.states.front())))
        throw NoAnswer(hint.substr(0, hint.size() - 1));
    catch_signals();
    std::optional<RecordFile> record;
    const bool is_told = is_for_terminal(arguments.output) && !arguments.summary;
    if (!is_told && (!arguments.output.empty() || !arguments.summary))
        record.emplace(arguments.output, Record(model).columns(), many, starts.states.size());
    const std::vector<Summary> motions =
        simulate_all(plan, starts.states, arguments.threads, record ? &*record : nullptr);
    if (arguments.summary) write_output(describe::write_json(summary_of(motions, many)), "");
    if (is_told) print_text(motions, many);
    if (!arguments.model.quiet) warn_about_steps(motions);
    int exit = Exit::success;
    for (std::size_t i = 0; i < motions.size(); ++i) {
        const Summary& summary = motions[i];
        if (summary.status == "ok") continue;
        if (many) std::fprintf(stderr, "states[%zu]: ", i);
        std::fprintf(stderr, "%s: %s\n", summary.message.c_str(), summary.status.c_str());
        exit = Exit::no_answer;
    }
    if (signal_received() != 0) return 128 + signal_received();
    return exit;
}

}  // namespace grbda::tool
