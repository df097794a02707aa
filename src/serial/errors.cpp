#include "errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "grid.hpp"

namespace grbda::serial {
namespace {

constexpr int states = 300;
constexpr double most_rate = 3, most_acceleration = 50, most_displacement = 1;

double uniform(double lower, double upper, std::mt19937_64& random) {
    return std::uniform_real_distribution<double>(lower, upper)(random);
}
VectorX<double> uniform_vector(Eigen::Index size, double most, std::mt19937_64& random) {
    VectorX<double> result(size);
    for (double& each : result) each = uniform(-most, most, random);
    return result;
}
VectorX<double> point_in(const SerialTable& table, std::mt19937_64& random) {
    VectorX<double> y(table.size());
    for (int i = 0; i < table.size(); ++i)
        y[i] = uniform(table.nodes[at(i)].minCoeff(), table.nodes[at(i)].maxCoeff(), random);
    return y;
}

/// Mass matrix and force that a replacement gives.
struct Replacement {
    SerialError* error = nullptr;
    MatrixX<double> M;
    VectorX<double> h;
};
std::array<Replacement, 4> replacements(SerialErrors& errors, const MatrixX<double>& M_tree,
                                        const VectorX<double>& h_tree) {
    return {{{&errors.none, M_tree, h_tree},
             {&errors.constant_diagonal, M_tree, h_tree},
             {&errors.diagonal, M_tree, h_tree},
             {&errors.full, M_tree, h_tree}}};
}
/// Adds the correction of a table at indices `y` to its replacements.
void correct(const SerialTable& table, const SerialPoint& point, const VectorX<double>& force,
             const std::vector<int>& y, std::array<Replacement, 4>& each) {
    each[1].M(y, y) += table.armature.asDiagonal();
    each[2].M(y, y) += point.delta_M.diagonal().asDiagonal();
    each[3].M(y, y) += point.delta_M;
    each[3].h(y) += force;
}

/// Adds the errors of accelerations for the torque that gives the full robot the acceleration ydd.
void add_state(const MatrixX<double>& M, const VectorX<double>& h, const VectorX<double>& ydd,
               const std::array<Replacement, 4>& replaced, std::array<Tally, 4>& tallies) {
    const VectorX<double> tau = M * ydd + h;
    for (std::size_t i = 0; i < replaced.size(); ++i) {
        const VectorX<double> found = replaced[i].M.ldlt().solve(tau - replaced[i].h);
        tallies[i].add(M, ydd, found - ydd);
    }
}
void finish(SerialErrors& errors, const std::array<Tally, 4>& tallies) {
    tallies[0].finish(errors.none);
    tallies[1].finish(errors.constant_diagonal);
    tallies[2].finish(errors.diagonal);
    tallies[3].finish(errors.full);
}

void find_ratios(const std::vector<MatrixX<double>>& full, const std::vector<MatrixX<double>>& tree,
                 SerialTable& table) {
    SerialErrors& errors = table.errors;
    for (SerialError* each : {&errors.none, &errors.constant_diagonal, &errors.diagonal, &errors.full}) {
        each->least_ratio = std::numeric_limits<double>::infinity();
        each->largest_ratio = 0;
    }
    std::vector<int> all;
    for (int i = 0; i < table.size(); ++i) all.push_back(i);
    const VectorX<double> none = VectorX<double>::Zero(table.size());
    for (std::size_t i = 0; i < full.size(); ++i) {
        std::array<Replacement, 4> replaced = replacements(errors, tree[i], none);
        correct(table, table.points[i], none, all, replaced);
        for (const Replacement& each : replaced) include_ratios(full[i], each.M, *each.error);
    }
}

/// A displacement of the robot from q: clusters within their tables, other joints within limits.
VectorX<double> random_displacement(const Model& model, const Roles& roles, const VectorX<double>& q,
                                    const std::vector<SerialTable>& tables, std::mt19937_64& random) {
    VectorX<double> delta(model.nv);
    for (int i = 0; i < model.nv; ++i) {
        const Coordinate& each = roles.coordinates[at(i)];
        double lower = -most_displacement, upper = most_displacement;
        if (position_size(model.bodies[each.body].joint) == 1 && model.bounded[each.body] != 0) {
            const double now = q[position_of(model, each)];
            lower = std::min(0., std::max(lower, model.limits[each.body].lower - now));
            upper = std::max(0., std::min(upper, model.limits[each.body].upper - now));
        }
        delta[i] = uniform(lower, upper, random);
    }
    for (const SerialTable& table : tables) delta(table.y) = point_in(table, random) - table.nominal;
    return delta;
}

Eigen::Vector3d gravity_of(const Model& model) { return {model.gravity.x, model.gravity.y, model.gravity.z}; }

}  // namespace

void Tally::add(const MatrixX<double>& M, const VectorX<double>& ydd, const VectorX<double>& error) {
    const double size = error.dot(M * error);
    motion_ += ydd.dot(M * ydd);
    error_ += size;
    largest_ = std::max(largest_, size);
    ++count_;
}
void Tally::finish(SerialError& error) const {
    error.rms = std::sqrt(error_ / motion_);
    error.largest = std::sqrt(largest_ * count_ / motion_);
}

void include_ratios(const MatrixX<double>& M, const MatrixX<double>& replacement, SerialError& error) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX<double>> solver(replacement, M,
                                                                           Eigen::EigenvaluesOnly);
    const double least = solver.eigenvalues().minCoeff(), largest = solver.eigenvalues().maxCoeff();
    error.least_ratio = std::min(error.least_ratio, least);
    error.largest_ratio = std::max(error.largest_ratio, largest);
    error.at_rest = std::max(std::abs(1 / error.least_ratio - 1), std::abs(1 / error.largest_ratio - 1));
}

