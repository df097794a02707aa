#pragma once

#include <fstream>
#include <functional>
#include <string>

#include "grbda/model/data.hpp"
#include "scenario.hpp"

// Runs a motion and observes it: prints lines, writes a record, and checks its laws.

namespace scenes {

class Motion {
public:
    /// `record`: a file with a row for each step; empty: none. Throws std::runtime_error if writing fails.
    Motion(grbda::Simulator& simulator, const std::string& record);

    /// Also prints this entry of q, as a height.
    void follow(int height) { height_ = height; }

    /// Runs for this time with `controls(time)`; calls `see` after each step. Throws
    /// std::runtime_error if a step fails.
    void run(
        double seconds, const std::function<grbda::Controls(double)>& controls,
        const std::function<void()>& see = [] {});

    double largest_residual() const { return largest_residual_; }

private:
    void look();
    void tell() const;
    void write_header();

    grbda::Simulator& simulator_;
    int height_ = -1;
    grbda::Data data_;
    std::ofstream record_;
    double largest_residual_ = 0;
};

/// Impulse along the normals in the last step, N·s.
double normal_impulse(const grbda::Simulator& simulator);

/// Compares results with the laws of mechanics, one line each.
class Laws {
public:
    void check(const std::string& law, double found, double low, double high);
    bool kept() const { return kept_; }

private:
    bool kept_ = true;
};

}  // namespace scenes
