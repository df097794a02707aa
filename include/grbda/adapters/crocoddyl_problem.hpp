#pragma once

#include <crocoddyl/core/action-base.hpp>
#include <crocoddyl/core/optctrl/shooting.hpp>
#include <crocoddyl/core/residual-base.hpp>

#include "grbda/adapters/crocoddyl.hpp"
#include "grbda/adapters/residuals.hpp"

// Residuals and impacts of robots with loops in Crocoddyl 3, and the reasons of nodes without a result.

namespace grbda::adapters {

/// A residual for Crocoddyl's CostModelResidual and ConstraintModelResidual, in nodes of CrocoddylDynamics
/// and CrocoddylImpact. nu: the number of inputs of the node.
class CrocoddylResidual : public ::crocoddyl::ResidualModelAbstractTpl<double> {
public:
    using Base = ::crocoddyl::ResidualModelAbstractTpl<double>;
    using BaseData = ::crocoddyl::ResidualDataAbstractTpl<double>;
    using Collector = ::crocoddyl::DataCollectorAbstractTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    /// Throws std::invalid_argument if there is no state or no residual.
    CrocoddylResidual(const std::shared_ptr<CrocoddylState>& state, std::shared_ptr<const Residual> residual,
                      std::size_t nu)
        : Base(given(state), static_cast<std::size_t>(given(residual)->nr), nu, residual->reads_q,
               residual->reads_v, residual->reads_u),
          space_(state->shared_space()),
          residual_(std::move(residual)) {}

    void calc(const std::shared_ptr<BaseData>& data, const VectorIn& x, const VectorIn& u) override {
        deliver("a residual", residual_->value(node_of(*data), x, u, data->r), data->r);
    }
    void calc(const std::shared_ptr<BaseData>& data, const VectorIn& x) override {
        calc(data, x, Eigen::VectorXd());
    }
    void calcDiff(const std::shared_ptr<BaseData>& data, const VectorIn& x, const VectorIn& u) override {
        data->Rx.setZero();
        data->Ru.setZero();
        const Result result = residual_->jacobians(node_of(*data), x, u, data->Rx, data->Ru);
        deliver("derivatives of a residual", result, data->Rx);
    }
    void calcDiff(const std::shared_ptr<BaseData>& data, const VectorIn& x) override {
        calcDiff(data, x, Eigen::VectorXd());
    }

    /// Throws std::invalid_argument if the collector is not that of a node of this library.
    std::shared_ptr<BaseData> createData(Collector* const collector) override {
        if (!dynamic_cast<CrocoddylCollector*>(collector))
            throw std::invalid_argument(
                "grbda: CrocoddylResidual: expected a node of CrocoddylDynamics or CrocoddylImpact");
        return Base::createData(collector);
    }

#ifdef CROCODDYL_BASE_CAST
    std::shared_ptr<::crocoddyl::ResidualModelBase> cloneAsDouble() const override {
        return std::make_shared<CrocoddylResidual>(*this);
    }
    std::shared_ptr<::crocoddyl::ResidualModelBase> cloneAsFloat() const override {
        throw std::runtime_error("grbda: CrocoddylResidual: residuals are computed in double");
    }
#endif

private:
    template <class Pointer>
    static const Pointer& given(const Pointer& pointer) {
        if (!pointer)
            throw std::invalid_argument(
                "grbda: CrocoddylResidual: expected a state and a residual, found none");
        return pointer;
    }
    static Node& node_of(BaseData& data) { return *static_cast<CrocoddylCollector*>(data.shared)->node; }
    template <class Output>
    void deliver(const char* function, const Result& result, Output& out) const {
        if (!result.ok()) out.setConstant(std::numeric_limits<double>::quiet_NaN());
        report(space_->model(), function, result, space_->failure());
    }

    std::shared_ptr<const StateSpace> space_;
    std::shared_ptr<const Residual> residual_;
};

/// Workspaces of a node of CrocoddylImpact, in addition to Crocoddyl's results.
struct CrocoddylImpactData : ::crocoddyl::ActionDataAbstractTpl<double> {
    using Base = ::crocoddyl::ActionDataAbstractTpl<double>;

    CrocoddylImpactData(::crocoddyl::ActionModelAbstractTpl<double>* action, const grbda::Model& model,
                        const NodeOptions& options, const CrocoddylSums& of)
        : Base(action), node(model, options), sums(of, node) {
        sums.share(this);
    }

    Node node;  ///< with impulses after calc() and calcDiff()
    CrocoddylSumsData sums;
    Result result;  ///< of the last calc() or calcDiff()
};

/// The instant at which the active contacts of a phase strike, without rebound or slip, as a node without
/// inputs. Gains of the phase are not read.
class CrocoddylImpact : public ::crocoddyl::ActionModelAbstractTpl<double> {
public:
    using Base = ::crocoddyl::ActionModelAbstractTpl<double>;
    using BaseData = ::crocoddyl::ActionDataAbstractTpl<double>;
    using VectorIn = Eigen::Ref<const Eigen::VectorXd>;

    /// Throws std::invalid_argument if there is no state or no contact.
    CrocoddylImpact(const std::shared_ptr<CrocoddylState>& state, const NodeOptions& options,
                    const CrocoddylSums& sums = {})
        : Base(given(state, options), 0, sums.nr(), sums.ng(), sums.nh(), sums.ng_T(), sums.nh_T()),
          state_of_robot_(state),
          options_(options),
          sums_(sums) {
        sums_.bound(*this);
    }

