#include <cstring>

#include "generate/casadi_function.hpp"
#include "support/robots.hpp"
#include "support/solver_reference.hpp"

// What CasADi relies on: counts, names and patterns agree, null inputs are zeros, null outputs are left out,
// all numbers are written, derivatives are those of differences, threads do not disturb each other, failures
// are reported.

using namespace generated_code;
using namespace test_robots;
using casadi_protocol::Function;
using casadi_protocol::Pattern;
using casadi_protocol::Vectors;
using solver_reference::Node;
using solver_reference::Reference;

namespace {

constexpr double kDifferences = 1e-7;

/// Inputs of f: a node's state and references; other numbers at random.
Vectors point_of(const Function& f, const Node& node, Random& random) {
    Vectors point;
    for (std::size_t i = 0; i < f.in().size(); ++i) {
        const std::string& name = f.names_in[i];
        const Eigen::Index size = f.in()[i].entries();
        if (name == "x")
            point.push_back(node.x);
        else if (name == "y" || name == "d")
            point.push_back(node.x.head(size));
        else if (name == "q_ref")
            point.push_back(node.q_ref);
        else if (name == "q_ref_next")
            point.push_back(node.q_ref_next);
        else
            point.push_back(name == "h" ? Vector::Constant(1, node.h) : random_vector(random, size, 0.3));
        REQUIRE(point.back().size() == size);
    }
    return point;
}

/// Central differences of all outputs, of fourth order.
Vectors slopes(const Function& f, const Vectors& point, std::size_t input, Eigen::Index entry) {
    const auto difference = [&](double by) {
        Vectors ahead = point, up, down;
        ahead[input][entry] += by;
        REQUIRE(f.call(ahead, up) == 0);
        ahead[input][entry] -= 2 * by;
        REQUIRE(f.call(ahead, down) == 0);
        for (std::size_t o = 0; o < up.size(); ++o) up[o] = (up[o] - down[o]) / (2 * by);
        return up;
    };
    const double size = f.names_in[input] == "h" ? 1e-4 : 1e-3;
    Vectors wide = difference(size), narrow = difference(size / 2);
    for (std::size_t o = 0; o < wide.size(); ++o) narrow[o] = (4 * narrow[o] - wide[o]) / 3;
    return narrow;
}

/// Blocks of jac are the differences of f, empty ones too.
void check_jacobian(const Function& f, const Function& jac, const Vectors& point) {
    Vectors inputs = point, blocks;
    for (const Pattern& p : f.out()) inputs.push_back(Vector::Zero(p.entries()));
    INFO(jac.name());
    REQUIRE(jac.in().size() == f.in().size() + f.out().size());
    REQUIRE(jac.out().size() == f.in().size() * f.out().size());
    REQUIRE(jac.call(inputs, blocks) == 0);
    for (std::size_t i = 0; i < f.in().size(); ++i) {
        for (std::size_t o = 0; o < f.out().size(); ++o) {
            const Pattern& p = jac.out()[o * f.in().size() + i];
            CHECK(p.rows == f.out()[o].entries());
            CHECK(p.columns == f.in()[i].entries());
            CHECK(p.dense <= f.varies[i]);
            CHECK(blocks[o * f.in().size() + i].allFinite());
        }
        for (Eigen::Index j = 0; f.varies[i] && j < f.in()[i].entries(); ++j) {
            const Vectors expected = slopes(f, point, i, j);
            for (std::size_t o = 0; o < f.out().size(); ++o) {
                const Pattern& p = jac.out()[o * f.in().size() + i];
                INFO(f.names_out[o] << " by " << f.names_in[i] << " " << j);
                const Vector found = p.dense
                                         ? Vector(blocks[o * f.in().size() + i].segment(j * p.rows, p.rows))
                                         : Vector(Vector::Zero(p.rows));
                CHECK(relative(found, expected[o]) < kDifferences);
            }
        }
    }
}

/// adj1_ is the transposed Jacobian times its seeds.
Vectors check_adjoint(const Function& f, const Function& jac, const Function& adj, const Vectors& point,
                      Random& random) {
    REQUIRE(adj.in().size() == f.in().size() + 2 * f.out().size());
    REQUIRE(adj.out().size() == f.in().size());
    Vectors inputs = point, blocks, found;
    for (const Pattern& p : f.out()) inputs.push_back(Vector::Zero(p.entries()));
    REQUIRE(jac.call(inputs, blocks) == 0);
    for (const Pattern& p : f.out()) inputs.push_back(random_vector(random, p.entries()));
    REQUIRE(adj.call(inputs, found) == 0);
    for (std::size_t i = 0; i < f.in().size(); ++i) {
        Vector expected = Vector::Zero(f.in()[i].entries());
        for (std::size_t o = 0; o < f.out().size(); ++o) {
            const Pattern& p = jac.out()[o * f.in().size() + i];
            if (p.dense)
                expected +=
                    Eigen::Map<const Eigen::MatrixXd>(blocks[o * f.in().size() + i].data(), p.rows, p.columns)
                        .transpose() *
                    inputs[f.in().size() + f.out().size() + o];
        }
        CHECK(relative(found[i], expected) < 1e-12);
    }
    return inputs;
}

void check_protocol(const Function& f, const Vectors& point) {
    Vectors once, other;
    REQUIRE(f.call(point, once) == 0);
    for (const Vector& x : once) CHECK(x.allFinite());
    Vectors zeroed = point;
    zeroed[1].setZero();
    const int status = f.call(zeroed, once);
    CHECK(f.call(point, other, 1) == status);
    for (std::size_t o = 0; status == 0 && o < once.size(); ++o) CHECK(once[o] == other[o]);
    CHECK(f.call(point, other, -1, 0) == 0);
    CHECK(f.call(point, once) == 0);
    Vectors twice[2];
    std::vector<std::thread> threads;
    for (Vectors& result : twice)
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) f.call(point, result);
        });
    for (std::thread& thread : threads) thread.join();
    for (const Vectors& result : twice)
        for (std::size_t o = 0; o < once.size(); ++o)
            CHECK(std::memcmp(once[o].data(), result[o].data(),
                              8 * static_cast<std::size_t>(once[o].size())) == 0);
    Vectors lost = point;
    lost[0][0] = std::numeric_limits<double>::quiet_NaN();
    CHECK(f.call(lost, other) != 0);
}

