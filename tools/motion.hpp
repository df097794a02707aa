#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "control_table.hpp"
#include "describe/json_text.hpp"
#include "push.hpp"
#include "record.hpp"
#include "record_file.hpp"
#include "starts.hpp"

// Motions of a robot, each from its own start, and their results.

namespace grbda::tool {

using describe::OrderedJson;

/// The result of a motion.
struct Summary {
    std::string status = "ok", message;
    double time = 0;  ///< s
    double energy_start = 0, energy_end = 0, largest_residual = 0, largest_overlap = 0;
    EnergyBalance work;  ///< of all steps; its largest violation
    int most_contacts = 0, most_parts = 0;
    long steps = 0, switches = 0, crowded_steps = 0, unsolved_steps = 0, inexact_steps = 0;
};

OrderedJson to_json(const Summary& summary);

/// A few lines for a terminal.
std::string to_text(const Summary& summary);

/// Settings of all motions.
struct MotionPlan {
    const Model& model;
    SimulatorOptions options;
    Ground ground;
    GroundMotion ground_motion;
    ControlTable controls;  ///< as read from the file
    Pushes pushes;
    double duration = 0;  ///< s
    double every = 1;     ///< steps between rows; parts of one with the adaptive rule
    bool quiet = false;   ///< no progress line on a terminal
};

/// Makes an interrupt or a request to terminate, unless
/// ignored, end motions after their present step.
void catch_signals();
/// Returns whether the first step succeeds or fails for another reason than missing mass.
bool can_step(const MotionPlan& plan, const Start& start);
/// Simulates one motion per start, on this many threads, with their records; null: none.
std::vector<Summary> simulate_all(const MotionPlan& plan, const std::vector<Start>& starts, int threads,
                                  RecordFile* record);
/// The signal that ended a run; 0 if none.
int signal_received();

}  // namespace grbda::tool
