#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grbda/description.hpp"
#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/range.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

// What people ask a robot for: names and what they stand for, limits, and what was found out about it. No
// sweep reads it.

namespace grbda {

/// A named frame fixed in a body.
struct Frame {
    std::string name;
    int body = world;  ///< or rod: Structure::carrier_count()
    Vector3<double> position;
    Matrix3<double> rotation;
};

/// A shape fixed in a body, or in the world.
struct BodyShape {
    std::string name;  ///< may be empty
    std::string link;  ///< that the file fixes it in
    int body = world;  ///< or rod: Structure::carrier_count()
    Shape shape;
    Vector3<double> position;  ///< in the body
    Matrix3<double> rotation;
    bool visual = false, collision = false;
    std::optional<Surface> surface;        ///< as far as the file says
    std::optional<Eigen::Vector4d> color;  ///< red, green, blue, opacity, each 0 to 1
    TouchMask mask = {};
};

/// A sensor fixed in a body, or in the world.
struct Sensor {
    std::string name;  ///< may be empty
    std::string type;  ///< in the file's words
    std::string link;  ///< that the file fixes it in
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
    double buffer = 0;  ///< m, by which each of them reaches farther
    Range spheres;      ///< in SelfCollision::spheres
};

/// Two groups of spheres.
struct GroupPair {
    int a = 0, b = 0;  ///< a < b
};

/// Spheres by which self_distances() tells how near the robot comes to itself.
struct SelfCollision {
    Table<SphereGroup> groups;  ///< in the order of their frames
    Table<BodySphere> spheres;
    Table<GroupPair> pairs;              ///< in order: all in two bodies, but for those that the files ignore
    Table<std::pair<int, int>> ignored;  ///< frames, in Catalogue::frames, the smaller first; in order
};

/// What a form takes: additions and multiplications, as fast as those of Jacobians are.
struct FormCosts {
    double jacobians = 0, tree = 0, rows = 0;  ///< infinite: of no use there
};

/// What a reader wants to know of a cluster, and no algorithm does.
struct ClusterReport {
    FormCosts costs;       ///< of clusters with loops and couplings: of what forms differ in
    int rows_written = 0;  ///< rows of all loops and couplings, before dropping zero rows
    int rank = 0;
    double conditioning = 1;  ///< smallest rcond(K_d) over the generic configurations
    double neutral_conditioning = 1;
    bool singular_at_zero = false;
    double open_at_zero = 0;  ///< closure residual at q = 0, or where the file says to start
    std::string start;        ///< state of the file that assembly began from; empty: q = 0 or start
    int misfit_rows = 0;      ///< rows that repeat others but for rounded figures: dropped
    double misfit = 0;        ///< what the dropped rows are left open by, relative to the size
    std::vector<std::vector<int>> idle;  ///< groups of bodies that can turn about an axis of their own, alone
    std::vector<std::string> reasons;    ///< per independent: why it was chosen
};

/// A configuration that the robot's files name, moved onto the loops.
struct SavedState {
    std::string name;
    std::vector<double> q;  ///< nq
    double moved = 0;       ///< largest way of a joint from what the files say, rad or m
};

/// A rod as the files say it.
struct RodNames {
    std::string name;                 ///< of its link, or of the first of two
    std::vector<std::string> joints;  ///< that have no coordinates
    std::vector<std::string> links;   ///< its own, and those without mass between it and its ends
};

struct Names {
    std::string robot;
    std::string root;           ///< root link
    Table<std::string> bodies;  ///< topmost link of each body
    Table<std::string> joints;  ///< tree joint of each body
    Table<std::string> loops, couplings;
    Table<RodNames> rods;          ///< as in Structure::rods
    Table<std::string> equations;  ///< of each coupling
    Table<std::string> tendons;    ///< of each in Constants::passive
};

struct Catalogue {
    Names names;
    Table<Frame> frames;      ///< every link by its name, then the other frames
    Table<int> body_frame;    ///< body → frame of its topmost link
    Table<int> tool_frames;   ///< in `frames`
    Table<BodyShape> shapes;  ///< of all links, in the order of the files
    SelfCollision self_collision;
    Table<JointLimits> limits;  ///< per body
    Table<char> bounded;        ///< per body: its joint has limits
    Table<char> actuated;       ///< per body: named as a motor
    Table<double> reduction;    ///< per body: turns of its motor for each of the joint
    Table<SavedState> states;   ///< in the order of the files
    Table<Sensor> sensors;      ///< of all links, in the order of the files
    Table<GroupDescription> groups;

    Table<MechanismNearRod> near_rods;  ///< links like rods that are bodies

    Table<ClusterReport> reports;  ///< per cluster
    Diagnostics diagnostics;       ///< notes and warnings of loading
    Table<std::string> files;      ///< that load() read, included ones too
};

/// Index of a name; throws std::invalid_argument with the nearest names.
GRBDA_EXPORT int frame_index(const Catalogue& catalogue, const std::string& name);
/// Whether the files say not to look whether these two frames' links collide, in either order.
GRBDA_EXPORT bool is_ignored(const SelfCollision& robot, int a, int b);
GRBDA_EXPORT int body_index_of_joint(const Catalogue& catalogue, const std::string& joint);

}  // namespace grbda
