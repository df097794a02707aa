#include "grbda/edit/edit.hpp"

#include <random>

#include "compile/decompositions.hpp"
#include "grbda/constraints/closure.hpp"
#include "kernels/configuration.hpp"
#include "kernels/embedding.hpp"

namespace grbda {
namespace {

constexpr int most_steps = 60, most_starts = 50;
constexpr double longest_step = 0.5;  // of a joint, rad or m
constexpr double damping = 1e-9;      // of the squares of rows of K

/// The least squares of K δ = −φ over the joints that move, step by step.
class Closing {
public:
    Closing(const Model& model, const std::vector<int>& bodies)
        : model_(model), bodies_(bodies), data_(model) {
        for (const int i : bodies)
            for (int j = 0; j < velocity_size(model.bodies[i].joint); ++j)
                columns_.push_back(model.bodies[i].v + j);
    }

    bool run(VectorX<double>& q) {
        for (int i = 0; i < most_steps; ++i) {
            kernels::positions<double>(model_, data_, q.data());
            const Eigen::Map<const VectorX<double>> gap(data_.phi.data(), model_.rows);
            const MatrixX<double> K = rows()(Eigen::all, columns_);
            VectorX<double> step = compile::damped_step(K, gap, damping * (K.squaredNorm() + 1));
            if (!step.allFinite()) return false;
            const double longest = step.cwiseAbs().maxCoeff();
            if (longest > longest_step) step *= longest_step / longest;
            move(step, q);
            if (longest < 1e-14) break;
        }
        return closure_residual<double>(model_, data_, q).ok();
    }

    /// Joints anywhere.
    void scatter(std::mt19937_64& generator, VectorX<double>& q) const {
        std::uniform_real_distribution<double> angle(-3, 3);
        VectorX<double> step(static_cast<Eigen::Index>(columns_.size()));
        for (double& x : step) x = angle(generator);
        move(step, q);
    }

private:
    /// K of all joints, after positions().
    MatrixX<double> rows() const {
        MatrixX<double> K = MatrixX<double>::Zero(model_.rows, model_.nv_tree);
        for (const Cluster& c : model_.clusters)
            for (int r = 0; r < c.rows; ++r)
                for (int j = 0; j < c.dofs; ++j)
                    K(c.row_begin + r, model_.v_index[c.dof_begin + j]) = data_.K[c.K_begin + r * c.dofs + j];
        return K;
    }
    void move(const VectorX<double>& step, VectorX<double>& q) const {
        const double* delta = step.data();
        for (const int i : bodies_) {
            const Body& body = model_.bodies[i];
            kernels::joint_integrate(body.joint, q.data() + body.q, delta, q.data() + body.q);
            delta += velocity_size(body.joint);
        }
    }

    const Model& model_;
    const std::vector<int>& bodies_;
    Data<double> data_;
    std::vector<int> columns_;
};

}  // namespace

bool close_joints(const Model& model, const std::vector<int>& bodies, VectorX<double>& q) {
    require_size("q", q.size(), model.nq);
    const VectorX<double> start = q;
    Closing closing(model, bodies);
    std::mt19937_64 generator(1);
    for (int i = 0; i < most_starts && !bodies.empty(); ++i) {
        if (closing.run(q)) return true;
        q = start;
        closing.scatter(generator, q);
    }
    q = start;
    return false;
}

}  // namespace grbda
