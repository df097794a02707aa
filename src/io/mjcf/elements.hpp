#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "description/name_index.hpp"
#include "grbda/description.hpp"
#include "grbda/table.hpp"
#include "io/includes.hpp"
#include "io/solid.hpp"
#include "io/text/xml.hpp"

// The elements of MJCF, one function each. Angles are radians and quaternions x y z w from here on, whatever
// the file has. The "reference pose" is that of the file: every joint at its `ref`.

namespace grbda::mjcf {

/// <compiler>, and what <option> says of the mechanism.
struct Compiler {
    double angle_unit = 0.017453292519943295;  ///< rad
    std::string euler_sequence = "xyz";
    bool automatic_limits = true;
    enum class InertiaFromGeoms { never, always, without_inertial };
    InertiaFromGeoms inertia_from_geoms = InertiaFromGeoms::without_inertial;
    double first_group = 0;  ///< of the geoms that have mass
    double last_group = 5;
    double least_mass = 0;
    double least_inertia = 0;
    bool balance_inertia = false;
    double total_mass = -1;  ///< not positive: as it comes
    bool align_free_bodies = false;
    std::string mesh_folder;  ///< of files of meshes; may be empty
    bool strip_path = false;  ///< of these files the last part of the name counts
    bool equalities = true;
    // of <option><flag>
    bool has_springs = true;
    bool has_dampers = true;
    bool has_friction = true;
    bool has_compensation = true;
    bool has_fluid = true;
    bool has_actuation = true;
};

/// An element and the default class that completes it.
struct Element {
    static constexpr int no_class = -1;
    pugi::xml_node node;
    int defaults = no_class;
    const char* kind = "";  ///< element in a default class that completes it
};

/// A set of names that does not cost more than linear time, however many of them are wrong.
class Names {
public:
    explicit Names(const char* kind) : kind_(kind) {}

    /// A second one of that name is an error. An empty name is none.
    void declare(xml::Document& document, pugi::xml_node element);
    /// `wanted`, or with a number behind it where it is taken; taken from now on.
    std::string unused(const std::string& wanted);
    bool contains(const std::string& name) const { return entries_.count(name) != 0; }
    void set(const std::string& name, int index) { entries_[name].index = index; }
    /// The index of the thing that an attribute names; without one, an error.
    std::optional<int> find(xml::Document& document, pugi::xml_node element, const char* attribute) const;

private:
    struct Entry {
        int index = -1;
        pugi::xml_node element;
    };
    const char* kind_;
    std::unordered_map<std::string, Entry> entries_;
    std::unordered_map<std::string, int> next_number_;
    mutable NameHints hints_;
};

/// The tree of default classes; class 0 is the outermost, which every element has that names no other.
class Defaults {
public:
    Defaults();
    /// Several <default> sections are one.
    void read(xml::Document& document, pugi::xml_node section);
    /// The outermost class of an attached model: one of its own, without those of the robot's model.
    void read_apart(xml::Document& document, const std::string& name,
                    const std::vector<pugi::xml_node>& sections);
    /// The class that an attribute of an element names, else `otherwise`.
    int class_of(xml::Document& document, pugi::xml_node element, const char* attribute, int otherwise) const;
    /// Where an attribute stands for elements of this kind: in the class or those around it; may be empty.
    /// `index` becomes the class around the one that has it.
    pugi::xml_node source(int& index, const char* kind, const char* attribute) const;

private:
    struct Class {
        int parent = Element::no_class;
        std::map<std::string, std::map<std::string_view, pugi::xml_node>> kinds;
    };
    void read(xml::Document& document, pugi::xml_node section, int outermost);
    void add(xml::Document& document, pugi::xml_node element, int parent, std::vector<Element>& pending);

