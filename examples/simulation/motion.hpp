#pragma once

#include <fstream>
#include <functional>
#include <string>

#include "grbda/model/data.hpp"
#include "scenario.hpp"

// A motion that is watched: lines for the reader, rows for a record, and the laws that it has to keep.

namespace scenes {

class Motion {
public:
    /// `record`: a file for a row of each step; empty: none. Throws std::runtime_error where it cannot be.
    Motion(grbda::Simulator& simulator, const std::string& record);

    /// Also tells this position of q, as a height.
    void follow(int height) { height_ = height; }

    /// Steps for so long, under `controls` of the time; `see` looks after each step. Throws
    /// std::runtime_error where a step fails.
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
    grbda::Data<double> data_;
    std::ofstream record_;
    double largest_residual_ = 0;
};

/// N·s along the normals over the last step.
double normal_impulse(const grbda::Simulator& simulator);

/// Measured against what mechanics says, one line each.
class Laws {
public:
    void check(const std::string& law, double found, double low, double high);
    bool kept() const { return kept_; }

private:
    bool kept_ = true;
};

}  // namespace scenes
