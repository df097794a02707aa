#pragma once

#include <cstdlib>
#include <limits>

#include <aligator/core/explicit-dynamics.hpp>
#include <aligator/core/function-abstract.hpp>
#include <aligator/core/manifold-base.hpp>

#include "grbda/adapters/node.hpp"
#include "grbda/adapters/residuals.hpp"
#include "grbda/adapters/packaged_eigen.hpp"

// A robot with loops in Aligator: its states as a manifold, its steps with contacts and impacts as explicit
// dynamics, and functions for costs and constraints. Aligator is not a dependency of grbda; programs that
// include this header provide it. See docs/solvers.md.

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

/// Workspaces of a node of AligatorDynamics and AligatorImpact, in addition to Aligator's results.
struct AligatorData : ::aligator::ExplicitDynamicsDataTpl<double> {
    using Base = ::aligator::ExplicitDynamicsDataTpl<double>;

    AligatorData(const ::aligator::ExplicitDynamicsModelTpl<double>& dynamics, const grbda::Model& model,
                 const NodeOptions& options)
        : Base(dynamics), node(model, options) {}

    Node node;
    Eigen::VectorXd displacement;  ///< of the step [2 nv]
    Result result;                 ///< of the last forward() or dForward()
};

/// A step of h seconds x⁺ = f(x, u) for Aligator: forward() puts x⁺ into xnext_, dForward() the exact
/// Jacobians into Jx [2 nv × 2 nv] and Ju [2 nv × nu]. By the rule of the options; with contacts, velocities
/// first and positions with the new ones (semi-implicit Euler). u are the forces of the motors that the files
/// name, or τ without a floating base's wrench. The functions are independent, and results do not depend on
/// earlier calls.
class AligatorDynamics : public ::aligator::ExplicitDynamicsModelTpl<double> {
public:
    using Base = ::aligator::ExplicitDynamicsModelTpl<double>;
    using BaseData = ::aligator::ExplicitDynamicsDataTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    /// Throws std::invalid_argument as Node does, and for contacts with another rule.
    AligatorDynamics(const AligatorSpace& space, double h, const NodeOptions& options)
        : Base(::xyz::polymorphic<Manifold>(space),
               static_cast<int>(input_bounds(space.space().model(), options).size())),
          robot_(space),
          h_(h),
          options_(options) {
        if (!options.contacts.empty() && options.solver.integrator != Integrator::semi_implicit_euler)
            throw std::invalid_argument(
                "grbda: AligatorDynamics: contacts need Integrator::semi_implicit_euler");
    }
    AligatorDynamics(const AligatorSpace& space, double h, const SolverOptions& options = {})
        : AligatorDynamics(space, h, NodeOptions{options, {}, {}, false}) {}

    double time_step() const { return h_; }

    void forward(const VectorIn& x, const VectorIn& u, BaseData& data) const override {
        AligatorData& d = data_of(data);
        const grbda::Model& model = robot_.space().model();
        require_size("x", x.size(), robot_.nx());
        if (d.node.has_contacts()) {
            d.result = d.node.accelerate(x, u);
            if (d.result.ok())
                advance(x, d);
            else
                d.xnext_.setConstant(std::numeric_limits<double>::quiet_NaN());
        } else {
            d.result = solver_state_step(model, d.node.robot, d.node.work, x.head(model.nq), x.tail(model.nv),
                                         d.node.all_inputs(u), h_);
            d.xnext_ << d.node.work.q_next, d.node.work.yd_next;
        }
        report(model, "forward", d.result, robot_.space().failure());
    }

    void dForward(const VectorIn& x, const VectorIn& u, BaseData& data) const override {
        AligatorData& d = data_of(data);
        const grbda::Model& model = robot_.space().model();
        require_size("x", x.size(), robot_.nx());
        if (d.node.has_contacts()) {
            differentiate(x, u, d);
        } else {
            d.result = solver_state_step_derivatives(model, d.node.robot, d.node.work, x.head(model.nq),
                                                     x.tail(model.nv), d.node.all_inputs(u), h_);
            d.Jx() = d.node.work.A;
            d.node.select(d.node.work.B, d.Ju());
        }
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

    void advance(const VectorIn& x, AligatorData& d) const {
        const int n = d.node.model().nv;
        d.displacement.resize(2 * n);
        d.displacement << h_ * (x.tail(n) + h_ * d.node.ydd), h_ * d.node.ydd;
        robot_.space().integrate(x, d.displacement, d.xnext_);
    }

    void differentiate(const VectorIn& x, const VectorIn& u, AligatorData& d) const {
        const int n = d.node.model().nv;
        d.result = d.node.differentiate(x, u);
        if (!d.result.ok()) {
            d.jac_buffer_.setConstant(std::numeric_limits<double>::quiet_NaN());
            return;
        }
        advance(x, d);
        auto Jx = d.Jx();
        auto Ju = d.Ju();
        Jx.bottomRows(n) = h_ * d.node.ydd_x;
        Jx.bottomRightCorner(n, n).diagonal().array() += 1;
        Jx.topRows(n) = h_ * Jx.bottomRows(n);
        Ju.bottomRows(n) = h_ * d.node.ydd_u;
        Ju.topRows(n) = h_ * Ju.bottomRows(n);
        // by the displacement, then by x itself, whose velocities are in Jx already
        robot_.space().transport(x, d.displacement, Argument::second, Jx);
        robot_.space().transport(x, d.displacement, Argument::second, Ju);
        Eigen::MatrixXd by_x = Eigen::MatrixXd::Zero(2 * n, 2 * n);
        robot_.space().add_integrate_jacobian(x, d.displacement, Argument::first, 1, by_x);
        Jx.topLeftCorner(n, n) += by_x.topLeftCorner(n, n);
    }

    AligatorSpace robot_;
    double h_;
    NodeOptions options_;
};

/// The instant at which the active contacts of a phase strike, without rebound or slip. Its nu inputs have no
/// effect; gains of the phase are not read.
class AligatorImpact : public ::aligator::ExplicitDynamicsModelTpl<double> {
public:
    using Base = ::aligator::ExplicitDynamicsModelTpl<double>;
    using BaseData = ::aligator::ExplicitDynamicsDataTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    AligatorImpact(const AligatorSpace& space, const NodeOptions& options, int inputs)
        : Base(::xyz::polymorphic<Manifold>(space), inputs), robot_(space), options_(options) {}

