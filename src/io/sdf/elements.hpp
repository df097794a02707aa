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

// The elements of SDF. A file is read in four steps, each in one or two source files:
//   sdf_include, sdf_merge    replace <include> by models of other files
//   sdf_values             numbers, flags, vectors and poses in the text of elements
//   sdf_graph, sdf_frames  scopes and names; resolved frames: the place and the carrier of each
//   sdf_link, sdf_shape, sdf_joint, sdf_coupling, sdf_tree   links, joints, couplings; the tree under "world"

namespace grbda::sdf {

inline constexpr const char* world_name = "world";

/// Repeated findings, reported once with the first few names.
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

/// Data on the whole file while its elements are read.
struct Context {
    xml::Document& document;
    Diagnostics& diagnostics;
    int version = 0;  ///< 6 of "1.6"
    NameHints hints = {};
    Findings without_inertial = {};
    Findings unkept_shapes = {};
    Includes* includes = nullptr;    ///< to read meshes that determine a mass
    std::vector<int> versions = {};  ///< of the files, if others are included

    /// The version of the file that contains the element.
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

/// Accepts the outermost element of an SDF file. Up to version 1.2 it may be called <gazebo>; it is renamed.
bool is_sdf(pugi::xml_node root);
/// 6 for "1.6"; −1 for other text.
int minor_version(const std::string& text);
/// Reads the version of the <sdf> at the top of a file; returns nothing after an error.
std::optional<int> read_version(Context& context, pugi::xml_node root);
/// Replaces each <include> by its models; returns false after an error.
bool write_out_includes(Context& context, Includes& includes);

/// Replaces an <include> with merge="true" by the parts of a model; returns false after an error.
bool merge(Context& context, pugi::xml_node element, pugi::xml_node model);

/// The text in an element, without comments, trimmed.
std::string text_of(pugi::xml_node element);
/// A child's text; empty without the child or without text in it. std::nullopt if it was refused.
std::optional<std::string> read_text(Context& context, pugi::xml_node element, const char* child);
std::optional<double> read_number(Context& context, pugi::xml_node element, const char* child,
                                  xml::Range range = xml::Range::finite);
std::optional<Eigen::Vector3d> read_vector(Context& context, pugi::xml_node element, const char* child);
bool read_flag(Context& context, pugi::xml_node element, const char* child);
bool read_flag_attribute(Context& context, pugi::xml_node element, const char* attribute);

/// The <pose> in an element; identity without one.
Pose read_pose(Context& context, pugi::xml_node element);
/// The frame to which the <pose> is relative; empty: the element's default.
std::string read_relative_to(Context& context, pugi::xml_node element);

enum class Kind { world, model, link, joint, frame };

/// Everything with a name and a pose, explicit <frame> or not.
struct Frame {
    Kind kind = Kind::frame;
    int scope = 0;     ///< that contains its name
    std::string name;  ///< in the robot: with a "::" scope if the name alone is ambiguous
    pugi::xml_node element;
    int inside = -1;   ///< of a model: its own scope
    int base = -1;     ///< frame that `pose` is relative to
    Pose pose;         ///< in the base
    int carrier = -1;  ///< frame it moves with; itself for links and the world; −1 if unknown
    Pose in_world;
    int body = -1;  ///< the link or world that carries it; −1 if unknown
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

    /// Finds the frame of that name from within a scope: its own names,
    /// "nested::name", "__model__", "world". Returns −1 if not found.
    int find(int scope, const std::string& name) const;
    /// The same; an unknown name is an error about `element`.
    int find(Context& context, int scope, const std::string& name, pugi::xml_node element,
             const std::string& role) const;
    bool is_static(const Frame& frame) const { return scope(frame.scope).is_static; }
};

/// Reports as errors elements of the mechanism that are misplaced, or belong to one program only.
void check_places(Context& context, pugi::xml_node root);
/// Worlds, models, links, joints and frames by name.
Graph read_graph(Context& context, pugi::xml_node root);
/// Computes where each frame is and what carries it.
void resolve_frames(Context& context, Graph& graph);

/// The models of the file: inside its world, or at the top level.
std::vector<pugi::xml_node> models_of(pugi::xml_node root);
pugi::xml_node world_of(Context& context, pugi::xml_node root);

/// <visual> and <collision> of a link.
void read_shapes(Context& context, const Graph& graph, const Frame& link,
                 std::vector<ShapeDescription>& shapes);
/// <sensor> of a link.
void read_sensors(Context& context, const Graph& graph, const Frame& link,
                  std::vector<SensorDescription>& sensors);
LinkDescription read_link(Context& context, const Graph& graph, const Frame& link);

/// Reads the axes of a joint, limits and the other content of <axis>.
void read_axes(Context& context, const Graph& graph, const Frame& frame, JointDescription& joint);
/// <axis> or <axis2> in the axes of `into`, normalized if valid; nothing if it is absent.
std::optional<Eigen::Vector3d> read_axis(Context& context, const Graph& graph, const Frame& joint,
                                         const char* child, const Pose& into);

/// Joints before they are added to the robot.
struct Joints {
    std::vector<JointDescription> moving;   ///< in document order
    std::vector<JointDescription> refused;  ///< without one of their ends
    std::vector<bool> must_close;           ///< of each: the file cuts the loop here
    std::vector<int> frames;                ///< of each, in the graph; −1 for one of a plugin
    std::vector<pugi::xml_node> motors;     ///< of each: its <drake:gear_ratio>, if any
    std::vector<int> gearboxes;             ///< in the graph
    std::unordered_map<std::string, std::vector<int>> above;  ///< link → joints
};

void read_joints(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot);
/// Connections and couplings by plugins; warns of others, and of unknown elements that name links or joints.
/// Call it after read_joints.
void read_plugins(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot);
/// <mimic> in <axis>.
void read_mimics(Context& context, const Graph& graph, const Frame& joint, RobotDescription& robot);
void add_gearboxes(Context& context, const Graph& graph, const Joints& joints, RobotDescription& robot);

/// A joint from its parent to its child with both ends placed;
/// without type and axes. An end that is refused has an empty name.
JointDescription read_ends(Context& context, const Graph& graph, const Frame& frame);

/// Moves the joints into the robot so that every link is connected to "world": static links fixed,
/// free ones by floating joints; a joint is reversed if only its parent is not reached yet.
void span_world(Context& context, const Graph& graph, Joints& joints, RobotDescription& robot);

}  // namespace grbda::sdf
