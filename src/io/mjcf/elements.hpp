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
#include "io/solids/mesh_solid.hpp"
#include "io/text/xml.hpp"

// The elements of MJCF, with one function each. Below, angles are in radians and quaternions are x y
// z w, whatever the file uses. The "reference pose" is that of the file: every joint at its `ref`.

namespace grbda::mjcf {

/// <compiler>, and the parts of <option> that concern the mechanism.
struct Compiler {
    double angle_unit = 0.017453292519943295;  ///< rad
    std::string euler_sequence = "xyz";
    bool automatic_limits = true;
    enum class InertiaFromGeoms { never, always, without_inertial };
    InertiaFromGeoms inertia_from_geoms = InertiaFromGeoms::without_inertial;
    double first_group = 0;  ///< of the geoms with mass
    double last_group = 5;
    double least_mass = 0;
    double least_inertia = 0;
    bool balance_inertia = false;
    double total_mass = -1;  ///< not positive: not rescaled
    bool align_free_bodies = false;
    std::string mesh_folder;    ///< of files of meshes; may be empty
    bool strip_path = false;    ///< use only the last part of their names
    bool exact_meshes = false;  ///< rule of a mesh that names none; otherwise legacy
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

/// A set of names with linear total cost, even if many lookups fail.
class Names {
public:
    explicit Names(const char* kind) : kind_(kind) {}

    /// A repeated name is an error. An empty name is ignored.
    void declare(xml::Document& document, pugi::xml_node element);
    /// Returns `wanted`, with a number appended if it is in use, and reserves it.
    std::string unused(const std::string& wanted);
    bool contains(const std::string& name) const { return entries_.count(name) != 0; }
    void set(const std::string& name, int index) { entries_[name].index = index; }
    /// Index of the object that an attribute names; without one, an error.
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

/// The tree of default classes; class 0 is the outermost, for elements that name no other.
class Defaults {
public:
    Defaults();
    /// Merges several <default> sections into one.
    void read(xml::Document& document, pugi::xml_node section);
    /// Adds the outermost class of an attached model as a separate class, without those of the robot's model.
    void read_apart(xml::Document& document, const std::string& name,
                    const std::vector<pugi::xml_node>& sections);
    /// The class that an attribute of an element names, otherwise `otherwise`.
    int class_of(xml::Document& document, pugi::xml_node element, const char* attribute, int otherwise) const;
    /// Finds an attribute for elements of this kind in the class or its parents;
    /// may be empty. `index` becomes the parent of the class where it was found.
    pugi::xml_node source(int& index, const char* kind, const char* attribute) const;
    /// The elements of this kind in the parents of the class and in itself, from the outermost one on.
    std::vector<std::vector<pugi::xml_node>> elements(int index, const char* kind) const;

private:
    struct Class {
        int parent = Element::no_class;
        std::map<std::string, std::map<std::string_view, pugi::xml_node>> kinds;
        std::map<std::string, std::vector<pugi::xml_node>> elements = {};  ///< of each kind, in order
    };
    void read(xml::Document& document, pugi::xml_node section, int outermost);
    void add(xml::Document& document, pugi::xml_node element, int parent, std::vector<Element>& pending);

    std::vector<Class> classes_;
    Names names_{"default class"};
};

/// A repeated finding, reported once.
struct Finding {
    pugi::xml_node first;
    std::vector<std::string> names;
    void add(pugi::xml_node node, const std::string& name) {
        if (names.empty()) first = node;
        names.push_back(name);
    }
};

/// Forces that cannot be represented.
struct Summary {
    Finding nonlinear, tuned;  ///< joints and tendons
    Finding spatial;           ///< tendons
    Finding acting;            ///< actuators that act at zero control
    Finding filtered;          ///< servos whose targets follow their controls with a delay
    Finding plugins, flexes;
    Finding unkept;  ///< geoms without a supported shape
    Finding pairs;   ///< of geoms that touch independently of their masks
    Finding condim;  ///< of geoms whose contacts have no friction, or also torsional and rolling friction
    Finding bouncy;  ///< geoms from which others rebound
};

/// Assets to which geoms refer by name.
struct Assets {
    std::unordered_map<std::string, Element> meshes, materials;
};

/// Attributes such as limited: "auto" leaves it to the range.
enum class Limited { no, yes, automatic };
inline const xml::Keywords<Limited> limited_words = {
    {"false", Limited::no}, {"true", Limited::yes}, {"auto", Limited::automatic}};

/// The inertial of a mesh by its rule, or the reason why it is unknown.
struct KnownMesh {
    std::string name;                  ///< as in messages
    std::optional<Inertial> inertial;  ///< of density 1, in the frame of the geom
    std::optional<Inertial>
        exact;  ///< of the enclosed solid, if it deviates from that by more than a percent
    std::string found;
};

/// Data on the whole file while its elements are read.
struct Context {
    xml::Document& document;
    Compiler compiler;
    Defaults defaults;
    Summary summary;
    Assets assets = {};
    std::vector<std::pair<std::size_t, double>> compensated = {};  ///< link, share of its weight
    std::vector<Compiler> attached = {};                           ///< of attached models
    std::vector<std::size_t> model_of_file = {};   ///< 0: the robot's; else 1 + index in `attached`
    std::vector<std::size_t> depth_of_file = {0};  ///< level of inclusion

