#pragma once

#include <cmath>
#include <cstdlib>
#include <functional>

#include <crocoddyl/core/diff-action-base.hpp>
#include <crocoddyl/core/state-base.hpp>

#include "grbda/adapters/packaged_eigen.hpp"
#include "grbda/adapters/state_space.hpp"
#include "grbda/constraints/actuation.hpp"
#include "grbda/derivatives/solver_step.hpp"

// A robot with loops in Crocoddyl 3: its states, and its dynamics as a differential action model. Crocoddyl
// is not a dependency of grbda; programs that include this header provide it. See docs/solvers.md.

namespace grbda::adapters {

/// States x = (q, ẏ) for Crocoddyl: nx = nq + nv, ndx = 2 nv. integrate() closes the loops. Bounds are the
/// limits of the files, ±infinity for joints of several coordinates.
class CrocoddylState : public ::crocoddyl::StateAbstractTpl<double> {
public:
    using Base = ::crocoddyl::StateAbstractTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    /// Throws std::invalid_argument if there is no model.
    explicit CrocoddylState(std::shared_ptr<const grbda::Model> model, Failure failure = Failure::nan)
        : CrocoddylState(std::make_shared<const StateSpace>(std::move(model), failure)) {}
    explicit CrocoddylState(const std::shared_ptr<const StateSpace>& space)
        : Base(static_cast<std::size_t>(space->nx()), static_cast<std::size_t>(space->ndx())), space_(space) {
        const grbda::Model& model = space->model();
        for (int i = 0; i < model.body_count(); ++i) {
            if (velocity_size(model.bodies[i].joint) != 1) continue;
            lb_[model.bodies[i].q] = model.limits[i].lower;
            ub_[model.bodies[i].q] = model.limits[i].upper;
        }
        const std::vector<Coordinate> independent = independent_coordinates(model);
        for (int i = 0; i < model.nv; ++i) {
            const double velocity = model.limits[independent[static_cast<std::size_t>(i)].body].velocity;
            lb_[model.nq + i] = -velocity;
            ub_[model.nq + i] = velocity;
        }
        update_has_limits();
    }

    const StateSpace& space() const { return *space_; }
    const std::shared_ptr<const StateSpace>& shared_space() const { return space_; }

    Eigen::VectorXd zero() const override { return space_->neutral(); }
    /// Draws from std::rand(), as Eigen does.
    Eigen::VectorXd rand() const override { return space_->random(static_cast<std::uint64_t>(std::rand())); }

    void diff(const VectorIn& x0, const VectorIn& x1, Eigen::Ref<Eigen::VectorXd> dxout) const override {
        space_->difference(x0, x1, dxout);
    }
    void integrate(const VectorIn& x, const VectorIn& dx, Eigen::Ref<Eigen::VectorXd> xout) const override {
        space_->integrate(x, dx, xout);
    }

    void Jdiff(const VectorIn& x0, const VectorIn& x1, Eigen::Ref<Eigen::MatrixXd> Jfirst,
               Eigen::Ref<Eigen::MatrixXd> Jsecond,
               const ::crocoddyl::Jcomponent firstsecond = ::crocoddyl::both) const override {
        each(firstsecond, Jfirst, Jsecond, [&](Argument by, Eigen::Ref<Eigen::MatrixXd> J) {
            J.setZero();
            space_->add_difference_jacobian(x0, x1, by, J);
        });
    }

    void Jintegrate(const VectorIn& x, const VectorIn& dx, Eigen::Ref<Eigen::MatrixXd> Jfirst,
                    Eigen::Ref<Eigen::MatrixXd> Jsecond,
                    const ::crocoddyl::Jcomponent firstsecond = ::crocoddyl::both,
                    const ::crocoddyl::AssignmentOp op = ::crocoddyl::setto) const override {
        if (!::crocoddyl::is_a_AssignmentOp(op))
            throw std::invalid_argument("grbda: Jintegrate: op must be setto, addto or rmfrom");
        each(firstsecond, Jfirst, Jsecond, [&](Argument by, Eigen::Ref<Eigen::MatrixXd> J) {
            if (op == ::crocoddyl::setto) J.setZero();
            space_->add_integrate_jacobian(x, dx, by, op == ::crocoddyl::rmfrom ? -1 : 1, J);
        });
    }

