#include "constraints/constraint_forces.hpp"
#include "dynamics/energy.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "mechanism/rods_fixture.hpp"

// Rods are exact: the same robot with them as bodies has the same motion; where spins of rods between balls
// are free, at zero spin momentum.

namespace {

using namespace rods_fixture;
using grbda::Workspace;

constexpr double kAgreement = 1e-8;  // the full mass matrix is graded: spins of thin rods

/// A state of both models: the momenta of the free spins of the full one are zero.
struct Pair {
    const Model &reduced, &full;
    State state;
    VectorXd q, yd;  ///< of the full model
    MatrixXd T, M, M_full;

    Pair(const Model& its_reduced, const Model& its_full, const State& of_full, Random& random)
        : reduced(its_reduced), full(its_full), q(of_full.q), T(selection(full, reduced)) {
        state.q = VectorXd::Map(reduced.neutral.data(), reduced.nq);
        equivalence::copy_positions(full, q, reduced, state.q);
        for (VectorXd* x : {&state.yd, &state.ydd, &state.tau}) *x = random_vector(random, reduced.nv);
    }

    /// True if a piston has passed the other end of its strut, which has a positive length.
    bool passes_an_end() const {
        return std::any_of(reduced.loops.begin(), reduced.loops.end(), [this](const grbda::Loop& loop) {
            return loop.slide >= 0 && loop.constant + loop.slide_sign * state.q[loop.slide_q] <= 0;
        });
    }

    /// False: the coordinates of one of the models are singular there, or it has no such state.
    bool find() {
        if (passes_an_end()) return false;
        Workspace<double> data(full), reduced_data(reduced);
        REQUIRE(grbda::closure_residual<double>(reduced, reduced_data, state.q).ok());
        M.resize(reduced.nv, reduced.nv);
        M_full.resize(full.nv, full.nv);
        if (!grbda::crba<double>(full, data, q, M_full).ok()) return false;
        if (!grbda::crba<double>(reduced, reduced_data, state.q, M).ok()) return false;
        if (conditioning(full, data) < 1e-3 || conditioning(reduced, reduced_data) < 1e-3) return false;
        const Eigen::LDLT<MatrixXd> factor(M_full);
        const MatrixXd lift = factor.solve(T.transpose());
        yd = lift * (T * lift).inverse() * state.yd + spins(data);
        return true;
    }