    void forward(const VectorIn& x, const VectorIn&, BaseData& data) const override {
        AligatorData& d = dynamic_cast<AligatorData&>(data);
        const grbda::Model& model = robot_.space().model();
        require_size("x", x.size(), robot_.nx());
        d.result = d.node.strike(x, false);
        d.xnext_ << x.head(model.nq), d.node.yd_after;
        report(model, "forward", d.result, robot_.space().failure());
    }
    void dForward(const VectorIn& x, const VectorIn&, BaseData& data) const override {
        AligatorData& d = dynamic_cast<AligatorData&>(data);
        const grbda::Model& model = robot_.space().model();
        require_size("x", x.size(), robot_.nx());
        d.result = d.node.strike(x, true);
        d.jac_buffer_.setZero();
        d.Jx().topLeftCorner(model.nv, model.nv).setIdentity();
        d.Jx().bottomRows(model.nv) = d.node.yd_x;
        report(model, "dForward", d.result, robot_.space().failure());
    }
    std::shared_ptr<BaseData> createData() const override {
        return std::make_shared<AligatorData>(*this, robot_.space().model(), options_);
    }

private:
    AligatorSpace robot_;
    NodeOptions options_;
};

/// Workspaces of AligatorFunction, in addition to Aligator's results.
struct AligatorFunctionData : ::aligator::StageFunctionDataTpl<double> {
    using Base = ::aligator::StageFunctionDataTpl<double>;
    AligatorFunctionData(const ::aligator::StageFunctionTpl<double>& function, const grbda::Model& model,
                         const NodeOptions& options)
        : Base(function), node(model, options) {}
    Node node;
    Result result;
};

/// A residual for costs and constraints of Aligator: sign · (r − offset). `last`: at a last stage, whose u
/// does not count.
class AligatorFunction : public ::aligator::StageFunctionTpl<double> {
public:
    using Base = ::aligator::StageFunctionTpl<double>;
    using BaseData = ::aligator::StageFunctionDataTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    AligatorFunction(const AligatorSpace& space, const NodeOptions& options,
                     std::shared_ptr<const Residual> residual, int input_count, double sign = 1,
                     double offset = 0, bool last = false)
        : Base(space.ndx(), input_count, residual->nr),
          robot_(space),
          options_(options),
          residual_(std::move(residual)),
          sign_(sign),
          offset_(offset),
          last_(last) {}

    void evaluate(const VectorIn& x, const VectorIn& u, BaseData& data) const override {
        AligatorFunctionData& d = dynamic_cast<AligatorFunctionData&>(data);
        d.result = {};
        if (residual_->reads_u && !last_ && d.node.has_contacts()) d.result = d.node.accelerate(x, u);
        if (d.result.ok()) d.result = residual_->value(d.node, x, inputs(u), d.value_);
        d.value_ = sign_ * (d.value_.array() - offset_);
        deliver("a residual", d, d.value_);
    }
    void computeJacobians(const VectorIn& x, const VectorIn& u, BaseData& data) const override {
        AligatorFunctionData& d = dynamic_cast<AligatorFunctionData&>(data);
        d.result = {};
        d.jac_buffer_.setZero();
        if (residual_->reads_u && !last_ && d.node.has_contacts()) d.result = d.node.differentiate(x, u);
        if (d.result.ok()) d.result = residual_->jacobians(d.node, x, inputs(u), d.Jx_, d.Ju_);
        d.jac_buffer_ *= sign_;
        deliver("derivatives of a residual", d, d.jac_buffer_);
    }
    std::shared_ptr<BaseData> createData() const override {
        return std::make_shared<AligatorFunctionData>(*this, robot_.space().model(), options_);
    }

private:
    VectorIn inputs(const VectorIn& u) const { return last_ ? VectorIn(none_) : u; }
    template <class Output>
    void deliver(const char* function, const AligatorFunctionData& d, Output& out) const {
        if (!d.result.ok()) out.setConstant(std::numeric_limits<double>::quiet_NaN());
        report(robot_.space().model(), function, d.result, robot_.space().failure());
    }

    AligatorSpace robot_;
    NodeOptions options_;
    std::shared_ptr<const Residual> residual_;
    double sign_, offset_;
    bool last_;
    Eigen::VectorXd none_;
};

}  // namespace grbda::adapters
