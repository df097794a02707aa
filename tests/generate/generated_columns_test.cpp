#include "generate/generated_fixture.hpp"
#include "support/robots.hpp"
#include "support/solver_reference.hpp"

// Matrices that are stored column by column have the entries of those that are stored row by row.

using namespace generated_code;
using namespace test_robots;
using Eigen::Index;
using Eigen::MatrixXd;
using grbda::GeneratedAlgorithm;

namespace {

constexpr double kSame = 1e-13;

struct Both {
    Compiled rows, columns;

    Both(const grbda::Model& model, grbda::GenerateOptions options)
        : rows(model, options), columns(model, by_columns(options)) {}
    static grbda::GenerateOptions by_columns(grbda::GenerateOptions options) {
        options.columns = true;
        return options;
    }

    /// Calls a function whose outputs are matrices of these sizes, and then vectors if they have one column.
    template <class... Inputs>
    void compare(const std::string& function, const std::vector<std::pair<Index, Index>>& sizes,
                 Inputs... inputs) const {
        std::vector<Vector> of_rows, of_columns;
        for (const auto& [n, m] : sizes) of_rows.emplace_back(n * m);
        of_columns = of_rows;
        INFO(function);
        REQUIRE(call(rows, function, of_rows, inputs...) == 0);
        REQUIRE(call(columns, function, of_columns, inputs...) == 0);
        for (std::size_t o = 0; o < sizes.size(); ++o) {
            INFO("output " << o);
            const auto [n, m] = sizes[o];
            const MatrixXd expected = Eigen::Map<const RowMatrix>(of_rows[o].data(), n, m),
                           found = Eigen::Map<const MatrixXd>(of_columns[o].data(), n, m);
            CHECK(relative(found, expected) < kSame);
        }
    }

private:
    template <class... Inputs>
    static int call(const Compiled& code, const std::string& function, std::vector<Vector>& out,
                    Inputs... inputs) {
        switch (out.size()) {
            case 1: return code.call(function, inputs..., out[0].data());
            case 3: return code.call(function, inputs..., out[0].data(), out[1].data(), out[2].data());
            default:
                return code.call(function, inputs..., out[0].data(), out[1].data(), out[2].data(),
                                 out[3].data());
        }
    }
};

}  // namespace

TEST_CASE("Matrices of generated functions are stored by columns where that is asked for") {
    for (const char* name : {"planar_leg_linkage", "tello", "mini_cheetah"}) {
        INFO(name);
        Random random(51);
        const grbda::Model model = solver_reference::with_forces(named(name).model, random);
        grbda::GenerateOptions options;
        options.algorithms = {GeneratedAlgorithm::crba,
                              GeneratedAlgorithm::rnea_derivatives,
                              GeneratedAlgorithm::aba_derivatives,
                              GeneratedAlgorithm::forces_derivatives,
                              GeneratedAlgorithm::jacobians,
                              GeneratedAlgorithm::poses};
        options.joint_forces = true;
        options.frames = {model.frames.back().name};
        const Both code(model, options);
        CHECK(code.columns.call("self_check") == 0);
        CHECK(code.columns.code.header.find("row by row, and its position") != std::string::npos);
        CHECK(code.columns.code.header.find("M [" + std::to_string(model.nv * model.nv) +
                                            "]: mass matrix, column by column") != std::string::npos);
        const Index n = model.nv, nu = solver_reference::Reference(model, {}).inputs();
        at_random_states({&named(name)}, 3, 52, [&](const Robot&, const State& s, Random& generator) {
            const Vector u = random_vector(generator, nu);
            code.compare("crba", {{n, n}}, in(s.q));
            code.compare("rnea_derivatives", {{n, n}, {n, n}, {n, n}}, in(s.q), in(s.yd), in(s.ydd));
            code.compare("aba_derivatives", {{n, n}, {n, n}, {n, n}, {n, 1}}, in(s.q), in(s.yd), in(s.tau));
            code.compare("forces_derivatives", {{n, 1}, {n, n}, {n, n}, {n, nu}}, in(s.q), in(s.yd), in(u));
            code.compare("jacobians", {{6, n}}, in(s.q));
            code.compare("poses", {{12, 1}}, in(s.q));
        });
    }
}

TEST_CASE("Steps do not depend on how other matrices are stored") {
    for (const grbda::Integrator rule :
         {grbda::Integrator::semi_implicit_euler, grbda::Integrator::runge_kutta}) {
        Random random(53);
        const grbda::Model model = solver_reference::with_forces(named("planar_leg_linkage").model, random);
        grbda::GenerateOptions options;
        options.step = rule;
        options.joint_forces = options.hessian = true;
        const Both code(model, options);
        solver_reference::Reference reference(model, {rule, true, true, false});
        at_random_states(
            {&named("planar_leg_linkage")}, 3, 54, [&](const Robot&, const State& s, Random& generator) {
                solver_reference::Node node;
                if (!solver_reference::node_at(model, reference, s, generator, node)) return;
                const Index nx = node.x.size(), all = nx + node.u.size() + 1;
                const Vector pi = random_vector(generator, nx);
                Vector next[2] = {Vector(nx), Vector(nx)}, J[2] = {Vector(nx * all), Vector(nx * all)},
                       H[2] = {Vector(all * all), Vector(all * all)};
                for (int i : {0, 1}) {
                    const Compiled& c = i == 0 ? code.rows : code.columns;
                    REQUIRE(c.call("step_jacobian", in(node.x), in(node.u), in(node.q_ref),
                                   in(node.q_ref_next), node.h, next[i].data(), J[i].data()) == 0);
                    REQUIRE(c.call("step_hessian", in(node.x), in(node.u), in(node.q_ref),
                                   in(node.q_ref_next), node.h, in(pi), H[i].data()) == 0);
                }
                CHECK(relative(next[0], next[1]) < kSame);
                CHECK(relative(J[0], J[1]) < kSame);
                CHECK(relative(H[0], H[1]) < kSame);
            });
    }
}
