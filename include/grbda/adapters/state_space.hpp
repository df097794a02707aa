#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "grbda/constraints/closure.hpp"
#include "grbda/derivatives/step_derivatives.hpp"
#include "grbda/kinematics/configuration.hpp"

// States x = (q, ẏ) of a robot as points of a manifold, for solvers that take one. The adapters for Crocoddyl
// and Aligator share this header, which includes neither.

namespace grbda::adapters {

/// Behaviour of an adapter's function without a result: the loops do not close, the configuration is
/// singular, or numbers are not finite. The outputs are always NaN then.
enum class Failure {
    nan,       ///< nothing more: line searches of the solvers reject NaN
    exception  ///< throws std::runtime_error with the status. Not for solvers that evaluate nodes in parallel
               ///< regions of OpenMP, as those of packages do: an exception that leaves such a region ends
               ///< the program. check() throws outside of the solver
};

/// Argument of a function of two arguments by which a Jacobian is taken.
enum class Argument { first, second };

/// The last function without a result in this thread.
struct LastFailure {
    const Model* model = nullptr;  ///< null: none since it was reset
    const char* function = "";
    Result result;
};
inline LastFailure& last_failure() {
    thread_local LastFailure failure;
    return failure;
}

/// Describes a failure: the function, the status and the first joint of the cluster.
inline std::string describe(const Model& model, const char* function, const Result& result) {
    std::string text = std::string("grbda: ") + function + ": " + to_string(result.status);
    if (result.cluster >= 0) {
        const Cluster& cluster = model.clusters[result.cluster];
        text += " in the cluster of joint '" + model.names.joints[cluster.joints.first] + "'";
    }
    return text;
}

/// Notes a result that is not ok as the last failure, and throws std::runtime_error if the choice is
/// Failure::exception.
inline void report(const Model& model, const char* function, const Result& result, Failure failure) {
    if (result.ok()) return;
    last_failure() = {&model, function, result};
    if (failure == Failure::exception) throw std::runtime_error(describe(model, function, result));
}

namespace detail {

struct StateWorkspace {
    explicit StateWorkspace(const Model& model) : data(model), column(model.nv) {}
    Data data;
    Eigen::VectorXd column;
};

using IdleWorkspaces = std::array<std::atomic<StateWorkspace*>, 64>;

struct ReturnWorkspace {
    IdleWorkspaces* idle;
    void operator()(StateWorkspace* work) const noexcept {
        for (std::atomic<StateWorkspace*>& place : *idle) {
            StateWorkspace* none = nullptr;
            if (place.compare_exchange_strong(none, work)) return;
        }
        delete work;
    }
};

}  // namespace detail

/// The manifold of the states x = (q, ẏ) [nq + nv], where q closes the loops. Displacements are (δy, δẏ)
/// [2 nv] as those of grbda::integrate(). Any number of threads may call its functions at the same time.
/// Each borrows a workspace without a lock; allocation ends when there are as many as threads.
class StateSpace {
public:
    /// Throws std::invalid_argument if there is no model.
    explicit StateSpace(std::shared_ptr<const Model> model, Failure failure = Failure::nan)
        : model_(std::move(model)), failure_(failure) {
        if (!model_) throw std::invalid_argument("grbda: StateSpace: expected a model, found none");
    }
    StateSpace(const StateSpace&) = delete;
    StateSpace& operator=(const StateSpace&) = delete;
    ~StateSpace() {
        for (std::atomic<Workspace*>& place : idle_) delete place.load();
    }

    const Model& model() const { return *model_; }
    const std::shared_ptr<const Model>& shared_model() const { return model_; }
    Failure failure() const { return failure_; }
    int nx() const { return model_->nq + model_->nv; }
    int ndx() const { return 2 * model_->nv; }

    /// Returns the configuration that loading found, at rest.
    Eigen::VectorXd neutral() const {
        Eigen::VectorXd x = Eigen::VectorXd::Zero(nx());
        x.head(model_->nq) = neutral_configuration(*model_);
        return x;
    }

    /// Returns a random closed configuration with velocities of at most 1 rad/s or m/s.
    Eigen::VectorXd random(std::uint64_t seed) const {
        std::mt19937_64 generator(seed);
        std::uniform_real_distribution<double> velocity(-1, 1);
        Eigen::VectorXd x(nx());
        x.head(model_->nq) = random_configuration(*model_, generator);
        for (Eigen::Index i = model_->nq; i < x.size(); ++i) x[i] = velocity(generator);
        return x;
    }

    /// Returns true if the loops at x are closed and its velocities are finite.
    bool contains(ConstVectorRef x) const {
        require_size("x", x.size(), nx());
        const auto work = borrow();
        return closure_residual(*model_, work->data, x.head(model_->nq)).ok() &&
               x.tail(model_->nv).allFinite();
    }

