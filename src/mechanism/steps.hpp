#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "description/name_index.hpp"
#include "description/rules.hpp"
#include "grbda/mechanism.hpp"

// The steps of make_mechanism, one source file each:
//   spherical  on request, three revolute joints that are one spherical joint
//   check     checks of single entries of the description
//   check_couplings   the same for couplings and mimics
//   passive_forces  springs, dampers, dry friction, gravity compensation
//   roles     motors, start, saved states, order of coordinates, tool frames
//   shapes    validity of shapes, and the bodies in which they are fixed
//   spheres   validity of side files' spheres, and the frames in which they are fixed
//   graph     which joints span the tree, which are loops
//   cut_links   joints that would close a loop and lose their motor, limits or forces
//   bodies    fixed joints fused, bodies numbered
//   loops     loop joints between bodies
//   coupling_ratio   direction of the ratio of couplings
//   coupling  couplings as equations
//   combined  coordinates without a joint, as joints of massless bodies
//   equation  those equations as text

namespace grbda::mechanism {

inline constexpr const char* finite_numbers = "finite numbers";

/// Source location of a quantity of a link, joint, loop or coupling.
template <class Element>
const SourceLocation& place_of(const Element& element, Figure figure) {
    const auto own = element.places.find(figure);
    return own == element.places.end() ? element.where : own->second;
}

/// Input of every step, and the list of findings.
struct Context {
    const RobotDescription& description;
    const LoadOptions& options;
    Diagnostics& diagnostics;
    NameIndex links;
    NameIndex joints;
    /// Locations of quantities that have a finding.
    mutable std::set<std::tuple<std::string, int, int, Figure>> told = {};

