#include "cli/cli_fixture.hpp"
#include "constraints/embedding.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "support/robots.hpp"

// Velocities of all joints: those that keep the loops closed are taken, those that break one of them are not.

namespace {

using cli::Json;

/// The numbers of every joint, as the states file has them.
Json by_joint(const grbda::Model& model, const Eigen::VectorXd& x, bool positions) {
    Json out = Json::object();
    for (int i = 0; i < model.body_count(); ++i) {
        const grbda::Body& body = model.bodies[i];
        const int size = positions ? position_size(body.joint) : velocity_size(body.joint);
        const double* const first = x.data() + (positions ? body.q : body.v);
        out[model.names.joints[i]] = std::vector<double>(first, first + size);
    }
    return out;
}

/// A robot read from a file, and a state of it.
struct Case {
    std::string file;
    grbda::Model model;
    Eigen::VectorXd q, qd;
    Eigen::MatrixXd K;
    bool found = false;
};

Case make_case(const test_robots::Robot& robot, test_robots::Random& random) {
    grbda::Diagnostics diagnostics;
    const grbda::Mechanism mechanism = make_mechanism(robot.description, robot.options, diagnostics);
    Case made;
    made.file = cli::written("mechanism.urdf", write_urdf(mechanism));
    made.model = grbda::load(made.file);
    test_robots::State state;
    if (!test_robots::random_state(made.model, random, state)) return made;
    grbda::Workspace<double> data(made.model);
    REQUIRE(grbda::constraint_embedding<double>(made.model, data, state.q, state.yd).ok());
    made.q = state.q;
    made.qd = explicit_jacobian(made.model, data) * state.yd;
    made.K = implicit_jacobian(made.model, data);
    made.found = true;
    return made;
}

/// Speed that q̇ is judged against: of the fastest joint, or the fastest sum of terms in a row of K.
double speed(const Case& from) {
    double largest = 0;
    for (std::size_t dof = 0; dof < from.model.v_index.size(); ++dof)
        largest =
            std::max(largest, std::abs(from.qd[from.model.v_index[dof]]) / from.model.column_scale[dof]);
    for (Eigen::Index r = 0; r < from.K.rows(); ++r)
        largest =
            std::max(largest, from.K.row(r).cwiseAbs().dot(from.qd.cwiseAbs()) * from.model.row_scale[r]);
    return largest;
}

/// Largest entry of K δ, scaled by row, if one joint moves alone.
double breach(const Case& from, int dof, double delta) {
    double worst = 0;
    for (Eigen::Index r = 0; r < from.K.rows(); ++r)
        worst =
            std::max(worst, std::abs(from.K(r, from.model.v_index[dof]) * delta) * from.model.row_scale[r]);
    return worst;
}

}  // namespace

TEST_CASE(
    "velocities of all joints of random mechanisms are taken if they keep the loops closed, and only then") {
    int taken = 0, refused = 0;
    test_robots::Random random(91);
    for (const test_robots::Robot& robot : test_robots::mechanisms().robots) {
        INFO(robot.name);
        const Case made = make_case(robot, random);
        if (!made.found) continue;
        const Json q = by_joint(made.model, made.q, true);
        Json states = Json::array();
        for (const double pace : {1., 1e-3, 1e-15})  // also of what rounding alone leaves
            states.push_back({{"q", q}, {"qd", by_joint(made.model, pace * made.qd, false)}});
        int broken = -1;
        for (const int dof : made.model.dependent) {  // the first joint that a loop holds by a good lever
            const double delta = 3e-6 * speed(made);
            if (broken >= 0 || !(breach(made, dof, delta) > 2e-6 * speed(made))) continue;
            broken = dof;
            Eigen::VectorXd qd = made.qd;
            qd[made.model.v_index[dof]] += delta;
            states.push_back({{"q", q}, {"qd", by_joint(made.model, qd, false)}});
        }
        const cli::Run run = cli::compute(made.file, Json{{"states", states}}.dump());
        INFO(run.err);
        REQUIRE(run.exit == 0);
        const Json out = run.json().at("states");
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(out.at(i).at("status") == "ok");
            CHECK(out.at(i).at("velocity_residual").get<double>() < 1e-9);
        }
        taken += 1;
        if (broken < 0) continue;
        CHECK(out.at(3).at("status") == "inconsistent_velocity");
        ++refused;
    }
    const int drawn = static_cast<int>(test_robots::mechanisms().robots.size());
    CHECK(4 * taken > 3 * drawn);
    CHECK(3 * refused > drawn);
}