    std::vector<Class> classes_;
    Names names_{"default class"};
};

/// What a file has many of, told once.
struct Finding {
    pugi::xml_node first;
    std::vector<std::string> names;
    void add(pugi::xml_node node, const std::string& name) {
        if (names.empty()) first = node;
        names.push_back(name);
    }
};

/// Forces that cannot be kept.
struct Summary {
    Finding nonlinear, tuned;  ///< joints and tendons
    Finding spatial;           ///< tendons
    Finding acting;            ///< actuators that act at zero control
    Finding plugins, flexes;
    Finding unkept;  ///< geoms that are no shapes here
    Finding pairs;   ///< of geoms that touch whatever their masks are
    Finding condim;  ///< of geoms whose contacts would have no friction, or torsional and rolling friction
    Finding bouncy;  ///< geoms from which others would rebound
};

/// What geoms refer to by name.
struct Assets {
    std::unordered_map<std::string, Element> meshes, materials;
};

/// What a mesh encloses, or why that is not known.
struct KnownMesh {
    std::optional<MeshSolid> solid;
    std::string found;
};

/// What is known of the whole file while its elements are read.
struct Context {
    xml::Document& document;
    Compiler compiler;
    Defaults defaults;
    Summary summary;
    Assets assets = {};
    std::vector<std::pair<std::size_t, double>> compensated = {};  ///< link, share of its weight
    std::vector<Compiler> attached = {};                           ///< of models that are attached
    std::vector<std::size_t> model_of_file = {};   ///< 0: the robot's; else 1 + index in `attached`
    std::vector<std::size_t> depth_of_file = {0};  ///< how many files it stands in

    Includes* includes = nullptr;                  ///< to read meshes that tell a mass
    std::map<std::string, KnownMesh> solids = {};  ///< by address and scale

    /// That of the model which the element was written in.
    const Compiler& compiler_of(pugi::xml_node node) const {
        const std::size_t model = attached.empty() ? 0 : model_of_file[document.file_of(node)];
        return model == 0 ? compiler : attached[model - 1];
    }

