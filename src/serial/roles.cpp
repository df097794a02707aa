#include "roles.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <Eigen/LU>

#include "grbda/constraints/actuation.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/constraints/embedding.hpp"

namespace grbda::serial {
namespace {

/// A row of G that differs less from combinations of others, relative to its length, depends on them.
constexpr double dependent_row = 1e-4;
constexpr int most_coordinates = 6;  // of a table

class RoleFinder {
public:
    RoleFinder(const Mechanism& mechanism, const Model& model, const VectorX<double>& q,
               Diagnostics& diagnostics)
        : model_(model), q_(q), diagnostics_(diagnostics), data_(model), kept_(model.bodies.size(), 0) {
        for (const MechanismBody& body : mechanism.bodies) of_joint_.emplace(body.joint, &body);
    }

    std::optional<Roles> run(const std::vector<std::string>& ends) {
        for (const std::string& end : ends)
            if (!keep_end(end)) return {};
        for (int c = model_.cluster_count() - 1; c >= 0; --c) keep_ends_of(model_.clusters[c]);
        if (!embed()) return {};
        Roles roles{kept_, {}, {}, data_.chart(), MatrixX<double>::Identity(model_.nv, model_.nv)};
        roles.coordinates = independent_coordinates(model_, data_.chart());
        for (const Cluster& c : model_.clusters)
            if (c.embedding != Embedding::none && !add(c, roles)) return {};
        return roles;
    }

private:
    void keep(int body) {
        for (; body != world && kept_[at(body)] == 0; body = model_.bodies[body].parent) kept_[at(body)] = 1;
    }

    bool keep_end(const std::string& name) {
        std::vector<std::string> names;
        for (const Frame& frame : model_.frames) {
            names.push_back(frame.name);
            if (frame.name != name || frame.body == world || model_.is_rod(frame.body)) continue;
            keep(frame.body);
            return true;
        }
        refuse(model_, Code::unknown_name, "a link or frame on a moving body that carries load", quoted(name),
               nearest_name_hint(name, names), diagnostics_);
        return false;
    }

    /// Bodies that carry this cluster, and its own end if it has none yet.
    void keep_ends_of(const Cluster& c) {
        keep(c.parent_body);
        if (c.embedding == Embedding::none) return keep(c.joints.first);
        for (const int i : c.joints)
            if (kept_[at(i)] != 0) return;
        const int best = best_end(c, false);
        keep(best >= 0 ? best : best_end(c, true));
    }
    int best_end(const Cluster& c, bool rods_too) const {
        int best = -1;
        for (const int i : c.joints)
            if (is_end(c, i, rods_too) && (best < 0 || rank_of(i) > rank_of(best))) best = i;
        return best;
    }
    /// A body that carries nothing but rods.
    bool is_end(const Cluster& c, int body, bool rods_too) const {
        if (!rods_too && is_in_rod(c, body)) return false;
        for (const int i : c.joints)
            if (model_.bodies[i].parent == body && (rods_too || !is_in_rod(c, i))) return false;
        return true;
    }
    double mass_of(int body) const {
        const auto joint = of_joint_.find(model_.names.joints[body]);
        return joint == of_joint_.end() ? 0 : joint->second->inertia.mass;
    }
    /// A leaf that one loop holds, on joints with two or three axes at both ends or much lighter than the
    /// body without motor that it hangs on; and a massless body in its joint.
    bool is_in_rod(const Cluster& c, int body) const {
        bool is_leaf = true;
        for (const int i : c.joints) {
            if (model_.bodies[i].parent != body) continue;
            if (mass_of(body) != 0 || !is_in_rod(c, i)) return false;
            is_leaf = false;
        }
        if (!is_leaf) return true;
        int loops = 0;
        bool turns_freely = true;
        for (const Loop& loop : model_.loops) {
            if (loop.predecessor.body != body && loop.successor.body != body) continue;
            ++loops;
            turns_freely =
                turns_freely && (loop.type == LoopType::spherical || loop.type == LoopType::universal ||
                                 loop.type == LoopType::distance);
        }
        if (loops != 1 || model_.actuated[body] != 0) return false;
        int axes = velocity_size(model_.bodies[body].joint);
        int above = model_.bodies[body].parent;
        for (; above > c.parent_body && mass_of(above) == 0; above = model_.bodies[above].parent)
            axes += velocity_size(model_.bodies[above].joint);
        if (turns_freely && axes > 1) return true;
        constexpr double light = 0.25;
        return above > c.parent_body && model_.actuated[above] == 0 && mass_of(body) < light * mass_of(above);
    }
    /// Leaves without a motor come before others, rotors come last; then the heavier one.
    std::pair<int, double> rank_of(int body) const {
        const MechanismBody& joint = *of_joint_.at(model_.names.joints[body]);
        const bool is_rotor = joint.type == JointType::revolute && is_axisymmetric(joint.inertia, joint.axis);
        if (model_.bodies[body].rotor || is_rotor) return {0, joint.inertia.mass};
        return {model_.actuated[body] != 0 ? 1 : 2, joint.inertia.mass};
    }

    /// Chooses coordinates, and computes G.
    bool embed() {
        std::vector<int> wanted;
        for (const Cluster& c : model_.clusters)
            for (const Coordinate& each : candidates(c)) wanted.push_back(velocity_of(model_, each));
        const VectorX<double> rest = VectorX<double>::Zero(model_.nv);
        if (!prefer_coordinates(model_, data_, q_, wanted) ||
            !constraint_embedding(model_, data_, q_, rest)) {
            refuse(model_, Code::state, "a nominal configuration that is not singular", "a singular one",
                   "choose another configuration", diagnostics_);
            return false;
        }
        G_ = data_.G;
        return true;
    }

