#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "tape.hpp"

// The operations of a computation, without repetitions: on numbers, and on vectors of 2 or 4 of them.
// Operations on constants and with zero and one are evaluated during construction.

namespace grbda::generated {

inline constexpr int most_lanes = 4;
using Lanes = std::array<double, most_lanes>;
using Places = std::array<int, most_lanes>;

struct Node {
    Op op = Op::constant;
    unsigned char width = 1;
    /// operands; for a constant its index in Graph::constants, for a pack in Graph::packs,
    /// for a lane the vector and its index, for a sum of lanes the vector and their number
    int a = 0, b = 0;

    bool operator==(const Node&) const = default;
};

class Graph {
public:
    int constant(double value, int width = 1);
    int constants(const Lanes& values, int width);
    int input(int place) { return intern({Op::input, 1, place, 0}); }
    int unary(Op op, int a);
    int binary(Op op, int a, int b);
    /// Adds one number of a vector.
    int lane(int a, int which);
    /// Adds the sum of the first `lanes` of a vector.
    int lane_sum(int a, int lanes);
    /// Adds a vector from numbers.
    int pack(const Places& numbers, int width);

    const Node& operator[](int i) const { return nodes_[i]; }
    int size() const { return static_cast<int>(nodes_.size()); }
    const Lanes& values(int i) const { return constants_[nodes_[i].a]; }
    const Places& numbers(int i) const { return packs_[nodes_[i].a]; }
    bool is_zero(int i) const { return is_constant(i) && all(i, 0); }
    bool is_constant(int i) const { return nodes_[i].op == Op::constant; }
    /// Calls action(operand) for each operand of a node.
    template <class Action>
    void each_operand(int i, const Action& action) const;

private:
    struct Hash {
        std::size_t operator()(const Node& node) const;
    };

    int intern(const Node& node);
    int widened(int a, int width);
    bool all(int i, double value) const;
    int negated(int a);
    int sum(int a, int b);
    int difference(int a, int b);
    int product(int a, int b);
    int quotient(int a, int b);
    int smaller(int a, int b);
    int folded(Op op, int a, int b);
    int commutative(Op op, int a, int b);

    Table<Node> nodes_;
    Table<Lanes> constants_;
    Table<Places> packs_;
    std::unordered_map<Node, int, Hash> places_;
    std::map<std::array<std::uint64_t, most_lanes>, int> constant_places_;  ///< by their bits
    std::map<Places, int> pack_places_;
};

constexpr bool is_unary(Op op) {
    return op == Op::negate || op == Op::root || op == Op::sine || op == Op::cosine;
}
constexpr bool is_binary(Op op) {
    return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide ||
           op == Op::smaller || op == Op::with_sign || op == Op::arc;
}

template <class Action>
void Graph::each_operand(int i, const Action& action) const {
    const Node& node = nodes_[i];
    if (node.op == Op::pack) {
        for (int l = 0; l < node.width; ++l) action(numbers(i)[grbda::at(l)]);
    } else if (node.op != Op::constant && node.op != Op::input) {
        action(node.a);
        if (is_binary(node.op)) action(node.b);
    }
}

}  // namespace grbda::generated
