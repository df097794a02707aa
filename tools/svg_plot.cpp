#include "svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "describe/describe.hpp"

namespace grbda::tool {
namespace {

using describe::number;

constexpr double plot_width = 900, plot_height = 220;  ///< of a panel's area for lines, px
constexpr double plot_left = 80, plot_top = 50, plot_gap = 60, legend_width = 220;  ///< around it
constexpr std::array line_colours = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd",
                                     "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#7f7f7f"};

struct Interval {
    double lower = std::numeric_limits<double>::infinity();
    double upper = -std::numeric_limits<double>::infinity();

    void add(double x) {
        if (!std::isfinite(x)) return;
        lower = std::min(lower, x);
        upper = std::max(upper, x);
    }
    /// The same with a width above zero.
    Interval widened() const {
        if (!(lower <= upper)) return {0, 1};
        const double least = std::max(1e-12, 1e-9 * std::max(std::abs(lower), std::abs(upper)));
        if (upper - lower >= least) return *this;
        const double half = std::max(0.5 * std::abs(lower), 0.5);
        return {lower - half, upper + half};
    }
    double share(double x) const { return (x - lower) / (upper - lower); }
};

/// Round numbers in the range: four to ten of them.
std::vector<double> ticks_in(const Interval& range) {
    const double rough = (range.upper - range.lower) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    const double step = power * (rough < 2 * power ? 1 : rough < 5 * power ? 2 : 5);
    std::vector<double> found;
    for (double i = std::ceil(range.lower / step); i * step <= range.upper; ++i) found.push_back(i * step);
    return found;
}

std::string svg_escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text)
        safe += letter == '<'   ? "&lt;"
                : letter == '>' ? "&gt;"
                : letter == '&' ? "&amp;"
                                : std::string(1, letter);
    return safe;
}

std::string svg_text(double x, double y, const char* kind, const std::string& text) {
    return "<text x=\"" + number(x, 6) + "\" y=\"" + number(y, 6) + "\" class=\"" + kind + "\">" +
           svg_escaped(text) + "</text>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2) {
    return "<line x1=\"" + number(x1, 6) + "\" y1=\"" + number(y1, 6) + "\" x2=\"" + number(x2, 6) +
           "\" y2=\"" + number(y2, 6) + "\" class=\"grid\"/>\n";
}

/// One panel whose area for lines begins at the height y0.
class Panel {
public:
    Panel(const PlotPanel& panel, const Interval& time, double y0) : panel_(panel), time_(time), y0_(y0) {
        Interval values;
        for (const PlotLine& line : panel.lines)
            for (const double y : line.y) values.add(y);
        values_ = values.widened();
    }

    std::string svg() const {
        std::string out = svg_text(plot_left, y0_ - 10, "title", panel_.title);
        for (const double t : ticks_in(time_))
            out += svg_line(x(t), y0_, x(t), y0_ + plot_height) +
                   svg_text(x(t), y0_ + plot_height + 16, "below", number(t, 6));
        for (const double value : ticks_in(values_))
            out += svg_line(plot_left, y(value), plot_left + plot_width, y(value)) +
                   svg_text(plot_left - 6, y(value) + 4, "before", number(value, 6));
        for (std::size_t k = 0; k < panel_.lines.size(); ++k) out += line(k);
        return out;
    }

private:
    double x(double t) const { return plot_left + plot_width * time_.share(t); }
    double y(double value) const { return y0_ + plot_height * (1 - values_.share(value)); }

    std::string line(std::size_t k) const {
        constexpr double row = 16;
        const PlotLine& line = panel_.lines[k];
        const std::string colour = line_colours[k % line_colours.size()];
        const double at = y0_ + 10 + row * double(k);
        std::string out = "<path d=\"M" + number(plot_left + plot_width + 14, 6) + " " + number(at - 4, 6) +
                          "h14\" stroke=\"" + colour + "\"/>\n" +
                          svg_text(plot_left + plot_width + 34, at, "legend", line.name);
        return out + "<path d=\"" + path(line) + "\" stroke=\"" + colour + "\"/>\n";
    }

    /// At most a few points for each pixel; a gap or a step back in time begins a new stroke.
    std::string path(const PlotLine& line) const {
        constexpr std::size_t most = 4000;
        const std::size_t stride = std::max<std::size_t>(1, line.x.size() / most);
        std::string out;
        bool is_drawing = false;
        double before = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < line.x.size(); i += stride) {
            const bool is_point = std::isfinite(line.x[i]) && std::isfinite(line.y[i]);
            is_drawing = is_drawing && is_point && line.x[i] >= before;
            if (!is_point) continue;
            out += (is_drawing ? "L" : "M") + number(x(line.x[i]), 6) + " " + number(y(line.y[i]), 6);
            is_drawing = true;
            before = line.x[i];
        }
        return out;
    }

    const PlotPanel& panel_;
    Interval time_, values_;
    double y0_;
};

constexpr const char* plot_style =
    "<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold}.below{text-anchor:middle}"
    ".before{text-anchor:end}.grid{stroke:#ccc}path{fill:none;stroke-width:1.5}rect{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}rect{fill:#1b1e22}}</style>\n";

}  // namespace

std::string svg_plot(const std::string& title, const std::vector<PlotPanel>& panels) {
    Interval time;
    for (const PlotPanel& panel : panels)
        for (const PlotLine& line : panel.lines)
            for (const double x : line.x) time.add(x);
    time = time.widened();
    const double whole_width = plot_left + plot_width + legend_width;
    const double whole_height = plot_top + (plot_height + plot_gap) * double(panels.size());
    const std::string size = number(whole_width, 6) + " " + number(whole_height, 6);
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" +
                      number(whole_width, 6) + "\" height=\"" + number(whole_height, 6) + "\">\n<title>" +
                      svg_escaped(title) + "</title>\n" + plot_style +
                      "<rect width=\"100%\" height=\"100%\"/>\n";
    for (std::size_t k = 0; k < panels.size(); ++k)
        out += Panel(panels[k], time, plot_top + (plot_height + plot_gap) * double(k)).svg();
    return out + svg_text(plot_left + plot_width / 2, whole_height - 14, "below", "time, s") + "</svg>\n";
}

}  // namespace grbda::tool
