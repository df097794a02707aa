#include "statements.hpp"

#include <charconv>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "kernels/constraint/embedding.hpp"

namespace grbda::generated {

std::string number_text(double x) {
    if (!std::isfinite(x)) throw std::logic_error("generate: a number of the model is not finite");
    std::array<char, 40> text{};
    std::string result(text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr);
    if (result.find_first_of(".en") == std::string::npos) result += ".0";
    return x < 0 ? "(" + result + ")" : result;
}

std::vector<int> needed(const Woven& woven) {
    Table<char> live(at(woven.graph.size()), 0);
    std::vector<int> open;
    const auto mark = [&](int i) {
        if (live[i]) return;
        live[i] = 1;
        open.push_back(i);
    };
    for (const Table<int>& output : woven.outputs)
        for (const int i : output) mark(i);
    for (const Table<int>* checks : {&woven.rconds, &woven.margins})
        for (const int i : *checks) mark(i);
    while (!open.empty()) {
        const int i = open.back();
        open.pop_back();
        woven.graph.each_operand(i, mark);
    }
    std::vector<int> order;
    for (int i = 0; i < woven.graph.size(); ++i)
        if (live[i]) order.push_back(i);
    return order;
}

Statements::Statements(const Dialect& dialect, const Recording& recording, const Woven& woven)
    : dialect_(dialect),
      recording_(recording),
      woven_(woven),
      graph_(woven.graph),
      order_(needed(woven)),
      uses_(at(graph_.size()), 0),
      in_sum_(at(graph_.size()), 0),
      inside_(at(graph_.size()), 0),
      done_(at(graph_.size()), 0),
      piece_(at(graph_.size()), 0),
      kept_(at(graph_.size()), 0) {
    for (const int i : order_) graph_.each_operand(i, [&](int operand) { use(i, operand); });
    for (const Table<int>& output : woven.outputs) keep(output);
    for (const Table<int>* checks : {&woven.rconds, &woven.margins}) keep(*checks);
    for (const int i : order_) {
        const Op op = graph_[i].op;
        inside_[i] =
            op == Op::constant || op == Op::input || (op == Op::multiply && uses_[i] == 1 && in_sum_[i]);
    }
    const auto add = [&](const Table<int>& nodes, const std::string& mask, const std::string& condition) {
        for (const int i : nodes) {
            if (graph_.is_constant(i)) continue;
            const int lanes = dialect_.lanes(graph_[i].width);
            const std::string name = lanes == 1 ? mask : mask + std::to_string(lanes);
            checks_[i] = {name, condition};
            masks_[name] = graph_[i].width;
        }
    };
    add(woven.rconds, "regular", " >= " + number_text(kernels::singular_rcond<double>()));
    add(woven.margins, "massive", " > 0.0");
}

void Statements::use(int user, int operand) {
    ++uses_[operand];
    const Op op = graph_[user].op;
    if (op == Op::add || op == Op::subtract) in_sum_[operand] = 1;
}

/// Selects the nodes with a statement of their own.
void Statements::keep(const Table<int>& nodes) {
    for (const int i : nodes) uses_[i] += 2;
}

namespace {

/// Compilers' time and memory grow faster than the length of a function.
constexpr int longest_piece = 3000;

}  // namespace

/// Writes all pieces, from the first one on.
void Statements::write() {
    pieces_.assign(1, "");
    parts_.clear();
    in_piece_ = 0;
    over_ = false;
    for (char& done : done_) done = 0;
    turn_angles();
    for (const int i : order_)
        if (!inside_[i] && !done_[i]) statement(i);
    over_ = true;
}

Statements::Text Statements::text(const std::string& function, const std::string& given) {
    write();
    if (pieces_.size() == 1) return {"", first_masks() + pieces_[0]};
    cut_ = true;
    for (const Table<int>& output : woven_.outputs)
        for (const int i : output) kept_[i] = 1;
    write();  // again: the needs of later pieces are now known
    Text text{kept_numbers(function), "    struct " + function + "_kept kept, *const k = &kept;\n" +
                                          "    k->large = large;\n" + first_masks()};
    std::string names, unused;
    for (const Argument& input : recording_.inputs) {
        names += input.name + ", ";
        unused += "    (void)" + input.name + ";\n";
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const std::string name = function + "_" + std::to_string(i + 1);
        text.functions += "static " + dialect_.constant("APART") + " void " + name + "(" + given + "struct " +
                          function + "_kept* k) {\n" + (i == 0 ? "    const int large = k->large;\n" : "") +
                          pieces_[i] + unused + (i == 0 ? "    (void)large;\n" : "") + "}\n\n";
        text.body += "    " + name + "(" + names + "k);\n";
    }
    return text;
}

/// Writes the structure of numbers that later pieces need.
std::string Statements::kept_numbers(const std::string& function) const {
    std::string text = "struct " + function + "_kept {\n    int large;\n";
    for (const auto& [mask, width] : masks_) text += "    " + dialect_.mask_type(width) + " " + mask + ";\n";
    for (const int i : order_)
        if (kept_[i] && !inside_[i])
            text += "    " + dialect_.type(graph_[i].width) + " t" + std::to_string(i) + ";\n";
    return text + "};\n\n";
}

std::string Statements::value(int i) {
    const Node& node = graph_[i];
    if (node.op == Op::constant) return constant(i);
    if (node.op == Op::input) return input(node.a);
    if (inside_[i]) return expression(i);
    const std::string name = "t" + std::to_string(i);
    if (!over_ && piece_[i] + 1 == static_cast<int>(pieces_.size())) return name;
    if (!over_) kept_[i] = 1;
    return cut_ ? "k->" + name : name;
}

std::string Statements::holds(const std::string& checks) const {
    std::string text;
    for (const auto& [name, width] : masks_) {
        if (name.rfind(checks, 0) != 0) continue;
        const std::string mask = (cut_ ? "k->" : "") + name;
        if (!text.empty()) text += " & ";
        text += dialect_.states > 1 || width == 1 ? mask : mask + "[0]";
        for (int l = 1; dialect_.states == 1 && l < width; ++l)
            text += " & " + mask + "[" + std::to_string(l) + "]";
    }
    return text;
}

std::string Statements::first_masks() const {
    std::string text;
    for (const auto& [mask, width] : masks_) {
        const int lanes = dialect_.lanes(width);
        const std::string type = dialect_.mask_type(width);
        const std::string all = lanes == 1 ? "1" : of_lanes(width, [](int) { return std::string("-1"); });
        text += "    " + (cut_ ? "k->" + mask : type + " " + mask) + " = " +
                (cut_ && lanes > 1 ? "(" + type + ")" : "") + all + ";\n";
    }
    return text;
}

void Statements::check(int i) {
    const auto found = checks_.find(i);
    if (found == checks_.end()) return;
    const auto& [mask, condition] = found->second;
    line((cut_ ? "k->" : "") + mask + " &= " + value(i) + condition + ";");
}

/// Returns the lanes' expressions in braces.
std::string Statements::of_lanes(int width, const std::function<std::string(int lane)>& lane) const {
    std::string text;
    for (int l = 0; l < dialect_.lanes(width); ++l) text += (l > 0 ? ", " : "{") + lane(l);
    return text + "}";
}

std::string Statements::constant(int i) const {
    const Lanes& values = graph_.values(i);
    const int width = graph_[i].width;
    if (dialect_.lanes(width) == 1) return number_text(values[0]);
    return "(" + dialect_.type(width) + ")" +
           of_lanes(width, [&](int l) { return number_text(values[dialect_.states > 1 ? 0 : at(l)]); });
}

std::string Statements::input(int place) const {
    for (const Argument& argument : recording_.inputs) {
        if (place < argument.size) return argument.name + "[" + std::to_string(place) + "]";
        place -= argument.size;
    }
    return {};
}

std::string Statements::expression(int i) {
    const Node& node = graph_[i];
    const std::string type = "(" + dialect_.type(node.width) + ")";
    const auto between = [&](const char* sign) { return value(node.a) + sign + value(node.b); };
    switch (node.op) {
        case Op::add: return between(" + ");
        case Op::subtract: return between(" - ");
        case Op::multiply: return between(" * ");
        case Op::divide: return between(" / ");
        case Op::negate: return "-" + value(node.a);
        case Op::smaller: return smaller(i);
        case Op::broadcast: return type + of_lanes(node.width, [&](int) { return value(node.a); });
        case Op::pack:
            return type + of_lanes(node.width, [&](int l) { return value(graph_.numbers(i)[at(l)]); });
        case Op::lane: return value(node.a) + "[" + std::to_string(node.b) + "]";
        case Op::lane_sum: return lane_sum(value(node.a), node.b);
        case Op::root: return called("sqrt", node);
        case Op::sine: return called("sin", node);
        case Op::cosine: return called("cos", node);
        case Op::with_sign: return called("copysign", node);
        case Op::arc: return called("atan2", node);
        case Op::constant:
        case Op::input: break;
    }
    return value(i);
}

/// Returns a unless b < a, lane by lane.
std::string Statements::smaller(int i) {
    const Node& node = graph_[i];
    const std::string a = value(node.a), b = value(node.b);
    if (dialect_.lanes(node.width) == 1) return b + " < " + a + " ? " + b + " : " + a;
    return "(" + dialect_.type(node.width) + ")" + of_lanes(node.width, [&](int l) {
               const std::string lane = "[" + std::to_string(l) + "]";
               return "(" + b + ")" + lane + " < (" + a + ")" + lane + " ? (" + b + ")" + lane + " : (" + a +
                      ")" + lane;
           });
}

std::string Statements::lane_sum(const std::string& x, int lanes) const {
    if (lanes == 4) return "(" + x + "[0] + " + x + "[2]) + (" + x + "[1] + " + x + "[3])";
    std::string text = x + "[0]";
    for (int l = 1; l < lanes; ++l) text += " + " + x + "[" + std::to_string(l) + "]";
    return text;
}

/// Calls a function of <math.h> for each lane.
std::string Statements::called(const std::string& function, const Node& node) {
    const auto call = [&](const std::string& lane) {
        const auto operand = [&](int k) { return lane.empty() ? value(k) : "(" + value(k) + ")" + lane; };
        return function + "(" + operand(node.a) + (is_binary(node.op) ? ", " + operand(node.b) : "") + ")";
    };
    if (dialect_.lanes(node.width) == 1) return call("");
    return "(" + dialect_.type(node.width) + ")" +
           of_lanes(node.width, [&](int l) { return call("[" + std::to_string(l) + "]"); });
}

/// Adds a node's statement.
void Statements::declare(int i, const std::string& text) {
    const std::string name = "t" + std::to_string(i);
    piece_[i] = static_cast<int>(pieces_.size()) - 1;
    line("const " + dialect_.type(graph_[i].width) + " " + name + " = " + text + ";");
    if (cut_ && kept_[i]) line("k->" + name + " = " + name + ";");
    ++in_piece_;
}

void Statements::statement(int i) {
    if (in_piece_ == longest_piece) {
        pieces_.emplace_back();
        in_piece_ = 0;
    }
    declare(i, expression(i));
    check(i);
}

}  // namespace grbda::generated
