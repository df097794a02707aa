#include "motion.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>

#include "describe.hpp"
#include "grbda/algorithms/closure.hpp"

namespace grbda::tool {
namespace {

/// A line that grows, where someone looks; told of steps from any thread.
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

Motion simulate_one(const MotionPlan& plan, const Start& start, Progress& progress) {
    Motion motion{Record(plan.model), {}};
    Summary& summary = motion.summary;
    Simulator simulator(plan.model, plan.options, plan.ground);
    if (const Result result = simulator.set_state(start.q, start.qd); !result.ok()) {
        summary.status = to_string(result.status);
        summary.message = "the robot cannot start there";
        return motion;
    }
    ControlTable controls = plan.controls;
    controls.hold(start.q);
    Data<double> data(plan.model);
    const auto look = [&](bool recorded) {
        const double residual = closure_residual<double>(plan.model, data, simulator.q()).residual;
        summary.largest_residual = std::max(summary.largest_residual, residual);
        if (recorded) motion.record.take(simulator, residual);
    };
    summary.energy_start = simulator.energies().sum();
    look(true);
    for (; summary.steps < steps_of(plan); ++summary.steps) {
        const StepOutcome outcome = simulator.step(controls.at(simulator.time()));
        if (!outcome.result.ok()) {
            summary.status = to_string(outcome.result.status);
            summary.message = "the step from " + std::to_string(simulator.time()) + " s failed";
            if (outcome.result.cluster >= 0)
                summary.message += " in " + cluster_joints(plan.model, outcome.result.cluster);
            break;
        }
        count(outcome, simulator, summary);
        look((summary.steps + 1) % plan.every == 0);
        progress.step();
    }
    summary.energy_end = simulator.energies().sum();
    summary.time = simulator.time();
    summary.switches = simulator.switches();
    return motion;
}

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

std::vector<Motion> simulate_all(const MotionPlan& plan, const std::vector<Start>& starts, int threads) {
    Progress progress(!plan.quiet, double(steps_of(plan)) * double(starts.size()));
    std::vector<Motion> motions(starts.size(), Motion{Record(plan.model), {}});
    const auto simulate = [&](std::size_t i) { motions[i] = simulate_one(plan, starts[i], progress); };
    tbb::task_arena arena(std::min(threads, tbb::info::default_concurrency()));
    arena.execute(
        [&] { tbb::parallel_for(std::size_t{0}, starts.size(), simulate, tbb::simple_partitioner()); });
    return motions;
}

std::string as_csv(const std::vector<Motion>& motions, bool many) {
    std::string text = many ? "simulation," : "";
    const std::vector<std::string>& columns = motions.front().record.columns();
    for (std::size_t k = 0; k < columns.size(); ++k) text += (k > 0 ? "," : "") + csv_cell(columns[k]);
    text += "\n";
    for (std::size_t i = 0; i < motions.size(); ++i)
        for (const std::vector<double>& row : motions[i].record.rows()) {
            if (many) text += std::to_string(i) + ",";
            for (std::size_t k = 0; k < row.size(); ++k) text += (k > 0 ? "," : "") + number(row[k], 17);
            text += "\n";
        }
    return text;
}

std::string as_json(const std::vector<Motion>& motions, bool many) {
    OrderedJson out;
    out["columns"] = motions.front().record.columns();
    if (!many) {
        out["rows"] = motions.front().record.rows();
        return write_json(out);
    }
    out["simulations"] = OrderedJson::array();
    for (const Motion& motion : motions) out["simulations"].push_back(motion.record.rows());
    return write_json(out);
}

}  // namespace grbda::tool
