#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grbda/compose.hpp"

// The steps of compose(), one source file each:
//   compose     the steps in order
//   rename      a prefix on every name
//   names       names that several parts have
//   attach      which part hangs where
//   statements  what a part says of the whole: ratios, motors, gravity, collision masks

namespace grbda::composing {

/// The parts as given, as renamed so far, and what becomes of them.
struct Composition {
    const std::vector<RobotPart>& given;
    Diagnostics& diagnostics;
    std::vector<RobotDescription> robots;  ///< of each part, names with prefix
    RobotDescription whole;

    /// "part 2 (prefix 'left_')"; its name is its number
    Subject subject_of(std::size_t part) const;
    void report(Severity severity, Code code, std::size_t part, std::string expected, std::string found,
                std::string hint = {});
    void error(Code code, std::size_t part, std::string expected, std::string found, std::string hint = {}) {
        report(Severity::error, code, part, std::move(expected), std::move(found), std::move(hint));
    }
    /// Name of the joint that a part hangs on.
    std::string added_joint(std::size_t part) const { return given[part].prefix + "base"; }
};

/// "'a', 'b' and 7 more": long lists are cut.
std::string listed(const std::vector<std::string>& names);

/// Puts the prefix before every name.
void rename(RobotDescription& robot, const std::string& prefix);
/// A root link called as the link that parts hang on, as SDF and MJCF have it, gets the robot's name before
/// its own.
void rename_world(RobotDescription& robot);

void check_names(Composition& composition);

/// Puts before each part's joints the one that it hangs on.
void attach_parts(Composition& composition);

void unify_ratios(Composition& composition);
void unify_motors(Composition& composition);
void unify_gravity(Composition& composition);
/// Of a whole that has all geometries already.
void join_collisions(Composition& composition);

}  // namespace grbda::composing
