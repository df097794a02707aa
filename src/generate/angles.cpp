#include <algorithm>

#include "statements.hpp"

// Writes the sines and cosines of all angles first, four at a time.

namespace grbda::generated {

/// Returns whether a node is a sum of an input and constants. It is small enough for the short reduction if
/// the input is.
bool Statements::is_given(int i) const {
    const Op op = graph_[i].op;
    if (op == Op::constant || op == Op::input) return true;
    if (op != Op::add && op != Op::negate && op != Op::pack) return false;
    bool given = true;
    graph_.each_operand(i, [&](int operand) { given = given && is_given(operand); });
    return given;
}

void Statements::put_with_operands(int i) {
    if (done_[i]) return;
    graph_.each_operand(i, [&](int operand) { put_with_operands(operand); });
    if (!inside_[i]) statement(i);
    done_[i] = 1;
}

void Statements::turn_angles() {
    std::map<int, Turned> angles;
    for (const int i : order_) {
        const Op op = graph_[i].op;
        if ((op == Op::sine || op == Op::cosine) && is_given(graph_[i].a))
            angles.emplace(graph_[i].a, Turned{-1, -1}).first->second[op == Op::cosine] = i;
    }
    for (const auto& [angle, nodes] : angles) {
        put_with_operands(angle);
        if (turns_whole(angle))
            turn_whole(angle, nodes);
        else
            for (int l = 0; l < graph_[angle].width; ++l) parts_.push_back({angle, l});
    }
    for (std::size_t first = 0; first < parts_.size(); first += most_lanes) turn_parts(first);
    for (const auto& [angle, nodes] : angles) {
        if (!turns_whole(angle)) gather_parts(angle, nodes);
        for (const int i : nodes)
            if (i >= 0) done_[i] = 1;
    }
}

bool Statements::turns_whole(int angle) const {
    return !dialect_.vectors || dialect_.states > 1 || graph_[angle].width == most_lanes;
}

void Statements::turn_whole(int angle, const Turned& nodes) {
    const std::string type = dialect_.type(graph_[angle].width), n = std::to_string(angle);
    const int lanes = dialect_.lanes(graph_[angle].width);
    line("const " + type + " a" + n + " = " + value(angle) + ";");
    line(type + " s" + n + ", c" + n + ";");
    line(dialect_.name + "_sincos" + std::to_string(lanes) + "(&a" + n + ", large, &s" + n + ", &c" + n +
         ");");
    for (std::size_t k = 0; k < nodes.size(); ++k)
        if (nodes[k] >= 0) declare(nodes[k], "sc"[k] + n);
}

/// Reduces four angles from `first` on; copies fill the last lanes.
void Statements::turn_parts(std::size_t first) {
    const std::string type = dialect_.type(most_lanes), n = "_" + std::to_string(first);
    const auto part = [&](int l) {
        const Part& p = parts_[std::min(first + at(l), parts_.size() - 1)];
        return value(p.angle) + (graph_[p.angle].width == 1 ? "" : "[" + std::to_string(p.lane) + "]");
    };
    line("const " + type + " a" + n + " = " + of_lanes(most_lanes, part) + ";");
    line(type + " s" + n + ", c" + n + ";");
    line(dialect_.name + "_sincos4(&a" + n + ", large, &s" + n + ", &c" + n + ");");
}

/// Writes the sine and cosine of an angle from the result of turn_parts().
void Statements::gather_parts(int angle, const Turned& nodes) {
    const int width = graph_[angle].width;
    const auto first =
        std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.angle == angle; });
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (nodes[k] < 0) continue;
        const auto part = [&](int l) {
            const auto place = static_cast<int>(first - parts_.begin()) + l;
            return "sc"[k] + ("_" + std::to_string(place / most_lanes * most_lanes)) + "[" +
                   std::to_string(place % most_lanes) + "]";
        };
        declare(nodes[k], width == 1 ? part(0) : of_lanes(width, part));
    }
}

}  // namespace grbda::generated
