#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grbda/description.hpp"
#include "grbda/export.hpp"
#include "grbda/mechanism/form.hpp"
#include "grbda/table.hpp"

// The robot with resolved names. Links joined by fixed joints are one body, each joint moves one body,
// couplings are equations, and a link with two parent joints has become a loop. All rules have been checked,
// except those that need numerical analysis.

namespace grbda {

/// Options of loading, in C++, Python and on the command line.
struct LoadOptions {
    std::optional<CouplingRatio> coupling_ratio;  ///< overrides what the file states
    bool spherical_joints = false;  ///< three revolute joints with axes through one point become one joint
    bool floating_base = false;     ///< adds the floating joint "root_joint" above the root link
    bool rotor_reduction = true;    ///< merges rotors into their carriers; the dynamics are the same
    bool rod_reduction = true;      ///< rods with a ball joint at one end, and another, a universal or a
                                    ///< revolute joint at the other, have no joint coordinates
    std::optional<Form> form;       ///< form of all clusters; by default the cheapest for each cluster
    bool adjust = false;            ///< adjusts loops that no configuration closes, see adjust_loops()
    bool strict = false;            ///< turns warnings that a format marks as strict into errors
    bool ignore_mocap = false;      ///< leaves out loops between the robot and mocap bodies of MJCF
    std::optional<double> density;  ///< kg/m³: load() gives links without mass that of their shapes, see
                                    ///< add_inertials()
    bool hulls = false;             ///< load() gives collision meshes their convex hulls, see load_hulls()
    /// Folders from which a file may include others, beside its own folder; meshes are searched there, too.
    std::vector<std::string> paths;
};

/// A moving body and the tree joint that moves it. Its frame is the joint's, usually its topmost link's.
struct MechanismBody {
    std::string name;                      ///< of the topmost link
    int parent = world;                    ///< always smaller than the body's own index
    std::string joint;                     ///< joint name
    JointType type = JointType::revolute;  ///< never fixed or continuous
    bool bounded = true;                   ///< false for continuous joints and revolute ones without limits
    Pose placement;                        ///< joint frame in the parent body's frame; body frame at q = 0
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< unit; in the joint frame
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< unit; universal: second axis
    double pitch = 0;                                  ///< helical: m/rad along the axis
    Inertial inertia;                                  ///< of all links of the body, in the body's frame
    std::optional<bool> independent;
    JointLimits limits;
    PerCoordinate damping, friction, stiffness;
    std::vector<double> rest;  ///< position at which the spring is slack; empty: zero
    std::vector<GravityCompensation> gravity_compensation;  ///< of all links, in the body's frame
    double armature = 0;
    double reduction = 1;  ///< turns of its motor per turn of the joint
    std::optional<ServoDescription> servo;
    bool actuated = false;
    /// A combined coordinate: massless, without a joint in the file. Its coupling comes after the others.
    bool combined = false;
    /// The slide of a strut: its position is a length alone. Massless; the joint moves no frame.
    bool is_length = false;
    SourceLocation where;  ///< of the joint
};

/// A joint that closes a loop between two bodies.
struct MechanismLoop {
    std::string name;
    LoopType type = LoopType::revolute;  ///< never continuous or floating
    int predecessor = world;
    int successor = world;
    Pose predecessor_placement;  ///< P in the predecessor body's frame (world frame: root link's frame)
    Pose successor_placement;    ///< Q in the successor body's frame
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< unit
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< unit
    double pitch = 0;                                  ///< helical: m/rad of Q along the axis of P
    double length = 0;                                 ///< distance: > 0
    bool across = false;  ///< distance: the line from P to Q is also across the axis of P, as a revolute
                          ///< joint at P makes it
    int slide = -1;       ///< distance: a body with MechanismBody::is_length, whose position adds to `length`
    double slide_sign = 1;             ///< of that position
    std::optional<Inertial> inertial;  ///< distance: inertial of the rod, see LoopDescription::inertial
    SourceLocation where;
};

/// A term of a coupling or tendon.
struct MechanismTerm {
    int body = 0;       ///< the body that the joint moves
    int component = 0;  ///< component of the joint's velocity
    double coefficient = 1;
};

/// Σ coefficient · q + offset = 0. Each term has another joint component, and no coefficient is zero.
/// A polynomial has two terms: q[terms 0] − Σ cᵢ (q[terms 1] − reference)ⁱ + offset = 0.
struct MechanismCoupling {
    std::string name;
    std::vector<MechanismTerm> terms;
    double offset = 0;
    std::vector<double> polynomial;  ///< c₀, c₁, …; empty: linear
    double reference = 0;
    SourceLocation where;
};

/// Spring, damper and friction along L = Σ coefficient · q. Each term has another body, and no coefficient is
/// zero.
struct MechanismTendon {
    std::string name;
    std::vector<MechanismTerm> terms;
    double stiffness = 0, damping = 0, friction = 0;
    double rest_lower = 0, rest_upper = 0;  ///< the spring is slack between them
    SourceLocation where;
};

/// A named frame fixed in a body, or in the world.
struct MechanismFrame {
    std::string name;
    int body = world;
    Pose placement;  ///< in the body's frame; for the world in the root link's frame
    bool is_link = false;
};

/// A shape fixed in a body, or in the world.
struct MechanismShape {
    ShapeDescription shape;  ///< its origin is relative to the link
    std::string link;
    int body = world;
    Pose placement;  ///< in the body's frame; for the world in the root link's frame
};

/// A sensor fixed in a body, or in the world.
struct MechanismSensor {
    SensorDescription sensor;  ///< its origin is relative to the link
    std::string link;
    int body = world;
    Pose placement;  ///< in the body's frame; for the world in the root link's frame
};

/// Spheres fixed in a frame.
struct MechanismSpheres {
    int frame = 0;                           ///< among `frames`
    double buffer = 0;                       ///< m, added to each radius
    std::vector<SphereDescription> spheres;  ///< centres in the frame; only spheres with a positive radius
};

/// Data for checking self-collision.
struct MechanismCollision {
    Table<MechanismSpheres> groups;            ///< by frame
    std::vector<std::pair<int, int>> ignored;  ///< frames, the smaller first; each pair once, in order
};

/// Returns "ball", "universal" or "revolute".
GRBDA_EXPORT const char* to_string(RodJoint joint);

/// Two links on a slide along the line of a rod: the cylinder at A, the piston at B.
struct MechanismStrut {
    Inertial cylinder, piston;       ///< in the rod's axes, from A and from B
    std::string piston_link, slide;  ///< names of the link and of the joint
    double misfit = 0;               ///< of their symmetry about the line, relative; 0: up to rounding
};

/// A link, or two links welded together, between two ball joints, or a ball joint and a universal or revolute
/// joint, that is symmetric about the line through the joints. It is not a body of the mechanism: a
/// `distance` loop replaces it, and frames may be fixed in it.
struct MechanismRod {
    std::string name;                  ///< name of its link, or of the first of two
    int loop = 0;                      ///< among `loops`: end A is its predecessor, end B its successor
    double mass = 0;                   ///< kg
    double center = 0;                 ///< share of the length from A to the centre of mass, 0 to 1
    double transverse = 0, axial = 0;  ///< moments of inertia about the centre, across and along the line
    Pose placement;                   ///< of the rod's axes in the body of A, joints at zero; its origin is A
    Eigen::Vector3d direction;        ///< unit, from A to B in the rod's axes
    RodJoint joint = RodJoint::ball;  ///< at A
    std::optional<MechanismStrut> strut;  ///< its length changes: mass is that of both links, center the
                                          ///< share of the piston in it, and moments are sums
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  ///< of this joint in the body of A, unit; of a ball any
    std::vector<std::string> joints;                  ///< tree joints that have no coordinates
    std::vector<std::string> links;                   ///< its own, and massless ones between it and its ends
    SourceLocation where;                             ///< of the joint of its first link
};

/// A link that resembles a rod but stays a body.
struct MechanismNearRod {
    std::string name;
    std::string reason;  ///< the condition that fails, and by how much
};

/// A configuration as the file states it, before it is projected onto the loops.
struct MechanismState {
    std::string name;
    std::map<std::string, std::vector<double>> positions;  ///< by joint
    SourceLocation where;
    std::map<std::string, double> targets = {};  ///< of servos, by joint
};

/// Bodies in depth-first order, siblings in document order: the order of q.
struct Mechanism {
    std::string name;
    std::string root;  ///< root link: fixed in the world, or below "root_joint"
    Table<MechanismBody> bodies;
    Table<MechanismLoop> loops;
    Table<MechanismCoupling> couplings;
    std::vector<MechanismTendon> tendons;
    Table<MechanismFrame> frames;          ///< every link and every named frame
    Table<MechanismShape> shapes;          ///< of all links, in the order of the description
    std::vector<MechanismSensor> sensors;  ///< of all links, in the order of the description
    std::vector<GroupDescription> groups;  ///< with those of their joints that move
    MechanismCollision self_collision;
    std::map<std::string, std::vector<double>> start;
    std::vector<MechanismState> states;
    std::vector<int> coordinates;          ///< bodies in the order of their coordinates in y; may be empty
    std::vector<std::string> tool_frames;  ///< among `frames`
    std::optional<Eigen::Vector3d> gravity;

