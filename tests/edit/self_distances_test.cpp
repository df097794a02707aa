#include <sstream>

#include "edit/edit_fixture.hpp"
#include "grbda/compose.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/io/side_files.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "support/sample_size.hpp"

// Distances by the spheres of side files, beside a search through all spheres of the description in the
// world.

using namespace grbda;
using namespace edits;

namespace {

constexpr double kAgreement = equivalence::kAgreement;

using Places = std::pair<std::string, std::string>;
using Distances = std::map<Places, double>;

double between(Random& random, double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(random);
}
bool chance(Random& random, double share) { return between(random, 0, 1) < share; }

std::vector<std::string> places_of(const RobotDescription& robot) {
    std::vector<std::string> places;
    for (const LinkDescription& link : robot.links) places.push_back(link.name);
    for (const FrameDescription& frame : robot.frames) places.push_back(frame.name);
    return places;
}

/// Some spheres, also without radius, buffers and pairs to ignore, in both orders.
void add_spheres(RobotDescription& robot, Random& random) {
    const std::vector<std::string> places = places_of(robot);
    GeometryDescription geometry{"balls", {}};
    CollisionDescription& said = robot.self_collision = {"balls", {}, {}, {}};
    for (const std::string& place : places) {
        while (chance(random, 0.6))
            geometry.spheres[place].push_back(
                {test_robots::random_vector(random, 3), between(random, -0.05, 0.3)});
        if (chance(random, 0.4)) said.buffer_distance[place] = between(random, -0.01, 0.05);
        while (chance(random, 0.3)) said.ignore[place].push_back(places[random() % places.size()]);
    }
    robot.geometries = {{"others", {{places.front(), {{Eigen::Vector3d::Zero(), 9}}}}}, std::move(geometry)};
}

Robot with_spheres(const Robot& robot, Random& random) {
    Robot result = robot;
    add_spheres(result.description, random);
    result.model = build_model(result.description, result.options);
    return result;
}

Places named_so(const std::string& a, const std::string& b) { return a < b ? Places{a, b} : Places{b, a}; }

/// By what the description says alone, each sphere moved into the world.
Distances searched(const RobotDescription& robot, const Model& model, const Workspace<double>& data) {
    const CollisionDescription& said = robot.self_collision;
    const GeometryDescription* geometry = nullptr;
    for (const GeometryDescription& each : robot.geometries)
        if (each.name == said.geometry) geometry = &each;
    REQUIRE(geometry != nullptr);
    const auto ignores = [&](const std::string& a, const std::string& b) {
        const auto found = said.ignore.find(a);
        return found != said.ignore.end() &&
               std::find(found->second.begin(), found->second.end(), b) != found->second.end();
    };
    const auto buffer = [&](const std::string& place) {
        const auto found = said.buffer_distance.find(place);
        return found == said.buffer_distance.end() ? 0 : found->second;
    };
    const auto center = [&](const std::string& place, const SphereDescription& sphere) {
        const int frame = model.frame(place).index;
        return Eigen::Vector3d(frame_position<double>(model, data, frame) +
                               frame_orientation<double>(model, data, frame) * sphere.center);
    };
    Distances result;
    for (const auto& [a, first] : geometry->spheres)
        for (const auto& [b, second] : geometry->spheres) {
            const bool fixed = model.frame(a).body == model.frame(b).body;
            if (!(a < b) || fixed || ignores(a, b) || ignores(b, a)) continue;
            double least = std::numeric_limits<double>::infinity();
            for (const SphereDescription& s : first)
                for (const SphereDescription& t : second)
                    if (s.radius > 0 && t.radius > 0)
                        least = std::min(least, (center(a, s) - center(b, t)).norm() - s.radius - t.radius);
            if (least < std::numeric_limits<double>::infinity())
                result[{a, b}] = least - buffer(a) - buffer(b);
        }
    return result;
}

/// After forward_kinematics.
Distances found(const Model& model, const Workspace<double>& data) {
    const SelfCollision& robot = model.self_collision;
    std::vector<GroupDistance> distances(robot.pairs.size());
    const int nearest = self_distances<double>(model, data, distances);
    Distances result;
    const auto name = [&](int group) { return model.frames[robot.groups[group].frame].name; };
    for (std::size_t k = 0; k < distances.size(); ++k) {
        const GroupPair& pair = robot.pairs[k];
        CHECK(distances[k].distance >= distances[at(nearest)].distance);
        for (const auto& [sphere, group] :
             {std::pair(distances[k].a, pair.a), std::pair(distances[k].b, pair.b)}) {
            CHECK(sphere >= robot.groups[group].spheres.first);
            CHECK(sphere < robot.groups[group].spheres.last);
        }
        result[named_so(name(pair.a), name(pair.b))] = distances[k].distance;
    }
    CHECK((nearest == -1) == distances.empty());
    CHECK(result.size() == distances.size());
    return result;
}

Distances found_at(const Model& model, const Eigen::VectorXd& q) {
    Workspace<double> data(model);
    REQUIRE(forward_kinematics<double>(model, data, q).ok());
    return found(model, data);
}

void check_equal(const Distances& a, const Distances& b) {
    CHECK(a.size() == b.size());
    for (const auto& [places, distance] : a) {
        INFO(places.first << " and " << places.second);
        REQUIRE(b.count(places) == 1);
        CHECK(std::abs(b.at(places) - distance) <= kAgreement * (1 + std::abs(distance)));
    }
}

/// Those of `a` that `b` still has, at least one in two.
void check_kept(const Distances& a, const Distances& b) {
    for (const auto& [places, distance] : b) {
        INFO(places.first << " and " << places.second);
        REQUIRE(a.count(places) == 1);
        CHECK(std::abs(a.at(places) - distance) < kAgreement * (1 + std::abs(distance)));
    }
}

}  // namespace

