#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/includes.hpp"
#include "elements.hpp"

// Elements that stand for others are written out before anything is read: <include>, <attach>, <replicate>.
// What the rest of the reader sees is one model in one file; elements still know the places that they came
// from, and the settings of the model that they were written in.

namespace grbda::mjcf {

/// Names of elements that others refer to, as "joint knee".
using NameSet = std::set<std::string>;
using Rename = std::function<std::string(const std::string&)>;

/// Those of bodies, joints, sites and geoms in a tree.
void collect_names(pugi::xml_node top, NameSet& names);
/// Gives new names to what stands in a tree; classes are left where `classes` is empty.
void rename_tree(pugi::xml_node top, const Rename& rename, const Rename& classes);

enum class Refers { nowhere, inside, outside, both };

/// Where an element of <equality>, <tendon> or <actuator> refers to.
Refers references(pugi::xml_node element, const NameSet& names);
/// Gives new names to such an element, and to those of `names` that it refers to.
void rename_reference(pugi::xml_node element, const NameSet& names, const Rename& rename);
/// "tendon t"; empty for what has no name or is no tendon.
std::string name_of_tendon(pugi::xml_node element);

/// Elements and attributes in a tree.
std::size_t count_elements(pugi::xml_node top);

/// Bodies and frames by name, as "body thigh"; the first of each.
using Places = std::map<std::string, pugi::xml_node>;

/// Those in a tree.
void add_places(pugi::xml_node top, Places& places);
/// Those of a model.
Places places_in(pugi::xml_node root);

inline constexpr const char* referring_sections[] = {"tendon", "equality", "actuator"};

/// Equalities, tendons and actuators by the names that they refer to, so that each <attach> and <replicate>
/// looks at its own.
class References {
public:
    /// Those that refer to one of the names, or did so once, in a section of that name; in order.
    std::vector<pugi::xml_node> find(pugi::xml_node root, const char* section, const NameSet& names);
    /// A new one, or one that refers to other names now.
    void add(pugi::xml_node element);

private:
    void fill(pugi::xml_node root);

    bool is_filled_ = false;
    std::vector<pugi::xml_node> elements_;
    std::map<pugi::xml_node, std::size_t> place_of_;             ///< in elements_
    std::map<std::string, std::vector<std::size_t>> referring_;  ///< to "joint knee" → in elements_
};

/// A model, the robot's own or one to be attached, while it is written out.
struct Model {
    pugi::xml_node root;
    Includes::Place file;
    std::set<std::string> included;      ///< identities of its files, each of which it has once
    std::vector<const Model*> around;    ///< models that are attached by each other, this one innermost
    std::vector<pugi::xml_node> assets;  ///< <model>s to be attached
    /// Default classes of a model that is attached to this one.
    struct Classes {
        std::string outermost;  ///< under its new name
        std::string identity;   ///< of the model
        std::vector<pugi::xml_node> sections;
    };
    std::vector<Classes> classes;
    Places places;
    References references;
    std::size_t index = 0;  ///< 0: the robot's own; else 1 + index in Context::attached
};

/// Writes out all of a robot's model. False: an error was reported after which the rest is not to be read.
bool expand(Context& context, Includes& includes);

bool write_out_includes(Context& context, Includes& includes, Model& model);

/// Reads the file that an element asks for and puts its outermost element into `holder`; empty after an
/// error.
pugi::xml_node read_file_of(Context& context, Includes& includes, const Includes::Place& place,
                            pugi::xml_node element, pugi::xml_node holder);

/// Called in the order of the file; whatever stands inside is attached already.
bool attach(Context& context, Includes& includes, Model& model, pugi::xml_node element);

/// Called for the innermost first.
bool replicate(Context& context, Model& model, pugi::xml_node element);

/// Reads the file of an attached model and writes it out, whole.
bool expand_model(Context& context, Includes& includes, Model& model);

}  // namespace grbda::mjcf
