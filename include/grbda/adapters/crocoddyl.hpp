#pragma once

#include <cmath>
#include <cstdlib>
#include <functional>

#include <crocoddyl/core/constraints/constraint-manager.hpp>
#include <crocoddyl/core/costs/cost-sum.hpp>
#include <crocoddyl/core/data-collector-base.hpp>
#include <crocoddyl/core/diff-action-base.hpp>
#include <crocoddyl/core/state-base.hpp>

#include "grbda/adapters/node.hpp"
#include "grbda/adapters/packaged_eigen.hpp"

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

/// The node that residuals of costs and constraints read.
struct CrocoddylCollector : ::crocoddyl::DataCollectorAbstractTpl<double> {
    explicit CrocoddylCollector(Node& of) : node(&of) {}
    Node* node;
};

/// Costs and constraints of a node; either may be absent.
struct CrocoddylSums {
    std::shared_ptr<::crocoddyl::CostModelSumTpl<double>> costs;
    std::shared_ptr<::crocoddyl::ConstraintModelManagerTpl<double>> constraints;

    std::size_t nr() const { return costs ? costs->get_nr() : 0; }
    std::size_t ng() const { return constraints ? constraints->get_ng() : 0; }
    std::size_t nh() const { return constraints ? constraints->get_nh() : 0; }
    std::size_t ng_T() const { return constraints ? constraints->get_ng_T() : 0; }
    std::size_t nh_T() const { return constraints ? constraints->get_nh_T() : 0; }

    /// Bounds of all inequalities in the order of the manager, whose own are set by its first calc() only.
    Eigen::VectorXd bounds(bool upper) const {
        Eigen::VectorXd all(static_cast<Eigen::Index>(ng()));
        Eigen::Index at = 0;
        for (const auto& [name, item] : constraints->get_constraints()) {
            const Eigen::Index count = static_cast<Eigen::Index>(item->constraint->get_ng());
            if (!item->active || count == 0) continue;
            all.segment(at, count) = upper ? item->constraint->get_ub() : item->constraint->get_lb();
            at += count;
        }
        return all;
    }
    template <class Model>
    void bound(Model& model) const {
        if (ng() == 0) return;
        model.set_g_lb(bounds(false));
        model.set_g_ub(bounds(true));
    }
};

/// Results of costs and constraints, in the memory of a node's data.
struct CrocoddylSumsData {
    CrocoddylSumsData(const CrocoddylSums& sums, Node& node) : collector(node) {
        if (sums.costs) costs = sums.costs->createData(&collector);
        if (sums.constraints) constraints = sums.constraints->createData(&collector);
    }
    CrocoddylSumsData(const CrocoddylSumsData&) = delete;
    CrocoddylSumsData& operator=(const CrocoddylSumsData&) = delete;

    template <class NodeData>
    void share(NodeData* data) {
        if (costs) costs->shareMemory(data);
        if (constraints) constraints->shareMemory(data);
    }
    /// Returns the cost. `u` may be absent: at a last node.
    template <class Model, class NodeData, class... U>
    double calc(const CrocoddylSums& sums, Model* model, NodeData* data,
                const Eigen::Ref<const Eigen::VectorXd>& x, const U&... u) {
        if (constraints) {
            constraints->resize(model, data, sizeof...(u) != 0);
            sums.constraints->calc(constraints, x, u...);
        }
        if (!costs) return 0;
        sums.costs->calc(costs, x, u...);
        return costs->cost;
    }
    template <class... U>
    void calc_diff(const CrocoddylSums& sums, const Eigen::Ref<const Eigen::VectorXd>& x, const U&... u) {
        if (costs) sums.costs->calcDiff(costs, x, u...);
        if (constraints) sums.constraints->calcDiff(constraints, x, u...);
    }

    CrocoddylCollector collector;
    std::shared_ptr<::crocoddyl::CostDataSumTpl<double>> costs;
    std::shared_ptr<::crocoddyl::ConstraintDataManagerTpl<double>> constraints;
};

/// Workspaces of a node of CrocoddylDynamics, in addition to Crocoddyl's results.
struct CrocoddylData : ::crocoddyl::DifferentialActionDataAbstractTpl<double> {
    using Base = ::crocoddyl::DifferentialActionDataAbstractTpl<double>;

    CrocoddylData(::crocoddyl::DifferentialActionModelAbstractTpl<double>* action, const grbda::Model& model,
                  const NodeOptions& options, const CrocoddylSums& of)
        : Base(action), node(model, options), robot(node.robot), work(node.work), sums(of, node) {
        sums.share(this);
    }

    Node node;           ///< with ÿ and forces of contacts after calc() and calcDiff()
    grbda::Data& robot;  ///< of the node; costs may compute with it
    SolverStep& work;    ///< of the node
    CrocoddylSumsData sums;
    Result result;  ///< of the last calc() or calcDiff() with an input
};

