#include "sparse_factor.hpp"

#include <cmath>

namespace grbda::baselines {
SparseFactor::SparseFactor(const Model& model) : L_(model.nv_tree, model.nv_tree) {
    L_.setZero();
    parent_.assign(static_cast<std::size_t>(model.nv_tree), -1);
    std::vector<int> last(model.bodies.size(),
                          -1);  // last velocity of each body or of its nearest moving one
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        int previous = body.parent == world ? -1 : last[static_cast<std::size_t>(body.parent)];
        for (int j = 0; j < velocity_size(body.joint); ++j) {
            parent_[static_cast<std::size_t>(body.v + j)] = previous;
            previous = body.v + j;
        }
        last[i] = previous;
    }
}

bool SparseFactor::compute(const Eigen::MatrixXd& H) {
    const auto parent = [this](int i) { return parent_[static_cast<std::size_t>(i)]; };
    const int size = static_cast<int>(H.rows());
    for (int i = 0; i < size; ++i)
        for (int j = i; j >= 0; j = parent(j)) L_(i, j) = H(i, j);
    for (int k = size - 1; k >= 0; --k) {  // Featherstone 2008, Table 6.3
        if (!(L_(k, k) > kSmallestPivot * H(k, k))) return false;
        L_(k, k) = std::sqrt(L_(k, k));
        for (int i = parent(k); i >= 0; i = parent(i)) L_(k, i) /= L_(k, k);
        for (int i = parent(k); i >= 0; i = parent(i))
            for (int j = i; j >= 0; j = parent(j)) L_(i, j) -= L_(k, i) * L_(k, j);
    }
    return true;
}

void SparseFactor::solve(Eigen::Ref<Eigen::VectorXd> x) const {
    for (int i = 0; i < static_cast<int>(x.size()); ++i) {
        for (int j = parent_[static_cast<std::size_t>(i)]; j >= 0; j = parent_[static_cast<std::size_t>(j)])
            x[i] -= L_(i, j) * x[j];
        x[i] /= L_(i, i);
    }
}

void SparseFactor::solve_transposed(Eigen::Ref<Eigen::VectorXd> x) const {
    for (int i = static_cast<int>(x.size()) - 1; i >= 0; --i) {
        x[i] /= L_(i, i);
        for (int j = parent_[static_cast<std::size_t>(i)]; j >= 0; j = parent_[static_cast<std::size_t>(j)])
            x[j] -= L_(i, j) * x[i];
    }
}

}  // namespace grbda::baselines
