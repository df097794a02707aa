#include "grbda/serial/serial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <utility>

#include <Eigen/QR>

#include "errors.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/serial/motors.hpp"
#include "grid.hpp"
#include "tree.hpp"

namespace grbda {
namespace {

using serial::ClusterRoles;
using serial::Roles;
using serial::Study;

/// Makes the tables of a robot's clusters.
class Tabulator {
public:
    Tabulator(const Model& model, const Model& tree, const Roles& roles, const VectorX<double>& q,
              Study& study)
        : model_(model), tree_(tree), roles_(roles), q_(q), study_(study) {}

    /// Empty after an error.
    std::optional<SerialTable> table(const ClusterRoles& cluster, const SerialOptions& options,
                                     Diagnostics& diagnostics) {
        const std::optional<serial::Grid> grid =
            serial::make_grid(model_, cluster, q_, options, study_, diagnostics);
        if (!grid) return {};
        SerialTable table = named(cluster);
        table.nodes = grid->nodes;
        pull_along_axes(cluster);
        std::vector<MatrixX<double>> full, tree;
        for (const VectorX<double>& q : grid->q) {
            if (!study_.inertia(q)) {
                serial::refuse(model_, Code::state, "configurations that are not singular", "a singular one",
                               "give a smaller --range", diagnostics);
                return {};
            }
            full.push_back(study_.M(cluster.y, cluster.y));
            tree.push_back(study_.M_tree(cluster.y, cluster.y));
            table.points.push_back(point(cluster, q));
        }
        table.armature = VectorX<double>::Zero(table.size());
        for (const SerialPoint& each : table.points) table.armature += each.delta_M.diagonal();
        table.armature = (table.armature / static_cast<double>(table.points.size())).cwiseMax(0);
        serial::find_errors(model_, cluster, q_, full, tree, study_, table);
        return table;
    }

private:
    SerialTable named(const ClusterRoles& cluster) const {
        SerialTable table;
        table.cluster = cluster.cluster;
        const int carrier = model_.clusters[cluster.cluster].parent_body;
        table.carrier = carrier == world ? model_.names.root : model_.names.bodies[carrier];
        for (const Coordinate& each : cluster.coordinates)
            table.joints.push_back(serial::name_of(model_, each));
        for (const Coordinate& each : cluster.motors) table.motors.push_back(serial::name_of(model_, each));
        for (const Coordinate& each : cluster.driven) table.driven.push_back(serial::name_of(model_, each));
        for (const int i : model_.clusters[cluster.cluster].joints)
            if (roles_.kept[at(i)] == 0) table.dropped.push_back(model_.names.joints[i]);
        for (const int rod : model_.clusters[cluster.cluster].rods)
            for (const std::string& joint : model_.names.rods[rod].joints) table.dropped.push_back(joint);
        table.y = cluster.y;
        table.nominal = serial::positions_of(model_, cluster.coordinates, q_);
        table.effort = table.velocity = VectorX<double>(std::ssize(cluster.motors));
        for (std::size_t i = 0; i < cluster.motors.size(); ++i) {
            const int motor = cluster.motors[i].body;
            const auto at_i = static_cast<Eigen::Index>(i);
            const double reduction = std::abs(model_.reduction[motor]);
            table.effort[at_i] = model_.limits[motor].effort / reduction;
            table.velocity[at_i] = model_.limits[motor].velocity * reduction;
        }
        return table;
    }

    /// After inertia(q).
    SerialPoint point(const ClusterRoles& cluster, const VectorX<double>& q) {
        SerialPoint result;
        result.motors = serial::positions_of(model_, cluster.motors, q);
        for (std::size_t i = 0; i < cluster.motors.size(); ++i)
            result.motors[static_cast<Eigen::Index>(i)] *= model_.reduction[cluster.motors[i].body];
        result.J_m = serial::motor_jacobian(model_, cluster, study_);
        result.delta_M = (study_.M - study_.M_tree)(cluster.y, cluster.y);
        result.driven = serial::positions_of(model_, cluster.driven, q);
        result.driven_jacobian.resize(std::ssize(cluster.driven), std::ssize(cluster.y));
        for (std::size_t i = 0; i < cluster.driven.size(); ++i)
            result.driven_jacobian.row(static_cast<Eigen::Index>(i)) =
                study_.velocity_row(cluster.driven[i])(cluster.y);
        result.gravity = gravity(cluster, q);
        return result;
    }