    Includes* includes = nullptr;  ///< to read meshes that determine a mass
    std::map<std::pair<std::string, MeshMass>, KnownMesh> known_meshes = {};  ///< by name and rule

    /// The settings of the model in which the element was written.
    const Compiler& compiler_of(pugi::xml_node node) const {
        const std::size_t model = attached.empty() ? 0 : model_of_file[document.file_of(node)];
        return model == 0 ? compiler : attached[model - 1];
    }

    Element element(pugi::xml_node node, const char* kind, int childclass = 0) {
        return {node, defaults.class_of(document, node, "class", childclass), kind};
    }
    /// Returns the element itself if it has the attribute, otherwise the default class that has it.
    pugi::xml_node source(const Element& element, const char* attribute) const;
    bool has(const Element& element, const char* attribute) const {
        return !source(element, attribute).attribute(attribute).empty();
    }
    std::optional<double> number(const Element& element, const char* attribute);
    std::optional<std::vector<double>> numbers(const Element& element, const char* attribute,
                                               std::size_t count);
    /// Reads at most `most` numbers. If an attribute is shorter than that
    /// of the parent class, the parent's values complete it, as in MuJoCo.
    std::optional<std::vector<double>> some_numbers(const Element& element, const char* attribute,
                                                    std::size_t most, Severity severity = Severity::error);
    template <class Value>
    std::optional<Value> keyword(const Element& element, const char* attribute,
                                 const xml::Keywords<Value>& keywords) {
        const pugi::xml_node from = source(element, attribute);
        const std::optional<Value> value = document.keyword(from, attribute, keywords);
        // A class is read once per element that uses it; its mistakes are reported once.
        if (!value) document.refuse(from.attribute(attribute));
        return value;
    }
    bool flag(const Element& element, const char* attribute, bool otherwise);
    /// True if the attribute is "true", or left to the range under automatic limits.
    bool limited(const Element& element, const char* attribute, bool has_range);
    /// Reports the element that has the attribute, with its value.
    void error(Code code, const Element& element, const char* attribute, std::string expected,
               std::string hint = {});
};

struct Body {
    pugi::xml_node element;
    std::string link;
    Pose in_world;            ///< at the reference pose
    int carrier = 0;          ///< the body with joints that carries this one rigidly, or itself; 0: the world
    double carried_mass = 0;  ///< of a carrier: with all bodies that it carries
    bool is_mocap = false;    ///< a mocap body, or fixed to one
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

/// The kinematic tree as in the file.
struct Tree {
    std::vector<Body> bodies;   ///< 0 is the world; document order
    std::vector<Joint> joints;  ///< in the order of qpos
    std::vector<Site> sites;
    Names body_names{"body"};
    Names joint_names{"joint"};
    Names site_names{"site"};
    Names frame_names{"link or frame"};  ///< of the description: links and frames
};

/// An element in a body, possibly inside frames.
struct Item {
    pugi::xml_node node;
    Pose frame;  ///< of the innermost <frame>, in the body
    int childclass = 0;
};

/// Reports misplaced elements of the mechanism as errors; a file without bodies is a warning.
void check_places(xml::Document& document);

void read_compiler(Context& context, pugi::xml_node section, Compiler& compiler);
void read_option(Context& context, pugi::xml_node section, RobotDescription& robot);

/// pos and one of quat, axisangle, euler, xyaxes and zaxis.
Pose read_pose(Context& context, const Element& element);
Eigen::Matrix3d read_rotation(Context& context, const Element& element);
/// Interprets angles by the settings of the file.
Eigen::Matrix3d from_euler(const Compiler& compiler, const Eigen::Vector3d& angles);
/// The pose of a capsule or another long shape from fromto, and half its length; empty without fromto.
std::optional<Pose> read_fromto(Context& context, const Element& element, double& half_length);

/// Adds links, joints and frames to the robot, and the positions of the reference pose to its start.
void read_tree(Context& context, Tree& tree, RobotDescription& robot);

/// Reads one <joint> or <freejoint>, without its parent and child. `body` is its pose in the parent.
JointDescription read_joint(Context& context, const Item& item, const Pose& body, Joint& joint);

/// Reads spring, damper and dry friction of a joint with a type and a reference.
void read_joint_forces(Context& context, const Element& element, JointDescription& joint, Joint& reference);

/// A <geom>, placed in its body.
struct Geom {
    Element element;
    ShapeKind kind = ShapeKind::sphere;
    bool is_height_field = false;
    bool has_mesh = false;  ///< it is a mesh, or its size comes from one
    bool refused = false;   ///< an error has been reported
    Pose pose;
    Eigen::Vector3d size = Eigen::Vector3d::Ones();  ///< half lengths; unused for planes and meshes
};
/// Reads those among the elements of a body.
std::vector<Geom> read_geoms(Context& context, const std::vector<Item>& items);

/// Without its own name, a mesh has that of its file: "foot" for "meshes/foot.stl".
std::string mesh_name(pugi::xml_node mesh);
/// Reads meshes and materials.
void read_assets(Context& context);
/// File and scale of the mesh that a geom names. refpos and refquat move it before the scale applies;
/// they become part of the pose. Empty if it has no file, or if the scale would shear a rotated mesh.
std::optional<Shape> read_mesh(Context& context, const Element& geom, Pose& pose);
/// The address of the file of a mesh; empty without a file.
std::string mesh_address(Context& context, const Element& mesh);
/// A mesh is moved by the inverse of a reference pose, then scaled.
struct MeshPlacement {
    Pose reference;
    Eigen::Vector3d scale = Eigen::Vector3d::Ones();
};
MeshPlacement read_placement(Context& context, const Element& mesh);
/// Doubles sizes, which MJCF states as half lengths.
Eigen::Vector3d whole_size(ShapeKind kind, const Eigen::Vector3d& half);
/// Adds the geoms of a body to its link.
void add_shapes(Context& context, const std::vector<Geom>& geoms, LinkDescription& link);
/// Adds a note on geoms that have no supported shape.
void report_shapes(Context& context);

/// The mass of a body, as far as the file determines it.
struct Mass {
    std::optional<Inertial> inertial;
    FigurePlaces places;     ///< source locations of the element's values
    pugi::xml_node mesh;     ///< a geom whose mesh does not determine its mass; may be empty
    std::string mesh_found;  ///< the reason
    bool refused = false;    ///< an error has been reported that may cause a lack of mass
};
/// The mass in the file; without one, from the density and the volume, or the area of a shell.
double read_geom_mass(Context& context, const Element& geom, double volume);
/// The body of a geom that is a mesh. Empty if its mesh does not determine the mass, with the reason in
/// `found`.
std::optional<Inertial> read_mesh_mass(Context& context, const Geom& geom, std::string& found);
Mass read_mass(Context& context, pugi::xml_node body, const std::vector<Item>& items,
               const std::vector<Geom>& geoms);
void set_total_mass(const Compiler& compiler, RobotDescription& robot);

struct Tendon {
    pugi::xml_node element;
    bool fixed = false;
    std::vector<LinearTerm> terms;
    std::vector<int> sites;  ///< of a spatial tendon along a straight line between two sites; otherwise empty
    double reference = 0;    ///< length at the reference pose
};
struct Tendons {
    std::vector<Tendon> entries;
    Names names{"tendon"};
};
void read_tendons(Context& context, const Tree& tree, RobotDescription& robot, Tendons& tendons);
/// Adds spring, damper and dry friction of a tendon.
void add_tendon_forces(Context& context, const Tree& tree, const std::string& name, const Tendon& tendon,
                       RobotDescription& robot);
/// Call it when the masses of bodies are final.
void add_gravity_compensation(const Context& context, RobotDescription& robot);
/// Adds warnings about what cannot be represented.
void report_left_out_forces(Context& context);
/// <exclude> of <contact>.
void read_excluded_pairs(Context& context, const Tree& tree, RobotDescription& robot);
void read_equalities(Context& context, const Tree& tree, const Tendons& tendons, RobotDescription& robot);

struct Actuator;
/// Reads motors and servos; returns all actuators, in the order of ctrl.
std::vector<Actuator> read_actuators(Context& context, const Tree& tree, const Tendons& tendons,
                                     RobotDescription& robot);
void read_keyframes(Context& context, const Tree& tree, const std::vector<Actuator>& actuators,
                    RobotDescription& robot);
/// Sensors at sites and in the frames of bodies.
void read_sensors(Context& context, const Tree& tree, RobotDescription& robot);

/// The joint that an attribute names; an error if it is not a hinge or slide.
const Joint* find_scalar_joint(Context& context, const Tree& tree, const RobotDescription& robot,
                               pugi::xml_node element, const char* attribute);

/// "a, b, c and 7 more".
std::string listed(const std::vector<std::string>& names);

}  // namespace grbda::mjcf
