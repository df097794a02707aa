#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include "grbda/simulation/contact_solver.hpp"
#include "support/dense.hpp"

// Impulses against the conditions that define them: Signorini's and Coulomb's at contacts; at other rows s is
// the projection of (v̂ − u) / R onto the impulses that the law allows. Where Coulomb's law was not met, s
// solves the convex problem: the projection onto the friction cone in the metric of R.

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using grbda::ContactModel;
using grbda::ContactOutcome;
using grbda::ContactSolver;
using grbda::Law;
using grbda::RowLaw;
using Random = std::mt19937_64;

constexpr double kHardest = 1 / 2.5e5;  // of R, as ContactModel::rigid says

/// Λ⁻¹, u* and laws.
struct Problem {
    MatrixXd W;
    VectorXd free;
    std::vector<RowLaw> laws;
};

double uniform(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
VectorXd normal_vector(Random& random, Index size) {
    std::normal_distribution<double> normal;
    return VectorXd::NullaryExpr(size, [&] { return normal(random); });
}
MatrixXd normal_matrix(Random& random, Index rows, Index columns) {
    std::normal_distribution<double> normal;
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

RowLaw contact(const MatrixXd& W, Index row, double friction) {
    RowLaw law;
    law.friction = friction;
    law.softness.setConstant(0.025 * W.block<3, 3>(row, row).norm() / std::sqrt(3.));
    return law;
}

Problem with_contacts(const MatrixXd& J, const MatrixXd& inverse_mass, const VectorXd& velocity,
                      double friction) {
    Problem problem{J * inverse_mass * J.transpose(), J * velocity, {}};
    problem.W = (0.5 * (problem.W + problem.W.transpose())).eval();
    for (Index row = 0; row < J.rows(); row += 3) problem.laws.push_back(contact(problem.W, row, friction));
    return problem;
}

/// Eight points that push with rank 12, on masses a hundred times apart.
Problem random_points(Random& random, double friction) {
    constexpr Index nv = 18, rows = 24;
    const MatrixXd Q = dense::orthogonal_factor(normal_matrix(random, nv, nv));
    const VectorXd masses = VectorXd::NullaryExpr(nv, [&] { return std::pow(100., uniform(random, 0, 1)); });
    const MatrixXd few = normal_matrix(random, 12, nv);
    return with_contacts(normal_matrix(random, rows, 12) * few, Q * masses.asDiagonal() * Q.transpose(),
                         normal_vector(random, nv), friction);
}

/// Two rigid feet with four corners each, coupled.
Problem two_feet(Random& random, double friction) {
    constexpr Index nv = 12;
    const MatrixXd A = normal_matrix(random, nv, nv);
    MatrixXd inverse_mass = A * A.transpose() / nv + 0.3 * MatrixXd::Identity(nv, nv);
    for (const Index at : {3, 9}) inverse_mass.diagonal().segment(at, 3) *= 30;
    MatrixXd J = MatrixXd::Zero(24, nv);
    for (Index i = 0; i < 8; ++i) {
        const Vector3d x((i & 1) != 0 ? 0.1 : -0.1, (i & 2) != 0 ? 0.05 : -0.05, -0.05);
        J.block<3, 3>(3 * i, 6 * (i / 4)).setIdentity();
        for (Index k = 0; k < 3; ++k) J.block<3, 1>(3 * i, 6 * (i / 4) + 3 + k) = Vector3d::Unit(k).cross(x);
    }
    VectorXd velocity = 0.3 * normal_vector(random, nv);
    velocity[2] -= 0.3;
    velocity[8] -= 0.3;
    return with_contacts(J, inverse_mass, velocity, friction);
}

/// Twelve spheres one on the other.
Problem pile(Random& random, double friction) {
    constexpr Index nv = 36;
    MatrixXd J = MatrixXd::Identity(nv, nv);
    VectorXd inverse_mass(nv), velocity = 0.1 * normal_vector(random, nv);
    for (Index i = 0; i < nv; i += 3) {
        inverse_mass.segment<3>(i).setConstant(std::pow(100., -uniform(random, 0, 1)));
        if (i > 0) J.block<3, 3>(i, i - 3) = -Eigen::Matrix3d::Identity();
        velocity[i + 2] -= 0.3;
    }
    return with_contacts(J, inverse_mass.asDiagonal(), velocity, friction);
}

/// One of each law of one row, and a contact, on one mass matrix.
Problem mixed(Random& random, double friction) {
    constexpr Index nv = 9, rows = 8;
    const MatrixXd A = normal_matrix(random, nv, nv), J = normal_matrix(random, rows, nv);
    Problem problem{J * (A * A.transpose() + MatrixXd::Identity(nv, nv)) * J.transpose(),
                    normal_vector(random, rows),
                    {}};
    problem.W = (0.5 * (problem.W + problem.W.transpose())).eval();
    problem.laws.push_back(contact(problem.W, 0, friction));
    Index row = 3;
    for (const Law kind : {Law::lower, Law::upper, Law::friction, Law::equality, Law::friction}) {
        RowLaw law;
        law.law = kind;
        law.largest = row % 2 == 0 ? 0 : 0.05;  // one that holds nothing
        law.wanted[0] = uniform(random, -0.5, 0.5);
        law.softness[0] = 0.025 * problem.W(row, row);
        problem.laws.push_back(law);
        ++row;
    }
    return problem;
}

/// Violation of the conditions, relative to the largest impulse or velocity.
struct Sizes {
    double impulse, velocity;
};

/// Violation of the projection's conditions with p = v̂ − u − R s: s allowed, p s = 0, p pushes out of it.
double missed_by_contact(const RowLaw& law, const Vector3d& s, const Vector3d& p, const Sizes& size) {
    const double outside = s.head<2>().norm() - law.friction * s[2];
    const double inside = law.friction * p.head<2>().norm() + p[2];
    const double work = std::abs(s.dot(p)) / (size.impulse * size.velocity);
    return std::max({outside / size.impulse, -s[2] / size.impulse, inside / size.velocity, work});
}
double missed_by_row(const RowLaw& law, double s, double p, const Sizes& size) {
    const double x = s / size.impulse, y = p / size.velocity;
    switch (law.law) {
        case Law::lower: return std::max({-x, y, std::abs(x * y)});
        case Law::upper: return std::max({x, -y, std::abs(x * y)});
        case Law::equality: return std::abs(y);
        case Law::friction: {
            const double largest = law.largest / size.impulse;
            return std::max(std::abs(x) - largest, std::min(std::abs(y), largest - x * (y > 0 ? 1 : -1)));
        }
        case Law::contact: break;
    }
    return std::numeric_limits<double>::infinity();
}

template <class OfContact>
double missed(const Problem& problem, const VectorXd& s, double scale, const OfContact& of_contact) {
    const VectorXd u = problem.free + problem.W * s;
    const Sizes size{s.cwiseAbs().maxCoeff() + 1e-300, problem.free.cwiseAbs().maxCoeff()};
    double worst = 0;
    Index row = 0;
    for (const RowLaw& law : problem.laws) {
        if (law.law == Law::contact) {
            const Vector3d at = s.segment<3>(row);
            const Vector3d p = law.wanted - u.segment<3>(row) - scale * law.softness.cwiseProduct(at);
            worst = std::max(worst, of_contact(law, at, p, size));
        } else {
            worst = std::max(
                worst,
                missed_by_row(law, s[row], law.wanted[0] - u[row] - scale * law.softness[0] * s[row], size));
        }
        row += rows_of(law.law);
    }
    return worst;
}

double missed_coulomb(const RowLaw& law, const Vector3d& s, const Vector3d& p, const Sizes& size) {
    const double across = s.head<2>().norm(), slide = p.head<2>().norm(), most = law.friction * s[2];
    const double normal = std::max(
        {-s[2] / size.impulse, p[2] / size.velocity, std::abs(s[2] * p[2]) / (size.impulse * size.velocity)});
    // sliding only at the cone's edge, and against p
    const double against = (most * slide - s.head<2>().dot(p.head<2>())) / (size.impulse * size.velocity);
    return std::max({normal, (across - most) / size.impulse, against});
}

struct Tally {
    int problems = 0, failed = 0, inexact = 0, iterations = 0;
    double worst = 0;
};

template <class Draw>
Tally solve_many(const Draw& draw, ContactModel model, int count) {
    Tally tally;
    Random random(31);
    ContactSolver solver(36);
    for (const double friction : {0.3, 0.7, 1.})
        for (int i = 0; i < count; ++i) {
            const Problem problem = draw(random, friction);
            VectorXd s = VectorXd::Zero(problem.free.size());
            const ContactOutcome outcome = solver.solve(problem.W, problem.free, problem.laws, model, s);
            ++tally.problems;
            tally.failed += outcome.status != grbda::Status::ok;
            tally.inexact += !outcome.exact;
            tally.iterations += outcome.iterations;
            const double scale = model == ContactModel::compliant ? 1 : kHardest;
            const double miss = outcome.exact ? missed(problem, s, scale, missed_coulomb)
                                              : missed(problem, s, scale, missed_by_contact);
            tally.worst = std::max(tally.worst, miss);
        }
    return tally;
}

template <class Check>
void for_all_kinds(const Check& check) {
    check("random points", random_points);
    check("two feet", two_feet);
    check("pile", pile);
    check("all laws", mixed);
}

}  // namespace

TEST_CASE("a very small impulse is found like any other") {
    // two balls that would just touch at the end of the step
    for (const double slack : {0., 1e-16, 1e-13, 1e-10, 1e-6})
        for (const ContactModel model : {ContactModel::compliant, ContactModel::rigid}) {
            INFO("slack " << slack << ", model " << static_cast<int>(model));
            RowLaw law;
            law.friction = 1;
            law.wanted = {0, 0, -1 + slack};
            law.softness = {0.002, 0.002, 0.05};
            VectorXd impulses = VectorXd::Zero(3);
            ContactSolver solver(3);
            const ContactOutcome outcome = solver.solve(
                2 * MatrixXd::Identity(3, 3), Eigen::Vector3d(0, 0, -1), {&law, 1}, model, impulses);
            CHECK(outcome.status == grbda::Status::ok);
            CHECK(outcome.exact);
            CHECK(impulses[2] == Approx(slack / 2).epsilon(0.03).margin(1e-9));
        }
}

TEST_CASE("impulses obey Coulomb's law, or the outcome says that they do not") {
    for_all_kinds([](const char* name, auto draw) {
        const Tally tally = solve_many(draw, ContactModel::compliant, 100);
        INFO(name << ", " << tally.iterations << " iterations in " << tally.problems << " problems, "
                  << tally.inexact << " not found");
        CHECK(tally.failed == 0);
        CHECK(tally.worst < 1e-6);
        CHECK(tally.iterations < 25 * tally.problems);
        CHECK(100 * tally.inexact < tally.problems);
    });
}

TEST_CASE("impulses of nearly rigid contacts obey Coulomb's law, or the outcome says that they do not") {
    for_all_kinds([](const char* name, auto draw) {
        const Tally tally = solve_many(draw, ContactModel::rigid, 50);
        INFO(name << ", " << tally.iterations << " iterations in " << tally.problems << " problems, "
                  << tally.inexact << " not found");
        CHECK(tally.failed == 0);
        CHECK(tally.worst < 1e-5);
        CHECK(10 * tally.inexact < tally.problems);
    });
}

TEST_CASE("solving again takes no iteration") {
    Random random(32);
    ContactSolver solver(24);
    const Problem problem = two_feet(random, 0.7);
    VectorXd s = VectorXd::Zero(24);
    REQUIRE(solver.solve(problem.W, problem.free, problem.laws, ContactModel::compliant, s).iterations > 0);
    const VectorXd first = s;
    CHECK(solver.solve(problem.W, problem.free, problem.laws, ContactModel::compliant, s).iterations == 0);
    CHECK(s == first);
    VectorXd again = VectorXd::Zero(24);
    (void)solver.solve(problem.W, problem.free, problem.laws, ContactModel::compliant, again);
    CHECK(again == first);  // to the bit
}

TEST_CASE("contacts that go on to stick take one iteration, whatever moves them") {
    Random random(35);
    ContactSolver solver(24);
    for (int i = 0; i < 100; ++i) {
        Problem problem = two_feet(random, 0.7);
        VectorXd s = VectorXd::Zero(24), wanted(24), R(24);
        for (Index k = 0; k < 8; ++k)
            R.segment<3>(3 * k) = problem.laws[static_cast<std::size_t>(k)].softness;
        for (int solution = 0; solution < 2; ++solution) {
            for (Index k = 0; k < 24; k += 3)  // within the friction cone, so that u = −R s there
                wanted.segment<3>(k) << uniform(random, -0.4, 0.4), uniform(random, -0.4, 0.4), 1;
            wanted *= uniform(random, 0.1, 10);
            problem.free = -(problem.W * wanted + R.cwiseProduct(wanted));
            const ContactOutcome outcome =
                solver.solve(problem.W, problem.free, problem.laws, ContactModel::compliant, s);
            CHECK((s - wanted).norm() < 1e-6 * wanted.norm());
            if (solution == 1) CHECK(outcome.iterations == 1);
        }
    }
}

TEST_CASE("changes of impulses are those of two solutions") {
    ContactSolver solver(36);
    int smooth = 0;
    Random random(33);
    for (int i = 0; i < 40; ++i) {
        const Problem problem = i % 2 == 0 ? pile(random, 0.5) : mixed(random, 0.5);
        const Index n = problem.free.size();
        constexpr double step = 1e-7;
        const VectorXd way = normal_vector(random, n);
        const auto solution = [&](double change) {
            VectorXd s = VectorXd::Zero(n);
            const VectorXd free = problem.free + change * way;
            REQUIRE(solver.solve(problem.W, free, problem.laws, ContactModel::compliant, s).status ==
                    grbda::Status::ok);
            return s;
        };
        const VectorXd ahead = solution(step), behind = solution(-step), here = solution(0);
        MatrixXd change = way;
        solver.differentiate(change);
        const VectorXd forward = (ahead - here) / step, backward = (here - behind) / step;
        if ((forward - backward).norm() > 1e-3 * forward.norm()) continue;  // a law changes there
        ++smooth;
        CHECK((change.col(0) - 0.5 * (forward + backward)).norm() < 1e-4 * forward.norm());
    }
    CHECK(smooth > 30);
}

TEST_CASE("energy does not grow through impulses") {
    Random random(34);
    ContactSolver solver(24);
    for (int i = 0; i < 200; ++i) {
        Problem problem = random_points(random, 1);
        VectorXd s = VectorXd::Zero(24);
        REQUIRE(solver.solve(problem.W, problem.free, problem.laws, ContactModel::compliant, s).status ==
                grbda::Status::ok);
        // ΔE = sᵀu⁺ − ½ sᵀ Λ⁻¹ s
        const VectorXd u = problem.free + problem.W * s;
        CHECK(s.dot(u) - 0.5 * s.dot(problem.W * s) < 1e-9 * std::abs(s.dot(problem.free)));
    }
}

TEST_CASE("numbers that no impulse can answer are a status, and zero") {
    Random random(35);
    ContactSolver solver(24);
    Problem problem = two_feet(random, 0.7);
    VectorXd s = VectorXd::Zero(24);
    problem.free[3] = std::numeric_limits<double>::quiet_NaN();
    CHECK(solver.solve(problem.W, problem.free, problem.laws, ContactModel::rigid, s).status ==
          grbda::Status::not_finite);
    CHECK(s.isZero(0));
    CHECK_THROWS_AS(solver.solve(problem.W, VectorXd::Zero(23), problem.laws, ContactModel::rigid, s),
                    std::invalid_argument);
    ContactSolver small(23);
    CHECK_THROWS_AS(small.solve(problem.W, problem.free, problem.laws, ContactModel::rigid, s),
                    std::invalid_argument);
    const VectorXd nothing(0);
    VectorXd none(0);
    CHECK(solver.solve(MatrixXd(0, 0), nothing, {}, ContactModel::compliant, none).status ==
          grbda::Status::ok);
}
