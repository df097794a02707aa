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
//   check     what can be said of the description entry by entry
//   check_couplings   the same for couplings and mimics
//   passive_forces  springs, dampers, dry friction, gravity compensation
//   roles     motors, start, saved states, order of coordinates, tool frames
//   shapes    what shapes must be, and which bodies they are fixed in
//   spheres   what spheres of side files must be, and which frames they are fixed in
//   graph     which joints span the tree, which are loops
//   bodies    fixed joints fused, bodies numbered
//   loops     loop joints between bodies
//   coupling_ratio   which way the ratio of couplings goes
//   coupling  couplings as equations
//   combined  coordinates that are no joint's, as joints of bodies without mass
//   equation  those equations as text

namespace grbda::detail {

inline constexpr const char* finite_numbers = "finite numbers";

/// Of a figure of a link, joint, loop or coupling.
template <class Element>
const SourceLocation& place_of(const Element& element, Figure figure) {
    const auto own = element.places.find(figure);
    return own == element.places.end() ? element.where : own->second;
}

/// What every step reads, and the list that it reports to.
struct Context {
    const RobotDescription& description;
    const LoadOptions& options;
    Diagnostics& diagnostics;
    NameIndex links;
    NameIndex joints;
    /// Places of figures about which there is a finding.
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
    /// About a figure of a link, joint, loop or coupling, at its own place if it has one. What several
    /// elements have from one place, as from a default class, is told once.
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

/// At most ten significant digits, the same in every locale.
std::string number(double value);

/// Three revolute joints in a row whose axes meet in a point, with massless links between that nothing refers
/// to, become one spherical joint with the first one's name; each is noted.
RobotDescription with_spherical_joints(const RobotDescription& description, Diagnostics& diagnostics);

/// Reports whatever one entry of the description shows to be wrong without looking at the graph.
/// False: names of links or of the joints' parents and children are wrong, so that no graph can be built.
bool check_description(const Context& context);

/// False, and an error: the name holds what xacro would fill in, so that no URDF file could state it.
bool check_literal(const Context& context, const std::string& name, const SourceLocation& where,
                   const Subject& owner);

/// Eigenvalues of the symmetric part, ascending; of finite numbers.
Eigen::Vector3d principal_moments(const Eigen::Matrix3d& inertia);

/// One of them is below zero by more than the rounding of finding it.
bool has_negative_moment(const Eigen::Matrix3d& inertia);

/// The part of it that concerns couplings of every kind.
void check_couplings(const Context& context);

/// Higher ones swing so much between their supports that no transmission is fitted by them.
inline constexpr int largest_degree = 10;

/// Of Σ cᵢ xⁱ, zeros at its end left out; 0 for none at all.
int degree(const std::vector<double>& coefficients);

/// False: the polynomial or its pair of joints is wrong, which check_description has reported.
bool is_sound(const PolynomialRelation& polynomial);

/// The part of it that concerns coordinates of their own.
void check_combined(const Context& context);

/// The part of it that concerns what joints and frames are used for: motors, start, states, coordinates,
/// tools.
void check_roles(const Context& context);

/// The part of it that concerns shapes: warnings.
void check_shapes(const Context& context);
/// The part that concerns sensors and groups.
void check_sensors(const Context& context);
void check_groups(const Context& context);

/// The part of it that concerns spheres against collisions of the robot with itself.
void check_spheres(const Context& context);

/// Checks for finite lengths, not too large for products of them, and a rotation. False: they are not, and a
/// finding says so.
bool check_pose(const Context& context, const Pose& pose, const SourceLocation& where, const Subject& owner,
                const char* what, Severity severity = Severity::error, const char* hint = "");
inline constexpr double longest_length = 1e50;  // m; products of lengths must not overflow

/// False, and an error: no such link, no such joint.
bool check_link_name(const Context& context, const std::string& link, const char* role,
                     const SourceLocation& where, const Subject& owner);
bool check_joint_name(const Context& context, const std::string& joint, const SourceLocation& where,
                      const Subject& owner);

/// A position of a joint: how many numbers, and that they are some.
void check_position(const Context& context, JointType type, const std::vector<double>& values,
                    const SourceLocation& where, const Subject& owner);
/// The quaternion that stands last in the position of a spherical or floating joint gets length 1.
std::vector<double> with_unit_quaternion(JointType type, std::vector<double> position);

/// The part of it that concerns springs, dampers, dry friction and gravity compensation.
void check_passive_forces(const Context& context);

/// An error where a joint with a known name has several degrees of freedom.
void check_one_freedom(const Context& context, const std::string& joint, const SourceLocation& where,
                       const Subject& owner);

/// At least one term, each of another joint of one freedom, times a finite number other than zero.
void check_terms(const Context& context, const std::vector<LinearTerm>& terms, const SourceLocation& where,
                 const Subject& owner);

/// How a coupling is called in messages: a mimic by its joint.
Subject subject_of(const CouplingDescription& coupling);
Subject subject_of(const CombinedCoordinate& coordinate);

/// Spanning tree over links.
struct SpanningTree {
    int root = -1;
    std::vector<int> joint_of;     ///< link → the joint above it; −1 for the root
    std::vector<int> link_order;   ///< depth-first, siblings in document order of their joints
    std::vector<int> loop_joints;  ///< joints that close loops, in document order
};

/// Empty where the joints have no spanning tree; then an error says why.
std::optional<SpanningTree> span_tree(const Context& context);

/// joint → body where it moves one, else why not.
inline constexpr int fused_joint = -2;
inline constexpr int loop_joint = -3;

/// Where each link and joint of the description went.
struct Fusion {
    std::vector<int> link_body;   ///< link → body or world
    std::vector<Pose> link_pose;  ///< in the body's frame
    std::vector<int> joint_body;  ///< joint → body, fused_joint or loop_joint
};

/// Fills bodies, frames and shapes.
Fusion add_bodies(const Context& context, const SpanningTree& tree, Mechanism& mechanism);

/// Leaves out shapes that cannot exist.
void add_shapes(const Context& context, const Fusion& fusion, Mechanism& mechanism);

void add_sensors(const Context& context, const Fusion& fusion, Mechanism& mechanism);

/// After the frames.
void add_spheres(const Context& context, Mechanism& mechanism);

/// Body moved by a joint that `owner` names; without one, an error (silent for unknown names,
/// which check_description has reported).
std::optional<int> moved_body(const Context& context, const Fusion& fusion, const std::string& joint,
                              const SourceLocation& where, const Subject& owner);

/// The same of each of these terms; those without one are left out.
std::vector<MechanismTerm> moved_terms(const Context& context, const Fusion& fusion,
                                       const std::vector<LinearTerm>& terms, const SourceLocation& where,
                                       const Subject& owner);

void add_loops(const Context& context, const SpanningTree& tree, const Fusion& fusion, Mechanism& mechanism);

void add_roles(const Context& context, const Fusion& fusion, Mechanism& mechanism);

void add_couplings(const Context& context, const Fusion& fusion, Mechanism& mechanism);

/// After couplings and roles.
void add_combined(const Context& context, const Fusion& fusion, Mechanism& mechanism);

void add_tendons(const Context& context, const Fusion& fusion, Mechanism& mechanism);

/// A note of all that joint_forces() gives and nothing else applies, and what of it the loops swallow.
void report_passive_forces(const Context& context, const SpanningTree& tree, const Mechanism& mechanism);

}  // namespace grbda::detail
