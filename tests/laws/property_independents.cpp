#include "support/equivalence.hpp"

namespace {

using namespace test_robots;

constexpr int kStates = 4;

/// A joint none of whose coordinates is independent, or empty.
std::string some_dependent_joint(const grbda::Model& model, Random& random) {
    std::vector<char> independent(model.bodies.size(), 0);
    for (const grbda::Coordinate& coordinate : grbda::independent_coordinates(model))
        independent[static_cast<std::size_t>(coordinate.body)] = 1;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
        if (!independent[i]) names.push_back(model.names.joints[i]);
    if (names.empty()) return {};
    return names[std::uniform_int_distribution<std::size_t>(0, names.size() - 1)(random)];
}

}  // namespace

TEST_CASE("another choice of independents gives the same robot") {
    int checked = 0;
    at_random_states(all(), kStates, 52, [&](const Robot& robot, const State& state, Random& random) {
        const std::string chosen = some_dependent_joint(robot.model, random);
        if (chosen.empty()) return;
        INFO("independent: " << chosen);
        grbda::RobotDescription description = robot.description;
        for (grbda::JointDescription& joint : description.joints) {
            joint.independent.reset();
            if (joint.name == chosen) joint.independent = true;
        }
        grbda::Model other;
        try {
            other = grbda::build_model(description, robot.options);
        } catch (const grbda::LoadError&) {
            return;  // a joint that the loops lock, or that determines no others
        }
        Eigen::VectorXd q(other.nq);
        equivalence::copy_positions(robot.model, state.q, other, q);
        checked += equivalence::check(robot.model, state, other, q) ? 1 : 0;
    });
    CHECK(checked > static_cast<int>(all().size()) / 2);
}