void check_robot(const grbda::Model& model, const State& state, const Compiled& code,
                 const grbda::SolverOptions& options, bool second, Random& random) {
    Reference reference(model, options);
    Node node;
    if (!solver_reference::node_at(model, reference, state, random, node)) return;
    node.h = 0.01;
    for (const char* kind : {"step", "aba", "rnea", "frames", "configuration"}) {
        const std::string name = std::string("robot_casadi_") + kind;
        const Function f(code, name), jac(code, "jac_" + name), adj(code, "adj1_" + name),
            hessian(code, "jac_adj1_" + name);
        INFO(name);
        REQUIRE(f);
        REQUIRE(jac);
        REQUIRE(adj);
        CHECK(static_cast<bool>(hessian) == second);
        const Vectors point = point_of(f, node, random);
        check_protocol(f, point);
        check_jacobian(f, jac, point);
        const Vectors seeded = check_adjoint(f, jac, adj, point, random);
        if (second) check_jacobian(adj, hessian, seeded);
    }
}

void check_robots(const std::vector<const char*>& names, grbda::Integrator rule, bool applied, bool second) {
    for (const char* name : names) {
        Random random(41);
        const grbda::Model model =
            applied ? solver_reference::with_forces(named(name).model, random) : named(name).model;
        grbda::GenerateOptions options;
        options.step = rule;
        options.motors = options.joint_forces = applied;
        options.abi = grbda::Abi::casadi;
        options.frames = {model.frames.back().name};
        const Compiled code(model, options);
        at_random_states({&named(name)}, 1, 43, [&](const Robot&, const State& state, Random& generator) {
            check_robot(model, state, code, {rule, applied, applied, false}, second, generator);
        });
    }
}

}  // namespace

TEST_CASE("Functions for CasADi follow its protocol and have first and second derivatives") {
    check_robots({"four_bar", "six_bar", "planar_leg_linkage", "slider_crank", "double_pendulum"},
                 grbda::Integrator::semi_implicit_euler, true, true);
    check_robots({"four_bar", "spatial_four_bar", "parallel_belt", "planar_leg_linkage"},
                 grbda::Integrator::runge_kutta, false, true);
}

TEST_CASE("Functions for CasADi of floating robots have first derivatives") {
    check_robots({"tello"}, grbda::Integrator::semi_implicit_euler, true, false);
    check_robots({"mini_cheetah"}, grbda::Integrator::runge_kutta, false, false);
}

