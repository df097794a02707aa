#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "control_table.hpp"
#include "json_text.hpp"
#include "record.hpp"
#include "record_file.hpp"
#include "starts.hpp"

// Motions of a robot, each from a start of its own, and what came of them.

namespace grbda::tool {

/// What came of a motion.
struct Summary {
    std::string status = "ok", message;
    double time = 0;  ///< s
    double energy_start = 0, energy_end = 0, largest_residual = 0, largest_overlap = 0;
    EnergyBalance work;  ///< of all steps; its violation the largest
    int most_contacts = 0, most_parts = 0;
    long steps = 0, switches = 0, crowded_steps = 0, unsolved_steps = 0, inexact_steps = 0;
};

OrderedJson to_json(const Summary& summary);

/// What all motions share.
struct MotionPlan {
    const Model& model;
    SimulatorOptions options;
    Ground ground;
    ControlTable controls;  ///< as read
    double duration = 0;    ///< s
    int every = 1;          ///< steps from row to row
    bool quiet = false;     ///< no line that grows, on a terminal
};

/// An interrupt or a request to end, unless ignored, from now on ends motions after the step that they are
/// in.
void catch_signals();
/// One for each start, over so many threads, with their records; null: none.
std::vector<Summary> simulate_all(const MotionPlan& plan, const std::vector<Start>& starts, int threads,
                                  RecordFile* record);
/// The signal that ended a run; 0: none.
int signal_received();

}  // namespace grbda::tool