    void calc(const std::shared_ptr<BaseData>& data, const VectorIn& x, const VectorIn& u) override {
        CrocoddylImpactData& d = data_of(data);
        strike(d, x, false);
        d.cost = d.sums.calc(sums_, this, &d, x, u);
        if (!d.result.ok()) d.cost = std::numeric_limits<double>::quiet_NaN();
        report(state_of_robot_->space().model(), "calc", d.result, state_of_robot_->space().failure());
    }
    void calc(const std::shared_ptr<BaseData>& data, const VectorIn& x) override {
        calc(data, x, Eigen::VectorXd());
    }
    void calcDiff(const std::shared_ptr<BaseData>& data, const VectorIn& x, const VectorIn& u) override {
        CrocoddylImpactData& d = data_of(data);
        const Eigen::Index n = d.node.model().nv;
        strike(d, x, true);
        d.Fx.setZero();
        d.Fx.topLeftCorner(n, n).setIdentity();
        d.Fx.bottomRows(n) = d.node.yd_x;
        d.sums.calc_diff(sums_, x, u);
        report(state_of_robot_->space().model(), "calcDiff", d.result, state_of_robot_->space().failure());
    }
    void calcDiff(const std::shared_ptr<BaseData>& data, const VectorIn& x) override {
        calcDiff(data, x, Eigen::VectorXd());
    }

    std::shared_ptr<BaseData> createData() override {
        return std::make_shared<CrocoddylImpactData>(this, state_of_robot_->space().model(), options_, sums_);
    }
    bool checkData(const std::shared_ptr<BaseData>& data) override {
        return dynamic_cast<const CrocoddylImpactData*>(data.get()) != nullptr;
    }

#ifdef CROCODDYL_BASE_CAST
    std::shared_ptr<::crocoddyl::ActionModelBase> cloneAsDouble() const override {
        return std::make_shared<CrocoddylImpact>(*this);
    }
    std::shared_ptr<::crocoddyl::ActionModelBase> cloneAsFloat() const override {
        throw std::runtime_error("grbda: CrocoddylImpact: impacts are computed in double");
    }
#endif

private:
    static const std::shared_ptr<CrocoddylState>& given(const std::shared_ptr<CrocoddylState>& state,
                                                        const NodeOptions& options) {
        if (!state) throw std::invalid_argument("grbda: CrocoddylImpact: expected a state, found none");
        if (options.contacts.empty())
            throw std::invalid_argument("grbda: CrocoddylImpact: expected options with contacts, found none");
        return state;
    }
    static CrocoddylImpactData& data_of(const std::shared_ptr<BaseData>& data) {
        auto* d = dynamic_cast<CrocoddylImpactData*>(data.get());
        if (!d) throw std::invalid_argument("grbda: CrocoddylImpact: expected data of its createData()");
        return *d;
    }
    static void strike(CrocoddylImpactData& d, const VectorIn& x, bool derivatives) {
        const grbda::Model& model = d.node.model();
        require_size("x", x.size(), model.nq + model.nv);
        d.result = d.node.strike(x, derivatives);
        d.xnext << x.head(model.nq), d.node.yd_after;
    }

    std::shared_ptr<CrocoddylState> state_of_robot_;
    NodeOptions options_;
    CrocoddylSums sums_;
};

/// A node without a result.
struct NodeFailure {
    std::size_t node = 0;
    std::string reason;  ///< the function, the status and the joint, as far as they are known
};

/// Evaluates all nodes one after the other, outside of the solver's parallel regions, and returns those
/// without a result. A solver whose first guess has one ends after 0 iterations without a message. Throws
/// std::invalid_argument unless there are T + 1 states and T inputs.
inline std::vector<NodeFailure> failures(::crocoddyl::ShootingProblemTpl<double>& problem,
                                         const std::vector<Eigen::VectorXd>& xs,
                                         const std::vector<Eigen::VectorXd>& us) {
    std::vector<NodeFailure> found;
    const auto probe = [&](std::size_t k, const auto& model, const auto& data, const auto&... point) {
        last_failure() = {};
        std::string reason;
        try {
            model->calc(data, point...);
            if (!last_failure().model) model->calcDiff(data, point...);
        } catch (const std::exception& error) {
            reason = error.what();
        }
        const LastFailure& last = last_failure();
        if (reason.empty() && last.model) reason = describe(*last.model, last.function, last.result);
        const bool finite = data->xnext.allFinite() && std::isfinite(data->cost) && data->Lx.allFinite() &&
                            data->Fx.allFinite();
        if (reason.empty() && !finite) reason = "numbers of the node are not finite";
        if (!reason.empty()) found.push_back({k, reason});
    };
    const std::size_t count = problem.get_T();
    require_size("xs", static_cast<long>(xs.size()), static_cast<long>(count) + 1);
    require_size("us", static_cast<long>(us.size()), static_cast<long>(count));
    for (std::size_t k = 0; k < count; ++k)
        probe(k, problem.get_runningModels()[k], problem.get_runningDatas()[k], xs[k], us[k]);
    probe(count, problem.get_terminalModel(), problem.get_terminalData(), xs[count]);
    return found;
}

/// Throws std::runtime_error with the first node without a result, and why: for the first guess of a solver.
inline void check(::crocoddyl::ShootingProblemTpl<double>& problem, const std::vector<Eigen::VectorXd>& xs,
                  const std::vector<Eigen::VectorXd>& us) {
    const std::vector<NodeFailure> found = failures(problem, xs, us);
    if (found.empty()) return;
    throw std::runtime_error(
        "node " + std::to_string(found.front().node) + ": " + found.front().reason +
        (found.size() > 1 ? "; " + std::to_string(found.size() - 1) + " more nodes fail" : ""));
}

}  // namespace grbda::adapters
