#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "description/name_index.hpp"
#include "grbda/description.hpp"
#include "grbda/table.hpp"
#include "io/includes.hpp"
#include "io/text/xml.hpp"

// The elements of SDF. A file is read in four steps, a source file or two each:
//   sdf_include, sdf_merge    models of other files put in place of <include>
//   sdf_values             numbers, flags, vectors and poses, which stand in the text of elements
//   sdf_graph, sdf_frames  scopes and names; frames resolved: where each is, which link carries it
//   sdf_link, sdf_shape, sdf_joint, sdf_coupling, sdf_tree   links, joints, couplings; the tree under "world"

namespace grbda::sdf {

inline constexpr const char* world_name = "world";

/// Findings that a file has many of, told once with the first few names.
struct Findings {
    std::vector<std::string> names;
    pugi::xml_node first;
    void add(pugi::xml_node element, const std::string& name) {
        if (names.empty()) first = element;
        names.push_back(name);
    }
    /// "'a', 'b' and 7 more"
    std::string listed() const;
};

/// What is known of the whole file while its elements are read.
struct Context {
    xml::Document& document;
    Diagnostics& diagnostics;
    int version = 0;  ///< 6 of "1.6"
    NameHints hints = {};
    Findings without_inertial = {};
    Findings unkept_shapes = {};
    std::vector<int> versions = {};  ///< of the files, where others are included

    /// Of the file that the element stands in.
    int version_of(pugi::xml_node element) const {
        return versions.empty() ? version : versions[document.file_of(element)];
    }

    void error(Code code, pugi::xml_node element, std::string expected, std::string found,
               std::string hint = {}) {
        document.error(code, element, std::move(expected), std::move(found), std::move(hint));
    }
    void report(Severity severity, Code code, pugi::xml_node element, std::string expected, std::string found,
                std::string hint = {}) {
        document.report(severity, code, element, std::move(expected), std::move(found), std::move(hint));
    }
    void report_findings();
};

/// The outermost element of an SDF file. Up to version 1.2 it could be called <gazebo>; it is renamed.
bool is_sdf(pugi::xml_node root);
/// 6 of "1.6"; −1 of what is none.
int minor_version(const std::string& text);
/// Of the <sdf> at the top of a file; nothing and an error for one that cannot be read.
std::optional<int> read_version(Context& context, pugi::xml_node root);
/// Puts models in place of <include>; false after an error.
bool write_out_includes(Context& context, Includes& includes);

/// Puts the parts of a model in place of an <include> that asks for it; false after an error.
bool merge(Context& context, pugi::xml_node element, pugi::xml_node model);

/// The text in an element, comments left out and trimmed.
std::string text_of(pugi::xml_node element);
/// A child's text; empty without the child or without text in it. Nothing: it was refused.
std::optional<std::string> read_text(Context& context, pugi::xml_node element, const char* child);
std::optional<double> read_number(Context& context, pugi::xml_node element, const char* child,
                                  xml::Range range = xml::Range::finite);
std::optional<Eigen::Vector3d> read_vector(Context& context, pugi::xml_node element, const char* child);
bool read_flag(Context& context, pugi::xml_node element, const char* child);
bool read_flag_attribute(Context& context, pugi::xml_node element, const char* attribute);

/// The <pose> in an element; identity without one.
Pose read_pose(Context& context, pugi::xml_node element);
/// What the <pose> is relative to; empty: the element's default.
std::string read_relative_to(Context& context, pugi::xml_node element);

enum class Kind { world, model, link, joint, frame };

/// Everything with a name and a pose, explicit <frame> or not.
struct Frame {
    Kind kind = Kind::frame;
    int scope = 0;     ///< where its name stands
    std::string name;  ///< as the robot has it: scoped by "::" where a name alone would not do
    pugi::xml_node element;
    int inside = -1;   ///< of a model: its own scope
    int base = -1;     ///< frame that `pose` is relative to
    Pose pose;         ///< in the base
    int carrier = -1;  ///< frame it moves with; itself for links and the world; −1: none
    Pose in_world;
    int body = -1;  ///< the link or world that carries it; −1: none
};

/// The inside of the world or of a model.
struct Scope {
    int frame = 0;  ///< of the model itself; the world's for the world
    bool is_static = false;
    std::string prefix;  ///< of names in the robot
    int depth = 0;
    std::unordered_map<std::string, int> named;  ///< → frame
    std::vector<std::string> names;
};

struct Graph {
    std::vector<Frame> frames;  ///< the world first; then by scope, in document order
    std::vector<Scope> scopes;  ///< the world first; models after the one around them

