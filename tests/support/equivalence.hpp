#pragma once

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "support/robots.hpp"

// Two models of one robot give one answer, whatever their numbering, tree, independents and rotors. They
// share names of joints and links; what only one of them has is left out.

namespace equivalence {

using grbda::Model;
using test_robots::State;

constexpr double kAgreement = 1e-9;  // rounding times the conditions of M and K_d at well-conditioned states
constexpr double kWellConditioned = 1e-3;  // of the second model's K_d at the first model's state

int find(const std::vector<std::string>& names, const std::string& name);

/// Entries of one model's q̇ for the other: row per velocity of `to`, column in `from` or −1.
std::vector<int> velocity_map(const Model& from, const Model& to);

Eigen::VectorXd mapped(const std::vector<int>& map, const Eigen::VectorXd& x);

void copy_positions(const Model& from, const Eigen::VectorXd& q, const Model& to, Eigen::VectorXd& out);

grbda::Matrix6X<double> mapped_wrenches(const Model& from, const grbda::Matrix6X<double>& wrenches,
                                        const Model& to);

/// Checks M, inverse and forward dynamics of both models at the state of `a`; `q` is that configuration in
/// `b`. False: the second model's independents are badly conditioned there, and nothing was checked.
bool check(const Model& a, const State& state, const Model& b, const Eigen::VectorXd& q);

}  // namespace equivalence