    void report(Severity severity, Code code, const SourceLocation& where, Subject subject,
                std::string expected, std::string found, std::string hint = {}) const {
        diagnostics.push_back({severity, code, where, std::move(subject), std::move(expected),
                               std::move(found), std::move(hint)});
    }
    void error(Code code, const SourceLocation& where, Subject subject, std::string expected,
               std::string found, std::string hint = {}) const {
        report(Severity::error, code, where, std::move(subject), std::move(expected), std::move(found),
               std::move(hint));
    }
    /// Reports a quantity of a link, joint, loop or coupling, at its own location if it has
    /// one. A location that several elements share, as in a default class, is reported once.
    template <class Element>
    void out_of_range(const Element& element, Figure figure, const Subject& owner, std::string expected,
                      std::string found, std::string hint = {}) const {
        const SourceLocation& where = place_of(element, figure);
        const bool is_own = element.places.count(figure) > 0;
        if (is_own && !told.emplace(where.file, where.line, where.column, figure).second) return;
        error(Code::out_of_range, where, owner, std::move(expected), std::move(found), std::move(hint));
    }
};

/// "'a', 'b', 'c' and 7 more": long lists are cut.
std::string listed(const std::vector<std::string>& names, const char* separator = ", ");

/// Writes at most ten significant digits, the same in every locale.
std::string number(double value);

/// Replaces three successive revolute joints whose axes meet in a point, with unreferenced massless
/// links between them, by one spherical joint with the first one's name; adds a note for each.
RobotDescription with_spherical_joints(const RobotDescription& description, Diagnostics& diagnostics);

/// Reports errors in single entries of the description, without the graph. Returns false if names
/// of links or of the joints' parents and children are wrong, so that no graph can be built.
bool check_description(const Context& context);

/// Returns false after an error if the name contains a placeholder of xacro, which no URDF file could state.
bool check_literal(const Context& context, const std::string& name, const SourceLocation& where,
                   const Subject& owner);

/// Eigenvalues of the symmetric part, ascending; the input must be finite.
Eigen::Vector3d principal_moments(const Eigen::Matrix3d& inertia);

/// True if a moment is negative by more than the rounding of its computation.
bool has_negative_moment(const Eigen::Matrix3d& inertia);

/// The part of check_description for couplings of every kind.
void check_couplings(const Context& context);

/// Limit on the degree: a higher polynomial oscillates between its supports and fits no transmission.
inline constexpr int largest_degree = 10;

/// Degree of Σ cᵢ xⁱ without trailing zeros; 0 if all are zero.
int degree(const std::vector<double>& coefficients);

/// False if the polynomial or its pair of joints is wrong, which check_description has reported.
bool is_sound(const PolynomialRelation& polynomial);

/// The part of check_description for combined coordinates.
void check_combined(const Context& context);

/// The part of check_description for the use of joints
/// and frames: motors, start, states, coordinates, tools.
void check_roles(const Context& context);

/// The part of check_description for shapes: warnings.
void check_shapes(const Context& context);
/// The part of check_description for sensors and groups.
void check_sensors(const Context& context);
void check_groups(const Context& context);

/// The part of check_description for spheres against self-collision.
void check_spheres(const Context& context);

/// Checks that lengths are finite and not too large for products, and
/// that the rotation is one. Returns false after a finding if not.
bool check_pose(const Context& context, const Pose& pose, const SourceLocation& where, const Subject& owner,
                const char* what, Severity severity = Severity::error, const char* hint = "");
inline constexpr double longest_length = 1e50;  // m; products of lengths must not overflow

/// Returns false after an error if the link or joint does not exist.
bool check_link_name(const Context& context, const std::string& link, const char* role,
                     const SourceLocation& where, const Subject& owner);
bool check_joint_name(const Context& context, const std::string& joint, const SourceLocation& where,
                      const Subject& owner);

/// Checks a position of a joint: the count of numbers, and that they are finite.
void check_position(const Context& context, JointType type, const std::vector<double>& values,
                    const SourceLocation& where, const Subject& owner);
/// Normalizes the quaternion at the end of the position of a spherical or floating joint.
std::vector<double> with_unit_quaternion(JointType type, std::vector<double> position);

/// The part of check_description for springs, dampers, dry friction and gravity compensation.
void check_passive_forces(const Context& context);

/// Adds an error if a joint with a known name has several degrees of freedom.
void check_one_freedom(const Context& context, const std::string& joint, const SourceLocation& where,
                       const Subject& owner);

/// Requires at least one term, each of another joint with one freedom, times a finite nonzero number.
void check_terms(const Context& context, const std::vector<LinearTerm>& terms, const SourceLocation& where,
                 const Subject& owner);

/// The subject of a coupling in messages: a mimic is named by its joint.
Subject subject_of(const CouplingDescription& coupling);
Subject subject_of(const CombinedCoordinate& coordinate);

/// Spanning tree over links.
struct SpanningTree {
    int root = -1;
    std::vector<int> joint_of;     ///< link → the joint above it; −1 for the root
    std::vector<int> link_order;   ///< depth-first, siblings in document order of their joints
    std::vector<int> loop_joints;  ///< joints that close loops, in document order
};

/// Returns nothing after an error if the joints have no spanning tree.
std::optional<SpanningTree> span_tree(const Context& context);
/// Adds a finding on each joint that closes a loop.
void report_loop_joints(const Context& context, const SpanningTree& tree);

/// The robot in which every joint with a motor, limits or forces moves a link of its own, so that none of
/// these joints closes a loop; adds a note for each cut. Returns nothing if nothing is to be cut.
std::optional<RobotDescription> with_cut_links(const Context& context, const SpanningTree& tree);

/// Replaces the index of a body: the joint is fixed or closes a loop, and moves no body.
inline constexpr int no_body = -2;

/// Indices of each link and joint of the description in the mechanism.
struct Fusion {
    std::vector<int> link_body;   ///< link → body or world
    std::vector<Pose> link_pose;  ///< in the body's frame
    std::vector<int> joint_body;  ///< joint → body or no_body
};

/// Fills bodies, frames and shapes.
Fusion add_bodies(const Context& context, const SpanningTree& tree, Mechanism& mechanism);

/// Adds shapes; drops invalid ones.
void add_shapes(const Context& context, const Fusion& fusion, Mechanism& mechanism);

void add_sensors(const Context& context, const Fusion& fusion, Mechanism& mechanism);

/// Call it after the frames are added.
void add_spheres(const Context& context, Mechanism& mechanism);

/// Body moved by a joint that `owner` names; otherwise an error
/// (except for unknown names, which check_description has reported).
std::optional<int> moved_body(const Context& context, const Fusion& fusion, const std::string& joint,
                              const SourceLocation& where, const Subject& owner);

/// The same for each of these terms; terms without a body are dropped.
std::vector<MechanismTerm> moved_terms(const Context& context, const Fusion& fusion,
                                       const std::vector<LinearTerm>& terms, const SourceLocation& where,
                                       const Subject& owner);

void add_loops(const Context& context, const SpanningTree& tree, const Fusion& fusion, Mechanism& mechanism);

void add_roles(const Context& context, const Fusion& fusion, Mechanism& mechanism);

void add_couplings(const Context& context, const Fusion& fusion, Mechanism& mechanism);

/// Call it after couplings and roles.
void add_combined(const Context& context, const Fusion& fusion, Mechanism& mechanism);

void add_tendons(const Context& context, const Fusion& fusion, Mechanism& mechanism);

/// Warns of frames closing_NAME_1 and closing_NAME_2 on two bodies that no loop joins; an error under strict.
void warn_about_closing_frames(const Context& context, const Mechanism& mechanism);

/// Adds a note on forces that only joint_forces() applies.
void report_passive_forces(const Context& context, const Mechanism& mechanism);

}  // namespace grbda::mechanism