    /// Multiplies Jin from the left by the Jacobian of integrate() by x (first) or dx (second).
    void JintegrateTransport(const VectorIn& x, const VectorIn& dx, Eigen::Ref<Eigen::MatrixXd> Jin,
                             const ::crocoddyl::Jcomponent firstsecond) const override {
        if (firstsecond != ::crocoddyl::first && firstsecond != ::crocoddyl::second)
            throw std::invalid_argument("grbda: JintegrateTransport: firstsecond must be first or second");
        space_->transport(x, dx, firstsecond == ::crocoddyl::first ? Argument::first : Argument::second, Jin);
    }

#ifdef CROCODDYL_BASE_CAST  // versions that convert models to other scalars
    std::shared_ptr<::crocoddyl::StateBase> cloneAsDouble() const override {
        return std::make_shared<CrocoddylState>(*this);
    }
    std::shared_ptr<::crocoddyl::StateBase> cloneAsFloat() const override { return refuse_scalar(); }
#ifdef CROCODDYL_WITH_CODEGEN
    std::shared_ptr<::crocoddyl::StateBase> cloneAsADDouble() const override { return refuse_scalar(); }
#endif
#endif

private:
    [[noreturn]] static std::shared_ptr<::crocoddyl::StateBase> refuse_scalar() {
        throw std::runtime_error("grbda: CrocoddylState: states are numbers of type double");
    }

    /// Calls use for the Jacobians that are wanted, one after the other: callers may give one matrix for
    /// both.
    template <class Use>
    static void each(::crocoddyl::Jcomponent wanted, Eigen::Ref<Eigen::MatrixXd> Jfirst,
                     Eigen::Ref<Eigen::MatrixXd> Jsecond, const Use& use) {
        if (!::crocoddyl::is_a_Jcomponent(wanted))
            throw std::invalid_argument("grbda: firstsecond must be both, first or second");
        if (wanted != ::crocoddyl::second) use(Argument::first, Jfirst);
        if (wanted != ::crocoddyl::first) use(Argument::second, Jsecond);
    }

    std::shared_ptr<const StateSpace> space_;
};

/// Workspaces of a node of CrocoddylDynamics, in addition to Crocoddyl's results.
struct CrocoddylData : ::crocoddyl::DifferentialActionDataAbstractTpl<double> {
    using Base = ::crocoddyl::DifferentialActionDataAbstractTpl<double>;

    CrocoddylData(::crocoddyl::DifferentialActionModelAbstractTpl<double>* action, const grbda::Model& model,
                  const SolverOptions& options)
        : Base(action), robot(model), work(model, options) {}

    grbda::Data robot;  ///< holds ÿ after calc() and calcDiff(); costs may compute with it
    SolverStep work;
    Result result;  ///< of the last calc() or calcDiff() with an input
};

/// The dynamics ÿ(q, ẏ, u) for Crocoddyl's integrated action models: calc() puts ÿ into xout [nv], calcDiff()
/// ∂ÿ into Fx [nv × 2 nv] and Fu [nv × nu]. u are the forces of the motors that the files name, or τ, with
/// the bounds that follow from the joints' efforts. The functions are independent, and results do not
/// depend on earlier calls. xout, cost and derivatives are NaN if there is no result.
class CrocoddylDynamics : public ::crocoddyl::DifferentialActionModelAbstractTpl<double> {
public:
    using Base = ::crocoddyl::DifferentialActionModelAbstractTpl<double>;
    using BaseData = ::crocoddyl::DifferentialActionDataAbstractTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    /// Cost of a node: puts cost and r, and with `derivatives` Lx, Lu, Lxx, Lxu and Luu, into the data. At
    /// the last node u is zero and must not count. It is called from several threads, with different data.
    using Cost =
        std::function<void(CrocoddylData& data, const VectorIn& x, const VectorIn& u, bool derivatives)>;

    /// `nr`: length of the residual r of the cost. Throws std::invalid_argument if there is no state, and as
    /// SolverStep does.
    explicit CrocoddylDynamics(const std::shared_ptr<CrocoddylState>& state,
                               const SolverOptions& options = {}, Cost cost = {}, std::size_t nr = 0)
        : Base(state, inputs(state, options), nr),
          state_of_robot_(state),
          options_(options),
          cost_(std::move(cost)) {
        bound_inputs();
    }

