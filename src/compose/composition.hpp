#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grbda/compose.hpp"

// The steps of compose(), one source file each:
//   compose     the steps in order
//   rename      adds a prefix to every name
//   names       finds names that several parts share
//   attach      attaches each part to its parent
//   statements  merges statements on the whole robot: ratios, motors, gravity, collision masks

namespace grbda::composing {

/// The parts as given, as renamed so far, and the result.
struct Composition {
    const std::vector<RobotPart>& given;
    Diagnostics& diagnostics;
    std::vector<RobotDescription> robots;  ///< of each part, names with prefix
    RobotDescription whole;

    /// "part 2 (prefix 'left_')"; a part's name is its number
    Subject subject_of(std::size_t part) const;
    void report(Severity severity, Code code, std::size_t part, std::string expected, std::string found,
                std::string hint = {});
    void error(Code code, std::size_t part, std::string expected, std::string found, std::string hint = {}) {
        report(Severity::error, code, part, std::move(expected), std::move(found), std::move(hint));
    }
    /// Name of the joint that attaches a part.
    std::string added_joint(std::size_t part) const { return given[part].prefix + "base"; }
};

/// "'a', 'b' and 7 more": long lists are cut.
std::string listed(const std::vector<std::string>& names);

/// Adds the prefix to every name.
void rename(RobotDescription& robot, const std::string& prefix);
/// Renames a root link with the name of the common root, as
/// SDF and MJCF have it: the robot's name becomes its prefix.
void rename_world(RobotDescription& robot);

void check_names(Composition& composition);

/// Adds, before each part's joints, the one that attaches it.
void attach_parts(Composition& composition);

void unify_ratios(Composition& composition);
void unify_motors(Composition& composition);
void unify_gravity(Composition& composition);
/// Merges collision settings, after all geometries were added.
void join_collisions(Composition& composition);

}  // namespace grbda::composing