void find_errors(const Model& model, const ClusterRoles& roles, const VectorX<double>& q,
                 const std::vector<MatrixX<double>>& full, const std::vector<MatrixX<double>>& tree,
                 Study& study, SerialTable& table) {
    find_ratios(full, tree, table);
    std::vector<int> all;
    for (int i = 0; i < table.size(); ++i) all.push_back(i);
    const Eigen::Vector3d g =
        study.orientation(q, model.clusters[roles.cluster].parent_body).transpose() * gravity_of(model);
    std::mt19937_64 random(1);
    std::array<Tally, 4> tallies;
    for (int i = 0; i < states; ++i) {
        const VectorX<double> y = point_in(table, random);
        const VectorX<double> yd = uniform_vector(table.size(), most_rate, random);
        const VectorX<double> ydd = uniform_vector(table.size(), most_acceleration, random);
        VectorX<double> at_y;
        if (!study.move(q, whole_displacement(model.nv, roles, y - table.nominal), at_y) ||
            !study.inertia(at_y) || !study.forces(at_y, whole_displacement(model.nv, roles, yd)))
            continue;
        const MatrixX<double> M = study.M(roles.y, roles.y), M_tree = study.M_tree(roles.y, roles.y);
        const VectorX<double> h = study.h(roles.y), h_tree = study.h_tree(roles.y);
        const SerialValue value = interpolate(table, y);
        std::array<Replacement, 4> replaced = replacements(table.errors, M_tree, h_tree);
        correct(table, value, correction_force(value, yd, g), all, replaced);
        add_state(M, h, ydd, replaced, tallies);
    }
    finish(table.errors, tallies);
}

SerialErrors whole_errors(const Model& model, const Roles& roles, const VectorX<double>& q,
                          const std::vector<SerialTable>& tables, Study& study) {
    SerialErrors errors;
    for (SerialError* each : {&errors.none, &errors.constant_diagonal, &errors.diagonal, &errors.full}) {
        each->least_ratio = std::numeric_limits<double>::infinity();
        each->largest_ratio = 0;
    }
    std::mt19937_64 random(1);
    std::array<Tally, 4> tallies;
    for (int i = 0; i < states; ++i) {
        VectorX<double> at_y;
        const VectorX<double> yd = uniform_vector(model.nv, most_rate, random);
        const VectorX<double> ydd = uniform_vector(model.nv, most_acceleration, random);
        if (!study.move(q, random_displacement(model, roles, q, tables, random), at_y) ||
            !study.inertia(at_y) || !study.forces(at_y, yd))
            continue;
        std::array<Replacement, 4> replaced = replacements(errors, study.M_tree, study.h_tree);
        for (std::size_t c = 0; c < tables.size(); ++c) {
            const ClusterRoles& cluster = roles.clusters[c];
            const Eigen::Vector3d g =
                study.orientation(at_y, model.clusters[cluster.cluster].parent_body).transpose() *
                gravity_of(model);
            const SerialValue value = interpolate(tables[c], positions_of(model, cluster.coordinates, at_y));
            correct(tables[c], value, correction_force(value, yd(cluster.y), g), cluster.y, replaced);
        }
        for (const Replacement& each : replaced) include_ratios(study.M, each.M, *each.error);
        add_state(study.M, study.h, ydd, replaced, tallies);
    }
    finish(errors, tallies);
    return errors;
}

}  // namespace grbda::serial