    /// Sets gravity of 1 m/s² along each axis of the carrier, which does not move while the cluster does.
    void pull_along_axes(const ClusterRoles& cluster) {
        const Eigen::Matrix3d axes = study_.orientation(q_, model_.clusters[cluster.cluster].parent_body);
        pulled_.clear();
        for (int i = 0; i < 3; ++i) {
            const Vector3<double> g{axes(0, i), axes(1, i), axes(2, i)};
            pulled_.push_back({with_gravity(model_, g), with_gravity(tree_, g)});
        }
    }

    /// Forces of these gravities. NaN on failure.
    MatrixX<double> gravity(const ClusterRoles& cluster, const VectorX<double>& q) {
        MatrixX<double> result(std::ssize(cluster.y), 3);
        const VectorX<double> rest = VectorX<double>::Zero(model_.nv);
        for (int i = 0; i < 3; ++i) {
            const Pulled& pulled = pulled_[at(i)];
            if (study_.forces(pulled.model, pulled.tree, q, rest))
                result.col(i) = (study_.h - study_.h_tree)(cluster.y);
            else
                result.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
        }
        return result;
    }

    struct Pulled {
        Model model, tree;
    };

    const Model& model_;
    const Model& tree_;
    const Roles& roles_;
    const VectorX<double>& q_;
    Study& study_;
    std::vector<Pulled> pulled_;
};

MechanismBody& body_of(Mechanism& mechanism, const std::string& joint) {
    return *std::find_if(mechanism.bodies.begin(), mechanism.bodies.end(),
                         [&](const MechanismBody& body) { return body.joint == joint; });
}

/// Gives serial joints the range of the table, and the limits that the motors guarantee at the nominal pose.
void limit_joints(const Model& model, const ClusterRoles& cluster, const SerialTable& table,
                  Mechanism& mechanism) {
    const MatrixX<double> J_m = interpolate(table, table.nominal).J_m;
    const bool has_motors = J_m.rows() > 0;
    for (int i = 0; i < table.size(); ++i) {
        const int joint = cluster.coordinates[at(i)].body;
        if (velocity_size(model.bodies[joint].joint) != 1) continue;
        MechanismBody& body = body_of(mechanism, model.names.joints[joint]);
        body.bounded = true;
        body.limits.lower = table.nodes[at(i)].minCoeff();
        body.limits.upper = table.nodes[at(i)].maxCoeff();
        body.actuated = has_motors;
        body.reduction = 1;
        if (has_motors && table.effort.allFinite())
            body.limits.effort = torque_set(J_m, table.effort).inside[i];
        if (has_motors && table.velocity.allFinite())
            body.limits.velocity = speed_set(J_m, table.velocity).inside[i];
    }
}

int index_of_joint(const Mechanism& mechanism, const std::string& joint) {
    for (int i = 0; i < static_cast<int>(mechanism.bodies.size()); ++i)
        if (mechanism.bodies[i].joint == joint) return i;
    return world;
}

/// Adds the affine couplings of driven joints that fit their table best, and returns their largest errors.
std::vector<double> couple_driven(const Model& model, const ClusterRoles& cluster, const SerialTable& table,
                                  Mechanism& mechanism) {
    const auto points = std::ssize(table.points);
    MatrixX<double> A(points, table.size() + 1), b(points, std::ssize(table.driven));
    std::vector<int> index(at(table.size()), 0), first = index, last;
    for (const VectorX<double>& nodes : table.nodes) last.push_back(static_cast<int>(nodes.size()) - 1);
    for (Eigen::Index i = 0; i < points; ++i, serial::next_point(first, last, index)) {
        for (int j = 0; j < table.size(); ++j) A(i, j) = table.nodes[at(j)][index[at(j)]];
        A(i, table.size()) = 1;
        b.row(i) = table.points[static_cast<std::size_t>(i)].driven.transpose();
    }
    const MatrixX<double> fit = A.colPivHouseholderQr().solve(b);
    const auto term = [&](const Coordinate& each, double coefficient) {
        return MechanismTerm{index_of_joint(mechanism, model.names.joints[each.body]), each.component,
                             coefficient};
    };
    const auto is_single = [&](const Coordinate& each) {
        return velocity_size(model.bodies[each.body].joint) == 1;
    };
    const bool can_couple = std::all_of(cluster.coordinates.begin(), cluster.coordinates.end(), is_single);
    constexpr double nothing = 1e-9;
    std::vector<double> misfit;
    for (std::size_t i = 0; i < cluster.driven.size(); ++i) {
        const auto column = static_cast<Eigen::Index>(i);
        if (!can_couple || !is_single(cluster.driven[i])) {
            misfit.push_back(std::numeric_limits<double>::quiet_NaN());
            continue;
        }
        MechanismCoupling coupling;
        coupling.name = model.names.joints[cluster.driven[i].body] + "_follows";
        if (cluster.driven[i].component > 0)
            coupling.name += "_" + std::to_string(cluster.driven[i].component);
        coupling.terms.push_back(term(cluster.driven[i], 1));
        for (int j = 0; j < table.size(); ++j)
            if (std::abs(fit(j, column)) > nothing)
                coupling.terms.push_back(term(cluster.coordinates[at(j)], -fit(j, column)));
        coupling.offset = -fit(table.size(), column);
        mechanism.couplings.push_back(std::move(coupling));
        misfit.push_back((A * fit.col(column) - b.col(column)).cwiseAbs().maxCoeff());
    }
    return misfit;
}

/// Returns false after an error if loops are open at q.
bool is_closed(const Model& model, const VectorX<double>& q, Diagnostics& diagnostics) {
    Data data(model);
    const Result result = closure_residual(model, data, q);
    if (result.ok()) return true;
    char residual[32];
    std::snprintf(residual, sizeof residual, "%.3g", result.residual);
    serial::refuse(model, Code::not_closed, "a configuration that closes the loops",
                   result.status == Status::not_finite ? "numbers that are not finite"
                                                       : std::string("one that leaves them open by ") +
                                                             residual + " of the size of their cluster",
                   "close_loops() closes it", diagnostics);
    return false;
}

bool check_options(const Model& model, const Roles& roles, const SerialOptions& options,
                   Diagnostics& diagnostics) {
    std::vector<std::string> names;
    for (const ClusterRoles& cluster : roles.clusters)
        for (const Coordinate& each : cluster.coordinates) names.push_back(serial::name_of(model, each));
    for (const auto& [name, range] : options.ranges) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            serial::refuse(model, Code::unknown_name,
                           "a range of a serial coordinate of a cluster with loops", quoted(name),
                           nearest_name_hint(name, names), diagnostics);
            return false;
        }
    }
    return true;
}

