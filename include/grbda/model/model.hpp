#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "grbda/export.hpp"
#include "grbda/model/catalogue.hpp"
#include "grbda/model/constants.hpp"
#include "grbda/model/structure.hpp"

// The compiled robot: constant, shared between threads, all numbers in double. The passes read Structure and
// Constants; Catalogue has names, limits and other data that they do not read.

namespace grbda {

/// A robot, compiled for the algorithms. `load` and `build_model` make it. It does not change.
struct Model : Structure, Constants, Catalogue {
    /// Finds a joint by its name in the files: its index, and its ranges in q, q̇ and y.
    /// errors  std::invalid_argument with the nearest names, or the reason why the joint has no coordinates
    /// cost    searches all names and allocates: for setup
    GRBDA_EXPORT NamedJoint joint(const std::string& name) const;

    /// Finds a link by its name in the files: its index as a frame, its body, and the joint that moves it.
    /// errors  std::invalid_argument with the nearest names
    /// cost    searches all names and allocates: for setup
    GRBDA_EXPORT NamedFrame link(const std::string& name) const;

    /// Finds a frame by its name in the files. Every link is a frame, too.
    /// errors  std::invalid_argument with the nearest names
    /// cost    searches all names and allocates: for setup
    GRBDA_EXPORT NamedFrame frame(const std::string& name) const;

    /// Returns all joints that move bodies, in the order of q.
    /// cost    allocates: for setup
    GRBDA_EXPORT std::vector<NamedJoint> joints() const;
};

/// Returns the positions of a joint in a configuration, for reading and setting:
///   positions(model, q, "knee")[0] = 0.3;
/// in      q [nq]; it must outlive the result
/// errors  std::invalid_argument on a wrong size, and as Model::joint()
/// cost    searches all names and allocates: for setup
GRBDA_EXPORT Eigen::Ref<Eigen::VectorXd> positions(const Model& model, Eigen::Ref<Eigen::VectorXd> q,
                                                   const std::string& joint);

/// Returns the velocities of a joint in the velocities of all joints, as positions().
/// in      qd [nv_tree], also accelerations or forces of all joints
GRBDA_EXPORT Eigen::Ref<Eigen::VectorXd> velocities(const Model& model, Eigen::Ref<Eigen::VectorXd> qd,
                                                    const std::string& joint);

/// Joint of each velocity coordinate: (body, component) for q̇ or y in the user's order.
struct Coordinate {
    int body = 0;
    int component = 0;
};
GRBDA_EXPORT std::vector<Coordinate> spanning_coordinates(const Structure& structure);
GRBDA_EXPORT std::vector<Coordinate> independent_coordinates(const Structure& structure);

/// Returns the robot with another gravity, m/s², world axes.
GRBDA_EXPORT Model with_gravity(Model model, const Vector3<double>& gravity);

/// Returns the robot with a rod between two ball joints that spins about its line: the momentum I_s ω_s, from
/// A to B, kg·m²/s, is a constant of every motion. Regressors leave it out.
/// errors  std::invalid_argument if no rod has this name, if its other joint determines its spin, if it has
/// no
///         moment of inertia about its line, and if the momentum is not finite
/// source  Routh 1905, ch. 4: the gyroscopic term of an ignored coordinate
GRBDA_EXPORT Model with_spin_momentum(Model model, const std::string& rod, double momentum);

/// Returns the same model with more armature: `added` per entry of q̇, kg or kg·m²,
/// zero for floating joints. Its passive forces and inertial parameters are unchanged.
/// errors  std::invalid_argument on a wrong size, a negative or infinite number, a floating joint
GRBDA_EXPORT Model with_armature(Model model, const Table<double>& added);

// Branches of a robot without any link that has mass: their inertia is missing, so no dynamics can be
// computed with the model. Constants::inertia_floor encodes this without extra storage. The first
// floor of such a branch is infinite, and the first floor of the model is then larger than any pivot.

inline constexpr double unreachable_floor = 1e300;

/// Marks and unmarks the branches that begin with these clusters.
GRBDA_EXPORT void mark_massless_branches(const Table<int>& clusters, Model& model);

/// Clusters that begin a branch without mass.
GRBDA_EXPORT Table<int> massless_branches(const Model& model);

/// The first of them; −1 if every branch has mass.
inline int first_massless_branch(const Model& model) {
    if (model.inertia_floor.empty() || !(model.inertia_floor.front() >= unreachable_floor)) [[likely]]
        return -1;
    return massless_branches(model).front();
}

}  // namespace grbda
