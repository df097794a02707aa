#pragma once

#include <vector>

#include <Eigen/Core>

#include "grbda/model/model.hpp"

// Branch-induced sparsity (Featherstone 2005): entry (i, j) of H is zero unless one of both joints
// moves the other. Velocities are numbered depth first here, so that those on the path from a root to
// a joint are few runs of consecutive numbers, and loops along such a path read arrays without gaps.

namespace grbda::baselines {

/// Consecutive places in the numbering of Branches.
struct Interval {
    int first = 0, size = 0;
};

/// The tree of velocities. A place is the number of a velocity; parents have smaller ones than children.
class Branches {
public:
    explicit Branches(const Model& model);

    int size() const { return static_cast<int>(v_.size()); }
    int v(int place) const { return v_[index(place)]; }  ///< index in q̇
    int place_of_v(int v) const { return place_of_v_[index(v)]; }
    int first_of_body(int body) const { return first_of_body_[index(body)]; }
    /// The last velocity that moves a body, its own or an ancestor's; −1 if nothing moves it.
    int last_of_body(int body) const { return body == world ? -1 : last_of_body_[index(body)]; }
    int depth(int place) const { return depth_[index(place)]; }  ///< number of its ancestors
    /// Offset of a row in packed storage: rows of depth + 1 numbers, each extended to whole blocks.
    int row(int place) const { return row_[index(place)]; }
    /// Its parent place; −1 at a root.
    int before(int place) const { return place_in_run(place) > 0 ? place - 1 : before_[index(place)]; }
    int place_in_run(int place) const { return place - run_[index(place)]; }
    int packed_size() const { return packed_size_; }

    /// Calls visit(first, count) for the runs on the path from a place to its root, inclusive; −1: none.
    template <class Visit>
    void path(int place, Visit&& visit) const {
        while (place >= 0) {
            const int first = run_[index(place)];
            visit(first, place - first + 1);
            place = before_[index(first)];
        }
    }

    /// Paths of all these places, each velocity once; descending, so that children precede parents.
    std::vector<Interval> paths(const std::vector<int>& places) const;

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    void add(const Model& model, int body);

    std::vector<int> v_, place_of_v_, first_of_body_, last_of_body_, depth_, row_;
    std::vector<int> run_;     ///< first place of the run
    std::vector<int> before_;  ///< parent place, −1 at a root
    int packed_size_ = 0;
};

/// The places in both, in the order of `a`.
std::vector<Interval> intersection(const std::vector<Interval>& a, const std::vector<Interval>& b);
/// The intervals of these places, descending.
std::vector<Interval> intervals(const std::vector<char>& is_member);

/// H = LᵀDL without fill-in; L has a unit diagonal. Row `place` has the entries on the path to it, root
/// first.
class BranchFactor {
public:
    explicit BranchFactor(const Branches& branches);

    /// The storage for the lower triangle of H before factor().
    double* row(const Branches& branches, int place) { return L_.data() + branches.row(place); }
    const double* row(const Branches& branches, int place) const { return L_.data() + branches.row(place); }
    /// Returns false if H is not positive definite.
    bool factor(const Branches& branches);
    /// x ← L⁻ᵀ x, where only the places in `support` are not zero: a union of paths, children first.
    void solve_transposed(const Branches& branches, const std::vector<Interval>& support, double* x) const;
    /// x ← L⁻¹ x
    void solve(const Branches& branches, Eigen::VectorXd& x) const;

    Eigen::VectorXd inverse;  ///< D⁻¹

private:
    /// Subtracts from row k row i of its path, and rows last − 3 to last of one run at once.
    void eliminate(const Branches& branches, int k, int i);
    void eliminate_block(const Branches& branches, int last, int i);

    Eigen::VectorXd L_;
};

}  // namespace grbda::baselines
