#pragma once

#include <map>
#include <set>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "grbda/io/urdf.hpp"

// A mechanism written and read again, and what must be the same then: structure and numbers to the last bit
// but for what a reader recomputes (rotations, unit vectors, unit quaternions).

namespace written_urdf {

using grbda::JointType;
using grbda::LoopType;
using grbda::Mechanism;
using grbda::Pose;

constexpr double kRotation = 1e-15;  // error of a matrix written as angles, besides that of the matrix itself
constexpr double kUnit = 2e-15;      // distance of the nearest vector that normalising does not change
constexpr double kIdentity = 2e-14;  // a frame this close to its joint's is treated as equal

inline Mechanism read(const std::string& text) {
    grbda::Diagnostics findings;
    const grbda::RobotDescription robot = grbda::read_urdf(text, "written.urdf", findings);
    for (const grbda::Diagnostic& finding : findings) {
        INFO(text);
        FAIL_CHECK(to_string(finding));  // not even a note
    }
    Mechanism mechanism = grbda::make_mechanism(robot, {}, findings);
    for (const grbda::Diagnostic& finding : findings) {
        INFO(to_string(finding));
        REQUIRE(finding.severity != grbda::Severity::error);
    }
    return mechanism;
}

inline double difference(const Pose& a, const Pose& b) {
    return std::max((a.rotation - b.rotation).cwiseAbs().maxCoeff(),
                    (a.translation - b.translation).cwiseAbs().maxCoeff());
}

template <class Type>
int axis_count(Type type) {
    const std::string name = to_string(type);
    if (name == "universal") return 2;
    return name == "fixed" || name == "spherical" || name == "distance" || name == "floating" ? 0 : 1;
}

template <class Element>
void check_axes(const Element& a, const Element& b) {
    const int count = axis_count(a.type);
    if (count > 0) CHECK((a.axis - b.axis).cwiseAbs().maxCoeff() <= kUnit);
    if (count > 1) CHECK((a.axis2 - b.axis2).cwiseAbs().maxCoeff() <= kUnit);
}

inline void check_placement(const Pose& a, const Pose& b) {
    CHECK(a.translation == b.translation);
    const Eigen::Matrix3d defect = a.rotation.transpose() * a.rotation - Eigen::Matrix3d::Identity();
    CHECK((a.rotation - b.rotation).cwiseAbs().maxCoeff() <= kRotation + defect.cwiseAbs().maxCoeff());
}

inline void check_body(const grbda::MechanismBody& a, const grbda::MechanismBody& b) {
    CHECK(a.joint == b.joint);
    CHECK(a.parent == b.parent);
    CHECK(a.type == b.type);
    CHECK(a.bounded == b.bounded);
    CHECK(a.independent == b.independent);
    CHECK(a.actuated == b.actuated);
    check_placement(a.placement, b.placement);
    check_axes(a, b);
    if (a.type == JointType::helical) CHECK(a.pitch == b.pitch);
    CHECK(a.inertia.mass == b.inertia.mass);
    const bool massless = a.inertia.mass == 0 && a.inertia.inertia.isZero(0);
    if (!massless) CHECK(a.inertia.com == b.inertia.com);
    const Eigen::Matrix3d &I = a.inertia.inertia, &J = b.inertia.inertia;
    for (int row = 0; row < 3; ++row)
        for (int column = row; column < 3; ++column) CHECK(I(row, column) == J(row, column));
    CHECK(J == J.transpose());
    CHECK(a.limits.lower == b.limits.lower);
    CHECK(a.limits.upper == b.limits.upper);
    CHECK(a.limits.velocity == b.limits.velocity);
    CHECK(a.limits.effort == b.limits.effort);
    CHECK(a.limits.acceleration == b.limits.acceleration);
    CHECK(a.limits.jerk == b.limits.jerk);
    CHECK(a.damping == b.damping);
    CHECK(a.friction == b.friction);
    CHECK(a.armature == b.armature);
    CHECK(a.stiffness == b.stiffness);
    const std::vector<double> rest = a.stiffness.is_zero() ? std::vector<double>() : a.rest;
    REQUIRE(rest.size() == b.rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const bool quaternion = rest.size() >= 4 && i + 4 >= rest.size();
        CHECK(std::abs(rest[i] - b.rest[i]) <= (quaternion ? kUnit : 0));
    }
    REQUIRE(a.gravity_compensation.size() == b.gravity_compensation.size());
    for (std::size_t i = 0; i < a.gravity_compensation.size(); ++i) {
        CHECK(a.gravity_compensation[i].mass == b.gravity_compensation[i].mass);
        CHECK(a.gravity_compensation[i].point == b.gravity_compensation[i].point);
    }
}

inline void check_tendon(const grbda::MechanismTendon& a, const grbda::MechanismTendon& b) {
    CHECK(a.name == b.name);
    CHECK(a.stiffness == b.stiffness);
    CHECK(a.damping == b.damping);
    CHECK(a.friction == b.friction);
    CHECK(a.rest_lower == b.rest_lower);
    CHECK(a.rest_upper == b.rest_upper);
    REQUIRE(a.terms.size() == b.terms.size());
    for (std::size_t i = 0; i < a.terms.size(); ++i) {
        CHECK(a.terms[i].body == b.terms[i].body);
        CHECK(a.terms[i].coefficient == b.terms[i].coefficient);
    }
}

inline void check_loop(const grbda::MechanismLoop& a, const grbda::MechanismLoop& b) {
    CHECK(a.name == b.name);
    CHECK(a.type == b.type);
    CHECK(a.predecessor == b.predecessor);
    CHECK(a.successor == b.successor);
    check_placement(a.predecessor_placement, b.predecessor_placement);
    check_placement(a.successor_placement, b.successor_placement);
    check_axes(a, b);
    if (a.type == LoopType::distance) CHECK(a.length == b.length);
    if (a.type == LoopType::helical) CHECK(a.pitch == b.pitch);
}

inline void check_coupling(const grbda::MechanismCoupling& a, const grbda::MechanismCoupling& b) {
    CHECK(a.name == b.name);
    REQUIRE(a.terms.size() == b.terms.size());
    for (std::size_t i = 0; i < a.terms.size(); ++i) {
        CHECK(a.terms[i].body == b.terms[i].body);
        CHECK(a.terms[i].component == b.terms[i].component);
        if (a.polynomial.empty()) CHECK(a.terms[i].coefficient == b.terms[i].coefficient);
    }
    CHECK(a.offset == b.offset);
    CHECK(a.polynomial == b.polynomial);
    CHECK(a.reference == b.reference);
}

using Positions = std::map<std::string, std::vector<double>>;

inline void check_positions(const Positions& a, const Positions& b) {
    REQUIRE(a.size() == b.size());
    for (const auto& [joint, values] : a) {
        INFO(joint);
        REQUIRE(b.count(joint) == 1);
        const std::vector<double>& others = b.at(joint);
        REQUIRE(values.size() == others.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool quaternion = values.size() >= 4 && i + 4 >= values.size();
            CHECK(std::abs(values[i] - others[i]) <= (quaternion ? kUnit : 0));
        }
    }
}

inline void check_shape(const grbda::MechanismShape& a, const grbda::MechanismShape& b) {
    CHECK(a.link == b.link);
    CHECK(a.body == b.body);
    CHECK(difference(a.placement, b.placement) <= kIdentity);
    CHECK(a.shape.name == b.shape.name);
    CHECK(a.shape.shape.kind == b.shape.shape.kind);
    CHECK(a.shape.shape.size.head(facts(a.shape.shape.kind).sizes) ==
          b.shape.shape.size.head(facts(b.shape.shape.kind).sizes));
    CHECK(a.shape.shape.mesh == b.shape.shape.mesh);
    check_placement(a.shape.origin, b.shape.origin);
    CHECK(a.shape.visual == b.shape.visual);
    CHECK(a.shape.collision == b.shape.collision);
    REQUIRE(a.shape.surface.has_value() == b.shape.surface.has_value());
    if (a.shape.surface) CHECK(a.shape.surface->friction == b.shape.surface->friction);
    CHECK(a.shape.color == b.shape.color);
    CHECK(a.shape.mask.type == b.shape.mask.type);
    CHECK(a.shape.mask.affinity == b.shape.mask.affinity);
}

/// Every frame of `a` is one of `b`, in the same order; what `b` has beyond is a body's or the world's link.
inline void check_frames(const Mechanism& a, const Mechanism& b) {
    std::size_t next = 0;
    std::set<std::string> own{b.root};
    for (const grbda::MechanismBody& body : b.bodies) own.insert(body.name);
    for (const grbda::MechanismFrame& frame : b.frames) {
        const bool found = next < a.frames.size() && a.frames[next].name == frame.name;
        INFO(frame.name);
        if (!found) {
            CHECK(own.count(frame.name) == 1);
            continue;
        }
        CHECK(frame.body == a.frames[next].body);
        CHECK(difference(frame.placement, a.frames[next].placement) <= kIdentity);
        ++next;
    }
    CHECK(next == a.frames.size());
}

/// All but the names of the root and of bodies.
inline void check_same(const Mechanism& a, const Mechanism& b) {
    CHECK(a.name == b.name);
    REQUIRE(a.bodies.size() == b.bodies.size());
    REQUIRE(a.loops.size() == b.loops.size());
    REQUIRE(a.couplings.size() == b.couplings.size());
    REQUIRE(a.states.size() == b.states.size());
    for (std::size_t i = 0; i < a.bodies.size(); ++i) check_body(a.bodies[i], b.bodies[i]);
    for (std::size_t i = 0; i < a.loops.size(); ++i) check_loop(a.loops[i], b.loops[i]);
    for (std::size_t i = 0; i < a.couplings.size(); ++i) check_coupling(a.couplings[i], b.couplings[i]);
    REQUIRE(a.tendons.size() == b.tendons.size());
    for (std::size_t i = 0; i < a.tendons.size(); ++i) check_tendon(a.tendons[i], b.tendons[i]);
    check_frames(a, b);
    REQUIRE(a.shapes.size() == b.shapes.size());
    for (std::size_t i = 0; i < a.shapes.size(); ++i) check_shape(a.shapes[i], b.shapes[i]);
    check_positions(a.start, b.start);
    for (std::size_t i = 0; i < a.states.size(); ++i) {
        CHECK(a.states[i].name == b.states[i].name);
        check_positions(a.states[i].positions, b.states[i].positions);
    }
    CHECK(a.coordinates == b.coordinates);
    CHECK(a.tool_frames == b.tool_frames);
    CHECK(a.gravity == b.gravity);
}

inline void check_names(const Mechanism& a, const Mechanism& b) {
    CHECK(a.root == b.root);
    for (std::size_t i = 0; i < a.bodies.size(); ++i) CHECK(a.bodies[i].name == b.bodies[i].name);
}

/// The first line of one text that differs in another; empty if none does.
inline std::string differing_line(const std::string& a, const std::string& b) {
    std::istringstream lines_a(a), lines_b(b);
    for (std::string line_a, line_b; std::getline(lines_a, line_a);) {
        if (!std::getline(lines_b, line_b) || line_a != line_b) return line_a + " became " + line_b;
    }
    return a == b ? "" : "the end";
}

/// Writes, reads, compares; what was read must give the same text. Returns it.
inline Mechanism check_round_trip(const Mechanism& mechanism) {
    const std::string text = grbda::write_urdf(mechanism);
    Mechanism again = read(text);
    check_same(mechanism, again);
    CHECK(differing_line(text, grbda::write_urdf(again)) == "");
    return again;
}

}  // namespace written_urdf
