#include "motion.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <optional>

#include "describe/describe.hpp"
#include "describe/summary.hpp"
#include "grbda/constraints/closure.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

volatile std::sig_atomic_t received = 0;  // a signal that requests termination

/// A progress line on a terminal; steps may be reported from any thread.
class Progress {
public:
    Progress(bool wanted, double steps) : shown_(wanted && isatty(STDERR_FILENO) != 0), all_(steps) {}
    ~Progress() {
        if (shown_) std::fputs("\r\033[K", stderr);
    }
    void step() {
        if (!shown_) return;
        const int now = static_cast<int>(100 * double(++steps_) / all_);
        int last = percent_;
        if (now <= last || !percent_.compare_exchange_strong(last, now)) return;
        std::fprintf(stderr, "\r%3d %% [%-50.*s]", now, now / 2,
                     "==================================================");
    }

private:
    bool shown_;
    double all_;
    std::atomic<long> steps_ = 0;
    std::atomic<int> percent_ = -1;
};

constexpr double same_time = 1e-7;  // of a step: a row that is nearer to its end is one at the end

long steps_of(const MotionPlan& plan) { return std::max(1L, std::lround(plan.duration / plan.options.step)); }

void count(const StepOutcome& outcome, const Simulator& simulator, Summary& summary) {
    summary.crowded_steps += outcome.crowded ? 1 : 0;
    summary.unsolved_steps += outcome.contact.status != Status::ok ? 1 : 0;
    summary.inexact_steps += outcome.contact.exact ? 0 : 1;
    summary.most_contacts = std::max(summary.most_contacts, outcome.contacts);
    summary.most_parts = std::max(summary.most_parts, outcome.parts);
    summary.work.add(outcome.energy);
    for (const ContactState& x : simulator.contacts())
        summary.largest_overlap = std::max(summary.largest_overlap, -x.gap);
}

/// One motion, with its rows.
class Run {
public:
    Run(const MotionPlan& plan, std::size_t number, RecordFile* file)
        : plan_(plan),
          number_(number),
          file_(file),
          record_(plan.model),
          data_(plan.model),
          simulator_(plan.model, plan.options, plan.ground) {
        simulator_.set_ground(plan.ground, plan.ground_motion);
        if (plan.options.rule == StepRule::adaptive) within_.emplace(plan.model, plan.options);
    }

    Summary go(const Start& start, Progress& progress) {
        if (const Result result = simulator_.set_state(start.q, start.qd); !result.ok()) {
            summary_.status = to_string(result.status);
            summary_.message = "the robot cannot start there";
        } else {
            take_steps(start, progress);
        }
        if (file_) file_->finish(number_);
        return summary_;
    }

private:
    void take_steps(const Start& start, Progress& progress) {
        ControlTable controls = plan_.controls;
        Pushes pushes = plan_.pushes;
        controls.hold(plan_.model, plan_.options, start.q, start.targets);
        summary_.energy_start = simulator_.energies().sum();
        look(true);
        const long steps = steps_of(plan_);
        while (summary_.steps < steps && summary_.status == "ok") {
            Controls now = controls.at(simulator_.time());
            now.external = pushes.at(simulator_.time());
            const StepOutcome outcome = simulator_.step(now);
            if (!outcome.result.ok()) {
                fail(outcome.result);
                break;
            }
            count(outcome, simulator_, summary_);
            ++summary_.steps;
            if (received != 0) {
                summary_.status = "interrupted";
                summary_.message = "interrupted at " + std::to_string(simulator_.time()) + " s";
            }
            look_within();
            look(ends_on_row());
            progress.step();
        }
        look(last_row_ < summary_.steps);
        summary_.energy_end = simulator_.energies().sum();
        summary_.time = simulator_.time();
        summary_.switches = simulator_.switches();
    }

    void fail(const Result& result) {
        summary_.status = to_string(result.status);
        summary_.message = "the step from " + std::to_string(simulator_.time()) + " s failed";
        if (result.cluster >= 0)
            summary_.message += " in " + describe::cluster_joints(plan_.model, result.cluster);
    }

    bool has_whole_steps() const { return plan_.every == std::round(plan_.every); }

    bool ends_on_row() const {
        const auto steps = double(summary_.steps);
        if (has_whole_steps()) return std::fmod(steps, plan_.every) == 0;
        return std::abs(steps - std::round(steps / plan_.every) * plan_.every) < same_time;
    }

