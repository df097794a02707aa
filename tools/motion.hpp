#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "control_table.hpp"
#include "json_text.hpp"
#include "record.hpp"
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

struct Motion {
    Record record;
    Summary summary;
};

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

/// One for each start, over so many threads.
std::vector<Motion> simulate_all(const MotionPlan& plan, const std::vector<Start>& starts, int threads);

/// Rows under a header; of many a first column `simulation`, which counts them from 0.
std::string as_csv(const std::vector<Motion>& motions, bool many);
/// {"columns": […], "rows": [[…], …]}; of many {"columns": […], "simulations": [[[…], …], …]}
std::string as_json(const std::vector<Motion>& motions, bool many);

}  // namespace grbda::tool
