#include "grbda/edit/edit.hpp"

#include <limits>
#include <random>

#include "closing/gauss_newton.hpp"
#include "linear/dense.hpp"
#include "constraints/closure.hpp"
#include "kernels/body/configuration.hpp"
#include "kernels/constraint/embedding.hpp"

namespace grbda {
namespace {

constexpr int most_starts = 50;

/// A configuration with the φ of all loops and couplings, and the columns of K of the joints that move.
struct OpenLoops {
    VectorX<double> q, phi;
    MatrixX<double> K;
    double last_step = std::numeric_limits<double>::infinity();  ///< largest entry of the step that led here
};

/// Closes loops by the least squares of K δ = −φ over the joints that move, step by step.
class Closing {
public:
    Closing(const Model& model, const std::vector<int>& bodies)
        : model_(model), bodies_(bodies), data_(model) {
        for (const int i : bodies)
            for (int j = 0; j < velocity_size(model.bodies[i].joint); ++j)
                columns_.push_back(model.bodies[i].v + j);
    }

    bool run(VectorX<double>& q) {
        constexpr double of_squares = 1e-9;  // damping relative to the squares of K
        q = closing::gauss_newton(*this, loops_at(q), {.most_steps = 60, .damping = of_squares}).q;
        return closure_residual<double>(model_, data_, q).ok();
    }

    // the problem
    static bool met(const OpenLoops& now) { return now.last_step < 1e-14; }
    static VectorX<double> step(const OpenLoops& now, double damping) {
        constexpr double longest_step = 0.5;  // of a joint, rad or m
        VectorX<double> step = linear::damped_step(now.K, now.phi, damping * (now.K.squaredNorm() + 1));
        const double longest = step.cwiseAbs().maxCoeff();
        if (longest > longest_step) step *= longest_step / longest;
        return step;
    }
    OpenLoops moved(const OpenLoops& now, const VectorX<double>& step) {
        VectorX<double> q = now.q;
        move(step, q);
        OpenLoops next = loops_at(q);
        next.last_step = step.cwiseAbs().maxCoeff();
        return next;
    }

    /// Joints anywhere.
    void scatter(std::mt19937_64& generator, VectorX<double>& q) const {
        std::uniform_real_distribution<double> angle(-3, 3);
        VectorX<double> step(static_cast<Eigen::Index>(columns_.size()));
        for (double& x : step) x = angle(generator);
        move(step, q);
    }

private:
    OpenLoops loops_at(const VectorX<double>& q) {
        kernels::positions<double>(model_, data_, q.data());
        OpenLoops loops;
        loops.q = q;
        loops.phi = Eigen::Map<const VectorX<double>>(data_.phi.data(), model_.rows);
        loops.K = rows()(Eigen::all, columns_);
        return loops;
    }
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
    Workspace<double> data_;
    std::vector<int> columns_;
};

}  // namespace

bool close_joints(const Model& model, const std::vector<int>& bodies, VectorX<double>& q) {
    require_size("q", q.size(), model.nq);
    const VectorX<double> start = q;
    Closing loops(model, bodies);
    std::mt19937_64 generator(1);
    for (int i = 0; i < most_starts && !bodies.empty(); ++i) {
        if (loops.run(q)) return true;
        q = start;
        loops.scatter(generator, q);
    }
    q = start;
    return false;
}

}  // namespace grbda
