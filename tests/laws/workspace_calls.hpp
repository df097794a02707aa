#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "kinematics/kinematics.hpp"
#include "support/robots.hpp"

// A call of every function that takes a workspace.

namespace workspace_calls {

using Data = grbda::Workspace<double>;

constexpr auto kWorld = grbda::ReferenceFrame::world_aligned;

/// Matrices for the outputs of one call.
struct Outputs {
    explicit Outputs(const grbda::Model& m)
        : A(m.nv, m.nv),
          B(A),
          C(A),
          J(6, m.nv),
          K(J),
          L(J),
          N(J),
          c(3, m.nv),
          d(c),
          e(c),
          f(c),
          q(m.nq),
          y(m.nv) {
        q.setZero();
    }
    Eigen::MatrixXd A, B, C, J, K, L, N, c, d, e, f;
    Eigen::VectorXd q, y;
};

/// Runs an algorithm at a state. The state becomes the one whose numbers the workspace may hold.
using Algorithm = std::function<void(const grbda::Model&, Data&, test_robots::State&)>;
std::map<std::string, Algorithm> algorithms();

/// Reads numbers that an algorithm left; those of frames are of the given one.
using Reading = std::function<Eigen::VectorXd(const grbda::Model&, Data&, int frame)>;
/// By name, each with the algorithm that it reads.
std::map<std::string, std::pair<std::string, Reading>> readings();

}  // namespace workspace_calls
