#include "graph.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <utility>

namespace grbda::generated {
namespace {

/// Applies to all lanes; a constant repeats its first lane beyond its width.
template <class F>
Lanes each(const F& value) {
    Lanes lanes;
    for (std::size_t l = 0; l < lanes.size(); ++l) lanes[l] = value(l);
    return lanes;
}

double computed(Op op, double a, double b) {
    switch (op) {
        case Op::add: return a + b;
        case Op::subtract: return a - b;
        case Op::multiply: return a * b;
        case Op::divide: return a / b;
        case Op::negate: return -a;
        case Op::root: return std::sqrt(a);
        case Op::smaller: return b < a ? b : a;
        case Op::with_sign: return std::copysign(a, b);
        case Op::arc: return std::atan2(a, b);
        case Op::sine: return std::sin(a);
        case Op::cosine: return std::cos(a);
        case Op::constant:
        case Op::input:
        case Op::broadcast:
        case Op::pack:
        case Op::lane:
        case Op::lane_sum: break;
    }
    return a;
}

}  // namespace

std::size_t Graph::Hash::operator()(const Node& node) const {
    std::size_t h = static_cast<std::size_t>(node.op) * 8 + node.width;
    for (const int x : {node.a, node.b})
        h = (h ^ static_cast<std::size_t>(x)) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h;
}

int Graph::intern(const Node& node) {
    const auto [place, is_new] = places_.emplace(node, size());
    if (is_new) nodes_.push_back(node);
    return place->second;
}

int Graph::constant(double value, int width) {
    return constants(each([&](std::size_t) { return value; }), width);
}

int Graph::constants(const Lanes& values, int width) {
    const auto w = static_cast<std::size_t>(width);
    const Lanes lanes = each([&](std::size_t l) { return values[l < w ? l : 0] + 0.0; });  // no negative zero
    const auto [place, is_new] = constant_places_.emplace(
        std::bit_cast<std::array<std::uint64_t, most_lanes>>(lanes), static_cast<int>(constants_.size()));
    if (is_new) constants_.push_back(lanes);
    return intern({Op::constant, static_cast<unsigned char>(width), place->second, 0});
}

bool Graph::all(int i, double value) const {
    return is_constant(i) && values(i) == each([&](auto) { return value; });
}

int Graph::widened(int a, int width) {
    if (nodes_[a].width == width) return a;
    if (is_constant(a)) return constant(values(a)[0], width);
    return intern({Op::broadcast, static_cast<unsigned char>(width), a, 0});
}

int Graph::folded(Op op, int a, int b) {
    const Lanes x = values(a), y = values(b);
    return constants(each([&](std::size_t l) { return computed(op, x[l], y[l]); }), nodes_[a].width);
}

int Graph::commutative(Op op, int a, int b) {
    if (b < a) std::swap(a, b);
    return intern({op, nodes_[a].width, a, b});
}

int Graph::negated(int a) {
    const Node node = nodes_[a];
    if (node.op == Op::constant) return folded(Op::negate, a, a);
    if (node.op == Op::negate) return node.a;
    if (node.op == Op::subtract) return difference(node.b, node.a);
    if (node.op == Op::broadcast) return widened(negated(node.a), node.width);
    return intern({Op::negate, node.width, a, 0});
}

int Graph::sum(int a, int b) {
    if (all(a, 0)) return b;
    if (all(b, 0)) return a;
    if (nodes_[b].op == Op::negate) return difference(a, nodes_[b].a);
    if (nodes_[a].op == Op::negate) return difference(b, nodes_[a].a);
    if (is_constant(b)) std::swap(a, b);
    if (is_constant(a) && nodes_[b].op == Op::add)  // the constant is the first or second term of a sum
        for (const auto& [c, x] : {std::pair{nodes_[b].a, nodes_[b].b}, std::pair{nodes_[b].b, nodes_[b].a}})
            if (is_constant(c)) return sum(folded(Op::add, a, c), x);
    return commutative(Op::add, a, b);
}

int Graph::difference(int a, int b) {
    if (a == b) return constant(0, nodes_[a].width);
    if (is_constant(b)) return sum(negated(b), a);
    if (all(a, 0)) return negated(b);
    if (nodes_[b].op == Op::negate) return sum(a, nodes_[b].a);
    if (nodes_[a].op == Op::negate) return negated(sum(nodes_[a].a, b));
    const auto reversed = places_.find({Op::subtract, nodes_[a].width, b, a});
    if (reversed != places_.end()) return intern({Op::negate, nodes_[a].width, reversed->second, 0});
    return intern({Op::subtract, nodes_[a].width, a, b});
}

int Graph::product(int a, int b) {
    if (is_constant(b)) std::swap(a, b);
    if (all(a, 0)) return a;
    if (all(a, 1)) return b;
    if (all(a, -1)) return negated(b);
    if (nodes_[a].op == Op::negate) return negated(product(nodes_[a].a, b));
    if (nodes_[b].op == Op::negate)
        return is_constant(a) ? product(negated(a), nodes_[b].a) : negated(product(a, nodes_[b].a));
    if (is_constant(a)) {
        if (nodes_[b].op == Op::multiply)
            for (const auto& [c, x] :
                 {std::pair{nodes_[b].a, nodes_[b].b}, std::pair{nodes_[b].b, nodes_[b].a}})
                if (is_constant(c)) return product(folded(Op::multiply, a, c), x);
        const Lanes factors = values(a);
        bool negative = true;  // −2x and 2x share a product
        for (const double factor : factors) negative = negative && factor <= 0;
        if (negative) return negated(product(negated(a), b));
    }
    return commutative(Op::multiply, a, b);
}

int Graph::quotient(int a, int b) {
    if (all(a, 0) || all(b, 1)) return a;
    if (nodes_[a].op == Op::negate) return negated(quotient(nodes_[a].a, b));
    if (nodes_[b].op == Op::negate) return negated(quotient(a, nodes_[b].a));
    return intern({Op::divide, nodes_[a].width, a, b});
}

int Graph::smaller(int a, int b) {
    constexpr double none = 1e30;  // initial value of kernels that search for the smallest
    if (all(a, none)) return b;
    if (all(b, none)) return a;
    return intern({Op::smaller, nodes_[a].width, a, b});
}

int Graph::binary(Op op, int a, int b) {
    // lanes that are all equal are computed once
    const auto same = [&](int i) {
        return nodes_[i].op == Op::broadcast || (is_constant(i) && all(i, values(i)[0]));
    };
    const int width = std::max(nodes_[a].width, nodes_[b].width);
    if (width > 1 && nodes_[a].width == width && nodes_[b].width == width && same(a) && same(b) &&
        !(is_constant(a) && is_constant(b)))
        return widened(binary(op, lane(a, 0), lane(b, 0)), width);
    a = widened(a, width);
    b = widened(b, width);
    if (is_constant(a) && is_constant(b)) return folded(op, a, b);
    if (op == Op::add) return sum(a, b);
    if (op == Op::subtract) return difference(a, b);
    if (op == Op::multiply) return product(a, b);
    if (op == Op::divide) return quotient(a, b);
    if (op == Op::smaller) return smaller(a, b);
    return intern({op, nodes_[a].width, a, b});
}

int Graph::unary(Op op, int a) {
    const Node node = nodes_[a];
    if (is_constant(a)) return folded(op, a, a);
    if (node.op == Op::broadcast) return widened(unary(op, node.a), node.width);
    if (op == Op::negate) return negated(a);
    if (op == Op::sine && node.op == Op::negate) return negated(unary(op, node.a));
    if (op == Op::cosine && node.op == Op::negate) return unary(op, node.a);
    return intern({op, node.width, a, 0});
}

int Graph::lane(int a, int which) {
    const Node node = nodes_[a];
    if (node.width == 1) return a;
    if (node.op == Op::constant) return constant(values(a)[grbda::at(which)]);
    if (node.op == Op::broadcast) return node.a;
    if (node.op == Op::pack) return numbers(a)[grbda::at(which)];
    if (node.op == Op::negate) return negated(lane(node.a, which));
    return intern({Op::lane, 1, a, which});
}

int Graph::lane_sum(int a, int lanes) {
    const Node node = nodes_[a];
    if (node.op == Op::negate) return negated(lane_sum(node.a, lanes));
    if (node.op == Op::constant || node.op == Op::broadcast || node.op == Op::pack) {
        int total = lane(a, 0);
        for (int l = 1; l < lanes; ++l) total = binary(Op::add, total, lane(a, l));
        return total;
    }
    return intern({Op::lane_sum, 1, a, lanes});
}

int Graph::pack(const Places& numbers, int width) {
    const auto w = static_cast<std::size_t>(width);
    const Node& first = nodes_[numbers[0]];
    bool same = true, constant = true, alike = true, whole = first.op == Op::lane;
    for (std::size_t l = 0; l < w; ++l) {
        const Node& node = nodes_[numbers[l]];
        same = same && numbers[l] == numbers[0];
        constant = constant && node.op == Op::constant;
        alike = alike && node.op == first.op;
        whole = whole && node.op == Op::lane && node.a == first.a && node.b == static_cast<int>(l);
    }
    if (same) return widened(numbers[0], width);
    if (constant)
        return constants(each([&](std::size_t l) { return values(numbers[l < w ? l : 0])[0]; }), width);
    if (whole && nodes_[first.a].width == width) return first.a;
    if (alike && (first.op == Op::sine || first.op == Op::cosine || first.op == Op::negate)) {
        Places operands{};
        for (std::size_t l = 0; l < w; ++l) operands[l] = nodes_[numbers[l]].a;
        return unary(first.op, pack(operands, width));
    }
    Places padded{};
    for (std::size_t l = 0; l < w; ++l) padded[l] = numbers[l];
    const auto [place, is_new] = pack_places_.emplace(padded, static_cast<int>(packs_.size()));
    if (is_new) packs_.push_back(padded);
    return intern({Op::pack, static_cast<unsigned char>(width), place->second, 0});
}

}  // namespace grbda::generated