    /// Velocities of the idle spins of the full model that give rods their spin momenta.
    VectorXd spins(Workspace<double>& data) const {
        std::vector<Eigen::Index> idle;
        for (Eigen::Index j = 0; j < full.nv; ++j)
            if (T.col(j).isZero()) idle.push_back(j);
        VectorXd momenta = VectorXd::Zero(full.nv), result = momenta;
        if (idle.empty()) return result;
        REQUIRE(grbda::forward_kinematics<double>(full, data, q).ok());
        for (std::size_t r = 0; r < reduced.rods.size(); ++r) {
            const grbda::Rod& rod = reduced.rods[r];
            const int frame = full.frame(reduced.names.rods[r].name).index;
            grbda::Matrix6X<double> J(6, full.nv);
            grbda::frame_jacobian<double>(full, data, frame, grbda::ReferenceFrame::local, J);
            const grbda::Vector3<double> n = grbda::transpose_times(rod.rotation, rod.line);
            momenta += J.bottomRows<3>().transpose() * Vector3d(n.x, n.y, n.z) * rod.spin_momentum;
        }
        const MatrixXd inertia = M_full(idle, idle);
        const VectorXd momentum = momenta(idle), rates = inertia.ldlt().solve(momentum);
        for (std::size_t i = 0; i < idle.size(); ++i) result[idle[i]] = rates[static_cast<Eigen::Index>(i)];
        return result;
    }
};

void check_mass(const Pair& x) {
    const Eigen::LDLT<MatrixXd> factor(x.M_full);
    const MatrixXd expected = (x.T * factor.solve(x.T.transpose())).inverse();
    CHECK(relative(x.M, expected) < kAgreement);
}

void check_dynamics(const Pair& x) {
    Workspace<double> data(x.reduced), full(x.full);
    const State& s = x.state;
    REQUIRE(grbda::aba<double>(x.reduced, data, s.q, s.yd, s.tau).ok());
    REQUIRE(grbda::aba<double>(x.full, full, x.q, x.yd, VectorXd(x.T.transpose() * s.tau)).ok());
    const VectorXd ydd = data.ydd;
    CHECK(relative_by_inertia(x.M, ydd, x.T * full.ydd) < 100 * kAgreement);
    REQUIRE(grbda::rnea<double>(x.reduced, data, s.q, s.yd, ydd).ok());
    CHECK(relative(data.tau, s.tau) < kAgreement);
    const VectorXd full_ydd = full.ydd;
    const VectorXd of_full = x.T * full_ydd;
    REQUIRE(grbda::rnea<double>(x.reduced, data, s.q, s.yd, of_full).ok());
    CHECK(relative(data.tau, s.tau) < 100 * kAgreement);
}

void check_energy(const Pair& x) {
    Workspace<double> data(x.reduced), full(x.full);
    grbda::MechanicalState found, expected;
    REQUIRE(grbda::mechanical_state<double>(x.reduced, data, x.state.q, x.state.yd, found).ok());
    REQUIRE(grbda::mechanical_state<double>(x.full, full, x.q, x.yd, expected).ok());
    CHECK(found.kinetic == Approx(expected.kinetic).epsilon(kAgreement));
    CHECK(found.potential == Approx(expected.potential).margin(kAgreement));
    CHECK(found.mass == Approx(expected.mass));
    CHECK(relative(found.com, expected.com) < kAgreement);
    CHECK(relative(found.linear_momentum, expected.linear_momentum) < kAgreement);
    CHECK(relative(found.angular_momentum, expected.angular_momentum) < kAgreement);
}

/// Forces at end A of whole rods on one joint: with the full model, those through it.
void check_end_forces(const Pair& x, const grbda::ConstraintForces& found,
                      const grbda::ConstraintForces& expected) {
    for (std::size_t r = 0; r < x.reduced.rods.size(); ++r) {
        const grbda::RodNames& names = x.reduced.names.rods[r];
        const int joint = equivalence::find(x.full.names.bodies, names.name);
        const auto& full_body = x.full.bodies[at(joint)];
        const int loop = x.reduced.rods[r].loop, carrier = x.reduced.loops[at(loop)].predecessor.body;
        const std::string parent =
            full_body.parent == grbda::world ? "" : x.full.names.bodies[at(full_body.parent)];
        if (parent != (carrier == grbda::world ? "" : x.reduced.names.bodies[at(carrier)])) continue;
        const auto column = static_cast<Eigen::Index>(r);
        Eigen::Matrix<double, 6, 1> wrench;
        wrench << found.rods.col(column).head<3>(), found.rod_couples.col(column);
        CHECK(relative(wrench, expected.joints_world.col(joint)) < 1000 * kAgreement);
    }
}

/// True if rows are redundant: then the forces of constraints are not determined.
bool is_overconstrained(const Model& model) {
    return std::any_of(model.clusters.begin(), model.clusters.end(),
                       [](const grbda::Cluster& c) { return c.rows > c.dependents(); });
}

/// Names of links that are rods, cylinders or pistons.
std::vector<std::string> links_of_rods(const Model& model) {
    std::vector<std::string> links;
    for (const grbda::RodNames& rod : model.names.rods) {
        links.push_back(rod.name);
        if (!rod.piston.empty()) links.push_back(rod.piston);
    }
    return links;
}

/// Bearings of the joints that both have, and a point of each rod.
void check_forces_and_places(const Pair& x) {
    Workspace<double> data(x.reduced), full(x.full);
    const State& s = x.state;
    REQUIRE(grbda::aba<double>(x.full, full, x.q, x.yd, VectorXd(x.T.transpose() * s.tau)).ok());
    const VectorXd full_ydd = full.ydd, ydd = x.T * full_ydd;
    grbda::ConstraintForces found(x.reduced), expected(x.full);
    REQUIRE(grbda::constraint_forces<double>(x.reduced, data, s.q, s.yd, ydd, found).ok());
    REQUIRE(grbda::constraint_forces<double>(x.full, full, x.q, x.yd, full_ydd, expected).ok());
    const bool determined = !is_overconstrained(x.full);
    if (determined) check_end_forces(x, found, expected);
    for (int i = 0; determined && i < x.reduced.body_count(); ++i) {
        if (is_length(x.reduced, i)) continue;
        const int j = equivalence::find(x.full.names.joints, x.reduced.names.joints[at(i)]);
        CHECK(relative(found.joints_world.col(i), expected.joints_world.col(j)) < 1000 * kAgreement);
    }
    REQUIRE(grbda::forward_kinematics<double>(x.reduced, data, s.q, s.yd, ydd).ok());
    REQUIRE(grbda::forward_kinematics<double>(x.full, full, x.q, x.yd, full_ydd).ok());
    for (const std::string& link : links_of_rods(x.reduced)) {
        const int here = x.reduced.frame(link).index, there = x.full.frame(link).index;
        const auto axes = grbda::ReferenceFrame::world_aligned;
        CHECK((grbda::frame_position(x.reduced, data, here) - grbda::frame_position(x.full, full, there))
                  .norm() < kAgreement);
        const Eigen::Matrix3d R = grbda::frame_orientation(x.reduced, data, here);
        CHECK((R.transpose() * R - Eigen::Matrix3d::Identity()).norm() < 1e-12);
        const Eigen::Matrix<double, 6, 1> v = grbda::frame_velocity(x.reduced, data, here, axes),
                                          w = grbda::frame_velocity(x.full, full, there, axes),
                                          a = grbda::frame_acceleration(x.reduced, data, here, axes),
                                          b = grbda::frame_acceleration(x.full, full, there, axes);
        CHECK(relative(v.head<3>(), w.head<3>()) < kAgreement);
        CHECK(relative(a.head<3>(), b.head<3>()) < 1000 * kAgreement);
        grbda::Matrix6X<double> J(6, x.reduced.nv);
        grbda::frame_jacobian<double>(x.reduced, data, here, axes, J);
        CHECK(relative(J * s.yd, v) < 1e-12);
        const grbda::Rod& rod = x.reduced.rod(x.reduced.frames[at(here)].body);
        const grbda::Vector3<double> n = grbda::transpose_times(rod.rotation, rod.line);
        const Vector3d along(n.x, n.y, n.z), line = R * along;
        const Eigen::Matrix3d R_full = grbda::frame_orientation(x.full, full, there);
        CHECK((line - R_full * along).norm() < kAgreement);
        if (!rod.guided()) {  // only the parts of the turning across the line are those of the full model
            CHECK((v.tail<3>() - w.tail<3>()).cross(line).norm() < kAgreement * (1 + w.norm()));
            continue;
        }
        CHECK(relative(v.tail<3>(), w.tail<3>()) < 10 * kAgreement);
        CHECK(relative(a.tail<3>(), b.tail<3>()) < 1000 * kAgreement);
        const Eigen::Matrix3d half_turn = 2 * along * along.transpose() - Eigen::Matrix3d::Identity();
        CHECK(std::min((R - R_full).norm(), (R * half_turn - R_full).norm()) < kAgreement);
    }
}

/// Wrenches on all links of rods. The moment about the line of a rod between balls changes its spin alone.
/// Returns the change of ÿ by them: none where the bodies at both ends cannot move.
double check_wrenches(const Pair& x, Random& random) {
    Workspace<double> data(x.reduced), full(x.full);
    const State& s = x.state;
    REQUIRE(grbda::forward_kinematics<double>(x.reduced, data, s.q).ok());
    REQUIRE(grbda::forward_kinematics<double>(x.full, full, x.q).ok());
    grbda::Matrix6X<double> found(6, x.reduced.body_count()), expected(6, x.full.body_count());
    found.setZero();
    expected.setZero();
    for (const std::string& link : links_of_rods(x.reduced)) {
        const VectorXd wrench = random_vector(random, 6);
        const auto axes = grbda::ReferenceFrame::world_aligned;
        grbda::add_frame_wrench<double>(x.reduced, data, x.reduced.frame(link).index, axes, wrench, found);
        grbda::add_frame_wrench<double>(x.full, full, x.full.frame(link).index, axes, wrench, expected);
    }
    REQUIRE(grbda::aba<double>(x.reduced, data, s.q, s.yd, s.tau, found).ok());
    REQUIRE(grbda::aba<double>(x.full, full, x.q, x.yd, VectorXd(x.T.transpose() * s.tau), expected).ok());
    CHECK(relative_by_inertia(x.M, data.ydd, x.T * full.ydd) < 100 * kAgreement);
    VectorXd without = data.ydd;
    REQUIRE(grbda::aba<double>(x.reduced, data, s.q, s.yd, s.tau).ok());
    return relative_by_inertia(x.M, data.ydd, without);
}

/// Adds the states that were compared, and those in which wrenches on rods change the motion.
void check_robot(const grbda::RobotDescription& robot, bool floating, std::uint64_t seed, int& checked,
                 int& affected, bool spins = false) {
    Model reduced = built(robot, true, floating);
    const Model full = full_model(robot, reduced, floating);
    REQUIRE(!reduced.rods.empty());
    Random random(seed);
    if (spins) reduced = spinning(reduced, random);
    State state;
    for (int i = 0; i < 3 && random_state(full, random, state); ++i) {
        Pair pair(reduced, full, state, random);
        if (!pair.find()) continue;
        check_mass(pair);
        check_dynamics(pair);
        check_energy(pair);
        check_forces_and_places(pair);
        affected += check_wrenches(pair, random) > 1e-4 ? 1 : 0;
        ++checked;
    }
}

}  // namespace

