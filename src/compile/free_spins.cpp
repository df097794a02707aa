#include <algorithm>

#include "compile.hpp"
#include "closing/closure.hpp"

// Free spins. A rod between two ball joints can turn about its own length
// without any effect on other bodies. In general, a free spin is a motion
// allowed by K in which every body with mass either is at rest or moves
// with one common twist, a pure rotation, while motors and bodies that
// carry other clusters are at rest. The search goes body by body: each
// other body is forced to rest, the farthest first, or else to move along.

namespace grbda::compile {
namespace {

constexpr double longest_search = 1e8;  ///< (bodies × motions)², the growth of the search: about a second
constexpr double negligible_motion = 1e-6;  ///< of a unit motion; lengths relative to the cluster's size

using Matrix6 = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Motions of a cluster's bodies, each per unit of an orthonormal basis of the motions that K allows.
struct Bodies {
    std::vector<int> body;               ///< those with mass, in pass order
    std::vector<Matrix6> twist;          ///< angular first; lengths relative to the size of the cluster
    std::vector<Eigen::MatrixXd> noted;  ///< rates of motors and reduced rotors, twists that carry clusters
};

bool carries_others(const Model& model, int body) {
    return std::any_of(model.clusters.begin(), model.clusters.end(),
                       [&](const Cluster& c) { return c.parent_body == body; });
}

double length_of(const Model& model, const Cluster& c) {
    for (const int l : c.loops)
        if (model.loops[l].lengths > 0) return 1 / model.row_scale[model.loops[l].row];
    return 1;
}

/// Call it after constraint_state() at the state.
Bodies allowed_motions(const Probe& probe, const ClosedState& state, int rank) {
    const Model& model = probe.model;
    const Cluster& c = probe.c;
    const Eigen::MatrixXd N = linear::motions(state.K, rank);
    const double length = length_of(model, c);
    Table<Matrix6> all;
    Bodies bodies;
    for (const int i : c.joints) {
        const Body& body = model.bodies[i];
        const Inertial& inertial = model.inertials[i];
        if (body.rotor || probe.draft.source(i).actuated)
            bodies.noted.push_back(N.middleRows(body.dof - c.dof_begin, velocity_size(body.joint)));
        if (body.rotor) continue;
        Matrix6 J =
            body.parent == c.parent_body ? Matrix6::Zero(6, N.cols()) : all[body.parent - c.bodies.first];
        for (int j = 0; j < velocity_size(body.joint); ++j) {
            const Motion<double>& s = probe.data.s[body.dof + j];
            Eigen::Matrix<double, 6, 1> column;
            column << s.angular.x, s.angular.y, s.angular.z, s.linear.x / length, s.linear.y / length,
                s.linear.z / length;
            J += column * model.column_scale[body.dof + j] * N.row(body.dof - c.dof_begin + j);
        }
        all.push_back(J);
        if (carries_others(model, i)) bodies.noted.push_back(J);
        if (inertial.mass == 0 && inertial.inertia.isZero(0)) continue;
        bodies.body.push_back(i);
        bodies.twist.push_back(J);
    }
    return bodies;
}

/// Number of joints and loops from body `from` to each body of the cluster; the parent body does not count.
Table<int> distances(const Model& model, const Cluster& c, int from) {
    const int count = c.bodies.size();
    Table<std::vector<int>> near(at(count));
    const auto connect = [&](int a, int b) {
        if (a < c.bodies.first || b < c.bodies.first || a >= c.bodies.last || b >= c.bodies.last) return;
        near[a - c.bodies.first].push_back(b - c.bodies.first);
        near[b - c.bodies.first].push_back(a - c.bodies.first);
    };
    for (const int i : c.bodies) connect(i, model.bodies[i].parent);
    for (const int l : c.loops) connect(model.loops[l].predecessor.body, model.loops[l].successor.body);
    Table<int> steps(at(count), count);
    std::vector<int> queue{from - c.bodies.first};
    steps[queue.front()] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const int other : near[queue[next]]) {
            if (steps[other] < count) continue;
            steps[other] = steps[queue[next]] + 1;
            queue.push_back(other);
        }
    return steps;
}

/// Orthonormal basis of the vectors in the span of U that A maps to zero.
Eigen::MatrixXd without(const Eigen::MatrixXd& U, const Eigen::MatrixXd& A) {
    if (U.cols() == 0) return U;
    return U * linear::null_space(A * U, negligible_motion);
}

bool moves(const Matrix6& twist, const Eigen::MatrixXd& U) {
    return U.cols() > 0 && (twist * U).norm() > negligible_motion;
}

/// True for one twist that is a rotation about a line: ω · v = 0 with ω ≠ 0.
bool is_rotation(const Matrix6& twist, const Eigen::MatrixXd& U) {
    const Matrix6 twists = twist * U;
    Eigen::Index longest = 0;
    twists.colwise().squaredNorm().maxCoeff(&longest);
    const Eigen::Matrix<double, 6, 1> t = twists.col(longest).normalized();
    if ((twists - t * (t.transpose() * twists)).norm() > negligible_motion) return false;
    return t.head<3>().norm() > 0.01 && std::abs(t.head<3>().dot(t.tail<3>())) < negligible_motion;
}

/// Bodies that turn with the given one while all others are at rest; empty if there is no such motion.
std::vector<int> idle_group(const Model& model, const Cluster& c, const Bodies& bodies, std::size_t chosen) {
    Eigen::MatrixXd U = Eigen::MatrixXd::Identity(bodies.twist[chosen].cols(), bodies.twist[chosen].cols());
    for (const Eigen::MatrixXd& rates : bodies.noted) U = without(U, rates);
    const Table<int> steps = distances(model, c, bodies.body[chosen]);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < bodies.body.size(); ++i)
        if (i != chosen) order.push_back(i);
    const auto distance = [&](std::size_t i) { return steps[bodies.body[i] - c.bodies.first]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
    const Matrix6& own = bodies.twist[chosen];
    std::vector<int> group{bodies.body[chosen]};
    for (const std::size_t other : order) {
        if (!moves(bodies.twist[other], U)) continue;
        const Eigen::MatrixXd still = without(U, bodies.twist[other]);
        if (moves(own, still)) {
            U = still;
            continue;
        }
        U = without(U, bodies.twist[other] - own);
        group.push_back(bodies.body[other]);
    }
    if (!moves(own, U) || !is_rotation(own, U)) return {};
    std::sort(group.begin(), group.end());
    return group;
}

std::vector<std::vector<int>> idle_groups(const Probe& probe, const ClosedState& state, int rank) {
    constraint_state(probe, state.q);
    const Bodies bodies = allowed_motions(probe, state, rank);
    std::vector<std::vector<int>> groups;
    for (std::size_t i = 0; i < bodies.body.size(); ++i) {
        const std::vector<int> group = idle_group(probe.model, probe.c, bodies, i);
        if (!group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end())
            groups.push_back(group);
    }
    return groups;
}

}  // namespace

std::vector<std::vector<int>> idle_bodies(const Probe& probe, const Assembly& assembly) {
    const Cluster& c = probe.c;
    const double size = double(c.bodies.size()) * (c.dofs - assembly.rank);
    if (c.embedding != Embedding::implicit || !assembly.closed || size == 0 || size * size > longest_search)
        return {};
    std::vector<std::vector<int>> groups = idle_groups(probe, assembly.neutral, assembly.rank);
    for (const ClosedState& state : assembly.generic) {  // must hold in every configuration
        if (groups.empty()) break;
        if (linear::smallest_pivot(state.K, assembly.rank) < negligible_pivot) continue;
        const std::vector<std::vector<int>> others = idle_groups(probe, state, assembly.rank);
        std::erase_if(groups, [&](const std::vector<int>& group) {
            return std::find(others.begin(), others.end(), group) == others.end();
        });
        break;
    }
    return groups;
}

}  // namespace grbda::compile