TEST_CASE("self-distances are those of a search through all spheres in the world") {
    int pairs = 0;
    test_robots::at_random_states(
        test_robots::without_rods(), 1, 51, [&](const Robot& robot, const State& state, Random& random) {
            const Robot round = with_spheres(robot, random);
            Workspace<double> data(round.model);
            REQUIRE(forward_kinematics<double>(round.model, data, state.q).ok());
            const Distances expected = searched(round.description, round.model, data);
            check_equal(expected, found(round.model, data));
            pairs += static_cast<int>(expected.size());
        });
    CHECK(pairs > sample_size::least(1000));
}

TEST_CASE("self-distances of random XRDF files are those of a search") {
    const Robot& arm = test_robots::named("ur10e");
    Random random(52);
    for (int trial = 0; trial < 50; ++trial) {
        RobotDescription drawn = arm.description;
        add_spheres(drawn, random);
        std::ostringstream text;
        text.precision(17);
        text << "format: xrdf\nformat_version: 1.0\ncspace: {joint_names: [elbow_joint], "
                "acceleration_limits: [1], "
                "jerk_limits: [1]}\ngeometry:\n";
        for (const GeometryDescription& geometry : drawn.geometries) {
            text << "  " << geometry.name << ":\n    spheres:\n";
            for (const auto& [place, spheres] : geometry.spheres) {
                text << "      " << place << ":\n";
                for (const SphereDescription& s : spheres)
                    text << "      - {center: [" << s.center.x() << ", " << s.center.y() << ", "
                         << s.center.z() << "], radius: " << s.radius << "}\n";
            }
        }
        text << "self_collision:\n  geometry: balls\n  buffer_distance:\n";
        for (const auto& [place, distance] : drawn.self_collision.buffer_distance)
            text << "    " << place << ": " << distance << "\n";
        text << "  ignore:\n";
        for (const auto& [place, others] : drawn.self_collision.ignore) {
            text << "    " << place << ": [";
            for (const std::string& other : others) text << (&other == &others.front() ? "" : ", ") << other;
            text << "]\n";
        }
        RobotDescription read = arm.description;
        read.geometries.clear();
        read.self_collision = {};
        Diagnostics diagnostics;
        apply_xrdf(text.str(), "arm.xrdf", read, diagnostics);
        INFO(text.str() << findings(diagnostics));
        REQUIRE_FALSE(has_errors(diagnostics));
        const Model model = build_model(read);
        Workspace<double> data(model);
        REQUIRE(
            forward_kinematics<double>(model, data, test_robots::random_vector(random, model.nq, 3)).ok());
        check_equal(searched(drawn, model, data), found(model, data));
    }
}

TEST_CASE("self-distances of a frozen or mounted robot stay what they are") {
    int frozen = 0, mounted = 0;
    test_robots::at_random_states(
        test_robots::without_rods(), 1, 53, [&](const Robot& robot, const State& state, Random& random) {
            const Robot round = with_spheres(robot, random);
            const Distances before = found_at(round.model, state.q);
            const auto compare = [&](const Mechanism& mechanism, int& count) {
                Diagnostics diagnostics;
                const Model model = build_model(mechanism, {}, diagnostics);
                if (has_errors(diagnostics)) return;  // a dead centre
                Eigen::VectorXd q(model.nq);
                equivalence::copy_positions(round.model, state.q, model, q);
                check_kept(before, found_at(model, q));
                ++count;
            };
            Diagnostics diagnostics;
            const Names& names = round.model.names;
            const std::string& joint = names.joints[static_cast<int>(random() % names.joints.size())];
            const Mechanism held = freeze(mechanism_of(round), round.model, state.q, {joint}, diagnostics);
            if (!has_errors(diagnostics)) compare(held, frozen);
            diagnostics.clear();
            Mechanism tied = mechanism_of(round);
            for (MechanismBody& body : tied.bodies) body.actuated = false;
            Mount at;
            at.frame = round.model.frames[static_cast<int>(random() % round.model.frames.size())].name;
            at.type = LoopType::spherical;
            tied = mount(tied, round.model, state.q, at, diagnostics);
            if (!has_errors(diagnostics)) compare(tied, mounted);
        });
    CHECK(frozen > sample_size::least(50));
    CHECK(mounted > sample_size::least(50));
}

