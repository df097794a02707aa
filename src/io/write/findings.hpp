#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grbda/mechanism.hpp"

// What a format has no place for: an error where the motion would be another, else a note.

namespace grbda::writing {

class Findings {
public:
    Findings(const char* format, const Mechanism& mechanism, Diagnostics& diagnostics)
        : format_(format), mechanism_(mechanism), diagnostics_(diagnostics) {}

    /// "joint 'knee': expected a joint of MJCF, found …".
    void error(const SourceLocation& where, const std::string& kind, const std::string& name,
               std::string expected, std::string found, std::string hint = {});
    void joint_error(const MechanismBody& body, std::string expected, std::string found,
                     std::string hint = {}) {
        error(body.where, "joint", body.joint, std::move(expected), std::move(found), std::move(hint));
    }
    /// Told once with the names of all: "MJCF does not keep `what`: 'a', 'b'".
    void leave_out(const std::string& what, const std::string& name) {
        add(Severity::note, "does not keep " + what, name);
    }
    void warn(const std::string& what, const std::string& name) { add(Severity::warning, what, name); }

    /// Adds notes and warnings to the diagnostics.
    void report() const;

private:
    struct Entry {
        Severity severity;
        std::string what;
        std::vector<std::string> names;
    };
    void add(Severity severity, const std::string& what, const std::string& name);

    const char* format_;
    const Mechanism& mechanism_;
    Diagnostics& diagnostics_;
    std::vector<Entry> entries_;
};

/// Notes of what neither MJCF nor SDF has: the choice and order of independent coordinates, coordinates that
/// are no joint's, groups, tool frames, spheres for self-collision, limits of acceleration and jerk.
void leave_out_roles(const Mechanism& mechanism, Findings& findings);

/// Of the body's gravity compensation, the share of its weight that is carried at its centre of mass; an
/// error where it is carried elsewhere.
double carried_share(const MechanismBody& body, Findings& findings);

}  // namespace grbda::writing
