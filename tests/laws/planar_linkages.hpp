#pragma once

#include <cmath>
#include <string>

#include "grbda/compile/build.hpp"
#include "grbda/io/urdf.hpp"
#include <catch2/catch.hpp>

// Linkages in a plane, of given lengths.

namespace planar_linkages {

using grbda::Model;

inline std::string link(const std::string& name) {
    return "<link name=\"" + name +
           "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>";
}

/// About z.
inline std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                         double x, double y = 0) {
    return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/><origin xyz=\"" + std::to_string(x) + " " + std::to_string(y) +
           " 0\"/><axis xyz=\"0 0 1\"/></joint>";
}

/// Coupler b and rocker c are pinned together.
inline std::string pin(const std::string& name, const std::string& coupler, double b,
                       const std::string& rocker, double c) {
    return "<loop name=\"" + name + "\" type=\"revolute\"><predecessor link=\"" + coupler +
           "\"><origin xyz=\"" + std::to_string(b) + " 0 0\"/></predecessor><successor link=\"" + rocker +
           "\"><origin xyz=\"" + std::to_string(c) + " 0 0\"/></successor><axis xyz=\"0 0 1\"/></loop>";
}

inline Model model_of(const std::string& elements) {
    grbda::Diagnostics diagnostics;
    const grbda::RobotDescription robot =
        grbda::read_urdf("<robot name=\"r\">" + elements + "</robot>", "r.urdf", diagnostics);
    REQUIRE_FALSE(grbda::has_errors(diagnostics));
    return grbda::build_model(robot);
}

/// Crank a at the origin, coupler b, rocker c at (d, 0), all in the plane across z.
inline Model four_bar(double a, double b, double c, double d) {
    return model_of("<link name=\"base\"/>" + link("A") + link("B") + link("C") +
                    joint("crank", "base", "A", 0) + joint("coupler", "A", "B", a) +
                    joint("rocker", "base", "C", d) + pin("loop", "B", b, "C", c));
}

/// A crank that turns all around and drives so many couplers, each with a rocker of its own.
inline Model many_rockers(int count) {
    std::string text = "<link name=\"base\"/>" + link("A") + joint("crank", "base", "A", 0);
    for (int i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        text += link("B" + n) + joint("coupler" + n, "A", "B" + n, 0.3) + link("C" + n) +
                joint("rocker" + n, "base", "C" + n, 0.9 * std::cos(i), 0.9 * std::sin(i)) +
                pin("loop" + n, "B" + n, 0.8, "C" + n, 0.7);
    }
    return model_of(text);
}

}  // namespace planar_linkages
