#pragma once

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "grbda/io/urdf.hpp"

// Small robots as texts, and checks of the findings about them.

namespace model_diagnostics {

using namespace grbda;

struct Loaded {
    std::string text;
    Diagnostics diagnostics;
    Model model;

    int count(Severity severity) const {
        int found = 0;
        for (const Diagnostic& entry : diagnostics) found += entry.severity == severity ? 1 : 0;
        return found;
    }
    std::string findings() const {
        std::string all = text;
        for (const Diagnostic& entry : diagnostics) all += to_string(entry) + "\n";
        return all;
    }
};

inline Loaded load_text(const std::string& text, const LoadOptions& options = {}) {
    Loaded loaded;
    if (text.size() < 10000) loaded.text = text;
    const RobotDescription description = read_urdf(text, "robot.urdf", loaded.diagnostics);
    if (has_errors(loaded.diagnostics)) return loaded;
    const Mechanism mechanism = make_mechanism(description, options, loaded.diagnostics);
    if (has_errors(loaded.diagnostics)) return loaded;
    loaded.model = build_model(mechanism, options, loaded.diagnostics);
    return loaded;
}

/// Line of the element with this name, "joint name=…" and so on.
inline int line_of(const std::string& text, const std::string& kind, const std::string& name) {
    const std::size_t place = text.find("<" + kind + " name=\"" + name + "\"");
    REQUIRE(place != std::string::npos);
    int line = 1;
    for (std::size_t i = 0; i < place; ++i) line += text[i] == '\n' ? 1 : 0;
    return line;
}

/// Exactly one finding of this severity has all these words, and its line is that of `name`.
inline void check_finding(const Loaded& loaded, Severity severity, const std::string& kind,
                          const std::string& name, const std::vector<std::string>& words) {
    INFO(loaded.findings());
    int found = 0;
    for (const Diagnostic& entry : loaded.diagnostics) {
        const std::string printed = to_string(entry);
        bool all = entry.severity == severity;
        for (const std::string& word : words) all = all && printed.find(word) != std::string::npos;
        if (!all) continue;
        ++found;
        CHECK(entry.where.file == "robot.urdf");
        CHECK(entry.where.line == line_of(loaded.text, kind, name));
        CHECK_FALSE(entry.subject.text.empty());
        CHECK_FALSE(entry.expected.empty());
    }
    INFO(words.front());
    CHECK(found == 1);
}

/// The same, and it is the only error.
inline void check_error(const Loaded& loaded, const std::string& kind, const std::string& name,
                        const std::vector<std::string>& words) {
    INFO(loaded.findings());
    CHECK(loaded.count(Severity::error) == 1);
    check_finding(loaded, Severity::error, kind, name, words);
}

inline void check_accepted(const Loaded& loaded, int warnings = 0) {
    INFO(loaded.findings());
    CHECK(loaded.count(Severity::error) == 0);
    CHECK(loaded.count(Severity::warning) == warnings);
}

inline std::string robot(const std::string& elements, const std::string& attributes = "") {
    return "<robot name=\"r\"" + attributes + ">\n" + elements + "</robot>\n";
}

inline std::string empty_link(const std::string& name) { return "<link name=\"" + name + "\"/>\n"; }

inline std::string link(const std::string& name) {
    return "<link name=\"" + name +
           "\"><inertial><origin xyz=\"0.3 0.2 0.1\"/><mass value=\"2\"/>"
           "<inertia ixx=\"0.02\" ixy=\"0\" ixz=\"0\" iyy=\"0.03\" iyz=\"0\" "
           "izz=\"0.04\"/></inertial></link>\n";
}

/// Rotationally symmetric about z.
inline std::string rotor_link(const std::string& name) {
    return "<link name=\"" + name +
           "\"><inertial><mass value=\"0.1\"/>"
           "<inertia ixx=\"1e-5\" ixy=\"0\" ixz=\"0\" iyy=\"1e-5\" iyz=\"0\" "
           "izz=\"2e-5\"/></inertial></link>\n";
}

struct Joint {
    std::string name, parent, child;
    std::string origin = "0 0 0";
    std::string attributes = "type=\"continuous\"";
    std::string axis = "0 0 1";
    std::string inside = "";
};

inline std::string joint(const Joint& j) {
    return "<joint name=\"" + j.name + "\" " + j.attributes + "><parent link=\"" + j.parent +
           "\"/><child link=\"" + j.child + "\"/><origin xyz=\"" + j.origin + "\"/><axis xyz=\"" + j.axis +
           "\"/>" + j.inside + "</joint>\n";
}

inline std::string fixed_joint(const std::string& name, const std::string& parent, const std::string& child) {
    return joint({name, parent, child, "0 0 0", "type=\"fixed\""});
}

inline std::string loop(const std::string& name, const std::string& predecessor, const std::string& p,
                        const std::string& successor, const std::string& s,
                        const std::string& type = "revolute",
                        const std::string& inside = "<axis xyz=\"0 0 1\"/>") {
    return "<loop name=\"" + name + "\" type=\"" + type + "\"><predecessor link=\"" + predecessor +
           "\"><origin xyz=\"" + p + "\"/></predecessor><successor link=\"" + successor +
           "\"><origin xyz=\"" + s + "\"/></successor>" + inside + "</loop>\n";
}

inline std::string coupling(const std::string& name, const std::string& predecessor,
                            const std::string& successor, const std::string& ratio) {
    return "<coupling name=\"" + name + "\"><predecessor link=\"" + predecessor + "\"/><successor link=\"" +
           successor + "\"/><ratio value=\"" + ratio + "\"/></coupling>\n";
}

/// Two links on the base, side by side: joints 'a' and 'c'.
inline std::string two_arms(const std::string& a = "", const std::string& c = "") {
    return empty_link("base") + joint({"a", "base", "crank", "0 0 0", "type=\"continuous\" " + a}) +
           link("crank") + joint({"c", "base", "rocker", "2.5 0 0", "type=\"continuous\" " + c}) +
           link("rocker");
}

/// Joints a, b, c of a four-bar linkage about z with the given marks; closed and regular at q = 0.
inline std::string four_bar(const std::string& a = "", const std::string& b = "", const std::string& c = "") {
    return two_arms(a, c) + joint({"b", "crank", "coupler", "0 1 0", "type=\"continuous\" " + b}) +
           link("coupler") + loop("closure", "coupler", "2 0 0", "rocker", "-0.5 1 0");
}

inline const std::string yes = "independent=\"true\"", no = "independent=\"false\"";
inline const std::string parser_ratio = " coupling_ratio=\"successor/predecessor\"";

}  // namespace model_diagnostics
