#include "edit/edit_fixture.hpp"
#include "grbda/edit/edit.hpp"
#include "kinematics/configuration.hpp"

// Freezing that is impossible is refused with a hint what to do.

using namespace grbda;
using namespace edits;

TEST_CASE("freezing reports unknown joints and open loops, and refuses other models") {
    const Robot& robot = test_robots::named("four_bar");
    const Mechanism mechanism = mechanism_of(robot);
    Eigen::VectorXd q = neutral_configuration(robot.model);
    Diagnostics unknown, open;
    freeze(mechanism, robot.model, q, {"joint9"}, unknown);
    CHECK(findings(unknown).find(
              "error: robot 'four_bar': expected a joint that moves a body, to freeze, found "
              "'joint9' (did you mean 'joint") != std::string::npos);
    q[0] += 0.1;
    freeze(mechanism, robot.model, q, {"joint1"}, open);
    CHECK(findings(open).find("a configuration that closes the loops") != std::string::npos);
    CHECK_THROWS_AS(freeze(mechanism, robot.model, Eigen::VectorXd::Zero(7), {}, open),
                    std::invalid_argument);
    const Model& other = test_robots::named("slider_crank").model;
    CHECK_THROWS_WITH(freeze(mechanism, other, neutral_configuration(other), {}, open),
                      Catch::Contains("a model built of another mechanism"));
}

TEST_CASE("a joint at its dead centre is not frozen there") {
    const Robot& robot = test_robots::named("slider_crank");
    const Mechanism mechanism = mechanism_of(robot);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(robot.model.nq);  // crank and rod in line
    const auto frozen_at = [&] {
        Diagnostics diagnostics;
        static_cast<void>(freeze(mechanism, robot.model, q, {"slider_joint"}, diagnostics));
        return has_errors(diagnostics);
    };
    CHECK(frozen_at());
    Workspace<double> data(robot.model);
    q[robot.model.joint("crank_joint").q.first] = 0.5;
    REQUIRE(close_loops<double>(robot.model, data, q).ok());
    CHECK_FALSE(frozen_at());
}
