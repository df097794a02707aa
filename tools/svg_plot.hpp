#pragma once

#include <string>
#include <vector>

namespace grbda::tool {

/// A quantity over time. Numbers that are not finite are gaps.
struct PlotLine {
    std::string name;
    std::vector<double> x, y;
};

/// Lines over one pair of axes.
struct PlotPanel {
    std::string title;
    std::vector<PlotLine> lines;
};

/// Draws panels below one another, over a common time, as one SVG image.
std::string svg_plot(const std::string& title, const std::vector<PlotPanel>& panels);

}  // namespace grbda::tool
