#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"
#include "grbda/joint_types.hpp"
#include "grbda/shape.hpp"
#include "grbda/spatial/inertial.hpp"

// A user's description of a robot, independent of the format: plain, editable data.
// SI units, radians. Loaders fill it, a program may write it by hand, and
// build_model() turns it into a Model after the same checks for both.

namespace grbda {

/// The two readings of a <coupling> ratio.
enum class CouplingRatio {
    predecessor_over_successor,  ///< Σ q_predecessor = ratio · Σ q_successor (URDF+ paper, eq. 8)
    successor_over_predecessor   ///< ratio · Σ q_predecessor = Σ q_successor
};

/// The quantities that can have a source location of their own within an element of a file.
enum class Figure { mass, inertia, axis, axis2, lower, upper, pitch, length, ratio };

/// Source locations of such quantities. For quantities that are not listed, see `where` of the element. Lower
/// and upper refer to the limits as the file writes them.
using FigurePlaces = std::map<Figure, SourceLocation>;

/// Contact properties of a surface.
struct Surface {
    double friction = 1;  ///< Coulomb's coefficient
};

/// A shape fixed in a link.
struct ShapeDescription {
    std::string name;  ///< may be empty
    Shape shape;
    Pose origin;            ///< in link axes
    bool visual = false;    ///< drawn
    bool collision = true;  ///< takes part in contact; formats without the distinction set both
    std::optional<Surface> surface;
    std::optional<Eigen::Vector4d> color;  ///< red, green, blue, opacity, each 0 to 1
    SourceLocation where;
    TouchMask mask = {};
};

/// A sensor fixed in a link.
struct SensorDescription {
    std::string name;  ///< may be empty
    std::string type;  ///< as in the file: "imu", "camera"
    Pose origin;       ///< in link axes
    SourceLocation where = {};
};

/// A link as the file describes it.
struct LinkDescription {
    std::string name;
    std::optional<Inertial> inertial;
    SourceLocation where;
    FigurePlaces places = {};
    std::vector<GravityCompensation> gravity_compensation = {};
    std::vector<ShapeDescription> shapes = {};
    std::vector<SensorDescription> sensors = {};
};

/// Limits of a joint; infinite without a limit.
struct JointLimits {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    double velocity = std::numeric_limits<double>::infinity();
    double effort = std::numeric_limits<double>::infinity();
    double acceleration = std::numeric_limits<double>::infinity();
    double jerk = std::numeric_limits<double>::infinity();
};

/// A number for each coordinate of a joint: the same for all of them, or one by one.
class GRBDA_EXPORT PerCoordinate {
public:
    PerCoordinate(double all = 0) : values_{all} {}
    PerCoordinate(std::vector<double> each) : values_(std::move(each)) {}

    double operator[](int coordinate) const;
    /// One number that applies to all coordinates, or one number per coordinate.
    const std::vector<double>& values() const { return values_; }
    bool is_zero() const;

    friend bool operator==(const PerCoordinate& a, const PerCoordinate& b) { return a.values_ == b.values_; }

private:
    std::vector<double> values_;
};

/// A servo of a joint of one coordinate. Its force on the joint is
///   stiffness (target − q) + damping (target_rate − q̇)
/// and at most JointLimits::effort. Without stiffness, it controls the velocity.
struct ServoDescription {
    double stiffness = 0;  ///< N/m, N·m/rad
    double damping = 0;    ///< N·s/m, N·m·s/rad
    double target = 0;     ///< without a control; of the position, or without stiffness of the velocity
    /// Range of targets; infinite without one.
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();

    friend bool operator==(const ServoDescription& a, const ServoDescription& b) = default;
};

/// A joint of the tree as the file describes it.
struct JointDescription {
    std::string name;
    JointType type = JointType::revolute;
    std::string parent;
    std::string child;
    Pose origin;                                       ///< joint frame in the parent link
    Pose child_origin;                                 ///< joint frame in the child link, identity in URDF
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< in the joint frame; any nonzero length
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< universal: second axis, fixed in the child
    double pitch = 0;  ///< helical: m/rad along the axis, right-handed if positive
    std::optional<bool> independent;
    JointLimits limits;
    PerCoordinate damping;     ///< N·s/m, N·m·s/rad
    PerCoordinate friction;    ///< dry (Coulomb): N, N·m
    PerCoordinate stiffness;   ///< of a spring: N/m, N·m/rad
    std::vector<double> rest;  ///< position at which the spring is slack, numbers as in q; empty: zero
    double armature = 0;       ///< reflected inertia added to each degree of freedom
    double reduction = 1;      ///< turns of its motor per turn of the joint; not zero
    std::optional<ServoDescription> servo;  ///< used by simulations with with_servos()
    SourceLocation where;
    FigurePlaces places = {};
};

/// A joint that closes a loop, as the file describes it.
struct LoopDescription {
    std::string name;
    LoopType type = LoopType::revolute;
    std::string predecessor;                           ///< link
    std::string successor;                             ///< link
    Pose predecessor_origin;                           ///< constraint frame P in the predecessor link
    Pose successor_origin;                             ///< constraint frame Q in the successor link
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< same numbers in P and Q; universal: fixed in P
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< universal: fixed in Q
    double pitch = 0;              ///< helical: m/rad of Q along the axis, right-handed if positive
    std::optional<double> length;  ///< distance: absent = the length at q = 0
    /// distance: of a rod between both origins, in axes at P's with z towards Q's
    std::optional<Inertial> inertial;
    bool is_mocap = false;  ///< one end is a body that a user moves, without dynamics (MJCF's mocap)
    SourceLocation where;
    FigurePlaces places = {};
};

/// Gear between two links: the joints on the paths from their nearest common ancestor.
struct GearRelation {
    std::string predecessor;  ///< link
    std::string successor;    ///< link
    double ratio = 1;
};

/// A term of a linear coupling.
struct LinearTerm {
    std::string joint;
    double coefficient = 1;
    SourceLocation where;
};

/// Σ coefficient · q + offset = 0 over one-degree-of-freedom joints.
struct LinearRelation {
    std::vector<LinearTerm> terms;
    double offset = 0;
    bool mimic = false;  ///< written as a mimic: terms[0] is the follower of terms[1]
};

/// Σ cᵢ (q_leader − leader_reference)ⁱ = q_follower − follower_reference, joints of one degree of freedom.
struct PolynomialRelation {
    std::string follower;
    std::string leader;
    std::vector<double> coefficients;  ///< c₀, c₁, …
    double follower_reference = 0;
    double leader_reference = 0;
};

/// A coordinate that belongs to no joint: y = Σ coefficient · q + offset over one-degree-of-freedom joints,
/// with its own velocity and force. In q it follows all joints.
struct CombinedCoordinate {
    std::string name;  ///< unique among joints, links and frames
    std::vector<LinearTerm> terms;
    double offset = 0;
    SourceLocation where;
};

/// An equation between joints: a gear, or a linear or polynomial relation.
struct CouplingDescription {
    std::string name;
    std::variant<GearRelation, LinearRelation, PolynomialRelation> relation;
    SourceLocation where;
    FigurePlaces places = {};

