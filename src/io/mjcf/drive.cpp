#include <algorithm>
#include <numbers>

#include "actuators.hpp"

namespace grbda::mjcf {

namespace {

using Function = Drive::Function;
using Dynamics = Drive::Dynamics;

/// The word of an attribute; unknown words and those of other kinds count as `other`.
template <class Value>
void read_word(pugi::xml_node element, const char* attribute,
               std::initializer_list<std::pair<std::string_view, Value>> words, Value other, Value& value) {
    const std::string_view given = element.attribute(attribute).value();
    if (given.empty()) return;
    const auto* const word =
        std::find_if(words.begin(), words.end(), [&](const auto& entry) { return entry.first == given; });
    value = word == words.end() ? other : word->second;
}

/// The first numbers of an attribute; those beyond are kept.
void read_first(pugi::xml_node element, const char* attribute, std::array<double, 3>& values) {
    const auto given = parse_numbers(element.attribute(attribute).value());
    if (given) std::copy_n(given->begin(), std::min(given->size(), values.size()), values.begin());
}

void read_one(pugi::xml_node element, const char* attribute, double& value) {
    const auto given = parse_numbers(element.attribute(attribute).value());
    if (given && given->size() == 1) value = given->front();
}

void apply_general(pugi::xml_node element, Drive& drive) {
    read_word(element, "gaintype", {{"fixed", Function::fixed}, {"affine", Function::affine}},
              Function::other, drive.gain_type);
    read_word(element, "biastype", {{"none", Function::none}, {"affine", Function::affine}}, Function::other,
              drive.bias_type);
    read_word(element, "dyntype",
              {{"none", Dynamics::none},
               {"integrator", Dynamics::integrator},
               {"filter", Dynamics::filter},
               {"filterexact", Dynamics::exact_filter}},
              Dynamics::other, drive.dynamics);
    read_first(element, "gainprm", drive.gain);
    read_first(element, "biasprm", drive.bias);
}

/// A positive bias of l̇ is a damping ratio.
void apply_position(pugi::xml_node element, bool integrates, Drive& drive) {
    read_one(element, "kp", drive.gain[0]);
    drive.bias[1] = -drive.gain[0];
    if (element.attribute("kv")) {
        read_one(element, "kv", drive.bias[2]);
        drive.bias[2] *= -1;
    }
    read_one(element, "dampratio", drive.bias[2]);
    read_one(element, "inheritrange", drive.inherited_range);
    double time = 0;
    read_one(element, "timeconst", time);
    if (element.attribute("timeconst")) drive.dynamics = time == 0 ? Dynamics::none : Dynamics::exact_filter;
    if (drive.dynamics != Dynamics::exact_filter) drive.dynamics = Dynamics::none;
    drive.bias[0] = 0;
    if (integrates) drive.dynamics = Dynamics::integrator;
    drive.gain_type = Function::fixed;
    drive.bias_type = Function::affine;
}

void apply_cylinder(pugi::xml_node element, Drive& drive) {
    read_first(element, "bias", drive.bias);
    read_one(element, "area", drive.gain[0]);
    double diameter = -1;
    read_one(element, "diameter", diameter);
    if (diameter >= 0) drive.gain[0] = std::numbers::pi / 4 * diameter * diameter;
    drive = {Function::fixed, Function::affine, Dynamics::filter,
             drive.gain,      drive.bias,       drive.inherited_range};
}

void apply(pugi::xml_node element, Drive& drive) {
    const std::string_view kind = element.name();
    if (kind == "general") return apply_general(element, drive);
    if (kind == "position" || kind == "intvelocity")
        return apply_position(element, kind == "intvelocity", drive);
    if (kind == "cylinder") return apply_cylinder(element, drive);
    double kv = kind == "velocity" ? drive.gain[0] : 0;
    read_one(element, "kv", kv);
    if (kind == "motor" || kind == "adhesion")
        drive = {};
    else if (kind == "velocity")
        drive = {Function::fixed, Function::affine, Dynamics::none, {kv, 0, 0}, {0, 0, -kv}, 0};
    else if (kind == "damper")
        drive = {Function::affine, Function::none, Dynamics::none, {0, 0, -kv}, {}, 0};
    else
        drive.gain_type = drive.bias_type = Function::other;
}

/// The actuator of a default class; without a kind, none.
struct Default {
    std::string_view kind;
    Drive drive;
};

/// True if an actuator of this kind begins from it: its own kind, or <general> with gains like its own.
bool serves(const Default& given, std::string_view kind) {
    if (given.kind.empty()) return false;
    const bool is_plain =
        given.drive.gain_type == Function::fixed && given.drive.bias_type != Function::other;
    return kind == "general" || given.kind == kind || (given.kind == "general" && is_plain);
}

/// Returns the defaults of an actuator of this kind, from the innermost class that serves it.
Drive base_of(const std::vector<Default>& defaults, std::string_view kind) {
    const auto found = std::find_if(defaults.rbegin(), defaults.rend(),
                                    [&](const Default& each) { return serves(each, kind); });
    return found == defaults.rend() ? Drive() : found->drive;
}

}  // namespace

bool Drive::is_motor() const {
    return gain_type == Function::fixed && bias_type == Function::none && dynamics != Dynamics::other;
}

bool Drive::is_servo() const {
    return gain_type == Function::fixed && bias_type == Function::affine && dynamics != Dynamics::other;
}

Drive read_drive(Context& context, const Element& actuator) {
    constexpr std::size_t most_parameters = 10;  // wrong ones are reported
    for (const char* attribute : {"kp", "kv", "dampratio", "inheritrange", "timeconst", "area", "diameter"})
        context.some_numbers(actuator, attribute, 1);
    for (const char* attribute : {"gainprm", "biasprm", "bias"})
        context.some_numbers(actuator, attribute, most_parameters);
    std::vector<Default> defaults;
    for (const std::vector<pugi::xml_node>& elements :
         context.defaults.elements(actuator.defaults, actuator.kind)) {
        Default own;
        for (const pugi::xml_node element : elements) {
            const std::string_view kind = element.name();
            Drive drive = serves(own, kind) ? own.drive : base_of(defaults, kind);
            apply(element, drive);
            own = {kind, drive};
        }
        defaults.push_back(own);
    }
    Drive drive = base_of(defaults, actuator.node.name());
    apply(actuator.node, drive);
    return drive;
}

}  // namespace grbda::mjcf
