#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/includes.hpp"
#include "elements.hpp"

// Expands elements that represent others before anything is read: <include>, <attach>,
// <replicate>. The rest of the reader sees one model in one file; elements keep their
// source locations, and the settings of the model in which they were written.

namespace grbda::mjcf {

/// Names of elements to which others refer, such as "joint knee".
using NameSet = std::set<std::string>;
using Rename = std::function<std::string(const std::string&)>;

/// Collects the names of bodies, joints, sites and geoms in a tree.
void collect_names(pugi::xml_node top, NameSet& names);
/// Renames the elements of a tree; classes are unchanged if `classes` is empty.
void rename_tree(pugi::xml_node top, const Rename& rename, const Rename& classes);

enum class Refers { nowhere, inside, outside, both };

/// Names to which an element of <equality>, <tendon> or <actuator> refers.
Refers references(pugi::xml_node element, const NameSet& names);
/// Renames such an element, and its references to `names`.
void rename_reference(pugi::xml_node element, const NameSet& names, const Rename& rename);
/// "tendon t"; empty for elements that are not tendons or have no name.
std::string name_of_tendon(pugi::xml_node element);

/// Counts elements and attributes in a tree.
std::size_t count_elements(pugi::xml_node top);

/// Bodies and frames by name, such as "body thigh"; the first of each name.
using Places = std::map<std::string, pugi::xml_node>;

/// Adds those in a tree.
void add_places(pugi::xml_node top, Places& places);
/// Returns those of a model.
Places places_in(pugi::xml_node root);

inline constexpr const char* referring_sections[] = {"tendon", "equality", "actuator"};

/// Equalities, tendons and actuators by the names to which they
/// refer, so that each <attach> and <replicate> visits only its own.
class References {
public:
    /// Finds those that refer, or once referred, to one of the names, in a section of that name; in order.
    std::vector<pugi::xml_node> find(pugi::xml_node root, const char* section, const NameSet& names);
    /// Adds a new one, or one that now refers to other names.
    void add(pugi::xml_node element);

private:
    void fill(pugi::xml_node root);

    bool is_filled_ = false;
    std::vector<pugi::xml_node> elements_;
    std::map<pugi::xml_node, std::size_t> place_of_;             ///< in elements_
    std::map<std::string, std::vector<std::size_t>> referring_;  ///< "joint knee" → indices in elements_
};

/// A model, the robot's own or one to be attached, during its expansion.
struct Model {
    pugi::xml_node root;
    Includes::Place file;
    std::set<std::string> included;      ///< identities of its files, each included once
    std::vector<const Model*> around;    ///< nested models that attach each other, this one innermost
    std::vector<pugi::xml_node> assets;  ///< <model>s to be attached
    /// Default classes of a model attached to this one.
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

/// Expands all of a robot's model. Returns false after an error that prevents further reading.
bool expand(Context& context, Includes& includes);

bool write_out_includes(Context& context, Includes& includes, Model& model);

/// Reads the file that an element names and puts its
/// outermost element into `holder`; empty after an error.
pugi::xml_node read_file_of(Context& context, Includes& includes, const Includes::Place& place,
                            pugi::xml_node element, pugi::xml_node holder);

/// Called in the order of the file; elements inside are attached before.
bool attach(Context& context, Includes& includes, Model& model, pugi::xml_node element);

/// Called for the innermost element first.
bool replicate(Context& context, Model& model, pugi::xml_node element);

/// Reads and expands the file of an attached model.
bool expand_model(Context& context, Includes& includes, Model& model);

}  // namespace grbda::mjcf