    void calc(const std::shared_ptr<BaseData>& data, const VectorIn& x, const VectorIn& u) override {
        CrocoddylData& d = data_of(data);
        const grbda::Model& model = state_of_robot_->space().model();
        require_size("x", x.size(), state_of_robot_->space().nx());
        d.result = solver_acceleration(model, d.robot, d.work, x.head(model.nq), x.tail(model.nv), u);
        d.xout = d.robot.ydd;
        put_cost(d, x, u);
        if (!d.result.ok()) d.cost = std::numeric_limits<double>::quiet_NaN();
        report(model, "calc", d.result, state_of_robot_->space().failure());
    }

    /// At the last node, which has no input: the cost alone.
    void calc(const std::shared_ptr<BaseData>& data, const VectorIn& x) override {
        put_cost(data_of(data), x, unone_);
    }

    void calcDiff(const std::shared_ptr<BaseData>& data, const VectorIn& x, const VectorIn& u) override {
        CrocoddylData& d = data_of(data);
        const grbda::Model& model = state_of_robot_->space().model();
        const int n = model.nv;
        require_size("x", x.size(), state_of_robot_->space().nx());
        d.result = solver_acceleration_derivatives(model, d.robot, d.work, x.head(model.nq), x.tail(n), u);
        d.Fx.leftCols(n) = d.work.dydd_dy;
        d.Fx.rightCols(n) = d.work.dydd_dyd;
        d.Fu = d.work.dydd_du;
        if (cost_) cost_(d, x, u, true);
        report(model, "calcDiff", d.result, state_of_robot_->space().failure());
    }

    /// At the last node: the derivatives of the cost alone.
    void calcDiff(const std::shared_ptr<BaseData>& data, const VectorIn& x) override {
        if (cost_) cost_(data_of(data), x, unone_, true);
    }

    std::shared_ptr<BaseData> createData() override {
        return std::make_shared<CrocoddylData>(this, state_of_robot_->space().model(), options_);
    }

    bool checkData(const std::shared_ptr<BaseData>& data) override {
        const auto* d = dynamic_cast<const CrocoddylData*>(data.get());
        return d && d->robot.chart().layout == state_of_robot_->space().model().layout &&
               d->Fu.cols() == d->work.nu;
    }

#ifdef CROCODDYL_BASE_CAST
    std::shared_ptr<::crocoddyl::DifferentialActionModelBase> cloneAsDouble() const override {
        return std::make_shared<CrocoddylDynamics>(*this);
    }
    std::shared_ptr<::crocoddyl::DifferentialActionModelBase> cloneAsFloat() const override {
        return refuse_scalar();
    }
#ifdef CROCODDYL_WITH_CODEGEN
    std::shared_ptr<::crocoddyl::DifferentialActionModelBase> cloneAsADDouble() const override {
        return refuse_scalar();
    }
#endif
#endif

private:
    [[noreturn]] static std::shared_ptr<::crocoddyl::DifferentialActionModelBase> refuse_scalar() {
        throw std::runtime_error("grbda: CrocoddylDynamics: the dynamics are computed in double");
    }

    static std::size_t inputs(const std::shared_ptr<CrocoddylState>& state, const SolverOptions& options) {
        if (!state) throw std::invalid_argument("grbda: CrocoddylDynamics: expected a state, found none");
        return static_cast<std::size_t>(SolverStep(state->space().model(), options).nu);
    }

    CrocoddylData& data_of(const std::shared_ptr<BaseData>& data) const {
        auto* d = dynamic_cast<CrocoddylData*>(data.get());
        if (!d) throw std::invalid_argument("grbda: CrocoddylDynamics: expected data of its createData()");
        return *d;
    }

    void put_cost(CrocoddylData& d, const VectorIn& x, const VectorIn& u) const {
        d.cost = 0;
        if (cost_) cost_(d, x, u, false);
    }

    void bound_inputs() {
        const grbda::Model& model = state_of_robot_->space().model();
        const bool motors = SolverStep(model, options_).has_motors;
        const std::vector<Coordinate> driven =
            motors ? motor_coordinates(model) : independent_coordinates(model);
        Eigen::VectorXd bound(static_cast<Eigen::Index>(nu_));
        for (std::size_t i = 0; i < driven.size(); ++i) {
            const int body = driven[i].body;
            const double reduction = motors ? std::abs(model.reduction[body]) : 1;
            bound[static_cast<Eigen::Index>(i)] = model.limits[body].effort / reduction;
        }
        set_u_lb(-bound);
        set_u_ub(bound);
    }

    std::shared_ptr<CrocoddylState> state_of_robot_;
    SolverOptions options_;
    Cost cost_;
};

}  // namespace grbda::adapters
