#include <memory>
#include <vector>

#include <crocoddyl/core/integrator/euler.hpp>
#include <crocoddyl/core/optctrl/shooting.hpp>
#include <crocoddyl/core/solvers/fddp.hpp>

#include "adapters/adapters_fixture.hpp"
#include "grbda/adapters/crocoddyl.hpp"

// Problems with loops that Crocoddyl itself solves.

using namespace adapters_tests;
using namespace test_robots;
using grbda::adapters::CrocoddylData;
using grbda::adapters::CrocoddylDynamics;
using grbda::adapters::CrocoddylState;

namespace {

constexpr double step = 0.02;  // s
constexpr std::size_t nodes = 50;

/// Half the squared distance to a state, with a weight, and half of the squared inputs with another.
CrocoddylDynamics::Cost distance(const std::shared_ptr<CrocoddylState>& state, const VectorXd& goal,
                                 double weight, double effort) {
    return [=](CrocoddylData& data, const auto& x, const auto& u, bool derivatives) {
        const Eigen::Index n = data.Lx.size();
        VectorXd apart(n);
        state->diff(goal, x, apart);
        data.cost = 0.5 * (weight * apart.squaredNorm() + effort * u.squaredNorm());
        if (!derivatives) return;
        MatrixXd from(n, n), to(n, n);
        state->Jdiff(goal, x, from, to);
        data.Lx = weight * to.transpose() * apart;
        data.Lxx = weight * to.transpose() * to;
        data.Lu = effort * u;
        data.Luu = effort * MatrixXd::Identity(u.size(), u.size());
    };
}

}  // namespace

TEST_CASE("Crocoddyl moves linkages from rest to rest") {
    struct Move {
        const char* name;
        double angle;  // rad, of each independent coordinate; 0.2 is out of reach of the leg's linkage
    };
    for (const auto& [name, angle] :
         {Move{"four_bar", 0.2}, Move{"planar_leg_linkage", -0.2}, Move{"g1_like_ankle", 0.2}}) {
        INFO(name);
        const auto model = shared(named(name).model);
        const auto state = std::make_shared<CrocoddylState>(model);
        VectorXd change = VectorXd::Zero(2 * model->nv);
        change.head(model->nv).setConstant(angle);
        const VectorXd start = state->zero();
        VectorXd goal(start.size());
        state->integrate(start, change, goal);
        REQUIRE(goal.allFinite());

        const auto node = [&](double weight, double effort) {
            const auto dynamics = std::make_shared<CrocoddylDynamics>(state, grbda::SolverOptions{},
                                                                      distance(state, goal, weight, effort));
            return std::make_shared<crocoddyl::IntegratedActionModelEuler>(dynamics, step);
        };
        const std::vector<std::shared_ptr<crocoddyl::ActionModelAbstract>> running(nodes, node(1e-2, 1e-4));
        const auto problem = std::make_shared<crocoddyl::ShootingProblem>(start, running, node(1e6, 0));
        crocoddyl::SolverFDDP solver(problem);
        solver.set_th_stop(1e-12);
        const std::vector<VectorXd> rest(nodes + 1, start);
        const std::vector<VectorXd> held = problem->quasiStatic_xs({rest.begin(), rest.end() - 1});
        CHECK(solver.solve(rest, held, 200));

        VectorXd left(2 * model->nv);
        state->diff(goal, solver.get_xs().back(), left);
        CHECK(left.norm() < 1e-2);
        // each state follows from the one before
        CrocoddylDynamics dynamics(state);
        const auto data = dynamics.createData();
        for (std::size_t k = 0; k < nodes; ++k) {
            const VectorXd& x = solver.get_xs()[k];
            const VectorXd& next = solver.get_xs()[k + 1];
            dynamics.calc(data, x, solver.get_us()[k]);
            const VectorXd ydd = data->xout;
            VectorXd dx(2 * model->nv), expected(x.size());
            dx << step * (x.tail(model->nv) + step * ydd), step * ydd;
            state->integrate(x, dx, expected);
            CHECK((next - expected).norm() < 1e-9 * (1 + next.norm()));
        }
    }
}
