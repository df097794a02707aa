#include <algorithm>

#include "mjcf_elements.hpp"

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
        document.error(section, "three letters of x, y, z, X, Y and Z in eulerseq", "'" + *given + "'");
    }
}

void refuse_global_coordinates(xml::Document& document, pugi::xml_node section) {
    if (document.text(section, "coordinate").value_or("local") != "global") return;
    document.error(section, "local coordinates", "coordinate=\"global\"",
                   "MuJoCo before 2.3.4 turns such a file into one with local coordinates by saving it");
}

bool is_disabled(xml::Document& document, pugi::xml_node flags, const char* name) {
    const xml::Keywords<bool> words = {{"enable", false}, {"disable", true}};
    return document.keyword(flags, name, words).value_or(false);
}

}  // namespace

void read_compiler(Context& context, pugi::xml_node section) {
    xml::Document& document = context.document;
    Compiler& compiler = context.compiler;
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
    const bool in_fluid = document.number(section, "density").value_or(0) != 0 ||
                          document.number(section, "viscosity").value_or(0) != 0;
    if (in_fluid) document.report(Severity::note, section, "forces of the fluid are not applied", "a fluid");
    for (const pugi::xml_node flags : section.children("flag")) {
        if (is_disabled(document, flags, "gravity")) robot.gravity = Eigen::Vector3d::Zero();
        const bool constraints = is_disabled(document, flags, "constraint");
        if (is_disabled(document, flags, "equality") || constraints) context.compiler.equalities = false;
    }
}

}  // namespace grbda::mjcf
