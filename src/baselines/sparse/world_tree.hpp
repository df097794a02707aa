#pragma once

#include <vector>

#include <Eigen/Geometry>

#include "branches.hpp"
#include "grbda/baselines/dense.hpp"
#include "baselines/joint_model.hpp"

// The spanning tree in world axes, about the first body's origin, a point momentarily
// at rest: motions, forces and inertias of different bodies add without transforms.

namespace grbda::baselines {

/// Angular part first, as all spatial vectors of the baselines.
struct Spatial {
    Eigen::Vector3d angular = Eigen::Vector3d::Zero(), linear = Eigen::Vector3d::Zero();
};

/// Inertia of one body, or of several as if they were one.
struct WorldInertia {
    double mass = 0;
    Eigen::Vector3d first = Eigen::Vector3d::Zero();   ///< mass times centre
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  ///< rotational inertia

    Spatial operator*(const Spatial& motion) const {
        return {second * motion.angular + first.cross(motion.linear),
                mass * motion.linear - first.cross(motion.angular)};
    }
    WorldInertia& operator+=(const WorldInertia& other) {
        mass += other.mass;
        first += other.first;
        second += other.second;
        return *this;
    }
};

struct WorldBody {
    Eigen::Matrix3d orientation;
    Eigen::Vector3d position;
    Spatial v;
    Spatial a;  ///< at q̈ = 0, without gravity
    WorldInertia inertia;
    Spatial f;
};

struct WorldTree {
    WorldTree(const Model& model, const Branches& branches);

    /// Joint and inertia from the description, in Eigen's types.
    struct Fixed {
        Eigen::Matrix3d rotation, turn_cos, turn_sin;
        Eigen::Vector3d position, axis;
        bool single = false;  ///< a revolute or prismatic joint
        bool slides = false;
    };
    std::vector<Fixed> fixed;
    Eigen::Vector3d origin;  ///< origin of all positions
    std::vector<WorldBody> bodies;
    std::vector<JointState> joints;                               ///< of joints that are not single
    Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> S;  ///< a column for each place in Branches
    Eigen::VectorXd qd, C;                                        ///< by places

    Spatial column(int place) const { return {S.col(place).head<3>(), S.col(place).tail<3>()}; }
};

/// Computes places, axes and inertias.
void set_positions(const Model& model, const Branches& branches, const Eigen::VectorXd& q, WorldTree& tree);
/// Computes v, a and the force of each body at q̈ = 0, with gravity and wrenches, for tree.qd.
void set_motion(const Model& model, const Branches& branches, Wrenches wrenches, WorldTree& tree);
/// Adds to C of a floating joint the forces of its armature, which turns with it.
void add_turning_armature(const Model& model, const Body& body, int first, WorldTree& tree);
/// Computes H and C, from the leaves. Inertias and forces are then those of subtrees.
void mass_and_bias(const Model& model, const Branches& branches, WorldTree& tree, BranchFactor& H);

}  // namespace grbda::baselines
