#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "grbda/mechanism.hpp"

// Functions to write a robot in C++ briefly, and to check the findings about it.

namespace mechanism_fixture {

using namespace grbda;

inline Pose at(double x, double y, double z) {
    Pose pose;
    pose.translation << x, y, z;
    return pose;
}

inline Pose turned(double angle, const Eigen::Vector3d& axis, const Eigen::Vector3d& translation) {
    Pose pose;
    pose.rotation = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
    pose.translation = translation;
    return pose;
}

/// A solid that no axis is special to.
inline Inertial solid(double mass) {
    Inertial inertial;
    inertial.mass = mass;
    inertial.com << 0.1, 0.02, 0.03;
    inertial.inertia.diagonal() << 0.02, 0.03, 0.04;
    return inertial;
}

/// Rotationally symmetric about z.
inline Inertial rotor(double mass) {
    Inertial inertial;
    inertial.mass = mass;
    inertial.inertia.diagonal() << 1e-4, 1e-4, 2e-4;
    return inertial;
}

struct Robot : RobotDescription {
    /// Adds links by name, each a solid of 1 kg.
    explicit Robot(const std::vector<std::string>& link_names = {}) {
        name = "robot";
        for (const std::string& link_name : link_names) link(link_name, solid(1));
    }

    LinkDescription& link(const std::string& link_name, std::optional<Inertial> inertial) {
        LinkDescription entry;
        entry.name = link_name;
        entry.inertial = std::move(inertial);
        entry.where = {"robot.urdf", static_cast<int>(100 + links.size()), 1};
        links.push_back(entry);
        return links.back();
    }

    /// About or along z, one metre along x from the parent.
    JointDescription& joint(const std::string& joint_name, const std::string& parent,
                            const std::string& child, JointType type = JointType::revolute) {
        JointDescription entry;
        entry.name = joint_name;
        entry.type = type;
        entry.parent = parent;
        entry.child = child;
        entry.origin = at(1, 0, 0);
        entry.axis = Eigen::Vector3d::UnitZ();
        entry.axis2 = Eigen::Vector3d::UnitX();
        entry.where = {"robot.urdf", static_cast<int>(200 + joints.size()), 1};
        joints.push_back(entry);
        return joints.back();
    }

    LoopDescription& loop(const std::string& loop_name, const std::string& predecessor,
                          const std::string& successor, LoopType type = LoopType::revolute) {
        LoopDescription entry;
        entry.name = loop_name;
        entry.type = type;
        entry.predecessor = predecessor;
        entry.successor = successor;
        entry.where = {"robot.urdf", static_cast<int>(300 + loops.size()), 1};
        loops.push_back(entry);
        return loops.back();
    }

    CouplingDescription& coupling(const std::string& coupling_name, const std::string& predecessor,
                                  const std::string& successor, double ratio) {
        couplings.push_back({coupling_name,
                             GearRelation{predecessor, successor, ratio},
                             {"robot.urdf", static_cast<int>(400 + couplings.size()), 1}});
        return couplings.back();
    }

    LinearRelation& linear(const std::string& coupling_name, const std::vector<LinearTerm>& terms,
                           double offset = 0) {
        couplings.push_back({coupling_name,
                             LinearRelation{terms, offset, false},
                             {"robot.urdf", static_cast<int>(500 + couplings.size()), 1}});
        return *couplings.back().as<LinearRelation>();
    }

    void mimic(const std::string& follower, const std::string& leader, double multiplier, double offset = 0) {
        linear("", {{follower, 1, {}}, {leader, -multiplier, {}}}, -offset).mimic = true;
    }
};

struct Result {
    Mechanism mechanism;
    Diagnostics diagnostics;

    /// Number of findings of this severity whose printed form contains all the given texts.
    int count(Severity severity, const std::vector<std::string>& texts = {}) const {
        int found = 0;
        for (const Diagnostic& entry : diagnostics) {
            bool all = entry.severity == severity;
            for (const std::string& text : texts) {
                all = all && to_string(entry).find(text) != std::string::npos;
            }
            found += all ? 1 : 0;
        }
        return found;
    }
    /// Exactly one error, and it has these texts.
    bool only_error(const std::vector<std::string>& texts) const {
        return count(Severity::error) == 1 && count(Severity::error, texts) == 1;
    }
    /// Number of a body by its name; −2 for none.
    int body(const std::string& name) const {
        for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
            if (mechanism.bodies[i].name == name) return static_cast<int>(i);
        }
        return -2;
    }
    std::string equation(std::size_t index) const {
        return grbda::equation(mechanism, mechanism.couplings.at(index));
    }
    std::string text() const {
        std::string all;
        for (const Diagnostic& entry : diagnostics) all += to_string(entry) + "\n";
        return all;
    }
};

inline Result make(const RobotDescription& description, const LoadOptions& options = {}) {
    Result result;
    result.mechanism = make_mechanism(description, options, result.diagnostics);
    return result;
}

inline LoadOptions floating_base() {
    LoadOptions options;
    options.floating_base = true;
    return options;
}

inline LoadOptions strict() {
    LoadOptions options;
    options.strict = true;
    return options;
}

inline LoadOptions reading(CouplingRatio ratio) {
    LoadOptions options;
    options.coupling_ratio = ratio;
    return options;
}

}  // namespace mechanism_fixture