    /// Coordinates of load-carrying joints of a cluster, motors first.
    std::vector<Coordinate> candidates(const Cluster& c) const {
        std::vector<Coordinate> result;
        for (const bool is_motor : {true, false})
            for (const int i : c.joints)
                if (kept_[at(i)] != 0 && (model_.actuated[i] != 0) == is_motor)
                    for (int j = 0; j < velocity_size(model_.bodies[i].joint); ++j) result.push_back({i, j});
        return result;
    }

    bool add(const Cluster& c, Roles& roles) {
        ClusterRoles result;
        result.cluster = c.index;
        for (int i = 0; i < model_.nv; ++i)
            if (model_.bodies[roles.coordinates[at(i)].body].cluster == c.index) result.y.push_back(i);
        for (const int i : c.joints)
            if (kept_[at(i)] != 0 && has_quaternion(model_.bodies[i].joint))
                return refuse_cluster(
                    c, "load-carrying joints without quaternions",
                    "joint " + quoted(model_.names.joints[i]) + ", a spherical or floating one",
                    "name another link that carries load");
        if (c.m < 1 || c.m > most_coordinates)
            return refuse_cluster(c, "a cluster with 1 to 6 degrees of freedom", std::to_string(c.m),
                                  c.m < 1 ? "freeze its joints first" : "");
        if (!choose(c, result)) return false;
        for (const Coordinate& motor : motor_coordinates(model_))
            if (model_.bodies[motor.body].cluster == c.index) result.motors.push_back(motor);
        const MatrixX<double> S = rows(result.coordinates, result.y);
        if (c.embedding == Embedding::implicit && !is_permutation(S))
            return refuse_cluster(c, "load-carrying joints that determine the cluster",
                                  "a configuration near a dead centre of theirs",
                                  "choose another configuration");
        roles.to_full(result.y, result.y) = S.inverse().eval();
        for (std::size_t i = 0; i < result.y.size(); ++i)
            roles.coordinates[at(result.y[i])] = result.coordinates[i];
        roles.clusters.push_back(std::move(result));
        return true;
    }

    MatrixX<double> rows(const std::vector<Coordinate>& coordinates, const std::vector<int>& y) const {
        MatrixX<double> result(std::ssize(coordinates), std::ssize(y));
        for (std::size_t i = 0; i < coordinates.size(); ++i)
            result.row(static_cast<Eigen::Index>(i)) = G_(velocity_of(model_, coordinates[i]), y);
        return result;
    }
    static bool is_permutation(const MatrixX<double>& S) {
        return (S.array() == 0 || S.array() == 1).all() && (S.rowwise().sum().array() == 1).all() &&
               (S.colwise().sum().array() == 1).all();
    }

    /// The first candidates with independent rows of G; the others are driven.
    bool choose(const Cluster& c, ClusterRoles& result) {
        MatrixX<double> basis(c.m, 0);
        for (const Coordinate& each : candidates(c)) {
            VectorX<double> row = rows({each}, result.y).transpose();
            const double length = row.norm();
            row -= basis * (basis.transpose() * row);
            const bool is_new = basis.cols() < c.m && row.norm() > dependent_row * length;
            (is_new ? result.coordinates : result.driven).push_back(each);
            if (!is_new) continue;
            basis.conservativeResize(c.m, basis.cols() + 1);
            basis.rightCols(1) = row.normalized();
        }
        const auto before = [](const Coordinate& a, const Coordinate& b) {
            return std::pair(a.body, a.component) < std::pair(b.body, b.component);
        };
        std::sort(result.coordinates.begin(), result.coordinates.end(), before);
        std::sort(result.driven.begin(), result.driven.end(), before);
        if (basis.cols() == c.m) return true;
        return refuse_cluster(c, std::to_string(c.m) + " independent coordinates of load-carrying joints",
                              std::to_string(basis.cols()), "name more links that carry load");
    }

    bool refuse_cluster(const Cluster& c, std::string expected, std::string found, std::string hint) {
        refuse(model_, Code::wrong_kind,
               std::move(expected) + " in the cluster of " + joints_of(model_, c.index), std::move(found),
               std::move(hint), diagnostics_);
        return false;
    }

    const Model& model_;
    const VectorX<double>& q_;
    Diagnostics& diagnostics_;
    Data data_;
    std::vector<char> kept_;
    std::map<std::string, const MechanismBody*> of_joint_;
    MatrixX<double> G_;
};

}  // namespace

std::string name_of(const Model& model, const Coordinate& coordinate) {
    const std::string& joint = model.names.joints[coordinate.body];
    return velocity_size(model.bodies[coordinate.body].joint) == 1
               ? joint
               : joint + "[" + std::to_string(coordinate.component) + "]";
}
int position_of(const Model& model, const Coordinate& coordinate) {
    return model.bodies[coordinate.body].q + coordinate.component;
}
int velocity_of(const Model& model, const Coordinate& coordinate) {
    return model.bodies[coordinate.body].v + coordinate.component;
}

void refuse(const Model& model, Code code, std::string expected, std::string found, std::string hint,
            Diagnostics& diagnostics) {
    diagnostics.push_back({Severity::error,
                           code,
                           {},
                           Subject::of("robot", model.names.robot),
                           std::move(expected),
                           std::move(found),
                           std::move(hint)});
}

std::string joints_of(const Model& model, int cluster) {
    std::string text;
    for (const int i : model.clusters[cluster].joints)
        text += (text.empty() ? "joints " : ", ") + quoted(model.names.joints[i]);
    return text;
}

std::optional<Roles> find_roles(const Mechanism& mechanism, const Model& model, const VectorX<double>& q,
                                const SerialOptions& options, Diagnostics& diagnostics) {
    return RoleFinder(mechanism, model, q, diagnostics).run(options.ends);
}

}  // namespace grbda::serial
