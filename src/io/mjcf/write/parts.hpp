#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grbda/mechanism.hpp"
#include "grbda/table.hpp"
#include "io/text/xml_text.hpp"
#include "io/write/findings.hpp"
#include "io/write/layout.hpp"
#include "io/write/split.hpp"

// The parts of write_mjcf, in the order of their construction:
// forms, constraints, roles, sensors, then the text.

namespace grbda::to_mjcf {

/// An element outside the bodies.
struct Line {
    const char* element;
    std::vector<std::pair<const char*, std::string>> attributes = {};
    std::vector<Line> children = {};

    Line& set(const char* name, std::string value) {
        attributes.emplace_back(name, std::move(value));
        return *this;
    }
    Line& set(const char* name, double value) { return set(name, xml::exact(value)); }
    Line& set(const char* name, const std::vector<double>& values);
};

struct Joint {
    writing::Part part;
    Pose frame;  ///< of the joint at q = 0, in the element
};

/// A <body>.
struct Element {
    std::string name;
    int body = world;  ///< the body that shares its frame
    std::vector<int>
        chain;           ///< bodies whose joints it has, the last one is `body`; those before it have no mass
    int parent = world;  ///< the body that shares the frame of its parent element
    Pose pose;           ///< at q = 0, in the parent
    std::optional<Inertial> inertia;  ///< in place of the body's, which has no mass
};

struct Site {
    std::string name;
    Pose placement;  ///< in the body
};

struct Robot {
    const Mechanism& mechanism;
    writing::Findings& findings;
    writing::Layout layout;
    Table<Element> elements = {};
    Table<std::vector<Joint>> joints = {};  ///< of each body
    Table<Pose> in_world = {};              ///< of each body at q = 0
    Table<std::vector<Site>> sites = {};    ///< of the world, then of each body
    writing::FreeNames site_names = {}, joint_names = {}, tendon_names = {}, equality_names = {},
                       actuator_names = {};
    std::vector<const MechanismBody*> driven = {};  ///< by each actuator
    std::vector<Line> assets = {}, contacts = {}, tendons = {}, equalities = {}, actuators = {}, keys = {},
                      sensors = {};

    const std::string& name_of(int body) const;
    Pose pose_of(int body) const { return body == world ? Pose() : in_world[body]; }
    /// The hinge or slide with this coordinate of a body's joint; nullptr for a ball or free joint.
    const Joint* scalar_joint(const MechanismTerm& term) const;
};

/// Makes elements and their joints; adds errors for bodies, joints and forces that MuJoCo does not support.
void make_elements(Robot& robot);
/// Makes a site for each frame that is not a body.
void make_sites(Robot& robot);
/// Makes loops and couplings, with the tendons and sites that they need.
void make_constraints(Robot& robot);
/// Adds a fixed tendon over these terms; returns nullptr after an error if one of them is no hinge or slide.
Line* add_tendon(Robot& robot, const std::vector<MechanismTerm>& terms, const std::string& kind,
                 const std::string& name, const SourceLocation& where);
/// Makes the sensors that MuJoCo supports at a site.
void make_sensors(Robot& robot);
/// Makes springs, dampers and friction along tendons, motors, keys, pairs without contact.
void make_roles(Robot& robot);

/// Shapes of a body, or of the world, as geoms; adds meshes to the assets.
std::vector<Line> geoms_of(Robot& robot, int body);

std::vector<double> numbers_of(const Eigen::Vector3d& vector);
/// w x y z.
std::vector<double> quaternion_of(const Eigen::Matrix3d& rotation);
void set_pose(const Pose& pose, Line& line);

void write(const Line& line, xml::Text& text);
void write_bodies(Robot& robot, xml::Text& text);

}  // namespace grbda::to_mjcf
