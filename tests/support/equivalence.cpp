#include "support/equivalence.hpp"
#include "constraints/coordinates.hpp"

namespace equivalence {

int find(const std::vector<std::string>& names, const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i);
    return -1;
}

std::vector<int> velocity_map(const Model& from, const Model& to) {
    std::vector<int> map(static_cast<std::size_t>(to.nv_tree), -1);
    for (int i = 0; i < to.body_count(); ++i) {
        const int j = find(from.names.joints, to.names.joints[static_cast<std::size_t>(i)]);
        if (j < 0) continue;
        const grbda::Body& a = from.bodies[static_cast<std::size_t>(j)];
        const grbda::Body& b = to.bodies[static_cast<std::size_t>(i)];
        for (int k = 0; k < grbda::velocity_size(b.joint); ++k)
            map[static_cast<std::size_t>(b.v + k)] = a.v + k;
    }
    return map;
}

Eigen::VectorXd mapped(const std::vector<int>& map, const Eigen::VectorXd& x) {
    Eigen::VectorXd result = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(map.size()));
    for (std::size_t i = 0; i < map.size(); ++i)
        if (map[i] >= 0) result[static_cast<Eigen::Index>(i)] = x[map[i]];
    return result;
}

void copy_positions(const Model& from, const Eigen::VectorXd& q, const Model& to, Eigen::VectorXd& out) {
    for (int i = 0; i < to.body_count(); ++i) {
        const int j = find(from.names.joints, to.names.joints[static_cast<std::size_t>(i)]);
        if (j < 0) continue;
        const grbda::Body& a = from.bodies[static_cast<std::size_t>(j)];
        const grbda::Body& b = to.bodies[static_cast<std::size_t>(i)];
        out.segment(b.q, grbda::position_size(b.joint)) = q.segment(a.q, grbda::position_size(a.joint));
    }
}

grbda::Matrix6X<double> mapped_wrenches(const Model& from, const grbda::Matrix6X<double>& wrenches,
                                        const Model& to) {
    grbda::Matrix6X<double> result = grbda::Matrix6X<double>::Zero(6, to.body_count());
    for (int i = 0; i < to.body_count(); ++i) {
        const int j = find(from.names.bodies, to.names.bodies[static_cast<std::size_t>(i)]);
        if (j >= 0) result.col(i) = wrenches.col(j);
    }
    return result;
}

bool check(const Model& a, const State& state, const Model& b, const Eigen::VectorXd& q) {
    grbda::Workspace<double> data_a(a), data_b(b);
    REQUIRE(a.nv == b.nv);
    REQUIRE(grbda::closure_residual<double>(b, data_b, q).ok());
    REQUIRE(grbda::spanning_acceleration<double>(a, data_a, state.q, state.yd, state.ydd).ok());
    const Eigen::VectorXd qd = data_a.qd, qdd = data_a.qdd;
    const std::vector<int> map = velocity_map(a, b);
    const Eigen::VectorXd yd = grbda::independent_part(b, mapped(map, qd));
    const Eigen::VectorXd ydd = grbda::independent_part(b, mapped(map, qdd));
    if (!grbda::spanning_acceleration<double>(b, data_b, q, yd, ydd).ok()) return false;
    for (std::size_t i = 0; i < b.clusters.size(); ++i)
        if (b.clusters[i].embedding == grbda::Embedding::implicit && data_b.rcond[i] < kWellConditioned)
            return false;
    const std::vector<int> back = velocity_map(b, a);
    const auto common = [&](const Eigen::VectorXd& x_b,
                            const Eigen::VectorXd& x_a) {  // of a's joints that b has
        Eigen::VectorXd result = mapped(back, x_b);
        for (std::size_t i = 0; i < back.size(); ++i)
            if (back[i] < 0) result[static_cast<Eigen::Index>(i)] = x_a[static_cast<Eigen::Index>(i)];
        return result;
    };
    CHECK(test_robots::relative(common(data_b.qd, qd), qd) < kAgreement);
    CHECK(test_robots::relative(common(data_b.qdd, qdd), qdd) < kAgreement);

    // ẏ of b per unit ẏ of a
    REQUIRE(grbda::constraint_embedding<double>(a, data_a, state.q, state.yd).ok());
    const Eigen::MatrixXd G = grbda::explicit_jacobian(a, data_a);
    Eigen::MatrixXd T(b.nv, a.nv);
    for (int j = 0; j < a.nv; ++j) T.col(j) = grbda::independent_part(b, mapped(map, G.col(j)));

    const grbda::Matrix6X<double> wrenches = mapped_wrenches(a, state.wrenches, b);
    REQUIRE(grbda::rnea<double>(a, data_a, state.q, state.yd, state.ydd, state.wrenches).ok());
    REQUIRE(grbda::rnea<double>(b, data_b, q, yd, ydd, wrenches).ok());
    CHECK(test_robots::relative(T.transpose() * data_b.tau, data_a.tau) < kAgreement);
    const Eigen::VectorXd tau_a = data_a.tau, tau_b = data_b.tau;
    Eigen::MatrixXd M_a(a.nv, a.nv), M_b(b.nv, b.nv);
    REQUIRE(grbda::crba<double>(a, data_a, state.q, M_a).ok());
    REQUIRE(grbda::crba<double>(b, data_b, q, M_b).ok());
    CHECK(test_robots::relative(T.transpose() * M_b * T, M_a) < kAgreement);
    REQUIRE(grbda::aba<double>(b, data_b, q, yd, tau_b, wrenches).ok());
    CHECK(test_robots::relative_by_inertia(M_b, data_b.ydd, ydd) < kAgreement);
    REQUIRE(grbda::aba<double>(a, data_a, state.q, state.yd, tau_a, state.wrenches).ok());
    CHECK(test_robots::relative_by_inertia(M_a, data_a.ydd, state.ydd) < kAgreement);
    return true;
}

}  // namespace equivalence