TEST_CASE("rods of published robots move as bodies without spin", "[rods]") {
    for (const char* name :
         {"spatial_four_bar", "cassie_like", "digit_leg", "digit", "delta", "stewart_platform"}) {
        INFO(name);
        int checked = 0, affected = 0;
        check_robot(named(name).description, false, 7, checked, affected);
        CHECK(checked > 0);
        CHECK(affected == checked);
    }
}

TEST_CASE("rods of the Kangaroo-like leg move as bodies, at states of any condition", "[rods]") {
    const auto& robot = named("kangaroo_leg").description;
    const Model reduced = built(robot, true), full = full_model(robot, reduced);
    REQUIRE(reduced.rods.size() == 12);
    REQUIRE(reduced.struts.size() == 6);
    REQUIRE(reduced.nv_tree == 21);
    REQUIRE(reduced.nv == full.nv);
    const MatrixXd T = selection(full, reduced).transpose();
    Workspace<double> data(reduced), full_data(full);
    Random random(9);
    for (int i = 0; i < 10; ++i) {
        const VectorXd q = grbda::random_configuration(full, random);
        VectorXd q_reduced = VectorXd::Map(reduced.neutral.data(), reduced.nq);
        equivalence::copy_positions(full, q, reduced, q_reduced);
        REQUIRE(grbda::closure_residual<double>(reduced, data, q_reduced).ok());
        const VectorXd yd = random_vector(random, 6, 0.1), ydd = random_vector(random, 6);
        MatrixXd M(6, 6), M_full(6, 6);
        REQUIRE(grbda::crba<double>(reduced, data, q_reduced, M).ok());
        REQUIRE(grbda::crba<double>(full, full_data, q, M_full).ok());
        CHECK(relative(T * M * T.transpose(), M_full) < 1e-7);
        REQUIRE(grbda::rnea<double>(reduced, data, q_reduced, yd, ydd).ok());
        REQUIRE(grbda::rnea<double>(full, full_data, q, VectorXd(T * yd), VectorXd(T * ydd)).ok());
        CHECK(relative(T * data.tau, full_data.tau) < 1e-6);
        const VectorXd tau = data.tau;
        REQUIRE(grbda::aba<double>(reduced, data, q_reduced, yd, tau).ok());
        CHECK(relative_by_inertia(M, data.ydd, ydd) < 1e-6);
    }
}

