#pragma once

#include "kinematics/kinematics.hpp"
#include "support/equivalence.hpp"
#include "support/robots.hpp"
#include "constraints/coordinates.hpp"
#include "grbda/constraints/embedding.hpp"

// Robots before and after an edit. Names of joints, links and frames stay.

namespace edits {

using grbda::Diagnostics;
using grbda::Mechanism;
using grbda::Model;
using test_robots::Random;
using test_robots::Robot;
using test_robots::State;

inline std::string findings(const Diagnostics& diagnostics) {
    std::string text;
    for (const grbda::Diagnostic& each : diagnostics) text += to_string(each) + "\n";
    return text;
}

inline Mechanism mechanism_of(const Robot& robot) {
    Diagnostics diagnostics;
    Mechanism mechanism = grbda::make_mechanism(robot.description, robot.options, diagnostics);
    INFO(findings(diagnostics));
    REQUIRE_FALSE(has_errors(diagnostics));
    return mechanism;
}

/// ẏ of `to` for each ẏ of `from`, whose joints `to` also has; its other joints do not move.
inline Eigen::MatrixXd velocities(const Model& from, const grbda::Workspace<double>& embedded,
                                  const Model& to) {
    const Eigen::MatrixXd G = grbda::explicit_jacobian(from, embedded);
    const std::vector<int> map = equivalence::velocity_map(from, to);
    Eigen::MatrixXd N(to.nv, from.nv);
    for (int j = 0; j < from.nv; ++j)
        N.col(j) = grbda::independent_part(to, equivalence::mapped(map, G.col(j)));
    return N;
}

/// Checks that no frame has moved.
inline void check_frames(const Model& a, grbda::Workspace<double>& data_a, const Eigen::VectorXd& q_a,
                         const Model& b, grbda::Workspace<double>& data_b, const Eigen::VectorXd& q_b) {
    REQUIRE(grbda::forward_kinematics<double>(a, data_a, q_a).ok());
    REQUIRE(grbda::forward_kinematics<double>(b, data_b, q_b).ok());
    REQUIRE(a.frames.size() == b.frames.size());
    double worst = 0;
    for (int i = 0; i < static_cast<int>(a.frames.size()); ++i) {
        const int j = b.frame(a.frames[i].name).index;
        worst = std::max(
            worst, (grbda::frame_position<double>(a, data_a, i) - grbda::frame_position<double>(b, data_b, j))
                       .norm());
        worst = std::max(worst, (grbda::frame_orientation<double>(a, data_a, i) -
                                 grbda::frame_orientation<double>(b, data_b, j))
                                    .norm());
    }
    CHECK(worst < equivalence::kAgreement);
}

/// False: the K_d of one of them is close to singular, where both models amplify rounding.
inline bool well_conditioned(const Model& model, const grbda::Workspace<double>& data) {
    return test_robots::conditioning(model, data) >= equivalence::kWellConditioned;
}

}  // namespace edits
