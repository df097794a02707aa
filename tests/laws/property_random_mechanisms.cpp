#include <algorithm>
#include <set>

#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Coverage of the random mechanisms: nearly all load, and every shape that the laws are about occurs.

namespace {

using test_robots::mechanisms;

constexpr double kLeastLoaded = 0.9;  // the others lock joints by contradicting couplings

/// Polynomial couplings of a cluster.
int polynomials(const grbda::Model& model, const grbda::Cluster& c) {
    int count = 0;
    for (const int l : c.couplings) count += model.couplings[l].linear() ? 0 : 1;
    return count;
}

/// Alone, beside loops, beside linear couplings, two in one cluster; solved for the follower and for the
/// leader; a rotor as follower and as leader, on a body outside of the cluster and in it.
void check_polynomials() {
    std::set<std::string> found;
    for (const test_robots::Robot& robot : mechanisms().robots) {
        const grbda::Model& model = robot.model;
        for (const grbda::Cluster& c : model.clusters) {
            const int count = polynomials(model, c), linear = c.couplings.size() - count;
            if (count == 0) continue;
            found.insert(count > 1 ? "two" : c.rows == 1 ? "alone" : "among others");
            if (!c.loops.empty()) found.insert("beside a loop");
            if (linear > 0) found.insert("beside a linear coupling");
            const auto first = model.independent.begin() + c.y_begin, last = first + c.m;
            for (const int l : c.couplings) {
                const grbda::Coupling& coupling = model.couplings[l];
                if (coupling.linear()) continue;
                for (const int term : {0, 1}) {
                    const int dof = model.coupling_terms[coupling.terms.first + term].dof;
                    const std::string role = term == 0 ? "follower" : "leader";
                    found.insert((std::find(first, last, dof) == last ? "dependent " : "independent ") +
                                 role);
                    for (const grbda::Rotor& rotor : model.rotors)
                        if (rotor.dof == dof)
                            found.insert((rotor.carrier_in_cluster ? "rotor in the cluster as "
                                                                   : "rotor outside as ") +
                                         role);
                }
            }
        }
    }
    for (const char* wanted :
         {"alone", "among others", "two", "beside a loop", "beside a linear coupling", "dependent follower",
          "dependent leader", "independent leader", "rotor in the cluster as follower",
          "rotor in the cluster as leader", "rotor outside as follower", "rotor outside as leader"}) {
        INFO(wanted);
        CHECK(found.count(wanted) == 1);
    }
}

}  // namespace

TEST_CASE("nearly all random mechanisms load") {
    const test_robots::Mechanisms& drawn = mechanisms();
    for (const std::string& refused : drawn.refused) UNSCOPED_INFO(refused);
    CHECK(static_cast<double>(drawn.robots.size()) >= kLeastLoaded * drawn.drawn);
}

TEST_CASE("random mechanisms have every joint type, loop type, embedding and kind of rotor") {
    if (sample_size::of(100) < sample_size::kLeastPercent) return;  // too few
    using grbda::JointType;
    using grbda::LoopType;
    const auto some_model = [](auto&& law) {
        const auto& robots = mechanisms().robots;
        return std::any_of(robots.begin(), robots.end(), [&](const auto& robot) { return law(robot.model); });
    };
    for (JointType type :
         {JointType::revolute, JointType::prismatic, JointType::helical, JointType::cylindrical,
          JointType::universal, JointType::planar, JointType::spherical, JointType::floating}) {
        INFO(to_string(type));
        CHECK(some_model([&](const grbda::Model& model) {  // in a cluster with loops
            return std::any_of(model.bodies.begin(), model.bodies.end(), [&](const grbda::Body& body) {
                const grbda::Cluster& cluster = model.clusters[body.cluster];
                return body.joint == type && cluster.embedding == grbda::Embedding::implicit;
            });
        }));
    }
    for (LoopType type : {LoopType::fixed, LoopType::revolute, LoopType::prismatic, LoopType::helical,
                          LoopType::cylindrical, LoopType::universal, LoopType::planar, LoopType::spherical,
                          LoopType::distance, LoopType::point_on_line}) {
        INFO(to_string(type));
        CHECK(some_model([&](const grbda::Model& model) {
            return std::any_of(model.loops.begin(), model.loops.end(),
                               [&](const grbda::Loop& loop) { return loop.type == type; });
        }));
    }
    const auto some_cluster = [&](auto&& law) {
        return some_model([&](const grbda::Model& model) {
            return std::any_of(model.clusters.begin(), model.clusters.end(), law);
        });
    };
    const auto loops = [](const grbda::Cluster& c) { return c.loops.size(); };
    CHECK(some_cluster([&](const grbda::Cluster& c) { return loops(c) > 1; }));
    CHECK(some_cluster([&](const grbda::Cluster& c) { return loops(c) > 0 && !c.couplings.empty(); }));
    CHECK(some_cluster([&](const grbda::Cluster& c) { return loops(c) > 0 && c.rows > c.dependents(); }));
    check_polynomials();
    CHECK(
        some_cluster([&](const grbda::Cluster& c) { return loops(c) > 0 && c.parent_body != grbda::world; }));
    CHECK(some_cluster([&](const grbda::Cluster& c) { return loops(c) > 0 && c.m == 0; }));
    CHECK(some_cluster([&](const grbda::Cluster& c) { return loops(c) > 0 && c.m > 3; }));
    for (bool in_cluster : {false, true})
        for (bool on_world : {false, true}) {
            if (in_cluster && on_world) continue;
            CHECK(some_model([&](const grbda::Model& model) {
                return std::any_of(model.rotors.begin(), model.rotors.end(), [&](const grbda::Rotor& rotor) {
                    return rotor.carrier_in_cluster == in_cluster &&
                           (rotor.carrier == grbda::world) == on_world;
                });
            }));
        }
}
