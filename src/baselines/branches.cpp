#include "branches.hpp"

#include <algorithm>

namespace grbda::baselines {
namespace {

using Entries = Eigen::Map<Eigen::VectorXd>;
using ConstEntries = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

Branches::Branches(const Model& model) {
    const std::size_t bodies = model.bodies.size();
    std::vector<std::vector<int>> children(bodies + 1);  // of the world last
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
        packed_size_ += depth_.back() + 1;
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
    L_.setZero(branches.packed_size());
    inverse.setZero(branches.size());
}

bool BranchFactor::factor(const Branches& branches) {
    Eigen::VectorXd& diagonal = inverse;  // of H until its place is reached
    for (int k = 0; k < branches.size(); ++k) diagonal[k] = row(branches, k)[branches.depth(k)];
    for (int k = branches.size() - 1; k >= 0; --k) {  // Featherstone 2008, Table 6.3
        double* Lk = row(branches, k);
        const double pivot = Lk[branches.depth(k)];
        if (!(pivot > kSmallestPivot * diagonal[k])) return false;
        inverse[k] = 1 / pivot;
        branches.path(k, [&](int first, int count) {
            for (int i = std::min(first + count, k) - 1; i >= first; --i) {
                const int depth = branches.depth(i);
                const double a = Lk[depth] * inverse[k];
                Entries(row(branches, i), depth + 1).noalias() -= a * ConstEntries(Lk, depth + 1);
                Lk[depth] = a;
            }
        });
    }
    return true;
}

void BranchFactor::solve_transposed(const Branches& branches, const std::vector<Interval>& support,
                                    double* x) const {
    for (const Interval& part : support)
        for (int i = part.first + part.size - 1; i >= part.first; --i) {
            const double* Li = row(branches, i);
            branches.path(i, [&](int first, int count) {
                const int before = std::min(count, i - first);
                Entries(x + first, before).noalias() -=
                    x[i] * ConstEntries(Li + branches.depth(first), before);
            });
        }
}

void BranchFactor::solve(const Branches& branches, Eigen::VectorXd& x) const {
    for (int i = 0; i < branches.size(); ++i) {
        const double* Li = row(branches, i);
        branches.path(i, [&](int first, int count) {
            const int before = std::min(count, i - first);
            x[i] -= ConstEntries(Li + branches.depth(first), before).dot(x.segment(first, before));
        });
    }
}

}  // namespace grbda::baselines