    /// Returns the relation if it is of this type, otherwise nullptr.
    template <class Relation>
    const Relation* as() const {
        return std::get_if<Relation>(&relation);
    }
    template <class Relation>
    Relation* as() {
        return std::get_if<Relation>(&relation);
    }
};

GRBDA_EXPORT bool is_mimic(const CouplingDescription& coupling);

/// Returns the joints that the coupling names, in its order. A gear names links instead: empty.
GRBDA_EXPORT std::vector<std::string> joints_of(const CouplingDescription& coupling);

/// Returns the joint whose position a mimic or polynomial determines; empty for other couplings.
GRBDA_EXPORT std::string follower_of(const CouplingDescription& coupling);

/// Spring, damper and dry friction along a length L = Σ coefficient · q over one-degree-of-freedom joints.
/// The spring is slack between two lengths, which may be equal.
struct TendonDescription {
    std::string name;
    std::vector<LinearTerm> terms;
    double stiffness = 0;
    double damping = 0;
    double friction = 0;
    double rest_lower = 0;
    double rest_upper = 0;
    SourceLocation where;
};

GRBDA_EXPORT std::vector<std::string> joints_of(const TendonDescription& tendon);
GRBDA_EXPORT std::vector<std::string> joints_of(const CombinedCoordinate& coordinate);

/// A named frame fixed in a link.
struct FrameDescription {
    std::string name;
    std::string link;
    Pose origin;
    SourceLocation where;
};

/// A named set of links and joints; chains and groups within groups are expanded.
struct GroupDescription {
    std::string name;
    std::vector<std::string> links;
    std::vector<std::string> joints;
    SourceLocation where;
};

/// A named configuration; for joints that are not listed, assembly uses their start.
struct StateDescription {
    std::string name;
    std::string group;  ///< may be empty
    std::map<std::string, std::vector<double>> positions;
    SourceLocation where;
    std::map<std::string, double> targets = {};  ///< of servos, by joint
};

/// A sphere for collision checking.
struct SphereDescription {
    Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< in the frame that carries it
    double radius = 0;                                 ///< m; not positive: disabled
    SourceLocation where = {};
};

/// Spheres of each link or frame.
struct GeometryDescription {
    std::string name;
    std::map<std::string, std::vector<SphereDescription>> spheres;
};

/// Settings of collision checking, by link or frame.
struct CollisionDescription {
    std::string geometry;                                    ///< name of a GeometryDescription; may be empty
    std::map<std::string, double> buffer_distance;           ///< m
    std::map<std::string, std::vector<std::string>> ignore;  ///< pairs that are not checked
    SourceLocation where = {};
};

/// Description of a robot, as read from files or filled by a program. Vectors are in the order of the file.
struct RobotDescription {
    std::string name;
    std::vector<LinkDescription> links;
    std::vector<JointDescription> joints;
    std::vector<LoopDescription> loops;
    std::vector<CouplingDescription> couplings;
    std::vector<CombinedCoordinate> combined;
    std::vector<TendonDescription> tendons;
    std::vector<FrameDescription> frames;
    std::optional<CouplingRatio> coupling_ratio;  ///< meaning of ratios of couplings, if the file states it
    std::vector<std::string> actuated;            ///< joints named as motors; empty = not specified
    std::vector<std::string> passive;             ///< joints named as having no motor
    std::vector<std::string> coordinates;         ///< joints in the order of their coordinates in y
    std::map<std::string, std::vector<double>> start;  ///< joint → position where assembly starts
    std::vector<StateDescription> states;
    std::vector<std::string> tool_frames;    ///< links or frames
    std::optional<Eigen::Vector3d> gravity;  ///< m/s², world axes
    std::vector<GroupDescription> groups;
    std::vector<GeometryDescription> geometries;
    CollisionDescription collision;  ///< with the world: stored as data only
    CollisionDescription self_collision;
    SourceLocation where;
    std::vector<std::string> files;  ///< files read, with included ones, as findings name them
};

}  // namespace grbda