    /// Computes out = x ⊕ dx: grbda::integrate() and ẏ + δẏ. Loops stay closed.
    /// in      x [nx], dx [ndx]
    /// out     out [nx], which may be x
    /// errors  std::invalid_argument on a wrong size; those of grbda::integrate()
    void integrate(ConstVectorRef x, ConstVectorRef dx, VectorRef out) const {
        require_sizes(x, dx);
        require_size("out", out.size(), nx());
        const auto work = borrow();
        const int n = model_->nv;
        const Result result =
            grbda::integrate(*model_, work->data, x.head(model_->nq), dx.head(n), out.head(model_->nq));
        out.tail(n) = x.tail(n) + dx.tail(n);
        deliver("integrate", result, out);
    }

    /// Computes dx with x1 = x0 ⊕ dx, for q in one assembly mode.
    /// in      x0, x1 [nx]
    /// out     dx [ndx]
    /// errors  std::invalid_argument on a wrong size; those of grbda::difference()
    void difference(ConstVectorRef x0, ConstVectorRef x1, VectorRef dx) const {
        require_size("x0", x0.size(), nx());
        require_size("x1", x1.size(), nx());
        require_size("dx", dx.size(), ndx());
        const auto work = borrow();
        const int n = model_->nv;
        const Result result =
            grbda::difference(*model_, work->data, x0.head(model_->nq), x1.head(model_->nq), dx.head(n));
        dx.tail(n) = x1.tail(n) - x0.tail(n);
        deliver("difference", result, dx);
    }

    /// Adds `factor` times the Jacobian of x ⊕ dx by x or by dx.
    /// in/out  J [ndx × ndx]
    /// errors  as integrate(); those of integrate_derivatives()
    void add_integrate_jacobian(ConstVectorRef x, ConstVectorRef dx, Argument by, double factor,
                                MatrixRef J) const {
        require_sizes(x, dx);
        require_square(J);
        const auto work = borrow();
        const Result result = differentiate(*work, x, dx);
        add_block(by_argument(*work, by), factor, factor, J);
        deliver("integrate", result, J);
    }

    /// Adds the Jacobian of difference(x0, x1) by x0 or by x1.
    /// in/out  J [ndx × ndx]
    /// errors  as difference(); those of difference_derivatives()
    void add_difference_jacobian(ConstVectorRef x0, ConstVectorRef x1, Argument by, MatrixRef J) const {
        require_size("x0", x0.size(), nx());
        require_size("x1", x1.size(), nx());
        require_square(J);
        const auto work = borrow();
        const Result result =
            difference_derivatives(*model_, work->data, x0.head(model_->nq), x1.head(model_->nq));
        if (by == Argument::first)
            add_block(work->data.ddelta_dq0, 1, -1, J);
        else
            add_block(work->data.ddelta_dq1, 1, 1, J);
        deliver("difference", result, J);
    }

    /// Multiplies J from the left by the Jacobian of x ⊕ dx by x or by dx.
    /// in/out  J [ndx × any]
    /// errors  as add_integrate_jacobian()
    void transport(ConstVectorRef x, ConstVectorRef dx, Argument by, MatrixRef J) const {
        require_sizes(x, dx);
        require_size("J (rows)", J.rows(), ndx());
        const auto work = borrow();
        const Result result = differentiate(*work, x, dx);
        const Eigen::MatrixXd& block = by_argument(*work, by);
        for (Eigen::Index j = 0; j < J.cols(); ++j) {
            work->column = J.col(j).head(model_->nv);
            J.col(j).head(model_->nv).noalias() = block.lazyProduct(work->column);
        }
        deliver("integrate", result, J);
    }

private:
    using Workspace = detail::StateWorkspace;

    std::unique_ptr<Workspace, detail::ReturnWorkspace> borrow() const {
        Workspace* found = nullptr;
        for (std::atomic<Workspace*>& place : idle_)
            if ((found = place.exchange(nullptr))) break;
        if (!found) found = new Workspace(*model_);
        return {found, detail::ReturnWorkspace{&idle_}};
    }

    void require_sizes(ConstVectorRef x, ConstVectorRef dx) const {
        require_size("x", x.size(), nx());
        require_size("dx", dx.size(), ndx());
    }
    void require_square(const MatrixRef& J) const {
        require_size("J (rows)", J.rows(), ndx());
        require_size("J (columns)", J.cols(), ndx());
    }
    Result differentiate(Workspace& work, ConstVectorRef x, ConstVectorRef dx) const {
        return integrate_derivatives(*model_, work.data, x.head(model_->nq), dx.head(model_->nv));
    }
    static const MatrixX<double>& by_argument(const Workspace& work, Argument by) {
        return by == Argument::first ? work.data.dout_dq : work.data.dout_ddelta;
    }
    void add_block(const Eigen::MatrixXd& block, double factor, double velocities, MatrixRef& J) const {
        const int n = model_->nv;
        J.topLeftCorner(n, n) += factor * block;
        J.bottomRightCorner(n, n).diagonal().array() += velocities;
    }
    template <class Output>
    void deliver(const char* function, const Result& result, Output& out) const {
        if (!result.ok()) out.setConstant(std::numeric_limits<double>::quiet_NaN());
        report(*model_, function, result, failure_);
    }

    std::shared_ptr<const Model> model_;
    Failure failure_;
    mutable detail::IdleWorkspaces idle_{};
};

}  // namespace grbda::adapters
