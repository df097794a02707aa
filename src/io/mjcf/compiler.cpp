#include <algorithm>

#include "elements.hpp"

namespace grbda::mjcf {

namespace {

constexpr double radians_per_degree = 0.017453292519943295;

void read_euler_sequence(xml::Document& document, pugi::xml_node section, std::string& sequence) {
    const std::optional<std::string> given = document.text(section, "eulerseq");
    if (!given) return;
    const bool good = given->size() == 3 && given->find_first_not_of("xyzXYZ") == std::string::npos;
    if (good) {
        sequence = *given;
    } else {
        document.error(Code::unknown_word, section, "three letters of x, y, z, X, Y and Z in eulerseq",
                       "'" + *given + "'");
    }
}

void refuse_global_coordinates(xml::Document& document, pugi::xml_node section) {
    if (document.text(section, "coordinate").value_or("local") != "global") return;
    document.error(Code::unsupported, section, "local coordinates", "coordinate=\"global\"",
                   "MuJoCo 2.3.3 or older writes the file with local coordinates: "
                   "pip install mujoco==2.3.3, then in Python "
                   "mujoco.mj_saveLastXML('local.xml', mujoco.MjModel.from_xml_path('robot.xml'))");
}

bool is_disabled(xml::Document& document, pugi::xml_node flags, const char* name) {
    const xml::Keywords<bool> words = {{"enable", false}, {"disable", true}};
    return document.keyword(flags, name, words).value_or(false);
}

/// Without springs and dampers, MuJoCo also disables the other passive forces.
void read_force_flags(xml::Document& document, pugi::xml_node flags, Compiler& compiler) {
    const bool none = is_disabled(document, flags, "passive");
    if (none || is_disabled(document, flags, "spring")) compiler.has_springs = false;
    if (none || is_disabled(document, flags, "damper")) compiler.has_dampers = false;
    if (!compiler.has_springs && !compiler.has_dampers)
        compiler.has_compensation = compiler.has_fluid = false;
    if (is_disabled(document, flags, "actuation")) compiler.has_actuation = false;
}

}  // namespace

void read_compiler(Context& context, pugi::xml_node section, Compiler& compiler) {
    xml::Document& document = context.document;
    const Element element{section};
    using FromGeoms = Compiler::InertiaFromGeoms;
    const xml::Keywords<double> units = {{"degree", radians_per_degree}, {"radian", 1.0}};
    const xml::Keywords<FromGeoms> from_geoms = {
        {"false", FromGeoms::never}, {"true", FromGeoms::always}, {"auto", FromGeoms::without_inertial}};
    compiler.angle_unit = document.keyword(section, "angle", units).value_or(compiler.angle_unit);
    compiler.inertia_from_geoms =
        document.keyword(section, "inertiafromgeom", from_geoms).value_or(compiler.inertia_from_geoms);
    read_euler_sequence(document, section, compiler.euler_sequence);
    refuse_global_coordinates(document, section);
    compiler.automatic_limits = context.flag(element, "autolimits", compiler.automatic_limits);
    compiler.balance_inertia = context.flag(element, "balanceinertia", compiler.balance_inertia);
    compiler.align_free_bodies = context.flag(element, "alignfree", compiler.align_free_bodies);
    for (const char* folder : {"assetdir", "meshdir"})
        compiler.mesh_folder = document.text(section, folder).value_or(compiler.mesh_folder);
    compiler.exact_meshes = context.flag(element, "exactmeshinertia", compiler.exact_meshes);
    compiler.strip_path = context.flag(element, "strippath", compiler.strip_path);
    if (const auto groups = document.numbers(section, "inertiagrouprange", 2)) {
        compiler.first_group = (*groups)[0];
        compiler.last_group = (*groups)[1];
    }
    compiler.least_mass = document.number(section, "boundmass").value_or(compiler.least_mass);
    compiler.least_inertia = document.number(section, "boundinertia").value_or(compiler.least_inertia);
    compiler.total_mass = document.number(section, "settotalmass").value_or(compiler.total_mass);
}

void read_option(Context& context, pugi::xml_node section, RobotDescription& robot) {
    xml::Document& document = context.document;
    if (const auto gravity = document.numbers(section, "gravity", 3)) {
        robot.gravity = Eigen::Vector3d(gravity->data());
    }
    const bool has_density = document.number(section, "density").value_or(0) != 0;
    const bool has_viscosity = document.number(section, "viscosity").value_or(0) != 0;
    for (const pugi::xml_node flags : section.children("flag")) {
        if (is_disabled(document, flags, "gravity")) robot.gravity = Eigen::Vector3d::Zero();
        const bool constraints = is_disabled(document, flags, "constraint");
        if (is_disabled(document, flags, "equality") || constraints) context.compiler.equalities = false;
        if (is_disabled(document, flags, "frictionloss") || constraints)
            context.compiler.has_friction = false;
        read_force_flags(document, flags, context.compiler);
    }
    if (!(has_density || has_viscosity) || !context.compiler.has_fluid) return;
    document.report_left_out(section, "a robot that no fluid surrounds",
                             has_density ? "a density" : "a viscosity",
                             "the forces of the fluid are left out");
}

}  // namespace grbda::mjcf
