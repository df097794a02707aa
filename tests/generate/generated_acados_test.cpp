#include <filesystem>

#include "generate/acados_stub/acados/utils/external_function_generic.h"
#include "generate/generated_fixture.hpp"
#include "support/robots.hpp"
#include "support/solver_reference.hpp"

// Discrete dynamics for acados are the generated steps: u before x, Jacobians transposed, at offsets in
// larger vectors and matrices.

using namespace generated_code;
using namespace test_robots;
using solver_reference::Node;
using solver_reference::Reference;

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr int kBefore = 3, kAbove = 2, kLeft = 1;  // offsets
constexpr double kUntouched = 7;

/// A vector of BLASFEO with other numbers around some.
struct Vectors {
    explicit Vectors(const Vector& x) : numbers(Vector::Constant(x.size() + 2 * kBefore, kUntouched)) {
        numbers.segment(kBefore, x.size()) = x;
        vector = {static_cast<int>(numbers.size()), numbers.data()};
        place = {&vector, kBefore};
    }
    Vector inside() const { return numbers.segment(kBefore, numbers.size() - 2 * kBefore); }
    bool is_untouched_outside() const {
        return (numbers.head(kBefore).array() == kUntouched).all() &&
               (numbers.tail(kBefore).array() == kUntouched).all();
    }
    Vector numbers;
    blasfeo_dvec vector{};
    blasfeo_dvec_args place{};
};

struct Matrices {
    Matrices(Index rows, Index columns)
        : numbers(MatrixXd::Constant(rows + 2 * kAbove, columns + 2 * kLeft, kUntouched)),
          matrix{static_cast<int>(numbers.rows()), static_cast<int>(numbers.cols()), numbers.data()},
          place{&matrix, kAbove, kLeft} {}
    MatrixXd inside() const {
        return numbers.block(kAbove, kLeft, numbers.rows() - 2 * kAbove, numbers.cols() - 2 * kLeft);
    }
    bool is_untouched_outside() const {
        MatrixXd outside = numbers;
        outside.block(kAbove, kLeft, numbers.rows() - 2 * kAbove, numbers.cols() - 2 * kLeft)
            .setConstant(kUntouched);
        return (outside.array() == kUntouched).all();
    }
    MatrixXd numbers;
    blasfeo_dmat matrix;
    blasfeo_dmat_args place;
};

/// Rows or columns of x and u in acados's order, from those of J.
Eigen::VectorXi input_first(Index nx, Index nu) {
    Eigen::VectorXi order(nx + nu);
    for (Index i = 0; i < nx + nu; ++i) order[i] = static_cast<int>(i < nu ? nx + i : i - nu);
    return order;
}

void check_node(const Compiled& code, const grbda::Model& model, const Node& node, bool absolute,
                Random& random) {
    const Index nx = node.x.size(), nu = node.u.size();
    Vector p(absolute ? model.nq + 1 : 2 * model.nq + 1), next(nx);
    p << node.q_ref, (absolute ? Vector(0) : node.q_ref_next), node.h;
    MatrixXd J(nx, nx + nu + 1), H(nx + nu + 1, nx + nu + 1);
    const Vector pi = random_vector(random, nx);
    REQUIRE(code.call("step_jacobian", in(node.x), in(node.u), in(node.q_ref), in(node.q_ref_next), node.h,
                      next.data(), J.data()) == 0);
    Vectors x(node.x), u(node.u), multipliers(pi), x_next(Vector::Zero(nx));
    Matrices jacobian(nx + nu, nx), hessian(nx + nu, nx + nu);
    void* const inputs[] = {&x.place, &u.place, &multipliers.place};
    void* const outputs[] = {&x_next.place, &jacobian.place, &hessian.place};
    const Eigen::VectorXi order = input_first(nx, nu);
    const auto call = [&](const char* function) {
        x_next = Vectors(Vector::Zero(nx));
        x_next.vector.pa = x_next.numbers.data();
        x_next.place.x = &x_next.vector;
        return code.call(function, const_cast<void**>(inputs), const_cast<void**>(outputs),
                         static_cast<void*>(p.data()));
    };
    REQUIRE(call("disc_fun") == 0);
    CHECK(relative(x_next.inside(), next) < 1e-13);
    REQUIRE(call("disc_fun_jac") == 0);
    CHECK(x_next.inside() == next);
    CHECK(jacobian.inside() == MatrixXd(J.leftCols(nx + nu)(Eigen::all, order).transpose()));
    CHECK(x_next.is_untouched_outside());
    CHECK(jacobian.is_untouched_outside());
    if (absolute) {
        REQUIRE(code.call("step_hessian", in(node.x), in(node.u), in(node.q_ref), in(node.q_ref_next), node.h,
                          in(pi), H.data()) == 0);
        REQUIRE(call("disc_fun_jac_hess") == 0);
        CHECK(hessian.inside() == MatrixXd(H(order, order)));
        CHECK(hessian.is_untouched_outside());
    }
    p[p.size() - 1] = std::numeric_limits<double>::quiet_NaN();
    CHECK(call("disc_fun_jac") != 0);
    CHECK(x_next.inside().array().isNaN().all());
    CHECK(jacobian.inside().array().isNaN().all());
}

}  // namespace

TEST_CASE("Discrete dynamics for acados are the generated steps") {
    const std::string stub =
        (std::filesystem::path(GRBDA_ROBOTS).parent_path() / "tests" / "generate" / "acados_stub").string();
    for (const char* name : {"four_bar", "planar_leg_linkage", "mini_cheetah"}) {
        INFO(name);
        Random random(51);
        const grbda::Model model = solver_reference::with_forces(named(name).model, random);
        grbda::GenerateOptions options;
        options.step = grbda::Integrator::semi_implicit_euler;
        options.joint_forces = true;
        options.abi = grbda::Abi::acados;
        const Compiled code(model, options, std::string(c99) + " -I '" + stub + "'");
        Reference reference(model, {*options.step, true, true, false});
        CHECK((code.symbol("robot_disc_fun_jac_hess") != nullptr) == reference.absolute());
        at_random_states({&named(name)}, 2, 52, [&](const Robot&, const State& state, Random& generator) {
            Node node;
            REQUIRE(solver_reference::node_at(model, reference, state, generator, node));
            check_node(code, model, node, reference.absolute(), generator);
        });
        std::ofstream(folder() / "robot_acados.py") << code.code.module;
        std::ofstream(folder() / "check.py") << R"(
import robot_acados
class Solver:
    def __init__(self): self.given = {}
    def set(self, stage, field, value): self.given[stage, field] = list(value)
references = [[100.0 * k + i for i in range(robot_acados.NQ)] for k in range(4)]
solver = Solver()
robot_acados.set_references(solver, references, 0.5)
assert sorted(solver.given) == [(k, "p") for k in range(3)]
for (k, _), p in solver.given.items():
    assert len(p) == robot_acados.NP and p[:robot_acados.NQ] == references[k] and p[-1] == 0.5
    assert len(p) == robot_acados.NQ + 1 or p[robot_acados.NQ:-1] == references[k + 1]
)";
        if (std::system("python3 -c 'import numpy' 2> /dev/null") == 0)
            CHECK(std::system(("cd '" + folder().string() + "' && python3 -B check.py").c_str()) == 0);
    }
}