    /// Adds the rows within the last step, by its dense output.
    void look_within() {
        if (!file_ || !within_ || has_whole_steps()) return;
        const double end = double(summary_.steps), begin = end - 1;
        VectorX<double> q = simulator_.q(), qd = simulator_.velocity();
        for (double row = std::floor((begin + same_time) / plan_.every) + 1;; ++row) {
            const double place = row * plan_.every;  // steps since the start
            if (place > end - same_time) return;
            const double time = simulator_.time() - (end - place) * plan_.options.step;
            if (!simulator_.state_at(time, q, qd).ok() || !within_->set_state(q, qd, time).ok()) continue;
            file_->add(number_, record_.row(*within_, closure_residual(plan_.model, data_, q).residual));
        }
    }

    void look(bool recorded) {
        const double residual = closure_residual(plan_.model, data_, simulator_.q()).residual;
        summary_.largest_residual = std::max(summary_.largest_residual, residual);
        if (!recorded) return;
        last_row_ = summary_.steps;
        if (file_) file_->add(number_, record_.row(simulator_, residual));
    }

    const MotionPlan& plan_;
    std::size_t number_;
    RecordFile* file_;
    Record record_;
    Data data_;
    Simulator simulator_;
    std::optional<Simulator> within_;  ///< at a time within a step
    Summary summary_;
    long last_row_ = 0;
};

}  // namespace

OrderedJson to_json(const Summary& summary) {
    OrderedJson out;
    out["status"] = summary.status;
    if (!summary.message.empty()) out["message"] = summary.message;
    out["time"] = summary.time;
    out["steps"] = summary.steps;
    out["energy_start"] = summary.energy_start;
    out["energy_end"] = summary.energy_end;
    out["work"] = {{"controls", summary.work.controls},
                   {"passive", summary.work.passive},
                   {"impulses", summary.work.impulses},
                   {"ground", summary.work.ground},
                   {"repair", summary.work.repair}};
    out["largest_violation"] = summary.work.violation;
    out["most_parts"] = summary.most_parts;
    out["largest_residual"] = summary.largest_residual;
    out["switches"] = summary.switches;
    out["most_contacts"] = summary.most_contacts;
    out["largest_overlap"] = summary.largest_overlap;
    out["crowded_steps"] = summary.crowded_steps;
    out["unsolved_steps"] = summary.unsolved_steps;
    out["inexact_steps"] = summary.inexact_steps;
    return out;
}

std::string to_text(const Summary& summary) {
    using describe::number;
    const auto line = [](const std::string& name, const std::string& text) {
        return "  " + describe::padded(name, 11) + text + "\n";
    };
    std::string text = summary.status + ": " + number(summary.time) + " s in " +
                       std::to_string(summary.steps) + (summary.steps == 1 ? " step\n" : " steps\n");
    text +=
        line("energy", "from " + number(summary.energy_start) + " J to " + number(summary.energy_end) + " J");
    if (summary.work.controls != 0)
        text += line("controls", "work of " + number(summary.work.controls) + " J");
    text += line("contacts", summary.most_contacts == 0
                                 ? "none"
                                 : "at most " + std::to_string(summary.most_contacts) + ", overlap up to " +
                                       number(std::max(0., summary.largest_overlap), 2) + " m");
    text += line("loops", "open by up to " + number(summary.largest_residual, 2) +
                              " (rad, or relative to their size)");
    return text;
}

bool can_step(const MotionPlan& plan, const Start& start) {
    MotionPlan first = plan;
    first.duration = first.options.step;
    Progress silent(false, 1);
    return Run(first, 0, nullptr).go(start, silent).status != to_string(Status::singular_inertia);
}

std::vector<Summary> simulate_all(const MotionPlan& plan, const std::vector<Start>& starts, int threads,
                                  RecordFile* record) {
    Progress progress(!plan.quiet, double(steps_of(plan)) * double(starts.size()));
    std::vector<Summary> summaries(starts.size());
    const auto simulate = [&](std::size_t i) { summaries[i] = Run(plan, i, record).go(starts[i], progress); };
    tbb::task_arena arena(std::min(threads, tbb::info::default_concurrency()));
    arena.execute(
        [&] { tbb::parallel_for(std::size_t{0}, starts.size(), simulate, tbb::simple_partitioner()); });
    if (record) record->close();
    return summaries;
}

void catch_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (std::signal(signal, [](int number) { received = number; }) == SIG_IGN)
            std::signal(signal, SIG_IGN);
}

int signal_received() { return received; }

}  // namespace grbda::tool
