#pragma once

#include <vector>

#include <Eigen/Core>

#include "grbda/model/model.hpp"

// Branch-induced sparsity (Featherstone 2005): entry (i, j) of H is zero unless one of both joints moves the
// other. Velocities are numbered depth first here, so that those on the way from a root to a joint are few
// runs of neighbours, and whatever goes along such a path goes over arrays without gaps.

namespace grbda::baselines {

/// Of a mass matrix, relative to its diagonal: its rounding on long branches.
inline constexpr double kSmallestPivot = 1e-13;

/// Neighbours in the numbering of Branches.
struct Interval {
    int first = 0, size = 0;
};

/// The tree of velocities. A place is a velocity's number; parents have smaller ones than children.
class Branches {
public:
    explicit Branches(const Model& model);

    int size() const { return static_cast<int>(v_.size()); }
    int v(int place) const { return v_[index(place)]; }  ///< place in q̇
    int place_of_v(int v) const { return place_of_v_[index(v)]; }
    int first_of_body(int body) const { return first_of_body_[index(body)]; }
    /// Of a body and those before it, the last velocity; −1: nothing moves it.
    int last_of_body(int body) const { return body == world ? -1 : last_of_body_[index(body)]; }
    int depth(int place) const { return depth_[index(place)]; }  ///< velocities before it on its path
    /// Of packed rows, depth + 1 long each, and then to the next whole block.
    int row(int place) const { return row_[index(place)]; }
    /// Its parent: the place that it hangs on, −1 at a root.
    int before(int place) const { return place_in_run(place) > 0 ? place - 1 : before_[index(place)]; }
    int place_in_run(int place) const { return place - run_[index(place)]; }
    int packed_size() const { return packed_size_; }

    /// visit(first, count) for the runs on the path from a place (with it) to its root; −1: an empty path.
    template <class Visit>
    void path(int place, Visit&& visit) const {
        while (place >= 0) {
            const int first = run_[index(place)];
            visit(first, place - first + 1);
            place = before_[index(first)];
        }
    }

    /// Paths of all these places, each velocity once; descending, so that children stand before parents.
    std::vector<Interval> paths(const std::vector<int>& places) const;

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    void add(const Model& model, int body);

    std::vector<int> v_, place_of_v_, first_of_body_, last_of_body_, depth_, row_;
    std::vector<int> run_;     ///< first place of the run
    std::vector<int> before_;  ///< place that it hangs on, −1 at a root
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

    /// Where the lower triangle of H goes before factor().
    double* row(const Branches& branches, int place) { return L_.data() + branches.row(place); }
    const double* row(const Branches& branches, int place) const { return L_.data() + branches.row(place); }
    /// False where H is not positive definite.
    bool factor(const Branches& branches);
    /// x ← L⁻ᵀ x, of which only the places in `support` are not zero: a union of paths, children first.
    void solve_transposed(const Branches& branches, const std::vector<Interval>& support, double* x) const;
    /// x ← L⁻¹ x
    void solve(const Branches& branches, Eigen::VectorXd& x) const;

    Eigen::VectorXd inverse;  ///< D⁻¹

private:
    /// Row k from row i of its path, and rows last − 3 to last of one run at once.
    void eliminate(const Branches& branches, int k, int i);
    void eliminate_block(const Branches& branches, int last, int i);

    Eigen::VectorXd L_;
};

}  // namespace grbda::baselines