    // set by reduce_rods(); frames and shapes of rod r have body bodies.size() + r, those of the pistons of
    // struts come after all rods, in their order
    Table<MechanismRod> rods;
    Table<MechanismNearRod> near_rods;
};

/// Resolves names, merges links at fixed joints, builds the spanning tree, converts couplings to equations.
/// Findings are appended to `diagnostics`; the result is valid only without errors.
/// cost    O(bodies + total length of the paths of loops and couplings); no recursion
GRBDA_EXPORT Mechanism make_mechanism(const RobotDescription& description, const LoadOptions& options,
                                      Diagnostics& diagnostics);

/// Returns whether the inertia is that of a rotor: rotationally symmetric about the joint axis, with the
/// centre of mass on the axis. Relative tolerance 1e-9.
GRBDA_EXPORT bool is_axisymmetric(const Inertial& inertia, const Eigen::Vector3d& axis);

/// Replaces links by rods where possible, see MechanismRod. The `distance` loop of a rod has the index of the
/// loop that its link closed. Distance loops with an inertial become rods, too; without `links`, only these.
/// cost    O(bodies + loops); no recursion
GRBDA_EXPORT Mechanism reduce_rods(const Mechanism& mechanism, bool links = true);

/// Writes a coupling as text: "q[rotor] = 6 q[hip]", solved for the one term with coefficient ±1, or for the
/// first of two terms if both have it; "2 q[knee] - q[m1] - q[m2] + 0.1 = 0" otherwise.
/// Joints of several coordinates: "q[wrist][1]". Numbers with at most ten digits.
GRBDA_EXPORT std::string equation(const Mechanism& mechanism, const MechanismCoupling& coupling);

// Inertias of links that are fixed to each other.

/// Expresses an inertial in a frame; `pose` is the pose of its own frame there. The result is symmetric, and
/// moments that are negative by rounding are set to zero.
GRBDA_EXPORT Inertial placed(const Inertial& inertial, const Pose& pose);

/// Combines two inertials in one frame, by the parallel-axis theorem about the common centre of mass.
GRBDA_EXPORT Inertial merged(const Inertial& a, const Inertial& b);

}  // namespace grbda
