#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "dialect.hpp"
#include "limbs.hpp"
#include "recording.hpp"

// Converts a graph to C statements, in the order of its construction: depth first, as compilers prefer.

namespace grbda::generated {

/// Returns the nodes that outputs and checks need, operands first.
std::vector<int> needed(const Woven& woven);

class Statements {
public:
    Statements(const Dialect& dialect, const Recording& recording, const Woven& woven);

    /// Computes all nodes, and masks of the checks, in the body of a function with this name and these input
    /// parameters. Long bodies are split into `functions`, which precede it.
    struct Text {
        std::string functions, body;
    };
    Text text(const std::string& function, const std::string& parameters);
    /// Returns the expression for a node.
    std::string value(int node);
    /// Returns the condition that these checks pass, in all lanes or, for a batch, in each.
    std::string holds(const std::string& checks) const;

private:
    struct Part {
        int angle, lane;
    };
    using Turned = std::array<int, 2>;  ///< nodes: sine and cosine, −1 where not needed

    void use(int user, int operand);
    void keep(const Table<int>& nodes);
    std::string constant(int node) const;
    std::string input(int place) const;
    std::string expression(int node);
    std::string smaller(int node);
    std::string lane_sum(const std::string& x, int lanes) const;
    std::string of_lanes(int width, const std::function<std::string(int lane)>& lane) const;
    std::string called(const std::string& function, const Node& node);

    void line(const std::string& text) { pieces_.back() += "    " + text + "\n"; }
    void write();
    void declare(int node, const std::string& text);
    void statement(int node);
    std::string first_masks() const;
    std::string kept_numbers(const std::string& function) const;
    void check(int node);

    bool is_given(int node) const;
    void put_with_operands(int node);
    void turn_angles();
    bool turns_whole(int angle) const;
    void turn_whole(int angle, const Turned& nodes);
    void turn_parts(std::size_t first);
    void gather_parts(int angle, const Turned& nodes);

    const Dialect& dialect_;
    const Recording& recording_;
    const Woven& woven_;
    const Graph& graph_;
    std::vector<int> order_;
    Table<int> uses_;
    Table<char> in_sum_, inside_, done_;
    std::map<int, std::pair<std::string, std::string>> checks_;  ///< node → mask, condition
    std::map<std::string, int> masks_;                           ///< → width
    std::vector<Part> parts_;

    // one piece per function; a structure stores the numbers that later pieces need
    std::vector<std::string> pieces_;
    Table<int> piece_;   ///< node → piece in which it is computed
    Table<char> kept_;   ///< node → whether a later piece needs it
    int in_piece_ = 0;   ///< number of statements in the last one
    bool cut_ = false;   ///< there are several pieces
    bool over_ = false;  ///< all pieces are written
};

}  // namespace grbda::generated
