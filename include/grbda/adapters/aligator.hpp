#pragma once

#include <cstdlib>

#include <aligator/core/explicit-dynamics.hpp>
#include <aligator/core/manifold-base.hpp>

#include "grbda/adapters/packaged_eigen.hpp"
#include "grbda/adapters/state_space.hpp"
#include "grbda/derivatives/solver_step.hpp"

// A robot with loops in Aligator: its states as a manifold, and its steps as explicit dynamics. Aligator is
// not a dependency of grbda; programs that include this header provide it. See docs/solvers.md.

namespace grbda::adapters {

/// States x = (q, ẏ) for Aligator: nx = nq + nv, ndx = 2 nv. integrate() closes the loops. Copies share one
/// model.
class AligatorSpace : public ::aligator::ManifoldAbstractTpl<double> {
public:
    using Base = ::aligator::ManifoldAbstractTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;
    using VectorTo = Eigen::Ref<Eigen::VectorXd>;
    using MatrixTo = Eigen::Ref<Eigen::MatrixXd>;

    /// Throws std::invalid_argument if there is no model.
    explicit AligatorSpace(std::shared_ptr<const grbda::Model> model, Failure failure = Failure::nan)
        : AligatorSpace(std::make_shared<const StateSpace>(std::move(model), failure)) {}
    explicit AligatorSpace(const std::shared_ptr<const StateSpace>& space)
        : Base(space->nx(), space->ndx()), space_(space) {}

    const StateSpace& space() const { return *space_; }

    /// True if the loops are closed and the velocities are finite.
    bool isNormalized(const VectorIn& x) const override { return space_->contains(x); }

protected:
    void integrate_impl(const VectorIn& x, const VectorIn& v, VectorTo out) const override {
        space_->integrate(x, v, out);
    }
    void Jintegrate_impl(const VectorIn& x, const VectorIn& v, MatrixTo Jout, int arg) const override {
        const Argument by = argument(arg);
        Jout.setZero();
        space_->add_integrate_jacobian(x, v, by, 1, Jout);
    }
    void JintegrateTransport_impl(const VectorIn& x, const VectorIn& v, MatrixTo Jout,
                                  int arg) const override {
        space_->transport(x, v, argument(arg), Jout);
    }
    void difference_impl(const VectorIn& x0, const VectorIn& x1, VectorTo out) const override {
        space_->difference(x0, x1, out);
    }
    void Jdifference_impl(const VectorIn& x0, const VectorIn& x1, MatrixTo Jout, int arg) const override {
        const Argument by = argument(arg);
        Jout.setZero();
        space_->add_difference_jacobian(x0, x1, by, Jout);
    }
    void neutral_impl(VectorTo out) const override { out = space_->neutral(); }
    /// Draws from std::rand(), as Eigen does.
    void rand_impl(VectorTo out) const override {
        out = space_->random(static_cast<std::uint64_t>(std::rand()));
    }

private:
    static Argument argument(int arg) {
        if (arg != 0 && arg != 1)
            throw std::domain_error("grbda: AligatorSpace: arg must be 0 or 1, found " + std::to_string(arg));
        return arg == 0 ? Argument::first : Argument::second;
    }

    std::shared_ptr<const StateSpace> space_;
};

/// Workspaces of a node of AligatorDynamics, in addition to Aligator's results.
struct AligatorData : ::aligator::ExplicitDynamicsDataTpl<double> {
    using Base = ::aligator::ExplicitDynamicsDataTpl<double>;

    AligatorData(const ::aligator::ExplicitDynamicsModelTpl<double>& dynamics, const grbda::Model& model,
                 const SolverOptions& options)
        : Base(dynamics), robot(model), work(model, options) {}

    grbda::Data robot;
    SolverStep work;
    Result result;  ///< of the last forward() or dForward()
};

/// A step of h seconds x⁺ = f(x, u) for Aligator, by the rule of the options: forward() puts x⁺ into xnext_,
/// dForward() the exact Jacobians into Jx [2 nv × 2 nv] and Ju [2 nv × nu]. u are the forces of the motors
/// that the files name, or τ. The functions are independent, and results do not depend on earlier calls.
class AligatorDynamics : public ::aligator::ExplicitDynamicsModelTpl<double> {
public:
    using Base = ::aligator::ExplicitDynamicsModelTpl<double>;
    using BaseData = ::aligator::ExplicitDynamicsDataTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    /// Throws std::invalid_argument as SolverStep does.
    AligatorDynamics(const AligatorSpace& space, double h, const SolverOptions& options = {})
        : Base(::xyz::polymorphic<Manifold>(space), SolverStep(space.space().model(), options).nu),
          robot_(space),
          h_(h),
          options_(options) {}

    double time_step() const { return h_; }

    void forward(const VectorIn& x, const VectorIn& u, BaseData& data) const override {
        AligatorData& d = data_of(data);
        const grbda::Model& model = robot_.space().model();
        require_size("x", x.size(), robot_.nx());
        d.result = solver_state_step(model, d.robot, d.work, x.head(model.nq), x.tail(model.nv), u, h_);
        d.xnext_ << d.work.q_next, d.work.yd_next;
        report(model, "forward", d.result, robot_.space().failure());
    }

    void dForward(const VectorIn& x, const VectorIn& u, BaseData& data) const override {
        AligatorData& d = data_of(data);
        const grbda::Model& model = robot_.space().model();
        require_size("x", x.size(), robot_.nx());
        d.result =
            solver_state_step_derivatives(model, d.robot, d.work, x.head(model.nq), x.tail(model.nv), u, h_);
        d.Jx() = d.work.A;
        d.Ju() = d.work.B;
        report(model, "dForward", d.result, robot_.space().failure());
    }

    std::shared_ptr<BaseData> createData() const override {
        return std::make_shared<AligatorData>(*this, robot_.space().model(), options_);
    }

private:
    static AligatorData& data_of(BaseData& data) {
        auto* d = dynamic_cast<AligatorData*>(&data);
        if (!d) throw std::invalid_argument("grbda: AligatorDynamics: expected data of its createData()");
        return *d;
    }

    AligatorSpace robot_;
    double h_;
    SolverOptions options_;
};

}  // namespace grbda::adapters