    Frame& at(int frame) { return frames[static_cast<std::size_t>(frame)]; }
    const Frame& at(int frame) const { return frames[static_cast<std::size_t>(frame)]; }
    const Scope& scope(int index) const { return scopes[static_cast<std::size_t>(index)]; }

    /// The frame of that name as seen in a scope: its own names, "nested::name", "__model__", "world".
    /// −1: none.
    int find(int scope, const std::string& name) const;
    /// The same; an unknown name is an error about `element`.
    int find(Context& context, int scope, const std::string& name, pugi::xml_node element,
             const std::string& role) const;
    bool is_static(const Frame& frame) const { return scope(frame.scope).is_static; }
};

/// Elements of the mechanism where SDF has no place for them, or in the words of one program, are errors.
void check_places(Context& context, pugi::xml_node root);
/// Worlds, models, links, joints and frames by name.
Graph read_graph(Context& context, pugi::xml_node root);
/// Fills in where each frame is and what carries it.
void resolve_frames(Context& context, Graph& graph);

/// The models of the file: those in its world, or beside each other.
std::vector<pugi::xml_node> models_of(pugi::xml_node root);
pugi::xml_node world_of(Context& context, pugi::xml_node root);

/// <visual> and <collision> of a link.
void read_shapes(Context& context, const Graph& graph, const Frame& link,
                 std::vector<ShapeDescription>& shapes);
/// <sensor> of a link.
void read_sensors(Context& context, const Graph& graph, const Frame& link,
                  std::vector<SensorDescription>& sensors);
LinkDescription read_link(Context& context, const Graph& graph, const Frame& link);

/// The two axes of a joint as far as it has them, limits and what else stands in <axis>.
void read_axes(Context& context, const Graph& graph, const Frame& frame, JointDescription& joint);
/// <axis> or <axis2> in the axes of `into`, of length 1 if it is one; nothing where it is left out.
std::optional<Eigen::Vector3d> read_axis(Context& context, const Graph& graph, const Frame& joint,
                                         const char* child, const Pose& into);

/// Joints on their way into the robot.
struct Joints {
    std::vector<JointDescription> moving;                     ///< in document order
    std::vector<JointDescription> refused;                    ///< without one of their ends
    std::vector<bool> must_close;                             ///< of each: the file wants the loop cut here
    std::vector<int> frames;                                  ///< of each, in the graph
    std::vector<pugi::xml_node> motors;                       ///< of each: its <drake:gear_ratio>, if any
    std::vector<int> gearboxes;                               ///< in the graph
    std::unordered_map<std::string, std::vector<int>> above;  ///< link → joints
};

void read_joints(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot);
/// <mimic> in <axis>.
void read_mimics(Context& context, const Graph& graph, const Frame& joint, RobotDescription& robot);
void add_gearboxes(Context& context, const Graph& graph, const Joints& joints, RobotDescription& robot);

/// Joint from its parent to its child with both ends placed; type and axes are left. An end that is refused
/// has an empty name.
JointDescription read_ends(Context& context, const Graph& graph, const Frame& frame);

/// Moves the joints into the robot so that every link hangs on "world": static links fixed, free ones under
/// floating joints, joints turned round where only their parent is left to be reached.
void span_world(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot);

}  // namespace grbda::sdf
