#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grbda/mechanism.hpp"

// Content that a format cannot represent: an error if the motion would differ, otherwise a note.

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
    /// Reported once with all names: "MJCF does not keep `what`: 'a', 'b'".
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

/// Notes on content that neither MJCF nor SDF can represent: choice and order of independent coordinates,
/// combined coordinates, groups, tool frames, spheres for self-collision, limits of acceleration and jerk.
void leave_out_roles(const Mechanism& mechanism, Findings& findings);

/// The fraction of the body's weight that gravity compensation carries
/// at its centre of mass; an error if it is carried elsewhere.
double carried_share(const MechanismBody& body, Findings& findings);

}  // namespace grbda::writing
