#include <algorithm>

#include "support/described.hpp"
#include "support/equivalence.hpp"

namespace {

using namespace test_robots;

constexpr int kStates = 2;

}  // namespace

TEST_CASE("links, joints and loops in another order give the same robot") {
    int checked = 0, drawn = 0;
    at_random_states(all(), kStates, 51, [&](const Robot& robot, const State& state, Random& random) {
        grbda::RobotDescription shuffled = robot.description;
        std::shuffle(shuffled.links.begin(), shuffled.links.end(), random);
        std::shuffle(shuffled.joints.begin(), shuffled.joints.end(), random);
        // The first of two joints with one child is the joint of the tree.
        std::stable_partition(
            shuffled.joints.begin(), shuffled.joints.end(),
            [&](const grbda::JointDescription& joint) { return described::in_tree(robot.model, joint); });
        std::shuffle(shuffled.loops.begin(), shuffled.loops.end(), random);
        std::shuffle(shuffled.couplings.begin(), shuffled.couplings.end(), random);
        const grbda::Model other = grbda::build_model(shuffled, robot.options);
        Eigen::VectorXd q(other.nq);
        equivalence::copy_positions(robot.model, state.q, other, q);
        ++drawn;
        checked += equivalence::check(robot.model, state, other, q) ? 1 : 0;
    });
    CHECK(10 * checked > 8 * drawn);
}
