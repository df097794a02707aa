#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grbda/description.hpp"
#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"
#include "grbda/joint_types.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

// The part of a model that serves people and not algorithms: names with
// their objects, limits, and findings. No pass over the clusters reads it.

namespace grbda {

// Model::joint(), link() and frame() return these indices and ranges. They search the names and allocate:
// call them at setup, and keep the ranges.

/// Indices of one joint in the vectors of the robot.
struct CoordinateRanges {
    Range q;  ///< positions, in q [nq]; a quaternion has one more entry than velocities
    Range v;  ///< velocities, in q̇ [nv_tree]
    Range y;  ///< its independent velocities, in ẏ, ÿ and τ [nv], in the coordinates that the model chose:
              ///< empty if other joints determine it
};

/// A joint that moves a body.
struct NamedJoint : CoordinateRanges {
    std::string name;
    JointType type = JointType::fixed;
    int index = 0;            ///< of its body in Model::bodies; the same in limits and names.joints
    int parent = world;       ///< index of the body that carries it
    int cluster = 0;          ///< index in Model::clusters
    std::string parent_link;  ///< topmost link of the parent; if that is the world, the root link, or empty
                              ///< with a floating base
    std::string child_link;   ///< topmost link of the body that it moves
};

/// A link or another frame, which is fixed in a body, in a rod or in the world.
/// The ranges are those of the joint that moves its body; for a rod or the world they are empty.
struct NamedFrame : CoordinateRanges {
    std::string name;
    int index = 0;        ///< in Model::frames; argument of frame_position(), frame_jacobian() and others
    int body = world;     ///< in Model::bodies and columns of Wrenches; rods: Structure::carrier_count()
    int cluster = world;  ///< cluster of its body or rod, in Model::clusters
    std::string joint;    ///< name of the joint that moves its body; empty for a rod or the world
};

/// A named frame fixed in a body.
struct Frame {
    std::string name;
    int body = world;  ///< or rod: Structure::carrier_count()
    Vector3<double> position;
    Matrix3<double> rotation;
    bool is_link = false;
};

/// A shape fixed in a body, or in the world.
struct BodyShape {
    std::string name;  ///< may be empty
    std::string link;  ///< in which the file fixes it
    int body = world;  ///< or rod: Structure::carrier_count()
    Shape shape;
    Vector3<double> position;  ///< in the body
    Matrix3<double> rotation;
    bool visual = false, collision = false;
    std::optional<Surface> surface;        ///< if the file specifies one
    std::optional<Eigen::Vector4d> color;  ///< red, green, blue, opacity, each 0 to 1
    TouchMask mask = {};
};

/// A sensor fixed in a body, or in the world.
struct Sensor {
    std::string name;  ///< may be empty
    std::string type;  ///< as in the file
    std::string link;  ///< in which the file fixes it
    int body = world;
    Vector3<double> position;  ///< in the body
    Matrix3<double> rotation;
};

/// A sphere fixed in a body.
struct BodySphere {
    Vector3<double> center;  ///< m, in the body
    double radius = 0;       ///< m, above zero
};

/// Spheres that a side file fixes in one link or frame.
struct SphereGroup {
    int frame = 0;  ///< in Catalogue::frames
    int body = world;
    double buffer = 0;  ///< m, added to each radius
    Range spheres;      ///< in SelfCollision::spheres
};

/// Two groups of spheres.
struct GroupPair {
    int a = 0, b = 0;  ///< a < b
};

/// Spheres from which self_distances() computes how close the robot comes to itself.
struct SelfCollision {
    Table<SphereGroup> groups;  ///< in the order of their frames
    Table<BodySphere> spheres;
    Table<GroupPair> pairs;              ///< in order: all pairs on two bodies, except those the files ignore
    Table<std::pair<int, int>> ignored;  ///< frames, in Catalogue::frames, the smaller first; in order
};

/// Cost of a form of forward dynamics: additions and multiplications, in units of those of the Jacobian form.
struct FormCosts {
    double jacobians = 0, tree = 0, rows = 0;  ///< infinite: not available
};

/// Information on a cluster for users; no algorithm reads it.
struct ClusterReport {
    FormCosts costs;       ///< of clusters with loops or couplings: only where the forms differ
    int rows_written = 0;  ///< rows of all loops and couplings, before zero rows are dropped
    int rank = 0;
    double conditioning = 1;  ///< smallest rcond(K_d) over the generic configurations
    double neutral_conditioning = 1;
    bool singular_at_zero = false;
    double open_at_zero = 0;  ///< closure residual at q = 0, or at the file's start
    std::string start;        ///< state of the file from which assembly began; empty: q = 0 or start
    int misfit_rows = 0;      ///< rows that repeat others except for rounded input: dropped
    double misfit = 0;        ///< residual of the dropped rows, relative to the size
    std::vector<std::vector<int>> idle;  ///< groups of bodies that can spin freely about an axis of their own
    std::vector<std::string> reasons;    ///< per independent: the reason for choosing it
};

/// A configuration that the robot's files name, projected onto the loops.
struct SavedState {
    std::string name;
    std::vector<double> q;  ///< nq
    double moved = 0;       ///< largest displacement of a joint from the file's value, rad or m
    std::map<std::string, double> targets = {};  ///< of servos, by joint; those that the file gives
};

/// A rod as in the files.
struct RodNames {
    std::string name;                 ///< of its link, or of the first of two links
    std::vector<std::string> joints;  ///< joints without coordinates
    std::vector<std::string> links;   ///< its own, and the massless ones between it and its ends
    std::string piston;               ///< link of a strut at end B; otherwise empty
    std::string slide;                ///< joint of a strut that changes its length; otherwise empty
};

/// Names of the parts of a robot, by index.
struct Names {
    std::string robot;
    std::string root;           ///< root link
    Table<std::string> bodies;  ///< topmost link of each body
    Table<std::string> joints;  ///< tree joint of each body
    Table<std::string> loops, couplings;
    Table<RodNames> rods;          ///< as in Structure::rods
    Table<std::string> equations;  ///< of each coupling
    Table<std::string> tendons;    ///< of each tendon in Constants::passive
};

/// Data of a model that no pass reads: names, frames, shapes, limits, findings.
struct Catalogue {
    Names names;
    Table<Frame> frames;      ///< every link by its name, then the other frames
    Table<int> body_frame;    ///< body → frame of its topmost link
    Table<int> tool_frames;   ///< in `frames`
    Table<BodyShape> shapes;  ///< of all links, in the order of the files
    SelfCollision self_collision;
    Table<JointLimits> limits;                      ///< per body
    Table<char> bounded;                            ///< per body: its joint has limits
    Table<char> actuated;                           ///< per body: named as a motor
    Table<double> reduction;                        ///< per body: turns of its motor per turn of the joint
    Table<std::optional<ServoDescription>> servos;  ///< per body: servo of its joint
    Table<SavedState> states;                       ///< in the order of the files
    Table<Sensor> sensors;                          ///< of all links, in the order of the files
    Table<GroupDescription> groups;

    Table<MechanismNearRod> near_rods;  ///< links similar to rods that remain bodies

    Table<ClusterReport> reports;  ///< per cluster
    Diagnostics diagnostics;       ///< notes and warnings of loading
    Table<std::string> files;      ///< read by load(), with included ones
};

/// True if the files exclude the links of these two frames from collision checks, in either order.
GRBDA_EXPORT bool is_ignored(const SelfCollision& robot, int a, int b);

}  // namespace grbda