TEST_CASE("rods move as the same links as bodies without spin", "[rods]") {
    int checked = 0, affected = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        check_robot(random_robot(seed), seed % 3 == 2, seed, checked, affected);
    }
    CHECK(checked >= 30);
    CHECK(affected > checked * 3 / 4);  // two rows of a rod with a revolute end may leave its ends no motion
}

TEST_CASE("struts move as the same links as bodies", "[rods]") {
    int checked = 0, affected = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        check_robot(random_struts(seed), seed % 3 == 2, seed, checked, affected);
    }
    CHECK(checked >= 30);
    CHECK(affected > checked * 9 / 10);
}

TEST_CASE("rods between balls that spin move as the same links as bodies", "[rods]") {
    int checked = 0, affected = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        check_robot(random_robot(seed), seed % 3 == 2, seed, checked, affected, true);
    }
    check_robot(named("digit_leg").description, false, 7, checked, affected, true);
    CHECK(checked >= 30);
}

TEST_CASE("a spin momentum is given to rods between balls alone", "[rods]") {
    const Model digit_leg = built(named("digit_leg").description, true),
                delta = built(named("delta").description, true);
    const auto refused = [](const Model& model, const std::string& rod, double momentum) {
        try {
            with_spin_momentum(model, rod, momentum);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string name = digit_leg.names.rods.front().name;
    CHECK(with_spin_momentum(digit_leg, name, 0.1).rods.front().spin_momentum == 0.1);
    CHECK(refused(digit_leg, "rood", 1).find("no rod is called 'rood'") == 0);
    CHECK(refused(digit_leg, name, std::nan("")) == "momentum must be finite");
    const std::string guided = delta.names.rods.front().name;
    CHECK(refused(delta, guided, 1) == "the joint at end A of rod '" + guided + "' determines its spin");
}