/// The dynamics ÿ(q, ẏ, u) for Crocoddyl's integrated action models: calc() puts ÿ into xout [nv], calcDiff()
/// ∂ÿ into Fx [nv × 2 nv] and Fu [nv × nu]; with contacts that the phase closes, if there are some. u are the
/// forces of the motors that the files name, or τ without a floating base's wrench, with the bounds that
/// follow from the joints' efforts. The functions are independent, and results do not depend on earlier
/// calls. xout, cost and derivatives are NaN if there is no result.
class CrocoddylDynamics : public ::crocoddyl::DifferentialActionModelAbstractTpl<double> {
public:
    using Base = ::crocoddyl::DifferentialActionModelAbstractTpl<double>;
    using BaseData = ::crocoddyl::DifferentialActionDataAbstractTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    /// Cost of a node as a function: puts cost and r, and with `derivatives` Lx, Lu, Lxx, Lxu and Luu, into
    /// the data. At the last node u is zero and must not count. It is called from several threads, with
    /// different data.
    using Cost =
        std::function<void(CrocoddylData& data, const VectorIn& x, const VectorIn& u, bool derivatives)>;

    /// Costs and constraints of Crocoddyl. Throws std::invalid_argument if there is no state, and as Node
    /// does.
    CrocoddylDynamics(const std::shared_ptr<CrocoddylState>& state, const NodeOptions& options,
                      const CrocoddylSums& sums)
        : Base(state, inputs(state, options), sums.nr(), sums.ng(), sums.nh(), sums.ng_T(), sums.nh_T()),
          state_of_robot_(state),
          options_(options),
          sums_(sums) {
        bound_inputs();
        sums_.bound(*this);
    }
    /// A cost of one's own, with a residual of length `nr`.
    explicit CrocoddylDynamics(const std::shared_ptr<CrocoddylState>& state,
                               const SolverOptions& options = {}, Cost cost = {}, std::size_t nr = 0)
        : Base(state, inputs(state, {options, {}, {}, false}), nr),
          state_of_robot_(state),
          options_{options, {}, {}, false},
          cost_(std::move(cost)) {
        bound_inputs();
    }

    void calc(const std::shared_ptr<BaseData>& data, const VectorIn& x, const VectorIn& u) override {
        CrocoddylData& d = data_of(data);
        const grbda::Model& model = state_of_robot_->space().model();
        require_size("x", x.size(), state_of_robot_->space().nx());
        d.result = d.node.accelerate(x, u);
        d.xout = d.node.ydd;
        d.cost = d.sums.calc(sums_, this, &d, x, u);
        if (cost_) cost_(d, x, u, false);
        if (!d.result.ok()) d.cost = std::numeric_limits<double>::quiet_NaN();
        report(model, "calc", d.result, state_of_robot_->space().failure());
    }

    /// At the last node, which has no input: the cost alone.
    void calc(const std::shared_ptr<BaseData>& data, const VectorIn& x) override {
        CrocoddylData& d = data_of(data);
        d.cost = d.sums.calc(sums_, this, &d, x);
        if (cost_) cost_(d, x, unone_, false);
    }

    void calcDiff(const std::shared_ptr<BaseData>& data, const VectorIn& x, const VectorIn& u) override {
        CrocoddylData& d = data_of(data);
        const grbda::Model& model = state_of_robot_->space().model();
        require_size("x", x.size(), state_of_robot_->space().nx());
        d.result = d.node.differentiate(x, u);
        d.Fx = d.node.ydd_x;
        d.Fu = d.node.ydd_u;
        d.sums.calc_diff(sums_, x, u);
        if (cost_) cost_(d, x, u, true);
        report(model, "calcDiff", d.result, state_of_robot_->space().failure());
    }

    /// At the last node: the derivatives of the cost alone.
    void calcDiff(const std::shared_ptr<BaseData>& data, const VectorIn& x) override {
        CrocoddylData& d = data_of(data);
        d.sums.calc_diff(sums_, x);
        if (cost_) cost_(d, x, unone_, true);
    }

    /// Inputs with the smallest ÿ at rest. A floating base without contacts falls.
    void quasiStatic(const std::shared_ptr<BaseData>& data, Eigen::Ref<Eigen::VectorXd> u, const VectorIn& x,
                     const std::size_t, const double) override {
        require_size("u", u.size(), static_cast<Eigen::Index>(nu_));
        const Result result = quasi_static(data_of(data).node, x, u);
        report(state_of_robot_->space().model(), "quasiStatic", result, state_of_robot_->space().failure());
    }

    std::shared_ptr<BaseData> createData() override {
        return std::make_shared<CrocoddylData>(this, state_of_robot_->space().model(), options_, sums_);
    }

    bool checkData(const std::shared_ptr<BaseData>& data) override {
        const auto* d = dynamic_cast<const CrocoddylData*>(data.get());
        return d && d->robot.chart().layout == state_of_robot_->space().model().layout &&
               d->Fu.cols() == d->node.nu;
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

    static std::size_t inputs(const std::shared_ptr<CrocoddylState>& state, const NodeOptions& options) {
        if (!state) throw std::invalid_argument("grbda: CrocoddylDynamics: expected a state, found none");
        return static_cast<std::size_t>(input_bounds(state->space().model(), options).size());
    }

    CrocoddylData& data_of(const std::shared_ptr<BaseData>& data) const {
        auto* d = dynamic_cast<CrocoddylData*>(data.get());
        if (!d) throw std::invalid_argument("grbda: CrocoddylDynamics: expected data of its createData()");
        return *d;
    }

    void bound_inputs() {
        const Eigen::VectorXd bounds = input_bounds(state_of_robot_->space().model(), options_);
        set_u_lb(-bounds);
        set_u_ub(bounds);
    }

    std::shared_ptr<CrocoddylState> state_of_robot_;
    NodeOptions options_;
    Cost cost_;
    CrocoddylSums sums_;
};

}  // namespace grbda::adapters