TEST_CASE("composed robots keep their distances, and have some from one another") {
    Random random(54);
    const Robot arm = with_spheres(test_robots::named("ur10e"), random);
    RobotPart left, right;
    left.robot = right.robot = arm.description;
    left.prefix = "left_";
    right.prefix = "right_";
    right.base.translation = {0.4, 0, 0};
    Diagnostics diagnostics;
    const RobotDescription both = compose("both", {left, right}, diagnostics);
    const Model whole = build_model(both);
    Workspace<double> data(whole);
    REQUIRE(forward_kinematics<double>(whole, data, neutral_configuration(whole)).ok());
    const Distances all = found(whole, data);
    check_equal(searched(both, whole, data), all);
    for (const auto& [places, distance] : found_at(arm.model, neutral_configuration(arm.model)))
        for (const char* prefix : {"left_", "right_"})
            CHECK(all.at({prefix + places.first, prefix + places.second}) == Approx(distance).margin(1e-12));
    CHECK(std::any_of(all.begin(), all.end(), [](const auto& pair) {
        return pair.first.first[0] == 'l' && pair.first.second[0] == 'r';
    }));
}

TEST_CASE("spheres that overlap at the default configuration are a warning with both links and the overlap") {
    RobotDescription robot = test_robots::named("ur10e").description;
    const Eigen::Vector3d none = Eigen::Vector3d::Zero();
    robot.geometries = {{"balls",
                         {{"shoulder_link", {{none, 0.1, {"arm.xrdf", 7, 3}}}},
                          {"upper_arm_link", {{none, 0.2, {"arm.xrdf", 8, 3}}}},
                          {"tool0", {{none, 0.1, {"arm.xrdf", 9, 3}}}}}}};
    robot.self_collision = {"balls", {{"upper_arm_link", 0.05}}, {}, {}};
    const auto warnings = [&] {
        std::string text;
        for (const Diagnostic& each : build_model(robot).diagnostics)
            if (each.code == Code::self_collision) text += to_string(each) + "\n";
        return text;
    };
    CHECK_THAT(warnings(), Catch::StartsWith("arm.xrdf:7:3: warning: spheres of 'shoulder_link'") &&
                               Catch::Contains("'upper_arm_link'") && Catch::Contains("0.35 m"));
    robot.self_collision.ignore["upper_arm_link"] = {"shoulder_link"};
    CHECK(warnings().empty());
}

TEST_CASE("spheres that mean nothing are errors") {
    const auto refused = [](const CollisionDescription& said, const SphereDescription& sphere,
                            std::size_t count) {
        RobotDescription robot = test_robots::named("ur10e").description;
        robot.geometries = {{"balls", {{"forearm_link", std::vector<SphereDescription>(count, sphere)}}}};
        robot.self_collision = said;
        Diagnostics diagnostics;
        (void)make_mechanism(robot, {}, diagnostics);
        return findings(diagnostics);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const SphereDescription ball{Eigen::Vector3d::Zero(), 0.1, {"arm.xrdf", 7, 3}};
    CHECK(refused({"balls", {}, {}, {}}, ball, 1).empty());
    CHECK_THAT(
        refused({"ball", {}, {}, {"arm.xrdf", 4, 1}}, ball, 1),
        Catch::Contains("arm.xrdf:4:1: error: self_collision: expected a known geometry, found 'ball'"));
    CHECK_THAT(refused({"balls", {{"fore", 0}}, {}, {}}, ball, 1), Catch::Contains("'fore'"));
    CHECK_THAT(refused({"balls", {{"forearm_link", nan}}, {}, {}}, ball, 1),
               Catch::Contains("a buffer distance"));
    CHECK_THAT(refused({"balls", {}, {{"forearm_link", {"hand"}}}, {}}, ball, 1), Catch::Contains("'hand'"));
    CHECK_THAT(refused({"balls", {}, {}, {}}, {ball.center, nan, ball.where}, 1),
               Catch::Contains("arm.xrdf:7:3: error") && Catch::Contains("a radius"));
    CHECK_THAT(refused({"balls", {}, {}, {}}, {{0, nan, 0}, 1, ball.where}, 1),
               Catch::Contains("their centres"));
    CHECK_THAT(refused({"balls", {}, {}, {}}, ball, 4001),
               Catch::Contains("at most 4000 spheres, found 4001"));
}

TEST_CASE("self_distances refuses wrong sizes and a workspace without kinematics") {
    const Model& model = test_robots::named("ur10e").model;
    REQUIRE_FALSE(model.self_collision.pairs.empty());
    Workspace<double> data(model);
    std::vector<GroupDistance> distances(model.self_collision.pairs.size());
    CHECK_THROWS_AS(self_distances<double>(model, data, distances), std::invalid_argument);
    REQUIRE(forward_kinematics<double>(model, data, neutral_configuration(model)).ok());
    CHECK(self_distances<double>(model, data, distances) >= 0);
    distances.pop_back();
    CHECK_THROWS_AS(self_distances<double>(model, data, distances), std::invalid_argument);
}