void require_options(const SerialOptions& options) {
    if (!(options.most_change > 1) || !std::isfinite(options.most_change))
        throw std::invalid_argument("most_change must be above 1");
    if (options.points != 0 && (options.points < 4 || options.points > 1000))
        throw std::invalid_argument("points must be 0, or 4 to 1000");
    for (const auto& [name, range] : options.ranges)
        if (!(range[0] < range[1])) throw std::invalid_argument("the range of '" + name + "' is empty");
}

}  // namespace

std::optional<SerialRobot> serial_robot(const Mechanism& mechanism, const Model& model, ConstVectorRef q,
                                        const SerialOptions& options, Diagnostics& diagnostics) {
    require_whole(model);
    require_size("q", q.size(), model.nq);
    require_options(options);
    const VectorX<double> nominal = q;
    if (!is_closed(model, nominal, diagnostics)) return {};
    const std::optional<Roles> roles = serial::find_roles(mechanism, model, nominal, options, diagnostics);
    if (!roles || !check_options(model, *roles, options, diagnostics)) return {};
    std::optional<Mechanism> opened = serial::make_tree(mechanism, model, nominal, roles->kept, diagnostics);
    if (!opened) return {};
    LoadOptions unreduced;
    unreduced.rod_reduction = false;
    Diagnostics found;
    Model tree = build_model(*opened, unreduced, found);
    if (has_errors(found)) {
        diagnostics.insert(diagnostics.end(), found.begin(), found.end());
        return {};
    }
    SerialRobot robot{
        std::move(*opened), std::move(tree), nominal, {}, roles->to_full, roles->chart, {}, {}, {}};
    for (const Coordinate& each : roles->coordinates)
        robot.coordinates.push_back(serial::name_of(model, each));
    Study study(model, robot.tree, *roles);
    Tabulator tabulator(model, robot.tree, *roles, nominal, study);
    for (const ClusterRoles& cluster : roles->clusters) {
        std::optional<SerialTable> table = tabulator.table(cluster, options, diagnostics);
        if (!table) return {};
        limit_joints(model, cluster, *table, robot.mechanism);
        const std::vector<double> misfit = couple_driven(model, cluster, *table, robot.mechanism);
        robot.driven_misfit.insert(robot.driven_misfit.end(), misfit.begin(), misfit.end());
        robot.tables.push_back(std::move(*table));
    }
    robot.errors = serial::whole_errors(model, *roles, nominal, robot.tables, study);
    return robot;
}

}  // namespace grbda
