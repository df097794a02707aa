#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/baselines_fixture.hpp"
#include "support/described.hpp"

// Draws a random mechanism. Tree: random_mechanism.cpp; loops: random_loops.cpp; gears, belts and
// cams: random_couplings.cpp.

namespace random_mechanism {

using namespace baselines_fixture;
using grbda::JointDescription;
using grbda::JointType;
using grbda::LoopType;
using grbda::Pose;

constexpr int kGround = -1;

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// A link with the moving body it belongs to, and its pose at the reference configuration.
struct Place {
    std::string name;
    int body = kGround;
    Pose pose;
};

/// A moving body and where its joint stands at the reference configuration.
struct Moved {
    int parent = kGround;
    std::size_t joint = 0;
    std::vector<double> q;
};

class Generator {
public:
    explicit Generator(std::uint64_t seed)
        : random_(seed),
          cams_(seed + 1),
          armatures_(seed + 2),
          pitches_(seed + 3),
          trains_(seed + 4),
          planar_(chance(0.3)) {
        robot_ = empty_robot("random mechanism " + std::to_string(seed));
        places_.push_back({"ground", kGround, {}});
    }
    grbda::RobotDescription run();

private:
    bool chance(double probability) { return uniform(random_, 0, 1) < probability; }
    int integer(int lower, int upper) { return std::uniform_int_distribution<int>(lower, upper)(random_); }
    std::size_t index(std::size_t size) { return at(integer(0, static_cast<int>(size) - 1)); }
    double pitch() { return uniform(pitches_, 0.05, 0.3) * (uniform(pitches_, 0, 1) < 0.5 ? -1 : 1); }
    Eigen::Vector3d direction() { return exponential(random_vector(random_, 3, 2)).col(0); }
    Pose pose(double reach) {
        if (!planar_) return random_pose(random_, reach);
        Pose result;
        result.rotation = exponential(Eigen::Vector3d::UnitZ() * uniform(random_, -2, 2));
        result.translation << uniform(random_, -reach, reach), uniform(random_, -reach, reach), 0;
        return result;
    }
    JointType joint_type();
    std::vector<double> reference(JointType type);
    static Pose motion(const JointDescription& joint, const std::vector<double>& q) {
        const Eigen::Map<const Eigen::VectorXd> position(q.data(), static_cast<Eigen::Index>(q.size()));
        return described::motion(joint.type, joint.axis, joint.axis2, position, joint.pitch);
    }
    /// A link on a joint of its own; the index of its place.
    std::size_t add(const std::string& prefix, JointType type, std::size_t above,
                    const Eigen::Vector3d& axis);
    void add_tree();

    /// Bodies below the nearest common ancestor of two bodies.
    std::set<int> path(int a, int b) const;
    int freedoms(int body) const { return grbda::velocity_size(robot_.joints[moved_[at(body)].joint].type); }
    /// Takes `rows` constraints from the freedoms of a path and of the groups that it joins; false: too many.
    bool spend(const std::set<int>& bodies, int rows);
    /// Independent rows of a loop: all of them in space, fewer among bodies that move in one plane.
    int rank(LoopType type) const;
    /// Some motion that a loop joint of this type leaves free.
    Pose free_motion(const grbda::LoopDescription& loop);
    void add_loop();
    /// The same loop again, now and then from its other end.
    void repeat_loop();

    std::vector<int> single_joints() const;
    /// One equation among joints that holds at the reference configuration.
    void relate(const std::string& name, const std::vector<std::pair<int, double>>& terms);
    /// A polynomial that holds at the reference configuration.
    void follow(const std::string& name, int follower, int leader, double slope);
    std::set<int> tied(const std::vector<std::pair<int, double>>& terms) const;
    /// A rotor anywhere, geared to one joint or two wherever they are.
    void add_rotor();
    /// A disc that is symmetric about its joint; the index of its body.
    int add_disc(std::size_t carrier);
    /// Discs that gear only with one another, in a chain or a star: side by side on one body, or each
    /// anywhere.
    void add_train();
    void add_linear();
    void add_cam();
    /// A coupling by predecessor and successor, where the paths sum up angles only, or slides only. Its
    /// equation has no offset: the joint of the successor takes up what is missing.
    void add_belt();

    /// Starts assembly near the reference configuration instead of zero.
    void give_start();
    void add_frames() { robot_.frames.push_back({"tool", places_.back().name, pose(0.3), {}}); }

    Random random_, cams_, armatures_, pitches_,
        trains_;  ///< apart, so that what is drawn of one changes no other
    bool planar_;
    grbda::RobotDescription robot_;
    std::vector<Place> places_;
    std::vector<Moved> moved_;
    std::vector<int> group_, spent_;  ///< bodies that constraints tie together; rows spent in each group
};

}  // namespace random_mechanism
