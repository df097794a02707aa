#include "branches.hpp"

#include "baselines/workspace.hpp"

#include <algorithm>

namespace grbda::baselines {
namespace {

/// This many rows are eliminated at a time: each entry of
/// the rows above is loaded and stored once for all of them.
constexpr int kBlock = 4;

/// y −= a x, row_block numbers at once: both are readable and writable up to the next whole block.
void subtract_blocks(double a, const double* x, double* y, int count) {
    for (int c = 0; c < count; c += row_block)
        Eigen::Map<Eigen::Vector4d>(y + c) -= a * Eigen::Map<const Eigen::Vector4d>(x + c);
}

}  // namespace

Branches::Branches(const Model& model) {
    const std::size_t bodies = model.bodies.size();
    std::vector<std::vector<int>> children(bodies + 1);  // the world's are last
    for (std::size_t i = 0; i < bodies; ++i) {
        const int parent = model.bodies[i].parent;
        children[parent == world ? bodies : index(parent)].push_back(static_cast<int>(i));
    }
    first_of_body_.assign(bodies, 0);
    last_of_body_.assign(bodies, -1);
    place_of_v_.assign(index(model.nv_tree), 0);
    std::vector<int> open(children[bodies].rbegin(), children[bodies].rend());
    while (!open.empty()) {
        const int body = open.back();
        open.pop_back();
        add(model, body);
        open.insert(open.end(), children[index(body)].rbegin(), children[index(body)].rend());
    }
}

void Branches::add(const Model& model, int body) {
    const Body& added = model.bodies[body];
    int previous = last_of_body(added.parent);
    first_of_body_[index(body)] = size();
    for (int j = 0; j < velocity_size(added.joint); ++j) {
        const int place = size();
        v_.push_back(added.v + j);
        place_of_v_[index(added.v + j)] = place;
        before_.push_back(previous);
        run_.push_back(previous >= 0 && previous == place - 1 ? run_.back() : place);
        depth_.push_back(previous < 0 ? 0 : depth(previous) + 1);
        row_.push_back(packed_size_);
        packed_size_ += padded(depth_.back() + 1);
        previous = place;
    }
    last_of_body_[index(body)] = previous;
}

std::vector<Interval> intervals(const std::vector<char>& is_member) {
    std::vector<Interval> result;
    for (int i = static_cast<int>(is_member.size()) - 1; i >= 0; --i) {
        if (!is_member[static_cast<std::size_t>(i)]) continue;
        if (result.empty() || result.back().first != i + 1) result.push_back({i + 1, 0});
        result.back() = {i, result.back().size + 1};
    }
    return result;
}

std::vector<Interval> Branches::paths(const std::vector<int>& places) const {
    std::vector<char> is_member(v_.size(), 0);
    for (const int place : places)
        path(place, [&](int first, int count) { std::fill_n(is_member.begin() + first, count, char{1}); });
    return intervals(is_member);
}

std::vector<Interval> intersection(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    std::vector<Interval> result;
    for (const Interval& x : a)
        for (const Interval& y : b) {
            const int first = std::max(x.first, y.first);
            const int last = std::min(x.first + x.size, y.first + y.size);
            if (first < last) result.push_back({first, last - first});
        }
    return result;
}

BranchFactor::BranchFactor(const Branches& branches) {
    L_.setZero(branches.packed_size() + row_block);
    inverse.setZero(branches.size());
}

bool BranchFactor::factor(const Branches& branches) {
    Eigen::VectorXd& diagonal = inverse;  // of H until it is inverted
    for (int k = 0; k < branches.size(); ++k) diagonal[k] = row(branches, k)[branches.depth(k)];
    for (int last = branches.size() - 1; last >= 0;) {  // Featherstone 2008, Table 6.3
        const int count = std::min(kBlock, branches.place_in_run(last) + 1);
        for (int k = last; k > last - count; --k) {
            const double pivot = row(branches, k)[branches.depth(k)];
            if (!(pivot > kSmallestPivot * diagonal[k])) return false;
            inverse[k] = 1 / pivot;
            for (int i = k - 1; i > last - count; --i) eliminate(branches, k, i);
        }
        const int above = branches.before(last - count + 1);
        if (count == kBlock)
            branches.path(above, [&](int first, int size) {
                for (int i = first + size - 1; i >= first; --i) eliminate_block(branches, last, i);
            });
        else
            for (int k = last; k > last - count; --k)
                branches.path(above, [&](int first, int size) {
                    for (int i = first + size - 1; i >= first; --i) eliminate(branches, k, i);
                });
        last -= count;
    }
    return true;
}

void BranchFactor::eliminate(const Branches& branches, int k, int i) {
    const int depth = branches.depth(i);
    double* Lk = row(branches, k);
    const double a = Lk[depth] * inverse[k];
    subtract_blocks(a, Lk, row(branches, i), depth + 1);
    Lk[depth] = a;
}

void BranchFactor::eliminate_block(const Branches& branches, int last, int i) {
    const int depth = branches.depth(i);
    double *L0 = row(branches, last), *L1 = row(branches, last - 1), *L2 = row(branches, last - 2),
           *L3 = row(branches, last - 3), *Li = row(branches, i);
    const double a0 = L0[depth] * inverse[last], a1 = L1[depth] * inverse[last - 1],
                 a2 = L2[depth] * inverse[last - 2], a3 = L3[depth] * inverse[last - 3];
    const auto block = [](const double* x) { return Eigen::Map<const Eigen::Vector4d>(x); };
    for (int c = 0; c <= depth; c += row_block)
        Eigen::Map<Eigen::Vector4d>(Li + c) -=
            (a0 * block(L0 + c) + a1 * block(L1 + c)) + (a2 * block(L2 + c) + a3 * block(L3 + c));
    L0[depth] = a0;
    L1[depth] = a1;
    L2[depth] = a2;
    L3[depth] = a3;
}

void BranchFactor::solve_transposed(const Branches& branches, const std::vector<Interval>& support,
                                    double* x) const {
    for (const Interval& part : support)
        for (int i = part.first + part.size - 1; i >= part.first; --i) {
            const double* Li = row(branches, i);
            const double xi = x[i];
            branches.path(branches.before(i), [&](int first, int count) {
                const double* entries = Li + branches.depth(first);
                double* y = x + first;
                for (int j = 0; j < count; ++j) y[j] -= xi * entries[j];
            });
        }
}

void BranchFactor::solve(const Branches& branches, Eigen::VectorXd& x) const {
    for (int i = 0; i < branches.size(); ++i) {
        const double* Li = row(branches, i);
        double xi = x[i];
        branches.path(branches.before(i), [&](int first, int count) {
            const double* entries = Li + branches.depth(first);
            const double* y = x.data() + first;
            for (int j = 0; j < count; ++j) xi -= entries[j] * y[j];
        });
        x[i] = xi;
    }
}

}  // namespace grbda::baselines