namespace {

constexpr int kNodes = 8;

/// The inputs of eight nodes as columns.
Vectors stacked(const std::vector<Vectors>& points) {
    Vectors result;
    for (std::size_t i = 0; i < points[0].size(); ++i) {
        const Eigen::Index n = points[0][i].size();
        result.emplace_back(n * kNodes);
        for (int node = 0; node < kNodes; ++node)
            result.back().segment(node * n, n) = points[static_cast<std::size_t>(node)][i];
    }
    return result;
}

/// A function of eight nodes is that of one, node by node; its matrices have a block for each node.
void check_nodes(const Function& one, const Function& eight, const std::vector<Vectors>& points,
                 bool blocks) {
    INFO(eight.name());
    REQUIRE(eight);
    REQUIRE(eight.in().size() == one.in().size());
    REQUIRE(eight.out().size() == one.out().size());
    CHECK(eight.names_out == one.names_out);
    CHECK(eight.varies == one.varies);
    for (std::size_t i = 0; i < one.in().size(); ++i) {
        CHECK(eight.in()[i].rows == one.in()[i].rows);
        CHECK(eight.in()[i].columns == kNodes);
    }
    Vectors found;
    REQUIRE(eight.call(stacked(points), found) == 0);
    std::vector<Vectors> expected(kNodes);
    for (std::size_t node = 0; node < kNodes; ++node) REQUIRE(one.call(points[node], expected[node]) == 0);
    for (std::size_t o = 0; o < one.out().size(); ++o) {
        const Pattern &p = one.out()[o], &all = eight.out()[o];
        INFO(one.names_out[o]);
        CHECK(all.rows == (blocks ? kNodes * p.rows : p.rows));
        CHECK(all.columns == (blocks ? kNodes * p.columns : kNodes));
        CHECK(all.entries() == kNodes * p.entries());
        Eigen::MatrixXd M = Eigen::MatrixXd::Zero(all.rows, all.columns);
        for (Eigen::Index node = 0; node < kNodes; ++node)
            M.block(blocks ? node * p.rows : 0, node * p.columns, p.rows, p.columns) =
                p.matrix(expected[static_cast<std::size_t>(node)][o]);
        CHECK(all.matrix(found[o]) == M);
    }
}

void check_nodes_of(const char* name, grbda::Integrator rule, bool second) {
    INFO(name);
    Random random(44);
    const grbda::Model model = solver_reference::with_forces(named(name).model, random);
    grbda::GenerateOptions options;
    options.step = rule;
    options.joint_forces = true;
    options.abi = grbda::Abi::casadi;
    const Compiled code(model, options);
    Reference reference(model, {rule, true, true, false});
    const std::string step = "robot_casadi_step", map = step + "_map8";
    const Function f(code, step), jac(code, "jac_" + step), adj(code, "adj1_" + step),
        hessian(code, "jac_adj1_" + step);
    at_random_states({&named(name)}, 1, 45, [&](const Robot&, const State& state, Random& generator) {
        std::vector<Vectors> points, seeded, curved;
        Vectors unused;
        for (int trial = 0; points.size() < kNodes; ++trial) {
            Node node;
            REQUIRE(trial < 50);
            if (!solver_reference::node_at(model, reference, state, generator, node)) continue;
            const Vectors point = point_of(f, node, generator);
            if (f.call(point, unused) != 0) continue;
            points.push_back(point);
            seeded.push_back(points.back());
            seeded.back().push_back(Vector::Zero(f.out()[0].entries()));
            curved.push_back(seeded.back());
            curved.back().push_back(random_vector(generator, f.out()[0].entries()));
        }
        check_nodes(f, Function(code, map), points, false);
        check_nodes(jac, Function(code, "jac_" + map), seeded, true);
        check_nodes(adj, Function(code, "adj1_" + map), curved, false);
        for (Vectors& inputs : curved)
            for (std::size_t i = inputs.size(); second && i < hessian.in().size(); ++i)
                inputs.push_back(Vector::Zero(hessian.in()[i].entries()));
        const Function hessians(code, "jac_adj1_" + map);
        CHECK(static_cast<bool>(hessians) == second);
        if (second) check_nodes(hessian, hessians, curved, true);
        Vectors found, first;
        points[3][0][0] = std::numeric_limits<double>::quiet_NaN();
        CHECK(Function(code, map).call(stacked(points), found) != 0);
        REQUIRE(f.call(points[7], first) == 0);
        CHECK(found[0].tail(first[0].size()) == first[0]);
        CHECK(Function(code, map).call(stacked(points), found, 3, 0) != 0);
    });
}

}  // namespace

TEST_CASE("Functions of eight nodes for CasADi are those of one node, with a block for each") {
    check_nodes_of("four_bar", grbda::Integrator::semi_implicit_euler, true);
    check_nodes_of("planar_leg_linkage", grbda::Integrator::runge_kutta, true);
    check_nodes_of("tello", grbda::Integrator::semi_implicit_euler, false);
}