    Element element(pugi::xml_node node, const char* kind, int childclass = 0) {
        return {node, defaults.class_of(document, node, "class", childclass), kind};
    }
    /// The element itself where it has the attribute, else that of its default class which has it.
    pugi::xml_node source(const Element& element, const char* attribute) const;
    bool has(const Element& element, const char* attribute) const {
        return !source(element, attribute).attribute(attribute).empty();
    }
    std::optional<double> number(const Element& element, const char* attribute);
    std::optional<std::vector<double>> numbers(const Element& element, const char* attribute,
                                               std::size_t count);
    /// At most `most` numbers. Of an attribute that is shorter than that of the class around its own, the
    /// rest counts, as MuJoCo has it.
    std::optional<std::vector<double>> some_numbers(const Element& element, const char* attribute,
                                                    std::size_t most, Severity severity = Severity::error);
    template <class Value>
    std::optional<Value> keyword(const Element& element, const char* attribute,
                                 const xml::Keywords<Value>& keywords) {
        const pugi::xml_node from = source(element, attribute);
        const std::optional<Value> value = document.keyword(from, attribute, keywords);
        // A class is read once for each of its elements; its mistakes are reported once.
        if (!value) document.refuse(from.attribute(attribute));
        return value;
    }
    bool flag(const Element& element, const char* attribute, bool otherwise);
    /// The element that has the attribute, and what it says: for messages.
    void error(Code code, const Element& element, const char* attribute, std::string expected,
               std::string hint = {});
};

struct Body {
    pugi::xml_node element;
    std::string link;
    Pose in_world;    ///< at the reference pose
    int carrier = 0;  ///< the body with joints that carries this one rigidly, itself perhaps; 0: the world
    double carried_mass = 0;  ///< of a carrier: its own and that of all that it carries
};

struct Joint {
    std::size_t index = 0;          ///< in RobotDescription::joints
    std::vector<double> reference;  ///< position of the reference pose
    double spring = 0;              ///< springref
};

struct Site {
    int body = 0;
    Pose in_body;
};

/// The kinematic tree as the file has it.
struct Tree {
    std::vector<Body> bodies;   ///< 0 is the world; document order
    std::vector<Joint> joints;  ///< in the order of qpos
    std::vector<Site> sites;
    Names body_names{"body"};
    Names joint_names{"joint"};
    Names site_names{"site"};
    Names frame_names{"link or frame"};  ///< of the description: links and frames
};

/// An element in a body, maybe within frames.
struct Item {
    pugi::xml_node node;
    Pose frame;  ///< of the innermost <frame>, in the body
    int childclass = 0;
};

/// Elements of the mechanism where MJCF has no place for them are errors; a file without bodies is a warning.
void check_places(xml::Document& document);

void read_compiler(Context& context, pugi::xml_node section, Compiler& compiler);
void read_option(Context& context, pugi::xml_node section, RobotDescription& robot);

/// pos and one of quat, axisangle, euler, xyaxes and zaxis.
Pose read_pose(Context& context, const Element& element);
Eigen::Matrix3d read_rotation(Context& context, const Element& element);
/// Angles as a file with these settings has them.
Eigen::Matrix3d from_euler(const Compiler& compiler, const Eigen::Vector3d& angles);
/// The pose of a capsule or another long thing given by fromto, and half its length; empty without fromto.
std::optional<Pose> read_fromto(Context& context, const Element& element, double& half_length);

/// Adds links, joints and frames to the robot, the positions of the reference pose to its start.
void read_tree(Context& context, Tree& tree, RobotDescription& robot);

/// What one <joint> or <freejoint> says, but for its parent and child. `body` is placed in its parent.
JointDescription read_joint(Context& context, const Item& item, const Pose& body, Joint& joint);

/// Spring, damper and dry friction of a joint with a type and a reference.
void read_joint_forces(Context& context, const Element& element, JointDescription& joint, Joint& reference);

/// A <geom>, placed in its body.
struct Geom {
    Element element;
    ShapeKind kind = ShapeKind::sphere;
    bool is_height_field = false;
    bool has_mesh = false;  ///< it is a mesh, or its size is that of one
    bool refused = false;   ///< an error has been reported
    Pose pose;
    Eigen::Vector3d size = Eigen::Vector3d::Ones();  ///< with half lengths; not of planes and meshes
};
/// Those among the elements of a body.
std::vector<Geom> read_geoms(Context& context, const std::vector<Item>& items);

/// Without a name of its own, that of its file: "foot" of "meshes/foot.stl".
std::string mesh_name(pugi::xml_node mesh);
/// Meshes and materials.
void read_assets(Context& context);
/// File and scale of the mesh that a geom names. It is moved by refpos and refquat before it is scaled, which
/// becomes part of the pose. Empty: no file, or a turn that a scale shears.
std::optional<Shape> read_mesh(Context& context, const Element& geom, Pose& pose);
/// Numbers above zero, which MJCF has as half lengths.
Eigen::Vector3d whole_size(ShapeKind kind, const Eigen::Vector3d& half);
/// Adds the geoms of a body to its link.
void add_shapes(Context& context, const std::vector<Geom>& geoms, LinkDescription& link);
/// A note of geoms that are no shapes.
void report_shapes(Context& context);

/// The mass of a body as far as the file tells.
struct Mass {
    std::optional<Inertial> inertial;
    FigurePlaces places;     ///< where an element says them
    pugi::xml_node mesh;     ///< a geom whose mesh does not tell its mass; may be empty
    std::string mesh_found;  ///< why it does not
    bool refused = false;    ///< an error has been reported, from which a lack of mass may follow
};
Mass read_mass(Context& context, pugi::xml_node body, const std::vector<Item>& items,
               const std::vector<Geom>& geoms);
void set_total_mass(const Compiler& compiler, RobotDescription& robot);

struct Tendon {
    pugi::xml_node element;
    bool fixed = false;
    std::vector<LinearTerm> terms;
    std::vector<int> sites;  ///< of a spatial one that goes straight from one to another; else none
    double reference = 0;    ///< length at the reference pose
};
struct Tendons {
    std::vector<Tendon> entries;
    Names names{"tendon"};
};
void read_tendons(Context& context, const Tree& tree, RobotDescription& robot, Tendons& tendons);
/// Spring, damper and dry friction of a tendon.
void add_tendon_forces(Context& context, const Tree& tree, const std::string& name, const Tendon& tendon,
                       RobotDescription& robot);
/// Of bodies whose mass is final.
void add_gravity_compensation(const Context& context, RobotDescription& robot);
/// Counts an actuator among those whose forces are left out, if it is one.
void look_at_actuator(Context& context, const Element& actuator);
/// Warnings for what cannot be kept.
void report_left_out_forces(Context& context);
/// <exclude> of <contact>.
void read_excluded_pairs(Context& context, const Tree& tree, RobotDescription& robot);
void read_equalities(Context& context, const Tree& tree, const Tendons& tendons, RobotDescription& robot);

void read_actuators(Context& context, const Tree& tree, RobotDescription& robot);
void read_keyframes(Context& context, const Tree& tree, RobotDescription& robot);
/// Sensors at sites and in the frames of bodies.
void read_sensors(Context& context, const Tree& tree, RobotDescription& robot);

/// The joint that an attribute names; anything but a hinge or slide is an error.
const Joint* find_scalar_joint(Context& context, const Tree& tree, const RobotDescription& robot,
                               pugi::xml_node element, const char* attribute);

/// "a, b, c and 7 more".
std::string listed(const std::vector<std::string>& names);

}  // namespace grbda::mjcf
